"""Removal of cannot-linked pairs from neighbor probabilities."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from nbembed.affinities import Affinities
from nbembed.data.probabilities import Form, canonical, cut_pairs, row_sums
from nbembed.supervision import Supervision

CannotLinks = Sequence[tuple[NDArray[np.intp], NDArray[np.intp]]]

#: From so many points on, a point without neighbors has a sample of the others in a sparse P.
SAMPLED_FROM = 5000


def without_cannot_links(affinities: Affinities, cannot_links: CannotLinks) -> Affinities:
    """Return affinities that are zero across the cannot-links, normalized anew.

    The given affinities are returned if there are no cannot-links, and are never changed. A point
    that loses all its neighbors would move away without bound; its row becomes uniform over the
    points that no cannot-link forbids. From 5000 points on, a sparse P stays sparse: the row is
    uniform over a seeded sample of them, as many as rows of P have entries in the mean.
    """
    if not cannot_links:
        return affinities
    n, form = affinities.n_samples, affinities.form
    P = affinities.P.copy()
    if affinities.is_sparse:
        cut_pairs(P, cannot_links)
    else:
        for a, b in cannot_links:
            P[np.ix_(a, b)] = 0
            P[np.ix_(b, a)] = 0
    before = row_sums(affinities.P)
    after = row_sums(P)
    alone = np.flatnonzero((after == 0) & (before > 0))
    if alone.size:
        most = n
        if affinities.is_sparse and n >= SAMPLED_FROM:
            most = math.ceil(affinities.P.nnz / n)
        columns = _neighbors_instead(alone, n, cannot_links, most)
        P = _with_rows(P, alone, columns, before[alone], form)
        after = row_sums(P)
    scale = np.full(n, 1 / after.sum()) if form == "joint" else 1 / after
    if affinities.is_sparse:
        P.data *= np.repeat(scale, np.diff(P.indptr)).astype(P.dtype)
    else:
        P *= scale[:, None].astype(P.dtype)
    return Affinities(P, form)


def check_neighbors_left(supervision: Supervision) -> None:
    """Raise ValueError where cannot-links forbid a point every other point."""
    n = supervision.n_samples
    forbidden = np.zeros(n, dtype=np.intp)
    for a, b in supervision.cannot_links:
        forbidden[a] += b.size
        forbidden[b] += a.size
    # The sums count a pair twice that two links forbid; only the exact answer raises.
    for _ in _alike(np.flatnonzero(forbidden >= n - 1), n, supervision.cannot_links):
        pass


def allowed_points(i: int, n: int, cannot_links: CannotLinks) -> NDArray[np.intp]:
    """Return the points that no cannot-link forbids point i; raise ValueError if there are none."""
    ((_, allowed),) = _alike(np.array([i]), n, cannot_links)
    others: NDArray[np.intp] = allowed[allowed != i]
    return others


def _alike(
    points: NDArray[np.intp], n: int, cannot_links: CannotLinks
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Yield sets of points, and the points that no cannot-link forbids each set, itself included.

    The points of a set are on the same sides of the same cannot-links. O(n) a set.

    Raises ValueError if a point is left with itself alone.
    """
    of = np.zeros(points.size, np.int64)
    for side in (side for link in cannot_links for side in link):
        _, of = np.unique(2 * of + np.isin(points, side), return_inverse=True)
    _, first, of = np.unique(of, return_index=True, return_inverse=True)
    for k in np.argsort(first):
        alike, allowed = points[of == k], np.ones(n, bool)
        for a, b in cannot_links:
            if alike[0] in a:
                allowed[b] = False
            if alike[0] in b:
                allowed[a] = False
        left = np.flatnonzero(allowed)
        if left.size < 2:
            raise ValueError(
                "supervision must allow each point at least one neighbor, but its cannot-links "
                f"separate point {alike[0]} from all others"
            )
        yield alike, left


def _neighbors_instead(
    points: NDArray[np.intp], n: int, cannot_links: CannotLinks, most: int
) -> list[NDArray[np.intp]]:
    """Return at most so many allowed points for each point.

    Which ones are taken depends on those that are allowed and on the point alone.
    """
    columns = {}
    for alike, allowed in _alike(points, n, cannot_links):
        for i, own in zip(alike, np.searchsorted(allowed, alike)):
            if allowed.size - 1 <= most:
                columns[i] = np.delete(allowed, own)
                continue
            chosen = np.random.default_rng(i).choice(allowed.size - 1, most, replace=False)
            columns[i] = np.sort(allowed[chosen + (chosen >= own)])
    return [columns[i] for i in points]


def _with_rows(
    P: Any,
    rows: NDArray[np.intp],
    columns: list[NDArray[np.intp]],
    masses: NDArray[np.float64],
    form: Form,
) -> Any:
    """Return P with each mass spread over the columns of its row, and their mirror if joint."""
    if sparse.issparse(P):
        counts = np.array([c.size for c in columns])
        shares = np.repeat((masses / counts).astype(P.dtype), counts)
        where = np.repeat(rows, counts), np.concatenate(columns)
        extra = sparse.csr_array(sparse.coo_array((shares, where), shape=P.shape))
        if form == "joint":
            extra = extra + extra.T
        return canonical(sparse.csr_array(P + extra))
    for i, allowed, mass in zip(rows, columns, masses):
        # Added, because the mirror of a row that came before may be here already.
        P[i, allowed] += mass / allowed.size
        if form == "joint":
            P[allowed, i] += mass / allowed.size
    return P
