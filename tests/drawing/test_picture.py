"""Still pictures: what is drawn, where, and that text stays text."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from PIL import Image

from nbembed.drawing.contrast import contrast, on_ground, parsed
from nbembed.drawing.palette import COLORS, SYMBOLS
from nbembed.drawing.picture import MOST_MARKERS, PNG_KEY
from nbembed.drawing.scene import picture_of

CLASSES = [{"name": "a", "color": "#E69F00"}, {"name": "b", "color": "#0072B2"}]
NO_COLUMN = {"kind": "none", "title": "", "names": [], "colors": []}
SVG = "{http://www.w3.org/2000/svg}"


def pixels(png):
    image = Image.open(io.BytesIO(png))
    return np.asarray(image.convert("RGB")).astype(int)


def count(image, color, tolerance=12, ground=(255, 255, 255)):
    """Return how many pixels have a color as it is shown on a ground; None takes it as it is."""
    rgb = parsed(color) if ground is None else on_ground(color, ground)
    return int((np.abs(image - rgb).sum(axis=-1) < tolerance).sum())


def a_picture(n=60, **changes):
    rng = np.random.default_rng(0)
    labels = np.full(n, -1)
    labels[: n // 4], labels[n // 4 : n // 2] = 0, 1
    given = {
        "color_by": "class", "column": NO_COLUMN, "values": np.zeros(0), "classes": CLASSES,
        "labels": labels, **changes,
    }  # fmt: skip
    positions = rng.normal(size=(n, 2)) + 6 * np.maximum(labels, -1)[:, None]
    return picture_of(positions, **given)


def test_only_what_stands_in_for_an_explorer_says_so():
    texts = [Image.open(io.BytesIO(a_picture().png(stands_in=said))).text for said in (True, False)]
    assert texts == [{PNG_KEY: "1"}, {}]


def test_labeled_points_have_the_color_of_their_class():
    image = pixels(a_picture().png(300, 200))
    assert image.shape == (200, 300, 3)
    assert count(image, "#E69F00") > 40
    assert count(image, "#0072B2") > 40
    assert tuple(image[100, 1]) == (255, 255, 255)
    assert pixels(a_picture(dark=True).png(300, 200)).mean() < 80


@pytest.mark.parametrize("dark", [False, True])
def test_a_carried_label_has_the_color_of_its_class(dark):
    """It is adapted to the ground as that of a label by hand is."""
    colors = np.tile(np.array([*parsed(CLASSES[0]["color"]), 255], np.uint8), (60, 1))
    colors[::2, 3] = 0
    nobody = np.full(60, -1)
    carried = a_picture(color_by="probability", membership_colors=colors, labels=nobody, dark=dark)
    by_hand = a_picture(labels=nobody + 1, dark=dark)
    assert carried.colors[1].tolist() == by_hand.colors[1].tolist()
    assert carried.colors[0].tolist() == a_picture(labels=nobody, dark=dark).colors[0].tolist()


@pytest.mark.parametrize("ground", [(255, 255, 255), (27, 29, 32)])
def test_colors_are_told_from_the_ground_and_from_each_other(ground):
    shown = [on_ground(color, ground) for color in COLORS]
    assert min(contrast(color, ground) for color in shown) >= 3
    assert len(set(shown)) == len(COLORS)
    dark = a_picture(dark=True)
    assert count(pixels(dark.png(300, 200)), "#0072B2", ground=dark.background) > 40


def test_classes_have_their_shapes():
    classes = [{**CLASSES[0], "symbol": "star"}, {**CLASSES[1], "symbol": "square"}]
    picture = a_picture(classes=classes, names_shown=False)
    root = ET.fromstring(picture.svg())
    corners = [len(e.get("points").split()) for e in root.iter(f"{SVG}polygon")]
    assert sorted(corners) == [4] * (15 + 1) + [10] * (15 + 1), "points and the legend"
    assert len(list(root.iter(f"{SVG}circle"))) == 30, "the unlabeled ones"
    round_ones = a_picture(names_shown=False)
    assert count(pixels(picture.png()), "#E69F00") != count(pixels(round_ones.png()), "#E69F00")
    ink = {}
    for symbol in SYMBOLS:
        one = [{**CLASSES[0], "symbol": symbol}, CLASSES[1]]
        image = pixels(a_picture(classes=one, names_shown=False).png(900, 700))
        ink[symbol] = count(image, "#E69F00", 60)
    assert max(ink.values()) < 2 * min(ink.values()), "all look about as large"


def test_a_measure_colors_labeled_points_too_and_is_named():
    values = np.r_[np.zeros(10), np.linspace(0, 1, 385), np.ones(4), 1e6]
    picture = a_picture(n=400, color_by="stress", values=values)
    # The extreme hundredth does not take the scale for itself.
    assert [name for name, *_ in picture.legend] == ["stress 1", "0", "a", "b"]
    image = pixels(picture.png())
    assert count(image, "#0072B2") == 0, "no class color"
    assert count(image, "#081d58", 40, ground=None) > 5
    assert count(image, "#d5dbe2", 40, ground=None) > 5


def test_points_of_a_hidden_class_are_left_out():
    codes = np.repeat([0.0, 1.0, -1.0], 20)
    column = {"kind": "category", "title": "k", "names": ["u", "v"],
              "colors": ["#D55E00", "#56B4E9"]}  # fmt: skip
    hidden = [CLASSES[0], {**CLASSES[1], "hidden": True}]
    picture = a_picture(color_by="column", column=column, values=codes, classes=hidden)
    assert len(picture.positions) == 45
    image = pixels(picture.png())
    assert count(image, "#0072B2") == 0
    assert count(image, "#E69F00") > 40
    assert [name for name, *_ in picture.legend] == ["u", "v", "missing", "a"]
    assert [len(caption.points) for caption in picture.captions] == [15, 10]


def test_categories_and_numbers_color_the_others():
    codes = np.repeat([0.0, 1.0, -1.0], 20)
    column = {"kind": "category", "title": "k", "names": ["u", "v"],
              "colors": ["#D55E00", "#56B4E9"]}  # fmt: skip
    none = np.full(60, -1)
    image = pixels(a_picture(color_by="column", column=column, values=codes, labels=none).png())
    assert count(image, "#D55E00") > 40
    assert count(image, "#56B4E9") > 40
    ramp = {"kind": "number", "title": "v", "names": [], "colors": []}
    values = np.linspace(0, 1, 60)
    values[3] = np.nan
    for dark, low, high in ((False, "#d5dbe2", "#081d58"), (True, "#343a4c", "#fde725")):
        picture = a_picture(color_by="column", column=ramp, values=values, labels=none, dark=dark)
        image = pixels(picture.png())
        assert count(image, low, 40, ground=None) > 5
        assert count(image, high, 40, ground=None) > 5


def test_numbers_color_labeled_points_too():
    ramp = {"kind": "number", "title": "v", "names": [], "colors": []}
    labeled = a_picture(color_by="column", column=ramp, values=np.linspace(0, 1, 60))
    none = np.full(60, -1)
    plain = a_picture(color_by="column", column=ramp, values=np.linspace(0, 1, 60), labels=none)
    np.testing.assert_array_equal(labeled.colors, plain.colors)
    assert labeled.marked.sum() == 30


def test_times_are_named_by_their_days_in_the_legend():
    column = {"kind": "time", "title": "since", "names": [], "colors": []}
    days = np.datetime64("2020-01-01", "s").astype(float) + 86400 * np.arange(60)
    svg = a_picture(color_by="column", column=column, values=days, labels=np.full(60, -1)).svg()
    assert ">2020-01-01<" in svg
    assert ">2020-02-29<" in svg


def test_many_points_are_a_density():
    n = MOST_MARKERS + 1
    image = pixels(a_picture(n, labels=np.full(n, -1)).png(300, 200))
    assert (image.sum(axis=-1) < 740).mean() > 0.03


def test_a_map_that_has_not_formed_is_an_empty_picture():
    empty = picture_of(
        np.zeros((0, 2)), color_by="class", column=NO_COLUMN, values=np.zeros(0), classes=[],
        labels=np.zeros(0, dtype=int), note="not yet",
    )  # fmt: skip
    assert pixels(empty.png()).min() < 200, "the note is there"
    assert "not yet" in empty.svg()


def test_the_line_at_the_bottom_is_whole():
    note = "200 000 points, SNeRV, iteration 1 234 567, cost 12.3456, 1-NN kept 64.1 %"
    assert f">{note}</text>" in a_picture(note=note).svg()


@pytest.mark.parametrize("name", ["<script>alert(1)</script>", "\u202egnp", "\0\x08", "x" * 10_000])
def test_hostile_names_are_text_in_an_svg(name):
    classes = [{"name": name, "color": "#E69F00"}, CLASSES[1]]
    picture = a_picture(classes=classes)
    root = ET.fromstring(picture.svg())
    assert {child.tag for child in root} <= {
        f"{SVG}{t}" for t in ("rect", "circle", "polygon", "text")
    }
    assert max(len(t.text) for t in root.iter(f"{SVG}text")) <= 40
    assert "\u202e" not in picture.svg()
    picture.png()


def test_an_svg_has_each_point_and_the_names():
    root = ET.fromstring(a_picture(borders=[[0, 0, 1, 1]]).svg(400, 300))
    texts = [t.text for t in root.iter(f"{SVG}text")]
    assert len(list(root.iter(f"{SVG}circle"))) == 60 + 2
    assert texts.count("a") == 2, "at its center and in the legend"
    assert len(list(root.iter(f"{SVG}line"))) == 1


def legend_of(values, kind="number", names=(), colors=()):
    values = np.asarray(values, dtype=float)
    picture = picture_of(
        np.random.default_rng(0).normal(size=(len(values), 2)),
        color_by="column",
        column={"kind": kind, "names": list(names), "colors": list(colors)},
        values=values,
        classes=[],
        labels=np.full(len(values), -1),
    )
    return [name for name, *_ in picture.legend]


def test_the_legend_tells_the_ends_of_a_range_apart():
    since = np.datetime64("2024-05-01T12:00:00").astype("datetime64[s]").astype(float)
    assert legend_of(since + np.arange(200) * 3, "time") == [
        "2024-05-01 12:09:57",
        "2024-05-01 12:00:00",
    ]
    high, low = legend_of(1 + 1e-9 * np.arange(200))
    assert float(high) - float(low) == pytest.approx(1.99e-7, rel=1e-2)
    assert legend_of([0.5, 2.0]) == ["2", "0.5"]


def test_the_legend_of_a_still_has_what_is_missing():
    assert legend_of([0, 1, np.nan]) == ["1", "0", "missing"]
    assert legend_of([0, 1, -1], "category", "uv", ["#112233", "#445566"]) == ["u", "v", "missing"]
    assert legend_of([0, 1, 1], "category", "uv", ["#112233", "#445566"]) == ["u", "v"]
