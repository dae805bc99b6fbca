"""A column of values to color points by: categories or numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbembed.points.judged import MOST_INTEGER_CATEGORIES as MOST_INTEGER_CATEGORIES
from nbembed.points.judged import array_of, is_categorical, judged, order_key, seconds_of
from nbembed.points.text import is_missing, text_of
from nbembed.validation import check_text


@dataclass(frozen=True)
class Column:
    """One value for each sample, encoded for drawing.

    * title: the column's name, "" if it has none.
    * codes (n_samples,) float64: categories as indices, −1 where missing; numbers unchanged, NaN
      where missing; times in seconds since 1970.
    * names: names of the categories.
    * values (n_samples,) or None: the values as given.
    * ordered: whether the categories have an order of their own.
    """

    kind: str
    title: str
    codes: NDArray[np.float64]
    names: tuple[str, ...] = ()
    values: NDArray[Any] | None = None
    ordered: bool = False


def as_column(
    color: ArrayLike | None,
    n_samples: int,
    name: str = "color",
    *,
    title: str | None = None,
    native: Any = None,
) -> Column:
    """Return ``color`` as a column.

    Text, booleans, categories and numbers are accepted. Integers and times with few distinct
    values are categories; all other numbers are numbers. An ordered categorical of pandas, or an
    Enum of polars, keeps the order of its categories; ``native`` is the object that ``color`` was
    made from, if that may know the order. The title is by default the name of the series, if it is
    text.

    Raises ValueError if ``color`` does not have one value for each sample, or has text that UTF-8
    cannot hold; TypeError if its values are sets or the like.
    """
    if color is None:
        return Column("none", "", np.empty(0))
    given = getattr(color, "name", None) if title is None else title
    try:
        values = array_of(color, native)
    except ValueError:  # rows of different lengths
        values = np.empty((0, 0))
    if values.shape != (n_samples,):
        raise ValueError(
            f"{name} must have one value for each of the {n_samples} points, got shape "
            f"{values.shape}"
        )
    title = check_text(f"the name of {name}", given) if isinstance(given, str) else ""
    source = color if native is None else native
    values = values.astype(object) if is_categorical(source) else judged(values)
    if values.dtype.kind == "f":
        return Column("number", title, np.where(np.isfinite(values), values, np.nan), (), values)
    if values.dtype.kind in "iu" and np.unique(values).size > MOST_INTEGER_CATEGORIES:
        return Column("number", title, values.astype(np.float64), (), values)
    if values.dtype.kind == "M" and np.unique(values).size > MOST_INTEGER_CATEGORIES:
        return Column("time", title, seconds_of(values), (), values)
    if values.dtype.kind in "mM":
        values = np.array([text_of(v) or None for v in values], dtype=object)
    missing = np.array([is_missing(v) for v in values])
    try:
        there = set(values[~missing].tolist())
    except TypeError:  # sets, dictionaries and the like
        kinds = ", ".join(sorted({type(v).__name__ for v in values[~missing]}))
        raise TypeError(
            f"{name} must be numbers, times or text, got values of type {kinds}"
        ) from None
    order = _given_order(source, there)
    found = sorted(there, key=order_key) if order is None else order
    index = {value: k for k, value in enumerate(found)}
    codes = np.array([-1 if gone else index[v] for v, gone in zip(values.tolist(), missing)])
    names = tuple(check_text(name, str(value)) for value in found)
    return Column("category", title, codes.astype(np.float64), names, values, order is not None)


def _given_order(color: Any, there: set[Any]) -> list[Any] | None:
    """Return the values in the order that their type gives them, ``None`` if it gives none."""
    dtype = getattr(color, "dtype", None)
    if not (getattr(dtype, "ordered", False) or type(dtype).__name__ == "Enum"):
        return None
    categories = getattr(dtype, "categories", ())
    values = [v.item() if isinstance(v, np.generic) else v for v in categories]
    found = [value for value in values if value in there]
    return found if len(found) == len(there) else None
