"""Labels as rows of a table: of each labeled point its class, how sure it is, and who gave it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from nbembed.points.export import utc
from nbembed.points.groups.rows import RowColumn, column_at, in_order, one_line, ranks_of
from nbembed.points.point_data import PointData

if TYPE_CHECKING:
    from nbembed.session.core.provenance import Provenance
    from nbembed.supervision import Supervision

_COLUMNS = (
    RowColumn("label", "label"),
    RowColumn("confidence", "number"),
    RowColumn("source", "source"),
    RowColumn("how", "text"),
    RowColumn("time", "time"),
    RowColumn("iteration", "number"),
)


class LabelRows:
    """The labels of a moment as rows.

    * provenance: of each labeled point.
    * columns: the number of the point and its name come first.
    * left_out: 0: no column is left out.
    """

    left_out = 0

    def __init__(
        self,
        points: PointData,
        supervision: Supervision,
        provenance: Mapping[int, Provenance | None],
    ) -> None:
        self._points = points
        self._supervision = supervision
        self._provenance = provenance
        own = [RowColumn("#", "point")]
        if points.has_names:
            own.append(RowColumn("name", "name"))
        self.columns = (*own, *_COLUMNS)

    def order(
        self, points: NDArray[np.intp], column: int, *, descending: bool = False
    ) -> NDArray[np.intp]:
        """Return the labeled ones of some points in the order of a column.

        * points: sorted; none stands for all points.
        * column: its place in :attr:`columns`.

        Raises ValueError if there is no such column.
        """
        chosen = column_at(self.columns, column)
        labeled = self._supervision.labeled
        if points.size:
            labeled = labeled[np.isin(labeled, points)]
        if chosen.kind == "point":
            return labeled[::-1] if descending else labeled
        if chosen.kind == "label":
            ranks: NDArray[Any] = self._supervision.top_class[labeled]
        else:
            ranks = ranks_of([self._value(chosen, point) for point in labeled.tolist()])
        return in_order(labeled, ranks, descending=descending)

    def cells(self, points: Sequence[int]) -> list[list[str]]:
        """Return the cells of points as text; number and label of the point are left to others.

        Times are in ISO 8601 and UTC. A point that has no label any more has empty cells.
        """
        return [[self._text(column, point) for column in self.columns] for point in points]

    def _value(self, column: RowColumn, point: int) -> Any:
        """Return what is in a column of a labeled point, ``None`` if it is not known."""
        if column.kind == "name":
            return self._points.name(point)
        if column.title == "confidence":
            return float(self._supervision.confidence[point])
        by = self._provenance.get(point)
        value = None if by is None else getattr(by, column.title)
        return None if value == "" else value

    def _text(self, column: RowColumn, point: int) -> str:
        if column.kind in ("point", "label"):
            return ""
        if column.kind != "name" and self._supervision.top_class[point] < 0:
            return ""
        value = self._value(column, point)
        if value is None:
            return ""
        if column.kind == "time":
            when = utc(value)
            return "" if when is None else when.isoformat()
        return f"{value:.4g}" if column.title == "confidence" else one_line(value)
