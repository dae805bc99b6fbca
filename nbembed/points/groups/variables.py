"""Variables of the points that can be compared: features by name, columns of a table, counts.

A table is compared in its own units, whatever was standardized to be embedded. The features of an
array are compared as they are embedded, those of an AnnData as its ``X`` has them. Nothing is read
before the first comparison; what holds for all points is then kept.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from nbembed.points.columns import Column, as_column
from nbembed.points.groups.numbers import Moments, moments
from nbembed.points.point_columns import MatrixKey
from nbembed.points.point_data import PointData
from nbembed.points.table import Table
from nbembed.points.text import name_of

#: Numbers that are read at a time.
BLOCK = 2**20
#: Features are counts, such as of words, if there are so many of them at least,
FEWEST_COUNTS = 20
#: and at most this share of the numbers is not 0.
DENSEST_COUNTS = 0.1
#: Rows that tell whether a column holds categories or, like notes and keys, something else in most.
SAMPLE = 1000


class Numbers(ABC):
    """Variables that are numbers.

    * named: whether these are names that somebody gave.
    """

    names: tuple[str, ...]
    named = True

    @abstractmethod
    def key(self, variable: int) -> Hashable:
        """Return what stands for the column of a variable, as in :class:`PointColumns`."""

    @property
    @abstractmethod
    def whole(self) -> Moments:
        """The sums over all points."""

    @property
    @abstractmethod
    def center(self) -> NDArray[np.float64]:
        """The values that sums are taken around."""

    @property
    @abstractmethod
    def are_counts(self) -> bool:
        """True if they are numbers of occurrences, most of them 0."""

    @abstractmethod
    def sums(self, points: NDArray[np.intp]) -> Moments:
        """Return the sums over points."""

    @abstractmethod
    def values(self, variables: Sequence[int]) -> list[NDArray[np.float64]]:
        """Return the values of some variables for all points; NaN where they are missing."""

    def is_time(self, variable: int) -> bool:
        """Return whether a variable is a time."""
        return False


class MatrixNumbers(Numbers):
    """The columns of a matrix.

    * X: of shape (n_samples, n_features).
    * named: whether these are names that somebody gave: counts of the unnamed are not told of.
    """

    def __init__(self, X: Any, names: Sequence[str], *, named: bool) -> None:
        self._X = X
        self.names = tuple(names)
        self.named = named

    def key(self, variable: int) -> Hashable:
        """Return what stands for the column of a variable."""
        return MatrixKey(variable)

    @cached_property
    def whole(self) -> Moments:
        """The sums over all points."""
        return self.sums(np.arange(self._X.shape[0]))

    @cached_property
    def center(self) -> NDArray[np.float64]:
        """The means, which keep sums of squares exact; 0 where most numbers are 0."""
        X = self._X
        if sparse.issparse(X):
            return np.zeros(X.shape[1])
        mean = np.mean(X, axis=0, dtype=np.float64)
        return np.where(np.isfinite(mean), mean, 0.0)

    @cached_property
    def are_counts(self) -> bool:
        """True if they are numbers of occurrences, most of them 0."""
        X = self._X
        if not self.named or X.shape[1] < FEWEST_COUNTS:
            return False
        values = X.data if sparse.issparse(X) else X[:SAMPLE]
        filled = X.nnz / np.prod(X.shape) if sparse.issparse(X) else np.mean(values != 0)
        if filled > DENSEST_COUNTS:
            return False
        return _whole(values) and (sparse.issparse(X) or _whole(X))

    def sums(self, points: NDArray[np.intp]) -> Moments:
        """Return the sums over points."""
        X, n = self._X, points.size
        if sparse.issparse(X):
            rows = X[points].astype(np.float64)
            total = np.asarray(rows.sum(axis=0)).ravel()
            rows.data = rows.data**2
            squares = np.asarray(rows.sum(axis=0)).ravel()
            return Moments(np.full(total.size, float(n)), total, squares)
        found = [np.zeros(X.shape[1]) for _ in range(3)]
        step = max(1, BLOCK // max(X.shape[1], 1))
        for first in range(0, n, step):
            block = moments(X[points[first : first + step]].astype(np.float64), self.center)
            for sum_, part in zip(found, (block.count, block.total, block.squares)):
                sum_ += part
        return Moments(*found)

    def values(self, variables: Sequence[int]) -> list[NDArray[np.float64]]:
        """Return the values of some variables for all points."""
        found = self._X[:, list(variables)]
        dense = found.toarray() if sparse.issparse(found) else np.asarray(found)
        return [column.astype(np.float64) for column in dense.T]


class TableNumbers(Numbers):
    """Columns of a table, each read by itself.

    * read: return the values of each column as float64, missing ones as NaN.
    * keys: of the columns, which have titles of these.
    * countable: whether the columns may be counts, as those that are embedded.
    """

    def __init__(
        self,
        read: Sequence[Callable[[], NDArray[np.float64]]],
        keys: Sequence[Hashable],
        times: Sequence[bool],
        *,
        countable: bool,
    ) -> None:
        self._read = tuple(read)
        self._keys = tuple(keys)
        self.names = tuple(map(name_of, keys))
        self._times = tuple(times)
        self._countable = countable

    def key(self, variable: int) -> Hashable:
        """Return what stands for the column of a variable."""
        return self._keys[variable]

    @cached_property
    def _summary(self) -> tuple[NDArray[np.float64], Moments, bool]:
        """Centers, the sums over all points, and whether these are counts."""
        centers, parts, filled, whole = [], [], 0.0, self._countable
        for read in self._read:
            column = read()
            finite = column[np.isfinite(column)]
            centers.append(float(finite.mean()) if finite.size else 0.0)
            parts.append(moments(column[:, None], np.array([centers[-1]])))
            whole = whole and _whole(finite) and finite.size == column.size
            filled += float(np.mean(column != 0)) if whole else 0.0
        few = filled <= DENSEST_COUNTS * len(parts)
        counts = whole and few and len(parts) >= FEWEST_COUNTS
        return np.array(centers), _joined(parts), counts

    @cached_property
    def whole(self) -> Moments:
        """The sums over all points."""
        return self._summary[1]

    @property
    def center(self) -> NDArray[np.float64]:
        """The means."""
        return self._summary[0]

    @property
    def are_counts(self) -> bool:
        """True if they are numbers of occurrences, most of them 0."""
        return self._summary[2]

    def sums(self, points: NDArray[np.intp]) -> Moments:
        """Return the sums over points."""
        center = self.center
        return _joined(
            [moments(read()[points, None], center[k : k + 1]) for k, read in enumerate(self._read)]
        )

    def values(self, variables: Sequence[int]) -> list[NDArray[np.float64]]:
        """Return the values of some variables for all points."""
        return [self._read[k]() for k in variables]

    def is_time(self, variable: int) -> bool:
        """Return whether a variable is a time."""
        return self._times[variable]


@dataclass(frozen=True)
class Categories:
    """A column of categories.

    * names: of the categories.
    * codes, of shape (n_samples,): the category of each point, −1 where it is missing.
    * key: stands for the column, as in :class:`PointColumns`; ``None`` for the labels.
    """

    name: str
    names: tuple[str, ...]
    codes: NDArray[np.intp]
    key: Hashable = None


@dataclass(frozen=True)
class Variables:
    """All that can be compared."""

    numbers: tuple[Numbers, ...]
    categories: tuple[Categories, ...]


def variables_of(points: PointData, X: Any, feature_names: Sequence[str] | None) -> Variables:
    """Return what of points can be compared.

    * X, of shape (n_samples, n_features): what is embedded, as features; ``None`` where they are
      dissimilarities.
    * feature_names: of the columns of ``X``.
    """
    numbers: list[Numbers] = []
    embedded = points.embedded
    table = points.table
    described = points.variables
    if described is not None:
        matrix, names = described()
        numbers.append(MatrixNumbers(matrix, list(map(name_of, names)), named=True))
    elif X is not None and not embedded:
        named = feature_names is not None
        names = feature_names if feature_names is not None else unnamed(X.shape[1])
        numbers.append(MatrixNumbers(X, list(map(name_of, names)), named=named))
    categories: list[Categories] = []
    if table is not None:
        own = [n for n in table.names if n in embedded and table.is_numeric(n)]
        read = [_reader(table, name) for name in own]
        if own:
            times = [False] * len(own)
            numbers.append(TableNumbers(read, own, times, countable=True))
        others, categories = _columns(table, [n for n in table.names if n not in own])
        if others.names:
            numbers.append(others)
    if points.extra_color is not None and not _is_one_of(points.color, numbers):
        _add_color(points.color, numbers, categories)
    return Variables(tuple(numbers), tuple(categories))


def unnamed(n_features: int) -> list[str]:
    """Return names for features without any."""
    return [f"feature {k}" for k in range(n_features)]


def _columns(table: Table, names: Sequence[Any]) -> tuple[TableNumbers, list[Categories]]:
    """Return the columns that are not embedded: those of numbers and times, and categories."""
    read: list[Callable[[], NDArray[np.float64]]] = []
    keys: list[Hashable] = []
    times: list[bool] = []
    categories: list[Categories] = []
    for name in names:
        title = name_of(name)
        values = table.values(name, "columns")
        is_time = values.dtype.kind == "M"
        if is_time:
            column = None
        elif table.is_numeric(name):
            # Nullable columns of pandas come as objects.
            numbers = table.numbers([name])[:, 0]
            column = as_column(_integers(numbers), table.n_rows, title=title)
        else:
            column = _as_categories(values, table.n_rows, title)
        if is_time or (column is not None and column.kind == "number"):
            read.append(_reader(table, name, is_time))
            keys.append(name)
            times.append(is_time)
        elif column is not None and column.kind == "category":
            categories.append(_coded(name, column))
    return TableNumbers(read, keys, times, countable=False), categories


def _integers(values: NDArray[np.float64]) -> Any:
    """Return numbers as integers where all are whole and none is missing: they may be codes."""
    if values.size and np.isfinite(values).all() and np.abs(values).max() < 2**53:
        whole = values.astype(np.int64)
        return whole if bool((whole == values).all()) else values
    return values


def _as_categories(values: NDArray[Any], n_samples: int, title: str) -> Column | None:
    """Return a column of categories; ``None`` of one that is rather names, notes or objects."""
    try:
        sample = values[
            np.unique(np.linspace(0, n_samples - 1, min(n_samples, SAMPLE)).astype(int))
        ]
        distinct = len(set(sample.tolist()))
        if distinct > max(0.5 * sample.size, 10):
            return None
        return as_column(values, n_samples, title=title)
    except (TypeError, ValueError):  # lists and the like, or text that UTF-8 cannot hold
        return None


def _coded(key: Hashable, column: Column) -> Categories:
    names, codes = tuple(map(name_of, column.names)), column.codes.astype(np.intp)
    return Categories(name_of(key), names, codes, key)


def _is_one_of(column: Column, numbers: Sequence[Numbers]) -> bool:
    """Return whether the column that colors the points, such as a gene, is a feature as well."""
    for part in numbers:
        if column.title not in part.names:
            continue
        [feature] = part.values([part.names.index(column.title)])
        values = np.asarray(column.values)
        if values.dtype.kind in "iufb" and np.array_equal(feature, values, equal_nan=True):
            return True
    return False


def _add_color(column: Column, numbers: list[Numbers], categories: list[Categories]) -> None:
    """Add the column that colors the points, which no table has."""
    key = column.title or "color"
    if column.kind == "category":
        categories.insert(0, _coded(key, column))
    elif column.kind in ("number", "time"):
        is_time = [column.kind == "time"]
        numbers.append(TableNumbers([lambda: column.codes], [key], is_time, countable=False))


def _reader(table: Table, name: Any, is_time: bool = False) -> Callable[[], NDArray[np.float64]]:
    def read() -> NDArray[np.float64]:
        if not is_time:
            return table.numbers([name])[:, 0]
        times = table.values(name, "columns")
        seconds = times.astype("datetime64[s]").astype(np.int64).astype(np.float64)
        return np.where(np.isnat(times), np.nan, seconds)

    return read


def _whole(values: Any) -> bool:
    """Return whether all numbers are whole and not negative."""
    return bool((values >= 0).all() and (values == np.rint(values)).all())


def _joined(parts: Sequence[Moments]) -> Moments:
    """Return the sums of single variables together."""
    if not parts:
        none = np.zeros(0)
        return Moments(none, none, none)
    return Moments(
        np.concatenate([part.count for part in parts]),
        np.concatenate([part.total for part in parts]),
        np.concatenate([part.squares for part in parts]),
    )
