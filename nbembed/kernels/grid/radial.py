"""Radial kernels K(τ), τ = r²: what the grid convolves with.

    K = H(τ) = (ατ + 1)^(−1/α)    exp(−τ) at α = 0;   −dK/dτ = H S = (ατ + 1)^(−1/α − 1)

or a user's own similarity H with its score S = −d log H/dτ, for which −dK/dτ = H S as well. The
pull within groups (:mod:`.links`) has two kernels of the same H: K = log H with −dK/dτ = S, and
K = S. That of must-links has K = −2(√(1 + ατ) − 1)/α with −dK/dτ = √S, and K = √S. NeRV has one
more, U = (1 + τ) exp(−τ), whose slope is the Gaussian's moment τ exp(−τ).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from nbembed.kernels.custom_similarity import TINY, custom_values
from nbembed.kernels.terms import GAUSSIAN_BELOW

#: Kernels whose size grows with the distance.
GROWING = ("logarithm", "length")


class Radial(NamedTuple):
    """A radial kernel: a member of the heavy-tailed family, or a similarity H with its score S.

    * alpha: α ≥ 0; not used where H is given.
    * H, S: of τ.
    * of {"similarity", "logarithm", "score", "length", "root"}: whether K is H, log H, S, −2(√(1 +
      ατ) − 1)/α or √S; the last two of the family alone.
    """

    alpha: float = 0.0
    H: Callable[[float], float] | None = None
    S: Callable[[float], float] | None = None
    of: Literal["similarity", "logarithm", "score", "length", "root"] = "similarity"

    def values(self, tau: Any) -> Any:
        """Return K at each τ, float64."""
        if self.of != "similarity":
            return self._attraction(np.asarray(tau, np.float64))
        return self.values_and_slopes(tau)[0] if self.H is not None else self._family(tau)

    def values_and_slopes(self, tau: Any) -> tuple[Any, Any]:
        """Return H and −dH/dτ at each τ, float64."""
        tau = np.asarray(tau, np.float64)
        if self.H is None:
            similarity = self._family(tau)
            return similarity, similarity / (self.alpha * tau + 1)
        similarity, score = custom_values(self.H, self.S, tau.ravel())
        return similarity.reshape(tau.shape), (similarity * score).reshape(tau.shape)

    @property
    def width(self) -> float:
        """Distance at which the kernel begins to fall.

        1/√S(0), or 1 where S(0) is zero, of a similarity; 1/√α, where S has fallen by half, of
        the family's logarithms and scores.
        """
        if self.of != "similarity" and self.H is None:
            return 1 / math.sqrt(self.alpha)
        value, slope = self.values_and_slopes(0.0)
        return math.sqrt(value / slope) if slope > 0 else 1.0

    def _family(self, tau: Any) -> Any:
        if self.alpha < GAUSSIAN_BELOW:
            return np.exp(-tau)
        if self.alpha == 1:
            return 1 / (1 + tau)
        return np.exp(np.log1p(self.alpha * tau) * (-1 / self.alpha))

    def _attraction(self, tau: Any) -> Any:
        """Return log H or S, or those of must-links; the family's for α > 0."""
        logarithm = self.of == "logarithm"
        if self.H is None:
            stretched = self.alpha * tau
            if self.of in ("length", "root"):
                root = np.sqrt(1 + stretched)
                return -2 * tau / (root + 1) if self.of == "length" else 1 / root
            return np.log1p(stretched) / -self.alpha if logarithm else 1 / (1 + stretched)
        similarity, score = custom_values(self.H, self.S, tau.ravel())
        kept = np.log(np.maximum(similarity, TINY)) if logarithm else score
        return kept.reshape(tau.shape)


@dataclass(frozen=True)
class GaussianMoment:
    """The kernel U; its unit of length is the width of the Gaussian."""

    of: ClassVar[str] = "similarity"
    width: ClassVar[float] = 1.0

    def values(self, tau: Any) -> Any:
        """Return U at each τ, float64."""
        return self.values_and_slopes(tau)[0]

    def values_and_slopes(self, tau: Any) -> tuple[Any, Any]:
        """Return U and −dU/dτ at each τ, float64."""
        tau = np.asarray(tau, np.float64)
        gaussian = np.exp(-tau)
        return (1 + tau) * gaussian, tau * gaussian


#: Degree of the polynomial that takes the kernel's place in its core.
DEGREE = 4


class Smoothed(NamedTuple):
    """A kernel of the family with its core made smooth, for a grid that is too coarse for it.

        K̃(τ) = Σ_{k≤4} K⁽ᵏ⁾(R²) (τ − R²)ᵏ / k!    for τ < R², else K(τ)

    K̃ is as smooth as the distance R is long. K − K̃ vanishes from R on, and is summed over the few
    pairs that are nearer (:mod:`.near_pairs`).

    * kernel: without H.
    * core: R.
    """

    kernel: Radial
    core: float

    @property
    def of(self) -> str:
        """The kernel's kind: H, log H or S."""
        return self.kernel.of

    @property
    def coefficients(self) -> Any:
        """(−1)ᵏ K⁽ᵏ⁾(R²)/k!, the coefficients of powers of R² − τ: positive but for log H."""
        alpha, tau = self.kernel.alpha, self.core**2
        stretched = 1 + alpha * tau
        c = np.empty(DEGREE + 1)
        c[0] = self.kernel.values(np.full(1, tau))[0]
        for k in range(DEGREE):
            rise = {"similarity": 1 + k * alpha, "logarithm": k * alpha, "score": (k + 1) * alpha}
            c[k + 1] = c[k] * rise[self.of] / (stretched * (k + 1))
            if self.of == "logarithm" and k == 0:
                c[1] = 1 / stretched  # the score
        return c

    def values(self, tau: Any) -> Any:
        """Return K̃ at each τ, float64."""
        inside = np.maximum(self.core**2 - tau, 0)
        smooth = np.polynomial.polynomial.polyval(inside, self.coefficients)
        return np.where(inside > 0, smooth, self.kernel.values(tau))
