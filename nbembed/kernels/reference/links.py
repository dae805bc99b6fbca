"""Links: the pull within groups, the push of cannot-links, and affinities mixed with links."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from nbembed.kernels.packing import packed
from nbembed.kernels.reference.pairs import as_dense, force, squared_gaps, tail
from nbembed.kernels.terms import NO_AFFINITY, GroupTerms, LogRowsTerms


def link_weights(n: int, indptr: Any, members: Any, weights: Any) -> Any:
    """Return Σ w_i w_j over the groups that hold i and j ≠ i, shape (n, n)."""
    u = np.zeros((n, n))
    for start, stop in pairwise(indptr):
        group, w = members[start:stop], np.asarray(weights[start:stop], np.float64)
        u[np.ix_(group, group)] += np.outer(w, w)
    np.fill_diagonal(u, 0)
    return u


def group_attraction(
    Yt: Any, indptr: Any, members: Any, weights: Any, rates: Any, alpha: float, n_threads: int
) -> GroupTerms:
    """See :func:`nbembed.kernels.links.group_attraction`."""
    minus_log_q, S = tail(squared_gaps(Yt), alpha)
    return group_sums(Yt, indptr, members, weights, rates, minus_log_q, S)


def group_sums(
    Yt: Any, indptr: Any, members: Any, weights: Any, rates: Any, minus_log_q: Any, S: Any
) -> GroupTerms:
    """Return the pull within groups for any similarity, given −log q and its score (n, n)."""
    rates = np.asarray(rates, np.float64)
    g = link_weights(Yt.shape[1], indptr, members, weights) * (rates[:, None] + rates)
    pull = g * S
    return GroupTerms(
        force(pull, Yt).astype(Yt.dtype),
        pull.sum(axis=1).astype(Yt.dtype),
        float((g * minus_log_q).sum()),
    )


def cannot_link(
    Yt: Any, indptr_a: Any, members_a: Any, indptr_b: Any, members_b: Any, n_threads: int
) -> tuple[float, Any]:
    """See :func:`nbembed.kernels.links.cannot_link`."""
    n = Yt.shape[1]
    share = np.zeros((n, n))
    for (a, after_a), (b, after_b) in zip(pairwise(indptr_a), pairwise(indptr_b)):
        sides = members_a[a:after_a], members_b[b:after_b]
        np.add.at(share, np.ix_(*sides), 1 / (sides[0].size * sides[1].size))
    q = share * np.exp(-squared_gaps(Yt))
    return float(q.sum()), (-2 * force(q + q.T, Yt)).astype(Yt.dtype)


def mixed_entropy(
    P: Any, indptr: Any, members: Any, weights: Any, rates: Any, keep: Any, n_threads: int
) -> float:
    """See :func:`nbembed.kernels.links.mixed_entropy`."""
    keep, rates = (np.asarray(part, np.float64)[:, None] for part in (keep, rates))
    n = len(keep)
    mixed = keep * as_dense(P, n) + rates * link_weights(n, indptr, members, weights)
    return float((mixed * np.log(np.where(mixed > 0, mixed, 1))).sum())


def packed_log_rows(
    logs: Any,
    kappa: float,
    links: tuple[Any, ...],
    rates: Any,
    keep: Any,
    widths: Any,
    n_threads: int,
) -> LogRowsTerms:
    """See :func:`nbembed.kernels.log_rows.packed_log_rows`."""
    keep, rates = (np.asarray(part, np.float64)[:, None] for part in (keep, rates))
    rows = np.array(logs, np.float64)
    np.fill_diagonal(rows, -np.inf)
    rows = kappa * (rows - rows.max(axis=1, keepdims=True))
    rows += np.log(keep) - np.log(np.exp(rows).sum(axis=1, keepdims=True))
    with np.errstate(divide="ignore"):  # log 0 = −∞: no link
        rows = np.logaddexp(rows, np.log(rates * link_weights(len(rows), *links)))
    rows = np.minimum(rows, 0)
    p = np.exp(rows)
    there = rows > -np.inf
    entropy = float((p * np.where(there, rows, 0)).sum())
    marked = np.where(there, rows, NO_AFFINITY).astype(logs.dtype)
    return LogRowsTerms(packed(marked), entropy, np.asarray(widths, np.float64) @ p)
