"""Entropy of affinities mixed with large groups, without a visit to each of their pairs.

What :mod:`nbembed.kernels.linked_entropy` defines, for a sparse P with E entries, in O(m + E) time
for a group of m points. It is used from :data:`MANY_PAIRS` linked pairs on. Groups of :data:`LARGE`
points and more are large. With f(x) = x log x, and v the mixed-in part of p̃ that comes from large
groups,

    Σ_{linked ij} f(p̃_ij) = Σ_{ij in large groups} f(v_ij) + Σ_{single ij} (f(p̃_ij) − f(v_ij))

The second sum is over single pairs: the linked ones with an entry in P or in ``own``, and those of
small groups (:func:`single_pairs`). The first is that of each large group, as if no pair were in
another one, and what pairs of several large groups add:

    Σ_g Σ_{i≠j ∈ g} f(v_ijg) + Σ_{ij in several groups} (f(Σ_g v_ijg) − Σ_g f(v_ijg))

**A group, by rows** has v_ij = c_i w_j with c = r w. f is then a sum of products:

    f(c_i w_j) = w_j f(c_i) + c_i f(w_j)

**A group, symmetric** has v_ij = w_i w_j (r_i + r_j), and

    f(v_ij) = w_i w_j f(r_i + r_j) + (r_i + r_j)(w_i f(w_j) + w_j f(w_i))

The last two terms are sums of products again. In the first, members are put into cells, intervals
of log r that are :data:`CELL` wide. With μ the mean rate of a cell, weighted by w, x = μ_a + μ_b
and δ = (r_i − μ_a) + (r_j − μ_b), which is at most CELL · x,

    f(x + δ) = f(x) + (1 + log x) δ + Σ_{k≥2} (−1)^k δ^k / (k (k − 1) x^{k−1})

The second term vanishes in the sum, and δ^k is a sum of products of central moments of the two
cells. The terms up to k = :data:`ORDER` leave out less than rounding does.

**Points in several large groups** are put into cells of nearly the same weights and rates, all of
their groups taken together. Up to :data:`MOST` of them have a cell each, and so have all that agree
exactly in up to MOST different ways: then the sum is exact, too. Points that are in more different
sets of groups have a cell for each set, in time of the square of their number; memory is bounded by
:data:`BYTES`, whatever their number.
"""

from __future__ import annotations

import math
from itertools import accumulate, pairwise, repeat
from typing import Any

import numpy as np

from nbembed.kernels.codegen.compiling import compiled, inlined
from nbembed.kernels.codegen.tiles import n_chunks
from nbembed.kernels.codegen.vector_math import log
from nbembed.kernels.threads import run_chunks

#: From so many pairs on, as many as a group of 1000 points has, not all of them are visited.
MANY_PAIRS = 1_000_000

#: The pairs of a group of fewer points are visited all the same.
LARGE = 200

#: Extent of a cell in log r, and the highest power of the expansion about its mean: what is left
#: out is CELL^(ORDER + 1) / (ORDER (ORDER + 1)) of the sum, 5e-16.
CELL = 1 / 16
ORDER = 10

#: Cells that are summed over at a time, at most.
BLOCK = 1024

#: Points in several groups have cells of this extent in log r and in log w, which become wider
#: until there are no more, or one for each set of groups.
NARROWEST = 1 / 128
MOST = 2048

#: Of the two arrays that pairs of cells are summed in, a row of them at least: those of BLOCK rows
#: where there are MOST cells, 32 MiB.
BYTES = 2 * 8 * BLOCK * MOST

#: Smaller numbers, whose terms are negligible, count as this in the logarithm.
TINY = 1e-300

#: A cell of this width holds all points of the same groups.
WIDEST = 64.0


def many_pairs(sizes: Any) -> bool:
    """Return whether sets of points of these sizes have too many pairs to visit each."""
    return bool(np.square(np.asarray(sizes, np.float64)).sum() >= MANY_PAIRS)


