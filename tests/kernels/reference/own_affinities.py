"""Own affinities of a group, row by row by bisection, and how they are put together."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from nbembed.kernels.terms import OwnRows

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: The largest |log κ|, and the steps of bisection.
EXPONENTS = 7.0
STEPS = 60


def own_rows(
    P: Any, members: Any, count: int, perplexity: float, n_threads: int, previous: Any = None
) -> OwnRows:
    """See :func:`nbembed.kernels.own_affinities.own_rows`."""
    columns, values = [], []
    for a, i in enumerate(members):
        p = _row_of(P, i)[members]
        p[a] = 0
        nearest = np.sort(np.argsort(-p, kind="stable")[:count])
        nearest = nearest[p[nearest] > 0]
        own = _row(p[nearest], math.log(perplexity)) if nearest.size else p[nearest]
        columns.append(nearest[own > 0].astype(np.int32))
        values.append(own[own > 0])
    bounds = np.cumsum([0, *map(len, columns)])
    return OwnRows(bounds, np.concatenate(columns), np.concatenate(values))


def _row_of(P: Any, i: int) -> NDArray[np.float64]:
    """Return a row of a matrix, dense."""
    if isinstance(P, np.ndarray):
        return P[i].astype(np.float64)
    row = np.zeros(P.shape[1])
    here = slice(P.indptr[i], P.indptr[i + 1])
    row[P.indices[here]] = P.data[here]
    return row


def _row(p: NDArray[np.float64], target: float) -> NDArray[np.float64]:
    """Return p^κ, normalized, with the entropy ``target`` or the nearest to it that there is."""
    logs = np.log(p / p.max())

    def power(log_kappa: float) -> NDArray[np.float64]:
        w = np.exp(math.exp(log_kappa) * logs)
        return np.asarray(w / w.sum())

    low, high = -EXPONENTS, EXPONENTS
    for _ in range(STEPS):
        middle = (low + high) / 2
        w = power(middle)
        w = w[w > 0]
        low, high = (middle, high) if -(w @ np.log(w)) > target else (low, middle)
    return power((low + high) / 2)


def sum_both_ways(bounds: Any, columns: Any, values: Any, scale: Any) -> OwnRows:
    """See :func:`nbembed.kernels.own_affinities.sum_both_ways`."""
    m = len(bounds) - 1
    rows = np.repeat(np.arange(m), np.diff(bounds))
    scaled = scale[rows] * values
    ours, mirrored = rows * m + columns, columns.astype(np.int64) * m + rows
    joint = np.unique(np.concatenate([ours, mirrored]))
    sums = np.zeros(joint.size)
    for entries in (ours, mirrored):
        sums += np.bincount(np.searchsorted(joint, entries), scaled, joint.size)
    joined = np.searchsorted(joint, np.arange(m + 1) * m)
    return OwnRows(joined, (joint % max(m, 1)).astype(np.int32), sums)


def place_rows(
    members: Any, bounds: Any, columns: Any, values: Any, free: Any, indices: Any, data: Any
) -> None:
    """See :func:`nbembed.kernels.own_affinities.place_rows`."""
    lengths = np.diff(bounds)
    at = np.repeat(free[members] - bounds[:-1], lengths) + np.arange(columns.size)
    indices[at], data[at] = members[columns], values
    free[members] += lengths
