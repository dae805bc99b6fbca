"""Labeling in a real browser, with a stand-in for the kernel: lasso, type, Enter."""

from __future__ import annotations

import itertools
import math
import re
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from nbembed.drawing import palette
from tests.drawing.test_palette import VISIONS, ciede2000, lab
from tests.widget.frontend.test_page import lasso_around, run, screen_of, screens_of, selection
from tests.widget.page import DARK, LIGHT, act, kernel, sent


@pytest.fixture
def page(open_explorer: Any) -> Page:
    """An Explorer at rest, clusters well apart, with the lasso."""
    page = open_explorer(n=400, clusters=4, parameters={"alpha": 2, "rho": 0.5})
    run(page)
    page.get_by_role("button", name="Lasso").click()
    return page


def field(page: Page, label: str = "Class of the selection") -> Locator:
    return page.get_by_role("combobox", name=label)


def options(page: Page, **which: Any) -> Locator:
    return page.get_by_role("listbox", name="Classes").get_by_role("option", **which)


def choices(page: Page) -> list[str]:
    """Return what the field offers, the number of each old class last."""
    return [" ".join(text.split()) for text in options(page).all_inner_texts()]


def labels(page: Page, times: int) -> dict[str, Any]:
    """Return the last of so many labels."""
    page.wait_for_function(f"window.kernel.commands('label').length === {times}")
    return sent(page, "label")[-1]


def name_cluster(page: Page, cluster: int, text: str, times: int) -> dict[str, Any]:
    lasso_around(page, kernel(page, f"k.cluster({cluster})"))
    expect(field(page)).to_be_focused()
    page.keyboard.type(text)
    page.keyboard.press("Enter")
    return labels(page, times)


def test_a_lasso_is_named_by_typing(page: Page) -> None:
    cluster = kernel(page, "k.cluster(1)")
    label = name_cluster(page, 1, "seven", 1)
    assert label["arguments"] == {"class": "seven", "confidence": 1}
    assert set(cluster) <= set(label["points"])
    expect(field(page)).to_have_count(0)
    page.wait_for_function("window.kernel.replied.select === 2")
    assert selection(page) == [], "the selection makes room for the next"
    expect(page.get_by_role("status")).to_contain_text("labeled as seven")
    expect(page.get_by_role("radio", name="seven")).to_be_checked()
    expect(page.locator(".nbe-map")).to_be_focused()
    assert sent(page, "add_class") == []


def test_first_letters_and_numbers_choose_an_old_class(page: Page) -> None:
    for name in ("setosa", "versicolor", "virginica", "Älter 10"):
        act(page, f"k.addClass('{name}')")
    assert name_cluster(page, 3, "ve", 1)["arguments"]["class"] == "versicolor"
    assert name_cluster(page, 1, "3", 2)["arguments"]["class"] == "virginica"
    assert name_cluster(page, 2, "alt", 3)["arguments"]["class"] == "Älter 10"
    lasso_around(page, kernel(page, "k.cluster(3)"))
    page.keyboard.type("v")
    assert choices(page) == ["versicolor 2", "virginica 3", "new v"]
    page.keyboard.press("ArrowDown")
    expect(options(page, selected=True)).to_contain_text("virginica")
    page.keyboard.press("Shift+Enter")
    assert labels(page, 4)["arguments"]["class"] == "v", "Shift takes the text as it is"


def test_numbers_that_are_names_are_names(page: Page) -> None:
    for name in ("3", "7", "12"):
        act(page, f"k.addClass('{name}')")
    lasso_around(page, kernel(page, "k.cluster(1)"))
    page.keyboard.type("1")
    assert choices(page) == ["new 1"], "1 is neither the first class nor the beginning of 12"
    page.keyboard.type("2")
    assert choices(page) == ["12 3"]
    page.keyboard.press("Enter")
    assert labels(page, 1)["arguments"]["class"] == "12"


def test_nothing_typed_takes_the_chosen_class(page: Page) -> None:
    for name in ("a", "b"):
        act(page, f"k.addClass('{name}')")
    page.get_by_role("radio", name="b").check()
    lasso_around(page, kernel(page, "k.cluster(1)"))
    expect(options(page, selected=True)).to_contain_text("b")
    page.keyboard.press("Enter")
    assert labels(page, 1)["arguments"]["class"] == "b"


def test_nothing_typed_takes_a_chosen_class_that_is_new(page: Page) -> None:
    act(page, "k.addClass('a'); const obey = k.obey; k.late = [];"
        "k.obey = (...given) => given[0].name === 'select' ? obey.apply(k, given)"
        " : k.late.push(() => obey.apply(k, given))")  # fmt: skip
    lasso_around(page, kernel(page, "k.cluster(1)"))
    page.keyboard.type("new")
    page.keyboard.press("Enter")
    lasso_around(page, kernel(page, "k.cluster(2)"))
    expect(field(page)).to_be_focused()
    expect(options(page, selected=True)).to_contain_text("new")
    page.keyboard.press("Enter")
    page.wait_for_function("window.kernel.commands('label').length === 2")
    assert [m["arguments"]["class"] for m in sent(page, "label")] == ["new", "new"]
    act(page, "k.late.splice(0).forEach(f => f())")
    expect(page.get_by_role("radio", name="new")).to_be_checked()


