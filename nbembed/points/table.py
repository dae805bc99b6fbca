"""A table whose rows are the points: columns by name, and the labels of the rows.

Frames of pandas, polars, PyArrow and others are read through narwhals, so that none of them need be
installed. Nothing is copied or converted before it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from nbembed.data.dask_input import refuse_dask
from nbembed.data.matrix_input import matrix_of
from nbembed.points.matrix_columns import MatrixColumns
from nbembed.points.text import in_sentence, name_of
from nbembed.validation import shown

#: Among the attributes of a frame of pandas, the columns that labels were written into.
LABELS = "nbembed labels"
#: Names that an error message lists.
MOST_LISTED = 12


class Table:
    """Columns of values, each with one value for each point.

    * index: the labels of the rows, where the table has any.
    * kind: what frames the user works with.
    * others: columns of a matrix beside the table, such as the variables of an AnnData.
    """

    def __init__(
        self,
        columns: Mapping[Any, Any],
        index: Any,
        n_rows: int,
        kind: str = "other",
        others: MatrixColumns | None = None,
    ) -> None:
        self._columns = dict(columns)
        self.index = index
        self.n_rows = n_rows
        self.kind = kind
        self.others = others
        #: Columns that labels were written into, which are to look at.
        self.labels: tuple[Any, ...] = ()

    @property
    def names(self) -> tuple[Hashable, ...]:
        """The names of the columns, in their order."""
        return tuple(self._columns)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, Hashable) and name in self._columns

    def cell(self, name: Any, row: int) -> Any:
        """Return one value."""
        return self._columns[name][row]

    def cells(self, name: Any, rows: slice) -> Iterable[Any]:
        """Return the values of some rows, which is quicker than one :meth:`cell` after another."""
        column = self._columns[name][rows]
        # Of an array the items keep their type, which says how a time is shown.
        return column if isinstance(column, np.ndarray) else column.to_list()

    def values(self, name: Any, argument: str) -> Any:
        """Return the values of a column as an array.

        Raises ValueError if there is no such column.
        """
        found = self._columns.get(name)
        if found is None and self.others is not None:
            place = self.others.place(name, argument)
            found = None if place is None else self.others.values(place)
        if found is None:
            raise ValueError(
                f"{argument} must name a column, got {shown(name)}; the columns are "
                f"{listed(self.names)}"
            )
        if isinstance(found, np.ndarray):
            return found
        if isinstance(found.dtype, nw.Datetime) and found.dtype.time_zone is not None:
            found = found.dt.replace_time_zone(None)  # the clock that a card shows
        return found.to_numpy()

    def head(self, name: Any, rows: int) -> NDArray[Any]:
        """Return the first values of a column."""
        column = self._columns[name][:rows]
        found: NDArray[Any] = column if isinstance(column, np.ndarray) else column.to_numpy()
        return found

    def native(self, name: Any) -> Any:
        """Return a column as the user's library has it, ``None`` where there is no such column."""
        column = self._columns.get(name)
        return None if column is None or isinstance(column, np.ndarray) else nw.to_native(column)

    def take(self, rows: NDArray[np.intp]) -> Table:
        """Return the table of some rows."""
        places = rows.tolist()
        made = Table(
            {
                name: column[rows if isinstance(column, np.ndarray) else places]
                for name, column in self._columns.items()
            },
            None if self.index is None else self.index[rows],
            rows.size,
            self.kind,
            None if self.others is None else self.others.take(rows),
        )
        made.labels = self.labels
        return made

    def is_numeric(self, name: Any) -> bool:
        """Return whether a column holds real numbers."""
        column = self._columns[name]
        if isinstance(column, np.ndarray):
            return bool(column.dtype.kind in "iuf")
        return bool(column.dtype.is_numeric())

    def is_boolean(self, name: Any) -> bool:
        """Return whether a column holds truth values."""
        column = self._columns[name]
        if isinstance(column, np.ndarray):
            return bool(column.dtype.kind == "b")
        return bool(column.dtype == nw.Boolean)

    def numbers(self, names: Sequence[Any]) -> NDArray[np.float64]:
        """Return columns of numbers or truth values as a matrix, missing values as NaN."""
        matrix = np.empty((self.n_rows, len(names)))
        for k, name in enumerate(names):
            column = self._columns[name]
            if not isinstance(column, np.ndarray):
                column = column.cast(nw.Float64).to_numpy()
            matrix[:, k] = column
        return matrix


