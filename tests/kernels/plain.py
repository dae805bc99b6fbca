"""The kernels' formulas once more, plainly, in NumPy and float64: what their tests compare with."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse


def differences(Yt: Any) -> tuple[Any, Any]:
    """Return y_i − y_j (n, n, d) and τ (n, n)."""
    Y = np.asarray(Yt, np.float64).T
    difference = Y[:, None] - Y[None]
    return difference, (difference**2).sum(axis=2)


def tail(tau: Any, alpha: float) -> tuple[Any, Any]:
    """Return −log q and S of the heavy-tailed family."""
    if alpha == 0:
        return tau, np.ones_like(tau)
    return np.log1p(alpha * tau) / alpha, 1 / (1 + alpha * tau)


def heavy_tailed(Yt: Any, P: Any, alpha: float) -> tuple[Any, Any, Any, float, float]:
    difference, tau = differences(Yt)
    P = np.asarray(P, np.float64)
    minus_log_q, S = tail(tau, alpha)
    q = np.exp(-minus_log_q)
    np.fill_diagonal(q, 0)
    return (
        np.einsum("ij,ijk->ki", P * S, difference),
        np.einsum("ij,ijk->ki", q * S, difference),
        (P * S).sum(axis=1),
        float(q.sum()),
        float((P * minus_log_q).sum()),
    )


def gaussian_rows(Yt: Any, W: Any) -> tuple[Any, Any, Any, float]:
    difference, tau = differences(Yt)
    W = np.asarray(W, np.float64)
    away = tau.copy()
    np.fill_diagonal(away, np.inf)
    least = away.min(axis=1)
    q = np.exp(least[:, None] - away)
    Z = q.sum(axis=1)
    q /= Z[:, None]
    return (
        np.einsum("ij,ijk->ki", W, difference),
        np.einsum("ij,ijk->ki", q + q.T, difference),
        np.log(Z) - least,
        float((W * tau).sum() / 2),
    )


def links(n: int, indptr: Any, members: Any, weights: Any) -> Any:
    """Return the dense u_ij = Σ w_i w_j over the groups that hold both."""
    u = np.zeros((n, n))
    for start, stop in pairwise(indptr):
        group, w = members[start:stop], weights[start:stop]
        u[np.ix_(group, group)] += np.outer(w, w)
    np.fill_diagonal(u, 0)
    return u


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


def neighbor_retrieval(Yt: Any, logs: Any, widths: Any, t: float) -> tuple[Any, Any, Any, float]:
    """Return NeRV's sums; ``logs`` is a pair: p, and what stands for its logarithms."""
    p, log_p = (np.array(part, np.float64) for part in logs)
    difference, tau = differences(Yt)
    w = np.asarray(widths, np.float64)[:, None]
    x = w * tau
    np.fill_diagonal(x, np.inf)
    least = x.min(axis=1, keepdims=True)
    log_Z = np.log(np.exp(least - x).sum(axis=1, keepdims=True)) - least
    np.fill_diagonal(x, least)
    q = np.exp(-x - log_Z)
    L = -x - log_Z - log_p
    for part in (p, q, x, L):
        np.fill_diagonal(part, 0)
    F = (q * L).sum(axis=1, keepdims=True)
    g = w * (t * (p - q) - (1 - t) * q * (L - F))
    return (
        np.einsum("ij,ijk->ki", g + g.T, difference),
        log_Z[:, 0],
        F[:, 0],
        float((p * x).sum()),
    )
