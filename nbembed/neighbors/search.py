"""The choice of a search: a tree, all distances, cells, or candidates; in any metric."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from nbembed.data.distances import EUCLIDEAN, PAIRS, Metric, check_span, dense_dissimilarities
from nbembed.data.matrix_input import check_data
from nbembed.kernels.threads import resolve_threads
from nbembed.neighbors.blocks import by_blocks
from nbembed.neighbors.candidates import by_candidates
from nbembed.neighbors.cells import Cells
from nbembed.neighbors.euclidean_space import OF_DIRECTIONS, euclidean_space
from nbembed.neighbors.exact import FINDING, all_distances
from nbembed.neighbors.found import Neighbors
from nbembed.neighbors.memory import cut, memory_of, rung
from nbembed.neighbors.smallest import k_smallest, other_points
from nbembed.system.work import stage
from nbembed.validation import check_choice, check_count

Search = Literal["exact", "auto"]
SEARCHES = ("exact", "auto")

#: With at most so many dimensions a tree is faster than all distances.
FEW_DIMENSIONS = 8
#: From so many points on, Euclidean distances are searched in float32 first.
SINGLE = 4096
#: From so many points on, ``search="auto"`` is approximate.
MANY = 20_000
#: Points whose neighbors a tree is asked for at a time.
ROWS = 4096


def nearest_neighbors(
    X: ArrayLike,
    k: int = 1,
    metric: Metric = "euclidean",
    *,
    others: ArrayLike | None = None,
    search: Search = "exact",
    n_jobs: int | None = None,
    name: str = "X",
) -> NDArray[np.intp]:
    """Return the k nearest neighbors of each point, nearest first, shape (n_samples, k).

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Or dissimilarities with ``metric="precomputed"``; what a sparse matrix does not store is
        far, and it must store k in each row.
    k : int, default=1
        Less than n_samples, or at most the number of ``others``.
    metric : str or callable, default="euclidean"
        Any metric that affinities can be made with.
    others : array-like or sparse matrix of shape (n_others, n_features), optional
        Where neighbors are searched; by default among the other points of ``X``.
    search : {"exact", "auto"}, default="exact"
        "auto" searches approximately where neighbors are searched among 20 000 points or more and
        the data are dense: about 99 % of the neighbors are found, in a small part of the time.
        Where a sample shows that fewer than 95 % are, the search is exact, as it is for sparse data
        and for metrics that Euclidean distances tell nothing of.
    n_jobs : int, optional
        Threads; None is all cores. The result does not depend on it.
    name : str
        What errors call ``X``.

    Raises
    ------
    ValueError
        If k is out of range or the data are not legal.

    Notes
    -----
    O(n log n) time for Euclidean distances in at most eight dimensions, else O(n²) distances, of
    which a block is held at a time by each thread; O(n^1.5) with ``search="auto"`` for many points.
    """
    found = find_neighbors(X, k, metric, others=others, search=search, n_jobs=n_jobs, name=name)
    return found.indices


def find_neighbors(
    X: ArrayLike,
    k: int = 1,
    metric: Metric = "euclidean",
    *,
    others: ArrayLike | None = None,
    search: Search = "exact",
    n_jobs: int | None = None,
    name: str = "X",
) -> Neighbors:
    """Return the neighbors of :func:`nearest_neighbors` with their distances and the recall.

    The parameters are those of :func:`nearest_neighbors`.
    """
    check_choice("search", search, SEARCHES)
    itself = others is None
    points = check_data(X, metric, name=name, min_samples=2 if itself else 1)
    found = points if others is None else check_data(others, metric, name="others", min_samples=1)
    n = found.shape[0]
    k = check_k(k, n) if itself else check_k(k, n + 1)
    n_threads = resolve_threads(n_jobs)
    if hasattr(metric, "nearest"):
        searched: Any = metric.nearest(points, k, None if itself else found)
        if searched is not None:
            indices, distances = searched
            return Neighbors(indices, distances, 1.0)
    dense = isinstance(points, np.ndarray)
    few = dense and points.shape[1] <= FEW_DIMENSIONS
    approximate = dense and search == "auto" and n >= MANY

    def make(k: int) -> Neighbors:
        return _search(points, None if itself else found, k, metric, approximate, n_threads, name)

    if not itself or (few and not approximate and metric in EUCLIDEAN):  # a tree orders ties itself
        return make(k)
    memory = memory_of(points)
    if memory is not None:
        return memory.find(k, n - 1, metric, approximate, make)
    return cut(make(rung(k, n - 1)), k) if approximate else make(k)


def _search(
    points: Any,
    others: Any,
    k: int,
    metric: Metric,
    approximate: bool,
    n_threads: int,
    name: str,
) -> Neighbors:
    """Return the k nearest of the ``others``, or of the other points, by the fitting search."""
    itself = others is None
    found = points if itself else others
    dense = isinstance(points, np.ndarray) and isinstance(found, np.ndarray)
    by_tree = dense and points.shape[1] <= FEW_DIMENSIONS and metric in EUCLIDEAN
    space = euclidean_space(points, found, metric) if dense and len(found) >= SINGLE else None
    if space is not None and metric not in OF_DIRECTIONS:
        check_span(space.queries, name, None if itself else space.points)
    elif by_tree:
        check_span(points, name, None if itself else found)
    if space is not None and (approximate or not by_tree):
        queries = None if itself else space.queries
        if approximate:
            nearest, recall = Cells(space.points, k, n_threads).search(queries)
        else:
            nearest, recall = all_distances(space.points, k, queries, n_threads=n_threads), 1.0
        return Neighbors(nearest.indices, space.in_units(nearest.squared), recall)
    queries = None if itself else points
    if by_tree:
        return _by_tree(found, k, queries)
    if dense and approximate:
        among_candidates = by_candidates(queries, found, k, metric, n_threads)
        if among_candidates is not None:
            return among_candidates
    return by_blocks(points, k, metric, others, n_threads=n_threads, name=name)


def nearest_given(dissimilarities: Any, k: int) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the k nearest points by given dissimilarities, nearest first, and how far they are.

    * dissimilarities (m, n): checked: of m new points to the n points among which neighbors are
      searched.
    * k: at most n.
    * returns indices, distances (m, k): distances are infinite where sparse dissimilarities store
      fewer in a row.

    A block of the dissimilarities is made dense at a time.

    Raises ValueError if a row of sparse dissimilarities stores none.
    """
    m, n = dissimilarities.shape
    if sparse.issparse(dissimilarities):
        counts = np.diff(dissimilarities.indptr)
        if counts.min(initial=1) == 0:
            raise ValueError(
                "X must store at least one neighbor of each point, got none in row "
                f"{int(counts.argmin())}; pairs that are not stored are taken as far apart"
            )
    index, distances = np.empty((m, k), np.intp), np.empty((m, k))
    rows = max(1, PAIRS // n)
    for first in range(0, m, rows):
        here = slice(first, first + rows)
        block = dense_dissimilarities(dissimilarities[here])
        index[here] = k_smallest(block, k)
        distances[here] = np.take_along_axis(block, index[here], axis=1)
    return index, distances


def check_k(k: int, n: int, name: str = "k") -> int:
    """Return the size of a neighborhood among n points; ``name`` is what the error calls it."""
    if not 1 <= check_count(name, k) <= n - 1:
        raise ValueError(f"{name} must be in [1, {n - 1}] for {n} points, got {k}")
    return int(k)


def _by_tree(found: Any, k: int, queries: Any) -> Neighbors:
    from sklearn.neighbors import NearestNeighbors

    tree = NearestNeighbors(n_neighbors=k, algorithm="kd_tree").fit(found)
    itself = queries is None
    asked = found if itself else queries
    m = len(asked)
    index, distances = np.empty((m, k), np.intp), np.empty((m, k))
    finding = stage(FINDING, m)
    for first in range(0, m, ROWS):
        here = slice(first, min(first + ROWS, m))
        far, nearest = tree.kneighbors(asked[here], k + itself)
        if itself:
            others = other_points(nearest, np.arange(here.start, here.stop))
            far, nearest = far[others].reshape(-1, k), nearest[others].reshape(-1, k)
        index[here], distances[here] = nearest, far
        finding.advance(len(far))
    return Neighbors(index, distances, 1.0)