def as_table(value: Any, name: str = "X") -> Table | None:
    """Return the table of a frame, an AnnData (its ``obs``) or a mapping; of others ``None``.

    A table is returned as it is.

    Raises TypeError if it is a frame that is not in memory.
    Raises ValueError if two columns have one name, or the columns of a mapping have different
    lengths.
    """
    if isinstance(value, Table):
        return value
    if is_annotated(value):
        return _table_of_annotated(value, name)
    if isinstance(value, Mapping):
        return _table_of_mapping(value, name)
    refuse_dask(value, name)
    try:
        frame = nw.from_native(value, pass_through=True)
    except Exception as error:
        # Narwhals tells of two columns with one name by an error of its own.
        raise ValueError(f"{name} must be a table with distinct columns: {error}") from None
    if isinstance(frame, nw.LazyFrame):
        raise TypeError(
            f"{name} must be in memory, got a lazy {type(value).__name__}; call its collect() first"
        )
    if not isinstance(frame, nw.DataFrame):
        return None
    names = list(frame.columns)
    if len(set(names)) < len(names):
        repeated = next(n for k, n in enumerate(names) if n in names[:k])
        raise ValueError(
            f"{name} must have columns with distinct names, got {shown(repeated)} twice"
        )
    index = nw.maybe_get_index(frame)
    kind = "pandas" if index is not None else "polars" if _is_polars(value) else "other"
    columns = {n: _filled(frame.get_column(n)) for n in names}
    table = Table(columns, index, frame.shape[0], kind)
    table.labels = labels_written(value)
    return table


def labels_written(frame: Any) -> tuple[Any, ...]:
    """Return the columns of a frame of pandas that labels were written into."""
    attrs = getattr(frame, "attrs", None)
    found = attrs.get(LABELS, ()) if isinstance(attrs, dict) else ()
    return tuple(found) if isinstance(found, list | tuple) else ()


def _filled(column: Any) -> Any:
    """Return a sparse column of pandas, which narwhals does not know as numbers, with all values.

    Others are returned as they are.
    """
    native = nw.to_native(column)
    if type(getattr(native, "dtype", None)).__name__ != "SparseDtype":
        return column
    return nw.from_native(native.sparse.to_dense(), series_only=True)


def is_name(value: Any, table: Table | None) -> bool:
    """Return whether a value is the name of a column and not values; not all names are text."""
    if isinstance(value, str):
        return True
    try:
        return table is not None and value in table
    except TypeError:  # a tuple of values that have no hash
        return False


def is_annotated(value: Any) -> bool:
    """Return whether a value is an AnnData, which need not be installed."""
    return all(hasattr(value, part) for part in ("obs", "obs_names", "var_names", "X"))


def listed(names: Sequence[Any]) -> str:
    """Return names for a message, at most :data:`MOST_LISTED` of them."""
    texts = [in_sentence(name_of(name)) or repr(name) for name in names[:MOST_LISTED]]
    if len(names) <= MOST_LISTED:
        return ", ".join(texts) if texts else "none"
    return f"{', '.join(texts)} and {len(names) - MOST_LISTED} more"


def _table_of_annotated(value: Any, name: str) -> Table:
    table = as_table(value.obs, name)
    assert table is not None

    columns = {n: table._columns[n] for n in table.names}
    others = None if value.X is None else MatrixColumns(value.var_names, _reader(value, name))
    return Table(columns, value.obs_names, int(value.shape[0]), "pandas", others)


def _reader(annotated: Any, name: str) -> Callable[[int], Any]:
    """Return a function that reads one variable, without the others where these are in a file."""
    checked: list[Any] = []

    def read(place: int) -> Any:
        matrix = annotated.X
        if isinstance(matrix, np.ndarray):
            return matrix[:, place]
        if not sparse.issparse(matrix):
            return matrix_of(annotated[:, [place]], name)
        if not any(matrix is known for known in checked):
            matrix_of(matrix, name)  # every entry is checked, once
            checked[:] = [matrix]
        return matrix[:, [place]]

    return read


def _table_of_mapping(value: Mapping[Any, Any], name: str) -> Table:
    columns: dict[Any, Any] = {}
    for key, values in value.items():
        series = nw.from_native(values, pass_through=True, series_only=True)
        if not isinstance(series, nw.Series | Iterable):
            raise TypeError(
                f"{name} must have one value for each point, got {type(values).__name__}"
            )
        columns[key] = series if isinstance(series, nw.Series) else _array(values)
        if len(columns[key]) != len(next(iter(columns.values()))):
            raise ValueError(
                f"{name} must have columns of equal length, got "
                f"{len(next(iter(columns.values())))} and {len(columns[key])}"
            )
    rows = len(next(iter(columns.values()))) if columns else 0
    return Table(columns, None, rows)


def _array(values: Any) -> NDArray[Any]:
    """Return values as an array of one dimension, whatever each of them is."""
    if isinstance(values, np.ndarray) and values.ndim == 1:
        return values
    items = list(values)
    # Of text NumPy would give each row the bytes of the longest.
    if items and len(set(map(type, items))) == 1 and isinstance(items[0], int | float):
        return np.asarray(items)
    array = np.empty(len(items), dtype=object)
    for k, item in enumerate(items):
        array[k] = item
    return array


def _is_polars(value: Any) -> bool:
    return type(value).__module__.partition(".")[0] == "polars"


def no_columns(argument: str, name: Any) -> ValueError:
    """Return the error for the name of a column where the data have none."""
    return ValueError(
        f"{argument}={shown(name)} names a column, but the data have no columns; pass the values "
        "themselves, or a table as X or columns"
    )
