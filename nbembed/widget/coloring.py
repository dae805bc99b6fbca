"""Which column colors the points: chosen on the page among those of the table, or from Python."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any

from nbembed.display.columns import Column, as_column
from nbembed.display.point_columns import LABEL
from nbembed.widget import serializers

if TYPE_CHECKING:
    from nbembed.display.point_columns import PointColumns
    from nbembed.display.point_data import PointData
    from nbembed.widget.drawing import FrameArtist
    from nbembed.widget.trait_writer import TraitWriter


class ColumnChoice:
    """The columns that a page offers to color by, and the one that does.

    Parameters
    ----------
    points : PointData
    columns : PointColumns
        Those by which points are found.
    artist : FrameArtist
    writer : TraitWriter
    """

    def __init__(
        self, points: PointData, columns: PointColumns, artist: FrameArtist, writer: TraitWriter
    ) -> None:
        self._points = points
        self._columns = columns
        self._artist = artist
        self._writer = writer
        #: Title of each column that is offered, and what makes it.
        self._offered: list[tuple[str, Callable[[], Column]]] = []
        for key in columns.colorable():
            self._offer(columns.color_title(key), self._reader(key))

    @property
    def titles(self) -> list[str]:
        """The titles of the columns that are offered; "" for values without a title."""
        return [title for title, _ in self._offered]

    def choose(self, column: int) -> None:
        """Color by one of the columns that are offered.

        Raises
        ------
        ValueError
            If there is no such column, or its numbers cannot be drawn.
        """
        if not 0 <= column < len(self._offered):
            raise ValueError(f"column must be in [0, {len(self._offered)}), got {column}")
        self._show(self._offered[column][1]())

    def color(self, column: Any) -> None:
        """See :meth:`Coloring.color`."""
        if isinstance(column, str):
            key = self._columns.named(column, "column")
            if key is None and column == LABEL:
                self._writer.update({"color_by": "class"})
                return
            made = self._reader(key)()
        elif column is None:
            raise TypeError('column must be a name or values; color_by = "class" shows labels')
        else:
            made = as_column(column, self._points.n_samples, "column")
        self._show(made)
        if not isinstance(column, str) or made.title not in self.titles:
            self._offer(made.title, lambda: made)
            self._writer.update({"color_columns": self.titles})

    def _offer(self, title: str, make: Callable[[], Column]) -> None:
        """Offer a column, in the place of the one that has its title."""
        if title in self.titles:
            self._offered[self.titles.index(title)] = title, make
        else:
            self._offered.append((title, make))

    def _reader(self, key: Hashable) -> Callable[[], Column]:
        return lambda: self._columns.color_column(key)

    def _show(self, column: Column) -> None:
        traits = serializers.color_column(column)
        shown = traits["color_column"]
        shown["colors"] = self._artist.adopt_categories(
            column.names, shown["colors"], ordered=column.ordered
        )
        self._writer.choose_column(traits)


class Coloring:
    """Chooses the column that colors the points."""

    _column_choice: ColumnChoice

    def color(self, column: Any) -> None:
        """Color the points by a column of the table, or by other values.

        Parameters
        ----------
        column : str or array-like of shape (n_samples,)
            The name of a column, or of a variable of an AnnData; or values: text, booleans,
            categories, numbers or times. Values can be chosen again on the page by their title,
            which is the name of a pandas series.

        Raises
        ------
        ValueError, TypeError
            If there is no such column, or not one value for each point.

        Notes
        -----
        :attr:`color_by` then is "column". A category with the name of a class has its color.
        """
        self._column_choice.color(column)
