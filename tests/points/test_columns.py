"""Columns to color by."""

from __future__ import annotations

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbembed.points.columns import as_column
from nbembed.points.find_columns import encoded
from nbembed.points.point_columns import PointColumns
from nbembed.points.point_data import PointData
from nbembed.points.table import as_table
from tests.reliability.forms import VALUES, columns, forms


def test_nothing() -> None:
    assert as_column(None, 3).kind == "none"


def test_few_whole_numbers_are_categories() -> None:
    column = as_column([7, 0, 7, 10], 4)
    assert column.kind == "category"
    assert column.names == ("0", "7", "10")
    assert column.codes.tolist() == [1, 0, 1, 2]


def test_many_whole_numbers_and_all_floats_are_numbers() -> None:
    assert as_column(range(100), 100).kind == "number"
    column = as_column([0.5, np.nan, np.inf], 3)
    assert column.kind == "number"
    assert np.isnan(column.codes[1:]).all()


def test_text_with_gaps() -> None:
    column = as_column(["b", None, "a", float("nan")], 4)  # type: ignore[list-item]
    assert column.names == ("a", "b")
    assert column.codes.tolist() == [1, -1, 0, -1]


def test_truth_values() -> None:
    assert as_column([True, False], 2).names == ("False", "True")


def test_a_series_gives_its_name() -> None:
    column = as_column(pd.Series(["x", "y"], name="species", dtype="category"), 2)
    assert (column.title, column.names) == ("species", ("x", "y"))


def test_wrong_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match=r"color must have one value for each of the 3 points"):
        as_column([1, 2], 3)


def test_values_that_are_no_colors_are_refused() -> None:
    with pytest.raises(TypeError, match=r"color must be numbers, .*, got values of type dict, set"):
        as_column([{1}, {2: 3}, None], 3)


def test_text_that_no_page_can_show_is_refused() -> None:
    with pytest.raises(ValueError, match="color must be text that UTF-8 can encode"):
        as_column(["a", "b\ud800"], 2)
    with pytest.raises(ValueError, match="the name of color must be text that UTF-8 can encode"):
        as_column(pd.Series([1.0, 2.0], name="\udfff"), 2)


def test_ordered_categories_keep_their_order() -> None:
    levels = ["low", "middle", "high", "never"]
    given = pd.Categorical(["high", "low", None, "middle"], categories=levels, ordered=True)
    for color in (given, pd.Series(given)):
        column = as_column(color, 4)
        assert column.ordered
        assert column.names == ("low", "middle", "high")
        assert column.codes.tolist() == [2, 0, -1, 1]
    bands = as_column(pd.cut([1.0, 5.0, 9.5], [0, 2, 10, 12]), 3)
    assert (bands.ordered, bands.names) == (True, ("(0, 2]", "(2, 10]"))
    assert not as_column(given.as_unordered(), 4).ordered


def test_an_order_that_does_not_hold_the_values_is_none() -> None:
    days = pd.Categorical(pd.to_datetime(["2020-02-01", "2020-01-01"]), ordered=True)
    assert as_column(days, 2).names == tuple(sorted(as_column(days, 2).names))


def test_a_column_of_a_table_has_its_order() -> None:
    levels = pd.CategoricalDtype(["z", "a"], ordered=True)
    table = as_table(pd.DataFrame({"level": pd.Series(["a", "z"], dtype=levels)}))
    assert table is not None
    column = as_column(table.values("level", "color"), 2, native=table.native("level"))
    assert (column.ordered, column.names) == (True, ("z", "a"))


def test_an_enum_of_polars_has_its_order() -> None:
    polars = pytest.importorskip("polars", reason="frames of polars are optional")
    series = polars.Series(["a", "z"], dtype=polars.Enum(["z", "a"]))
    column = as_column(series, 2)
    assert (column.ordered, column.names) == (True, ("z", "a"))


DAYS = [datetime.date(2024, 1, 1) + datetime.timedelta(days=k) for k in range(40)]
TIMES = [datetime.datetime(2024, 1, 1, 12) + datetime.timedelta(days=k) for k in range(40)]
ZONED = pd.Series(pd.to_datetime(TIMES)).dt.tz_localize("Europe/Berlin")


@pytest.mark.parametrize(
    ("values", "kind", "first"),
    [
        (pd.Series(np.linspace(0, 1, 40)).astype("category"), "category", 0.0),
        ([Decimal(k) / 8 for k in range(40)], "number", 0.0),
        (np.array([None, *np.linspace(1, 2, 39)], dtype=object), "number", np.nan),
        (np.array([np.int64(k) for k in range(40)], dtype=object), "number", 0.0),
        (DAYS, "time", 1704067200.0),
        (ZONED, "time", 1704110400.0),
        (pd.to_timedelta(np.arange(40) + 2, "h"), "number", 7200.0),
        ([datetime.timedelta(minutes=k + 1) for k in range(40)], "number", 60.0),
    ],
    ids=["category", "decimal", "object", "integers", "dates", "zoned", "durations", "timedelta"],
)
def test_values_are_judged_by_what_they_are(values, kind, first):
    column = as_column(values, 40)
    assert column.kind == kind
    np.testing.assert_equal(column.codes[0], first)
    if kind != "category":
        found = encoded(values, "title")
        assert found.kind == kind
        np.testing.assert_equal(found.values, column.codes)


@pytest.mark.parametrize("kind", VALUES)
@given(data=st.data())
def test_every_form_of_a_column_is_the_same_column(kind, data):
    values = data.draw(columns(kind, 40))
    expected, filtered = as_column(values, 40), encoded(values, "title")
    for words, form in forms(kind, values):
        found = as_column(form, 40)
        assert (found.kind, found.names) == (expected.kind, expected.names), words
        np.testing.assert_array_equal(found.codes, expected.codes)
        assert encoded(form, "title").kind == filtered.kind, words
        np.testing.assert_array_equal(encoded(form, "title").values, filtered.values)


@pytest.mark.parametrize(
    "make",
    [
        lambda values: pd.DataFrame({"a": pd.array(values, dtype="Int64")}),
        lambda values: pl.DataFrame({"a": values}),
        lambda values: pa.table({"a": values}),
    ],
    ids=["pandas", "polars", "PyArrow"],
)
def test_whole_numbers_stay_categories_where_some_are_missing(make):
    frame = make([1, None, 2, 10])
    points = PointData(None, 4, columns=frame)
    found = PointColumns(points, None, lambda: (np.full(4, -1), ()))
    key = found.named("a", "columns")
    for column in (found.color_column(key), as_column(frame["a"], 4)):
        assert (column.kind, column.names) == ("category", ("1", "2", "10"))
        assert column.codes.tolist() == [0, -1, 1, 2]
    assert found.column(key)[0].kind == "category"


def test_names_with_numbers_are_in_natural_order():
    assert as_column([str(k) for k in (0, 1, 10, 11, 2)], 5).names == ("0", "1", "2", "10", "11")
    mixed = np.array([np.int64(k) for k in (0, 1, 10, 2)] + [None], dtype=object)
    assert as_column(mixed, 5).names == ("0", "1", "2", "10")


def test_a_zoned_time_is_that_of_the_card():
    table = as_table({"when": ZONED})
    assert str(table.values("when", "columns")[0]).startswith("2024-01-01T12:00:00")
