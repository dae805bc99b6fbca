"""What measures check in common: as many points in the map as in the data, one label a point."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nbembed.validation import check_count

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def check_half(X: Any, Y: Any, k: int) -> None:
    """Refuse a neighborhood of half of the points or more, in which ranks mean nothing."""
    n = same_number(X, Y)
    if not 1 <= check_count("k", k) < n / 2:
        raise ValueError(f"k must be at least 1 and below n_samples / 2 = {n / 2:g}, got {k}")


def same_number(X: Any, Y: Any) -> int:
    """Return the number of points, the same in data and map."""
    n, m = (z.shape[0] if hasattr(z, "shape") else len(z) for z in (given(X), Y))
    if n != m:
        raise ValueError(f"Y must have a row for each of the {n} points of X, got {m}")
    return int(n)


def given(X: Any) -> Any:
    """Return the data, which only neighbors found before can stand in for."""
    if X is None:
        raise ValueError("X must be the data, or neighbors must say what is near in them, got None")
    return X


def codes_of(labels: ArrayLike, n: int, name: str = "y") -> NDArray[np.intp]:
    """Return labels as numbers 0 … K − 1."""
    array = np.asarray(labels)
    if array.shape != (n,):
        raise ValueError(f"{name} must have one label for each of {n} points, got {array.shape}")
    codes: NDArray[np.intp] = np.unique(array, return_inverse=True)[1]
    return codes
