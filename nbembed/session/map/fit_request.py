"""Requests for what takes long to make, affinities or the start of a map."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from nbembed.session.core.settings import Settings
from nbembed.supervision import Supervision

_logger = logging.getLogger("nbembed.session")


@dataclass(frozen=True, eq=False)
class FitRequest:
    """A request to make affinities of ``settings``, or the start of a map from them.

    * supervision: the input that affinities are learned from, where the recipe learns from labels.
    * affinities: given where the start is to be made from them.
    * cold: whether there is no map yet, so that a first layout is worth showing meanwhile.
    """

    settings: Settings
    supervision: Supervision
    affinities: Any = None
    cold: bool = False

    @property
    def of_start(self) -> bool:
        """True where the start is to be made and not the affinities."""
        return self.affinities is not None

    @property
    def learned_from(self) -> Supervision | None:
        """The labels that affinities are learned from, ``None`` where the recipe learns none."""
        return self.supervision if self.settings.recipe.learns_from_labels else None

    @property
    def text(self) -> str:
        """The name of the work, for people."""
        count = self.supervision.labeled.size
        labels = "1 label" if count == 1 else f"{count} labels"
        return f"learning the {self.settings.recipe.learns} from {labels}"

    def make(self, X: Any, show: Callable[[Any], None] | None = None) -> Any:
        """Return the requested object; ``show`` takes a layout to look at meanwhile."""
        recipe = self.settings.recipe
        if self.of_start:
            rng = np.random.default_rng(recipe.seed)
            return recipe.make_start(X, self.affinities, self.supervision, rng)
        if show is not None and self.cold and X.shape[0] >= SHOWN_FROM:
            try:
                layout = recipe.first_layout(X, np.random.default_rng(recipe.seed))
            except Exception as error:  # it is only looked at: the map does not need it
                _logger.info(
                    "a first layout could not be shown: %s: %s", type(error).__name__, error
                )
                layout = None
            if layout is not None:
                show(layout)
        return recipe.make_affinities(X, self.supervision)


#: Maps of fewer points begin so soon that no first layout is worth showing before.
SHOWN_FROM = 2000


def same_labels(a: Supervision, b: Supervision) -> bool:
    """Return whether two supervisions have the same classes and labels, names and links aside."""
    if a is b:
        return True
    return (
        len(a.classes) == len(b.classes)
        and np.array_equal(a.top_class, b.top_class)
        and np.array_equal(a.targets(), b.targets(), equal_nan=True)
    )


def learned_from_after(
    old: Settings, new: Settings, learned_from: Supervision | None
) -> Supervision | None:
    """Return the labels that affinities are learned from once ``new`` has replaced ``old``."""
    if not new.recipe.learns_from_labels:
        return None
    if learned_from is None or not old.same_method(new):
        # A method that has only now begun to learn does so as from any other new labels.
        return Supervision(new.supervision.n_samples)
    same = same_labels(learned_from, new.supervision)
    return new.supervision if same else learned_from
