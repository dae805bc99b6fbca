"""Links: the pull within groups, the push of cannot-links, and affinities mixed with links."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from nbembed.kernels.packing import packed
from nbembed.kernels.terms import NO_AFFINITY, GroupTerms, LogRowsTerms, UnlinkedTerms
from tests.kernels.reference.pairs import as_dense, force, squared_gaps, tail


def link_weights(n: int, indptr: Any, members: Any, weights: Any) -> Any:
    """Return Σ w_i w_j over the groups that hold i and j ≠ i, shape (n, n)."""
    u = np.zeros((n, n))
    for start, stop in pairwise(indptr):
        group, w = members[start:stop], np.asarray(weights[start:stop], np.float64)
        u[np.ix_(group, group)] += np.outer(w, w)
    np.fill_diagonal(u, 0)
    return u


def link_shares(n: int, links: tuple[Any, ...], rates: Any, own: Any = None) -> Any:
    """Return v_ij = Σ r_ig w_ig w_jg + own_ij for j ≠ i, shape (n, n)."""
    indptr, members, weights = links
    v = np.zeros((n, n)) if own is None else as_dense(own, n)
    for start, stop in pairwise(indptr):
        group, w = members[start:stop], np.asarray(weights[start:stop], np.float64)
        v[np.ix_(group, group)] += np.outer(np.asarray(rates)[start:stop] * w, w)
    np.fill_diagonal(v, 0)
    return v


def group_attraction(
    Yt: Any,
    indptr: Any,
    members: Any,
    weights: Any,
    rates: Any,
    alpha: float,
    n_threads: int,
    want_cost: bool = True,
    *,
    far: bool = False,
) -> GroupTerms:
    """See :func:`nbembed.kernels.links.group_attraction`."""
    tau = squared_gaps(Yt)
    cost, S = tail(tau, alpha)
    if far:
        root = np.sqrt(1 + alpha * tau)
        cost, S = 2 * tau / (root + 1), 1 / root
    return group_sums(Yt, indptr, members, weights, rates, cost, S)


def group_sums(
    Yt: Any, indptr: Any, members: Any, weights: Any, rates: Any, costs: Any, S: Any
) -> GroupTerms:
    """Return the pull within groups, given a pair's cost, −log q, and its slope S, (n, n)."""
    g = link_shares(Yt.shape[1], (indptr, members, weights), rates)
    g = g + g.T
    pull = g * S
    return GroupTerms(
        force(pull, Yt).astype(Yt.dtype),
        pull.sum(axis=1).astype(Yt.dtype),
        float((g * costs).sum()),
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


def _entropies(p: Any) -> Any:
    return p * np.log(np.where(p > 0, p, 1))


def unlinked_sums(P: Any, links: tuple[Any, ...], n_threads: int) -> UnlinkedTerms:
    """See :func:`nbembed.kernels.linked_entropy.unlinked_sums`."""
    n = len(P[0]) - 1 if isinstance(P, tuple) else len(P)
    unlinked = np.where(link_weights(n, *links) > 0, 0, as_dense(P, n))
    return UnlinkedTerms(unlinked.sum(axis=1), _entropies(unlinked).sum(axis=1))


def linked_entropy(
    P: Any, links: tuple[Any, ...], rates: Any, keep: Any, n_threads: int, *, own: Any = None
) -> float:
    """See :func:`nbembed.kernels.linked_entropy.linked_entropy`."""
    keep = np.asarray(keep, np.float64)[:, None]
    n = len(keep)
    mixed = keep * as_dense(P, n) + link_shares(n, links, rates, own)
    return float(_entropies(mixed)[link_weights(n, *links) > 0].sum())


def joint_entropy(
    P: Any, points: Any, links: tuple[Any, ...], rates: Any, own: Any, keep: Any, n_threads: int
) -> float:
    """See :func:`nbembed.kernels.linked_entropy.joint_entropy`."""
    keep = np.asarray(keep, np.float64)
    n = len(keep)
    v = link_shares(n, links, rates)
    mixed = as_dense(P, n) * (keep[:, None] + keep) / 2 + v + v.T + as_dense(own, n)
    np.fill_diagonal(mixed, 0)
    return float(_entropies(mixed[np.ix_(points, points)]).sum())


def packed_log_rows(
    logs: Any, kappa: float, links: tuple[Any, ...], widths: Any, strengths: Any, n_threads: int
) -> LogRowsTerms:
    """See :func:`nbembed.kernels.log_rows.packed_log_rows`."""
    rows = kappa * np.array(logs, np.float64)
    np.fill_diagonal(rows, -np.inf)
    top = rows.max(axis=1)
    shifts = top + np.log(np.exp(rows - top[:, None]).sum(axis=1))
    rows = np.minimum(rows - shifts[:, None], 0)
    p = np.exp(rows)
    linked = link_weights(len(rows), *links) > 0
    unlinked = np.where(linked, 0, p)
    w, t = np.asarray(widths, np.float64), np.asarray(strengths, np.float64)
    return LogRowsTerms(
        packed(_marked(rows).astype(logs.dtype)),
        shifts,
        unlinked.sum(axis=1),
        _entropies(unlinked).sum(axis=1),
        np.array([(w * (1 - t)) @ p, (w * t) @ p]),
    )


def rewrite_links(
    packed: Any,
    logs: Any,
    kappa: float,
    shifts: Any,
    links: tuple[Any, ...],
    rates: Any,
    keep: Any,
    n_threads: int,
    *,
    own: Any = None,
) -> float:
    """See :func:`nbembed.kernels.log_rows.rewrite_links`."""
    u = link_weights(len(logs), *links)
    i, j = np.nonzero(u)
    v = link_shares(len(logs), links, rates, own)
    log_keep = np.log(np.asarray(keep, np.float64))[i]
    rows = np.minimum(kappa * np.asarray(logs[i, j], np.float64) - shifts[i], 0) + log_keep
    with np.errstate(divide="ignore"):  # log 0 = −∞: no share of the links
        rows = np.minimum(np.logaddexp(rows, np.log(v[i, j])), 0)
    values = _marked(rows - log_keep)
    n, upper = len(logs), i < j
    packed[i[upper], j[upper]] = values[upper]
    packed[n - 1 - j[~upper], i[~upper] - j[~upper] - 1] = values[~upper]
    return float(_entropies(np.exp(rows)).sum())


def _marked(rows: Any) -> Any:
    return np.where(rows > -np.inf, rows, NO_AFFINITY)
