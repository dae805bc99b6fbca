"""Answers which columns a page can choose from, by what is typed of their titles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nbembed.points.point_columns import PointColumns
    from nbembed.widget.view.coloring import ColumnChoice


class ColumnSearch:
    """Finds columns for a page: those by which points are found, or, in ``choice``, colored."""

    def __init__(self, columns: PointColumns, choice: ColumnChoice) -> None:
        self._columns = columns
        self._choice = choice

    def answer(self, use: str, text: str) -> tuple[dict[str, Any], list[bytes]]:
        """Answer ``find_columns``."""
        titles = self._choice.titles if use == "color" else self._columns.titles
        found = titles.find(text)
        keys = [] if use == "color" else [self._columns.key(place) for place in found.places]
        return {
            "columns": found.places,
            "titles": found.titles,
            "colors": [self._choice.place(key) for key in keys],
            "numbers": [self._columns.is_numeric(key) for key in keys],
            "matching": found.matching,
            "count": found.count,
        }, []
