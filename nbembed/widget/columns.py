"""A column to color the points by: categories or numbers, whatever the user hands over."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nbembed.widget import palette
from nbembed.widget.protocol import floats

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

#: Whole numbers with at most so many different values are categories, such as digits.
MOST_INTEGER_CATEGORIES = 32


@dataclass(frozen=True)
class Column:
    """One value a sample, made ready to be drawn.

    Attributes
    ----------
    kind : {"none", "category", "number"}
    title : str
        What the column is called, "" if nothing says.
    codes : ndarray of shape (n_samples,), float64
        Categories as indices with −1 for missing ones, numbers as they are with NaN for missing.
    names : tuple of str
        Of the categories.
    values : ndarray of shape (n_samples,) or None
        As the user gave them.
    """

    kind: str
    title: str
    codes: NDArray[np.float64]
    names: tuple[str, ...] = ()
    values: NDArray[Any] | None = None

    def to_wire(self) -> dict[str, Any]:
        """Return what the page reads (trait ``color_column``)."""
        return {
            "kind": self.kind,
            "title": self.title,
            "values": floats(self.codes),
            "names": list(self.names),
            "colors": [palette.color(k) for k in range(len(self.names))],
        }


def as_column(color: ArrayLike | None, n_samples: int) -> Column:
    """Return the column that ``color`` describes.

    Parameters
    ----------
    color : array-like of shape (n_samples,) or None
        Text, booleans, categories or numbers. A pandas series gives its name too.
    n_samples : int

    Returns
    -------
    column : Column
        Whole numbers with few different values count as categories, all other numbers as numbers.

    Raises
    ------
    ValueError
        If it does not have one value a sample.
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
            f"color must have one value for each of the {n_samples} samples, "
            f"got shape {values.shape}"
        )
    title = title if isinstance(title, str) else ""
    if values.dtype.kind == "f":
        return Column("number", title, np.where(np.isfinite(values), values, np.nan), (), values)
    if values.dtype.kind in "iu" and np.unique(values).size > MOST_INTEGER_CATEGORIES:
        return Column("number", title, values.astype(np.float64), (), values)
    missing = np.array([_is_missing(v) for v in values])
    found = sorted(set(values[~missing].tolist()), key=_order)
    index = {value: k for k, value in enumerate(found)}
    codes = np.array([-1 if gone else index[v] for v, gone in zip(values.tolist(), missing)])
    return Column("category", title, codes.astype(np.float64), tuple(map(str, found)), values)


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and bool(np.isnan(value)))


def _order(value: Any) -> tuple[int, Any]:
    """Sort numbers by size before text by letter, so that mixed columns sort too."""
    return (0, value) if isinstance(value, int | float | bool) else (1, str(value))
