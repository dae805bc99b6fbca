"""The sums of asymmetric SNE, repulsion by two convolutions with the Gaussian.

With φ[c]_i = Σ_{j≠i} c_j exp(−τ_ij) the potential of charges c (:mod:`.sums`):

    Z = φ[1],   Σ_j (q_ij + q_ji)(y_i − y_j) = −½ (∇φ[1]_i / Z_i + ∇φ[1/Z]_i)

since q_ij = exp(−τ_ij)/Z_i. Each row is normalized by itself, so that the potential must be right
where it is small, too: the grid is finer than for HSSNE, and in float64. Rows with Z_i below
:data:`ISOLATED` are summed exactly, one by one, as :mod:`nbembed.kernels.gaussian_rows` does with
rows whose Z_i underflows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nbembed.kernels.gaussian_rows import gaussian_rows, isolated_rows
from nbembed.kernels.grid.radial import Radial
from nbembed.kernels.grid.size import AXES, grid_that_pays
from nbembed.kernels.grid.sums import PARTS, radial_sums
from nbembed.kernels.sparse import sparse_attraction
from nbembed.kernels.terms import GaussianRowsTerms
from nbembed.kernels.threads import run_chunks

#: The grid's error in Z_i is some 1e-7 of the charges nearby; below this, Z_i is summed exactly.
ISOLATED = 1e-3

#: With a larger share of such rows than this, all pairs are summed.
MANY_ISOLATED = 0.02

GAUSSIAN = Radial(0.0)


def gaussian_rows_by_grid(
    Yt: Any, W: tuple[Any, ...], want_cost: bool, n_threads: int, *, keep: Any = None
) -> GaussianRowsTerms:
    """Compute :func:`~nbembed.kernels.gaussian_rows.gaussian_rows` in nearly linear time.

    The arguments are the same; ``W`` must be sparse.
    """
    d, n = Yt.shape
    grid = grid_that_pays(Yt, GAUSSIAN, precise=True) if d in AXES else None
    if not grid:
        return gaussian_rows(Yt, W, want_cost, n_threads, keep=keep)
    first = radial_sums(Yt, GAUSSIAN, n_threads=n_threads, precise=True, grid=grid)
    Z = first.potential
    isolated = np.flatnonzero(~(Z > ISOLATED))
    if isolated.size > MANY_ISOLATED * n:
        return gaussian_rows(Yt, W, want_cost, n_threads, keep=keep)
    Z[isolated] = 1.0
    inverse, log_Z = 1 / Z, np.log(Z)
    inverse[isolated] = 0.0
    second = radial_sums(Yt, GAUSSIAN, inverse, n_threads, precise=True, grid=grid)
    repulsion = (-0.5 * (first.gradient * inverse + second.gradient)).astype(Yt.dtype)
    if isolated.size:
        points, parts = Yt.astype(np.float64), np.array_split(isolated, PARTS)
        alone = np.zeros((PARTS, d, n))
        run_chunks(lambda k: isolated_rows(points, parts[k], log_Z, alone[k]), PARTS, n_threads)
        repulsion += alone.sum(axis=0).astype(Yt.dtype)
    attraction, _, cross = sparse_attraction(Yt, W, 0.0, want_cost, n_threads, keep=keep)
    return GaussianRowsTerms(attraction, repulsion, log_Z, cross / 2)
