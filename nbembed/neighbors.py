"""The nearest neighbors of points: the one search that measures, graphs and learners use.

Of points at the same distance the one of lower index comes first, so that results do not depend on
the platform; only the tree that serves data of few dimensions may order such points otherwise. It
is scikit-learn's: on data with many ties (balance lies on a grid) published figures depend on which
of them a graph takes, and the recorded ones belong to this tree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nbembed.distances import EUCLIDEAN, Distances, Metric, check_span
from nbembed.validation import check_count, check_data

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

#: With at most so many dimensions a tree is faster than all distances.
FEW_DIMENSIONS = 8


def nearest_neighbors(
    X: ArrayLike,
    k: int = 1,
    metric: Metric = "euclidean",
    *,
    others: ArrayLike | None = None,
    name: str = "X",
) -> NDArray[np.intp]:
    """Return the k nearest neighbors of each point, nearest first, shape (n_samples, k).

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Or dissimilarities with ``metric="precomputed"``.
    k : int, default=1
        Less than n_samples, or at most the number of ``others``.
    metric : str or callable, default="euclidean"
        Any metric that affinities can be made with.
    others : array-like or sparse matrix of shape (n_others, n_features), optional
        Where neighbors are searched; by default among the other points of ``X``.
    name : str
        What errors call ``X``.

    Raises
    ------
    ValueError
        If k is out of range or the data are not legal.

    Notes
    -----
    O(n log n) time for Euclidean distances in at most eight dimensions, else O(n²) distances, of
    which a block is held at a time.
    """
    return neighbors_and_distances(X, k, metric, others=others, name=name)[0]


def neighbors_and_distances(
    X: ArrayLike,
    k: int = 1,
    metric: Metric = "euclidean",
    *,
    others: ArrayLike | None = None,
    name: str = "X",
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the k nearest neighbors of each point as :func:`nearest_neighbors`, and how far.

    Returns
    -------
    index : ndarray of shape (n_samples, k)
    distances : ndarray of shape (n_samples, k)
        In units of the metric, ascending.
    """
    from sklearn.neighbors import NearestNeighbors

    itself = others is None
    points = check_data(X, metric, name=name, min_samples=2 if itself else 1)
    n = points.shape[0]
    found = points if others is None else check_data(others, metric, name="others", min_samples=1)
    k = check_k(k, n) if itself else check_k(k, found.shape[0] + 1)
    if hasattr(metric, "nearest"):
        searched: Any = metric.nearest(points, k, None if itself else found)
        if searched is not None:
            index, distances = searched
            return index, distances
    dense = isinstance(points, np.ndarray) and isinstance(found, np.ndarray)
    if dense and points.shape[1] <= FEW_DIMENSIONS and metric in EUCLIDEAN:
        check_span(points, name)
        tree = NearestNeighbors(n_neighbors=k, algorithm="kd_tree").fit(found)
        distances, index = tree.kneighbors(None if itself else points)
        return index.astype(np.intp), distances.astype(np.float64)
    index, distances = np.empty((n, k), dtype=np.intp), np.empty((n, k))
    for here, D2 in Distances(points, metric, None if itself else found, name=name).blocks():
        if itself:
            own = np.arange(here.start, here.stop)
            D2[own - here.start, own] = np.inf
        index[here] = k_smallest(D2, k)
        distances[here] = np.sqrt(np.take_along_axis(D2, index[here], axis=1))
    return index, distances


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


def check_k(k: int, n: int) -> int:
    """Return the size of a neighborhood among n points."""
    if not 1 <= check_count("k", k) <= n - 1:
        raise ValueError(f"k must be in [1, {n - 1}] for {n} points, got {k}")
    return int(k)
