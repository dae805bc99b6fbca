"""Radial kernels K(τ), τ = r²: what the grid convolves with.

    K = H(τ) = (ατ + 1)^(−1/α)    exp(−τ) at α = 0;   −dK/dτ = H S = (ατ + 1)^(−1/α − 1)

or a user's own similarity H with its score S = −d log H/dτ, for which −dK/dτ = H S as well.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from nbembed.kernels.custom_similarity import custom_values
from nbembed.kernels.terms import GAUSSIAN_BELOW


class Radial(NamedTuple):
    """A radial kernel: a member of the heavy-tailed family, or a similarity H with its score S.

    Attributes
    ----------
    alpha : float
        α ≥ 0; not used where H is given.
    H, S : callable or None
        Of τ.
    """

    alpha: float = 0.0
    H: Callable[[float], float] | None = None
    S: Callable[[float], float] | None = None

    def values(self, tau: Any) -> Any:
        """Return K at each τ, float64."""
        return self.values_and_slopes(tau)[0] if self.H is not None else self._family(tau)

    def values_and_slopes(self, tau: Any) -> tuple[Any, Any]:
        """Return K and −dK/dτ at each τ, float64."""
        tau = np.asarray(tau, np.float64)
        if self.H is None:
            similarity = self._family(tau)
            return similarity, similarity / (self.alpha * tau + 1)
        similarity, score = custom_values(self.H, self.S, tau.ravel())
        return similarity.reshape(tau.shape), (similarity * score).reshape(tau.shape)

    @property
    def width(self) -> float:
        """Distance at which the kernel begins to fall, 1/√S(0), or 1 where S(0) is zero."""
        value, slope = self.values_and_slopes(0.0)
        return math.sqrt(value / slope) if slope > 0 else 1.0

    def _family(self, tau: Any) -> Any:
        if self.alpha < GAUSSIAN_BELOW:
            return np.exp(-tau)
        if self.alpha == 1:
            return 1 / (1 + tau)
        return np.exp(np.log1p(self.alpha * tau) * (-1 / self.alpha))
