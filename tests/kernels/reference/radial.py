"""Sums of a radial kernel over all pairs, as the grid computes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from nbembed.kernels.terms import RadialTerms
from tests.kernels.reference.pairs import squared_gaps


def radial_sums(
    Yt: Any,
    kernel: Any,
    charges: Any = None,
    n_threads: int = 1,
    *,
    precise: bool = False,
    grid: Any = None,
) -> RadialTerms:
    """See :func:`nbembed.kernels.grid.sums.radial_sums`."""
    Yt = np.asarray(Yt, np.float64)
    values, slopes = kernel.values_and_slopes(squared_gaps(Yt))
    charges = np.ones(Yt.shape[1]) if charges is None else np.asarray(charges, np.float64)
    values, slopes = values * charges, slopes * charges
    np.fill_diagonal(values, 0)
    np.fill_diagonal(slopes, 0)
    gradient = -2 * (Yt * slopes.sum(axis=1) - Yt @ slopes.T)
    return RadialTerms(values.sum(axis=1), gradient)


def grid_that_pays(Yt: Any, kernel: Any, precise: bool = False) -> Any:
    """See :func:`nbembed.kernels.grid.size.grid_that_pays`; there is no grid, but its sums."""
    return True
