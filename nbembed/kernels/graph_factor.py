"""One damped system on a graph, four rows at a time: an incomplete factor of A = I − aS.

A = L + I + Lᵀ with L below the diagonal has the preconditioner (Meijerink and van der Vorst 1977;
modified by Gustafsson 1978)

    M = (D + L) D⁻¹ (D + Lᵀ)
    d_i = 1 − Σ_{j<i} (l_ij/d_j) ((1 − θ) l_ij + θ s_j/z_i),   s_j = Σ_{k>j} l_kj z_k

At θ = 0 its diagonal is A's; at θ = 1 it does to the vector z what A does. z is the one that A
nearly takes to zero, D^½ of the weights. Between, at :data:`MODIFIED`, it takes three quarters of
the iterations of D = I (symmetric Gauss-Seidel, :mod:`.graph_solve`), and leaves a smaller error.
No entry is added to L, so that Eisenstat's form serves here, too. With A scaled by D^(−½) on both
sides, E the scaled L with a unit diagonal, and κ = 1/d − 2:

    E⁻¹ A E⁻ᵀ p = t + E⁻¹ (p + κ t),   t = E⁻ᵀ p

**Four rows at a time.** A substitution that goes from row to row waits for each of its short sums.
Here rows are visited in blocks of four points without edges between them, whose sums are
independent. A block is as long as its longest row, so points are sorted by their number of edges,
fewest first, which is also the better order for the factor.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nbembed.kernels.codegen.compiling import compiled, read_only

#: Rows of a block; the loops are written out for four.
ROWS = 4
#: How many points are looked at for one without an edge to the block.
SEEN = 64
#: θ.
MODIFIED = 0.9
#: Least d, which would be zero at the last point of a piece of the graph that is a tree, at a = 1.
#: Any d > 0 makes a preconditioner.
LEAST = 1e-3
#: Iterations of one call of compiled code, for which it cannot be interrupted.
STEPS = 16


class Factor(NamedTuple):
    """An incomplete factor; n points have N ≥ n slots, four a block.

    * slots (n,) int64: where each point is.
    * roots (n,): d^(−½).
    * kappa (N,): κ of each slot.
    * lower, upper (starts, slots, values): entries of −L̃ and −L̃ᵀ, those of block b from 4
      starts[b] on, row after row in turn.
    """

    slots: Any
    roots: Any
    kappa: Any
    lower: tuple[Any, Any, Any]
    upper: tuple[Any, Any, Any]


def factorize(S: tuple[Any, Any, Any], scale: float, z: NDArray[np.float64]) -> Factor:
    """Return the factor of I − aS.

    * S (indptr, indices, data): as for :func:`~nbembed.kernels.graph_solve.solve_on_graph`, none
      negative.
    * scale: a in [0, 1].
    * z (n,) float64: with S z ≤ z; positive where S has entries.
    """
    indptr, indices, data = (read_only(part) for part in S)
    n = indptr.size - 1
    rows = np.full(ROWS * n, -1)
    n_blocks = fill_blocks(indptr, indices, np.argsort(np.diff(indptr), kind="stable"), rows)
    rows = rows[: ROWS * n_blocks]
    slots = np.empty(n, np.int64)
    slots[rows[rows >= 0]] = np.flatnonzero(rows >= 0)
    d = np.ones(rows.size)
    fill_diagonal(indptr, indices, data, rows, slots, float(scale), z, MODIFIED, d)
    roots = 1 / np.sqrt(d[slots])
    starts = np.zeros((2, n_blocks + 1), np.int64)
    count_entries(indptr, indices, rows, slots, starts)
    np.cumsum(starts, axis=1, out=starts)
    parts = []
    for upper in (False, True):
        ends = starts[int(upper)]
        places, values = np.zeros(ROWS * ends[-1], np.int32), np.zeros(ROWS * ends[-1])
        fill_entries(
            indptr, indices, data, rows, slots, float(scale), roots, upper, ends, places, values
        )
        parts.append((ends, places, values))
    return Factor(slots, roots, 1 / d - 2, *parts)


def solve_column(
    factor: Factor, free: NDArray[np.bool_], b: NDArray[np.float64], tolerance: float, max_iter: int
) -> tuple[NDArray[np.float64], int]:
    """Return x (n,) and the number of iterations; see :func:`.graph_solve.solve_on_graph`."""
    slots, roots, kappa, lower, upper = factor
    mask, r = np.zeros((2, kappa.size))
    mask[slots], r[slots] = free, b * roots * free
    descend(*lower, mask, r)
    p, t, y, x = np.zeros((4, kappa.size))
    square = float(r @ r)
    state, goal, count = np.array([square, 0.0]), tolerance**2 * square, 0
    while state[0] > goal and count <= max_iter:
        steps = min(STEPS, max_iter + 1 - count)
        count += iterate(*lower, *upper, kappa, mask, goal, steps, r, p, t, y, x, state)
    ascend(*upper, mask, x)
    return x[slots] * roots, count


@compiled
def fill_blocks(indptr, indices, order, rows):
    """Fill ``rows`` with the points in order, block by block; return the number of blocks.

    A block that finds no fourth point among the next :data:`SEEN` has empty slots, −1.
    """
    n = order.size
    used = np.zeros(n, np.bool_)
    near = np.full(n, -1)
    block, first = 0, 0
    while first < n:
        found, at, seen = 0, first, 0
        while at < n and found < ROWS and seen < SEEN:
            i = order[at]
            at += 1
            if used[i]:
                continue
            seen += 1
            if near[i] == block:
                continue
            used[i] = True
            rows[block * ROWS + found] = i
            found += 1
            for e in range(indptr[i], indptr[i + 1]):
                near[indices[e]] = block
        block += 1
        while first < n and used[order[first]]:
            first += 1
    return block


@compiled
def fill_diagonal(indptr, indices, data, rows, slots, scale, z, modified, d):
    """Set d of each slot that holds a point."""
    after = np.zeros(rows.size)
    for slot in range(rows.size):
        i = rows[slot]
        if i < 0:
            continue
        below = 0.0
        for e in range(indptr[i], indptr[i + 1]):
            j = slots[indices[e]]
            link = scale * data[e]
            if j > slot:
                after[slot] += link * z[indices[e]]
            else:
                below += link / d[j] * ((1.0 - modified) * link + modified * after[j] / z[i])
        d[slot] = max(1.0 - below, LEAST)


@compiled
def count_entries(indptr, indices, rows, slots, starts):
    """Set ``starts[:, b + 1]`` to the entries of the longest rows of block b, below and above."""
    for slot in range(rows.size):
        i = rows[slot]
        if i < 0:
            continue
        below, block = 0, slot // ROWS
        for e in range(indptr[i], indptr[i + 1]):
            if slots[indices[e]] < slot:
                below += 1
        above = indptr[i + 1] - indptr[i] - below
        starts[0, block + 1] = max(starts[0, block + 1], below)
        starts[1, block + 1] = max(starts[1, block + 1], above)


@compiled
def fill_entries(
    indptr, indices, data, rows, slots, scale, roots, upper, starts, places, values
):  # fmt: skip
    """Fill in the entries on one side of the diagonal; the rest stays zero."""
    for slot in range(rows.size):
        i = rows[slot]
        if i < 0:
            continue
        at = starts[slot // ROWS] * ROWS + slot % ROWS
        for e in range(indptr[i], indptr[i + 1]):
            j = slots[indices[e]]
            if (j > slot) == upper:
                places[at] = j
                values[at] = scale * data[e] * roots[i] * roots[indices[e]]
                at += ROWS


@compiled
def descend(starts, places, values, mask, x):
    """Replace x by E⁻¹ x."""
    for slot in range(x.size):
        block = slot // ROWS
        total = x[slot]
        for e in range(starts[block], starts[block + 1]):
            at = ROWS * e + slot % ROWS
            total += values[at] * x[places[at]]
        x[slot] = total * mask[slot]


@compiled
def ascend(starts, places, values, mask, x):
    """Replace x by E⁻ᵀ x."""
    for slot in range(x.size - 1, -1, -1):
        block = slot // ROWS
        total = x[slot]
        for e in range(starts[block], starts[block + 1]):
            at = ROWS * e + slot % ROWS
            total += values[at] * x[places[at]]
        x[slot] = total * mask[slot]


@compiled
def iterate(
    lower_starts, lower_places, lower, upper_starts, upper_places, upper, kappa, mask, goal, steps,
    r, p, t, y, x, state,
):  # fmt: skip
    """Do up to ``steps`` iterations and return how many were done; ``state`` is ‖r‖² and β."""
    n_blocks = lower_starts.size - 1
    for step in range(steps):
        square, beta = state[0], state[1]
        if square <= goal:
            return step
        for block in range(n_blocks - 1, -1, -1):
            s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
            for e in range(ROWS * upper_starts[block], ROWS * upper_starts[block + 1], ROWS):
                s0 += upper[e] * t[np.uint64(upper_places[e])]
                s1 += upper[e + 1] * t[np.uint64(upper_places[e + 1])]
                s2 += upper[e + 2] * t[np.uint64(upper_places[e + 2])]
                s3 += upper[e + 3] * t[np.uint64(upper_places[e + 3])]
            i = ROWS * block
            for k in range(ROWS):
                p[i + k] = r[i + k] + beta * p[i + k]
            t[i] = (p[i] + s0) * mask[i]
            t[i + 1] = (p[i + 1] + s1) * mask[i + 1]
            t[i + 2] = (p[i + 2] + s2) * mask[i + 2]
            t[i + 3] = (p[i + 3] + s3) * mask[i + 3]
        curvature = 0.0
        for block in range(n_blocks):
            s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
            for e in range(ROWS * lower_starts[block], ROWS * lower_starts[block + 1], ROWS):
                s0 += lower[e] * y[np.uint64(lower_places[e])]
                s1 += lower[e + 1] * y[np.uint64(lower_places[e + 1])]
                s2 += lower[e + 2] * y[np.uint64(lower_places[e + 2])]
                s3 += lower[e + 3] * y[np.uint64(lower_places[e + 3])]
            i = ROWS * block
            y[i] = (p[i] + kappa[i] * t[i] + s0) * mask[i]
            y[i + 1] = (p[i + 1] + kappa[i + 1] * t[i + 1] + s1) * mask[i + 1]
            y[i + 2] = (p[i + 2] + kappa[i + 2] * t[i + 2] + s2) * mask[i + 2]
            y[i + 3] = (p[i + 3] + kappa[i + 3] * t[i + 3] + s3) * mask[i + 3]
            for k in range(ROWS):
                curvature += p[i + k] * (t[i + k] + y[i + k])
        alpha = square / curvature
        after = 0.0
        for i in range(r.size):
            x[i] += alpha * p[i]
            r[i] -= alpha * (t[i] + y[i])
            after += r[i] * r[i]
        state[0], state[1] = after, after / square
    return steps