def test_nothing_typed_takes_a_chosen_class_of_many(page: Page) -> None:
    act(page, "for (let i = 0; i < 70; i++) k.addClass(`class ${i}`)")
    page.get_by_role("radio", name="class 66", exact=True).check()
    lasso_around(page, kernel(page, "k.cluster(1)"))
    expect(options(page, selected=True)).to_contain_text("class 66")
    page.keyboard.press("Enter")
    assert labels(page, 1)["arguments"]["class"] == "class 66"


def test_an_undo_of_another_label_of_the_same_class_selects_nothing(page: Page) -> None:
    name_cluster(page, 2, "one", 1)
    page.wait_for_function("window.kernel.traits.undo.startsWith('label 100 points')")
    act(page, "k.update({ undo: 'label 3 points as one' })")  # by somebody else, in Python
    count = len(sent(page, "select"))
    page.locator(".nbe-map").focus()
    page.keyboard.press("Control+z")
    page.wait_for_function("window.kernel.replied.undo === 1")
    assert len(sent(page, "select")) == count


def test_the_wheel_at_its_limit_leaves_the_view_where_it_is(page: Page) -> None:
    page.get_by_role("button", name="Pan", exact=True).click()
    box = page.locator(".nbe-map").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + 20, box["y"] + 20)

    def wheel() -> tuple[float, float]:
        page.mouse.wheel(0, 2000)
        act(page, "0")
        return screen_of(page, 0)

    places = [wheel() for _ in range(30)]
    assert places[-1] == pytest.approx(places[-2], abs=1e-6)
    act(page, "0")
    page.mouse.move(box["x"] + box["width"] - 20, box["y"] + box["height"] - 20)
    assert wheel() == pytest.approx(places[-1], abs=1e-6)


def test_a_choice_is_taken_by_a_click(page: Page) -> None:
    for name in ("a", "b"):
        act(page, f"k.addClass('{name}')")
    lasso_around(page, kernel(page, "k.cluster(1)"))
    options(page, name="b").click()
    assert labels(page, 1)["arguments"]["class"] == "b"


def test_escape_leaves_the_selection_to_the_other_keys(page: Page) -> None:
    lasso_around(page, kernel(page, "k.cluster(1)"))
    page.keyboard.press("Escape")
    expect(field(page)).to_have_count(0)
    page.keyboard.press("h")
    page.wait_for_function("window.kernel.replied.pin === 1")
    assert sent(page, "label") == []


def test_an_empty_field_leaves_space_and_undo_to_the_map(page: Page) -> None:
    act(page, "k.update({undo: 'something'})")
    lasso_around(page, kernel(page, "k.cluster(1)"))
    page.keyboard.press("Space")
    page.wait_for_function("window.kernel.commands('play').length === 1")
    page.keyboard.press("Control+z")
    page.wait_for_function("window.kernel.commands('undo').length === 1")
    page.keyboard.type("a b")
    expect(field(page)).to_have_value("a b")
    assert len(sent(page, "play")) + len(sent(page, "pause")) == 1


def test_what_was_typed_is_kept_when_the_focus_goes_elsewhere(page: Page) -> None:
    lasso_around(page, kernel(page, "k.cluster(1)"))
    page.keyboard.type("six")
    page.get_by_role("slider", name="Confidence").fill("0.8")
    expect(field(page)).to_have_value("six")
    field(page).press("Enter")
    assert labels(page, 1)["arguments"] == {"class": "six", "confidence": 0.8}
    lasso_around(page, kernel(page, "k.cluster(1)"))
    page.get_by_role("slider", name="Confidence").focus()
    expect(field(page)).to_have_count(0)


def test_nothing_is_lost_while_the_kernel_answers_what_was_done_before(page: Page) -> None:
    act(page, "k.held = []")
    first, second = kernel(page, "k.cluster(1)"), kernel(page, "k.cluster(2)")
    lasso_around(page, first)
    expect(field(page)).to_be_focused()
    page.keyboard.type("one")
    page.keyboard.press("Enter")  # the kernel hears of an empty selection, too, and says so later
    lasso_around(page, second)
    expect(field(page)).to_be_focused()
    page.keyboard.type("tw")
    page.wait_for_function("window.kernel.held.length === 4")
    for _ in range(3):  # the first selection, its label, and no selection
        act(page, "k.release(1)")
    page.keyboard.type("o")
    page.keyboard.press("Enter")
    assert labels(page, 2)["arguments"]["class"] == "two"
    assert set(second) <= set(sent(page, "label")[-1]["points"])
    assert set(first) <= set(sent(page, "label")[0]["points"])
    page.wait_for_function("window.kernel.commands('select').length === 4")
    act(page, "k.release(9); k.held = null")
    page.wait_for_function("window.kernel.replied.select === 4")
    assert selection(page) == []


