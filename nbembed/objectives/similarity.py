"""A custom similarity in place of HSSNE's family: any decreasing H with its score S.

    q_ij = H(τ_ij),   τ_ij = ‖y_i − y_j‖²,   S(τ) = −d log H/dτ

"Heavy-Tailed Symmetric Stochastic Neighbor Embedding", section 4: the update depends on the
similarity through H and S alone. For the built-in family H(τ) = (ατ + 1)^(−1/α) and
S(τ) = 1/(ατ + 1).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from nbembed.kernels.custom_similarity import custom_values
from nbembed.kernels.grid.radial import Radial
from nbembed.validation import shown

#: Squared distances at which H and S are checked.
PLACES = np.concatenate([[0.0], np.geomspace(1e-4, 1e4, 49)])
#: What is added to a squared distance until H has fallen to a share.
_FARTHER = np.geomspace(1e-6, 1e30, 181)
#: Relative tolerance of the derivative.
TOLERANCE = 1e-4
#: Smaller values of H count as underflowed and are not checked.
SMALLEST = 1e-250


@dataclass(frozen=True)
class Similarity:
    """A monotonically decreasing similarity of squared distances, and its score.

    Given to :class:`~nbembed.HSSNE` or :class:`~nbembed.objectives.HeavyTailed` in place of the
    number ``alpha``. Sums over pairs are then computed in float64 by scalar compiled loops, about
    thirty times slower than those of the family, and compiling takes a few seconds.

    Parameters
    ----------
    H : callable
        A function of one float that numba compiles (arithmetic and ``math`` or ``numpy``
        functions): positive, finite at 0 and falling with τ ≥ 0.
    score : callable
        S(τ) = −d log H/dτ, a function of the same kind.

    Raises
    ------
    ValueError
        If numba cannot compile one of them, if H does not fall or is not positive and finite, or if
        the score is not its derivative (checked for τ from 0 to 10⁴).
    TypeError
        If one of them cannot be called.

    Notes
    -----
    It can be pickled if its functions can: functions defined in a module can, lambdas cannot.

    Examples
    --------
    >>> def H(tau):
    ...     return 1 / (1 + tau) ** 2
    >>> def score(tau):
    ...     return 2 / (1 + tau)
    >>> Similarity(H, score)
    Similarity(H, score)
    >>> from nbembed import HSSNE
    >>> method = HSSNE(alpha=Similarity(H, score))
    """

    H: Callable[[float], float]
    score: Callable[[float], float]

    def __post_init__(self) -> None:
        for name, function in (("H", self.H), ("score", self.score)):
            if not callable(function):
                raise TypeError(f"{name} must be a function of τ, got {shown(function)}")
        similarity, score = custom_values(self.H, self.score, PLACES)
        _check_similarity(similarity)
        self._check_score(similarity, score)

    def __repr__(self) -> str:
        names = (getattr(f, "__name__", repr(f)) for f in (self.H, self.score))
        return f"Similarity({', '.join(names)})"

    @property
    def radial(self) -> Radial:
        """H and S as the kernels of the grid take them."""
        return Radial(H=self.H, S=self.score)

    @property
    def length_scale(self) -> float:
        """Width of H in coordinates, 1/√S(0), or 1 where S(0) is zero."""
        _, score = custom_values(self.H, self.score, np.zeros(1))
        return float(score[0] ** -0.5) if score[0] > 0 else 1.0

    def _check_score(
        self,
        similarity: np.ndarray[tuple[int], np.dtype[np.float64]],
        score: np.ndarray[tuple[int], np.dtype[np.float64]],
    ) -> None:
        bad = np.flatnonzero(~(np.isfinite(score) & (score >= 0)))
        if bad.size:
            raise ValueError(
                f"score must be finite and not negative, got {score[bad[0]]} at "
                f"τ = {PLACES[bad[0]]:.4g}"
            )
        at = PLACES[1:][similarity[1:] > SMALLEST]
        step = 1e-4 * at
        above, _ = custom_values(self.H, self.score, at + step)
        below, _ = custom_values(self.H, self.score, at - step)
        slope = (np.log(below) - np.log(above)) / (2 * step)
        given = score[1:][similarity[1:] > SMALLEST]
        # The difference of two logarithms is rounded.
        grain = 4e-16 * (1 + np.abs(np.log(below))) / step
        bad = np.flatnonzero(~(np.abs(given - slope) <= TOLERANCE * np.abs(slope) + grain))
        if bad.size:
            i = bad[0]
            raise ValueError(
                f"score must equal −d log H/dτ, which is {slope[i]:.6g} at τ = {at[i]:.4g}, got "
                f"{given[i]:.6g}"
            )


def distance_of_share(own: Similarity, near: float, share: float) -> float | None:
    """Return the distance at which H has fallen to ``share`` of its value at ``near``.

    Within 1 %; None where H does not fall so low.
    """
    start, _ = custom_values(own.H, own.score, np.array([near * near]))
    added = _FARTHER
    # Two passes, coarse and fine, over what is added to the squared distance.
    for _ in range(2):
        values, _ = custom_values(own.H, own.score, near * near + added)
        below = np.flatnonzero(values <= share * start[0])
        if not below.size:
            return None
        added = np.geomspace(added[max(below[0] - 1, 0)], added[below[0]], 50)
    found = math.sqrt(near * near + float(added[0]))
    return found if math.isfinite(found) else None


def _check_similarity(similarity: np.ndarray[tuple[int], np.dtype[np.float64]]) -> None:
    bad = np.flatnonzero(~(np.isfinite(similarity) & (similarity >= 0)))
    if bad.size or similarity[0] == 0:
        i = bad[0] if bad.size else 0
        raise ValueError(
            f"H must be positive and finite, got {similarity[i]} at τ = {PLACES[i]:.4g}"
        )
    seen = similarity > SMALLEST
    # Between neighbors at the smallest distances even a good H may fall by less than rounding.
    flat = similarity[1:] >= similarity[:-1]
    wrong = np.flatnonzero(
        flat & seen[1:] & ((similarity[1:] > similarity[:-1]) | (PLACES[1:] > 1))
    )
    if wrong.size:
        i = wrong[0] + 1
        raise ValueError(
            f"H must decrease with τ, got {similarity[i - 1]:.6g} at τ = {PLACES[i - 1]:.4g} and "
            f"{similarity[i]:.6g} at τ = {PLACES[i]:.4g}"
        )
