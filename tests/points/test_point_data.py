"""What is known of each point: names, columns, colors and images."""

from __future__ import annotations

import io
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from PIL import Image, PngImagePlugin

from nbembed.points.features import choose_features
from nbembed.points.images import LONGEST_SIDE, Images
from nbembed.points.point_data import MOST_COLUMNS, PointData, point_frame
from tests.points.test_features import COLUMNS, annotated


def of(data: Any, **options: Any) -> PointData:
    chosen = choose_features(data)
    return PointData(chosen, np.shape(chosen.matrix)[0], **options)


def decoded(png: bytes | None) -> Any:
    assert png is not None
    return np.asarray(Image.open(io.BytesIO(png), formats=["PNG"]))


def encoded(array: Any, kind: str = "PNG") -> bytes:
    file = io.BytesIO()
    Image.fromarray(np.asarray(array, np.uint8)).save(file, kind)
    return file.getvalue()


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_cards_show_what_is_not_embedded_first(make: Any) -> None:
    chosen = choose_features(make(COLUMNS), ["height", "rings"])
    rows = PointData(chosen, 4).rows(2)
    assert rows == [
        ("name", "Cleo"), ("tagged", "True"), ("kind", "a"), ("height", "3"), ("rings", "8"),
    ]  # fmt: skip


def test_constant_columns_come_last() -> None:
    frame = pd.DataFrame({"always": [7, 7, 7], "size": [1.0, 2.0, 4.0], "note": list("abc")})
    assert of(frame).shown == ("note", "size", "always")


def test_the_columns_of_cards_can_be_chosen() -> None:
    frame = pd.DataFrame(COLUMNS)
    points = of(frame, columns=["kind", "height"])
    assert points.rows(0) == [("kind", "a"), ("height", "1")]
    assert of(frame, columns="kind").rows(1) == [("kind", "b")]
    wide = pd.DataFrame({f"c{k}": [1.0, 2.0] for k in range(20)})
    assert len(of(wide).rows(0)) == MOST_COLUMNS
    assert of(wide).left_out == 20 - MOST_COLUMNS


def test_arrays_take_columns_from_a_table() -> None:
    points = of(np.zeros((2, 3)), columns={"kind": ["a", None], "size": np.array([1.5, np.nan])})
    assert points.rows(1) == [("kind", ""), ("size", "")]
    points = of(np.zeros((2, 3)), columns=pd.DataFrame({"kind": ["a", "b"]}), color="kind")
    assert points.color.names == ("a", "b")
    with pytest.raises(ValueError, match="because X is a table"):
        of(pd.DataFrame(COLUMNS), columns=pd.DataFrame(COLUMNS))


def test_labels_of_rows_are_names_unless_they_count() -> None:
    frame = pd.DataFrame(COLUMNS)
    assert of(frame).name(1) == ""
    named = of(frame.set_index("name"))
    assert (named.name(1), named.named) == ("Bob", True)
    numbered = of(frame.iloc[::-1])
    assert (numbered.name(0), numbered.named) == ("3", False)
    pairs = frame.set_index(["kind", "name"])
    assert of(pairs).name(0) == "a · Ann"
    assert of(frame, names="name").name(3) == "Dan"
    assert of(np.zeros((2, 1)), names=["one", "two"]).name(1) == "two"
    assert of(annotated()).name(0) == "c1"


def test_a_column_colors_by_its_name() -> None:
    column = of(pd.DataFrame(COLUMNS), color="kind").color
    assert (column.kind, column.title, column.names) == ("category", "kind", ("a", "b"))
    assert of(pl.DataFrame(COLUMNS), color="height").color.kind == "number"
    categories = pd.DataFrame({**COLUMNS, "kind": pd.Categorical(["u", "v", None, "u"])})
    assert of(categories, color="kind").color.codes.tolist() == [0, 1, -1, 0]
    dates = pd.DataFrame({"a": [1.0, 2.0], "day": pd.to_datetime(["2021-05-02", None])})
    assert of(dates, color="day").color.names == ("2021-05-02",)
    gene = of(annotated(), color="CD8")
    assert gene.color.values.tolist() == [2, 3, 0, 1]  # type: ignore[union-attr]
    assert of(annotated(), color="cluster").color.names == ("x", "y")


def test_a_frame_of_points_has_the_index_of_the_data() -> None:
    frame = pd.DataFrame(COLUMNS).set_index("name")
    points = of(frame, color="kind")
    assert points.extra_color is None  # the data have it
    joined = frame.join(point_frame({"x": np.arange(4), "label": ["u", None, None, "v"]}, points))
    assert joined.loc["Dan", ["x", "label"]].tolist() == [3, "v"]
    table = point_frame({"x": np.arange(4), "label": [None] * 4}, of(pl.DataFrame(COLUMNS)))
    assert table.schema == {"x": pl.Int64, "label": pl.String}
    gene = of(annotated(), color="CD8").extra_color
    assert gene is not None
    assert gene[0] == "CD8"
    own = of(frame, color=["p", "q", "p", "q"]).extra_color
    assert own is not None