def test_a_selection_made_in_python_meanwhile_is_shown_afterwards(page: Page) -> None:
    act(page, "k.held = []")
    lasso_around(page, kernel(page, "k.cluster(1)"))
    count = len(sent(page, "select")[0]["points"])
    page.keyboard.press("Escape")
    expect(page.get_by_text(f"{count} selected").first).to_be_visible()
    page.wait_for_function("window.kernel.held.length === 1")
    python = "k.update({selection: new DataView(Uint32Array.from(%s).buffer)})"
    act(page, python % [4])  # before the kernel hears of the lasso, which takes its place
    expect(page.get_by_text(f"{count} selected").first).to_be_visible()
    act(page, "k.release(1)")
    expect(page.get_by_text(f"{count} selected").first).to_be_visible()
    assert len(selection(page)) == count
    act(page, python % [4, 9])
    expect(page.get_by_text("2 selected").first).to_be_visible()


def test_a_selection_that_the_kernel_refuses_is_taken_back(page: Page) -> None:
    act(page, "k.refuse = 'no'")
    lasso_around(page, kernel(page, "k.cluster(1)"))
    page.keyboard.press("Escape")
    expect(page.get_by_role("alert")).to_have_text("no")
    expect(page.get_by_text(re.compile(r"\d+ selected"))).to_have_count(0)


def test_undo_selects_the_points_again(page: Page) -> None:
    points = name_cluster(page, 2, "wrong", 1)["points"]
    page.wait_for_function("window.kernel.traits.undo.startsWith('label')")
    page.keyboard.press("Control+z")
    page.wait_for_function("window.kernel.commands('select').length === 3")
    assert sent(page, "select")[-1]["points"] == points
    page.keyboard.press("t")
    page.keyboard.type("right")
    page.keyboard.press("Enter")
    assert labels(page, 2)["points"] == points


def test_a_refused_label_gives_the_selection_back(page: Page) -> None:
    lasso_around(page, kernel(page, "k.cluster(2)"))
    page.wait_for_function("window.kernel.replied.select === 1")
    points = selection(page)
    act(
        page,
        "const obey = k.obey; k.obey = function (m, b) {"
        "this.refuse = m.name === 'label' ? 'no' : null; obey.call(this, m, b); }",
    )
    page.keyboard.type("-1")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_have_text("no")
    page.wait_for_function("window.kernel.commands('select').length === 3")
    assert sent(page, "select")[-1]["points"] == points


def test_twelve_and_more_classes_by_key(page: Page) -> None:
    for k in range(14):
        act(page, f"k.addClass('class {chr(97 + k)}')")
    act(page, "k.update({selection: new DataView(Uint32Array.from([4, 9]).buffer)})")
    page.locator(".nbe-map").focus()
    page.keyboard.press("t")
    expect(field(page)).to_be_focused()
    assert len(choices(page)) == 14
    page.keyboard.type("12")
    page.keyboard.press("Enter")
    assert labels(page, 1)["arguments"]["class"] == "class l"
    page.wait_for_function("window.kernel.replied.label === 1")
    page.keyboard.press("t")
    field(page, "Class to label with").fill("class n")
    page.keyboard.press("Enter")
    expect(page.get_by_role("radio", name="class n")).to_be_checked()
    page.keyboard.press("n")
    expect(page.get_by_role("group", name="Class of point")).to_be_visible()
    page.keyboard.press("t")
    field(page, "Class of the point").fill("13")
    page.keyboard.press("Enter")
    answer = labels(page, 2)
    assert answer["arguments"]["class"] == "class m"
    assert len(answer["points"]) == 1


def test_a_name_may_be_composed(page: Page) -> None:
    lasso_around(page, kernel(page, "k.cluster(1)"))
    page.keyboard.type("x")
    field(page).evaluate(
        "e => e.dispatchEvent(new KeyboardEvent('keydown', "
        "{ key: 'Enter', isComposing: true, bubbles: true, cancelable: true }))"
    )
    expect(field(page)).to_have_value("x")
    assert sent(page, "label") == []


def test_names_are_text(page: Page) -> None:
    hostile = "<img src=x onerror=window.hacked=1>"
    act(page, f"k.addClass('{hostile}')")
    lasso_around(page, kernel(page, "k.cluster(1)"))
    page.keyboard.type("<im")
    expect(options(page).first).to_contain_text(hostile)
    page.keyboard.press("Enter")
    assert labels(page, 1)["arguments"]["class"] == hostile
    assert page.evaluate("window.hacked") is None


