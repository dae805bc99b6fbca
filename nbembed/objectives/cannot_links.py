"""What cannot-links take out of neighbor probabilities."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from nbembed.affinities import Affinities
from nbembed.probabilities import Form, canonical, row_sums

if TYPE_CHECKING:
    from numpy.typing import NDArray

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

    Raises
    ------
    ValueError
        If the links forbid a point every other point.
    """
    if not cannot_links:
        return affinities
    n, form = affinities.n_samples, affinities.form
    P = affinities.P.copy()
    if affinities.is_sparse:
        there = np.zeros(n, bool)
        for a, b in cannot_links:
            for these, others in ((a, b), (b, a)):
                there[others] = True
                counts = np.diff(P.indptr)[these]
                ends = np.cumsum(counts)
                # Entries of these rows alone: a link may be of few points among very many.
                stored = np.repeat(P.indptr[these] - (ends - counts), counts)
                stored = stored + np.arange(stored.size)
                P.data[stored[there[P.indices[stored]]]] = 0
                there[others] = False
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
        columns = [_sample(int(i), allowed_points(int(i), n, cannot_links), most) for i in alone]
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
    for i in np.flatnonzero(forbidden >= n - 1):
        allowed_points(int(i), n, supervision.cannot_links)


def allowed_points(i: int, n: int, cannot_links: CannotLinks) -> NDArray[np.intp]:
    """Return the points that no cannot-link forbids point i.

    Raises
    ------
    ValueError
        If there are none.
    """
    allowed = np.ones(n, bool)
    allowed[i] = False
    for a, b in cannot_links:
        if i in a:
            allowed[b] = False
        if i in b:
            allowed[a] = False
    if not allowed.any():
        raise ValueError(
            f"supervision must leave each point another one that it may be near, but its "
            f"cannot-links leave point {i} none"
        )
    return np.flatnonzero(allowed)


def _sample(i: int, allowed: NDArray[np.intp], most: int) -> NDArray[np.intp]:
    """Return at most so many of the points; which ones depends on them and on point i alone."""
    if allowed.size <= most:
        return allowed
    return np.sort(np.random.default_rng(i).choice(allowed, most, replace=False))


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
        P[i, allowed] = mass / allowed.size
        if form == "joint":
            P[allowed, i] += mass / allowed.size
    return P
