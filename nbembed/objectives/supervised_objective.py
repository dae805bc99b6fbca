"""Base of the objectives of affinities that labels and links are mixed into."""

from __future__ import annotations

from typing import Any

import numpy as np

from nbembed.objectives.base import PairObjective
from nbembed.objectives.checks import Algorithm
from nbembed.objectives.supervised_affinities import SupervisedAffinities
from nbembed.supervision import Supervision


class SupervisedObjective(PairObjective):
    """Reads points, type, supervision and algorithm off what an objective was made from."""

    _supervised: SupervisedAffinities
    _algorithm: Algorithm

    @property
    def n_samples(self) -> int:
        """Number of points that a layout must have."""
        return self._supervised.base.n_samples

    @property
    def dtype(self) -> np.dtype[Any]:
        """Floating type of P, in which pairs are computed."""
        return self._supervised.base.dtype

    @property
    def algorithm(self) -> Algorithm:
        """The algorithm that sums over all pairs."""
        return self._algorithm

    @property
    def supervision(self) -> Supervision | None:
        """Labels and links that are mixed in."""
        return self._supervised.supervision
