"""A column of values to color points by: categories or numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nbembed.validation import check_text

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

#: Integers with at most this many distinct values count as categories, such as digits.
MOST_INTEGER_CATEGORIES = 32


@dataclass(frozen=True)
class Column:
    """One value for each sample, encoded for drawing.

    Attributes
    ----------
    kind : {"none", "category", "number"}
    title : str
        The column's name, "" if it has none.
    codes : ndarray of shape (n_samples,), float64
        Categories as indices, −1 where missing; numbers unchanged, NaN where missing.
    names : tuple of str
        Names of the categories.
    values : ndarray of shape (n_samples,) or None
        The values as given.
    """

    kind: str
    title: str
    codes: NDArray[np.float64]
    names: tuple[str, ...] = ()
    values: NDArray[Any] | None = None


def as_column(color: ArrayLike | None, n_samples: int, name: str = "color") -> Column:
    """Return ``color`` as a column.

    Parameters
    ----------
    color : array-like of shape (n_samples,) or None
        Text, booleans, categories or numbers. The name of a pandas series becomes the title.
    n_samples : int
    name : str, default="color"
        The argument's name, for errors.

    Returns
    -------
    column : Column
        Integers with few distinct values are categories; all other numbers are numbers.

    Raises
    ------
    ValueError
        If ``color`` does not have one value for each sample, or has text that UTF-8 cannot hold.
    """
    if color is None:
        return Column("none", "", np.empty(0))
    title = getattr(color, "name", None)
    try:
        values = np.asarray(color)
    except ValueError:  # rows of different lengths
        values = np.empty((0, 0))
    if values.shape != (n_samples,):
        raise ValueError(
            f"{name} must have one value for each of the {n_samples} samples, "
            f"got shape {values.shape}"
        )
    title = check_text(f"the name of {name}", title) if isinstance(title, str) else ""
    if values.dtype.kind == "f":
        return Column("number", title, np.where(np.isfinite(values), values, np.nan), (), values)
    if values.dtype.kind in "iu" and np.unique(values).size > MOST_INTEGER_CATEGORIES:
        return Column("number", title, values.astype(np.float64), (), values)
    missing = np.array([_is_missing(v) for v in values])
    found = sorted(set(values[~missing].tolist()), key=_order)
    index = {value: k for k, value in enumerate(found)}
    codes = np.array([-1 if gone else index[v] for v, gone in zip(values.tolist(), missing)])
    names = tuple(check_text(name, str(value)) for value in found)
    return Column("category", title, codes.astype(np.float64), names, values)


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and bool(np.isnan(value)))


def _order(value: Any) -> tuple[int, Any]:
    """Return a sort key that puts numbers before text, so that mixed columns can be sorted."""
    return (0, value) if isinstance(value, int | float | bool) else (1, str(value))
