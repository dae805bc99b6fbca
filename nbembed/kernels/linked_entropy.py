"""Entropy of affinities mixed with links: the unlinked pairs once, the linked ones at each share.

    p̃_ij = keep_i p_ij + v_ij,   v_ij = Σ_{groups g that hold i and j} r_ig w_ig w_jg + own_ij
    Σ_ij p̃ log p̃ = Σ_i (keep_i S_i + keep_i log keep_i · M_i) + Σ_{linked ij} p̃ log p̃

with S_i = Σ p log p and M_i = Σ p over the j that are not linked to i. S and M take one pass over
P; for another share of the links only the linked pairs are visited again. ``own`` is a sparse
matrix with entries at linked pairs alone.

The symmetric form has P_ij (keep_i + keep_j)/2 and v_ij + v_ji in the place of v_ij
(:func:`joint_entropy`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nbembed.kernels.codegen.compiling import compiled, inlined, read_only
from nbembed.kernels.codegen.tiles import n_chunks
from nbembed.kernels.codegen.vector_math import log
from nbembed.kernels.group_entropy import (
    entropy_of_groups,
    entropy_of_single_pairs,
    large_groups,
    many_pairs,
    stored_unlinked,
)
from nbembed.kernels.terms import UnlinkedTerms
from nbembed.kernels.threads import run_chunks


def unlinked_sums(P: Any, links: tuple[Any, ...], n_threads: int) -> UnlinkedTerms:
    """Return each row's sums over the points that are not linked to it.

    * P (n, n), or (indptr, indices, data) of its CSR parts: non-negative, diagonal zero or not
      stored; every entry is read.
    * links (indptr, members, weights): groups, as in
      :func:`nbembed.kernels.links.group_attraction`.

    O(Σ m² + entries of P) time, O(n) memory; with a sparse P and many pairs
    (:mod:`~nbembed.kernels.group_entropy`), O(Σ m + entries of P) time.
    """
    sparse = isinstance(P, tuple)
    n = len(P[0]) - 1 if sparse else len(P)
    parts = _parts(P, links, n)
    masses, entropies = np.zeros(n), np.zeros(n)
    chunks = n_chunks(n)
    bounds = np.linspace(0, n, chunks + 1).astype(int)
    add = sparse_unlinked if sparse else dense_unlinked
    if sparse and many_pairs(np.diff(links[0])):
        add, parts = stored_unlinked, (*parts, large_groups(links[0]))

    def run(chunk: int) -> None:
        add(*parts, bounds[chunk], bounds[chunk + 1], masses, entropies)

    run_chunks(run, chunks, n_threads)
    return UnlinkedTerms(masses, entropies)


def linked_entropy(
    P: Any, links: tuple[Any, ...], rates: Any, keep: Any, n_threads: int, *, own: Any = None
) -> float:
    """Return Σ p̃ log p̃ over the linked pairs, in nats.

    * P, links, n_threads: as in :func:`unlinked_sums`; the column numbers of a sparse row
      increase.
    * rates shaped like the links' ``members``: r of each point in each group.
    * keep (n,): share of P in row i.
    * own (indptr, indices, data): CSR parts.

    O(n + Σ m²) time and O(n) memory; a sparse P takes a binary search for each pair. Of many pairs
    with a sparse P, O(n + Σ m + entries) time (:mod:`~nbembed.kernels.group_entropy`).
    """
    sparse = isinstance(P, tuple)
    n = len(keep)
    if sparse and many_pairs(np.diff(links[0])):
        among = np.bincount(links[1], minlength=n) > 0
        return _of_many_pairs(P, links, rates, own, keep, among, False, n_threads)
    parts = (*_parts(P, links, n), *shares(rates, own, n), read_only(np.asarray(keep, float)))
    chunks = n_chunks(n)
    totals = np.zeros(chunks)
    bounds = np.linspace(0, n, chunks + 1).astype(int)
    add = sparse_linked if sparse else dense_linked

    def run(chunk: int) -> None:
        totals[chunk] = add(*parts, bounds[chunk], bounds[chunk + 1])

    run_chunks(run, chunks, n_threads)
    return float(totals.sum())


def joint_entropy(
    P: Any, points: Any, links: tuple[Any, ...], rates: Any, own: Any, keep: Any, n_threads: int
) -> float:
    """Return Σ P̃ log P̃ over all pairs of ``points``, in nats, in the symmetric form.

    * P (n, n), or (indptr, indices, data) of its CSR parts: symmetric, non-negative, diagonal zero
      or not stored.
    * points int64: among them all members of groups, increasing.
    * links, rates, keep, n_threads: as in :func:`linked_entropy`.
    * own (indptr, indices, data): CSR parts of own_ij + own_ji.

    O(m² + n) time for m points, O(n) memory; of many points as in :func:`linked_entropy`.
    """
    n = len(keep)
    points = np.asarray(points, np.int64)
    if isinstance(P, tuple) and many_pairs(points.size):
        among = np.zeros(n, bool)
        among[points] = True
        return _of_many_pairs(P, links, rates, own, keep, among, True, n_threads)
    parts = (*_parts(P, links, n), *shares(rates, own, n), read_only(np.asarray(keep, float)))
    chunks = n_chunks(points.size)
    totals = np.zeros(chunks)
    bounds = np.linspace(0, points.size, chunks + 1).astype(int)
    add = sparse_joint if isinstance(P, tuple) else dense_joint

    def run(chunk: int) -> None:
        totals[chunk] = add(*parts, points, bounds[chunk], bounds[chunk + 1])

    run_chunks(run, chunks, n_threads)
    return float(totals.sum())


def _of_many_pairs(
    P: Any, links: tuple[Any, ...], rates: Any, own: Any, keep: Any, among: Any, joint: bool,
    n_threads: int,
) -> float:  # fmt: skip
    """Return the entropy of the linked pairs where there are many, and P is sparse."""
    n = len(keep)
    P, parts = tuple(map(read_only, P)), tuple(map(read_only, occurrences(links, n)))
    given = P, parts, shares(rates, own, n), read_only(np.asarray(keep, float)), among
    groups = entropy_of_groups(parts[:3], rates, joint)
    return groups + entropy_of_single_pairs(*given, joint, n_threads)


def shares(rates: Any, own: Any, n: int) -> tuple[Any, ...]:
    """Return the arguments of :func:`add_shares`: the rates, and the CSR parts of ``own``."""
    if own is None:
        own = np.zeros(n + 1, np.int32), np.zeros(0, np.int32), np.zeros(0)
    indptr, indices, data = own
    # Of the type that own affinities have: a copy takes as long as the sum.
    number = np.int32 if max(n, len(indices)) < 2**31 else np.int64
    parts = np.asarray(rates, float), np.asarray(indptr, number), np.asarray(indices, number)
    return tuple(read_only(part) for part in (*parts, np.asarray(data, float)))


def occurrences(links: tuple[Any, ...], n: int) -> tuple[Any, ...]:
    """Return indptr, members and weights, and starts, places and group_of for :func:`mark`.

    ``places[starts[i]:starts[i + 1]]`` are the positions in ``members`` where point i occurs, and
    ``group_of`` is the group of each position.
    """
    indptr, members, weights = (np.asarray(part) for part in links)
    places = np.argsort(members, kind="stable")
    starts = np.searchsorted(members[places], np.arange(n + 1))
    group_of = np.repeat(np.arange(indptr.size - 1), np.diff(indptr))
    return indptr, members, np.asarray(weights, float), starts, places, group_of


@inlined
def mark(i, indptr, members, weights, starts, places, group_of, u, touched):
    """Add u_ij to each ``u[j]``, which are 0; list the j with u_ij > 0 in ``touched``.

    Returns the length of that list. The caller sets u to zero again.
    """
    n_touched = 0
    for place in places[starts[i] : starts[i + 1]]:
        g = group_of[place]
        for e in range(indptr[g], indptr[g + 1]):
            j = members[e]
            link = weights[place] * weights[e]
            # A zero product is no link. It would leave u[j] at zero, and j be counted again.
            if j != i and link > 0.0 and u[j] == 0.0:
                touched[n_touched] = j
                n_touched += 1
            u[j] += link
    u[i] = 0.0
    return n_touched


@inlined
def add_shares(
    i, indptr, members, weights, starts, places, group_of, rates, own_indptr, own_indices, own, v
):  # fmt: skip
    """Add v_ij to each ``v[j]``; the caller sets them to zero again."""
    for place in places[starts[i] : starts[i + 1]]:
        g = group_of[place]
        share = rates[place] * weights[place]
        for e in range(indptr[g], indptr[g + 1]):
            v[members[e]] += share * weights[e]
    for e in range(own_indptr[i], own_indptr[i + 1]):
        v[own_indices[e]] += own[e]
    v[i] = 0.0


@inlined
def _add_joint_shares(
    i, indptr, members, weights, starts, places, group_of, rates, own_indptr, own_indices, own, v
):  # fmt: skip
    """Add v_ij + v_ji to each ``v[j]``, ``own`` being symmetric."""
    for place in places[starts[i] : starts[i + 1]]:
        g = group_of[place]
        for e in range(indptr[g], indptr[g + 1]):
            v[members[e]] += (rates[place] + rates[e]) * weights[place] * weights[e]
    for e in range(own_indptr[i], own_indptr[i + 1]):
        v[own_indices[e]] += own[e]


def _parts(P: Any, links: tuple[Any, ...], n: int) -> tuple[Any, ...]:
    parts = P if isinstance(P, tuple) else (P,)
    return tuple(read_only(np.asarray(part)) for part in (*parts, *occurrences(links, n)))


@inlined
def _x_log_x(x):
    # The logarithm is not defined for zero and subnormal numbers, whose terms are negligible.
    return x * log(x if x > 1e-300 else 1e-300)


@inlined
def _row_sums(row):
    mass = 0.0
    entropy = 0.0
    for j in range(row.size):
        p = np.float64(row[j])
        mass += p
        entropy += _x_log_x(p)
    return mass, entropy


@compiled
def dense_unlinked(
    P, indptr, members, weights, starts, places, group_of, first, last, masses, entropies
):  # fmt: skip
    """Set mass and entropy of the rows from ``first`` to ``last``."""
    n = masses.size
    u = np.zeros(n)
    touched = np.zeros(n, np.int64)
    unlinked = np.empty(n, P.dtype)
    for i in range(first, last):
        n_touched = mark(i, indptr, members, weights, starts, places, group_of, u, touched)
        for j in range(n):  # an assignment of slices takes five times as long to compile
            unlinked[j] = P[i, j]
        for j in touched[:n_touched]:
            unlinked[j] = 0
            u[j] = 0.0
        masses[i], entropies[i] = _row_sums(unlinked)


@compiled
def sparse_unlinked(
    P_indptr, indices, data, indptr, members, weights, starts, places, group_of, first, last,
    masses, entropies,
):  # fmt: skip
    """Set mass and entropy of the rows from ``first`` to ``last``."""
    n = masses.size
    u = np.zeros(n)
    touched = np.zeros(n, np.int64)
    for i in range(first, last):
        n_touched = mark(i, indptr, members, weights, starts, places, group_of, u, touched)
        for e in range(P_indptr[i], P_indptr[i + 1]):
            if u[indices[e]] == 0.0:
                p = np.float64(data[e])
                masses[i] += p
                entropies[i] += _x_log_x(p)
        for j in touched[:n_touched]:
            u[j] = 0.0


@compiled
def dense_linked(
    P, indptr, members, weights, starts, places, group_of, rates, own_indptr, own_indices, own,
    keep, first, last,
):  # fmt: skip
    """Return the entropy of the linked pairs of the rows from ``first`` to ``last``."""
    u = np.zeros(keep.size)
    v = np.zeros(keep.size)
    touched = np.zeros(keep.size, np.int64)
    total = 0.0
    for i in range(first, last):
        n_touched = mark(i, indptr, members, weights, starts, places, group_of, u, touched)
        add_shares(
            i, indptr, members, weights, starts, places, group_of, rates, own_indptr, own_indices,
            own, v,
        )  # fmt: skip
        for j in touched[:n_touched]:
            total += _x_log_x(keep[i] * np.float64(P[i, j]) + v[j])
            u[j] = 0.0
            v[j] = 0.0
    return total


@compiled
def sparse_linked(
    P_indptr, indices, data, indptr, members, weights, starts, places, group_of, rates, own_indptr,
    own_indices, own, keep, first, last,
):  # fmt: skip
    """Return the entropy of the linked pairs of the rows from ``first`` to ``last``."""
    u = np.zeros(keep.size)
    v = np.zeros(keep.size)
    touched = np.zeros(keep.size, np.int64)
    total = 0.0
    for i in range(first, last):
        n_touched = mark(i, indptr, members, weights, starts, places, group_of, u, touched)
        add_shares(
            i, indptr, members, weights, starts, places, group_of, rates, own_indptr, own_indices,
            own, v,
        )  # fmt: skip
        start, stop = P_indptr[i], P_indptr[i + 1]
        for j in touched[:n_touched]:
            e = start + np.searchsorted(indices[start:stop], j)
            p = np.float64(data[e]) if e < stop and indices[e] == j else 0.0
            total += _x_log_x(keep[i] * p + v[j])
            u[j] = 0.0
            v[j] = 0.0
    return total


@compiled
def dense_joint(
    P, indptr, members, weights, starts, places, group_of, rates, own_indptr, own_indices, own,
    keep, points, first, last,
):  # fmt: skip
    """Return the entropy of the pairs of ``points`` in the rows from ``first`` to ``last``."""
    v = np.zeros(keep.size)
    row = np.zeros(points.size)
    total = 0.0
    for at in range(first, last):
        i = points[at]
        _add_joint_shares(
            i, indptr, members, weights, starts, places, group_of, rates, own_indptr, own_indices,
            own, v,
        )  # fmt: skip
        for e in range(points.size):
            j = points[e]
            row[e] = 0.5 * (keep[i] + keep[j]) * np.float64(P[i, j]) + v[j]
            v[j] = 0.0
        row[at] = 0.0
        total += _row_sums(row)[1]
    return total


@compiled
def sparse_joint(
    P_indptr, indices, data, indptr, members, weights, starts, places, group_of, rates, own_indptr,
    own_indices, own, keep, points, first, last,
):  # fmt: skip
    """Return the entropy of the pairs of ``points`` in the rows from ``first`` to ``last``."""
    v = np.zeros(keep.size)
    row = np.zeros(points.size)
    total = 0.0
    for at in range(first, last):
        i = points[at]
        _add_joint_shares(
            i, indptr, members, weights, starts, places, group_of, rates, own_indptr, own_indices,
            own, v,
        )  # fmt: skip
        for e in range(P_indptr[i], P_indptr[i + 1]):
            j = indices[e]
            v[j] += 0.5 * (keep[i] + keep[j]) * np.float64(data[e])
        for e in range(points.size):
            row[e] = v[points[e]]
            v[points[e]] = 0.0
        for e in range(P_indptr[i], P_indptr[i + 1]):
            v[indices[e]] = 0.0
        row[at] = 0.0
        total += _row_sums(row)[1]
    return total
