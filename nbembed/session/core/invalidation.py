"""Invalidation by a change: the cascade affinities → objective → display.

A recipe declares what each of its parameters enters first; a part later in the data flow is always
redone with an earlier one, and nothing earlier is touched: a slider that enters only the objective
never costs a calibration.
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real

import numpy as np

from nbembed.methods.recipe import Part
from nbembed.session.core.serialization import same
from nbembed.session.core.settings import Settings
from nbembed.supervision import Supervision

#: With the affinities goes the optimizer: what enters the one may decide the other (NeRV descends
#: by another rule in a learned metric). It is made in no time, and an equal one changes nothing.
_WITH: dict[Part, frozenset[Part]] = {
    "affinities": frozenset({"affinities", "objective", "display", "optimizer"}),
    "layout": frozenset({"layout", "objective", "display"}),
    "alignment": frozenset({"alignment", "objective", "display"}),
    "objective": frozenset({"objective", "display"}),
    "optimizer": frozenset({"optimizer"}),
    "display": frozenset({"display"}),
}


@dataclass(frozen=True)
class Invalidation:
    """The work to redo after a change of settings.

    * parts: parts of the data flow that must be made anew.
    * moved: live parameters that got another number and enter the objective alone: the running
      objective takes them over by ``with_parameters``.
    """

    parts: frozenset[Part] = frozenset()
    moved: frozenset[str] = frozenset()

    @property
    def moves(self) -> bool:
        """True if the layout is affected, and not only the display."""
        return bool(self.moved or self.parts - {"display"})


def invalidated(old: Settings, new: Settings) -> Invalidation:
    """Return the work to redo when ``new`` takes the place of ``old``."""
    if not old.same_method(new):
        return Invalidation(_WITH["affinities"] | _WITH["layout"])
    parts: set[Part] = set()
    moved: set[str] = set()
    # That parameters follow the classes to other numbers is no change of them.
    kept = old.recipe.renumbered(old.supervision.classes, new.supervision.classes)
    before, live = kept.parameters, new.live_names
    for name, value in new.recipe.parameters.items():
        if same(value, before.get(name)):
            continue
        entered = new.recipe.parts_entered(name)
        if name in live and entered == ("objective",) and isinstance(value, Real):
            moved.add(name)
            parts.add("display")
            continue
        for part in entered:
            parts |= _WITH[part]
    if new.supervision != old.supervision:
        more = says_more(old.supervision, new.supervision, counts_classes=new.n_classes is not None)
        parts |= _WITH["alignment" if more else "display"]
        if not np.array_equal(old.supervision.pinned, new.supervision.pinned):
            parts |= _WITH["objective"]
    if new.n_classes != old.n_classes:
        parts |= _WITH["affinities"] | _WITH["alignment"]
    return Invalidation(frozenset(parts), frozenset(moved))


def says_more(old: Supervision, new: Supervision, *, counts_classes: bool) -> bool:
    """Return whether two supervisions differ in what reaches a map, not only in names.

    With ``counts_classes`` the number of classes matters even where no point has a class.
    """
    if counts_classes and (
        len(old.classes) != len(new.classes)
        or not np.array_equal(old.targets(), new.targets(), equal_nan=True)
    ):
        return True
    a, b = old.groups(), new.groups()
    return not (
        np.array_equal(old.top_class, new.top_class)
        and np.array_equal(old.confidence, new.confidence, equal_nan=True)
        and np.array_equal(a.indptr, b.indptr)
        and np.array_equal(a.members, b.members)
        and np.array_equal(a.weights, b.weights)
        and len(old.cannot_links) == len(new.cannot_links)
        and all(
            np.array_equal(x, y)
            for pair in zip(old.cannot_links, new.cannot_links)
            for x, y in zip(*pair)
        )
    )
