"""What a change makes stale: the cascade metric → affinities → objective → display.

A live parameter says itself what its change invalidates; the other keywords of the estimators are
listed here. A part later in the data flow is always redone with an earlier one, and nothing
earlier is touched: a slider that enters only the objective never costs a calibration.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from nbembed.session.plain import same

if TYPE_CHECKING:
    from nbembed.methods.base import EmbeddingMethod
    from nbembed.session.settings import Settings
    from nbembed.supervision import Supervision

#: "layout": the map must be adopted anew (another method, other dimensions); "align": the method
#: may bind class directions to the labels.
Part = Literal["metric", "affinities", "layout", "align", "objective", "optimizer", "display"]

#: Keywords that no slider moves, and the parts that they enter first; none: only a cold start.
KEYWORDS: dict[str, tuple[Part, ...]] = {
    "perplexity": ("affinities",),
    "affinity": ("affinities",),
    "metric": ("affinities",),
    "n_centroids": ("metric",),
    "n_pieces": ("metric",),
    "shortest_paths": ("metric",),
    "cv": ("metric",),
    "output_width": ("objective",),
    "algorithm": ("affinities",),
    "n_components": ("layout",),
    "directions": ("layout",),
    "n_classes": ("affinities", "align"),
    "class_prior": ("objective",),
    "n_jobs": ("objective",),
    "optimizer": ("optimizer",),
    "tol": ("optimizer",),
    "init": (),
    "max_iter": (),
    "n_init": (),
    "random_state": (),
}

_WITH: dict[Part, frozenset[Part]] = {
    "metric": frozenset({"metric", "affinities", "objective", "display"}),
    "affinities": frozenset({"affinities", "objective", "display"}),
    "layout": frozenset({"layout", "objective", "display"}),
    "align": frozenset({"align", "objective", "display"}),
    "objective": frozenset({"objective", "display"}),
    "optimizer": frozenset({"optimizer"}),
    "display": frozenset({"display"}),
}


def enters(kind: type[EmbeddingMethod], name: str) -> tuple[Part, ...]:
    """Return the first parts of the data flow that the keyword ``name`` enters.

    A keyword that nobody declared counts as one of the affinities': too much work, never too
    little.
    """
    for parameter in kind.live_parameters:
        if parameter.name == name:
            return (parameter.invalidates,)
    return KEYWORDS.get(name, ("affinities",))


def stale_parts(old: Settings, new: Settings) -> frozenset[Part]:
    """Return the parts that must be redone when ``new`` takes the place of ``old``."""
    if old.kind is not new.kind:
        return _WITH["affinities"] | _WITH["layout"] | _WITH["optimizer"]
    parts: set[Part] = set()
    for name, value in new.parameters.items():
        if same(value, old.parameters.get(name)):
            continue
        for part in enters(new.kind, name):
            parts |= _WITH[part]
    if new.supervision != old.supervision:
        more = says_more(old.supervision, new.supervision, counts_classes=new.n_classes is not None)
        parts |= _WITH["align" if more else "display"]
        if not np.array_equal(old.supervision.pinned, new.supervision.pinned):
            parts |= _WITH["objective"]
    if new.n_classes != old.n_classes:
        parts |= _WITH["affinities"] | _WITH["align"]
    return frozenset(parts)


def says_more(old: Supervision, new: Supervision, *, counts_classes: bool) -> bool:
    """Return whether two supervisions differ in what reaches a map, not only in names.

    Parameters
    ----------
    old, new : Supervision
    counts_classes : bool
        Whether the number of classes matters to the method even where no point has a class.
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


def moves(parts: frozenset[Part]) -> bool:
    """Return whether the map itself answers to such a change."""
    return bool(parts - {"display"})
