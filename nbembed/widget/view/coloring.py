"""The column that colors the points: chosen on the page among the table's, or from Python."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property
from typing import Any

from nbembed.points.column_titles import ColumnTitles
from nbembed.points.columns import Column, as_column
from nbembed.points.point_columns import LABEL, PointColumns
from nbembed.points.point_data import PointData
from nbembed.points.table import is_name
from nbembed.points.text import name_of
from nbembed.widget.stream import serializers
from nbembed.widget.stream.drawing import FrameArtist
from nbembed.widget.stream.trait_writer import TraitWriter
from nbembed.widget.view.view_state import ChosenColumn, ViewState

#: Columns that a page lists at once; of more it asks for those whose titles have a text.
MOST_LISTED = 30
#: Stands for the labels among the columns that are offered.
LABELS = -1


class ColumnChoice:
    """The columns that a page offers to color by, and the one that does.

    ``columns`` are those by which points are found. ``chosen`` is ``None`` while the column that
    was given colors the points.
    """

    def __init__(
        self, points: PointData, columns: PointColumns, artist: FrameArtist, writer: TraitWriter
    ) -> None:
        self._points = points
        self._columns = columns
        self._artist = artist
        self._writer = writer
        #: The columns of the table, by their number, and after these the values that were given.
        self._keys = list(columns.colorable())
        #: What makes the columns that are no longer, or never were, those of the table.
        self._given: dict[int, Callable[[], Column]] = {}
        self.chosen: ChosenColumn | None = None

    @cached_property
    def titles(self) -> ColumnTitles:
        """The titles of the columns that are offered; "" for values without a title."""
        return ColumnTitles(map(self._columns.color_title, self._keys))

    @property
    def traits(self) -> dict[str, Any]:
        """The traits of the columns that are offered."""
        count = len(self._keys)
        few = count <= MOST_LISTED
        titles = [self.titles.title(k) for k in range(count)] if few else []
        return {"color_columns": titles, "color_column_count": count}

    def choose(self, column: int) -> None:
        """Color by one of the offered columns; raise ValueError if it cannot be drawn."""
        if not 0 <= column < len(self._keys):
            raise ValueError(f"column must be in [0, {len(self._keys)}), got {column}")
        if column in self._given:
            self._show(self._given[column](), None)
        else:
            key = self._keys[column]
            self._show(self._columns.color_column(key), self._columns.name(key))

    def answer_columns(self, use: str, text: str) -> tuple[dict[str, Any], list[bytes]]:
        """Answer ``find_columns``: those to find points by, or to color by, whose titles match."""
        titles = self.titles if use == "color" else self._columns.titles
        found = titles.find(text)
        keys = [] if use == "color" else [self._columns.key(place) for place in found.places]
        return {
            "columns": found.places,
            "titles": found.titles,
            "colors": [self.place(key) for key in keys],
            "numbers": [self._columns.is_numeric(key) for key in keys],
            "matching": found.matching,
            "count": found.count,
        }, []

    def place(self, key: Hashable) -> int | None:
        """Return the number of a column that is offered; −1 stands for the labels."""
        return LABELS if key is None else self._numbers.get(key)

    @cached_property
    def _numbers(self) -> dict[Hashable, int]:
        return {key: k for k, key in enumerate(self._columns.colorable())}

    def color(self, column: Any) -> None:
        """See :meth:`Coloring.color`."""
        if is_name(column, self._points.table):
            key = self._columns.named(column, "column")
            if key is None and column == LABEL:
                self._writer.update({"color_by": "class"})
                return
            self._show(self._columns.color_column(key), self._columns.name(key))
            if key not in self._keys:
                self._offer(key, lambda: self._columns.color_column(key))
        elif column is None:
            raise TypeError(
                'column must be a name or values, got None; color_by = "class" shows labels'
            )
        else:
            made = as_column(column, self._points.n_samples, "column")
            self._show(made, None)
            self._offer(made.title, lambda: made)

    def restore(self, view: ViewState) -> None:
        """Color by the column that somebody had chosen when a view was stored."""
        if view.chosen is None or view.color is None:
            return
        try:
            if view.chosen.name is not None:
                self.color(view.chosen.name)
                return
        except (ValueError, TypeError):
            pass  # the table does not have it any more; its values are in the file
        made = as_column(view.color, self._points.n_samples, title=view.title)
        self._show(made, None)
        self._offer(made.title, lambda: made)

    def _offer(self, title: Hashable, make: Callable[[], Column]) -> None:
        """Offer a column, in the place of the one that has its title."""
        shown = name_of(title)
        place = self._places.get(shown)
        if place is None:
            place = self._places[shown] = len(self._keys)
            self._keys.append(title)
            self.titles.append(title)
        self._given[place] = make
        self._writer.update(self.traits)

    @cached_property
    def _places(self) -> dict[str, int]:
        titles = self.titles
        return {titles.title(k): k for k in reversed(range(len(titles)))}

    def _show(self, column: Column, name: str | None) -> None:
        traits = serializers.color_column(column)
        shown = traits["color_column"]
        shown["colors"] = self._artist.adopt_categories(
            column.names, shown["colors"], ordered=column.ordered
        )
        self._writer.choose_column(traits)
        self.chosen = ChosenColumn(name)


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
