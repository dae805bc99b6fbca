"""The largest entries of each row of a sparse matrix, by a sort."""

from __future__ import annotations

from typing import Any

import numpy as np


def largest_entries(indptr: Any, data: Any, k: int) -> Any:
    """See :func:`nbembed.kernels.largest.largest_entries`."""
    of_row = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    order = np.lexsort((np.arange(len(data)), -np.asarray(data), of_row))
    rank = np.arange(order.size) - np.asarray(indptr)[of_row]
    return order[rank < k]
