"""All columns of points by which they are found: those of the table, labels, color, features.

Beside the columns that have names of their own there may be tens of thousands of a matrix, such as
the counts of genes. These come last, and each is read when it is asked for.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.points.column_titles import ColumnTitles
from nbembed.points.columns import MOST_INTEGER_CATEGORIES, Column, as_column
from nbembed.points.find_columns import FindColumn, Histogram, encoded, histogram
from nbembed.points.find_text import folded, searchable
from nbembed.points.judged import array_of
from nbembed.points.matrix_columns import MatrixColumns, matrix_columns
from nbembed.points.point_data import PointData
from nbembed.points.table import listed
from nbembed.points.text import name_of
from nbembed.validation import shown

#: The title of the column of labels.
LABEL = "class label"
#: Values of columns that are kept, of all points together.
MOST_VALUES = 2**24
#: Columns that are kept, however many points there are.
FEWEST_KEPT = 16
#: Features without names that are columns of their own.
MOST_FEATURES = 100
#: Characters of a column that are kept in the form in which they are searched.
MOST_KEPT = 2**26
#: Rows by which a column of text is judged: where most values differ, colors say nothing.
JUDGED_ROWS = 1000


@dataclass(frozen=True)
class MatrixKey:
    """Stands for a column of the matrix."""

    place: int


class PointColumns:
    """Reads columns when they are first asked for, and keeps those that were asked for last.

    * X: the features, ``None`` if there are none.
    * labels: returns the class of each point, −1 for none, and the names of the classes.
    * feature_names: of the features; where there is a table, these are columns only if they have
      names.
    """

    def __init__(
        self,
        points: PointData,
        X: Any,
        labels: Callable[[], tuple[NDArray[np.intp], tuple[str, ...]]],
        feature_names: Sequence[str] | None = None,
    ) -> None:
        self._points = points
        self._labels = labels
        self._readers: dict[Hashable, Callable[[], Any]] = {}
        if points.extra_color is not None:
            title, colors = points.extra_color
            self._readers[title or "color"] = lambda: colors
        table = points.table
        self._matrix: MatrixColumns | None = None
        if table is not None:
            self._readers.update({key: self._reader(key) for key in table.names})
            self._matrix = table.others
        if self._matrix is None and X is not None:
            few = isinstance(X, np.ndarray) and X.shape[1] <= MOST_FEATURES
            if feature_names is not None:
                self._matrix = matrix_columns(X, feature_names)
            elif table is None and few:
                self._matrix = matrix_columns(X, [f"feature {j}" for j in range(X.shape[1])])
        self._keys = list(self._readers)
        self._columns: OrderedDict[Hashable, tuple[FindColumn, Histogram]] = OrderedDict()
        self._most = max(FEWEST_KEPT, MOST_VALUES // max(points.n_samples, 1))
        self._texts: dict[Hashable, list[str]] = {}
        self._names: list[str] | None = None

    @cached_property
    def titles(self) -> ColumnTitles:
        """The titles of all columns, in the order of their positions."""
        return ColumnTitles([LABEL, *self._keys, *self.matrix_names])

    @property
    def matrix_names(self) -> Sequence[Any]:
        """The names of the columns of the matrix."""
        return () if self._matrix is None else self._matrix.names

    def key(self, position: int) -> Hashable:
        """Return the key of a column; ``None`` is that of the labels."""
        own = 1 + len(self._keys)
        if not 0 <= position < own + len(self.matrix_names):
            count = own + len(self.matrix_names)
            raise ValueError(f"column must be in [0, {count}), got {position}")
        if position == 0:
            return None
        return self._keys[position - 1] if position < own else MatrixKey(position - own)

    def position(self, key: Hashable) -> int | None:
        """Return the position of a column, ``None`` if there is none with this key."""
        own = 1 + len(self._keys)
        if isinstance(key, MatrixKey):
            return own + key.place if key.place < len(self.matrix_names) else None
        return 0 if key is None else self._positions.get(key)

    @cached_property
    def _positions(self) -> dict[Hashable, int]:
        return {key: k for k, key in enumerate(self._keys, 1)}

    def codes(self, key: Hashable) -> dict[str, int]:
        """Return the codes of a column's categories by their names; none of other columns."""
        made, _ = self.column(key)
        if made.kind != "category":
            return {}
        return {name_of(value): code for code, value in enumerate(made.categories)}

    def named(self, name: Any, argument: str) -> Hashable:
        """Return the key of the column that a person calls ``name``."""
        if isinstance(name, Hashable) and name in self._readers:
            return name
        if name == LABEL:
            return None
        matrix = self._matrix if isinstance(name, Hashable) else None
        place = None if matrix is None else matrix.place(name, argument)
        if place is not None:
            return MatrixKey(place)
        raise ValueError(
            f"{argument} must name columns, got {shown(name)}; the columns are "
            f"{listed([LABEL, *self._keys, *self.matrix_names])}"
        )

    def column(self, key: Hashable) -> tuple[FindColumn, Histogram]:
        """Return a column and its histogram."""
        if key is None:
            codes, names = self._labels()
            places = {name: k for k, name in enumerate(names)}
            made = FindColumn("category", LABEL, codes.astype(np.float64), names, places)
            return made, histogram(made)
        if key not in self._columns:
            made = encoded(self._values(key), self.title(key))
            self._columns[key] = made, histogram(made)
            if len(self._columns) > self._most:
                self._columns.popitem(last=False)
        self._columns.move_to_end(key)
        return self._columns[key]

    def colorable(self) -> Iterator[Hashable]:
        """Yield the columns that can color points: all but text of which most is unique."""
        yield from (key for key in self._keys if not self._has_text(key) or self._recurs(key))
        yield from map(MatrixKey, range(len(self.matrix_names)))

    def color_title(self, key: Hashable) -> str:
        """Return the title of a column that colors points, "" for values without one."""
        extra = self._extra_color(key)
        return self.title(key) if extra is None else extra.title

    def color_column(self, key: Hashable) -> Column:
        """Return a column as it colors points; raise ValueError if it cannot."""
        extra = self._extra_color(key)
        if extra is not None:
            return extra
        table, title = self._points.table, self.title(key)
        native = None if table is None else table.native(key)
        values = self._values(key)
        return as_column(values, self._points.n_samples, title, title=title, native=native)

    def _extra_color(self, key: Hashable) -> Column | None:
        """Return the column that was given to color by, if it is none of the table."""
        extra = self._points.extra_color
        return self._points.color if extra is not None and key == (extra[0] or "color") else None

    def _recurs(self, key: Hashable) -> bool:
        table = self._points.table
        inside = table is not None and key in table
        values = np.asarray(
            table.head(key, JUDGED_ROWS) if table is not None and inside
            else self._readers[key]()[:JUDGED_ROWS]
        )  # fmt: skip
        if values.dtype.kind == "M":
            return True
        try:
            return len(set(values.tolist())) <= max(MOST_INTEGER_CATEGORIES, len(values) // 2)
        except TypeError:  # values that have no hash
            return False

    def texts(self, key: Hashable) -> list[str]:
        """Return the values of a column as they are searched."""
        if key is None:
            codes, names = self._labels()
            known = [*(folded(name) for name in names), ""]
            return [known[code] for code in codes.tolist()]
        if key in self._texts:
            return self._texts[key]
        texts = [folded(searchable(value)) for value in self._values(key)]
        if not isinstance(key, MatrixKey) and sum(map(len, texts)) <= MOST_KEPT:
            self._texts[key] = texts
        return texts

    def names(self) -> list[str]:
        """Return the names of the points as they are searched."""
        if self._names is None:
            points = self._points
            self._names = [folded(points.name(i)) for i in range(points.n_samples)]
        return self._names

    def text(self, key: Hashable, point: int) -> str:
        """Return one value as text, in its own form."""
        if key is None:
            codes, names = self._labels()
            return names[codes[point]] if codes[point] >= 0 else ""
        table = self._points.table
        if table is not None and key in table:
            return searchable(table.cell(key, point))
        if isinstance(key, MatrixKey):  # one column for all points of a search
            return searchable(self.column(key)[0].values[point])
        return searchable(self._readers[key]()[point])

    def title(self, key: Hashable) -> str:
        """Return the title of a column."""
        if isinstance(key, MatrixKey):
            return name_of(self.matrix_names[key.place])
        return LABEL if key is None else name_of(key)

    def name(self, key: Hashable) -> str | None:
        """Return the name of a column, ``None`` where that is no text."""
        name = self.matrix_names[key.place] if isinstance(key, MatrixKey) else key
        return str(name) if isinstance(name, str) else None

    def _values(self, key: Hashable) -> Any:
        """Return the values of a column other than the labels."""
        if isinstance(key, MatrixKey):
            assert self._matrix is not None
            return self._matrix.values(key.place)
        table = self._points.table
        return array_of(self._readers[key](), None if table is None else table.native(key))

    def searched(self) -> list[Hashable]:
        """Return the columns that are searched where none is named: all but those of numbers."""
        return [key for key in self._keys if self._has_text(key)]

    def is_numeric(self, key: Hashable) -> bool:
        """Return whether a column has numbers."""
        table = self._points.table
        if key is None or isinstance(key, MatrixKey):
            return key is not None
        if table is not None and key in table:
            return table.is_numeric(key)
        return np.asarray(self._readers[key]()).dtype.kind in "iuf"

    def _has_text(self, key: Hashable) -> bool:
        table = self._points.table
        if table is not None and key in table:
            return not (table.is_numeric(key) or table.is_boolean(key))
        return not isinstance(key, MatrixKey) and (
            np.asarray(self._readers[key]()).dtype.kind in "OUST"
        )

    def _reader(self, key: Hashable) -> Callable[[], Any]:
        table = self._points.table
        assert table is not None
        return lambda: table.values(key, "columns")


def as_names(columns: Any) -> list[Any]:
    """Return names of columns as a list; one name may stand alone."""
    if isinstance(columns, str | tuple) or not isinstance(columns, Iterable):
        columns = [columns]
    names = list(columns)
    for name in names:
        if not isinstance(name, Hashable):
            raise TypeError(f"columns must be names of columns, got {shown(name)}")
    return names