@pytest.mark.parametrize("cluster", range(1, 4))
def test_the_field_is_inside_the_map_and_beside_the_selection(page: Page, cluster: int) -> None:
    points = kernel(page, f"k.cluster({cluster})")
    lasso_around(page, points)
    box, around = (
        page.locator(".nbe-naming").bounding_box(),
        page.locator(".nbe-map").bounding_box(),
    )
    assert box is not None
    assert around is not None
    assert box["x"] >= around["x"]
    assert box["y"] >= around["y"]
    assert box["x"] + box["width"] <= around["x"] + around["width"]
    covered = [
        i
        for i, (x, y) in zip(points, screens_of(page, points), strict=True)
        if box["x"] < x < box["x"] + box["width"] and box["y"] < y < box["y"] + box["height"]
    ]
    assert len(covered) < 0.2 * len(points)


class Person:
    """Somebody at the mouse and the keyboard, by the keystroke-level model.

    S. Card, T. Moran and A. Newell (1980), "The keystroke-level model for user performance time
    with interactive systems", Communications of the ACM 23: seconds for a key of an average typist,
    for pointing, a mouse button, moving the hand between the devices and for making up one's mind.
    """

    KEY, POINT, BUTTON, HAND, MIND = 0.28, 1.1, 0.1, 0.4, 1.35
    #: Pixels a second along a loop that need not be exact.
    PACE = 500

    def __init__(self, page: Page) -> None:
        self.page = page
        self.seconds = 0.0
        self.actions = 0

    def lasso(self, points: list[int]) -> None:
        """Look for a group, point beside it, and draw a loop around it."""
        places = screens_of(self.page, points)
        width = max(x for x, _ in places) - min(x for x, _ in places)
        height = max(y for _, y in places) - min(y for _, y in places)
        lasso_around(self.page, points)
        length = math.pi * (width + height) / math.sqrt(2)
        self.seconds += self.MIND + self.HAND + self.POINT + 2 * self.BUTTON + length / self.PACE
        self.actions += 1

    def type(self, text: str) -> None:
        self.page.keyboard.type(text)
        self.seconds += self.HAND + self.KEY * len(text)
        self.actions += 1

    def enter(self) -> None:
        self.page.keyboard.press("Enter")
        self.seconds += self.KEY
        self.actions += 1


def test_ten_digits_are_named_in_under_a_minute(open_explorer: Any) -> None:
    page = open_explorer(n=600, clusters=10, parameters={"alpha": 4, "rho": 0.5})
    run(page)
    page.get_by_role("button", name="Lasso").click()
    person = Person(page)
    for digit in range(10):
        person.lasso(kernel(page, f"k.cluster({digit})"))
        person.type(str(digit))
        person.enter()
        labels(page, digit + 1)
    assert person.actions == 30
    assert person.seconds < 60
    page.wait_for_function("window.kernel.replied.label === 10")
    right = kernel(page, "[...k.codes].filter((c, i) => c === k.truth[i]).length")
    assert right > 0.95 * 600


def test_escape_cancels_a_lasso(page: Page) -> None:
    points = kernel(page, "k.cluster(1)")
    places = screens_of(page, points)
    left, right = min(x for x, _ in places) - 20, max(x for x, _ in places) + 20
    top, bottom = min(y for _, y in places) - 20, max(y for _, y in places) + 20
    page.mouse.move(left, top)
    page.mouse.down()
    for x, y in ((right, top), (right, bottom), (left, bottom)):
        page.mouse.move(x, y, steps=3)
    page.keyboard.press("Escape")
    expect(page.get_by_role("status")).to_contain_text("Canceled")
    before = screen_of(page, 0)
    page.mouse.move(left + 60, top + 60, steps=3)
    page.mouse.up()
    assert screen_of(page, 0) == before, "what follows is no pan"
    assert sent(page, "select") == []
    expect(field(page)).to_have_count(0)
    lasso_around(page, points)
    assert set(points) <= set(sent(page, "select")[0]["points"])


# -- numbers beside sliders


def test_a_number_is_typed_beside_a_slider(page: Page) -> None:
    number = page.get_by_role("textbox", name="α, number")
    expect(number).to_have_value("2.00")
    number.fill("1,25")
    number.press("Enter")
    page.wait_for_function("window.kernel.traits.parameters.alpha === 1.25")
    expect(page.get_by_role("slider", name="α")).to_have_attribute("aria-valuetext", "1.25")
    number.fill("many")
    number.blur()
    expect(number).to_have_value("1.25")
    number.fill("0.5")
    number.press("Escape")
    expect(number).to_have_value("1.25")
    number.press("ArrowUp")
    page.wait_for_function("window.kernel.traits.parameters.alpha === 1.27")
    assert len(sent(page, "set")) == 2


