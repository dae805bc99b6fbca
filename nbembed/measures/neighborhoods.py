"""Preservation of the data's neighborhoods by a map, without labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbembed.data.distances import Distances, Metric
from nbembed.measures.checks import check_half, check_neighbors, checked_pair
from nbembed.neighbors import nearest_neighbors
from nbembed.validation import check_flag


def neighbor_preservation(
    X: ArrayLike | None,
    Y: ArrayLike,
    k: int = 1,
    *,
    metric: Metric = "euclidean",
    neighbors: NDArray[np.intp] | None = None,
    per_point: bool = False,
) -> Any:
    """Return the share of each point's k nearest neighbors in the data that it keeps in the map.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data; not read if ``neighbors`` is given.
    Y : array-like of shape (n_samples, n_components)
    k : int, default=1
    metric : str or callable, default="euclidean"
        Of the data; the map is always Euclidean.
    neighbors : ndarray of int of shape (n_samples, k or more), optional
        The result of :func:`nearest_neighbors` for the data, to be shared by many maps of it.
    per_point : bool, default=False

    Notes
    -----
    It needs no labels, so it decreases where a map shows separation that the data do not have.
    """
    per_point = check_flag("per_point", per_point)
    inside = nearest_neighbors(Y, k, name="Y")
    if neighbors is None:
        wanted = nearest_neighbors(checked_pair(X, Y, metric)[0], k, metric)
    else:
        wanted = check_neighbors(neighbors, len(inside), k)
    kept = (wanted[:, :, None] == inside[:, None, :]).any(axis=2).mean(axis=1)
    return kept if per_point else float(kept.mean())


def trustworthiness(
    X: ArrayLike, Y: ArrayLike, k: int = 5, *, metric: Metric = "euclidean", per_point: bool = False
) -> Any:
    """Return the trustworthiness of the map's neighborhoods, in [0, 1].

    Points among the k nearest in the map that are not among them in the data are penalized by
    their rank in the data.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Or dissimilarities with ``metric="precomputed"``.
    Y : array-like of shape (n_samples, n_components)
    k : int, default=5
        Below n_samples / 2, the range of the normalization.
    metric : str or callable, default="euclidean"
        Of the data.
    per_point : bool, default=False

    References
    ----------
    .. [1] Venna and Kaski (2001), "Neighborhood preservation in nonlinear projection methods".
    """
    per_point = check_flag("per_point", per_point)
    data, points = checked_pair(X, Y, metric)
    check_half(k, len(points))
    return by_ranks(Distances(data, metric), nearest_neighbors(points, k, name="Y"), per_point)


def continuity(
    X: ArrayLike, Y: ArrayLike, k: int = 5, *, metric: Metric = "euclidean", per_point: bool = False
) -> Any:
    """Return the continuity of the data's neighborhoods in the map, in [0, 1].

    :func:`trustworthiness` with data and map exchanged; the parameters are the same.
    """
    per_point = check_flag("per_point", per_point)
    data, points = checked_pair(X, Y, metric)
    check_half(k, len(points))
    inside = Distances(points, "euclidean", name="Y")
    return by_ranks(inside, nearest_neighbors(data, k, metric), per_point)


def by_ranks(distances: Distances, neighbors: NDArray[np.intp], per_point: bool) -> Any:
    """Return 1 − c Σ_j max(0, rank_ij − k) over the neighbors j of each point; c makes 0 the worst.

    The rank of j is one more than the number of points that are nearer: ties count as near.
    """
    n, k = neighbors.shape
    over = np.zeros(n)
    for here, D2 in distances.blocks():
        own = np.arange(here.start, here.stop)
        D2[own - here.start, own] = np.inf
        theirs = np.take_along_axis(D2, neighbors[here], axis=1)
        for j in range(k):
            nearer = np.count_nonzero(theirs[:, j, None] > D2, axis=1)
            over[here] += np.maximum(nearer + 1 - k, 0)
    value = 1 - over * (2 / (k * (2 * n - 3 * k - 1)))
    return value if per_point else float(value.mean())
