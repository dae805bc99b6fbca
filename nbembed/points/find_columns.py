"""Columns by which points are found: numbers and times by ranges, categories by their values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.points.columns import MOST_INTEGER_CATEGORIES
from nbembed.points.judged import array_of, judged, order_key, seconds_of
from nbembed.points.text import is_missing, name_of
from nbembed.points.whole_numbers import are_whole

#: Bars of a histogram.
BINS = 24
#: So many whole numbers have a bar each.
MOST_WHOLE = 2 * BINS
#: Categories that a histogram shows.
MOST_BARS = 100


@dataclass(frozen=True, eq=False)
class FindColumn:
    """One value for each point, encoded for filtering.

    * kind {"number", "time", "category", "text"}: of text most values occur once; it is searched,
      not filtered.
    * values (n_samples,) float64: numbers, or seconds since 1970, NaN where missing; codes of
      categories, −1 where missing.
    * categories: their values as given.
    """

    kind: str
    title: str
    values: NDArray[np.float64]
    categories: tuple[Any, ...] = ()
    codes: dict[Any, int] = field(default_factory=dict)

    @property
    def ordered(self) -> bool:
        """True if values have an order, so that a range makes sense."""
        return self.kind in ("number", "time") or (
            self.kind == "category" and all(isinstance(c, Real) for c in self.categories)
        )

    def within(self, low: float | None, high: float | None) -> NDArray[np.bool_]:
        """Return a mask of points with a value in [low, high]; ``None`` sets no limit."""
        values = self.values
        if self.kind == "category":
            numbers = np.array([*map(float, self.categories), np.nan])
            values = numbers[values.astype(np.intp)]
        inside = ~np.isnan(values)
        if low is not None:
            inside &= values >= low
        if high is not None:
            inside &= values <= high
        return inside

    def among(self, codes: Iterable[int]) -> NDArray[np.bool_]:
        """Return a mask of points of one of these categories; −1 stands for a missing value."""
        wanted = np.zeros(len(self.categories) + 1, dtype=bool)
        for code in codes:
            if not -1 <= code < len(self.categories):
                raise ValueError(f"categories must be in [-1, {len(self.categories)}), got {code}")
            wanted[code] = True
        return wanted[self.values.astype(np.intp)]


def encoded(values: Any, title: str) -> FindColumn:
    """Return a column of any values as it is filtered."""
    array = judged(array_of(values))
    if array.dtype.kind == "M":
        return FindColumn("time", title, seconds_of(array))
    if array.dtype.kind == "f":
        return _numbers(array, title)
    if array.dtype.kind in "iu" and np.unique(array).size > MOST_INTEGER_CATEGORIES:
        return _numbers(array, title)
    return _categories(array.tolist(), title)


def _numbers(array: NDArray[Any], title: str) -> FindColumn:
    values = array.astype(np.float64)
    return FindColumn("number", title, np.where(np.isfinite(values), values, np.nan))


def _categories(values: list[Any], title: str) -> FindColumn:
    found: dict[Any, int] = {}
    try:
        codes = [-1 if is_missing(v) else found.setdefault(v, len(found)) for v in values]
        ordered = sorted(found, key=order_key)
    except TypeError:  # values that cannot be compared
        return FindColumn("text", title, np.full(len(values), -1.0))
    numbers = all(isinstance(v, Real) and not isinstance(v, bool) for v in found)
    if numbers and len(found) > MOST_INTEGER_CATEGORIES:
        plain = [np.nan if is_missing(v) else float(v) for v in values]
        return _numbers(np.array(plain), title)
    place = {value: k for k, value in enumerate(ordered)}
    new = np.array([place[value] for value in found] + [-1], dtype=np.float64)
    # Text that differs from row to row has no bars worth looking at.
    kind = "text" if len(found) > max(MOST_BARS, len(values) // 2) else "category"
    return FindColumn(kind, title, new[np.array(codes, dtype=np.intp)], tuple(ordered), place)


@dataclass(frozen=True)
class Histogram:
    """The distribution of a column's values.

    * low, high: the smallest and the largest number; 0 for categories.
    * step: the count of whole numbers in each bar, from ``low`` on. 0 where the bars share the
      range from ``low`` to ``high`` evenly.
    * totals: points in each bar.
    * codes, names: the category of each bar, −1 for missing values, and the categories' names;
      empty for numbers.
    * left_out: categories without a bar, which are rarer than those with one.
    * missing: points without a value.
    * bar (n_samples,) int: the bar of each point, −1 for none.
    """

    low: float
    high: float
    step: float
    totals: list[int]
    codes: list[int]
    names: list[str]
    left_out: int
    missing: int
    bar: NDArray[np.intp]

    def counts(self, points: NDArray[np.bool_]) -> list[int]:
        """Return the number of these points in each bar."""
        bars = self.bar[points]
        counted: list[int] = np.bincount(bars[bars >= 0], minlength=len(self.totals)).tolist()
        return counted


def histogram(column: FindColumn) -> Histogram:
    """Return the histogram of all values of a column."""
    if column.kind in ("category", "text"):
        return _of_categories(column)
    there = ~np.isnan(column.values)
    missing = int(there.size - np.count_nonzero(there))
    if not there.any():
        return Histogram(0.0, 0.0, 0.0, [], [], [], 0, missing, np.full(there.size, -1))
    values = column.values[there]
    low, high = float(values.min()), float(values.max())
    bar = np.full(there.size, -1, dtype=np.intp)
    step = _whole_numbers_per_bar(values, low, high) if column.kind == "number" else 0
    if step:
        bars = int((high - low) // step) + 1
        bar[there] = ((values - low) // step).astype(np.intp)
    else:
        bars = BINS
        span = high / 2 - low / 2  # the range itself may be larger than any number
        share = (values / 2 - low / 2) / (span or 1.0)
        bar[there] = np.minimum((share * BINS).astype(np.intp), BINS - 1)
    totals = np.bincount(bar[there], minlength=bars).tolist()
    return Histogram(low, high, float(step), totals, [], [], 0, missing, bar)


def _whole_numbers_per_bar(values: NDArray[np.float64], low: float, high: float) -> int:
    """Return the count of whole numbers in a bar, 0 where values are none, or all are one.

    Bars of the same number of them: where some had one more, they would stick out.
    """
    if not (low < high and are_whole(values)):
        return 0
    count = high - low + 1
    return 1 if count <= MOST_WHOLE else math.ceil(count / BINS)


def _of_categories(column: FindColumn) -> Histogram:
    if column.kind == "text":
        return Histogram(0.0, 0.0, 0.0, [], [], [], 0, 0, np.full(column.values.size, -1))
    codes = column.values.astype(np.intp)
    sizes = np.bincount(codes + 1, minlength=len(column.categories) + 1)
    missing, sizes = int(sizes[0]), sizes[1:]
    shown: Sequence[int] = range(len(sizes))
    if len(sizes) > MOST_BARS:
        shown = np.argsort(-sizes, kind="stable")[:MOST_BARS].tolist()
    bars = [*shown, *([-1] if missing else [])]
    place = np.full(len(sizes) + 1, -1, dtype=np.intp)
    place[bars] = range(len(bars))
    totals = [missing if code < 0 else int(sizes[code]) for code in bars]
    names = ["" if code < 0 else name_of(column.categories[code]) for code in bars]
    left_out = len(sizes) - len(shown)
    return Histogram(0.0, 0.0, 0.0, totals, bars, names, left_out, missing, place[codes])