def test_a_slider_goes_back_by_a_double_click_or_delete(page: Page) -> None:
    slider = page.get_by_role("slider", name="α")
    slider.dblclick()
    page.wait_for_function("window.kernel.traits.parameters.alpha === 1")
    slider.fill("0.4")
    page.wait_for_function("window.kernel.traits.parameters.alpha === 0.4")
    slider.press("Delete")
    page.wait_for_function("window.kernel.traits.parameters.alpha === 1")
    expect(page.get_by_role("status")).to_contain_text("α is back to 1.00")


# -- classes


@pytest.fixture
def edited(page: Page) -> Page:
    """Three classes with points, and the panel of the second."""
    for k, name in enumerate(("zero", "one", "two")):
        act(page, f"k.addClass('{name}')")
        act(page, f"k.cluster({k}).forEach(p => {{ k.codes[p] = {k}; k.confidence[p] = 1; }})")
    act(page, "k.supervised('x')")
    page.get_by_role("radio", name="one").check()
    page.get_by_role("button", name="Edit class").click()
    expect(page.get_by_role("group", name="Edit one")).to_be_visible()
    return page


def test_color_and_shape_of_a_class_are_chosen(edited: Page) -> None:
    panel = edited.get_by_role("group", name="Edit one")
    panel.get_by_role("radio", name="Color #D55E00").click()
    edited.wait_for_function("window.kernel.traits.classes[1].color === '#D55E00'")
    panel.get_by_role("radio", name="star").click()
    edited.wait_for_function("window.kernel.traits.classes[1].symbol === 'star'")
    expect(panel.get_by_role("radio", name="star")).to_be_checked()
    panel.get_by_role("radio", name="star").press("ArrowRight")
    expect(panel.get_by_role("radio", name="cross")).to_be_focused()
    assert [m["arguments"] for m in sent(edited, "style_class")] == [
        {"name": "one", "color": "#D55E00"},
        {"name": "one", "symbol": "star"},
    ]


def test_points_of_a_class_are_hidden_and_not_picked(edited: Page) -> None:
    edited.get_by_role("button", name="Hide points of the class").click()
    edited.wait_for_function("window.kernel.traits.classes[1].hidden")
    hidden, other = kernel(edited, "k.cluster(1)"), kernel(edited, "k.cluster(2)")
    lasso_around(edited, hidden)
    assert not set(sent(edited, "select")[-1]["points"] if sent(edited, "select") else []) & set(
        hidden
    )
    edited.keyboard.press("Escape")
    lasso_around(edited, other)
    assert set(other) <= set(sent(edited, "select")[-1]["points"])
    edited.keyboard.press("Escape")
    edited.keyboard.press("Control+a")
    edited.wait_for_function("window.kernel.traits.selection.byteLength === 4 * 300")
    edited.get_by_role("button", name="Show all classes").click()
    edited.wait_for_function("!window.kernel.traits.classes[1].hidden")
    expect(edited.get_by_role("button", name="Show all classes")).to_have_count(0)


def test_classes_are_reordered_and_keys_follow(edited: Page) -> None:
    edited.get_by_role("button", name="Move class up").click()
    edited.wait_for_function("window.kernel.traits.classes[1].place === 0")
    names = edited.get_by_role("radiogroup", name="Class").locator(".nbe-chip-name")
    assert names.all_text_contents() == ["one", "zero", "two"]
    expect(edited.get_by_role("button", name="Move class up")).to_be_disabled()
    edited.locator(".nbe-map").focus()
    edited.keyboard.press("2")
    expect(edited.get_by_role("radio", name="zero")).to_be_checked()
    edited.keyboard.press("1")
    expect(edited.get_by_role("radio", name="one")).to_be_checked()


def test_classes_are_merged_and_removed(edited: Page) -> None:
    edited.get_by_role("combobox", name="Merge into").select_option("two")
    edited.wait_for_function("window.kernel.replied.merge_classes === 1")
    assert sent(edited, "merge_classes")[0]["arguments"] == {"old": "one", "into": "two"}
    expect(edited.get_by_role("radio", name="two")).to_be_checked()
    expect(edited.get_by_role("button", name="Select all of two, 200")).to_be_visible()
    edited.get_by_role("button", name="Remove class").click()
    edited.wait_for_function("window.kernel.replied.remove_class === 1")
    expect(edited.get_by_role("radio", name="two")).to_have_count(0)
    expect(edited.get_by_role("radio", name="zero")).to_be_checked()
    expect(edited.get_by_role("status")).to_contain_text("undo brings it back")


