"""Repulsion where every similarity underflows: maps so wide that Σq is no longer a number.

With light tails (α = 0, or small) the points of a map may lie so far apart that each q underflows
to zero, and Q = q / Σq is 0/0. Q itself is well defined, with its mass on the nearest pairs. Here
it is computed relative to the largest q, in float64; this is slow, and needed only until the
optimizer has left such a layout.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Below this Σq counts as underflowed, by dtype; far above the smallest normal number.
SMALLEST_NORMALIZER = {np.dtype(np.float32): 1e-30, np.dtype(np.float64): 1e-290}


def underflowed(normalizer: float, dtype: np.dtype[Any]) -> bool:
    """Return whether Σq is too small to be trusted."""
    return not normalizer > SMALLEST_NORMALIZER[dtype]


def shifted_repulsion(Yt: NDArray[Any], alpha: float) -> tuple[float, NDArray[np.float64]]:
    """Return log Σq and Σ_j Q_ij S_ij (y_i − y_j), shape (d, n), without underflow.

    O(n²) time, O(n) memory a row.
    """
    with np.errstate(over="ignore", invalid="ignore"):  # of a layout too large the cost is NaN
        return _shifted(Yt.astype(np.float64), alpha)


def _shifted(Y: NDArray[np.float64], alpha: float) -> tuple[float, NDArray[np.float64]]:
    n = Y.shape[1]
    largest = -math.inf
    for i in range(n - 1):
        tau = np.square(Y[:, i, None] - Y[:, i + 1 :]).sum(axis=0)
        largest = max(largest, float(_log_similarity(tau, alpha).max()))
    total = 0.0
    repulsion = np.zeros_like(Y)
    for i in range(n - 1):
        difference = Y[:, i, None] - Y[:, i + 1 :]
        tau = np.square(difference).sum(axis=0)
        q = np.exp(_log_similarity(tau, alpha) - largest)
        total += 2 * float(q.sum())
        force = q / (1 + alpha * tau) * difference
        repulsion[:, i] += force.sum(axis=1)
        repulsion[:, i + 1 :] -= force
    return largest + math.log(total), repulsion / total


def _log_similarity(tau: NDArray[np.float64], alpha: float) -> NDArray[np.float64]:
    """Return log q = −log(1 + ατ)/α, and −τ at α = 0."""
    if alpha < 1e-12:
        return -tau
    logarithm: NDArray[np.float64] = -np.log1p(alpha * tau) / alpha
    return logarithm
