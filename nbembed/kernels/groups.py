"""Links: groups of points that belong together, pairs of groups that do not."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class GroupTerms(NamedTuple):
    force: Any
    curvature: Any
    cross: float


def _pairs(n, indptr, members, weights):
    u = np.zeros((n, n))
    for g in range(len(indptr) - 1):
        m = members[indptr[g] : indptr[g + 1]]
        w = weights[indptr[g] : indptr[g + 1]]
        u[np.ix_(m, m)] += np.outer(w, w)
    np.fill_diagonal(u, 0)
    return u


def group_attraction(Yt, indptr, members, weights, rates, alpha, n_threads):
    """Return the sums; NumPy stand-in."""
    n = Yt.shape[1]
    Y = Yt.T.astype(np.float64)
    g = _pairs(n, indptr, members, weights) * (np.asarray(rates)[:, None] + np.asarray(rates)[None])
    difference = Y[:, None] - Y[None]
    tau = (difference**2).sum(2)
    score = 1 / (1 + alpha * tau)
    minus_log_q = tau if alpha < 1e-16 else np.log1p(alpha * tau) / alpha
    force = np.einsum("ij,ijk->ki", g * score, difference)
    return GroupTerms(np.ascontiguousarray(force, Yt.dtype), (g * score).sum(1).astype(Yt.dtype),
                      float((g * minus_log_q).sum()))


def cannot_link(Yt, indptr_a, members_a, indptr_b, members_b, n_threads):
    """Return energy and gradient; NumPy stand-in."""
    Y = Yt.T.astype(np.float64)
    gradient = np.zeros_like(Y)
    energy = 0.0
    for c in range(len(indptr_a) - 1):
        a = members_a[indptr_a[c] : indptr_a[c + 1]]
        b = members_b[indptr_b[c] : indptr_b[c + 1]]
        difference = Y[a][:, None] - Y[b][None]
        k = np.exp(-(difference**2).sum(2)) / (len(a) * len(b))
        energy += k.sum()
        np.add.at(gradient, a, -2 * np.einsum("ij,ijk->ik", k, difference))
        np.add.at(gradient, b, 2 * np.einsum("ij,ijk->jk", k, difference))
    return float(energy), np.ascontiguousarray(gradient.T, Yt.dtype)


def mixed_entropy(P, indptr, members, weights, rates, keep, n_threads):
    """Return the sum; NumPy stand-in."""
    from nbembed.kernels.heavy_tailed import _dense

    n = len(keep)
    p = np.asarray(keep)[:, None] * _dense(P, n)
    p = p + np.asarray(rates)[:, None] * _pairs(n, indptr, members, weights)
    return float((p[p > 0] * np.log(p[p > 0])).sum())