def test_the_chosen_class_is_the_same_after_an_undone_merge(edited: Page) -> None:
    edited.get_by_role("combobox", name="Merge into").select_option("two")
    expect(edited.get_by_role("radio", name="two")).to_be_checked()
    edited.wait_for_function("window.kernel.replied.merge_classes === 1")
    act(
        edited,
        """const [zero, two] = k.traits.classes;
           k.update({ classes: [zero, {...zero, name: 'one', place: 1}, {...two, place: 2}] })""",
    )
    expect(edited.get_by_role("radio", name="two")).to_be_checked()


def test_the_chosen_class_is_the_same_when_python_changes_the_others(edited: Page) -> None:
    act(
        edited,
        "k.update({ classes: k.traits.classes.slice(1).map((c, place) => ({...c, place})) })",
    )
    expect(edited.get_by_role("radio", name="one")).to_be_checked()
    act(
        edited,
        """k.update({ classes: k.traits.classes.map(
             c => ({...c, name: c.name === 'one' ? '1' : c.name})) })""",
    )
    expect(edited.get_by_role("radio", name="1", exact=True)).to_be_checked()
    act(edited, "k.update({ classes: [{...k.traits.classes[1], place: 0}] })")
    expect(edited.get_by_role("radio", name="two")).to_be_checked()


def test_points_of_a_hidden_class_have_no_name(open_explorer: Any) -> None:
    page = open_explorer(n=12, clusters=3, color_by="class", named=True)
    run(page)
    act(
        page,
        """for (const name of ['zero', 'one', 'two']) k.addClass(name);
           for (let i = 0; i < 12; i++) [k.codes[i], k.confidence[i]] = [i % 3, 1];
           k.supervised('x')""",
    )
    names = "document.querySelector('.nbe-map').nbembedNames()"
    page.wait_for_function(f"{names}.groups.includes('one') && {names}.points.includes('Point 1')")
    act(
        page, "k.update({ classes: k.traits.classes.map(c => ({...c, hidden: c.name === 'one'})) })"
    )
    page.wait_for_function(
        f"!{names}.groups.includes('one') && !{names}.points.includes('Point 1')"
    )
    shown = page.evaluate(names)
    assert "two" in shown["groups"]


# -- colors and marks

CONTRAST = """([color, ground]) => {
  const light = (text) => {
    const [r, g, b] = text.match(/[\\d.]+/g).map(Number).map(v => v / 255)
      .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [a, b] = [light(color), light(ground)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}"""


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_every_color_stands_out_from_the_ground(open_explorer: Any, theme: Any) -> None:
    page = open_explorer(n=40, clusters=4, theme=theme)
    act(page, "k.addClass('a')")
    page.get_by_role("button", name="Edit class").click()
    colors = page.locator("button.nbe-swatch").evaluate_all(
        "all => all.map(e => getComputedStyle(e).backgroundColor)"
    )
    for extreme in ("#FFFF00", "#000000", "#FFFFFF", "#0000FF"):
        act(page, f"k.update({{classes: [{{...k.traits.classes[0], color: '{extreme}'}}]}})")
        fill = page.locator(".nbe-chip path").first.evaluate("e => getComputedStyle(e).fill")
        colors.append(fill)
    legend = page.locator(".nbe-legend i")
    colors += legend.evaluate_all("all => all.map(e => getComputedStyle(e).backgroundColor)")
    ground = "e => getComputedStyle(e).backgroundColor"
    for of in (".nbe", ".nbe-map"):
        under = page.locator(of).first.evaluate(ground)
        found = [page.evaluate(CONTRAST, [color, under]) for color in colors]
        assert min(found) >= 3, (of, found)
    shown = ["#" + "".join(f"{int(v):02X}" for v in re.findall(r"\d+", c)) for c in colors[:10]]
    for vision in VISIONS:
        seen = [lab(color, vision) for color in shown]
        assert min(np.linalg.norm(a - b) for a, b in itertools.combinations(seen, 2)) > 7


@pytest.mark.parametrize(("theme", "least"), [(LIGHT, 15), (DARK, 12)])
def test_shown_colors_can_be_told_apart(open_explorer: Any, theme: Any, least: float) -> None:
    page = open_explorer(n=40, clusters=4, theme=theme)
    act(page, "for (let i = 0; i < 12; i++) k.addClass(`class ${i}`)")
    colors = list(palette.COLORS)
    act(
        page,
        f"k.update({{classes: k.traits.classes.map((c, i) => ({{...c, color: {colors}[i]}}))}})",
    )
    fills = page.locator(".nbe-chip path").evaluate_all(
        "all => all.map(e => getComputedStyle(e).fill)"
    )
    shown = ["#" + "".join(f"{int(v):02X}" for v in re.findall(r"\d+", c)) for c in fills]
    assert len(shown) == len(colors)
    seen = [lab(color, "trichromat") for color in shown]
    found = min(ciede2000(a, b) for a, b in itertools.combinations(seen, 2))
    assert found > least


