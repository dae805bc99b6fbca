"""Separation of classes that a map was not given, and differences of two labelings."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from nbembed.data.distances import Metric, check_span
from nbembed.measures.checks import check_labels, check_map, codes_of
from nbembed.neighbors import nearest_neighbors
from nbembed.validation import check_flag


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
    per_point = check_flag("per_point", per_point)
    nearest = nearest_neighbors(Y, 1, name="Y")[:, 0]
    codes = codes_of(y, nearest.size)
    agree = (codes[nearest] == codes).astype(np.float64)
    return agree if per_point else float(agree.mean())


def good_neighbors(
    Z: ArrayLike,
    y: ArrayLike,
    k: int = 1,
    *,
    metric: Metric = "euclidean",
    per_point: bool = False,
) -> Any:
    """Return the share of the k nearest neighbors that have a point's own class, over all points.

    With k = 1 it is the training accuracy of the nearest-neighbor rule with all labels known, each
    point left out of its own vote (:func:`homogeneity`, in any space): how well a representation
    could serve, if one had the labels.

    Parameters
    ----------
    Z : array-like or sparse matrix of shape (n_samples, n_features)
        A map, or the data themselves for comparison; dissimilarities with ``metric="precomputed"``.
    y : array-like of shape (n_samples,)
        The labels of all points.
    k : int, default=1
    metric : str or callable, default="euclidean"
    per_point : bool, default=False
        Return each point's share.

    References
    ----------
    .. [1] "A unified semi-supervised dimensionality reduction framework for manifold learning",
       section 5.
    """
    per_point = check_flag("per_point", per_point)
    nearest = nearest_neighbors(Z, k, metric, name="Z")
    codes = codes_of(y, len(nearest))
    share = (codes[nearest] == codes[:, None]).mean(axis=1)
    return share if per_point else float(share.mean())


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
    per_point = check_flag("per_point", per_point)
    nearest = nearest_neighbors(Y, k, name="Y")
    codes = codes_of(y, len(nearest))
    votes = codes[nearest]
    n, K = codes.size, int(codes.max()) + 1
    count = np.zeros((n, K))
    # Ranks break ties and can never outweigh a vote: their sum is below one.
    for rank in range(k):
        count[np.arange(n), votes[:, rank]] += 1 + 0.5 ** (rank + 2)
    wrong = (count.argmax(axis=1) != codes).astype(np.float64)
    return wrong if per_point else float(wrong.mean())


def inconsistent_pairs(a: ArrayLike, b: ArrayLike) -> float:
    """Return the share of pairs of points that are together in exactly one of two labelings.

    Parameters
    ----------
    a, b : array-like of shape (n_samples,)
        Only the partition matters, not the names of its classes.

    Returns
    -------
    float
        In [0, 1], one minus the Rand index; in percent in "Large Margin Non-Linear Embedding",
        Table 1.
    """
    from sklearn.metrics.cluster import pair_confusion_matrix

    n = check_labels(a, "a").size
    if n < 2:
        raise ValueError(f"a must label at least two points, got {n}")
    pairs = pair_confusion_matrix(codes_of(a, n, "a"), codes_of(b, n, "b"))
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
        For two classes on one axis, Fisher's criterion. 0 for a single class. Directions without
        scatter within classes count as zero if the means agree in them; else the trace is infinite.

    References
    ----------
    .. [1] "Large Margin Non-Linear Embedding" (2005), eq. (20).
    """
    points = np.asarray(check_map(Y), dtype=np.float64)
    check_span(points, "Y")
    n, d = points.shape
    codes = codes_of(labels, n, "labels")
    between, within = np.zeros((d, d)), np.zeros((d, d))
    # In units of the map's own size: of very large or small numbers products would be lost.
    center = points.mean(axis=0)
    points = points - center
    points /= max(float(np.abs(points).max()), np.finfo(np.float64).tiny)
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
