"""Sums of a radial kernel over all pairs of points, by a grid.

    φ_i = Σ_{j≠i} c_j K(|y_i − y_j|²),    ∇φ_i = ∂φ_i/∂y_i

in O(n + N log N) for N nodes of the grid. Charges c are spread onto the nodes with B-splines
(:mod:`.loops`), convolved with the kernel by the fast Fourier transform (:mod:`.convolution`), and
the potential is interpolated back. One scalar convolution gives both sums, because the gradient is
that of the interpolated potential: for K = H, HSSNE's similarity, φ sums to the normalizer, and

    −½ ∇φ_i = Σ_j q_ij S_ij (y_i − y_j)      since ∇_i H(τ_ij) = −2 q_ij S_ij (y_i − y_j)

is the repulsion. What the grid lets a charge do to itself is known from its weights and subtracted.
Related: Linderman et al. (2019), "Fast interpolation-based t-SNE", convolve three to four kernels
with polynomials in boxes; the force as derivative of a B-spline potential is that of the smooth
particle-mesh Ewald method (Essmann et al. 1995).
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from nbembed.kernels.grid.convolution import convolve
from nbembed.kernels.grid.loops import (
    interpolate_plane,
    interpolate_space,
    sort_by_row,
    spread_plane,
    spread_space,
)
from nbembed.kernels.grid.near_pairs import add_near_pairs
from nbembed.kernels.grid.plan import plan
from nbembed.kernels.grid.radial import GaussianMoment, Radial, Smoothed
from nbembed.kernels.grid.size import LEAST, Grid, grid_for, sums_dtype
from nbembed.kernels.grid.splines import LEFT, ORDER
from nbembed.kernels.terms import RadialTerms
from nbembed.kernels.threads import run_chunks

#: Parts that points are divided into, for threads; at most so many strips of rows.
PARTS = 16


def radial_sums(
    Yt: Any,
    kernel: Radial | GaussianMoment,
    charges: Any = None,
    n_threads: int = 1,
    *,
    precise: bool = False,
    grid: Grid | None = None,
) -> RadialTerms:
    """Return potential and gradient at all points.

    * Yt (d, n): coordinates, d = 2 or 3; finite.
    * kernel: a logarithm or score only in maps that are wider than :data:`.size.LEAST` of its
      width.
    * charges (n,): c; one each if not given.
    * precise: whether small potentials must be right as well as large ones: on a finer grid, in
      float64. Narrow maps, and points in float64, have a grid in float64 in any case.
    * grid: what :func:`~nbembed.kernels.grid.size.grid_for` returns for these points and this
      kernel.

    :func:`~nbembed.kernels.grid.size.grid_for` says what it costs.
    """
    d, n = Yt.shape
    Yt = np.ascontiguousarray(Yt)
    grid = grid_for(Yt, kernel, precise) if grid is None else grid
    if grid.span <= LEAST * kernel.width:
        # Narrower groups are summed by their moments (.links).
        assert kernel.of == "similarity"
        return _in_one_place(Yt, kernel, np.ones(n) if charges is None else charges)
    dtype = sums_dtype(Yt, kernel, grid, precise)
    charges = np.ones(n, dtype) if charges is None else np.ascontiguousarray(charges, dtype)
    made = plan(grid.kernel, grid.h, grid.shape, dtype.char)
    low, inverse = grid.low, 1 / grid.h
    starts, order = np.zeros(grid.shape[0] + 1, np.int64), np.empty(n, np.int64)
    sort_by_row(Yt, low, inverse, starts, order)
    spread, interpolate = _LOOPS[d]
    strips, nodes = _strips(starts), np.zeros(grid.shape, dtype)
    # Strips of even number touch no common nodes, nor do those of odd number.
    for mine in (strips[::2], strips[1::2]):

        def spread_strip(k: int, mine: Any = mine) -> None:
            spread(Yt, charges, order, low, inverse, *mine[k], nodes)

        run_chunks(spread_strip, len(mine), n_threads)
    field = convolve(nodes, made.transform, n_threads)
    potential, gradient = np.empty(n), np.empty((d, n), Yt.dtype)
    ends = np.linspace(0, n, PARTS + 1).astype(np.int64)

    def interpolate_part(k: int) -> None:
        interpolate(
            Yt, charges, order, low, inverse, ends[k], ends[k + 1], field, made.near,
            potential, gradient,
        )  # fmt: skip

    run_chunks(interpolate_part, PARTS, n_threads)
    if isinstance(grid.kernel, Smoothed):
        corner = low + LEFT * grid.h
        add_near_pairs(Yt, corner, grid.kernel, charges, potential, gradient, n_threads)
    return RadialTerms(potential, gradient)


_LOOPS = {2: (spread_plane, interpolate_plane), 3: (spread_space, interpolate_space)}


def _strips(starts: Any) -> list[tuple[int, int]]:
    """Return ranges of sorted points, each over at least six rows, of similar numbers of points."""
    n_rows, n = starts.size - 1, int(starts[-1])
    rows = [0]
    for part in range(1, PARTS):
        row = int(np.searchsorted(starts, part * n / PARTS))
        if rows[-1] + ORDER <= row <= n_rows - ORDER:
            rows.append(row)
    rows.append(n_rows)
    return [(int(starts[a]), int(starts[b])) for a, b in itertools.pairwise(rows)]


def _in_one_place(Yt: Any, kernel: Radial | GaussianMoment, charges: Any) -> RadialTerms:
    """Return the sums of a map so narrow that K is the parabola K(0) + K'(0) τ in it."""
    value, slope = kernel.values_and_slopes(0.0)
    charges = np.asarray(charges, np.float64)
    total = float(charges.sum())
    from_first = Yt - Yt[:, :1].astype(np.float64)
    gradient = -2 * slope * (total * from_first - (from_first @ charges)[:, None])
    return RadialTerms(value * (total - charges), gradient.astype(Yt.dtype))
