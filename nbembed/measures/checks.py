"""Checks that measures have in common: equally many points in data and map, one label a point."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbembed.data.distances import Metric
from nbembed.data.matrix_input import MIN_SAMPLES, check_data
from nbembed.validation import check_count


def check_half(k: int, n: int) -> None:
    """Raise unless a neighborhood is smaller than half of the points, where ranks are defined."""
    if not 1 <= check_count("k", k) < n / 2:
        raise ValueError(f"k must be at least 1 and below n_samples / 2 = {n / 2:g}, got {k}")


def checked_pair(X: Any, Y: Any, metric: Metric) -> tuple[Any, NDArray[Any]]:
    """Return checked data and a checked, dense map of the same points."""
    if X is None:
        raise ValueError("X must be the data unless neighbors is given, got None")
    data, points = check_data(X, metric), check_map(Y)
    if len(points) != data.shape[0]:
        raise ValueError(
            f"Y must have a row for each of the {data.shape[0]} points of X, got {len(points)}"
        )
    return data, points


def check_map(Y: Any, name: str = "Y", *, min_samples: int = MIN_SAMPLES) -> NDArray[Any]:
    """Return a checked map, dense."""
    points = check_data(Y, name=name, min_samples=min_samples)
    return np.asarray(points.toarray() if hasattr(points, "toarray") else points)


def check_neighbors(neighbors: Any, n: int, k: int) -> NDArray[np.intp]:
    """Return given nearest neighbors of n points, the first k of each."""
    try:
        found = np.asarray(neighbors)
    except ValueError:  # rows of different lengths
        found = np.empty(0)
    if found.ndim != 2 or len(found) != n or found.shape[1] < k:
        raise ValueError(f"neighbors must have shape ({n}, {k}) or more columns, got {found.shape}")
    if found.dtype.kind not in "iu":
        raise TypeError(f"neighbors must be indices of points, got values of type {found.dtype}")
    found = found[:, :k]
    if found.min() < 0 or found.max() >= n:
        wrong = found[(found < 0) | (found >= n)][0]
        raise ValueError(f"neighbors must be indices in [0, {n}), got {wrong}")
    own = np.flatnonzero((found == np.arange(n)[:, None]).any(axis=1))
    if own.size:
        raise ValueError(
            f"neighbors must not contain a point itself, got point {own[0]} as its own neighbor"
        )
    return found.astype(np.intp)


def codes_of(labels: ArrayLike, n: int, name: str = "y") -> NDArray[np.intp]:
    """Return labels as numbers 0 … K − 1."""
    array = check_labels(labels, name)
    if array.shape != (n,):
        raise ValueError(f"{name} must have one label for each of {n} points, got {array.shape}")
    codes: NDArray[np.intp] = np.unique(array, return_inverse=True)[1]
    return codes


def check_labels(labels: Any, name: str) -> NDArray[Any]:
    """Return a list of labels, none of them missing, as an array that can be sorted.

    −1 is a class like any other here: measures compare complete labels.
    """
    try:
        array = np.asarray(labels)
    except ValueError:  # rows of different lengths
        array = np.empty((0, 0))
    if array.ndim != 1:
        raise ValueError(f"{name} must be one label for each point, got shape {array.shape}")
    missing = (
        np.array([c is None or bool(c != c) for c in array.tolist()], dtype=bool)
        if (array.dtype.kind in "fOc")
        else np.zeros(array.size, dtype=bool)
    )
    if isinstance(labels, np.ma.MaskedArray):
        missing |= np.ma.getmaskarray(labels)
    if missing.any():
        raise ValueError(f"{name} must have a label for each point, got none at {missing.argmax()}")
    try:
        np.unique(array)
    except TypeError as error:
        raise TypeError(f"{name} must be labels of one type: {error}") from None
    return array
