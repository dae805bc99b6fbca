"""F = (I − aS)⁻¹ T by conjugate gradients, one column at a time, from a given start."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Residual at which a column is solved, relative to its labels' norm.
TOLERANCE = 1e-10
MAX_ITER = 1000


def solve(S: Any, T: NDArray[np.float64], F: NDArray[np.float64], a: float) -> NDArray[np.float64]:
    """Return the solution for each column of T, started from the columns of F."""
    out = np.empty_like(T)
    for k in range(T.shape[1]):
        out[:, k] = _column(S, T[:, k].copy(), F[:, k].copy(), a)
    return out


def _column(
    S: Any, t: NDArray[np.float64], f: NDArray[np.float64], a: float
) -> NDArray[np.float64]:
    r = t - f + a * (S @ f)
    p = r.copy()
    square = _dot(r, r)
    goal = TOLERANCE**2 * _dot(t, t)
    for _ in range(MAX_ITER):
        if square <= goal:
            break
        q = p - a * (S @ p)
        step = square / _dot(p, q)
        f += step * p
        r -= step * q
        before, square = square, _dot(r, r)
        p = r + (square / before) * p
    return f


def _dot(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    return float(np.einsum("i,i->", x, y))  # not BLAS, whose order of summation varies
