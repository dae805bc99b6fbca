"""Labels as users pass them, read in one way wherever they come in."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import DataConversionWarning


def read_labels(value: Any, name: str = "y", *, warns: bool = False) -> NDArray[Any]:
    """Return one label for each point as an array, or rows of probabilities as one of two axes.

    Numbers, truth values and text of a mixed list stay what they are, scalars of NumPy become
    Python's, bytes become text. A single column is a list of labels, unless all that it holds is
    the float 1.0 or NaN, as the probabilities of one class are.
    """
    if isinstance(value, list | tuple) and any(isinstance(v, _MIXED) for v in value):
        array = np.empty(len(value), dtype=object)
        array[:] = value
    else:
        try:
            array = np.asarray(value)
        except ValueError as error:  # rows of different lengths
            raise ValueError(f"{name} must be labels or rows of one length: {error}") from error
    if is_column(array):
        if warns:  # scikit-learn's classifiers do
            warnings.warn(
                f"A column-vector {name} was passed when a 1d array was expected; it is read as "
                "one label for each point",
                DataConversionWarning,
                stacklevel=4,
            )
        array = array[:, 0]
    if array.ndim == 1 and array.dtype.kind in "OS":
        items = [_plain(v) for v in array.tolist()]
        array = np.empty(len(items), dtype=object)
        array[:] = items
    return array


def is_column(array: NDArray[Any]) -> bool:
    """Return whether an array is one column of labels."""
    if array.ndim != 2 or array.shape[1] != 1:
        return False
    return array.dtype.kind != "f" or not (np.isnan(array) | (array == 1)).all()


#: What NumPy would turn into something else in a list with other values.
_MIXED = (str, bytes, bool, np.bool_)


def _plain(label: Any) -> Any:
    if isinstance(label, np.generic):
        label = label.item()
    if isinstance(label, bytes):
        try:
            return label.decode()
        except UnicodeDecodeError:
            return label
    return label
