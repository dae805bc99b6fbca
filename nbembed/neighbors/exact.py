"""All Euclidean distances by matrix products in float32, a block of rows and columns at a time.

Every row of the result is proven (:mod:`.single_precision`) or searched again in float64, so the
neighbors are those of all distances in float64. The matrix products take most of the time, and no
array is larger than a block.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.data.distances import PAIRS
from nbembed.kernels.distances import squared_distances
from nbembed.kernels.nearest import cut_lists, empty_shortlist, keep_smallest, pair_distances
from nbembed.kernels.threads import run_chunks
from nbembed.neighbors.found import Found
from nbembed.neighbors.single_precision import SinglePrecision, center_of
from nbembed.neighbors.smallest import k_smallest, other_points
from nbembed.system.blas import one_blas_thread
from nbembed.system.work import stage

#: Queries and points of a block: its products are 4 MiB.
QUERIES, POINTS = 512, 2048
#: Candidates beyond k, so that rounding does not leave a row unproven.
MORE = 16
#: What the search is called while it is done.
FINDING = "finding neighbors"


def all_distances(
    points: NDArray[Any],
    k: int,
    queries: NDArray[Any] | None = None,
    own: NDArray[np.intp] | None = None,
    n_threads: int = 1,
    single: SinglePrecision | None = None,
    order: NDArray[np.intp] | None = None,
    called: str = FINDING,
) -> Found:
    """Return the k nearest points of each query.

    * Shapes: points (n, d).
    * k: at most n, or n − 1 with ``own``.
    * queries (m, d): ``points`` themselves if None.
    * own (m,): the point that each query is, which is no neighbor of itself; known for ``points``.
    * single: of ``points``, if it is there already.
    * order (n,): the order that ``single`` has its rows in.
    * called: what this work is called while it is done.
    """
    single = SinglePrecision(points) if single is None else single
    if queries is None:
        queries, own = points, np.arange(len(points))
    m, n = len(queries), len(points)
    wanted = min(k + MORE + (own is not None), n)
    index, squared = np.empty((m, k), np.intp), np.empty((m, k))
    proven = np.zeros(m, bool)
    finding = stage(called, m)

    @one_blas_thread()  # in helper threads, too, which may have a number of their own
    def search(chunk: int) -> None:
        here = slice(chunk * QUERIES, min((chunk + 1) * QUERIES, m))
        a, squares = single.queries(queries[here])
        lists = empty_shortlist(len(a), wanted)
        rows, room = np.arange(len(a)), np.empty(len(a) * min(POINTS, n), np.float32)
        for first in range(0, n, POINTS):
            keep_smallest(
                products(a, single.rows[first : first + POINTS], room), first, rows, lists
            )
        cut_lists(lists)
        enough = lists.counts >= wanted  # not where the product overflowed
        found = lists.columns[:, :wanted].astype(np.intp)
        found[~enough] = np.arange(wanted)
        if order is not None:
            found = order[found]
        d2 = pair_distances(queries[here], points, found)
        if own is not None:
            others = other_points(found, own[here])
            found, d2 = found[others].reshape(len(a), -1), d2[others].reshape(len(a), -1)
        index[here], squared[here] = found[:, :k], d2[:, :k]
        bounds = np.full(len(a), np.inf, np.float32) if wanted == n else lists.bounds
        proven[here] = enough & single.proven(d2[:, k - 1], bounds, squares)
        finding.advance(len(a))

    with one_blas_thread(), np.errstate(over="ignore", invalid="ignore"):
        run_chunks(search, -(-m // QUERIES), n_threads)
    again = np.flatnonzero(~proven)
    if again.size:
        itself = None if own is None else own[again]
        index[again], squared[again] = in_double(points, k, queries[again], itself)
    return Found(index, squared)


def products(
    a: NDArray[np.float32], b: NDArray[np.float32], room: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return a bᵀ in ``room``: new memory for each block would take as long as the products."""
    out = room[: len(a) * len(b)].reshape(len(a), len(b))
    return np.matmul(a, b.T, out=out)


def in_double(
    points: NDArray[Any], k: int, queries: NDArray[Any], own: NDArray[np.intp] | None
) -> Found:
    """Compute :func:`all_distances` in float64."""
    m, step = len(queries), max(1, PAIRS // len(points))
    index, squared = np.empty((m, k), np.intp), np.empty((m, k))
    center = center_of(points)
    b = points - center
    for first in range(0, m, step):
        here = slice(first, first + step)
        with one_blas_thread():
            D2 = squared_distances(queries[here] - center, b)
        if own is not None:
            D2[np.arange(len(D2)), own[here]] = np.inf
        found = k_smallest(D2, k)
        # From the coordinates as given, as those of the other rows are.
        squared[here] = pair_distances(queries[here], points, found)
        index[here] = found
    return Found(index, squared)
