"""Data on each point beside the features that are embedded: for looking at only.

Names, the columns of a table, a column to color by and images. All but the colors is read when it
is asked for, one point at a time, so that many rows cost nothing at the start.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Hashable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.points.columns import Column, as_column
from nbembed.points.features import Features
from nbembed.points.images import LONGEST_SIDE, Images
from nbembed.points.table import Table, as_table, is_name, listed, no_columns
from nbembed.points.text import is_missing, name_of, text_of
from nbembed.system.optional_packages import load_optional

#: Labels of rows that tell whether they are IDs.
JUDGED = 1000
_DIGIT = re.compile(r"\d+")
#: Bar codes of cells, hexadecimal hashes and UUIDs, with what samples add before or after.
_CODE = re.compile(r"(?:\w+[-_:.])?(?:[ACGTN]{8,}|(?=\D*\d)[0-9a-fA-F-]{8,})(?:[-_:.]\w+)?")
#: Columns that are shown unless they are chosen.
MOST_COLUMNS = 12


class PointData:
    """Reads names, columns and images of points.

    * names: by default the labels of the rows, where the table has labels of its own.
    * columns: the columns to show, by default those that are not embedded, then those that are, up
      to :data:`MOST_COLUMNS`; or a table, where the data are none.
    * named: whether points have names that are worth showing on a map: no numbers, nor IDs unless
      given.
    * index: the labels of the rows.
    * kind {"pandas", "polars", "other"}: of the frames that the user works with.
    * embedded: the columns of the table that are embedded.
    * variables, original: as of :class:`~nbembed.points.features.Features`.
    * table: all columns, where the data or ``columns`` are a table.
    * shown, left_out: the columns that cards show, and the number of those that they do not.
    """

    def __init__(
        self,
        features: Features | None,
        n_samples: int,
        *,
        color: Any = None,
        names: Any = None,
        columns: Any = None,
        images: Any = None,
    ) -> None:
        embedded = () if features is None else features.names
        table = None if features is None else features.table
        given = None if is_name(columns, table) else as_table(columns, "columns")
        if given is not None:
            if table is not None and table.names:
                raise ValueError("columns must be names of columns of X, because X is a table")
            table, columns = given, None
        if table is not None and table.n_rows != n_samples:
            raise ValueError(
                f"columns must have one row for each of the {n_samples} points, got {table.n_rows}"
            )
        self.table = table
        self.n_samples = n_samples
        self.embedded = embedded
        self.variables = None if features is None else features.variables
        self.original = None if features is None else features.original
        self._filled = {} if features is None else features.filled
        last = embedded if features is None else (*embedded, *features.constant)
        self.shown, self.left_out = _shown(table, columns, last)
        self.index = None if table is None else table.index
        self.kind = "other" if table is None else table.kind
        self.color, self._own_color = self._color(color, n_samples)
        self._names, self.named = self._names_of(names, n_samples)
        if images is None and features is not None:
            images = features.images
        if is_name(images, self.table):
            images = self._values(images, "images")
        self.images = None if images is None else Images(images, n_samples)

    def take(self, points: NDArray[np.intp]) -> PointData:
        """Return the data on some points; categories keep their names and colors."""
        made, variables = copy(self), self.variables
        made.n_samples = points.size
        if self.table is not None:
            made.table = self.table.take(points)
            made.index = made.table.index
        if variables is not None:

            def some() -> tuple[Any, Sequence[Any]]:
                matrix, names = variables()
                return matrix[points], names

            made.variables = some
        if self.original is not None:
            made.original = self.original[points]
        if self.color.kind != "none":
            values = self.color.values
            made.color = replace(
                self.color,
                codes=self.color.codes[points],
                values=None if values is None else values[points],
            )
        if self._names is not None:
            made._names = self._names[points]
        if self.images is not None:
            made.images = self.images.take(points)
        return made

    def prepared(self, features: Features) -> PointData:
        """Return the data on the same points, of whose table other features are embedded."""
        made = copy(self)
        made.embedded, made._filled = features.names, features.filled
        return made

    @property
    def has_names(self) -> bool:
        """True if points have names, be they numbers."""
        return self._names is not None

    def name(self, point: int) -> str:
        """Return the name of a point, "" if it has none."""
        return "" if self._names is None else name_of(self._names[point])

    def rows(self, point: int) -> list[tuple[str, str]]:
        """Return titles and values of the columns to show, as text; missing values are ""."""
        if self.table is None:
            return []
        cells = [(name, self.table.cell(name, point)) for name in self.shown]
        return [(name_of(name), self._text(name, value)) for name, value in cells]

    def row_block(self, points: slice) -> list[list[tuple[str, str]]]:
        """Return :meth:`rows` of each of some points."""
        table = self.table
        if table is None or not self.shown:
            return [[] for _ in range(self.n_samples)[points]]
        columns = []
        for name in self.shown:
            title = name_of(name)
            cells = table.cells(name, points)
            columns.append([(title, self._text(name, value)) for value in cells])
        return [list(row) for row in zip(*columns)]

    def _text(self, name: Any, value: Any) -> str:
        """Return a cell as text; of a missing one what stands for it in what is embedded."""
        text = text_of(value)
        if name not in self._filled or not (text == "" or text in ("inf", "-inf")):
            return text
        filled = self._filled[name]
        by = f"as {filled}" if filled else "as in the nearest rows"
        return f"{text or 'missing'}, embedded {by}"

    def image(self, point: int, longest: int = LONGEST_SIDE) -> bytes | None:
        """Return the image of a point as a PNG, ``None`` if it has none."""
        return None if self.images is None else self.images.png(point, longest)

    @property
    def extra_color(self) -> tuple[str, Any] | None:
        """Title and values of the color column, unless the table has that column."""
        values = self.color.values
        if values is None or not self._own_color:
            return None
        return self.color.title, values

    def described(self, X: Any) -> Any:
        """Return the features by which points are described: as given, not as prepared."""
        return X if self.original is None else self.original

    def _values(self, name: Any, argument: str) -> Any:
        if self.table is None:
            raise no_columns(argument, name)
        return self.table.values(name, argument)

    def _color(self, color: Any, n_samples: int) -> tuple[Column, bool]:
        if not is_name(color, self.table):
            column = as_column(color, n_samples)
            return column, self.table is None or column.title not in self.table
        values = self._values(color, "color")
        title = name_of(color)
        assert self.table is not None
        column = as_column(values, n_samples, title=title, native=self.table.native(color))
        return column, color not in self.table

    def _names_of(self, names: Any, n_samples: int) -> tuple[Any, bool]:
        if names is None:
            return row_names(self.index)
        values = self._values(names, "names") if is_name(names, self.table) else names
        table = as_table({"names": values}, "names")
        assert table is not None
        if table.n_rows != n_samples:
            raise ValueError(
                f"names must have one name for each of the {n_samples} points, got {table.n_rows}"
            )
        return table.values("names", "names"), not table.is_numeric("names")


def _shown(
    table: Table | None, columns: Any, last: tuple[Hashable, ...]
) -> tuple[tuple[Hashable, ...], int]:
    """Return the columns to show, and how many are left out."""
    if columns is not None:
        one = is_name(columns, table)
        if not (one or isinstance(columns, Iterable)):
            raise TypeError(
                f"columns must be names of columns or a table, got {type(columns).__name__}"
            )
        chosen = (columns,) if one else tuple(columns)
        missing = [name for name in chosen if table is None or name not in table]
        if missing:
            there = listed(() if table is None else table.names)
            raise ValueError(f"columns must be columns of X, got {listed(missing)}; X has {there}")
        return chosen, 0
    if table is None:
        return (), 0
    ordered = [n for n in table.names if n not in last] + list(last)
    return tuple(ordered[:MOST_COLUMNS]), max(0, len(ordered) - MOST_COLUMNS)


def row_names(index: Any) -> tuple[Any, bool]:
    """Return the labels of rows, and whether they are names; none where rows are only counted."""
    if index is None or len(index) == 0:
        return None, False
    if type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1:
        return None, False
    first = next((label for label in index[:100] if not is_missing(label)), None)
    return index, not isinstance(first, int | float | np.number) and not _are_ids(index)


def _are_ids(labels: Any) -> bool:
    """Return whether labels only tell rows apart: bar codes, hashes, and what is counted."""
    texts = [label for label in labels[:JUDGED] if isinstance(label, str)]
    if not texts or not all(map(_DIGIT.search, texts)):
        return bool(texts) and all(map(_CODE.fullmatch, texts))
    # cell17 and cell18 are the same but for their numbers; 747 and A320 are not.
    stems = {_DIGIT.sub("#", text) for text in texts}
    return len(stems) <= max(1, len(texts) // 50) or all(map(_CODE.fullmatch, texts))


def point_frame(columns: Mapping[str, Any], points: PointData, chosen: Any = None) -> Any:
    """Return columns as a frame of the kind the data came in: of polars or, with index, of pandas.

    * columns: values of all points, or of those that are ``chosen``.

    Warns if labels of the index occur more than once.

    Raises ImportError if pandas is needed and not installed.
    """
    if points.kind == "polars":
        import polars as pl

        types: dict[str, Any] = {"label": pl.String, "source": pl.String, "how": pl.String}
        types |= {"time": pl.Datetime("ms", "UTC"), "iteration": pl.Int64}
        return pl.DataFrame(
            dict(columns), schema_overrides={k: v for k, v in types.items() if k in columns}
        )
    pd = load_optional("pandas", "to_frame()")
    if points.index is not None and not points.index.is_unique:
        warnings.warn(
            "row labels of the data are not unique, so join() would combine every pair of equal "
            "labels; pd.concat([df.reset_index(drop=True), frame.reset_index(drop=True)], "
            "axis=1) aligns the rows by position",
            stacklevel=3,
        )
    typed = dict(columns)
    for name in ("label", "source", "how"):
        if name in typed:
            typed[name] = pd.array(typed[name], dtype="string")
    if isinstance(typed.get("time"), list):
        typed["time"] = pd.to_datetime(pd.Series(typed["time"], dtype=object), utc=True).array
    if isinstance(typed.get("iteration"), list):
        typed["iteration"] = pd.array(typed["iteration"], dtype="Int64")
    index = points.index
    return pd.DataFrame(typed, index=index if index is None or chosen is None else index[chosen])
