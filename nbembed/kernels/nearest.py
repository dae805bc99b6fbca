"""The k smallest entries of rows that arrive a block of columns at a time.

The distances of a row to all points would not fit into memory for many points, and of each row only
the k smallest are wanted. A row therefore has a short list with room for a few hundred entries, and
a bound: entries below the bound are appended to the list, the others are dropped. When a list is
full, only its k smallest entries are kept, and their largest becomes the bound.

Most blocks of a row have no entry below the bound once some columns have been seen, and comparing a
block with the bound is vectorized. The work on a pair is then one comparison.

:func:`pair_distances` computes in float64 the distances of the pairs that are left, and sorts them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.kernels.codegen.compiling import compiled, read_only
from nbembed.kernels.selection import keep_smallest_of
from nbembed.kernels.terms import Shortlist

#: Columns that are compared with the bound at a time; divides by the lanes of all registers.
BLOCK = 64


def empty_shortlist(rows: int, k: int) -> Shortlist:
    """Return lists of the k smallest entries of so many rows, without an entry yet."""
    room = max(4 * k, k + 4 * BLOCK)
    return Shortlist(
        np.empty((rows, room), np.float32),
        np.empty((rows, room), np.int32),
        np.zeros(rows, np.int64),
        np.full(rows, np.inf, np.float32),
        k,
    )


@compiled
def _append(S, first, rows, values, columns, counts, bounds, k):
    room = values.shape[1]
    one, none = np.float32(1), np.float32(0)
    for r in range(S.shape[0]):
        i = rows[r]
        kept, where = values[i], columns[i]
        # Unsigned: an index that could be negative is tested at each access.
        count, bound = np.uint64(counts[i]), bounds[i]
        for start in range(0, S.shape[1], BLOCK):
            block = S[r, start : start + BLOCK]
            below = none
            for j in range(block.size):
                below += one if block[j] < bound else none
            if below == none:
                continue
            if count + np.uint64(BLOCK) >= np.uint64(room):
                bound = keep_smallest_of(kept, where, np.int64(count), k)
                count = np.uint64(k)
            for j in range(block.size):
                # Written in any case, and overwritten by the next where it is not below.
                kept[count] = block[j]
                where[count] = np.int32(first + start + j)
                count += np.uint64(block[j] < bound)
        counts[i], bounds[i] = np.int64(count), bound


@compiled
def _finish(values, columns, counts, bounds, k):
    for i in range(counts.size):
        if counts[i] > k:
            bounds[i] = keep_smallest_of(values[i], columns[i], counts[i], k)
            counts[i] = k


@compiled
def _distances(A, B, index, D2):
    for i in range(index.shape[0]):
        found, out = index[i], D2[i]
        a = A[i]
        for j in range(found.size):
            b = B[found[j]]
            total = 0.0
            for c in range(a.size):
                gap = np.float64(a[c]) - np.float64(b[c])
                total += gap * gap
            # Insertion into the sorted part of the row; of equal distances the lower index first.
            number, at = found[j], j
            while at > 0 and (
                out[at - 1] > total or (out[at - 1] == total and found[at - 1] > number)
            ):
                out[at], found[at] = out[at - 1], found[at - 1]
                at -= 1
            out[at], found[at] = total, number


def keep_smallest(
    S: NDArray[np.float32], first: int, rows: NDArray[np.int64], into: Shortlist
) -> None:
    """Append to each row's list what may be among its k smallest entries.

    * S (r, c) float32: finite entries of columns ``first`` … ``first + c − 1``.
    * rows (r,) int64: distinct; the list of each row of ``S``.
    * into: changed in place.

    O(r c) time; an entry that is dropped costs about 0.2 ns.
    """
    _append(S, first, rows, *into)


def cut_lists(lists: Shortlist) -> None:
    """Cut each list to its k smallest entries, in no particular order; in place.

    Afterwards the bound of a row that had more than k entries is the largest that it keeps, and no
    entry that was dropped is smaller.
    """
    _finish(*lists)


def pair_distances(
    A: NDArray[Any], B: NDArray[Any], index: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the squared distances ‖a_i − b_j‖², j in row i of ``index``, ascending.

    * Shapes: A (n, d); B (m, d), of the same type.
    * index (n, k) int64: sorted along with the distances, in place; of equal distances the lower
      index comes first.
    * returns (n, k) float64: summed in float64, without cancellation.
    """
    D2 = np.empty(index.shape)
    _distances(read_only(A), read_only(B), index, D2)
    return D2