AREA = """async ([x, y, r]) => {
  const c = document.querySelector('.nbe-points');
  await new Promise(f => requestAnimationFrame(() => requestAnimationFrame(f)));
  const { data } = c.getContext('2d').getImageData(x - r, y - r, 2 * r, 2 * r);
  const ground = [253, 253, 252];
  let n = 0;
  for (let i = 0; i < data.length; i += 4)
    n += ground.some((g, k) => Math.abs(g - data[i + k]) > 40);
  return n;
}"""


def test_a_labeled_point_covers_hardly_more_than_others(open_explorer: Any) -> None:
    page = open_explorer(n=12, clusters=12, renderer="raster", parameters={"alpha": 60, "rho": 0.5})
    run(page)
    act(page, "k.addClass('a')")
    x, y = page.evaluate("document.querySelector('.nbe-map').nbembedWhere(0)")
    before = page.evaluate(AREA, [round(x), round(y), 12])
    act(page, "k.codes[0] = 0; k.confidence[0] = 1; k.supervised('label 1 points as a')")
    after = page.evaluate(AREA, [round(x), round(y), 12])
    assert 1.05 * before < after < 1.8 * before


#: A third of the points on a grid, the others on four spots.
HEAPS = """for (let i = 0; i < k.n; i++) {
  const j = i / 3;
  const spread = i % 3 === 0;
  k.positions[2 * i] = spread ? (j % 17) / 17 : i % 2;
  k.positions[2 * i + 1] = spread ? Math.floor(j / 17) / 17 : (i >> 1) % 2;
}
k.update({ state: "paused", coordinates: new DataView(k.positions.slice().buffer) })"""


def test_heaps_do_not_make_the_other_points_small(open_explorer: Any) -> None:
    """As at the centers of Parametric Embedding, where sure points lie together."""
    page = open_explorer(n=867, clusters=4, renderer="raster")
    act(page, HEAPS)
    page.get_by_role("button", name="Fit view").click()
    inside = 3 * (8 * 17 + 8)
    page.wait_for_function(
        f"document.querySelector('.nbe-map').nbembedWhere({inside}).every(v => v > 100)"
    )
    x, y = page.evaluate(f"document.querySelector('.nbe-map').nbembedWhere({inside})")
    assert page.evaluate(AREA, [round(x), round(y), 10]) > 25


def test_crowded_points_are_smaller(open_explorer: Any) -> None:
    areas = []
    for n in (40, 4000):
        page = open_explorer(n=n, clusters=10, renderer="raster", color_by="class")
        run(page)
        ink = page.evaluate(
            """async () => { const c = document.querySelector('.nbe-points');
              await new Promise(f => requestAnimationFrame(() => requestAnimationFrame(f)));
              const { data } = c.getContext('2d').getImageData(0, 0, c.width, c.height);
              let n = 0;
              for (let i = 0; i < data.length; i += 4) n += data[i] < 235;
              return n; }"""
        )
        areas.append(ink / n)
    assert areas[1] < areas[0] / 3


# -- keys and the toolbar


def press_as(page: Page, **event: Any) -> None:
    """Press a key as the browser reports it on some keyboard."""
    page.locator(".nbe").evaluate(
        "(e, init) => e.dispatchEvent(new KeyboardEvent('keydown', "
        "{ bubbles: true, cancelable: true, ...init }))",
        event,
    )


def test_keyboards_of_other_languages_lose_no_keys(page: Page) -> None:
    for k in range(6):
        act(page, f"k.addClass('{'abcdef'[k]}')")
    page.locator(".nbe").focus()
    act(page, "k.update({undo: 'something'})")
    press_as(page, key="я", code="KeyZ", ctrlKey=True)  # Russian
    page.wait_for_function("window.kernel.commands('undo').length === 1")
    press_as(page, key="σ", code="KeyS")  # Greek
    page.wait_for_function("window.kernel.commands('step').length === 1")
    press_as(page, key='"', code="Digit3")  # French
    expect(page.get_by_role("radio", name="c")).to_be_checked()
    press_as(page, key="6", code="Digit6", shiftKey=True)
    expect(page.get_by_role("radio", name="f")).to_be_checked()
    press_as(page, key="z", code="KeyY", ctrlKey=True)  # German: by its letter, not its place
    act(page, "k.update({undo: 'something'})")
    press_as(page, key="z", code="KeyY", ctrlKey=True)
    page.wait_for_function("window.kernel.commands('undo').length === 2")
    assert sent(page, "redo") == []


