"""The largest entries of each row of a sparse matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from nbembed.kernels.codegen.compiling import compiled, read_only


def largest_entries(indptr: Any, data: Any, k: int) -> Any:
    """Return the places in ``data`` of the k largest entries of each row, all of shorter rows.

    * indptr, data: CSR parts.
    * returns places int64: row by row, largest first; of equal entries the first.
    """
    counts = np.minimum(np.diff(indptr), k)
    ends = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    places = np.empty(ends[-1], np.int64)
    fill_largest(read_only(indptr), read_only(data), ends, places)
    return places


@compiled
def fill_largest(indptr, data, ends, places):
    """Insert each entry of a row among the largest so far."""
    for i in range(ends.size - 1):
        first, k = ends[i], ends[i + 1] - ends[i]
        found = 0
        for e in range(indptr[i], indptr[i + 1]):
            at = found
            while at > 0 and data[e] > data[places[first + at - 1]]:
                at -= 1
            if at == k:
                continue
            found = min(found + 1, k)
            for later in range(found - 1, at, -1):
                places[first + later] = places[first + later - 1]
            places[first + at] = e
