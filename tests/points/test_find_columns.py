"""Columns as they are filtered and searched, and their histograms."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from nbembed.points import point_columns
from nbembed.points.features import choose_features
from nbembed.points.find_columns import BINS, MOST_BARS, encoded, histogram
from nbembed.points.find_text import excerpt, folded, searchable
from nbembed.points.point_columns import LABEL, MOST_FEATURES, PointColumns
from nbembed.points.point_data import PointData

NOBODY = (np.full(3, -1), ())


def columns(data: Any, labels: Any = NOBODY, **options: Any) -> PointColumns:
    chosen = choose_features(data)
    n = np.shape(chosen.matrix)[0]
    points = PointData(chosen, n, **options)
    return PointColumns(points, points.described(np.asarray(chosen.matrix)), lambda: labels)


def titles(of: PointColumns) -> tuple[str, ...]:
    return tuple(map(of.titles.title, range(len(of.titles))))


def test_numbers_are_filtered_by_ranges_and_missing_ones_never_pass() -> None:
    column = encoded(np.array([1.0, np.nan, 3.0, np.inf]), "size")
    assert column.kind == "number"
    assert column.within(None, None).tolist() == [True, False, True, False]
    assert column.within(1.0, 2.9).tolist() == [True, False, False, False]
    assert column.within(3, None).tolist() == [False, False, True, False]
    assert encoded(np.arange(100), "n").kind == "number"
    assert encoded(np.array([2.5, None, *range(40)], dtype=object), "n").kind == "number"


def test_categories_are_filtered_by_their_codes() -> None:
    column = encoded(np.array(["b", "a", None, "b"], dtype=object), "kind")
    assert (column.kind, column.categories) == ("category", ("a", "b"))
    assert column.among([1]).tolist() == [True, False, False, True]
    assert column.among([0, -1]).tolist() == [False, True, True, False]
    with pytest.raises(ValueError, match=r"categories must be in \[-1, 2\), got 2"):
        column.among([2])
    assert not column.ordered
    digits = encoded(np.array([3, 1, 2, 3]), "digit")
    assert digits.kind == "category"
    assert digits.within(2, 3).tolist() == [True, False, True, True]


def test_categories_are_in_natural_order() -> None:
    column = encoded(np.array(["T 10", "T 2", "11", "T 1", "2"], dtype=object), "kind")
    assert column.categories == ("2", "11", "T 1", "T 2", "T 10")


def test_times_are_seconds() -> None:
    days = np.array(["2020-01-01", "NaT", "2020-01-03"], dtype="datetime64[D]")
    column = encoded(days, "day")
    assert column.kind == "time"
    assert column.values[2] - column.values[0] == 2 * 86_400
    bars = histogram(column)
    assert (bars.missing, sum(bars.totals)) == (1, 2)


@pytest.mark.parametrize("values", [[[1], [2], [3]], [{}, {}, None]])
def test_what_cannot_be_compared_is_text(values: list[Any]) -> None:
    array = np.empty(3, dtype=object)
    array[:] = values
    assert encoded(array, "x").kind == "text"


def test_text_that_differs_from_row_to_row_has_no_bars() -> None:
    column = encoded(np.array([f"name {k}" for k in range(300)], dtype=object), "name")
    assert column.kind == "text"
    assert histogram(column).totals == []


def test_the_bars_of_numbers_share_the_range() -> None:
    values = np.r_[np.linspace(-1, 1, 100) * 1e308, np.nan]
    bars = histogram(encoded(values, "huge"))
    assert len(bars.totals) == BINS
    assert sum(bars.totals) == 100
    assert max(bars.totals) - min(bars.totals) <= 1
    assert bars.missing == 1
    some = np.zeros(101, dtype=bool)
    some[[0, 99, 100]] = True
    counts = bars.counts(some)
    assert (counts[0], counts[-1], sum(counts)) == (1, 1, 2)
    constant = histogram(encoded(np.full(5, 7.0), "constant"))
    assert (constant.low, constant.high, sum(constant.totals)) == (7.0, 7.0, 5)
    assert histogram(encoded(np.full(5, np.nan), "none")).totals == []


@pytest.mark.parametrize(("largest", "step", "bars"), [(16, 1, 17), (47, 1, 48), (89, 4, 23)])
def test_whole_numbers_have_bars_of_as_many_each(largest: int, step: int, bars: int) -> None:
    values = np.r_[np.repeat(np.arange(largest + 1.0), 3), np.nan]
    found = histogram(encoded(values, "count"))
    assert (found.low, found.high, found.step) == (0, largest, step)
    assert found.totals == [3 * step] * (bars - 1) + [3 * (largest + 1 - step * (bars - 1))]
    assert found.counts(values == step) == [0, 3, *[0] * (bars - 2)]
    assert histogram(encoded(values + 0.5, "half")).step == 0


def test_many_categories_show_the_frequent_ones() -> None:
    values = np.array([f"c{k}" for k in range(150) for _ in range(4)] + ["c149"] * 9 + [None] * 2)
    bars = histogram(encoded(values, "city"))
    assert len(bars.totals) == MOST_BARS + 1
    assert bars.left_out == 50
    assert bars.names[0] == "c149"
    assert (bars.codes[-1], bars.totals[-1], bars.missing) == (-1, 2, 2)
    assert bars.counts(np.ones(len(values), dtype=bool)) == bars.totals


def test_text_is_found_without_regard_to_case_and_form() -> None:
    assert folded("STRASSE") == folded("strasse")
    assert folded("Straße") == folded("STRASSE")
    assert folded("cafe\u0301") == folded("CAFÉ")
    assert searchable(datetime.date(2020, 1, 2)) == "2020-01-02"
    assert searchable(np.zeros(10**6)) == ""
    assert searchable(None) == ""
    text = "x" * 500 + " needle\0\n" + "y" * 500
    part = excerpt(text, "needle")
    assert "needle␀" in part
    assert part.startswith("…")
    assert len(part) < 90


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_a_table_has_its_columns_and_labels(make: Any) -> None:
    frame = make({"size": [1.0, 2.0, 4.0], "kind": ["a", "b", "b"], "note": ["Öl", "x", None]})
    found = columns(frame, labels=(np.array([1, -1, 0]), ("one", "two")))
    assert titles(found) == (LABEL, "size", "kind", "note")
    assert found.searched() == ["kind", "note"]
    assert found.texts("note") == ["öl", "x", ""]
    assert found.texts(None) == ["two", "", "one"]
    assert found.text("note", 0) == "Öl"
    made, bars = found.column(found.key(2))
    assert made.categories == ("a", "b")
    assert bars.totals == [1, 2]
    labels, bars = found.column(None)
    assert labels.categories == ("one", "two")
    assert dict(zip(bars.codes, bars.totals)) == {0: 1, 1: 1, -1: 1}
    with pytest.raises(ValueError, match=r"column must be in \[0, 4\), got 4"):
        found.key(4)
    with pytest.raises(ValueError, match="where must name columns, got 'sort'; the columns are"):
        found.named("sort", "where")


def test_features_of_an_array_are_columns_of_their_own() -> None:
    X = np.arange(6.0).reshape(3, 2)
    found = columns(X, color=["a", "b", "b"])
    assert titles(found) == (LABEL, "color", "feature 0", "feature 1")
    assert found.column(found.named("feature 1", "where"))[0].values.tolist() == [1, 3, 5]
    assert found.searched() == ["color"]
    assert titles(columns(np.zeros((3, MOST_FEATURES + 1)))) == (LABEL,)


def test_columns_are_read_once() -> None:
    found = columns(pd.DataFrame({"size": [1.0, 2.0, 4.0], "kind": ["a", "b", "b"]}))
    assert found.column("kind") is found.column("kind")
    assert found.texts("kind") is found.texts("kind")


def test_features_with_names_are_columns_beside_a_table() -> None:
    X = sparse.csr_array(np.arange(12.0).reshape(3, 4))
    points = PointData(None, 3, columns=pd.DataFrame({"g1": ["a", "b", "b"]}))
    found = PointColumns(points, X, lambda: NOBODY, ["g0", "g1", "g2", "g2"])
    assert titles(found) == (LABEL, "g1", "g0", "g1", "g2", "g2")
    assert found.column(found.key(3))[0].values.tolist() == [1, 5, 9]
    assert found.column(found.named("g0", "where"))[0].kind == "number"
    assert found.named("g1", "where") == "g1", "a column of the table comes first"
    with pytest.raises(ValueError, match="where must name one column, but several are named 'g2'"):
        found.named("g2", "where")
    assert found.texts(found.key(2)) == ["0", "4", "8"]
    assert found.text(found.key(2), 1) == "4"
    assert found.searched() == ["g1"]
    with pytest.raises(ValueError, match=r"column must be in \[0, 6\), got 6"):
        found.key(6)


def test_columns_that_were_not_asked_for_lately_are_read_again(monkeypatch: Any) -> None:
    monkeypatch.setattr(point_columns, "FEWEST_KEPT", 2)
    monkeypatch.setattr(point_columns, "MOST_VALUES", 0)
    found = columns(np.arange(12.0).reshape(3, 4))
    first, second, third = (found.key(k) for k in (1, 2, 3))
    kept, again = found.column(first), found.column(second)
    assert found.column(first) is kept
    found.column(third)
    assert found.column(first) is kept
    assert found.column(second) is not again