def test_images_of_too_many_pixels_are_not_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nbembed.points.images.MOST_PIXELS", 600**2)
    large = np.full((1000, 1000), 7)
    given = Images([None, encoded(large), encoded(large, "JPEG")], 3)
    loaded: list[Any] = []
    with monkeypatch.context() as context:
        context.setattr(PngImagePlugin.PngImageFile, "load", loaded.append)
        with pytest.raises(ValueError, match=r"images\[1\] cannot be read: .* 1000 × 1000 pixels"):
            given.png(1)
    assert loaded == []
    assert decoded(given.png(2)).shape == (256, 256)  # decoded at half its size


@pytest.mark.parametrize("argument", ["names", "columns"])
def test_one_long_text_costs_its_own_bytes_only(argument: str) -> None:
    texts = ["short"] * 1000 + ["long " * 20_000]
    given = texts if argument == "names" else {"text": texts}
    tracemalloc.start()
    points = of(np.zeros((1001, 1)), **{argument: given})
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 10e6
    shown = points.name if argument == "names" else lambda i: points.rows(i)[0][1]
    assert shown(0) == "short"
    assert shown(1000).startswith("long long")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"color": "weight"},
            "color must name a column, got 'weight'; the columns are name, height",
        ),
        ({"names": ["one"]}, "names must have one name for each of the 4 points, got 1"),
        ({"names": 5}, "names must have one value for each point, got int"),
        ({"columns": ["weight"]}, "columns must be columns of X, got weight"),
        ({"columns": 3}, "columns must be names of columns or a table, got int"),
        ({"images": "kind"}, r"images\[0\] cannot be read"),
        ({"images": np.zeros((3, 2, 2))}, "one image for each of the 4 points, got 3"),
        ({"images": np.zeros((4, 9))}, r"reshape\(-1, 3, 3\) may be meant"),
        ({"images": [np.zeros(4)] * 4}, r"images\[0\] must have shape"),
        ({"images": 7}, "images must be arrays, bytes or paths"),
        ({"images": [b"<svg/>"] * 4}, r"images\[0\] must be an image of type"),
        ({"images": [3] * 4}, r"images\[0\] must be an array"),
    ],
)
def test_wrong_arguments_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        of(pd.DataFrame(COLUMNS), **options)


def test_names_of_columns_need_a_table() -> None:
    with pytest.raises(
        ValueError, match="color='kind' names a column, but the data have no columns"
    ):
        of(np.zeros((2, 2)), color="kind")


def test_numbers_are_scaled_alike_in_all_images() -> None:
    images = np.zeros((2, 2, 3))
    images[0, 0, 0], images[1, 0, 0] = 16, 8
    assert decoded(Images(images, 2).png(0))[0, 0] == 255
    assert decoded(Images(images, 2).png(1))[0, 0] == 128
    assert decoded(Images(images - 16, 2).png(1))[1, 1] == 0
    as_is = Images(images.astype(np.uint8), 2)
    assert decoded(as_is.png(0))[0, 0] == 16
    assert decoded(Images(images > 0, 2).png(0))[0, 0] == 255
    gaps = images.copy()
    gaps[1, 1, 1] = np.nan
    assert decoded(Images(gaps, 2).png(1))[1, 1] == 0


def test_images_come_in_any_form(tmp_path: Path) -> None:
    red = np.zeros((4, 6, 3), np.uint8)
    red[..., 0] = 255
    (tmp_path / "red.png").write_bytes(encoded(red))
    forms = [
        red, red / 255.0, encoded(red), encoded(red, "JPEG"), tmp_path / "red.png",
        str(tmp_path / "red.png"), Image.fromarray(red), Image.fromarray(red).convert("P"), None,
    ]  # fmt: skip
    images = Images(forms, len(forms))
    for point in range(len(forms) - 1):
        np.testing.assert_allclose(decoded(images.png(point))[0, 0, :3], [255, 0, 0], atol=2)
    assert images.png(len(forms) - 1) is None
    deep = Image.fromarray(np.array([[0, 60_000]], np.uint16))
    assert decoded(Images([deep], 1).png(0)).dtype == np.uint8
    series = Images(pd.Series([encoded(red)], index=[7]), 1)
    assert decoded(series.png(0)).shape == (4, 6, 3)


def test_large_images_become_small() -> None:
    png = Images([encoded(np.zeros((300, 900)))], 1).png(0)
    assert max(decoded(png).shape) == LONGEST_SIDE


def test_an_image_is_read_when_it_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "0.png").write_bytes(encoded(np.zeros((2, 2))))
    images = Images([tmp_path / "0.png", tmp_path / "missing.png"], 2)
    with pytest.raises(ValueError, match=r"images\[1\] cannot be read"):
        images.png(1)
