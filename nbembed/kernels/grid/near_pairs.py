"""Pairs nearer than the core of a smoothed kernel: what the grid leaves out is added exactly.

    φ_i += Σ_{r_ij < R} c_j (K(τ_ij) − K̃(τ_ij)),    r² = τ

(:class:`~nbembed.kernels.grid.radial.Smoothed`). Points are sorted by cells of side R, so that the
neighbors of a point are in its cell and the eight around it: in three runs of the sorted points,
one for each row of cells, which are read a register at a time. This is the division of
particle–particle particle–mesh methods (Hockney and Eastwood) with the smooth kernels of multilevel
summation. In the plane only.

With t = 1 − τ/R², which is between 0 and 1 in the core, and the coefficients C of
:class:`~nbembed.kernels.grid.radial.Smoothed` times powers of R²,

    K̃ = C_0 + C_1 t + … + C_4 t⁴,    −dK̃/dτ = (C_1 + 2 C_2 t + 3 C_3 t² + 4 C_4 t³)/R²
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nbembed.kernels.codegen.compiling import compiled, inlined
from nbembed.kernels.codegen.ir_helpers import accumulate, add_total, arrays, lane_count, spread
from nbembed.kernels.codegen.numba_adapter import intrinsic, ir, no_result, types
from nbembed.kernels.codegen.simd import INDEX, Lanes, lane_numbers, load_where, splat_index
from nbembed.kernels.codegen.subnormals import flush_subnormals, restore_mode
from nbembed.kernels.codegen.vector_math import lanes_exp, lanes_exp2, lanes_log2_1p
from nbembed.kernels.grid.radial import Smoothed
from nbembed.kernels.threads import run_chunks

#: Parts that points are divided into, for threads.
PARTS = 16

#: What the kernel is told: α, −1/α (for log H −log 2/α), R², −1/R², the five C, and the four
#: coefficients of the slope.
ALPHA, POWER, REACH, SCALE, VALUE, SLOPE = 0, 1, 2, 3, 4, 9


def cells_of(Yt: Any, low: Any, core: float) -> tuple[Any, tuple[int, int]]:
    """Return the cell of each point as one number, and the numbers of rows and columns of cells.

    A row and a column of empty cells surround them.
    """
    row = (np.subtract(Yt[0], low[0], dtype=np.float64) / core).astype(np.int64)
    column = (np.subtract(Yt[1], low[1], dtype=np.float64) / core).astype(np.int64)
    shape = int(row.max()) + 3, int(column.max()) + 3
    return (row + 1) * shape[1] + column + 1, shape


def count_pairs(Yt: Any, low: Any, core: float) -> int:
    """Return the number of ordered pairs that lie in the same or adjacent cells."""
    cells, shape = cells_of(Yt, low, core)
    counts = np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)
    rows = counts[:-2] + counts[1:-1] + counts[2:]
    around = rows[:, :-2] + rows[:, 1:-1] + rows[:, 2:]
    return int((counts[1:-1, 1:-1] * around).sum())


def add_near_pairs(
    Yt: Any, low: Any, kernel: Smoothed, charges: Any, potential: Any, gradient: Any, n_threads: int
) -> None:
    """Add the sums over near pairs to ``potential`` (n,) and ``gradient`` (2, n)."""
    cells, (n_rows, n_columns) = cells_of(Yt, low, kernel.core)
    n = Yt.shape[1]
    starts = np.zeros(n_rows * n_columns + 1, np.int64)
    order, sorted_cells = np.empty((2, n), np.int64)
    points, sorted_charges = np.empty(Yt.shape, Yt.dtype), np.empty(n, Yt.dtype)
    sort_by_cell(cells, Yt, charges, starts, order, sorted_cells, points, sorted_charges)
    ends = np.linspace(0, n, PARTS + 1).astype(np.int64)
    alpha, reach = float(kernel.kernel.alpha), kernel.core**2
    C = kernel.coefficients * reach ** np.arange(5.0)
    slopes = C[1:] * np.arange(1, 5) / reach
    power = -1 / alpha if alpha else 0.0
    if kernel.of == "logarithm":
        add, power = of_logarithm, power * math.log(2)
    elif kernel.of == "score":
        add = of_score
    else:
        add = of_gaussian if alpha == 0 else of_student if alpha == 1 else of_family
    given = [alpha, power, reach, -1 / reach, *C, *slopes]
    parameters = np.array(given, points.dtype)

    def run(part: int) -> None:
        add(
            points, sorted_charges, parameters, sorted_cells, starts, n_columns, order,
            ends[part], ends[part + 1], potential, gradient,
        )  # fmt: skip

    run_chunks(run, PARTS, n_threads)


@compiled
def sort_by_cell(cells, Yt, charges, starts, order, sorted_cells, points, sorted_charges):
    """Sort the points by cell: fill where each cell begins, and the points in that order."""
    n = cells.size
    for i in range(n):
        starts[cells[i] + 1] += 1
    for cell in range(1, starts.size):
        starts[cell] += starts[cell - 1]
    place = starts.copy()
    for i in range(n):
        at = place[cells[i]]
        place[cells[i]] += 1
        order[at], sorted_cells[at], sorted_charges[at] = i, cells[i], charges[i]
        points[0, at], points[1, at] = Yt[0, i], Yt[1, i]


# ---- a run of sorted points ---------------------------------------------------------------------


def _gaussian(tau: Lanes, parameter: Any) -> tuple[Lanes, Lanes]:
    """Return K and −dK/dτ at α = 0."""
    value = lanes_exp(-tau)
    return value, value


def _student(tau: Lanes, parameter: Any) -> tuple[Lanes, Lanes]:
    """Return K and −dK/dτ at α = 1."""
    value = 1.0 / (tau + 1.0)
    return value, value * value


def _family(tau: Lanes, parameter: Any) -> tuple[Lanes, Lanes]:
    """Return K and −dK/dτ at any α > 0."""
    stretched = tau * parameter(ALPHA)
    value = lanes_exp2(lanes_log2_1p(stretched) * parameter(POWER))
    return value, value / (stretched + 1.0)


def _logarithm(tau: Lanes, parameter: Any) -> tuple[Lanes, Lanes]:
    """Return K and −dK/dτ of K = log H."""
    stretched = tau * parameter(ALPHA)
    return lanes_log2_1p(stretched) * parameter(POWER), 1.0 / (stretched + 1.0)


def _score(tau: Lanes, parameter: Any) -> tuple[Lanes, Lanes]:
    """Return K and −dK/dτ of K = S."""
    value = 1.0 / (tau * parameter(ALPHA) + 1.0)
    return value, value * value * parameter(ALPHA)


def _run(kernel: Any) -> Any:
    """Return a function that adds what points ``first`` to ``last`` − 1 are to point i.

    ``f(points, charges, parameters, totals, i, first, last)`` adds potential and gradient to the
    three ``totals``.
    """

    def write(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> ir.Value:
        points, charges, parameters, totals = arrays(
            context, builder, signature.args[:4], arguments[:4]
        )
        i, first, last = arguments[4:]
        count = lane_count(context, signature.args[0].dtype)
        axes = points.row(0), points.row(1)
        own = [spread(builder, axis, i, count) for axis in axes]

        def parameter(k: int) -> Lanes:
            return spread(builder, parameters.data, INDEX(k), count)

        def add(j: ir.Value, sums: list[Lanes]) -> list[Lanes]:
            numbers = builder.add(splat_index(builder, j, count), lane_numbers(count))
            exist = builder.icmp_signed("<", numbers, splat_index(builder, last, count))
            others = builder.icmp_signed("!=", numbers, splat_index(builder, i, count))
            exist = builder.and_(exist, others)
            dx, dy = (
                here - load_where(builder, exist, axis, j, count) for here, axis in zip(own, axes)
            )
            # Distances of lanes that stand for no point might overflow.
            reach = parameter(REACH)
            tau = dx.times_plus(dx, dy * dy).at_most(reach)
            charge = load_where(builder, exist, charges.data, j, count)
            charge = charge.where(builder.fcmp_ordered("<", tau.value, reach.value), 0.0)
            t = tau.times_plus(parameter(SCALE), 1.0)
            value, slope = kernel(tau, parameter)
            smooth, smooth_slope = parameter(VALUE + 4), parameter(SLOPE + 3)
            for k in range(3, -1, -1):
                smooth = smooth.times_plus(t, parameter(VALUE + k))
            for k in range(2, -1, -1):
                smooth_slope = smooth_slope.times_plus(t, parameter(SLOPE + k))
            pull = charge * (slope - smooth_slope)
            return [
                charge.times_plus(value - smooth, sums[0]),
                pull.times_plus(dx, sums[1]),
                pull.times_plus(dy, sums[2]),
            ]

        found = accumulate(builder, first, last, 3, (points.element, count), add)
        for k, total in enumerate(found):
            add_total(builder, totals.data, INDEX(k), total)
        return no_result(context)

    @intrinsic
    def add_run(typing_context, points, charges, parameters, totals, i, first, last):
        at = types.intp
        return types.void(points, charges, parameters, totals, at, at, at), write

    return add_run


def _near_pairs(kernel: Any) -> Any:
    """Return a function that adds to potential and gradient of the sorted points of a range."""
    add_run = _run(kernel)

    @inlined
    def add(
        points, charges, parameters, cells, starts, n_columns, order, first, last, potential,
        gradient,
    ):  # fmt: skip
        totals, force = np.empty(3), np.empty(2, gradient.dtype)
        mode = flush_subnormals()
        for i in range(first, last):
            totals[:] = 0.0
            for row in range(-1, 2):
                cell = cells[i] + row * n_columns
                begin, end = starts[cell - 1], starts[cell + 2]
                add_run(points, charges, parameters, totals, i, begin, end)
            potential[order[i]] += totals[0]
            for k in range(2):
                force[k] = -2.0 * totals[k + 1]
                gradient[k, order[i]] += force[k]
        restore_mode(mode)

    return add


_of_gaussian, _of_student, _of_family = map(_near_pairs, (_gaussian, _student, _family))
_of_logarithm, _of_score = map(_near_pairs, (_logarithm, _score))


@compiled
def of_gaussian(
    points, charges, parameters, cells, starts, n_columns, order, first, last, potential, gradient
):  # fmt: skip
    """Add to potential and gradient of the sorted points from ``first`` to ``last`` at α = 0."""
    _of_gaussian(
        points, charges, parameters, cells, starts, n_columns, order, first, last, potential,
        gradient,
    )  # fmt: skip


@compiled
def of_student(
    points, charges, parameters, cells, starts, n_columns, order, first, last, potential, gradient
):  # fmt: skip
    """Do the same at α = 1."""
    _of_student(
        points, charges, parameters, cells, starts, n_columns, order, first, last, potential,
        gradient,
    )  # fmt: skip


@compiled
def of_family(
    points, charges, parameters, cells, starts, n_columns, order, first, last, potential, gradient
):  # fmt: skip
    """Do the same at any α > 0."""
    _of_family(
        points, charges, parameters, cells, starts, n_columns, order, first, last, potential,
        gradient,
    )  # fmt: skip


@compiled
def of_logarithm(
    points, charges, parameters, cells, starts, n_columns, order, first, last, potential, gradient
):  # fmt: skip
    """Do the same of log H."""
    _of_logarithm(
        points, charges, parameters, cells, starts, n_columns, order, first, last, potential,
        gradient,
    )  # fmt: skip


@compiled
def of_score(
    points, charges, parameters, cells, starts, n_columns, order, first, last, potential, gradient
):  # fmt: skip
    """Do the same of the score."""
    _of_score(
        points, charges, parameters, cells, starts, n_columns, order, first, last, potential,
        gradient,
    )  # fmt: skip
