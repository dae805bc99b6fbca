"""Pairs nearer than the core of a smoothed kernel: what the grid leaves out is added exactly.

    φ_i += Σ_{r_ij < R} c_j (K(τ_ij) − K̃(τ_ij)),    r² = τ

(:class:`~nbembed.kernels.grid.radial.Smoothed`). Points are sorted by cells of side R, so that the
neighbors of a point are in its cell and the eight around it: in three runs of the sorted points,
one for each row of cells. This is the division of particle–particle particle–mesh methods (Hockney
and Eastwood) with the smooth kernels of multilevel summation. In the plane only.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nbembed.kernels.codegen.compiling import compiled
from nbembed.kernels.grid.radial import Smoothed
from nbembed.kernels.threads import run_chunks

#: Parts that points are divided into, for threads.
PARTS = 64


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
    order = np.argsort(cells, kind="stable")
    starts = np.zeros(n_rows * n_columns + 1, np.int64)
    np.cumsum(np.bincount(cells, minlength=n_rows * n_columns), out=starts[1:])
    points = np.ascontiguousarray(Yt[:, order], np.float64)
    sorted_cells, sorted_charges = cells[order], np.asarray(charges, np.float64)[order]
    sums = np.zeros((3, Yt.shape[1]))
    ends = np.linspace(0, Yt.shape[1], PARTS + 1).astype(np.int64)
    alpha, coefficients = float(kernel.kernel.alpha), kernel.coefficients

    def run(part: int) -> None:
        near_pairs(
            points, sorted_charges, sorted_cells, starts, n_columns, alpha, kernel.core,
            coefficients, ends[part], ends[part + 1], sums,
        )  # fmt: skip

    run_chunks(run, PARTS, n_threads)
    potential[order] += sums[0]
    gradient[:, order] += sums[1:].astype(gradient.dtype)


@compiled
def near_pairs(
    points, charges, cells, starts, n_columns, alpha, core, coefficients, first, last, sums
):  # fmt: skip
    """Fill potential and gradient of the sorted points from ``first`` to ``last``."""
    reach = core * core
    c0, c1, c2, c3, c4 = coefficients
    for i in range(first, last):
        x, y = points[0, i], points[1, i]
        potential, along, across = 0.0, 0.0, 0.0
        for row in range(-1, 2):
            cell = cells[i] + row * n_columns
            for j in range(starts[cell - 1], starts[cell + 2]):
                dx, dy = x - points[0, j], y - points[1, j]
                tau = dx * dx + dy * dy
                if tau >= reach or j == i:
                    continue
                if alpha == 1.0:
                    slope = 1.0 / (1.0 + tau)
                    value = slope
                    slope *= slope
                elif alpha == 0.0:
                    value = np.exp(-tau)
                    slope = value
                else:
                    value = np.exp(-np.log1p(alpha * tau) / alpha)
                    slope = value / (1.0 + alpha * tau)
                t = reach - tau
                value -= c0 + t * (c1 + t * (c2 + t * (c3 + t * c4)))
                slope -= c1 + t * (2.0 * c2 + t * (3.0 * c3 + t * 4.0 * c4))
                potential += charges[j] * value
                along -= 2.0 * charges[j] * slope * dx
                across -= 2.0 * charges[j] * slope * dy
        sums[0, i] = potential
        sums[1, i] = along
        sums[2, i] = across
