"""Looks that stay with their classes."""

from __future__ import annotations

from nbembed.drawing import palette
from nbembed.drawing.class_palette import ClassPalette


def test_a_class_named_like_a_category_has_its_color() -> None:
    styles = ClassPalette(["0", "1", "2"]).styles(["two", "2"])
    assert styles[1]["color"] == palette.color(2)
    assert styles[0]["color"] not in {palette.color(k) for k in range(3)}


def test_a_renamed_class_keeps_its_color_and_a_dropped_one_gives_it_back() -> None:
    own = ClassPalette()
    first = own.styles(["a", "b"])
    renamed = own.styles(["x", "b"])
    assert [s["color"] for s in renamed] == [s["color"] for s in first]
    own.styles(["x"])
    assert own.styles(["x", "c"])[1]["color"] == first[1]["color"]


def test_unnamed_classes_show_the_color_that_they_would_get() -> None:
    own = ClassPalette()
    before = own.colors(3)
    assert [s["color"] for s in own.styles(["a", "b", "c"])] == before
    assert len(set(own.colors(20))) == 20


def test_more_classes_than_colors_and_categories() -> None:
    own = ClassPalette([str(k) for k in range(200)])
    styles = own.styles([f"class {k}" for k in range(40)])
    assert len({s["color"] for s in styles}) == 40


def test_tens_of_thousands_of_classes_each_have_a_place_of_their_own() -> None:
    names = [str(k) for k in range(40_000)]
    kept = ClassPalette(["7", "no class"])
    styles = kept.styles(names)
    assert styles[7]["color"] == palette.color(0)
    assert len({kept._slots[k] for k in range(40_000)}) == 40_000
    assert kept.styles(names[:10]) == styles[:10]
    assert kept.styles(names) == styles


def test_a_chosen_look_goes_with_its_class() -> None:
    own = ClassPalette()
    own.styles(["a", "b", "c"])
    own.choose("b", {"color": "#123456", "hidden": True}, place=0)
    found = {style["name"]: style for style in own.styles(["a", "x", "c"])}
    assert (found["x"]["color"], found["x"]["hidden"], found["x"]["place"]) == ("#123456", True, 0)
    assert [found[name]["place"] for name in "ac"] == [1, 2]
    assert own.colors(3)[1] == "#123456"


def test_classes_keep_their_looks_when_one_before_them_goes() -> None:
    own = ClassPalette()
    before = {style["name"]: style for style in own.styles(["a", "b", "c"])}
    after = {style["name"]: style for style in own.styles(["b", "c"])}
    for name in "bc":
        assert after[name]["color"] == before[name]["color"]
        assert after[name]["symbol"] == before[name]["symbol"]
    back = {style["name"]: style for style in own.styles(["a", "b", "c"])}
    assert {name: style["color"] for name, style in back.items()} == {
        name: style["color"] for name, style in before.items()
    }


def test_a_class_named_like_an_ordered_category_has_its_color() -> None:
    colors = palette.category_colors(3, ordered=True)
    own = ClassPalette(["low", "middle", "high"], colors)
    styles = own.styles(["high", "other"])
    assert styles[0]["color"] == colors[2]
    assert styles[1]["color"] not in colors
