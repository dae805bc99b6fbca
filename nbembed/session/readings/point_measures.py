"""Measures of each point of a map, for the eye: where a map keeps its data, and where it does not.

    trustworthiness_i = 1 − c Σ_j max(0, r_ij − k)    over the k nearest j on the map, r in the data
    continuity_i      = 1 − c Σ_j max(0, r̂_ij − k)    over the k nearest j in the data, r̂ on the map
    kept_i            = |N_i ∩ N̂_i| / k
    stress_i          = √(Σ_j (δ_ij − b d_ij)² / Σ_j δ_ij²),   b = Σ δ d / Σ d²

with c = 2/(k(2n − 3k − 1)), N_i and N̂_i the k nearest in the data and on the map, δ and d distances
there. One b for all points: where a region is shrunk against the others, its stress is high.

Up to :data:`MANY` points they are exact. Of more, ranks and stress are estimated from distances to
a sample of :data:`SAMPLE` points, drawn once; neighbors themselves are those among all points.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.data.distances import Distances, same_metric, scales_of
from nbembed.measures.neighborhoods import by_ranks
from nbembed.neighbors import nearest_neighbors
from nbembed.validation import check_choice, check_count

#: Above so many points, ranks and stress are estimated from so many of them.
MANY = 5000
SAMPLE = 1000
#: What can be measured of a layout alone; "pull" is of its objective, "stability" of other maps
#: (:mod:`nbembed.session.readings.why`).
OF_LAYOUTS = ("trustworthiness", "continuity", "kept", "stress")
MEASURES = (*OF_LAYOUTS, "pull", "stability")
#: Those that compare ranks, which are normalized up to half of the points, or samples of these.
UP_TO_HALF = ("trustworthiness", "continuity", "stability")


def check_measure(name: Any, k: Any, n_samples: int) -> int:
    """Return the size of a neighborhood that a measure can be taken with.

    Raises TypeError or ValueError if there is no such measure, or none of that k.
    """
    check_choice("name", name, MEASURES)
    size = check_count("k", k)
    if name in UP_TO_HALF and 2 * size >= n_samples:
        raise ValueError(f"k must be below half of the {n_samples} points, got {size}")
    if name == "kept" and size >= n_samples:
        raise ValueError(f"k must be below the number of points, {n_samples}, got {size}")
    return size


class PointMeasures:
    """Measures layouts of one data set. Thread-safe.

    * X: checked data, or dissimilarities if the metric is "precomputed".
    """

    def __init__(self, X: Any) -> None:
        n = int(X.shape[0])
        self._X = X
        self._lock = threading.Lock()
        self._neighbors: tuple[Any, NDArray[np.intp]] | None = None  # of the last metric
        #: The points that ranks and stress are estimated from.
        self.reference: NDArray[np.intp] = np.arange(n)
        if n > MANY:
            self.reference = np.sort(np.random.default_rng(0).choice(n, SAMPLE, replace=False))

    def measured(self, name: str, Y: NDArray[Any], metric: Any, k: int) -> NDArray[np.float64]:
        """Return one of :data:`OF_LAYOUTS` for each point, shape (n_samples,).

        * Y: of shape (n_samples, n_components).
        * metric: of the data.
        * k: checked.
        """
        if name == "stress":
            return self._stress(Y, metric)
        data, near = self.neighbors(metric, k), nearest_neighbors(Y, k, name="Y")
        if name == "kept":
            kept: NDArray[np.float64] = _among(data, near).mean(axis=1)
            return kept
        on_map = name == "continuity"
        if self.reference.size == len(Y):
            space = Distances(Y, "euclidean", name="Y") if on_map else Distances(self._X, metric)
            exact: NDArray[np.float64] = by_ranks(space, data if on_map else near, per_point=True)
            return exact
        if on_map:
            over = self._over(self._map_rows(Y), data, near, _map_pairs(Y, data))
        else:
            over = self._over(self._data_rows(metric), near, data, self._data_pairs(metric, near))
        return 1 - over * (2 / (k * (2 * len(Y) - 3 * k - 1)))

    def neighbors(self, metric: Any, k: int) -> NDArray[np.intp]:
        """Return the k nearest points of each point in the data, found once for each metric."""
        with self._lock:
            known = self._neighbors
            same = known is not None and same_metric(known[0], metric)
            if known is None or not same or known[1].shape[1] < k:
                known = metric, nearest_neighbors(self._X, k, metric, search="auto")
                self._neighbors = known
            return known[1][:, :k]

    # -- ranks --------------------------------------------------------------------------------

    def _over(
        self,
        rows: Iterator[tuple[slice, NDArray[np.float64]]],
        others: NDArray[np.intp],
        known: NDArray[np.intp],
        pairs: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """Return Σ_j max(0, rank_ij − k) over the ``others`` j of each point, estimated.

        * rows: squared distances in the space that ranks are of, to the reference points.
        * others: of shape (n_samples, k).
        * known, of shape (n_samples, k): the k nearest in that space.
        * pairs, of shape (n_samples, k): squared distances there to ``others``.
        """
        n, k = others.shape
        over = np.zeros(n)
        for here, D2 in rows:
            own = np.searchsorted(self.reference, np.arange(here.start, here.stop))
            own = np.minimum(own, self.reference.size - 1)
            among = np.flatnonzero(self.reference[own] == np.arange(here.start, here.stop))
            D2[among, own[among]] = np.inf
            seen = np.full(len(D2), self.reference.size)
            seen[among] -= 1
            near = _among(others[here], known[here])
            for j in range(k):
                nearer = np.count_nonzero(pairs[here, j, None] > D2, axis=1)
                # What is no neighbor has a rank above k.
                beyond = np.maximum(nearer * ((n - 1) / seen) + 1 - k, 1)
                over[here] += np.where(near[:, j], 0, beyond)
        return over

    def _data_rows(self, metric: Any) -> Iterator[tuple[slice, NDArray[np.float64]]]:
        X, sample = self._X, self.reference
        if sample.size == X.shape[0]:
            return Distances(X, metric).blocks()
        if isinstance(metric, str) and metric == "precomputed":
            return Distances(X[:, sample], metric, X).blocks()
        return Distances(X, metric, X[sample], scales=scales_of(X, metric)).blocks()

    def _map_rows(self, Y: NDArray[Any]) -> Iterator[tuple[slice, NDArray[np.float64]]]:
        if self.reference.size == len(Y):
            return Distances(Y, "euclidean", name="Y").blocks()
        return Distances(Y, "euclidean", Y[self.reference], name="Y").blocks()

    def _data_pairs(self, metric: Any, others: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return squared distances in the data to ``others``."""
        X, n = self._X, len(others)
        if isinstance(X, np.ndarray) and metric in ("euclidean", "l2", "minkowski"):
            return _map_pairs(X, others)
        if isinstance(metric, str) and metric == "precomputed":
            rows = np.repeat(np.arange(n), others.shape[1])
            found = np.asarray(X[rows, others.ravel()], dtype=np.float64)
            return np.square(found.reshape(others.shape))
        scales, pairs = scales_of(X, metric), np.empty(others.shape)
        for i, there in enumerate(others):
            for _, D2 in Distances(X[i : i + 1], metric, X[there], scales=scales).blocks():
                pairs[i] = D2[0]
        return pairs

    # -- stress -------------------------------------------------------------------------------

    def _stress(self, Y: NDArray[Any], metric: Any) -> NDArray[np.float64]:
        n = len(Y)
        squares = np.empty((3, n))  # Σ δ², Σ δ d and Σ d² of each row
        for (here, data), (_, near) in zip(self._data_rows(metric), self._map_rows(Y), strict=True):
            squares[0, here], squares[2, here] = data.sum(axis=1), near.sum(axis=1)
            squares[1, here] = np.einsum("ij,ij->i", np.sqrt(data), np.sqrt(near))
        own, both, theirs = squares
        b = both.sum() / theirs.sum() if theirs.any() else 0.0
        left = own - 2 * b * both + b**2 * theirs
        # A point that is equal to all others has no distance to keep.
        share = np.divide(left, own, out=np.zeros(n), where=own > 0)
        stress: NDArray[np.float64] = np.sqrt(np.maximum(share, 0))
        return stress


def _among(points: NDArray[np.intp], others: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Return of each row's points whether they are among the row's others, in O(n k) memory."""
    found = np.zeros(points.shape, bool)
    for j in range(others.shape[1]):
        found |= points == others[:, j, None]
    return found


def _map_pairs(Y: NDArray[Any], others: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return squared distances of each row to some others."""
    pairs = np.empty(others.shape)
    for j in range(others.shape[1]):
        apart = Y.astype(np.float64, copy=False) - Y[others[:, j]]
        pairs[:, j] = np.einsum("ij,ij->i", apart, apart)
    return pairs
