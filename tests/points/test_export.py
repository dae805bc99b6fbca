"""Labels and layout as data: CSV, AnnData, and labels written back into a table."""

from __future__ import annotations

import csv
import datetime
import io

import numpy as np
import pandas as pd
import polars as pl
import pytest

from nbembed.points import export
from nbembed.session.core.provenance import Provenance
from nbembed.supervision import Supervision

LABELS = ["a", None, 'b, "c"\nd', None]


def rows(text):
    return list(csv.reader(io.StringIO(text)))


def test_csv_keeps_digits_and_hostile_text():
    columns = {
        "x": np.array([0.1, 1 / 3], dtype=np.float32),
        "y": np.array([1 / 3, np.nan]),
        "label": ['=1+1, "<b>"\n', None],
        "time": [datetime.datetime(2026, 1, 2, 3, 4, 5, 6000, datetime.UTC), None],
        "selected": np.array([True, False]),
    }
    found = rows(export.as_csv(columns, raw=True))
    assert found[0] == ["x", "y", "label", "time", "selected"]
    assert found[1] == ["0.1", repr(1 / 3), '=1+1, "<b>"\n', "2026-01-02T03:04:05.006Z", "True"]
    assert np.float32(found[2][0]) == np.float32(1 / 3)
    assert found[2][1:] == ["", "", "", "False"]


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r", "\n"])
def test_no_text_is_a_formula_unless_raw(start):
    columns = {f"{start}cmd|'/C calc'!A0": [f'{start}HYPERLINK("http://x")', None, -1.5, "-1.5"]}
    raw = rows(export.as_csv(columns, raw=True))
    assert [row[0][:1] for row in raw[:2]] == [start, start]
    found = rows(export.as_csv(columns))
    assert found == [[f"'{raw[0][0]}"], [f"'{raw[1][0]}"], [""], ["-1.5"], ["-1.5"]]


def test_halves_of_characters_are_replaced():
    assert rows(export.as_csv({"name": ["a\ud800b"]})) == [["name"], ["a?b"]]


def test_provenance_is_of_each_point_and_missing_where_unknown():
    known = {0: Provenance("hand", "lasso", 0.0, 7), 2: None}
    columns = export.provenance_columns(known, [0, 1, 2])
    assert columns["source"] == ["hand", None, None]
    assert columns["how"] == ["lasso", None, None]
    assert columns["iteration"] == [7, None, None]
    assert columns["time"][0] == datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
    assert export.provenance_columns({0: Provenance("code", "", 1e300, 0)}, [0])["time"] == [None]


def test_labels_are_found_by_the_index():
    index = pd.Index(["p", "q", "r", "s"])
    frame = pd.DataFrame({"v": range(4)}, index=["s", "r", "q", "p"])
    written = export.write_labels(frame, index, LABELS, "label", keep=True)
    assert written is frame
    assert frame.label.isna().tolist() == [True, False, True, False]
    assert frame.label["p"] == "a"
    with pytest.raises(ValueError, match="labels differ"):
        export.write_labels(frame.rename({"p": "z"}), index, LABELS, "label", keep=True)
    with pytest.raises(ValueError, match="a row for each of the 4 points, got 3"):
        export.write_labels(frame[:3], index, LABELS, "label", keep=True)


@pytest.mark.parametrize("keep", [True, False])
def test_what_a_column_has_is_kept_for_unlabeled_points(keep):
    frame = pd.DataFrame({"label": ["old", "other", "x", "y"]})
    export.write_labels(frame, None, ["a", None, "b", None], "label", keep=keep)
    others = ["other", "y"] if keep else [None, None]
    # What stands for a missing text is pandas' choice, which differs between its versions.
    found = [None if pd.isna(text) else text for text in frame.label]
    assert found == ["a", others[0], "b", others[1]]


def test_a_column_of_numbers_takes_numbers():
    frame = pd.DataFrame({"digit": [1, 2, 3, 4]})
    export.write_labels(frame, None, ["7", None, None, None], "digit", keep=True)
    assert frame.digit.tolist() == [7, 2, 3, 4]
    assert frame.digit.dtype.kind == "i"
    with pytest.raises(ValueError, match="'digit' is of type int64"):
        export.write_labels(frame, None, ["seven", None, None, None], "digit", keep=True)
    assert frame.digit.tolist() == [7, 2, 3, 4]


def test_categories_may_be_new():
    frame = pd.DataFrame({"kind": pd.Categorical(["a", "b", "a", "b"])})
    export.write_labels(frame, None, ["c", None, None, None], "kind", keep=True)
    assert frame.kind.tolist() == ["c", "b", "a", "b"]
    assert isinstance(frame.kind.dtype, pd.CategoricalDtype)


def test_polars_frames_are_not_changed():
    frame = pl.DataFrame({"v": [1, 2, 3, 4], "digit": [1, 2, 3, 4]})
    written = export.write_labels(frame, None, LABELS, "label", keep=True)
    assert "label" not in frame.columns
    assert written["label"].to_list() == LABELS
    again = export.write_labels(written, None, [None, "z", None, None], "label", keep=True)
    assert again["label"].to_list() == ["a", "z", LABELS[2], None]
    digits = export.write_labels(frame, None, ["9", None, None, None], "digit", keep=True)
    assert digits["digit"].to_list() == [9, 2, 3, 4]


def test_what_is_no_table_is_refused():
    with pytest.raises(TypeError, match="frame must be a DataFrame of pandas or polars"):
        export.write_labels([1, 2], None, LABELS, "label", keep=True)


def test_an_anndata_has_layout_labels_and_provenance(tmp_path):
    anndata = pytest.importorskip("anndata", reason="the export to AnnData is optional")
    supervision = Supervision(3).label([0, 2], "T cell", confidence=0.9)
    provenance = {0: Provenance("hand", "lasso", 10.0, 7), 2: None}
    columns = {
        **export.label_columns(supervision),
        **export.provenance_columns(provenance, range(3)),
    }
    Y = np.arange(6, dtype=np.float32).reshape(3, 2)
    made = export.to_anndata(np.eye(3), ["a", "b", "c"], Y, columns, {"method": "HSSNE"}, "map")
    made.write_h5ad(tmp_path / "map.h5ad")
    found = anndata.read_h5ad(tmp_path / "map.h5ad")
    assert np.array_equal(found.obsm["X_map"], Y)
    assert found.obs["map_label"].tolist()[0] == "T cell"
    assert found.obs["map_label"].isna().tolist() == [False, True, False]
    assert found.obs["map_source"].tolist()[0] == "hand"
    assert found.obs["map_iteration"].tolist()[0] == 7
    assert found.uns["map"]["method"] == "HSSNE"
    with pytest.raises(ValueError, match="same order"):
        export.to_anndata(np.eye(3), ["b", "a", "c"], Y, columns, {}, "map", into=made)
    with pytest.raises(TypeError, match="into must be an AnnData"):
        export.to_anndata(np.eye(3), None, Y, columns, {}, "map", into=[1])
