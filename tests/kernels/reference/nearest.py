"""The k smallest entries of rows, by sorting; distances of pairs."""

from __future__ import annotations

from typing import Any

import numpy as np


def keep_smallest(S: Any, first: int, rows: Any, into: Any) -> None:
    """See :func:`nbembed.kernels.nearest.keep_smallest`."""
    for i, row in zip(rows, S):
        n = into.counts[i]
        values = np.r_[into.values[i, :n], row]
        columns = np.r_[into.columns[i, :n], first + np.arange(row.size)]
        order = np.argsort(values, kind="stable")[: into.k]
        into.counts[i] = order.size
        into.values[i, : order.size], into.columns[i, : order.size] = values[order], columns[order]
        if values.size > into.k:
            into.bounds[i] = values[order[-1]]


def cut_lists(lists: Any) -> None:
    """See :func:`nbembed.kernels.nearest.cut_lists`: nothing is left to do."""


def pair_distances(A: Any, B: Any, index: Any) -> Any:
    """See :func:`nbembed.kernels.nearest.pair_distances`."""
    D2 = np.empty(index.shape)
    for i, found in enumerate(index):
        d2 = np.square(np.float64(B[found]) - np.float64(A[i])).sum(axis=1)
        order = np.lexsort((found, d2))
        D2[i], index[i] = d2[order], found[order]
    return D2
