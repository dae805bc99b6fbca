"""Points as rows of a table: its columns, their order by any of them, and the cells of a few.

The order of 100 000 rows is an array of numbers, and cells are read only for rows that are looked
at. Missing values are last in either direction, and equal ones in the order of the points.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from nbembed.data.natural_order import natural_key
from nbembed.points.groups.variables import unnamed
from nbembed.points.point_data import PointData
from nbembed.points.text import is_missing, name_of, text_of
from nbembed.validation import check_count

#: Columns of a table that are shown.
MOST_COLUMNS = 40
#: Characters of a cell.
LONGEST_CELL = 160
#: Columns whose order is remembered.
REMEMBERED = 4
#: Stands for a missing value among ranks.
LAST = np.iinfo(np.int32).max


@dataclass(frozen=True)
class RowColumn:
    """A column of the table of points.

    * kind: one of {"point", "name", "label", "number", "text", "source", "time"}.
    * key: what the column is called where its values are.
    """

    title: str
    kind: str
    key: Any = None


class PointRows:
    """The points as rows.

    * X, of shape (n_samples, n_features): features, whose columns are shown where there is no
      table.
    * columns: the number of the point, its name and its label come first.
    * left_out: columns that are not shown.
    """

    def __init__(
        self,
        points: PointData,
        X: Any,
        feature_names: Sequence[str] | None,
        n_samples: int,
    ) -> None:
        self._points = points
        self._X = X
        self._n_samples = n_samples
        self._ranks: OrderedDict[int, NDArray[np.int32]] = OrderedDict()
        data = self._data(feature_names)
        own = [RowColumn("#", "point")]
        if points.has_names:
            own.append(RowColumn("name", "name"))
        self.columns = (*own, RowColumn("label", "label"), *data[:MOST_COLUMNS])
        self.left_out = max(0, len(data) - MOST_COLUMNS)

    def _data(self, feature_names: Sequence[str] | None) -> list[RowColumn]:
        table, X = self._points.table, self._X
        if table is not None and table.names:
            shown = self._points.shown
            ordered = [*shown, *(name for name in table.names if name not in shown)]
            return [
                RowColumn(name_of(n), "number" if table.is_numeric(n) else "text", n)
                for n in ordered
            ]
        if X is None:
            return []
        names = unnamed(X.shape[1]) if feature_names is None else feature_names
        return [RowColumn(name_of(name), "number", k) for k, name in enumerate(names)]

    def order(
        self,
        points: NDArray[np.intp],
        column: int,
        *,
        descending: bool = False,
        labels: Callable[[], NDArray[np.intp]],
    ) -> NDArray[np.intp]:
        """Return points in the order of a column.

        * points: sorted.
        * column: its place in :attr:`columns`.
        * labels: returns the class of each point, −1 for unlabeled ones.

        Raises ValueError if there is no such column.
        """
        kind = column_at(self.columns, column).kind
        if kind == "point":
            return points[::-1] if descending else points
        if kind == "label":
            classes = labels()[points]
            ranks = np.where(classes < 0, LAST, classes)
        else:
            ranks = self._rank(column)[points]
        return in_order(points, ranks, descending=descending)

    def cells(self, points: Sequence[int]) -> list[list[str]]:
        """Return the cells of points as text; number and label of the point are left to others."""
        readers = [self._reader(column) for column in self.columns]
        return [["" if read is None else read(point) for read in readers] for point in points]

    def _reader(self, column: RowColumn) -> Callable[[int], str] | None:
        if column.kind == "name":
            return self._points.name
        if column.kind in ("point", "label"):
            return None
        table, X, key = self._points.table, self._X, column.key
        if table is not None and table.names:
            return lambda point: one_line(table.cell(key, point))
        return lambda point: one_line(X[point, key])

    def _rank(self, column: int) -> NDArray[np.int32]:
        """Return the rank of each point in a column; of a missing value :data:`LAST`."""
        known = self._ranks.get(column)
        if known is None:
            known = self._ranked(self.columns[column])
            self._ranks[column] = known
            if len(self._ranks) > REMEMBERED:
                self._ranks.popitem(last=False)
        return known

    def _ranked(self, column: RowColumn) -> NDArray[np.int32]:
        if column.kind == "name":
            return ranks_of([self._points.name(i) for i in range(self._n_samples)])
        table, X, key = self._points.table, self._X, column.key
        if table is None or not table.names:
            values = X[:, [key]]
            values = values.toarray() if sparse.issparse(values) else np.asarray(values)
            return _ranks_of_numbers(values[:, 0].astype(np.float64))
        if column.kind == "number":
            return _ranks_of_numbers(table.numbers([key])[:, 0])
        found = table.values(key, "columns")
        if found.dtype.kind in "mM":
            numbers = found.astype(np.int64).astype(np.float64)
            return _ranks_of_numbers(np.where(np.isnat(found), np.nan, numbers))
        return ranks_of(found.tolist())


def column_at(columns: Sequence[RowColumn], column: int) -> RowColumn:
    """Return a column by its place; raise ValueError if there is none."""
    check_count("column", column, low=0)
    if column >= len(columns):
        raise ValueError(f"column must be below {len(columns)}, got {column}")
    return columns[column]


def in_order(
    points: NDArray[np.intp], ranks: NDArray[Any], *, descending: bool
) -> NDArray[np.intp]:
    """Return points in the order of their ranks, those with :data:`LAST` last in either one."""
    ranks = np.where(ranks == LAST, LAST, -ranks if descending else ranks)
    return points[np.argsort(ranks, kind="stable")]


def _ranks_of_numbers(values: NDArray[np.float64]) -> NDArray[np.int32]:
    ranks = np.unique(values, return_inverse=True)[1].astype(np.int32)
    return np.where(np.isnan(values), LAST, ranks).astype(np.int32)


def ranks_of(values: Sequence[Any]) -> NDArray[np.int32]:
    """Return ranks of any values: numbers first, then text in natural order, whatever its case.

    Those of missing values are :data:`LAST`.
    """
    keys = [None if is_missing(value) else _key(value) for value in values]
    found = {key: rank for rank, key in enumerate(sorted({k for k in keys if k is not None}))}
    return np.array([LAST if key is None else found[key] for key in keys], dtype=np.int32)


def _key(value: Any) -> tuple[int, Any, str]:
    if isinstance(value, int | float | np.number):
        return 0, float(value), ""
    text = one_line(value)
    return 1, tuple(natural_key(text.casefold())[0]), text


def one_line(value: Any) -> str:
    """Return the text of a cell."""
    return " ".join(text_of(value, LONGEST_CELL).split())
