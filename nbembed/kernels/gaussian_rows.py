"""Sums over pairs of asymmetric SNE."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from nbembed.kernels.heavy_tailed import _dense


class GaussianRowsTerms(NamedTuple):
    attraction: Any
    repulsion: Any
    log_normalizers: Any
    cross: float


def gaussian_rows(Yt, W, want_cost, n_threads):
    """Return the sums; NumPy stand-in."""
    n = Yt.shape[1]
    Y = Yt.T.astype(np.float64)
    w = _dense(W, n)
    difference = Y[:, None] - Y[None]
    tau = (difference**2).sum(2)
    inner = tau.copy()
    np.fill_diagonal(inner, np.inf)
    least = inner.min(1)
    k = np.exp(least[:, None] - inner)
    q = k / k.sum(1, keepdims=True)
    attraction = np.einsum("ij,ijk->ki", w, difference)
    repulsion = np.einsum("ij,ijk->ki", q + q.T, difference)
    cross = float((w * tau).sum() / 2) if want_cost else math.nan
    return GaussianRowsTerms(
        np.ascontiguousarray(attraction, Yt.dtype), np.ascontiguousarray(repulsion, Yt.dtype),
        np.log(k.sum(1)) - least, cross,
    )