def large_groups(indptr: Any) -> Any:
    """Return a mask of the groups whose pairs are not visited, where there are many."""
    return np.diff(indptr) >= LARGE


def entropy_of_groups(links: tuple[Any, ...], rates: Any, joint: bool) -> float:
    """Return Σ f(v_ij) over the pairs in large groups, or Σ f(v_ij + v_ji) if ``joint``.

    ``links`` are (indptr, members, weights); ``rates`` has the shape of ``members``.
    """
    indptr, members, weights = links
    large = large_groups(indptr)
    kept = np.repeat(large, np.diff(indptr))
    members, weights, rates = members[kept], weights[kept], np.asarray(rates, np.float64)[kept]
    ends = np.concatenate([[0], np.cumsum(np.diff(indptr)[large])])
    groups = [slice(start, stop) for start, stop in pairwise(ends)]
    of_one = _symmetric if joint else _by_rows
    total = sum(of_one(weights[here], rates[here]) for here in groups)
    return total + _of_several(groups, members, weights, rates, joint)


def entropy_of_single_pairs(
    P: tuple[Any, ...], parts: tuple[Any, ...], shares: tuple[Any, ...], keep: Any, among: Any,
    joint: bool, n_threads: int,
) -> float:  # fmt: skip
    """Return Σ (f(p̃_ij) − f(v_ij)) over single pairs.

    * Shapes: P (indptr, indices, data); keep (n,).
    * parts, shares: what :func:`~.linked_entropy.occurrences` and :func:`~.linked_entropy.shares`
      return.
    * among (n,) bool: points whose pairs count; if ``joint``, unlinked ones, too.
    * joint: whether in the symmetric form.
    """
    n = len(keep)
    chunks = n_chunks(n)
    totals, bounds = np.zeros(chunks), np.linspace(0, n, chunks + 1).astype(int)
    large = large_groups(parts[0])

    def run(chunk: int) -> None:
        totals[chunk] = single_pairs(
            *P, *parts, large, *shares, keep, among, joint, bounds[chunk], bounds[chunk + 1]
        )

    run_chunks(run, chunks, n_threads)
    return float(totals.sum())


# ---- pairs of large groups ----------------------------------------------------------------------


def _f(x: Any) -> Any:
    return x * np.log(np.maximum(x, TINY))


def _by_rows(w: Any, r: Any) -> float:
    """Return Σ_{i≠j} f(c_i w_j), c = r w."""
    c = r * w
    of_w, of_c = _f(w), _f(c)
    every = of_c.sum() * w.sum() + c.sum() * of_w.sum()
    return float(every - (of_c * w + c * of_w).sum())


def _symmetric(w: Any, r: Any) -> float:
    """Return Σ_{i≠j} f(w_i w_j (r_i + r_j))."""
    u, of_w = r * w, _f(w)
    # Σ (r_i + r_j)(w_i f(w_j) + w_j f(w_i)) over all i and j, less the terms with i = j.
    products = 2 * (u.sum() * of_w.sum() + w.sum() * (r * of_w).sum()) - 4 * (u * of_w).sum()
    cell = _cells(r[:, None], CELL)
    W, U = np.bincount(cell, w), np.bincount(cell, u)
    mean = np.divide(U, W, out=np.zeros_like(W), where=W > 0)
    moments = _moments(cell, w, r, mean)
    every = 0.0
    for first in range(0, W.size, BLOCK):
        here = slice(first, first + BLOCK)
        x = mean[here, None] + mean
        every += float(W[here] @ _f(x) @ W)
        # Each cell's part of x; moments are in units of the cell's mean.
        part = np.divide(mean[here, None], x, out=np.zeros_like(x), where=x > 0)
        parts, others = _powers(part), _powers(1 - part)
        for k in range(2, ORDER + 1):
            for order in (0, *range(2, k - 1), k):  # the first moments vanish
                both = x * parts[order] * others[k - order]
                pairs = moments[order][here] @ both @ moments[k - order]
                every += (-1) ** k / (k * (k - 1)) * math.comb(k, order) * float(pairs)
    return float(products + every - (w * w * _f(2 * r)).sum())


