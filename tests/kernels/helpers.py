"""Data and measures of error for the tests of kernels; formulas are in kernels.reference."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

#: Points, dimensions and outliers of the layouts that sums over pairs are compared on.
SIZES = (
    (2, 2, 0), (3, 2, 1), (17, 2, 1), (33, 2, 0), (97, 2, 3), (515, 2, 0), (70, 1, 0), (70, 3, 0),
    (5, 7, 0),
)  # fmt: skip


def margin(
    Yt: Any, directions: Any, lam: float, targets: Any, prior: Any, margin_weight: float
) -> tuple[float, float, float, float, Any]:
    """Return cost, A, B, D and memberships; ``prior`` None for the entropy."""
    logits = np.asarray(Yt, np.longdouble).T @ directions.T / lam
    logits -= logits.max(axis=1, keepdims=True)
    log_m = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    m = np.exp(log_m)
    mean = m.mean(axis=0)
    A = (m * log_m).sum() / len(m)
    B = -_x_log(mean, mean / (1 if prior is None else prior)).sum()
    labeled = ~np.isnan(targets[:, 0])
    t = targets[labeled]
    D = (_x_log(t, t) - t * log_m[labeled]).sum()
    return -margin_weight * (A + B) + D, A, B, D, m


def _x_log(x: Any, y: Any) -> Any:
    return np.where(x > 0, x * np.log(np.where(x > 0, y, 1)), 0)


def central_differences(function: Callable[[Any], float], Yt: Any, step: float = 1e-5) -> Any:
    """Return the gradient of ``function`` at ``Yt`` by central differences."""
    gradient = np.zeros(Yt.shape)
    for index in np.ndindex(Yt.shape):
        ahead, behind = Yt.copy(), Yt.copy()
        ahead[index] += step
        behind[index] -= step
        gradient[index] = (function(ahead) - function(behind)) / (2 * step)
    return gradient


def layout(rng: np.random.Generator, n: int, d: int, spread: float = 2.0, outliers: int = 0) -> Any:
    """Return coordinates (d, n) with a duplicate (if n > 4) and points far away."""
    Yt = rng.normal(size=(d, n)) * spread
    if n > 4:
        Yt[:, 3] = Yt[:, 1]
    for k in range(outliers):
        Yt[:, -1 - k] += 100.0 * 10**k
    return Yt


def affinities(rng: np.random.Generator, n: int, density: float = 0.5) -> Any:
    """Return symmetric P (n, n) that sums to one, with holes, diagonal zero."""
    P = rng.random((n, n)) * (rng.random((n, n)) < density) + 1e-12
    P = P + P.T
    np.fill_diagonal(P, 0)
    return P / P.sum()


def csr_parts(P: Any) -> tuple[Any, Any, Any]:
    matrix = sparse.csr_array(P)
    return matrix.indptr, matrix.indices, matrix.data


def error(value: Any, expected: Any) -> float:
    """Return the largest difference, relative to the largest entry expected."""
    scale = np.abs(expected).max()
    return float(np.abs(np.asarray(value, np.float64) - expected).max() / (scale or 1))
