"""A constant objective, under which a layout stays unchanged."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from nbembed.objectives.base import Evaluation, Objective
from nbembed.objectives.checks import check_layout, check_names


class Constant(Objective):
    """A cost of zero at every layout, for methods that have no labels to learn from yet."""

    def __init__(self, n_samples: int, dtype: Any = np.float64) -> None:
        self._n_samples = n_samples
        self._dtype: np.dtype[Any] = np.dtype(dtype)

    @property
    def n_samples(self) -> int:
        """Rows that a layout must have."""
        return self._n_samples

    @property
    def dtype(self) -> np.dtype[Any]:
        """Floating type of layouts."""
        return self._dtype

    @property
    def parameters(self) -> dict[str, float]:
        """None."""
        return {}

    def with_parameters(self, **parameters: Any) -> Self:
        """Return itself: there is nothing to change."""
        check_names(self, parameters, ())
        return self

    def evaluate(self, Y: NDArray[Any], *, cost: bool = True) -> Evaluation:
        """Return zero, and a gradient of zeros."""
        Y = check_layout(Y, self.n_samples, self.dtype, bounded=False)
        return Evaluation(0.0, np.zeros_like(Y), np.ones(len(Y), self.dtype))