def _moments(cell: Any, w: Any, r: Any, mean: Any) -> Any:
    """Return Σ w ((r − μ)/μ)^k over each cell, for k from 0 to :data:`ORDER`."""
    middle = mean[cell]
    away = np.divide(r - middle, middle, out=np.zeros(r.size), where=middle > 0)
    return np.array([np.bincount(cell, w * power) for power in _powers(away)])


def _powers(x: Any) -> list[Any]:
    """Return the powers of x from 0 to :data:`ORDER`, of a tenth of the time that ``**`` takes."""
    return list(accumulate(repeat(x, ORDER), np.multiply, initial=np.ones_like(x)))


def _of_several(groups: list[slice], members: Any, w: Any, r: Any, joint: bool) -> float:
    """Return Σ (f(Σ_g v_ijg) − Σ_g f(v_ijg)) over the pairs that are in several large groups."""
    points, point, count = np.unique(members, return_inverse=True, return_counts=True)
    several = np.flatnonzero(count > 1)
    if not several.size:
        return 0.0
    place = np.full(points.size, -1)
    place[several] = np.arange(several.size)
    place = place[point]
    group = np.repeat(np.arange(len(groups)), [here.stop - here.start for here in groups])
    cell = _cells_of_points(place, group, w, r, several.size)
    size = np.bincount(cell).astype(np.float64)
    same, same_apart = np.zeros((2, several.size))
    means = []
    for here in groups:
        there = place[here] >= 0
        at, w_g, c = place[here][there], w[here][there], (r * w)[here][there]
        v = (1 + joint) * c * w_g
        same[at] += v
        same_apart[at] += _f(v)
        sums = [np.bincount(cell[at], values, size.size) / size for values in (w_g, c)]
        means.append((np.unique(cell[at]), *sums))
    total = -float((_f(same) - same_apart).sum())
    rows_at_once = max(1, min(BLOCK, BYTES // (2 * 8 * size.size)))
    for first in range(0, size.size, rows_at_once):
        last = min(first + rows_at_once, size.size)
        together, apart = np.zeros((2, last - first, size.size))
        for inside, mean_w, mean_c in means:
            rows = inside[(inside >= first) & (inside < last)]
            v = np.outer(mean_c[rows], mean_w[inside])
            if joint:
                v += np.outer(mean_w[rows], mean_c[inside])
            block = np.ix_(rows - first, inside)
            together[block] += v
            apart[block] += _f(v)
        total += float(size[first:last] @ (_f(together) - apart) @ size)
    return total


def _cells_of_points(place: Any, group: Any, w: Any, r: Any, n_points: int) -> Any:
    """Return the cell of each point in several groups, ``place`` being its number or −1."""
    if n_points <= MOST:
        return np.arange(n_points)
    order = np.lexsort((group, place))
    order = order[np.searchsorted(place[order], 0) :]
    point, width = place[order], 0.0
    rank = np.arange(order.size) - np.searchsorted(point, point)
    while True:
        alike = _cells(np.stack([w[order], r[order]], axis=1), width)
        alike = _numbered(np.stack([group[order], alike], axis=1))
        rows = np.full((n_points, int(rank.max()) + 1), -1)
        rows[point, rank] = alike
        cell = _numbered(rows)
        if int(cell.max()) < MOST or width > WIDEST:
            return cell
        width = 2 * width or NARROWEST


def _cells(values: Any, width: float) -> Any:
    """Return the cell of each row of values ≥ 0: their logarithms are in one interval of ``width``.

    Rows that differ in which values are zero share none; with no width, those that differ at all.
    """
    if not width:
        return _numbered(values)
    there = values > 0
    logs = np.log(values, out=np.zeros(values.shape), where=there)
    return _numbered(np.concatenate([np.floor(logs / width), there], axis=1))


def _numbered(rows: Any) -> Any:
    """Return a number for each row that equal rows share, from 0 on."""
    number = np.zeros(len(rows), np.int64)
    for column in rows.T:
        values, code = np.unique(column, return_inverse=True)
        _, number = np.unique(number * values.size + code, return_inverse=True)
    return number


# ---- single pairs -------------------------------------------------------------------------------


@inlined
def _f_of(x):
    # The logarithm is not defined for zero and subnormal numbers, whose terms are negligible.
    return x * log(x if x > 1e-300 else 1e-300)


@inlined
def _meet(i, j, weights, starts, places, group_of, rates, large, joint):
    """Return u_ij, v_ij (or v_ij + v_ji) over all groups that hold both, and over large ones.

    ``places`` of a point are in the order of its groups.
    """
    u, v, v_large = 0.0, 0.0, 0.0
    a, b = starts[i], starts[j]
    while a < starts[i + 1] and b < starts[j + 1]:
        here, there = places[a], places[b]
        if group_of[here] < group_of[there]:
            a += 1
        elif group_of[there] < group_of[here]:
            b += 1
        else:
            link = weights[here] * weights[there]
            rate = rates[here] + rates[there] if joint else rates[here]
            u += link
            v += rate * link
            if large[group_of[here]]:
                v_large += rate * link
            a += 1
            b += 1
    return u, v, v_large


@compiled
def stored_unlinked(
    P_indptr, indices, data, indptr, members, weights, starts, places, group_of, large, first, last,
    masses, entropies,
):  # fmt: skip
    """Set mass and entropy of the rows from ``first`` to ``last``, of entries without a link."""
    for i in range(first, last):
        for e in range(P_indptr[i], P_indptr[i + 1]):
            j = indices[e]
            u, _, _ = _meet(i, j, weights, starts, places, group_of, weights, large, False)
            if u == 0.0:
                p = np.float64(data[e])
                masses[i] += p
                entropies[i] += _f_of(p)


@compiled
def single_pairs(
    P_indptr, indices, data, indptr, members, weights, starts, places, group_of, large, rates,
    own_indptr, own_indices, own, keep, among, joint, first, last,
):  # fmt: skip
    """Return the sum over single pairs of the rows from ``first`` to ``last``."""
    given = np.zeros(keep.size)
    seen = np.full(keep.size, -1)
    total = 0.0
    for i in range(first, last):
        if not among[i]:
            continue
        seen[i] = i
        for e in range(own_indptr[i], own_indptr[i + 1]):
            given[own_indices[e]] += own[e]
        for e in range(P_indptr[i], P_indptr[i + 1]):
            j = indices[e]
            if among[j] and seen[j] != i:
                seen[j] = i
                u, v, v_large = _meet(
                    i, j, weights, starts, places, group_of, rates, large, joint
                )  # fmt: skip
                kept = 0.5 * (keep[i] + keep[j]) if joint else keep[i]
                if joint or u > 0.0:
                    total += _f_of(kept * np.float64(data[e]) + v + given[j]) - _f_of(v_large)
        for e in range(own_indptr[i], own_indptr[i + 1]):
            j = own_indices[e]
            if seen[j] != i:
                seen[j] = i
                u, v, v_large = _meet(
                    i, j, weights, starts, places, group_of, rates, large, joint
                )  # fmt: skip
                if joint or u > 0.0:
                    total += _f_of(v + given[j]) - _f_of(v_large)
            given[j] = 0.0
        for a in range(starts[i], starts[i + 1]):
            g = group_of[places[a]]
            if large[g]:
                continue
            for e in range(indptr[g], indptr[g + 1]):
                j = members[e]
                if seen[j] != i:
                    seen[j] = i
                    u, v, v_large = _meet(
                        i, j, weights, starts, places, group_of, rates, large, joint
                    )  # fmt: skip
                    total += _f_of(v) - _f_of(v_large)
    return total
