"""Labels as rows of a table: columns, order and cells."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nbembed.points.features import choose_features
from nbembed.points.groups.label_rows import LabelRows
from nbembed.points.point_data import PointData
from nbembed.session.core.provenance import Provenance
from nbembed.supervision import Supervision

ALL = np.array([], dtype=np.intp)
KNOWN = {
    1: Provenance("hand", "lasso", 1e9, 240),
    2: Provenance("code", "", 1e9 + 60, 0),
    4: Provenance("suggestion", "<b>\0\u202e", 1e300, 12),
    5: None,
}


def label_rows(**options: Any) -> LabelRows:
    supervision = Supervision(6).label([2, 5], "b").label([1], "a", 0.5).label([4], "b", 0.875)
    points = PointData(choose_features(np.zeros((6, 2))), 6, **options)
    return LabelRows(points, supervision, KNOWN)


def order(rows: LabelRows, title: str, *, descending: bool = False, points: Any = ALL) -> list[int]:
    column = [c.title for c in rows.columns].index(title)
    return rows.order(points, column, descending=descending).tolist()


def test_labels_are_sorted_by_any_column_what_is_not_known_last() -> None:
    rows = label_rows(names=list("fedcba"))
    assert [(c.title, c.kind) for c in rows.columns] == [
        ("#", "point"), ("name", "name"), ("label", "label"), ("confidence", "number"),
        ("source", "source"), ("how", "text"), ("time", "time"), ("iteration", "number"),
    ]  # fmt: skip
    assert order(rows, "#") == [1, 2, 4, 5]
    assert order(rows, "#", descending=True) == [5, 4, 2, 1]
    assert order(rows, "name") == [5, 4, 2, 1]
    assert order(rows, "label") == [2, 4, 5, 1], "as the classes came"
    assert order(rows, "confidence") == [1, 4, 2, 5]
    assert order(rows, "source") == [2, 1, 4, 5]
    assert order(rows, "how", descending=True)[2:] == [2, 5]
    assert order(rows, "time", descending=True) == [4, 2, 1, 5]
    assert order(rows, "iteration") == [2, 4, 1, 5], "an iteration of 0 is known"
    assert order(rows, "label", points=np.array([0, 1, 4])) == [4, 1]
    with pytest.raises(ValueError, match="column must be below 8"):
        rows.order(ALL, 8)


def test_cells_of_labels_are_text() -> None:
    rows = label_rows()
    assert [c.title for c in rows.columns][:2] == ["#", "label"]
    assert rows.cells([1, 2]) == [
        ["", "", "0.5", "hand", "lasso", "2001-09-09T01:46:40+00:00", "240"],
        ["", "", "1", "code", "", "2001-09-09T01:47:40+00:00", "0"],
    ]
    (odd,) = rows.cells([4])
    assert odd[2:4] == ["0.875", "suggestion"]
    assert "\0" not in odd[4]
    assert odd[5] == "", "no calendar has this time"
    assert rows.cells([5]) == [["", "", "1", "", "", "", ""]]
    assert rows.cells([0]) == [[""] * 7], "the label was taken back meanwhile"


def test_without_labels_there_are_no_rows() -> None:
    points = PointData(choose_features(np.zeros((3, 2))), 3)
    rows = LabelRows(points, Supervision(3), {})
    assert all(order(rows, c.title) == [] for c in rows.columns)
