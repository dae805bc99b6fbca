"""The generalized regression network: a kernel-weighted mean of the values at other points.

    f(x) = Σ_i y_i exp(−d(x, x_i)²/2s²) / Σ_i exp(−d(x, x_i)²/2s²)

Its one parameter, the width s, is chosen by leave-one-out prediction of the fitted points.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Widths to try, in typical distances between neighbors: from 1/8 to 8 by factors of √2.
WIDTHS = 2.0 ** np.arange(-3.0, 3.25, 0.5)
#: Pairs in memory at a time.
PAIRS = 2**22


def regress(D2: NDArray[Any], Y: NDArray[Any], width: float) -> NDArray[np.float64]:
    """Return the network's predictions.

    * Shapes: Y (n_samples, n_components); returns (n_new, n_components).
    * D2 (n_new, n_samples): squared distances; an infinite one excludes that point.
    * width: s > 0. However small it is against the distances, the nearest point counts.
    """
    exponents = D2 * (-0.5 / width**2)
    exponents -= exponents.max(axis=1, keepdims=True)
    weights = np.exp(exponents, out=exponents)
    return np.asarray(weights @ Y / weights.sum(axis=1, keepdims=True))


def best_width(D2: NDArray[Any], Y: NDArray[Any], n_neighbors: int) -> float:
    """Return the width of least squared error when all others predict each point.

    * Shapes: Y (n_samples, n_components).
    * D2 (n_samples, n_samples): squared distances, symmetric; the diagonal is not read.
    * n_neighbors: the median distance to the neighbor of this rank is the unit of :data:`WIDTHS`.
    * returns: 1.0 where all points coincide and the width does not matter.
    """
    n = D2.shape[0]
    block = max(1, PAIRS // n)
    errors = np.zeros(WIDTHS.size)
    unit = float(np.median(np.sqrt(np.partition(D2, n_neighbors, axis=1)[:, n_neighbors])))
    if not unit > 0:
        apart = D2[D2 > 0]
        if apart.size == 0:
            return 1.0
        unit = float(np.sqrt(apart.min()))
    for first in range(0, n, block):
        rows = D2[first : first + block].copy()
        own = np.arange(rows.shape[0])
        rows[own, first + own] = np.inf
        for k, width in enumerate(WIDTHS):
            gap = regress(rows, Y, unit * width) - Y[first : first + block]
            errors[k] += float(np.sum(gap * gap))
    return unit * float(WIDTHS[errors.argmin()])
