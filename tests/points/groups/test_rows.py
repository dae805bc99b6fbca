"""The points as rows: columns, order and cells."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from nbembed.points.features import choose_features
from nbembed.points.groups.rows import MOST_COLUMNS, REMEMBERED, PointRows
from nbembed.points.point_data import PointData

FRAME = {
    "size": [2.0, 1.0, 8.0, 1.0],
    "kind": ["b", "A", None, "a"],
    "note": ["two\nlines", "x" * 999, "", "<b>"],
}
ALL = np.arange(4)


def rows_of(data: Any, feature_names: Any = None, **options: Any) -> PointRows:
    chosen = choose_features(data)
    n = np.shape(chosen.matrix)[0]
    return PointRows(PointData(chosen, n, **options), chosen.matrix, feature_names, n)


def order(rows: PointRows, title: str, *, descending: bool = False, points: Any = ALL) -> list[int]:
    column = [c.title for c in rows.columns].index(title)
    labels = np.array([1, -1, 0, 1])
    found = rows.order(points, column, descending=descending, labels=lambda: labels)
    return list(found)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, dict])
def test_rows_are_sorted_by_any_column_missing_values_last(make: Any) -> None:
    rows = rows_of(make(FRAME), names=["Dan", "Ann", "Cleo", "bob"])
    assert [(c.title, c.kind) for c in rows.columns] == [
        ("#", "point"), ("name", "name"), ("label", "label"), ("kind", "text"), ("note", "text"),
        ("size", "number"),
    ]  # fmt: skip
    assert order(rows, "#") == [0, 1, 2, 3]
    assert order(rows, "#", descending=True) == [3, 2, 1, 0]
    assert order(rows, "size") == [1, 3, 0, 2]
    assert order(rows, "size", descending=True) == [2, 0, 1, 3]
    assert order(rows, "kind") == [1, 3, 0, 2]
    assert order(rows, "kind", descending=True) == [0, 3, 1, 2]
    assert order(rows, "name") == [1, 3, 2, 0]
    assert order(rows, "label") == [2, 0, 3, 1]
    assert order(rows, "label", descending=True) == [0, 3, 2, 1]
    assert order(rows, "size", points=np.array([0, 2, 3])) == [3, 0, 2]


def test_text_is_sorted_in_natural_order() -> None:
    rows = rows_of({"size": np.arange(4.0), "kind": ["b 10", "B 2", "a", "b 1"]})
    assert order(rows, "kind") == [2, 3, 1, 0]


def test_cells_are_short_text_in_one_line() -> None:
    rows = rows_of(pd.DataFrame(FRAME))
    titles = [c.title for c in rows.columns]
    cells = [dict(zip(titles, row)) for row in rows.cells([0, 1, 2])]
    assert cells[0]["note"] == "two lines"
    assert len(cells[1]["note"]) < 200
    assert cells[2]["kind"] == ""
    assert cells[2]["size"] == "8"
    assert cells[0]["#"] == cells[0]["label"] == ""  # the page has these


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_without_a_table_features_are_the_columns(make: Any) -> None:
    X = np.array([[0.0, 3], [2, 1], [0, 2], [1, 1]])
    rows = rows_of(make(X), feature_names=["red", "blue"])
    assert [c.title for c in rows.columns] == ["#", "label", "red", "blue"]
    assert order(rows, "red") == [0, 2, 3, 1]
    assert order(rows, "blue", descending=True) == [0, 2, 1, 3]
    assert rows.cells([1]) == [["", "", "2", "1"]]
    assert [c.title for c in rows_of(make(X)).columns][2:] == ["feature 0", "feature 1"]


def test_distances_are_no_columns() -> None:
    rows = PointRows(PointData(None, 4), None, None, 4)
    assert [c.kind for c in rows.columns] == ["point", "label"]
    assert rows.cells([3]) == [["", ""]]


def test_of_many_columns_some_are_shown_and_few_orders_kept() -> None:
    frame = pd.DataFrame(np.arange(4.0 * 60).reshape(4, 60)).rename(columns=str)
    rows = rows_of(frame)
    assert len(rows.columns) == 2 + MOST_COLUMNS
    assert rows.left_out == 60 - MOST_COLUMNS
    for column in rows.columns[2:12]:
        assert order(rows, column.title) == [0, 1, 2, 3]
    assert len(rows._ranks) == REMEMBERED


def test_values_of_all_kinds_are_sorted() -> None:
    table = {
        "mixed": ["10", 2, [3], None],
        "time": np.array(["2003-01-01", "NaT", "2001-01-01", "2002-01-01"], "datetime64[D]"),
    }
    rows = PointRows(PointData(None, 4, columns=table), None, None, 4)
    assert order(rows, "mixed") == [1, 0, 2, 3]
    assert order(rows, "time") == [2, 3, 0, 1]
    assert rows.cells([0])[0][-1] == "2003-01-01"


def test_columns_that_are_not_there_are_refused() -> None:
    rows = rows_of(pd.DataFrame(FRAME))
    with pytest.raises(ValueError, match="column must be below 5, got 5"):
        rows.order(ALL, 5, labels=lambda: ALL)
