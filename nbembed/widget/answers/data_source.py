"""Answers which columns of the table are embedded, and how."""

from __future__ import annotations

from collections.abc import Hashable
from functools import cached_property
from typing import Any

from nbembed.points.column_titles import ColumnTitles
from nbembed.points.point_data import PointData
from nbembed.points.preparation.choices import Choices
from nbembed.points.text import name_of


class DataSource:
    """Lists the columns that a map can be made of.

    * prepared_by: the fitted transformer that has prepared the data.
    """

    def __init__(self, points: PointData, prepared_by: Any) -> None:
        self.choices = Choices(prepared_by, points.table)

    @cached_property
    def _titles(self) -> ColumnTitles:
        return ColumnTitles(self.choices.table.names)

    def name(self, column: int) -> Hashable:
        """Return the name of a column of the table; raises ValueError if there is none."""
        names = self.choices.table.names
        if not 0 <= column < len(names):
            raise ValueError(f"column must be in [0, {len(names)}), got {column}")
        return names[column]

    def answer(self, text: str) -> tuple[dict[str, Any], list[bytes]]:
        """Answer ``data_columns``."""
        choices = self.choices
        if choices.refusal:
            return {
                "refusal": choices.refusal, "columns": [], "standardized": False, "embedded": 0,
                "matching": 0, "count": 0,
            }, []  # fmt: skip
        found = self._titles.find(text)
        chosen = set(choices.chosen)
        columns = []
        for place in found.places:
            name = choices.table.names[place]
            told, possible = choices.column(name)
            columns.append(
                {
                    "column": place,
                    "title": name_of(name),
                    "use": told.use if told.embedded else told.reason,
                    "embedded": name in chosen,
                    "possible": possible,
                    "weight": told.weight if told.embedded or name not in chosen else 0.0,
                    "log": told.log,
                    "positive": possible and choices.positive(name),
                }
            )
        return {
            "refusal": "",
            "columns": columns,
            "standardized": choices.standardized,
            "embedded": len(chosen),
            "matching": found.matching,
            "count": found.count,
        }, []
