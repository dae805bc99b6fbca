"""Both numbers of each pair in one square: how p_ij and p_ji, or their logarithms, are stored.

For i < j entry (i, j) keeps its place, and entry (j, i) goes to [n − 1 − i, j − i − 1], below the
diagonal. As j increases at fixed i, both are adjacent to their predecessors in memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nbembed.kernels.terms import NO_AFFINITY

#: Columns that :func:`packed` transposes at a time, so that both sides stay in the cache.
BLOCK = 64


def packed(square: Any) -> Any:
    """Return a square (n, n), without its diagonal, in packed form."""
    n = square.shape[0]
    result = np.zeros((n, n), square.dtype)
    for first in range(0, n, BLOCK):
        last = min(first + BLOCK, n)
        transposed = np.ascontiguousarray(square[:, first:last].T)
        for i in range(first, last):
            result[i, i + 1 :] = square[i, i + 1 :]
            result[n - 1 - i, : n - 1 - i] = transposed[i - first, i + 1 :]
    return result


def packed_row(packed: Any, i: int) -> Any:
    """Return row i of what is packed, shape (n,); NO_AFFINITY at i itself."""
    n = packed.shape[0]
    before = np.arange(i)
    row = np.empty(n, packed.dtype)
    row[:i] = packed[n - 1 - before, i - before - 1]
    row[i] = NO_AFFINITY
    row[i + 1 :] = packed[i, i + 1 :]
    return row
