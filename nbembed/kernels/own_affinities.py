"""Own affinities of a group: rows p^κ among a point's nearest members, with a given perplexity.

    g_ij = p_ij^κ_i / Σ_k p_ik^κ_i  over the ``count`` largest p_ij > 0 of members j ≠ i

The entropy H of a row falls as κ grows, and dH/d log κ = −Var[κ log p] under the row itself. Newton
steps in log κ find H = log(perplexity), within a bracket of points that were tried. Where no κ up
to the bounds has that entropy, because too few entries are there or too many tie for the largest,
the row has the nearest to it. p is divided by the largest of its row, so that no power of it that
counts underflows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy import exp, log
from numpy.typing import NDArray

from nbembed.kernels.codegen.compiling import compiled, inlined, read_only
from nbembed.kernels.selection import keep_smallest_of
from nbembed.kernels.terms import OwnRows
from nbembed.kernels.threads import run_chunks

#: The largest |log κ|, the most Newton steps, and the error of the entropy at which they end.
EXPONENTS = 7.0
STEPS = 60
TOLERANCE = 1e-12
TINY = 1e-300
#: Rows in a chunk.
CHUNK = 256


def own_rows(
    P: Any,
    members: NDArray[np.int64],
    count: int,
    perplexity: float,
    n_threads: int,
    previous: tuple[NDArray[np.int64], OwnRows] | None = None,
) -> OwnRows:
    """Return the own affinities of a group.

    * P (n, n): neighbor probabilities ≥ 0.
    * members (m,) int64: sorted.
    * count: the most entries of a row; of equal ones the first are taken.
    * previous (members, OwnRows): another group and what was returned for it, with the same P,
      ``count`` and ``perplexity``. Rows whose largest entries are the same are copied; the result
      has the same bits.
    * returns: columns are places among ``members``. Rows without an entry of P have none here.
    """
    m, n = members.size, P.shape[0]
    columns, values = np.empty((m, count), np.int32), np.empty((m, count))
    found = np.zeros(m, np.int64)
    members = read_only(members)
    place = np.full(n, -1, np.int32)
    place[members] = np.arange(m)
    if previous is None:
        previous = members[:0], OwnRows(np.zeros(1, np.int64), columns[0, :0], values[0, :0])
    there, rows = previous
    place_there = np.full(n, -1, np.int32)
    place_there[there] = np.arange(there.size)
    before = place_there[members], place[there], np.flatnonzero(place_there[members] < 0), *rows
    before = tuple(read_only(part) for part in before)
    if isinstance(P, np.ndarray):
        given, of_rows = (read_only(P),), _rows_of_dense
    else:
        changed = (place < 0) != (place_there < 0)
        parts = P.indptr, P.indices, P.data, place, changed
        given, of_rows = tuple(read_only(part) for part in parts), _rows_of_sparse

    def run(chunk: int) -> None:
        here = range(m)[chunk * CHUNK : (chunk + 1) * CHUNK]
        of_rows(given, before, members, here.start, here.stop, perplexity, columns, values, found)

    run_chunks(run, -(-m // CHUNK), n_threads)
    bounds = np.concatenate([[0], np.cumsum(found)])
    if bounds[-1] == columns.size:
        return OwnRows(bounds, columns.ravel(), values.ravel())
    filled = np.arange(count) < found[:, None]
    return OwnRows(bounds, columns[filled], values[filled])


def sum_both_ways(
    bounds: NDArray[np.int64],
    columns: NDArray[np.int32],
    values: NDArray[np.float64],
    scale: NDArray[np.float64],
) -> OwnRows:
    """Return s_i g_ij + s_j g_ji, the CSR parts of diag(s) G + Gᵀ diag(s), canonical.

    * bounds, columns, values: CSR parts of a square matrix G ≥ 0, canonical.
    * scale float64: s, one a row.
    """
    given = tuple(read_only(part) for part in (bounds, columns, values, scale))
    joined = np.empty(bounds.size, np.int64)
    joint, sums = np.empty(2 * columns.size, np.int32), np.empty(2 * columns.size)
    size = _unite(*given, joined, joint, sums)
    return OwnRows(joined, joint[:size], sums[:size])  # what is behind was never written


def place_rows(
    members: NDArray[np.int64],
    bounds: NDArray[np.int64],
    columns: NDArray[np.int32],
    values: NDArray[np.float64],
    free: NDArray[np.int64],
    indices: NDArray[Any],
    data: NDArray[np.float64],
) -> None:
    """Write the rows of a block, given by places among ``members``, where their points are free.

    * members, bounds, columns, values: a group and the CSR parts of its block.
    * free (n,) int64: the first free entry of each point's row; moved on by what is written.
    * indices, data: CSR parts of a matrix of all points, written.
    """
    given = (members, bounds, columns, values)
    _place(*(read_only(part) for part in given), free, indices, data)


# ---- compiled ------------------------------------------------------------------------------------


@compiled
def _rows_of_sparse(given, before, members, start, stop, perplexity, columns, values, found):
    indptr, indices, data, place, changed = given
    came_from, now, _, bounds, old_columns, old_values = before
    p, where = np.empty(members.size), np.empty(members.size, np.int32)
    for a in range(start, stop):
        i, size = members[a], 0
        same = came_from[a] >= 0
        for e in range(indptr[i], indptr[i + 1]):
            if changed[indices[e]] and data[e] > 0:
                same = False
        if same:
            first, last = bounds[came_from[a]], bounds[came_from[a] + 1]
            found[a] = _copy(
                now, old_columns[first:last], old_values[first:last], columns[a], values[a]
            )  # fmt: skip
            continue
        for e in range(indptr[i], indptr[i + 1]):
            b = place[indices[e]]
            if b >= 0 and b != a and data[e] > 0:
                p[size], where[size] = data[e], b
                size += 1
        found[a] = _own_row(p[:size], where[:size], perplexity, columns[a], values[a])


@compiled
def _rows_of_dense(given, before, members, start, stop, perplexity, columns, values, found):
    (P,) = given
    came_from, now, added, bounds, old_columns, old_values = before
    count = columns.shape[1]
    p, where = np.empty(members.size), np.empty(members.size, np.int32)
    for a in range(start, stop):
        row, size = P[members[a]], 0
        first, last = 0, 0
        if came_from[a] >= 0:
            first, last = bounds[came_from[a]], bounds[came_from[a] + 1]
        # Of a row that has lost none of its ``count`` largest, only new members can be among them.
        whole, least = last - first == count, np.inf
        for e in range(first, last):
            b = now[old_columns[e]]
            if b < 0:
                whole = False
            else:
                least = min(least, row[members[b]])
        if whole:
            same = True
            for b in added:
                if row[members[b]] >= least:
                    same = False
                    break
            if same:
                found[a] = _copy(
                    now, old_columns[first:last], old_values[first:last], columns[a], values[a]
                )  # fmt: skip
                continue
            e, k = first, 0
            while e < last or k < added.size:
                b = now[old_columns[e]] if e < last else members.size
                if k < added.size and added[k] < b:
                    b = added[k]
                    k += 1
                else:
                    e += 1
                if row[members[b]] > 0:
                    p[size], where[size] = row[members[b]], b
                    size += 1
        else:
            for b in range(members.size):
                if b != a and row[members[b]] > 0:
                    p[size], where[size] = row[members[b]], b
                    size += 1
        found[a] = _own_row(p[:size], where[:size], perplexity, columns[a], values[a])


@inlined
def _copy(now, old_columns, old_values, columns, values):
    """Copy a row whose columns have other places now; return how many entries it has."""
    for e in range(old_columns.size):
        columns[e], values[e] = now[old_columns[e]], old_values[e]
    return old_columns.size


@inlined
def _own_row(p, where, perplexity, columns, values):
    """Write the own affinities of a row whose entries of P are given; return how many there are."""
    size = _keep_largest(p, where, p.size, columns.size)
    if size == 0:
        return 0
    top = 0.0
    for e in range(size):
        top = max(top, p[e])
    for e in range(size):
        p[e] = log(p[e] / top)
    log_kappa = _exponent(p[:size], log(perplexity))
    Z, kappa = 0.0, exp(log_kappa)
    for e in range(size):
        values[e] = exp(kappa * p[e])
        Z += values[e]
    kept = 0
    for e in range(size):
        if values[e] > 0:
            values[kept], columns[kept] = values[e] / Z, where[e]
            kept += 1
    return kept


@inlined
def _keep_largest(p, where, size, count):
    """Move the largest entries to the front, in their order; return how many there are."""
    if size <= count:
        return size
    least = -keep_smallest_of(-p, where.copy(), size, count)
    equal = count
    for e in range(size):
        equal -= p[e] > least
    kept = 0
    for e in range(size):
        taken = p[e] > least
        if p[e] == least and equal > 0:
            taken = True
            equal -= 1
        if taken:
            p[kept], where[kept] = p[e], where[e]
            kept += 1
    return kept


@inlined
def _exponent(logs, target):
    """Return log κ at which the row ∝ exp(κ logs) has the entropy ``target``, or the nearest."""
    low, high = -EXPONENTS, EXPONENTS
    low_tried, high_tried = False, False
    at = 0.0
    for _ in range(STEPS):
        kappa = exp(at)
        Z, first, second = 0.0, 0.0, 0.0
        for e in range(logs.size):
            x = kappa * logs[e]
            w = exp(x)
            Z += w
            first += w * x
            second += w * x * x
        mean = first / Z
        slope = mean * mean - second / Z
        gap = target - (log(Z) - mean)
        if abs(gap) <= TOLERANCE:
            break
        if gap < 0:
            if at == EXPONENTS:
                break
            low, low_tried = at, True
        else:
            if at == -EXPONENTS:
                break
            high, high_tried = at, True
        step = gap / slope if slope < -TINY else np.inf if gap < 0 else -np.inf
        at = at + step
        if at >= high:
            at = (low + high) / 2 if high_tried else high
        elif at <= low:
            at = (low + high) / 2 if low_tried else low
    return at


@compiled
def _unite(bounds, columns, values, scale, joined, joint, sums):
    """Merge each row of diag(s) G with the same row of its transpose; return their entries."""
    m = scale.size
    starts = np.zeros(m + 1, np.int64)
    for e in range(columns.size):
        starts[columns[e] + 1] += 1
    for a in range(m):
        starts[a + 1] += starts[a]
    # The transpose: its rows are filled in the order of G's, so that they come out sorted.
    free = starts[:-1].copy()
    mirrors, mirrored = np.empty(columns.size, np.int32), np.empty(columns.size)
    for a in range(m):
        for e in range(bounds[a], bounds[a + 1]):
            at = free[columns[e]]
            mirrors[at], mirrored[at] = a, scale[a] * values[e]
            free[columns[e]] += 1
    size = 0
    for a in range(m):
        joined[a] = size
        e, end = bounds[a], bounds[a + 1]
        t, last = starts[a], starts[a + 1]
        while e < end or t < last:
            own = columns[e] if e < end else m
            other = mirrors[t] if t < last else m
            joint[size], sums[size] = min(own, other), 0.0
            if own <= other:
                sums[size] += scale[a] * values[e]
                e += 1
            if other <= own:
                sums[size] += mirrored[t]
                t += 1
            size += 1
    joined[m] = size
    return size


@compiled
def _place(members, bounds, columns, values, free, indices, data):
    for a in range(members.size):
        at = free[members[a]]
        for e in range(bounds[a], bounds[a + 1]):
            indices[at], data[at] = members[columns[e]], values[e]
            at += 1
        free[members[a]] = at
