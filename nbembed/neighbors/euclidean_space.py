"""Metrics that are functions of Euclidean distances in other coordinates, which all searches serve.

cosine        d = ‖a − b‖²/2 of rows of length one
correlation   the same of rows less their means
seuclidean    d = ‖a − b‖ of features divided by their standard deviations
mahalanobis   d = ‖a − b‖ of rows times L, with L Lᵀ the inverse of the covariance
haversine     d = 2 arcsin(‖a − b‖/2) of (latitude, longitude) as points of a sphere
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nbembed.data.distances import EUCLIDEAN, Metric, scales_of

#: Metrics of directions: lengths of rows do not enter them.
OF_DIRECTIONS = ("cosine", "correlation", "haversine")


class EuclideanSpace(NamedTuple):
    """Queries and points in coordinates whose distances order the points as the metric does.

    * queries, points (·, d): the same array if the points are searched among themselves.
    * in_units: turns an array of squared Euclidean distances into distances of the metric, in
      place.
    """

    queries: NDArray[Any]
    points: NDArray[Any]
    in_units: Callable[[NDArray[np.float64]], NDArray[np.float64]]


def euclidean_space(
    queries: NDArray[Any], points: NDArray[Any], metric: Metric
) -> EuclideanSpace | None:
    """Return coordinates for a metric; None if it, or the data, have none.

    * queries, points (·, n_features): checked data; the scales of a metric that has any are those
      of ``points``.
    """
    if not isinstance(metric, str):
        return None
    if metric in EUCLIDEAN:
        return EuclideanSpace(queries, points, _root)
    if metric == "sqeuclidean":
        return EuclideanSpace(queries, points, lambda squared: squared)
    change = _coordinates(points, metric)
    if change is None:
        return None
    moved = change(points)
    asked = moved if queries is points or moved is None else change(queries)
    if moved is None or asked is None:
        return None
    return EuclideanSpace(asked, moved, _IN_UNITS.get(metric, _root))


def _coordinates(
    points: NDArray[Any], metric: str
) -> Callable[[NDArray[Any]], NDArray[np.float64] | None] | None:
    """Return how rows become coordinates, or None; a row without any makes None of all of them."""
    if metric == "cosine":
        return _directions
    if metric == "correlation":
        return _about_their_means
    if metric == "haversine":
        return _on_sphere if points.shape[1] == 2 else None
    if metric not in ("seuclidean", "mahalanobis"):
        return None
    with np.errstate(all="ignore"):
        scales = scales_of(points, metric)
    if "V" in scales:
        deviation = np.sqrt(scales["V"])
        return lambda rows: _finite(rows / deviation)
    values, vectors = np.linalg.eigh(scales["VI"])
    # A direction without variance has none in the pseudoinverse either, but for rounding.
    factor = vectors * np.sqrt(np.maximum(values, 0))
    return lambda rows: _finite(np.asarray(rows, np.float64) @ factor)


def _finite(rows: NDArray[Any]) -> NDArray[np.float64] | None:
    return np.asarray(rows, np.float64) if np.isfinite(rows).all() else None


def _directions(rows: NDArray[Any]) -> NDArray[np.float64] | None:
    """Return rows of length one; None if a row is zero and has no direction."""
    scaled = _of_size_one(rows)
    if scaled is None:
        return None
    scaled /= np.sqrt(np.einsum("ij,ij->i", scaled, scaled))[:, None]
    return scaled


def _about_their_means(rows: NDArray[Any]) -> NDArray[np.float64] | None:
    scaled = _of_size_one(rows)
    if scaled is None:
        return None
    return _directions(scaled - scaled.mean(axis=1, keepdims=True))


def _of_size_one(rows: NDArray[Any]) -> NDArray[np.float64] | None:
    """Return rows over their largest magnitudes, so that squares neither over- nor underflow."""
    rows = np.asarray(rows, dtype=np.float64)
    largest = np.abs(rows).max(axis=1, keepdims=True)
    return rows / largest if largest.all() else None


def _on_sphere(rows: NDArray[Any]) -> NDArray[np.float64]:
    latitude, longitude = np.asarray(rows, dtype=np.float64).T
    around = np.cos(latitude)
    return np.stack(
        [around * np.cos(longitude), around * np.sin(longitude), np.sin(latitude)], axis=1
    )


def _root(squared: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.sqrt(squared, out=squared)


def _half(squared: NDArray[np.float64]) -> NDArray[np.float64]:
    squared /= 2
    return squared


def _angle(squared: NDArray[np.float64]) -> NDArray[np.float64]:
    squared[:] = 2 * np.arcsin(np.minimum(np.sqrt(squared) / 2, 1))
    return squared


_IN_UNITS = {"cosine": _half, "correlation": _half, "haversine": _angle}
