"""Values as what they are: numbers, times and durations that came as objects of Python."""

from __future__ import annotations

import datetime
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray

from nbembed.data.natural_order import natural_key
from nbembed.points.text import is_missing

#: Types whose values are categories, whatever these are.
CATEGORICAL = ("CategoricalDtype", "Categorical", "Enum")
#: Integers with at most this many distinct values count as categories, such as digits.
MOST_INTEGER_CATEGORIES = 32


def judged(values: NDArray[Any]) -> NDArray[Any]:
    """Return numbers and times as arrays of their type, durations in seconds, the rest as it is.

    A time with a zone is the time that a clock there shows, as a card does.
    """
    if values.dtype.kind == "m":
        seconds = values.astype("timedelta64[us]").astype(np.float64) / 1e6
        return np.where(np.isnat(values), np.nan, seconds)
    if values.dtype.kind != "O" or values.ndim != 1:
        return values
    items = values.tolist()
    there = [v for v in items if not is_missing(v)]
    if not there:
        return values
    if all(isinstance(v, Real | Decimal) and not isinstance(v, bool | np.bool_) for v in there):
        if all(isinstance(v, Integral) for v in there) and len(set(there)) <= (
            MOST_INTEGER_CATEGORIES
        ):
            return values
        return np.array([np.nan if is_missing(v) else _float(v) for v in items])
    if all(isinstance(v, datetime.date) for v in there):
        times = [None if is_missing(v) else _clock(v) for v in items]
        return np.array(times, dtype="datetime64[us]")
    if all(isinstance(v, datetime.timedelta) for v in there):
        return np.array([np.nan if is_missing(v) else v.total_seconds() for v in items])
    return values


def array_of(values: Any, native: Any = None) -> NDArray[Any]:
    """Return a column as an array, in which whole numbers stay whole where some are missing.

    ``native`` is the column of a user's library that the values are of; by default they are it.
    """
    array = np.asarray(values)
    source = values if native is None else native
    column = nw.from_native(source, series_only=True, pass_through=True)
    if array.dtype.kind != "f" or not _is_whole(getattr(column, "dtype", None)):
        return array
    whole = np.empty(array.shape, dtype=object)
    whole[:] = [None if is_missing(v) else int(v) for v in column]
    return whole


def _is_whole(dtype: Any) -> bool:
    """Return whether a type of narwhals or of an array of pandas is one of integers."""
    ask = getattr(dtype, "is_integer", None)
    return bool(ask()) if callable(ask) else getattr(dtype, "kind", "") in ("i", "u")


def is_categorical(column: Any) -> bool:
    """Return whether a column of pandas or polars is of a type of categories."""
    return type(getattr(column, "dtype", None)).__name__ in CATEGORICAL


def order_key(value: Any) -> tuple[int, Any]:
    """Return a sort key that puts numbers before text, so that mixed values can be sorted."""
    return (0, value) if isinstance(value, Real) else (1, natural_key(str(value)))


def seconds_of(times: NDArray[Any]) -> NDArray[np.float64]:
    """Return times in seconds since 1970, NaN where they are missing."""
    seconds = times.astype("datetime64[us]").astype(np.float64) / 1e6
    return np.where(np.isnat(times), np.nan, seconds)


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:  # an integer that no float can hold
        return np.nan


def _clock(value: datetime.date) -> datetime.date:
    return value.replace(tzinfo=None) if isinstance(value, datetime.datetime) else value