def test_the_toolbar_is_one_tab_stop(page: Page) -> None:
    buttons = page.get_by_role("toolbar").locator("button")
    assert buttons.evaluate_all("all => all.filter(e => e.tabIndex === 0).length") == 1
    page.get_by_role("button", name="Play").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("button", name="Step")).to_be_focused()
    page.keyboard.press("End")
    expect(page.get_by_role("button", name="Help")).to_be_focused()
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('[role=toolbar]')") is None
    page.keyboard.press("Shift+Tab")
    expect(page.get_by_role("button", name="Help")).to_be_focused()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("button", name="Play")).to_be_focused()
    act(page, f"k.update({{selection: new DataView(Uint32Array.from({[1, 2]}).buffer)}})")
    assert buttons.evaluate_all("all => all.filter(e => e.tabIndex === 0).length") == 1


def test_the_explorer_fills_the_screen(page: Page) -> None:
    before = page.locator(".nbe-map").bounding_box()
    button = page.get_by_role("button", name="Full screen")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    after = page.locator(".nbe-map").bounding_box()
    assert before is not None
    assert after is not None
    assert after["width"] > before["width"]
    assert after["height"] > before["height"]
    button.click()
    expect(button).to_have_attribute("aria-pressed", "false")


def test_each_method_says_what_it_does(page: Page) -> None:
    act(
        page,
        "k.update({method_groups: [{title: 'Neighbors', names: ['HSSNE', 'SNE'], "
        "sentences: ['clusters, with tails', 'keeps <b>neighborhoods</b>']}]})",
    )
    options = page.get_by_role("combobox", name="Method").locator("option")
    assert options.all_text_contents() == [
        "HSSNE", "SNE · keeps <b>neighborhoods</b>", "Mbed",
    ]  # fmt: skip
    page.get_by_role("combobox", name="Method").select_option("SNE")
    page.wait_for_function("window.kernel.traits.method === 'SNE'")


@pytest.mark.parametrize(
    ("names", "columns"),
    [("0 1 2", 3), ("setosa virginica versicolor", 2), ("setosa plasmacytoid-dendritic-cells", 1)],
)
def test_columns_of_classes_leave_room_for_their_names(
    open_explorer: Any, names: str, columns: int
) -> None:
    page = open_explorer(n=400, clusters=4, width=1000)
    for name in names.split():
        act(page, f"k.addClass('{name}')")
    chips = page.locator(".nbe-chips")
    tracks = chips.evaluate("e => getComputedStyle(e).gridTemplateColumns.split(' ').length")
    assert tracks == columns
    cut = "e => [...e.querySelectorAll('.nbe-chip-name')].some(n => n.scrollWidth > n.clientWidth)"
    assert not chips.evaluate(cut)


def test_seven_classes_fit_into_the_field(page: Page) -> None:
    for k in range(7):
        act(page, f"k.addClass('class {k}')")
    lasso_around(page, kernel(page, "k.cluster(1)"))
    list_ = page.get_by_role("listbox", name="Classes")
    assert list_.evaluate("e => e.scrollHeight - e.clientHeight") == 0
    act(page, "k.addClass('another')")
    page.keyboard.press("ArrowUp")
    off = list_.evaluate("e => [...e.children].map(c => c.offsetTop - e.scrollTop)")
    assert not [top for top in off if -20 < top < 0], "no row is cut in the middle"


def test_color_by_says_what_the_column_is(open_explorer: Any) -> None:
    column = {"kind": "category", "names": ["a"], "colors": ["#0072B2"]}
    for title, text in (("species", "species"), ("", "color")):
        page = open_explorer(n=20, color_column={**column, "title": title})
        first = page.get_by_role("combobox", name="Color by").locator("option").first
        expect(first).to_have_text(text)


def test_what_the_map_is_prepared_with_is_in_a_fold_with_its_cost(page: Page) -> None:
    expect(page.get_by_role("textbox", name="Perplexity")).to_have_count(0)
    page.get_by_role("button", name="Advanced").click()
    number = page.get_by_role("textbox", name="Perplexity")
    expect(number).to_have_value("30")
    expect(page.get_by_text("Recomputes neighbors (600 points)")).to_have_count(2)
    number.fill("12")
    number.press("Enter")
    page.wait_for_function("window.kernel.commands('set').length === 1")
    assert sent(page, "set")[0]["arguments"] == {"perplexity": 12}
    page.get_by_role("combobox", name="Metric").select_option("cosine")
    page.wait_for_function("window.kernel.traits.prepared[1].value === 'cosine'")
    assert sent(page, "set_word")[0]["arguments"] == {"name": "metric", "word": "cosine"}


def test_redo_makes_room_again(page: Page) -> None:
    points = name_cluster(page, 2, "two", 1)["points"]
    page.wait_for_function("window.kernel.traits.undo.startsWith('label')")
    page.keyboard.press("Control+z")
    page.wait_for_function("window.kernel.traits.redo.startsWith('label')")
    page.wait_for_function("window.kernel.replied.select === 3")
    assert selection(page) == points
    page.keyboard.press("Control+Shift+z")
    page.wait_for_function("window.kernel.replied.select === 4")
    assert selection(page) == []
