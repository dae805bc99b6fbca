"""All columns of points by which they are found: those of the table, labels, color, features."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from nbembed.display.columns import MOST_INTEGER_CATEGORIES, Column, as_column
from nbembed.display.find_columns import FindColumn, Histogram, encoded, histogram
from nbembed.display.find_text import folded, searchable
from nbembed.display.table import listed
from nbembed.display.text import name_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nbembed.display.point_data import PointData

#: The title of the column of labels.
LABEL = "class label"
#: Columns that a page lists.
MOST_LISTED = 500
#: Features of an array that are columns of their own.
MOST_FEATURES = 100
#: Characters of a column that are kept in the form in which they are searched.
MOST_KEPT = 2**26
#: Rows by which a column of text is judged: where most values differ, colors say nothing.
JUDGED_ROWS = 1000


class PointColumns:
    """Reads columns when they are first asked for, and keeps them.

    Parameters
    ----------
    points : PointData
    X : ndarray, csr_array or None
        The features, ``None`` where they are none.
    labels : callable
        Returns the class of each point, −1 for none, and the names of the classes.

    Attributes
    ----------
    titles : tuple of str
        Of the columns that a page lists.
    left_out : int
        The number of columns that it does not list.
    """

    def __init__(
        self,
        points: PointData,
        X: Any,
        labels: Callable[[], tuple[NDArray[np.intp], tuple[str, ...]]],
    ) -> None:
        self._points = points
        self._labels = labels
        self._readers: dict[Hashable, Callable[[], Any]] = {}
        if points.extra_color is not None:
            title, colors = points.extra_color
            self._readers[title or "color"] = lambda: colors
        table = points.table
        if table is not None:
            self._readers.update({key: self._reader(key) for key in table.names})
        elif isinstance(X, np.ndarray) and X.shape[1] <= MOST_FEATURES:
            for j in range(X.shape[1]):
                self._readers[f"feature {j}"] = partial(X.__getitem__, (slice(None), j))
        self._keys = list(self._readers)[:MOST_LISTED]
        self.titles = (LABEL, *(name_of(key) or str(key) for key in self._keys))
        self.left_out = len(self._readers) - len(self._keys)
        self._columns: dict[Hashable, tuple[FindColumn, Histogram]] = {}
        self._texts: dict[Hashable, list[str]] = {}
        self._names: list[str] | None = None

    def key(self, position: int) -> Hashable:
        """Return the key of a listed column; ``None`` is that of the labels.

        Raises
        ------
        ValueError
            If there is no such column.
        """
        if not 0 <= position < len(self.titles):
            raise ValueError(f"column must be in [0, {len(self.titles)}), got {position}")
        return None if position == 0 else self._keys[position - 1]

    def named(self, name: Any, argument: str) -> Hashable:
        """Return the key of the column that a person calls ``name``.

        Raises
        ------
        ValueError
            If there is no such column.
        """
        if isinstance(name, Hashable) and name in self._readers:
            return name
        if name == LABEL:
            return None
        table = self._points.table
        if isinstance(name, str) and table is not None:
            try:  # a variable of an AnnData
                values = table.values(name, argument)
            except ValueError:
                pass
            else:
                self._readers[name] = lambda: values
                return name
        raise ValueError(
            f"{argument} must name columns, got {name!r}; the columns are "
            f"{listed([LABEL, *self._readers])}"
        )

    def column(self, key: Hashable) -> tuple[FindColumn, Histogram]:
        """Return a column and its histogram."""
        if key is None:
            codes, names = self._labels()
            places = {name: k for k, name in enumerate(names)}
            made = FindColumn("category", LABEL, codes.astype(np.float64), names, places)
            return made, histogram(made)
        if key not in self._columns:
            made = encoded(self._readers[key](), name_of(key))
            self._columns[key] = made, histogram(made)
        return self._columns[key]

    def colorable(self) -> list[Hashable]:
        """Return the listed columns that can color points: all but text of which most is unique."""
        return [key for key in self._keys if not self._has_text(key) or self._recurs(key)]

    def color_title(self, key: Hashable) -> str:
        """Return the title of a column that colors points, "" for values without one."""
        extra = self._extra_color(key)
        return name_of(key) if extra is None else extra.title

    def color_column(self, key: Hashable) -> Column:
        """Return a column as it colors points.

        Raises
        ------
        ValueError
            If it cannot.
        """
        extra = self._extra_color(key)
        if extra is not None:
            return extra
        table, title = self._points.table, name_of(key)
        native = None if table is None else table.native(key)
        values = self._readers[key]()
        return as_column(values, self._points.n_samples, title, title=title, native=native)

    def _extra_color(self, key: Hashable) -> Column | None:
        """Return the column that was given to color by, if it is none of the table."""
        extra = self._points.extra_color
        return self._points.color if extra is not None and key == (extra[0] or "color") else None

    def _recurs(self, key: Hashable) -> bool:
        values = np.asarray(self._readers[key]()[:JUDGED_ROWS])
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
        texts = [folded(searchable(value)) for value in self._readers[key]()]
        if sum(map(len, texts)) <= MOST_KEPT:
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
        return searchable(self._readers[key]()[point])

    def title(self, key: Hashable) -> str:
        """Return what a column is called."""
        return LABEL if key is None else name_of(key)

    def searched(self) -> list[Hashable]:
        """Return the columns that are searched where none is named: all but those of numbers."""
        return [key for key in list(self._readers) if self._has_text(key)]

    def _has_text(self, key: Hashable) -> bool:
        table = self._points.table
        if table is not None and key in table:
            return not (table.is_numeric(key) or table.is_boolean(key))
        return np.asarray(self._readers[key]()).dtype.kind in "OUST"

    def _reader(self, key: Hashable) -> Callable[[], Any]:
        table = self._points.table
        assert table is not None
        return lambda: table.values(key, "columns")


def as_names(columns: Any) -> list[Any]:
    """Return names of columns as a list; one name may stand alone.

    Raises
    ------
    TypeError
        If they are no names.
    """
    if isinstance(columns, str | tuple) or not isinstance(columns, Iterable):
        columns = [columns]
    names = list(columns)
    for name in names:
        if not isinstance(name, Hashable):
            raise TypeError(f"columns must be names of columns, got {name!r}")
    return names
