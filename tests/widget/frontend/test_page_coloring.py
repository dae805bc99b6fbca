"""The menu of what colors the points, and its legend."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from nbembed.drawing.contrast import on_ground, parsed
from tests.widget.frontend.test_page import selected, selection
from tests.widget.page import DARK, act, kernel, sent

HOSTILE = "<img src=x onerror=window.hacked=1>\u202e " + "W" * 500


def menu(page: Page) -> Locator:
    return page.get_by_role("combobox", name="Color by", exact=True)


def shown(page: Page) -> Any:
    return menu(page).evaluate("e => e.selectedOptions[0].textContent")


@pytest.fixture
def page(open_explorer: Any) -> Page:
    found: Page = open_explorer(n=80, clusters=4, color_columns=["digit", "size", "since"])
    return found


def test_any_column_of_the_table_colors_the_points(page: Page) -> None:
    assert shown(page) == "digit"
    columns = menu(page).locator("optgroup[label=Columns] option")
    assert columns.all_inner_texts() == ["digit", "size", "since"]
    menu(page).select_option(label="size")
    assert sent(page, "color_by_column")[-1]["arguments"] == {"column": 1}
    expect(page.locator(".nbe-ramp span").first).to_have_text("0.00")
    assert shown(page) == "size"
    menu(page).select_option(label="class labels")
    assert sent(page, "color_by")[-1]["arguments"] == {"mode": "class"}
    menu(page).select_option(label="digit")
    assert sent(page, "color_by_column")[-1]["arguments"] == {"column": 0}


#: How many pixels of the points on the map have a color.
PIXELS = """(color) => { const canvas = document.querySelector('.nbe-map .nbe-points');
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  let found = 0;
  for (let i = 0; i < data.length; i += 4) {
    found += data[i + 3] > 150 && color.every((c, at) => Math.abs(data[i + at] - c) < 12);
  }
  return found; }"""

#: How many pixels of a canvas something is drawn on.
DRAWN = """(canvas) => canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data
  .filter((value, at) => at % 4 === 3 && value > 40).length"""


def test_a_point_without_a_class_is_as_it_was_before_labels_were_carried(
    open_explorer: Any,
) -> None:
    page = open_explorer(n=80, clusters=4, renderer="raster", color_by="class")
    neutral = [169, 174, 184]  # #8A919E as it is drawn on the ground
    page.wait_for_function(f"({PIXELS})({neutral}) > 100")
    before = page.evaluate(f"({PIXELS})({neutral})")
    act(page, "k.update({ color_by: 'probability' })")
    pale = "#F0E442"
    mixed = ", ".join(map(str, parsed(pale)))
    colors = f"Uint8Array.from({{ length: 320 }}, (_, i) => [{mixed}, i < 160 ? 255 : 0][i % 4])"
    act(page, f"k.frame({{}}, [{colors}])")
    page.wait_for_function(f"({PIXELS})({neutral}) < {0.7 * before}")
    # Adapted to the ground as the class's own color is, and as opaque as unlabeled points are.
    drawn = [round(0.843 * c + 0.157 * 255) for c in on_ground(pale, (255, 255, 255))]
    assert page.evaluate(f"({PIXELS})({drawn}) > 100")
    assert page.evaluate(f"({PIXELS})({neutral})") > 0.3 * before


@pytest.mark.parametrize("theme", [None, DARK])
def test_numbers_color_labeled_points_too(open_explorer: Any, theme: Any) -> None:
    page = open_explorer(n=80, clusters=4, theme=theme, renderer="raster", color_columns=["d", "s"])
    act(page, "k.addClass('round'); k.cluster(0).forEach(i => { k.codes[i] = 0;"
              "k.confidence[i] = 1; }); k.supervised('x')")  # fmt: skip
    menu(page).select_option(label="s")  # the number of the cluster
    act(page, "0")
    low = [52, 58, 76] if theme else [213, 219, 226]
    page.wait_for_function(f"({PIXELS})({low}) > 100")


def test_times_have_dates_on_the_scale(page: Page) -> None:
    day = 86_400
    act(
        page, f"k.offered = [null, null, {{ kind: 'time', values: k.truth.map((c) => c * {day}) }}]"
    )
    menu(page).select_option(label="since")
    expect(page.locator(".nbe-ramp span").last).to_have_text("1970-01-04")
    act(page, "k.offered = [null, null, { kind: 'time', values: k.truth.map((c) => c * 3600) }]")
    menu(page).select_option(label="size")
    menu(page).select_option(label="since")
    expect(page.locator(".nbe-ramp span").last).to_have_text("1970-01-01 03:00")


def test_incomes_are_not_in_powers_of_ten(page: Page) -> None:
    act(
        page, "k.offered = [null, { kind: 'number', values: k.truth.map((c) => 19_512 * (c + 1)) }]"
    )
    menu(page).select_option(label="size")
    expect(page.locator(".nbe-ramp span").first).to_have_text("19512")
    expect(page.locator(".nbe-ramp span").last).to_have_text("78048")


def test_a_column_that_is_not_offered_has_an_entry_too(open_explorer: Any) -> None:
    page = open_explorer(n=40, clusters=4, color_columns=["size"])
    assert shown(page) == "digit"
    page = open_explorer(n=40, clusters=4, color_columns=["", "size"], color_column={
        "kind": "category", "title": "", "names": ["a", "b"], "colors": ["#111111", "#222222"],
    })  # fmt: skip
    assert shown(page) == "color"
    assert menu(page).locator("option", has_text="color").count() == 1


def test_points_without_a_value_have_an_entry_in_the_legend(page: Page) -> None:
    legend = page.get_by_role("list", name="Colors")
    missing = legend.get_by_role("button", name="missing", exact=True)
    expect(missing).to_have_count(0)
    act(
        page,
        "k.offered = [null, { kind: 'number', values: k.truth.map((c, i) => i % 8 ? i : NaN) }]",
    )
    menu(page).select_option(label="size")
    missing.click()
    selected(page, 1)
    assert selection(page) == list(range(0, 80, 8))
    codes = "Float32Array.from(k.truth, (c, i) => i < 3 ? -1 : c)"
    act(page, f"k.update({{ color_values: new DataView({codes}.buffer), color_column: "
        "{ kind: 'category', title: 'digit', names: ['0', '1', '2', '3'],"
        " colors: ['#111111', '#222222', '#333333', '#444444'] } })")  # fmt: skip
    missing.click()
    selected(page, 2)
    assert selection(page) == [0, 1, 2]


def test_a_click_on_the_legend_selects_the_points_of_a_category(page: Page) -> None:
    legend = page.get_by_role("list", name="Colors")
    two, three = (legend.get_by_role("button", name=name, exact=True) for name in "23")
    two.click()
    selected(page, 1)
    assert selection(page) == list(range(2, 80, 4))
    three.click(modifiers=["Shift"])
    selected(page, 2)
    assert selection(page) == [i for i in range(80) if i % 4 >= 2]
    two.click(modifiers=["Shift"])
    selected(page, 3)
    assert selection(page) == list(range(3, 80, 4))
    act(
        page,
        "const codes = new Int32Array(80).fill(-1); codes[2] = 0;"
        "const x = { name: 'x', color: '#111111', symbol: 'circle', place: 0, hidden: true };"
        "k.update({ classes: [x], label_codes: new DataView(codes.buffer) })",
    )
    two.click()
    selected(page, 4)
    assert 2 not in selection(page), "points of hidden classes are not picked"


def test_the_legend_is_one_tab_stop(page: Page) -> None:
    legend = page.get_by_role("list", name="Colors")
    assert legend.locator("button[tabindex='0']").count() == 1
    legend.get_by_role("button").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    selected(page, 1)
    assert selection(page) == list(range(1, 80, 4))
    height = legend.get_by_role("button").first.evaluate("e => e.getBoundingClientRect().height")
    assert height >= 24


def test_hostile_titles_stay_text(open_explorer: Any) -> None:
    page = open_explorer(n=40, clusters=4, color_columns=[HOSTILE], color_column={
        "kind": "category", "title": HOSTILE, "names": [HOSTILE] * 4, "colors": ["#111111"] * 4,
    })  # fmt: skip
    assert kernel(page, "window.hacked") is None
    text = page.get_by_role("list", name="Colors").get_by_role("button").first.inner_text()
    assert text.startswith("<img")
    assert "\u202e" not in text
    assert "\u202e" not in shown(page)


@pytest.mark.parametrize("theme", [None, DARK])
def test_new_rows_have_rings_and_an_entry_that_selects_them(open_explorer: Any, theme: Any) -> None:
    page = open_explorer(n=80, clusters=4, theme=theme, color_by="class")
    ink = "document.querySelector('.nbe-map .nbe-overlay')"
    entry = page.get_by_role("list", name="Rings").get_by_role("button")
    expect(entry).to_have_count(0)
    before = page.evaluate(f"({DRAWN})({ink})")
    act(page, "k.update({ new_rows: new DataView(Uint32Array.of(70, 74, 79).buffer) })")
    expect(entry).to_have_text("3 new rows")
    page.wait_for_function(f"({DRAWN})({ink}) > {before} + 60")
    page.keyboard.press("Escape")
    entry.click()
    selected(page, 1)
    assert selection(page) == [70, 74, 79]
    entry.click(modifiers=["Shift"])
    selected(page, 2)
    assert selection(page) == []
    # A class that is hidden takes its rings along.
    act(
        page,
        "const codes = new Int32Array(80).fill(0);"
        "const x = { name: 'x', color: '#111111', symbol: 'circle', place: 0, hidden: true };"
        "k.update({ classes: [x], label_codes: new DataView(codes.buffer) })",
    )
    page.wait_for_function(f"({DRAWN})({ink}) <= {before}")
