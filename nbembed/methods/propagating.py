"""Recipes in which labels act as links and may be carried to the points around them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from nbembed.affinities import Affinities
from nbembed.methods.algorithm import GridRecipe
from nbembed.propagation.carrying import carried
from nbembed.supervision import Supervision
from nbembed.supervision.weights import label_weights
from nbembed.validation import check_flag

#: "auto" carries labels in a live session of so many points: there a label takes a third of a
#: second more at most.
AT_ONCE = 20_000


@dataclass(frozen=True, eq=False, kw_only=True)
class PropagatingRecipe(GridRecipe):
    """Base of the recipes of HSSNE, SNE and NeRV."""

    propagate_labels: bool | Literal["auto"] = "auto"

    def check(self, n_samples: int, supervision: Supervision) -> None:
        """Raise ValueError or TypeError, naming the argument, before any work starts."""
        if not self._decides:
            check_flag("propagate_labels", self.propagate_labels)
        super().check(n_samples, supervision)

    def live(self, n_samples: int) -> Self:
        """Return the recipe as a live session keeps it, in which "auto" is a decision."""
        if not self._decides:
            return self
        return self.replace(propagate_labels=self._carries_at_once(n_samples))

    @property
    def _decides(self) -> bool:
        return isinstance(self.propagate_labels, str) and self.propagate_labels == "auto"

    @property
    def _carries(self) -> bool:
        return not self._decides and bool(self.propagate_labels)

    def _carries_at_once(self, n_samples: int) -> bool:
        return n_samples <= AT_ONCE

    def acting(self, affinities: Affinities, supervision: Supervision) -> Supervision:
        """Return the labels and links that act on the map: those said, and labels carried."""
        if not self._carries:
            return supervision
        return carried(affinities, supervision, n_jobs=self.n_jobs)

    def memberships(self, Y: NDArray[Any], objective: Any) -> NDArray[Any] | None:
        """Return the weight with which each point's label acts, by hand or carried, at its class.

        The shape is (n_samples, n_classes). None as long as no label is carried.
        """
        acting = objective.supervision
        if acting is None or not self._carries:
            return None
        labeled = acting.labeled
        classes = acting.top_class[labeled]
        if np.unique(classes).size < 2:
            return None
        shares = np.zeros((acting.n_samples, len(acting.classes)), dtype=np.float32)
        confidence = acting.confidence[labeled]
        shares[labeled, classes] = label_weights(confidence, len(acting.classes))
        return shares
