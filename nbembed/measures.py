"""Quality measures: how much of the data a map keeps, and how well its places tell classes apart.

Measures of neighborhoods compare the k nearest points in the data with those in the map; measures
of classes compare the map with labels that the map never saw. Each has a per-point form where one
exists (``per_point=True``), whose mean is the measure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nbembed.distances import EUCLIDEAN, Distances, Metric
from nbembed.validation import check_count, check_data

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

#: Up to so many dimensions a tree finds neighbors faster than all distances do.
FEW_DIMENSIONS = 8


def nearest_neighbors(
    X: ArrayLike, k: int = 1, metric: Metric = "euclidean", *, name: str = "X"
) -> NDArray[np.intp]:
    """Return the k nearest other points of each point, nearest first, shape (n_samples, k).

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Or dissimilarities with ``metric="precomputed"``.
    k : int, default=1
        Less than n_samples.
    metric : str or callable, default="euclidean"
        Whatever affinities can be made with.
    name : str
        What to call ``X`` in an error.

    Raises
    ------
    ValueError
        If k is not in [1, n_samples − 1], or the data are none.

    Notes
    -----
    Of points at one distance any may come first. O(n log n) time in a few dimensions, else all
    distances are gone through, a block at a time.
    """
    from scipy.spatial import KDTree

    points = check_data(X, metric, name=name)
    n = points.shape[0]
    if not 1 <= check_count("k", k) <= n - 1:
        raise ValueError(f"k must be in [1, {n - 1}] for {n} points, got {k}")
    if isinstance(points, np.ndarray) and points.shape[1] <= FEW_DIMENSIONS and metric in EUCLIDEAN:
        return _drop_self(KDTree(points).query(points, k=k + 1)[1], k)
    index = np.empty((n, k), dtype=np.intp)
    for here, D2 in Distances(points, metric).blocks():
        own = np.arange(here.start, here.stop)
        D2[own - here.start, own] = np.inf
        if k == 1:
            index[here, 0] = D2.argmin(axis=1)
            continue
        nearest = np.argpartition(D2, k - 1, axis=1)[:, :k]
        order = np.take_along_axis(D2, nearest, axis=1).argsort(axis=1, kind="stable")
        index[here] = np.take_along_axis(nearest, order, axis=1)
    return index


def _drop_self(index: NDArray[Any], k: int) -> NDArray[np.intp]:
    """Return rows of k + 1 neighbors without the point itself (or the last, where ties hid it)."""
    own = index == np.arange(index.shape[0])[:, None]
    own[~own.any(axis=1), -1] = True
    rest: NDArray[np.intp] = index[~own].reshape(-1, k).astype(np.intp)
    return rest


def homogeneity(Y: ArrayLike, y: ArrayLike, *, per_point: bool = False) -> Any:
    """Return the share of points whose nearest neighbor in the map has their class.

    Parameters
    ----------
    Y : array-like of shape (n_samples, n_components)
    y : array-like of shape (n_samples,)
    per_point : bool, default=False
        Return 0.0 or 1.0 for each point.

    References
    ----------
    .. [1] "Heavy-Tailed Symmetric Stochastic Neighbor Embedding" (2009), eq. (23).
    """
    nearest = nearest_neighbors(Y, 1, name="Y")[:, 0]
    codes = _codes(y, nearest.size)
    agree = (codes[nearest] == codes).astype(np.float64)
    return agree if per_point else float(agree.mean())


def knn_error(Y: ArrayLike, y: ArrayLike, k: int = 1, *, per_point: bool = False) -> Any:
    """Return the leave-one-out error of the k-nearest-neighbor rule in the map.

    A tie between classes goes to the one whose nearest member is nearer.

    Parameters
    ----------
    Y : array-like of shape (n_samples, n_components)
    y : array-like of shape (n_samples,)
    k : int, default=1
    per_point : bool, default=False
        Return 0.0 (right) or 1.0 for each point.
    """
    nearest = nearest_neighbors(Y, k, name="Y")
    codes = _codes(y, len(nearest))
    votes = codes[nearest]
    n, K = codes.size, int(codes.max()) + 1
    count = np.zeros((n, K))
    # Ranks break ties and can never outweigh a vote: their sum is below one.
    for rank in range(k):
        count[np.arange(n), votes[:, rank]] += 1 + 0.5 ** (rank + 2)
    wrong = (count.argmax(axis=1) != codes).astype(np.float64)
    return wrong if per_point else float(wrong.mean())


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
        What :func:`nearest_neighbors` says of the data: for many maps of one data set.
    per_point : bool, default=False

    Notes
    -----
    It needs no labels, so it falls where a map shows separation that the data does not have.
    """
    inside = nearest_neighbors(Y, k, name="Y")
    if neighbors is None:
        _same_number(X, Y)
        wanted = nearest_neighbors(_given(X), k, metric)
    else:
        wanted = np.asarray(neighbors)
        if wanted.ndim != 2 or len(wanted) != len(inside) or wanted.shape[1] < k:
            raise ValueError(
                f"neighbors must have shape ({len(inside)}, {k}) or more columns, got "
                f"{wanted.shape}"
            )
    kept = (wanted[:, :k, None] == inside[:, None, :]).any(axis=2).mean(axis=1)
    return kept if per_point else float(kept.mean())


