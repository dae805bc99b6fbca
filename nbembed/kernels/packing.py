"""Two numbers a pair in one square: how log p_ij and log p_ji lie side by side.

Entry (i, j) keeps its place for i < j; entry (j, i) goes to [n − 1 − i, j − i − 1], at or below the
diagonal. For the columns that follow each other in a row of pairs, both numbers then follow each
other in memory.
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
