"""Sums over pairs of heavy-tailed symmetric SNE."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np


class HeavyTailedTerms(NamedTuple):
    attraction: Any
    repulsion: Any
    curvature: Any
    normalizer: float
    cross: float


def _dense(P, n):
    if not isinstance(P, tuple):
        return np.asarray(P, np.float64)
    from scipy.sparse import csr_array

    return csr_array((P[2], P[1], P[0]), shape=(n, n)).toarray().astype(np.float64)


def heavy_tailed(Yt, P, alpha, want_cost, n_threads):
    """Return the sums; NumPy stand-in."""
    n = Yt.shape[1]
    Y = Yt.T.astype(np.float64)
    p = _dense(P, n)
    difference = Y[:, None] - Y[None]
    tau = (difference**2).sum(2)
    minus_log_q = tau if alpha < 1e-16 else np.log1p(alpha * tau) / alpha
    q = np.exp(-minus_log_q)
    np.fill_diagonal(q, 0)
    score = 1 / (1 + alpha * tau)
    attraction = np.einsum("ij,ijk->ki", p * score, difference)
    repulsion = np.einsum("ij,ijk->ki", q * score, difference)
    cross = float((p * minus_log_q).sum()) if want_cost else math.nan
    return HeavyTailedTerms(
        np.ascontiguousarray(attraction, Yt.dtype), np.ascontiguousarray(repulsion, Yt.dtype),
        (p * score).sum(1).astype(Yt.dtype), float(q.sum()), cross,
    )
