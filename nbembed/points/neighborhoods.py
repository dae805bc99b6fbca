r"""Neighbors of sets of points: to select what lies around a point, and to grow or shrink a set.

Of a set S, and with N(i) the k nearest neighbors of point i,

    near(S) = ⋃_{i ∈ S} N(i) \ S,   grown(S) = S ∪ near(S),   shrunk(S) = {i ∈ S : N(i) ⊆ S}.
"""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.data.distances import same_metric
from nbembed.neighbors import (
    Search,
    check_stored,
    known_neighbors,
    nearest_given,
    nearest_neighbors,
    other_points,
)

#: Points up to which the search is exact: for more, an approximate one is faster in many data.
EXACT = 2000


def neighbor_rows(X: Any, points: NDArray[np.intp], k: int, metric: Any) -> NDArray[np.intp]:
    """Return the nearest neighbors of some points among all, each row nearest first.

    The result is (m, min(k, n_samples − 1)), without the points themselves. ``X`` are checked
    data, or dissimilarities if ``metric`` is "precomputed".
    """
    n = X.shape[0]
    k = min(k, n - 1)
    if not len(points) or k < 1:
        return np.empty((len(points), max(k, 0)), dtype=np.intp)
    if isinstance(metric, str) and metric == "precomputed":
        found, distances = nearest_given(X[points], k + 1)
        others = other_points(found, points)
        check_stored(distances[others].reshape(len(points), k), "X")
    else:
        search: Search = "exact" if len(points) <= EXACT else "auto"
        found = nearest_neighbors(X[points], k + 1, metric, others=X, search=search)
    rows: NDArray[np.intp] = found[other_points(found, points)].reshape(len(points), k)
    return rows


class FoundRows:
    """Neighbors of points of one data set, each found once. Thread-safe.

    ``X`` are checked data, or dissimilarities where the metric is "precomputed".
    """

    def __init__(self, X: Any) -> None:
        self._X = X
        self._lock = threading.Lock()
        self._metric: Any = None
        self._rows: NDArray[np.int32] = np.empty((0, 0), np.int32)
        self._there: NDArray[np.bool_] = np.empty(0, bool)

    def rows(self, points: NDArray[np.intp], k: int, metric: Any) -> NDArray[np.intp]:
        """Return :func:`neighbor_rows`, found only for the points not found before.

        Rows found in another ``metric``, or with fewer than k neighbors, are forgotten.
        """
        n = self._X.shape[0]
        k = min(k, n - 1)
        known = known_neighbors(self._X, k, metric)
        if known is not None:
            return known.indices[points]
        with self._lock:
            same = same_metric(self._metric, metric)
            if not same or self._rows.shape[1] < k:
                self._metric, self._there = metric, np.zeros(n, bool)
                self._rows = np.empty((n, k), np.int32)
            new = points[~self._there[points]]
            self._rows[new] = neighbor_rows(self._X, new, self._rows.shape[1], metric)
            self._there[new] = True
            return self._rows[points, :k].astype(np.intp)


def near(points: NDArray[np.intp], rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the points that are among the neighbors of one in the set, without the set itself."""
    return np.setdiff1d(rows, points)


def grown(points: NDArray[np.intp], rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the set with the neighbors of each of its points."""
    return np.union1d(points, rows)


def shrunk(points: NDArray[np.intp], rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the points of the set that have all of their neighbors in it."""
    return points[np.isin(rows, points).all(axis=1)]
