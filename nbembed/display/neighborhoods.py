r"""Neighbors of sets of points: to select what lies around a point, and to grow or shrink a set.

Of a set S, and with N(i) the k nearest neighbors of point i,

    near(S) = ⋃_{i ∈ S} N(i) \ S,   grown(S) = S ∪ near(S),   shrunk(S) = {i ∈ S : N(i) ⊆ S}.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nbembed.neighbors import Search, nearest_given, nearest_neighbors, other_points

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Points up to which the search is exact: for more, an approximate one is faster in many data.
EXACT = 2000


def neighbor_rows(X: Any, points: NDArray[np.intp], k: int, metric: Any) -> NDArray[np.intp]:
    """Return the nearest neighbors of some points among all, each row nearest first.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features)
        Checked data, or dissimilarities if ``metric`` is "precomputed".
    points : ndarray of int, shape (m,)
    k : int
        At most n_samples − 1 are returned.
    metric : str, callable or PointMetric

    Returns
    -------
    rows : ndarray of int, shape (m, min(k, n_samples − 1))
        Without the points themselves.
    """
    n = X.shape[0]
    k = min(k, n - 1)
    if not len(points) or k < 1:
        return np.empty((len(points), max(k, 0)), dtype=np.intp)
    if isinstance(metric, str) and metric == "precomputed":
        found, _ = nearest_given(X[points], k + 1)
    else:
        search: Search = "exact" if len(points) <= EXACT else "auto"
        found = nearest_neighbors(X[points], k + 1, metric, others=X, search=search)
    rows: NDArray[np.intp] = found[other_points(found, points)].reshape(len(points), k)
    return rows


def near(X: Any, points: NDArray[np.intp], k: int, metric: Any) -> NDArray[np.intp]:
    """Return the points that are among the k nearest of one in the set, without the set itself."""
    return np.setdiff1d(neighbor_rows(X, points, k, metric), points)


def grown(X: Any, points: NDArray[np.intp], k: int, metric: Any) -> NDArray[np.intp]:
    """Return the set with the k nearest neighbors of each of its points."""
    return np.union1d(points, neighbor_rows(X, points, k, metric))


def shrunk(X: Any, points: NDArray[np.intp], k: int, metric: Any) -> NDArray[np.intp]:
    """Return the points of the set that have all of their k nearest neighbors in it."""
    inside = np.zeros(X.shape[0], dtype=bool)
    inside[points] = True
    return points[inside[neighbor_rows(X, points, k, metric)].all(axis=1)]
