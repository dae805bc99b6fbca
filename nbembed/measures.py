"""Quality measures: how much of the data a map keeps, and how well its places tell classes apart.

Measures of neighborhoods compare the k nearest points in the data with those in the map; measures
of classes compare the map with labels that the map never saw. Each has a per-point form where one
exists (``per_point=True``), whose mean is the measure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nbembed.validation import check_count

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def nearest_neighbors(X: ArrayLike, k: int = 1, metric: Any = "euclidean") -> NDArray[np.intp]:
    """Return the k nearest other points of each point, nearest first, shape (n_samples, k).

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Or dissimilarities with ``metric="precomputed"``.
    k : int, default=1
        Less than n_samples.
    metric : str or callable, default="euclidean"

    Raises
    ------
    ValueError
        If k is not in [1, n_samples − 1].
    """
    from scipy.sparse import issparse
    from scipy.spatial import KDTree
    from sklearn.neighbors import NearestNeighbors

    points: Any = X if issparse(X) else np.asarray(X)
    n = points.shape[0]
    if not 1 <= check_count("k", k) <= n - 1:
        raise ValueError(f"k must be in [1, {n - 1}] for {n} points, got {k}")
    if metric == "euclidean" and not issparse(X) and points.shape[1] <= 3:
        # A map: SciPy's tree is several times faster in the plane than scikit-learn's.
        _, index = KDTree(points).query(points, k=k + 1)
        return _drop_self(np.asarray(index), k)
    if metric == "precomputed":
        d = np.array(points.toarray() if issparse(points) else points, dtype=np.float64)
        np.fill_diagonal(d, np.inf)
        order: NDArray[np.intp] = np.argsort(d, axis=1, kind="stable")
        return order[:, :k]
    found: NDArray[np.intp] = (
        NearestNeighbors(n_neighbors=k, metric=metric).fit(points).kneighbors(return_distance=False)
    )
    return found


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
    labels = np.asarray(y)
    agree = (labels[nearest_neighbors(Y, 1)[:, 0]] == labels).astype(np.float64)
    return agree if per_point else float(agree.mean())


def knn_error(Y: ArrayLike, y: ArrayLike, k: int = 1, *, per_point: bool = False) -> Any:
    """Return the leave-one-out error of the k-nearest-neighbor rule in the map.

    A tie between classes goes to the one whose nearest member is nearer.
    """
    _, codes = np.unique(np.asarray(y), return_inverse=True)
    votes = codes[nearest_neighbors(Y, k)]
    n, K = codes.size, int(codes.max()) + 1
    count = np.zeros((n, K))
    # Ranks break ties and can never outweigh a vote: their sum is below one.
    for rank in range(k):
        count[np.arange(n), votes[:, rank]] += 1 + 0.5 ** (rank + 2)
    wrong = (count.argmax(axis=1) != codes).astype(np.float64)
    return wrong if per_point else float(wrong.mean())


def neighbor_preservation(
    X: ArrayLike, Y: ArrayLike, k: int = 1, *, metric: Any = "euclidean", per_point: bool = False
) -> Any:
    """Return the share of each point's k nearest neighbors in the data that it keeps in the map.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features), or ndarray of int of shape (n_samples, k)
        The data, or the index of its neighbors as :func:`nearest_neighbors` gives it.
    Y : array-like of shape (n_samples, n_components)
    k : int, default=1
    metric : str or callable, default="euclidean"
        Of the data; the map is always Euclidean.
    per_point : bool, default=False

    Notes
    -----
    It needs no labels, so it falls where a map shows separation that the data does not have.
    """
    index = X if _is_index(X, k) else nearest_neighbors(X, k, metric)
    inside = nearest_neighbors(Y, k)
    kept = (np.asarray(index)[:, :, None] == inside[:, None, :]).any(axis=2).mean(axis=1)
    return kept if per_point else float(kept.mean())


def _is_index(X: Any, k: int) -> bool:
    return isinstance(X, np.ndarray) and X.dtype == np.intp and X.ndim == 2 and X.shape[1] == k


def trustworthiness(
    X: ArrayLike, Y: ArrayLike, k: int = 5, *, metric: Any = "euclidean", per_point: bool = False
) -> Any:
    """Return how far neighbors in the map can be trusted to be neighbors in the data, in [0, 1].

    Points among the k nearest in the map that are not so in the data count by how far down the
    data's ranking they stand.

    Raises
    ------
    ValueError
        If k is not below n_samples / 2, where the normalisation ends.

    References
    ----------
    .. [1] Venna and Kaski (2001), "Neighborhood preservation in nonlinear projection methods".
    """
    return _rank_measure(_ranks(X, metric), nearest_neighbors(Y, _half(X, k)), k, per_point)


def continuity(
    X: ArrayLike, Y: ArrayLike, k: int = 5, *, metric: Any = "euclidean", per_point: bool = False
) -> Any:
    """Return how far neighbors in the data stay neighbors in the map, in [0, 1].

    :func:`trustworthiness` with data and map exchanged.
    """
    return _rank_measure(
        _ranks(Y, "euclidean"), nearest_neighbors(X, _half(X, k), metric), k, per_point
    )


def _half(X: Any, k: int) -> int:
    n = X.shape[0] if hasattr(X, "shape") else len(X)
    if not 1 <= check_count("k", k) < n / 2:
        raise ValueError(f"k must be at least 1 and below n_samples / 2 = {n / 2:g}, got {k}")
    return k


def _ranks(X: ArrayLike, metric: Any) -> NDArray[np.intp]:
    """Return the rank of each point among the neighbors of each (nearest 1), shape (n, n)."""
    from sklearn.metrics import pairwise_distances

    d = np.array(pairwise_distances(X, metric=metric), dtype=np.float64)
    n = d.shape[0]
    np.fill_diagonal(d, -1.0)
    order = np.argsort(d, axis=1, kind="stable")
    ranks = np.empty((n, n), dtype=np.intp)
    ranks[np.arange(n)[:, None], order] = np.arange(n)
    return ranks


def _rank_measure(
    ranks: NDArray[np.intp], neighbors: NDArray[np.intp], k: int, per_point: bool
) -> Any:
    n = ranks.shape[0]
    over = np.maximum(ranks[np.arange(n)[:, None], neighbors] - k, 0).sum(axis=1)
    value = 1 - over * (2 / (k * (2 * n - 3 * k - 1)))
    return value if per_point else float(value.mean())


def inconsistent_pairs(a: ArrayLike, b: ArrayLike) -> float:
    """Return the share of pairs that one labelling puts together and the other apart.

    One minus the Rand index; "Large Margin Non-Linear Embedding", Table 1.
    """
    from sklearn.metrics import rand_score

    return 1.0 - float(rand_score(np.asarray(a), np.asarray(b)))


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
    points = np.asarray(Y, dtype=np.float64)
    _, codes = np.unique(np.asarray(labels), return_inverse=True)
    n, d = points.shape
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