def trustworthiness(
    X: ArrayLike, Y: ArrayLike, k: int = 5, *, metric: Metric = "euclidean", per_point: bool = False
) -> Any:
    """Return how far neighbors in the map can be trusted to be neighbors in the data, in [0, 1].

    Points among the k nearest in the map that are not so in the data count by how far down the
    data's ranking they stand.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Or dissimilarities with ``metric="precomputed"``.
    Y : array-like of shape (n_samples, n_components)
    k : int, default=5
        Below n_samples / 2, where the normalisation ends.
    metric : str or callable, default="euclidean"
        Of the data.
    per_point : bool, default=False

    References
    ----------
    .. [1] Venna and Kaski (2001), "Neighborhood preservation in nonlinear projection methods".
    """
    _check_half(X, Y, k)
    data = check_data(X, metric)
    return _by_ranks(Distances(data, metric), nearest_neighbors(Y, k, name="Y"), per_point)


def continuity(
    X: ArrayLike, Y: ArrayLike, k: int = 5, *, metric: Metric = "euclidean", per_point: bool = False
) -> Any:
    """Return how far neighbors in the data stay neighbors in the map, in [0, 1].

    :func:`trustworthiness` with data and map exchanged; the parameters are the same.
    """
    _check_half(X, Y, k)
    points = check_data(Y, name="Y")
    return _by_ranks(Distances(points, "euclidean"), nearest_neighbors(X, k, metric), per_point)


def _by_ranks(distances: Distances, neighbors: NDArray[np.intp], per_point: bool) -> Any:
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


def _check_half(X: Any, Y: Any, k: int) -> None:
    n = _same_number(X, Y)
    if not 1 <= check_count("k", k) < n / 2:
        raise ValueError(f"k must be at least 1 and below n_samples / 2 = {n / 2:g}, got {k}")


def _same_number(X: Any, Y: Any) -> int:
    n, m = (z.shape[0] if hasattr(z, "shape") else len(z) for z in (_given(X), Y))
    if n != m:
        raise ValueError(f"Y must have a row for each of the {n} points of X, got {m}")
    return int(n)


def _given(X: Any) -> Any:
    if X is None:
        raise ValueError("X must be the data, or neighbors must say what is near in them, got None")
    return X


def _codes(labels: ArrayLike, n: int, name: str = "y") -> NDArray[np.intp]:
    """Return labels as numbers 0 … K − 1."""
    array = np.asarray(labels)
    if array.shape != (n,):
        raise ValueError(f"{name} must have one label for each of {n} points, got {array.shape}")
    codes: NDArray[np.intp] = np.unique(array, return_inverse=True)[1]
    return codes


def inconsistent_pairs(a: ArrayLike, b: ArrayLike) -> float:
    """Return the share of pairs of points that one labelling puts together and the other apart.

    Parameters
    ----------
    a, b : array-like of shape (n_samples,)
        Names of classes do not matter, only who shares one. In [0, 1]; the paper's % is 100 times.

    One minus the Rand index; "Large Margin Non-Linear Embedding", Table 1.
    """
    from sklearn.metrics.cluster import pair_confusion_matrix

    n = np.asarray(a).size
    pairs = pair_confusion_matrix(_codes(a, n, "a"), _codes(b, n, "b"))
    # The off-diagonal counts, and not one minus the rest: a perfect match is exactly zero.
    return float((pairs[0, 1] + pairs[1, 0]) / max(pairs.sum(), 1))


def hotelling_lawley(Y: ArrayLike, labels: ArrayLike) -> float:
    """Return the Hotelling–Lawley trace tr(Σ_B Σ_W⁻¹), between over within the classes' scatter.

    Parameters
    ----------
    Y : array-like of shape (n_samples, n_components)
    labels : array-like of shape (n_samples,)
        Scatter is weighted by the size of the class.

    Returns
    -------
    trace : float
        For two classes on one axis, Fisher's criterion. 0 for a single class. Directions in which
        no class has any extent count nothing where the means agree too, else the trace is infinite.

    References
    ----------
    .. [1] "Large Margin Non-Linear Embedding" (2005), eq. (20).
    """
    points = np.asarray(check_data(Y, name="Y"), dtype=np.float64)
    n, d = points.shape
    codes = _codes(labels, n, "labels")
    between, within = np.zeros((d, d)), np.zeros((d, d))
    center = points.mean(axis=0)
    for k in range(int(codes.max()) + 1):
        own = points[codes == k]
        mean = own.mean(axis=0)
        between += own.shape[0] / n * np.outer(mean - center, mean - center)
        within += (own - mean).T @ (own - mean) / n
    size = np.trace(within) + np.trace(between)
    if size == 0:
        return 0.0
    values, vectors = np.linalg.eigh(within)
    flat = values <= 1e-12 * size
    along = np.einsum("ik,ij,jk->k", vectors, between, vectors)
    if (along[flat] > 1e-12 * size).any():
        return float("inf")
    return float((along[~flat] / values[~flat]).sum())
