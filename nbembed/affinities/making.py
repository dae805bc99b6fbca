"""Affinities made from data or dissimilarities: of one perplexity, or of one width."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, DTypeLike
from scipy import sparse

from nbembed.affinities.rows import (
    check_memory_of_pairs,
    check_neighbor_memory,
    check_perplexity_of_stored,
    nearest_rows,
    threads_for,
)
from nbembed.affinities.value import Affinities
from nbembed.data.distances import Distances, Metric, check_complete, fewest_stored, name_of
from nbembed.data.matrix_input import check_data, matrix_of
from nbembed.kernels.calibration import calibrate, normalize
from nbembed.neighbors import check_k
from nbembed.system.memory import check_memory
from nbembed.system.work import stage, warn
from nbembed.validation import (
    check_count,
    check_float_type,
    check_perplexity,
    check_perplexity_of_neighbors,
)


def perplexity_affinities(
    X: ArrayLike,
    perplexity: float | Literal["auto"] = "auto",
    metric: Metric = "euclidean",
    *,
    n_neighbors: int | None = None,
    dtype: DTypeLike = np.float32,
    n_jobs: int | None = None,
) -> Affinities:
    """Return row-stochastic affinities, each row of the same perplexity.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        With ``metric="precomputed"`` dissimilarities (n_samples, n_samples), which need be neither
        metric nor symmetric; row i has the dissimilarities of the others to point i. Of a sparse
        matrix, what is not stored is far: rows are then over the nearest neighbors that every row
        stores, or ``n_neighbors`` of them.
    perplexity : float or "auto", default="auto"
        In [1, k], k being ``n_neighbors`` or else n_samples − 1; "auto" is min(30, k/3), at least
        1.
    metric : str or callable, default="euclidean"
        A name that scikit-learn or SciPy knows, or a function of two points.
    n_neighbors : int, optional
        Each row is over so many nearest neighbors of the point alone, and P is sparse; in
        [1, n_samples − 1]. None: over all other points, and P is dense. Of 20 000 dense points or
        more, neighbors are searched approximately: :attr:`Affinities.recall`.
    dtype : float32 or float64
        Of P.
    n_jobs : int, optional
        Threads; None is all cores. The result does not depend on it.

    Returns
    -------
    Affinities
        In the row form; ``joint()`` returns the other.

    Warns
    -----
    UserWarning
        Once, if more than ``perplexity`` points tie for the nearest of some point, as duplicates at
        distance zero do: no width gives so small a perplexity, and its row is uniform over them.

    Raises
    ------
    ValueError
        Naming the invalid argument and the allowed values; or if P would not fit into memory.

    Notes
    -----
    O(n² n_features) time; P and a block of distances (tens of megabytes) in memory. With
    ``n_neighbors`` the time of :func:`nbembed.measures.nearest_neighbors` and O(n n_neighbors)
    memory.
    """
    data = check_data(X, metric)
    n = data.shape[0]
    stored = fewest_stored(data, metric)
    if n_neighbors is not None:
        n_neighbors = check_k(n_neighbors, n, "n_neighbors")
    if stored is not None:
        check_perplexity_of_stored(perplexity, stored)
        n_neighbors = stored if n_neighbors is None else min(n_neighbors, stored)
    if n_neighbors is None:
        k = n - 1
        perplexity = check_perplexity(perplexity, n)
    else:
        k = n_neighbors
        perplexity = check_perplexity_of_neighbors(perplexity, k)
    dtype = check_float_type(dtype)
    if n_neighbors is None:
        check_memory_of_pairs(n, dtype)
    else:
        check_neighbor_memory(n, k, dtype)
    recall, nearest = None, None
    beta, tied = np.empty(n), np.empty(n, np.int64)
    if n_neighbors is None:
        P, n_threads = np.empty((n, n), dtype), threads_for(n, n_jobs)
        calibrating = stage("finding neighborhoods", n)
        for here, D2 in Distances(data, metric).blocks():
            skip = np.arange(here.start, here.stop)
            _, beta[here], tied[here] = calibrate(D2, skip, perplexity, n_threads, P[here])
            calibrating.advance(len(D2))
    else:
        P, beta, tied, recall, nearest = nearest_rows(data, perplexity, metric, k, dtype, n_jobs)
    crowded = np.count_nonzero(tied > perplexity)
    if crowded:
        warn(
            f"{crowded} of {n} points have more than perplexity = {perplexity:g} equally near "
            "neighbors, such as duplicates; their probabilities are uniform over these "
            "neighbors. A larger perplexity, or X without duplicates, avoids it",
            stacklevel=2,
        )
    source = _kept(X, data), metric
    kept = None if n_neighbors is None else k
    return Affinities(
        P,
        "row",
        beta,
        perplexity,
        None,
        name_of(metric),
        source,
        n_neighbors=kept,
        recall=recall,
        nearest=nearest,
    )


def global_affinities(
    X: ArrayLike,
    n_classes: int,
    metric: Metric = "euclidean",
    *,
    dtype: DTypeLike = np.float32,
    n_jobs: int | None = None,
) -> Affinities:
    """Return Mbed's row-stochastic affinities, with one width for all points.

    Parameters
    ----------
    X : array-like or sparse matrix of shape (n_samples, n_features)
        Or dissimilarities with ``metric="precomputed"``.
    n_classes : int
        K ≥ 2: the width σ is the 1/K quantile of all pairwise distances.
    metric : str or callable, default="euclidean"
    dtype : float32 or float64
    n_jobs : int, optional
        As for :func:`perplexity_affinities`.

    Warns
    -----
    UserWarning
        If so many points coincide that the quantile is zero: the smallest distance above zero is
        used in its place. Where all points coincide, rows are uniform at any width.

    Raises
    ------
    ValueError
        If the pairs would not fit into memory.
    """
    n_classes = check_count("n_classes", n_classes, low=2)
    data = check_data(X, metric)
    n = data.shape[0]
    check_all_pairs(data, metric)
    check_global_memory(n, dtype)
    P = np.empty((n, n), check_float_type(dtype))
    distances = Distances(data, metric)
    pairs = distances.of_pairs()
    sigma = float(np.quantile(pairs, 1 / n_classes, overwrite_input=True))
    if sigma == 0:
        positive = pairs[pairs > 0]
        sigma = float(positive.min()) if positive.size else 1.0
        if positive.size:
            warn(
                f"more than 1/{n_classes} of all pairs of points in X coincide; the Gaussian "
                f"width is the smallest positive distance, {sigma:.4g}, instead of the "
                f"1/{n_classes} quantile",
                stacklevel=2,
            )
    del pairs
    beta = 0.5 / sigma**2
    normalizing = stage("finding neighborhoods", n)
    for here, D2 in distances.blocks():
        skip = np.arange(here.start, here.stop)
        normalize(D2, skip, beta, threads_for(n, n_jobs), P[here])
        normalizing.advance(len(D2))
    source = _kept(X, data), metric
    return Affinities(P, "row", np.full(n, beta), None, sigma, name_of(metric), source)


def check_all_pairs(data: Any, metric: Metric) -> None:
    """Raise ValueError where one width for all points is asked of dissimilarities of some pairs."""
    if isinstance(metric, str) and metric == "precomputed":
        instead = 'a width for each point, affinity="perplexity" of Mbed, takes those'
        check_complete(data, instead=instead)


def check_global_memory(n: int, dtype: DTypeLike = np.float32, forms: int = 1) -> None:
    """Raise ValueError if affinities of one width for n points would not fit into memory.

    Neither a quantile of all distances nor a width that is the same in dense and in sparse regions
    can be had from a few neighbors of each point: every pair counts. ``forms`` is the number of
    forms in which probabilities of all pairs will be kept.
    """
    # The distances of all pairs, sorted for their quantile, go before P is filled.
    needed = max(4 * n * (n - 1), forms * check_float_type(dtype).itemsize * n**2)
    check_memory(
        needed,
        f"one width for all points, which needs all {n} × {n} pairs,",
        'a width for each point, affinity="perplexity" of Mbed or perplexity_affinities(X, '
        "n_neighbors=...)",
    )


def _kept(X: Any, data: Any) -> Any:
    """Return checked data that later changes of the caller's array do not reach."""
    if sparse.issparse(data):
        return data.copy()
    if not (data.flags.writeable and np.may_share_memory(data, np.asarray(matrix_of(X)))):
        return data
    return data.copy()
