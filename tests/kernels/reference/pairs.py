"""Sums over all pairs of points: HSSNE, SNE, Mbed and NeRV."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nbembed.kernels.packing import packed_row
from nbembed.kernels.terms import (
    GAUSSIAN_BELOW,
    NO_AFFINITY,
    GaussianRowsTerms,
    HeavyTailedTerms,
    RetrievalTerms,
    SparseTerms,
)

#: q below the smallest normal number counts as that.
TINY = float(np.finfo(np.float64).tiny)


def squared_gaps(Yt: Any) -> Any:
    """Return τ_ij = ‖y_i − y_j‖², shape (n, n)."""
    Y = np.asarray(Yt, np.float64)
    return sum((np.square(y[:, None] - y) for y in Y), np.zeros((Y.shape[1],) * 2))


def force(c: Any, Yt: Any) -> Any:
    """Return Σ_j c_ij (y_i − y_j), shape (d, n)."""
    Y = np.asarray(Yt, np.float64)
    return np.array([(c * (y[:, None] - y)).sum(axis=1) for y in Y]).reshape(Y.shape)


def tail(tau: Any, alpha: float) -> tuple[Any, Any]:
    """Return −log q and S of the heavy-tailed family."""
    if alpha < GAUSSIAN_BELOW:
        return tau, np.ones_like(tau)
    return np.log1p(alpha * tau) / alpha, 1 / (1 + alpha * tau)


def as_dense(P: Any, n: int) -> Any:
    """Return P (n, n) in float64, whatever its form."""
    if not isinstance(P, tuple):
        return np.asarray(P, np.float64)
    indptr, indices, data = P
    dense = np.zeros((n, n))
    dense[np.repeat(np.arange(n), np.diff(indptr)), indices] = data
    return dense


def with_factors(P: tuple[Any, ...], keep: Any) -> tuple[Any, Any, Any]:
    """Return the CSR parts of k_i p_ij + k_j p_ji, of (indptr, indices, own, other)."""
    indptr, indices, own, other = P
    rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    return indptr, indices, np.asarray(keep)[rows] * own + np.asarray(keep)[indices] * other


def heavy_tailed(
    Yt: Any, P: Any, alpha: float, want_cost: bool, n_threads: int, *, keep: Any = None
) -> HeavyTailedTerms:
    """See :func:`nbembed.kernels.heavy_tailed.heavy_tailed`."""
    minus_log_q, S = tail(squared_gaps(Yt), alpha)
    return heavy_tailed_sums(Yt, P, np.exp(-minus_log_q), minus_log_q, S, want_cost, keep)


def heavy_tailed_sums(
    Yt: Any, P: Any, q: Any, minus_log_q: Any, S: Any, want_cost: bool, keep: Any = None
) -> HeavyTailedTerms:
    """Return the sums of HSSNE for any similarity q with score S, each (n, n)."""
    P = as_dense(P, Yt.shape[1])
    if keep is not None:
        P = P * (np.asarray(keep)[:, None] + np.asarray(keep)) / 2
    q = np.maximum(q, TINY)
    np.fill_diagonal(q, 0)
    pull = P * S
    np.fill_diagonal(pull, 0)
    return HeavyTailedTerms(
        force(pull, Yt).astype(Yt.dtype),
        force(q * S, Yt).astype(Yt.dtype),
        pull.sum(axis=1).astype(Yt.dtype),
        float(q.sum()),
        float((P * minus_log_q).sum()) if want_cost else math.nan,
    )


def sparse_attraction(
    Yt: Any,
    P: tuple[Any, ...],
    alpha: float,
    want_cost: bool,
    n_threads: int,
    *,
    keep: Any = None,
) -> SparseTerms:
    """See :func:`nbembed.kernels.sparse.sparse_attraction`."""
    if keep is not None:
        P = with_factors(P, keep)
    terms = heavy_tailed(Yt, P, alpha, want_cost, n_threads)
    return SparseTerms(terms.attraction, terms.curvature, terms.cross)


def log_softmax_rows(x: Any) -> tuple[Any, Any]:
    """Return q_ij = exp(−x_ij)/Z_i without its diagonal, and log Z_i, safe for any x."""
    away = x.copy()
    np.fill_diagonal(away, np.inf)
    least = away.min(axis=1)
    q = np.exp(least[:, None] - away)
    Z = q.sum(axis=1)
    return q / Z[:, None], np.log(Z) - least


def gaussian_rows(
    Yt: Any, W: Any, want_cost: bool, n_threads: int, *, keep: Any = None
) -> GaussianRowsTerms:
    """See :func:`nbembed.kernels.gaussian_rows.gaussian_rows`."""
    tau = squared_gaps(Yt)
    if keep is not None and isinstance(W, tuple):
        W = with_factors(W, keep)
    elif keep is not None:
        P = np.array([packed_row(W, i) for i in range(len(W))], np.float64)
        np.fill_diagonal(P, 0)
        W = np.asarray(keep)[:, None] * P
        W = W + W.T
    W = as_dense(W, Yt.shape[1])
    q, log_Z = log_softmax_rows(tau)
    return GaussianRowsTerms(
        force(W, Yt).astype(Yt.dtype),
        force(q + q.T, Yt).astype(Yt.dtype),
        log_Z,
        float((W * tau).sum() / 2) if want_cost else math.nan,
    )


def neighbor_retrieval(
    Yt: Any,
    logs: Any,
    widths: Any,
    tradeoff: float,
    floor: float,
    n_threads: int,
    *,
    keep: Any = None,
) -> RetrievalTerms:
    """See :func:`nbembed.kernels.neighbor_retrieval.neighbor_retrieval`."""
    n = Yt.shape[1]
    if isinstance(logs, tuple):
        indptr, indices, own, _ = logs
        entries = np.full((n, n), NO_AFFINITY)
        entries[np.repeat(np.arange(n), np.diff(indptr)), indices] = own
    else:
        entries = np.array([packed_row(logs, i) for i in range(n)], np.float64)
    there = entries < NO_AFFINITY
    log_p = entries + (0 if keep is None else np.log(keep)[:, None])
    p = np.exp(np.where(there, log_p, -np.inf))
    return retrieval_sums(Yt, p, np.where(there, log_p, floor), widths, tradeoff)


def retrieval_sums(Yt: Any, p: Any, log_p: Any, widths: Any, tradeoff: float) -> RetrievalTerms:
    """Return NeRV's sums for p and what stands for its logarithms, each (n, n)."""
    t, w = tradeoff, np.asarray(widths, np.float64)[:, None]
    x = w * squared_gaps(Yt)
    q, log_Z = log_softmax_rows(x)
    L = -x - log_Z[:, None] - np.asarray(log_p, np.float64)
    p = np.array(p, np.float64)
    for part in (p, L):
        np.fill_diagonal(part, 0)
    F = (q * L).sum(axis=1)
    g = w * (t * (p - q) - (1 - t) * q * (L - F[:, None]))
    return RetrievalTerms(force(g + g.T, Yt).astype(Yt.dtype), log_Z, F, float((p * x).sum()))
