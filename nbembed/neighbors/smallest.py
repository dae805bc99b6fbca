"""The k smallest entries of each row of a block, and neighbors without the point itself."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def k_smallest(values: NDArray[Any], k: int) -> NDArray[np.intp]:
    """Return the columns of the k smallest entries of each row, ascending; ties by column."""
    index: NDArray[np.intp]
    if k == 1:
        index = values.argmin(axis=1)[:, None]
        return index
    if k >= values.shape[1]:
        index = values.argsort(axis=1, kind="stable")[:, :k]
        return index
    index = np.argpartition(values, k - 1, axis=1)[:, :k]
    last = np.take_along_axis(values, index, axis=1).max(axis=1)
    # A partition takes any of the entries that tie for the last place.
    for i in np.flatnonzero(np.count_nonzero(values <= last[:, None], axis=1) > k):
        near = np.flatnonzero(values[i] <= last[i])
        below = values[i, near] < last[i]
        index[i] = np.r_[near[below], near[~below][: k - np.count_nonzero(below)]]
    index.sort(axis=1)
    chosen = np.take_along_axis(values, index, axis=1)
    return np.take_along_axis(index, chosen.argsort(axis=1, kind="stable"), axis=1)


def other_points(found: NDArray[Any], own: NDArray[Any]) -> NDArray[np.bool_]:
    """Return a mask of the others among k + 1 neighbors (m, k + 1): k in each row.

    ``own`` (m,) is the point that each query is. Where so many lie in its place that it is not
    found, the last is left out instead.
    """
    itself: NDArray[np.bool_] = found == own[:, None]
    itself[~itself.any(axis=1), -1] = True
    return ~itself
