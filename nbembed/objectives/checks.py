"""Checks that every objective makes of its own arguments; each error names the argument."""

from __future__ import annotations

import math
from collections.abc import Iterable
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def check_number(
    name: str, value: Any, *, low: float = -math.inf, high: float = math.inf, open_low: bool = False
) -> float:
    """Return ``value`` as a float inside [low, high], or (low, high] with ``open_low``.

    Raises
    ------
    TypeError
        If it is not a real number.
    ValueError
        If it is not finite or outside the interval.
    """
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (Real, np.floating)):
        raise TypeError(f"{name} must be a number, got {value!r}")
    number = float(value)
    if math.isfinite(number) and number <= high and (number > low if open_low else number >= low):
        return number
    bound = f"greater than {low:g}" if open_low else f"at least {low:g}"
    if math.isfinite(high):
        bound += f" and at most {high:g}"
    raise ValueError(f"{name} must be a finite number {bound}, got {value!r}")


def check_layout(Y: Any, n_samples: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return ``Y`` in ``dtype``, of shape (n_samples, n_components).

    Raises
    ------
    ValueError
        If the shape is another one.
    """
    layout = np.asarray(Y, dtype=dtype)
    if layout.ndim != 2 or layout.shape[0] != n_samples or layout.shape[1] < 1:
        raise ValueError(
            f"Y must have shape (n_samples, n_components) with n_samples = {n_samples}, "
            f"got {layout.shape}"
        )
    return layout


def check_names(objective: object, given: Iterable[str], known: Iterable[str]) -> None:
    """Refuse parameters that ``objective`` does not have.

    Raises
    ------
    TypeError
        Naming the unknown parameter and those that exist.
    """
    known = tuple(known)
    for name in given:
        if name not in known:
            raise TypeError(
                f"{type(objective).__name__} has no parameter {name!r}; it has {', '.join(known)}"
            )
