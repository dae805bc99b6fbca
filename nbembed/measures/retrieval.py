"""Maps as answers to the question who is near: ranks, precision and recall.

With ν_i^k the k nearest of point i in the data and n_i^k those in the map,

    R_NX(k) = ((n − 1) Q_NX(k) − k) / (n − 1 − k),   Q_NX(k) = Σ_i |ν_i^k ∩ n_i^k| / kn

is what a map keeps beyond chance, from 0 (a random map) to 1, at every size of a neighborhood.
Precision and recall ask how many of the r nearest in the map are among the k nearest in the data,
and the other way round; their smoothed forms are the two sums of NeRV's cost.

Points at one distance are ranked by their number: a map that has points in one place knows no
better.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import logsumexp

from nbembed.data.distances import Distances, Metric
from nbembed.kernels.calibration import calibrate
from nbembed.measures.checks import check_map, check_neighbors, checked_pair
from nbembed.neighbors import check_k, nearest_neighbors
from nbembed.validation import check_choice, check_flag, check_perplexity


def r_nx(X: ArrayLike, Y: ArrayLike, *, metric: Metric = "euclidean") -> NDArray[np.float64]:
    """Return the curve R_NX(k), the neighborhoods kept beyond chance.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Or dissimilarities with ``metric="precomputed"``.
    Y : array-like of shape (n_samples, n_components)
        At least three points.
    metric : str or callable, default="euclidean"
        Of the data; the map is always Euclidean.

    Returns
    -------
    ndarray of shape (n_samples − 2,)
        Of k = 1, 2, …, n_samples − 2; 1 where all is kept, about 0 for a random map.

    Raises
    ------
    ValueError
        If X and Y are not of the same number of points, or of fewer than three.

    Notes
    -----
    O(n² log n) time, a block of rows at a time.

    References
    ----------
    .. [1] Lee, Renard, Bernard, Dupont and Verleysen (2013), "Type 1 and 2 mixtures of
       Kullback–Leibler divergences as cost functions in dimensionality reduction".
    """
    data, points = _at_least_three(X, Y, metric)
    n = len(points)
    count = np.zeros(n, dtype=np.int64)
    for _, worse in _worse_ranks(data, points, metric):
        count += np.bincount(worse.ravel(), minlength=n)[:n]
    return _beyond_chance(np.cumsum(count[1 : n - 1]) / n, n)


def r_nx_auc(
    X: ArrayLike, Y: ArrayLike, *, metric: Metric = "euclidean", per_point: bool = False
) -> Any:
    """Return the area under R_NX(k) over log k: Σ_k R_NX(k)/k over Σ_k 1/k.

    Small neighborhoods count for more, and no size has to be chosen. The parameters are those of
    :func:`r_nx`; with ``per_point`` the values of the points' own curves, whose mean is the area.
    """
    per_point = check_flag("per_point", per_point)
    data, points = _at_least_three(X, Y, metric)
    n = len(points)
    share = 1 / np.arange(1, n - 1)
    share /= share.sum()
    area = np.empty(n)
    for here, worse in _worse_ranks(data, points, metric):
        rows = worse.shape[0]
        flat = worse + n * np.arange(rows)[:, None]
        count = np.bincount(flat.ravel(), minlength=rows * n).reshape(rows, n)
        area[here] = _beyond_chance(np.cumsum(count[:, 1 : n - 1], axis=1), n) @ share
    return area if per_point else float(area.mean())


class PrecisionRecall(NamedTuple):
    """A curve over the number r of points retrieved.

    Attributes
    ----------
    precision, recall : ndarray of shape (n_samples − 1,), or (n_samples, n_samples − 1) per point
        At r = 1, 2, …, n_samples − 1.
    """

    precision: NDArray[np.float64]
    recall: NDArray[np.float64]


def precision_recall(
    X: ArrayLike | None,
    Y: ArrayLike,
    k: int = 20,
    *,
    metric: Metric = "euclidean",
    neighbors: NDArray[np.intp] | None = None,
    per_point: bool = False,
) -> PrecisionRecall:
    """Return precision and recall of retrieving each point's neighbors from the map.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data; not read if ``neighbors`` is given.
    Y : array-like of shape (n_samples, n_components)
    k : int, default=20
        The k nearest in the data are what should be found.
    metric : str or callable, default="euclidean"
        Of the data.
    neighbors : ndarray of int of shape (n_samples, k or more), optional
        The result of :func:`nearest_neighbors` for the data, to be shared by many maps of it.
    per_point : bool, default=False
        Return the curve of each point, n_samples² numbers; their mean is the curve.

    Returns
    -------
    PrecisionRecall
        With m(r) of a point's k among the r nearest in the map: precision m(r)/r, recall m(r)/k,
        averaged over points.

    Raises
    ------
    ValueError
        If k is not in [1, n_samples − 1], or shapes do not fit.

    References
    ----------
    .. [1] Venna, Peltonen, Nybo, Aidos and Kaski (2010), "Information retrieval perspective to
       nonlinear dimensionality reduction for data visualization".
    """
    per_point = check_flag("per_point", per_point)
    if neighbors is None:
        data, points = checked_pair(X, Y, metric)
        n = len(points)
        relevant = nearest_neighbors(data, k, metric)
    else:
        points = check_map(Y)
        n = len(points)
        relevant = check_neighbors(neighbors, n, check_k(k, n))
    retrieved = np.arange(1, n)
    found = np.zeros((n if per_point else 1, n))
    for here, ranks in _ranks(Distances(points, "euclidean", name="Y")):
        at = np.take_along_axis(ranks, relevant[here], axis=1)
        if per_point:
            rows = np.repeat(np.arange(here.start, here.stop), k)
            np.add.at(found, (rows, at.ravel()), 1.0)
        else:
            found[0] += np.bincount(at.ravel(), minlength=n)[:n]
    among = np.cumsum(found[:, 1:], axis=1)
    if not per_point:
        among = among[0] / n
    return PrecisionRecall(among / retrieved, among / k)


class SmoothedErrors(NamedTuple):
    """Neighbors that a map misses and neighbors that it shows wrongly, in nats.

    Attributes
    ----------
    recall : float, or ndarray of shape (n_samples,)
        Σ_i KL(p_i‖q_i): the cost of true neighbors that are not near in the map.
    precision : float, or ndarray of shape (n_samples,)
        Σ_i KL(q_i‖p_i): the cost of neighbors in the map that are none in the data.
    """

    recall: Any
    precision: Any


def smoothed_errors(
    X: ArrayLike,
    Y: ArrayLike,
    perplexity: float | Literal["auto"] = "auto",
    *,
    metric: Metric = "euclidean",
    width: str = "point",
    per_point: bool = False,
) -> SmoothedErrors:
    """Return the smoothed errors of recall and precision: the two sums of NeRV's cost.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Or dissimilarities with ``metric="precomputed"``.
    Y : array-like of shape (n_samples, n_components)
        A map in the units of :class:`nbembed.NeRV`; these errors depend on its size.
    perplexity : float or "auto", default="auto"
        Of the rows p_ij ∝ exp(−β_i d_ij²); "auto" is min(30, (n_samples − 1)/3).
    metric : str or callable, default="euclidean"
        Of the data.
    width : {"point", "uniform"}, default="point"
        q_ij ∝ exp(−w_i ‖y_i − y_j‖²) with w_i = β_i over the geometric mean of all β, or w_i = 1.
    per_point : bool, default=False
        Return the terms of the points, whose *sum* is the error.

    Returns
    -------
    SmoothedErrors
        Zero at best; small errors are high recall and precision.

    Notes
    -----
    Logarithms of p come from the distances, so that far pairs count in full although their p
    underflows. O(n²) time, a block of rows at a time.

    References
    ----------
    .. [1] Venna, Peltonen, Nybo, Aidos and Kaski (2010), "Information retrieval perspective to
       nonlinear dimensionality reduction for data visualization", section 2.2.
    """
    per_point = check_flag("per_point", per_point)
    data, points = checked_pair(X, Y, metric)
    n = len(points)
    perplexity = check_perplexity(perplexity, n)
    check_choice("width", width, ("point", "uniform"))
    beta = np.empty(n)
    for here, D2 in Distances(data, metric).blocks():
        own = np.arange(here.start, here.stop)
        beta[here] = calibrate(D2, own, perplexity, 1).beta
    w = np.ones(n)
    if width == "point":
        w = beta / np.exp(np.log(beta).mean())
    missed, false = np.empty(n), np.empty(n)
    inside = Distances(points, "euclidean", name="Y").blocks()
    for (here, D2), (_, map_D2) in zip(Distances(data, metric).blocks(), inside, strict=True):
        log_p = _log_rows(D2, beta[here], here)
        log_q = _log_rows(map_D2, w[here], here)
        apart = np.subtract(log_p, log_q, where=np.isfinite(log_p), out=np.zeros_like(log_p))
        missed[here] = np.einsum("ij,ij->i", np.exp(log_p), apart)
        false[here] = -np.einsum("ij,ij->i", np.exp(log_q), apart)
    if per_point:
        return SmoothedErrors(missed, false)
    return SmoothedErrors(float(missed.sum()), float(false.sum()))


# ---- parts ---------------------------------------------------------------------------------------


def _at_least_three(X: Any, Y: Any, metric: Metric) -> tuple[Any, NDArray[Any]]:
    data, points = checked_pair(X, Y, metric)
    if len(points) < 3:
        raise ValueError(f"X must have at least 3 points to rank neighbors, got {len(points)}")
    return data, points


def _ranks(distances: Distances) -> Iterator[tuple[slice, NDArray[np.intp]]]:
    """Yield ranks from 1 for the nearest; the point itself has n."""
    n = distances.shape[1]
    for here, D2 in distances.blocks():
        own = np.arange(here.start, here.stop)
        D2[own - here.start, own] = np.inf
        order = D2.argsort(axis=1, kind="stable")
        ranks = np.empty_like(order)
        np.put_along_axis(ranks, order, np.broadcast_to(np.arange(1, n + 1), D2.shape), axis=1)
        yield here, ranks


def _worse_ranks(X: Any, Y: Any, metric: Metric) -> Iterator[tuple[slice, NDArray[np.intp]]]:
    """Yield the larger of the ranks in data and map, below n; n for the point itself."""
    outside = _ranks(Distances(X, metric))
    inside = _ranks(Distances(Y, "euclidean", name="Y"))
    for (here, a), (_, b) in zip(outside, inside, strict=True):
        worse = np.maximum(a, b)
        # The point itself, beyond all that is counted.
        worse[worse == a.shape[1]] = 0
        yield here, worse


def _beyond_chance(kept: NDArray[Any], n: int) -> NDArray[np.float64]:
    """Return R_NX from the numbers |ν ∩ n| for k = 1 … n − 2, along the last axis."""
    k = np.arange(1, n - 1)
    return np.asarray(((n - 1) * kept / k - k) / (n - 1 - k))


def _log_rows(
    D2: NDArray[np.float64], precision: NDArray[np.float64], here: slice
) -> NDArray[np.float64]:
    """Return log of rows ∝ exp(−precision D2), −inf at the point itself."""
    own = np.arange(here.start, here.stop)
    logs = -precision[:, None] * D2
    logs[own - here.start, own] = -np.inf
    return np.asarray(logs - logsumexp(logs, axis=1, keepdims=True))
