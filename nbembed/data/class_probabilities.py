"""Probabilities of classes as users pass them: soft labels, posteriors and priors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.data.matrix_input import check_data
from nbembed.validation import check_numbers

#: How far from one the sums of rows may be.
TOLERANCE = 1e-4


def _tolerance(rows: Any) -> float:
    """Return the largest deviation of a sum from one: half precision cannot be closer."""
    dtype = getattr(rows, "dtype", None)
    half = dtype is not None and str(dtype).rpartition(".")[2] in ("float16", "bfloat16")
    return max(TOLERANCE, float(np.finfo(np.float16).eps)) if half else TOLERANCE


def check_probabilities(rows: Any, name: str = "y") -> NDArray[np.float64]:
    """Return rows of class probabilities; an unlabeled point's row is all NaN.

    Raises TypeError if they are not real numbers; ValueError if a row is partly NaN, has a
    negative entry or does not sum to one (within 1e-4, or the precision of float16, whose rows are
    made to sum to one).
    """
    array = check_numbers(name, rows)
    if array.ndim != 2 or array.shape[1] == 0:
        raise ValueError(f"{name} must have shape (n_samples, n_classes), got {array.shape}")
    unknown = np.isnan(array).all(axis=1)
    given = array[~unknown]
    where = np.flatnonzero(~unknown)
    bad = ~np.isfinite(given).all(axis=1)
    if bad.any():
        raise ValueError(
            f"each row of {name} must be finite, or all NaN for an unlabeled point; row "
            f"{where[bad][0]} is {given[bad][0]}"
        )
    off = np.abs(given.sum(axis=1) - 1)
    wrong = (given < 0).any(axis=1) | (off > _tolerance(rows))
    if wrong.any():
        raise ValueError(
            f"each row of {name} must be non-negative and sum to one; row {where[wrong][0]} is "
            f"{given[wrong][0]}, with sum {given[wrong][0].sum():.6g}"
        )
    if (off > TOLERANCE).any():
        array[~unknown] = given / given.sum(axis=1, keepdims=True)
    return array


def check_posteriors(rows: Any, name: str = "X", *, min_classes: int = 2) -> NDArray[Any]:
    """Return class posteriors, a row of probabilities for each object, dense and read only.

    * rows array-like or sparse matrix of shape (n_samples, n_classes): float32 stays float32,
      every other type becomes float64. Rows are made to sum to one where they do so only nearly.

    Raises ValueError if it is no finite matrix, has too few columns, or a row is negative
    somewhere or does not sum to one (within 1e-4, or the precision of float16).
    """
    array = check_data(rows, name=name, min_samples=1)
    array = array.toarray() if hasattr(array, "toarray") else array
    if array.shape[1] < min_classes:
        raise ValueError(
            f"{name} must have at least {min_classes} columns, one for each class, got shape "
            f"{array.shape}"
        )
    sums = array.sum(axis=1, dtype=np.float64)
    off = np.abs(sums - 1)
    wrong = np.flatnonzero((array.min(axis=1) < 0) | (off > _tolerance(rows)))
    if wrong.size:
        raise ValueError(
            f"each row of {name} must be non-negative and sum to one; row {wrong[0]} is "
            f"{array[wrong[0]]}, with sum {sums[wrong[0]]:.6g}"
        )
    if (off > 4 * np.finfo(array.dtype).eps).any():
        array = array / sums[:, None].astype(array.dtype)
    array = np.ascontiguousarray(array).view()
    array.flags.writeable = False
    return array


def check_class_prior(
    prior: Any, n_classes: int, name: str = "class_prior", *, allow_zero: bool = False
) -> NDArray[np.float64]:
    """Return class priors: one positive number for each class, summing to one (within 1e-6).

    With ``allow_zero`` a class may have prior zero.
    """
    values = check_numbers(name, prior)
    if values.shape != (n_classes,):
        raise ValueError(
            f"{name} must have shape ({n_classes},), one entry for each class, got {values.shape}"
        )
    low = "non-negative" if allow_zero else "positive"
    legal = values >= 0 if allow_zero else values > 0
    if not (np.isfinite(values).all() and legal.all() and abs(values.sum() - 1) < 1e-6):
        raise ValueError(f"{name} must be {low} and sum to one, got {values.tolist()}")
    return values
