"""The k smallest entries of each row of a block."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
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
    index.sort(axis=1)
    chosen = np.take_along_axis(values, index, axis=1)
    index = np.take_along_axis(index, chosen.argsort(axis=1, kind="stable"), axis=1)
    # A partition takes any of the entries that tie for the last place.
    tied = np.count_nonzero(values <= chosen.max(axis=1, keepdims=True), axis=1) > k
    index[tied] = values[tied].argsort(axis=1, kind="stable")[:, :k]
    return index
