"""The sums of heavy-tailed symmetric SNE, attraction along P's entries and repulsion by the grid.

With φ the potential of unit charges under K = H (:mod:`.sums`):

    Z = Σ_i φ_i,   Σ_j q_ij S_ij (y_i − y_j) = −½ ∇φ_i

in the place of the sums over all pairs of :mod:`nbembed.kernels.heavy_tailed`, which are taken
where they cost less (:func:`.size.grid_that_pays`), and where the points are so far apart that Z
consists of few pairs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nbembed.kernels.custom_similarity import custom_entries, custom_pairs
from nbembed.kernels.grid.radial import Radial
from nbembed.kernels.grid.size import AXES, grid_that_pays
from nbembed.kernels.grid.sums import radial_sums
from nbembed.kernels.heavy_tailed import heavy_tailed
from nbembed.kernels.sparse import joint_attraction
from nbembed.kernels.terms import GAUSSIAN_BELOW, HeavyTailedTerms

#: Where the others are felt less than this on average, in units of H(0), all pairs are summed.
FAINT = 1e-3


def heavy_tailed_by_grid(
    Yt: Any, P: Any, kernel: Radial, want_cost: bool, n_threads: int, *, keep: Any = None
) -> HeavyTailedTerms:
    """Compute :func:`~nbembed.kernels.heavy_tailed.heavy_tailed` in nearly linear time.

    The arguments are the same, but ``P`` must be sparse, and ``kernel`` is the family at some α or
    a similarity. With ``keep`` (n,), P_ij (k_i + k_j)/2 takes the place of P_ij.
    """
    alpha = 0.0 if kernel.alpha < GAUSSIAN_BELOW else float(kernel.alpha)
    kernel = kernel._replace(alpha=alpha)
    grid = grid_that_pays(Yt, kernel) if Yt.shape[0] in AXES else None
    if grid:
        terms = radial_sums(Yt, kernel, n_threads=n_threads, grid=grid)
        normalizer = float(terms.potential.sum())
        if normalizer > FAINT * Yt.shape[1] * float(kernel.values(np.zeros(1))[0]):
            repulsion = terms.gradient * Yt.dtype.type(-0.5)
            if kernel.H is not None:
                pull = custom_entries(kernel.H, kernel.S, Yt, P, want_cost, n_threads, keep=keep)
            else:
                pull = joint_attraction(Yt, P, alpha, want_cost, n_threads, keep)
            return HeavyTailedTerms(pull.force, repulsion, pull.curvature, normalizer, pull.cross)
    if kernel.H is not None:
        return custom_pairs(kernel.H, kernel.S, Yt, P, want_cost, n_threads, keep=keep)
    return heavy_tailed(Yt, P, alpha, want_cost, n_threads, keep=keep)
