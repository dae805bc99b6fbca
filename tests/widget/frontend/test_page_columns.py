"""A column among thousands, found by typing: in the menu of colors and in Find."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.widget.frontend.test_page import run
from tests.widget.frontend.test_page_find import add_filter, open_find, with_answers
from tests.widget.page import act, kernel, sent

HOSTILE = "<img src=x onerror=window.hacked=1>\u202e " + "W" * 500
#: The titles of three thousand columns.
GENES = "k.titles = Array.from({ length: 3000 }, (_, i) => `gene ${i}`)"


def field(page: Page | Locator, name: str = "Color by") -> Locator:
    return page.get_by_role("combobox", name=name, exact=True)


def options(page: Page) -> Locator:
    return page.get_by_role("listbox").get_by_role("option")


def heard(page: Page, text: str) -> None:
    expect(page.locator(".nbe-spoken")).to_contain_text(text)


def asked(page: Page) -> list[Any]:
    found = kernel(page, "k.sent.filter(m => m.name === 'find_columns').map(m => m.arguments)")
    return list(found)


@pytest.fixture
def page(open_explorer: Any) -> Page:
    found: Page = open_explorer(n=80, clusters=4, color_column_count=3000)
    act(found, GENES)
    return found


def test_a_column_is_found_by_typing_and_colors_the_points(page: Page) -> None:
    expect(field(page)).to_have_value("digit")
    expect(
        field(page).locator("xpath=following-sibling::*[name()='svg']")
    ).to_be_visible()  # a menu
    expect(field(page)).to_have_attribute("aria-expanded", "false")
    assert asked(page) == [], "a list that is closed asks nothing"
    field(page).click()
    expect(options(page).filter(has_text="gene")).to_have_count(50)
    expect(page.get_by_text("and 2,950 more: type some of the name")).to_be_visible()
    heard(page, "3,000 columns")
    field(page).press_sequentially("gene 297")
    expect(options(page)).to_have_text(["gene 297", *(f"gene 297{k}" for k in range(10))])
    heard(page, "11 columns of 3,000 found")
    expect(options(page).first).to_have_attribute("aria-selected", "true")
    chosen = field(page).get_attribute("aria-activedescendant")
    assert chosen == options(page).first.get_attribute("id")
    field(page).press("ArrowDown")
    field(page).press("Enter")
    expect(field(page)).to_have_value("gene 2970")
    assert sent(page, "color_by_column")[-1]["arguments"] == {"column": 2970}
    expect(options(page)).to_have_count(0)
    expect(field(page)).to_be_focused()


def test_the_other_choices_are_in_the_same_list(page: Page) -> None:
    field(page).click()
    expect(options(page).first).to_have_text("class labels")
    expect(page.get_by_role("group", name="Measures of each point")).to_be_visible()
    field(page).fill("class")
    expect(options(page)).to_have_text(["class labels"])
    field(page).press("Enter")
    expect(field(page)).to_have_value("class labels")
    assert sent(page, "color_by")[-1]["arguments"] == {"mode": "class"}
    field(page).fill("trust")
    options(page).first.click()
    assert sent(page, "color_by")[-1]["arguments"] == {"mode": "trustworthiness"}


def test_keys_go_round_and_escape_changes_nothing(page: Page) -> None:
    field(page).focus()
    field(page).press("ArrowDown")  # opens it
    expect(options(page).filter(has_text="gene")).to_have_count(50)
    field(page).press("ArrowUp")
    expect(options(page).last).to_have_attribute("aria-selected", "true")
    field(page).press("ArrowDown")
    expect(options(page).first).to_have_attribute("aria-selected", "true")
    field(page).press("PageDown")
    expect(options(page).nth(8)).to_have_attribute("aria-selected", "true")
    expect(options(page).nth(8)).to_be_in_viewport()
    field(page).press("Escape")
    expect(options(page)).to_have_count(0)
    expect(field(page)).to_have_value("digit")
    expect(field(page)).to_be_focused()
    field(page).fill("gene 1")
    page.get_by_role("tab", name="Steer").focus()
    expect(field(page)).to_have_value("digit")
    assert sent(page, "color_by_column") == []
    assert sent(page, "color_by") == []


def test_enter_waits_for_the_answer_to_what_was_typed(page: Page) -> None:
    field(page).fill("gene 1")
    expect(options(page)).to_have_count(50)
    act(page, "k.slow = 300")
    field(page).fill("gene 2999")
    field(page).press("Enter")
    assert sent(page, "color_by_column") == []
    page.wait_for_function("window.kernel.commands('color_by_column').length === 1")
    expect(field(page)).to_have_value("gene 2999")
    assert sent(page, "color_by_column")[-1]["arguments"] == {"column": 2999}


def test_what_enter_has_taken_is_not_lost_by_going_elsewhere(page: Page) -> None:
    act(page, "k.slow = 300")
    field(page).fill("gene 2999")
    field(page).press("Enter")
    page.get_by_role("tab", name="Steer").focus()
    expect(options(page)).to_have_count(0)
    page.wait_for_function("window.kernel.commands('color_by_column').length === 1")
    expect(field(page)).to_have_value("gene 2999")
    field(page).fill("none such")
    field(page).press("Enter")
    page.get_by_role("tab", name="Steer").focus()
    expect(field(page)).to_have_value("gene 2999")
    act(page, "k.slow = 0")
    field(page).click()
    expect(options(page).first).to_have_text("class labels")
    expect(field(page)).to_have_value("")
    assert len(sent(page, "color_by_column")) == 1


def test_what_is_not_found_and_what_fails_is_said(page: Page) -> None:
    field(page).fill("none such")
    expect(page.get_by_text("No column has this in its name.")).to_be_visible()
    heard(page, "0 columns of 3,000 found")
    field(page).press("Enter")
    assert sent(page, "color_by_column") == []
    act(page, "k.answers.find_columns = () => 'the table is gone'")
    field(page).fill("x")
    expect(page.get_by_role("alert")).to_have_text("the table is gone")


def test_thirty_columns_are_a_plain_menu(open_explorer: Any) -> None:
    few = open_explorer(n=40, clusters=4, color_columns=[f"c{k}" for k in range(30)])
    assert field(few).evaluate("e => e.tagName") == "SELECT"
    act(few, "k.update({ color_columns: [], color_column_count: 31 })")
    expect(few.locator(".nbe-picker-field")).to_be_visible()


def test_a_filter_and_a_searched_column_are_found_in_the_same_way(open_explorer: Any) -> None:
    page = with_answers(open_explorer(n=80, clusters=4))
    act(
        page,
        "k.titles = ['class label', 'size', 'kind'];"
        "k.titles.push(...Array.from({ length: 997 }, (_, i) => `gene ${i}`));"
        "k.answers.find_columns = ({ text }) => {"
        "  const all = k.titles.map((title, c) => [title, c]);"
        "  const found = all.filter(([title]) => title.includes(text)).slice(0, 50);"
        "  const [columns, titles] = [found.map((f) => f[1]), found.map((f) => f[0])];"
        "  return [{ columns, titles, colors: columns, numbers: columns.map(() => true),"
        "    matching: found.length, count: 1000 }, []]; }",
    )
    panel = open_find(page)
    adding = field(panel, "Add a filter")
    adding.fill("size")
    expect(options(page)).to_have_text(["size"])
    adding.press("Enter")
    expect(panel.get_by_role("group", name="Filter by size")).to_be_visible()
    expect(adding).to_have_value("")
    adding.fill("size")
    expect(page.get_by_text("No column has this in its name.")).to_be_visible()  # it is there
    adding.press("Escape")
    searched = field(panel, "Search in")
    expect(searched).to_have_value("names and texts")
    searched.fill("kind")
    searched.press("Enter")
    expect(searched).to_have_value("kind")
    panel.get_by_role("searchbox", name="Search", exact=True).fill("name 7")
    page.wait_for_function(
        "window.kernel.sent.some(m => m.name === 'find' && m.arguments.column === 2"
        " && m.arguments.text === 'name 7' && m.arguments.filters[0].column === 1)"
    )
    searched.fill("names")
    searched.press("Enter")
    expect(searched).to_have_value("names and texts")


def test_filters_of_few_columns_are_a_menu(open_explorer: Any) -> None:
    panel = open_find(with_answers(open_explorer(n=80, clusters=4)))
    add_filter(panel, "size")
    assert field(panel, "Add a filter").evaluate("e => e.tagName") == "SELECT"


def test_hostile_titles_stay_text(open_explorer: Any) -> None:
    page = open_explorer(n=40, clusters=4, color_column_count=3000)
    act(page, f"k.titles = Array.from({{ length: 3000 }}, () => {json.dumps(HOSTILE)})")
    field(page).fill("img")
    expect(options(page)).to_have_count(50)
    text = options(page).first.inner_text()
    assert text.startswith("<img")
    assert "\u202e" not in text
    field(page).press("Enter")
    page.wait_for_function("window.kernel.replied.color_by_column === 1")
    assert field(page).input_value().startswith("<img")
    assert "\u202e" not in field(page).input_value()
    assert kernel(page, "window.hacked") is None
    box = page.locator(".nbe-picker").bounding_box()
    assert box is not None
    assert box["width"] < 284


@pytest.mark.parametrize("width", [400, 680, 1400])
def test_the_list_is_within_the_widget(open_explorer: Any, width: int) -> None:
    page = open_explorer(n=80, clusters=4, width=width, color_column_count=3000)
    act(page, GENES)
    run(page)
    field(page).click()
    expect(options(page).filter(has_text="gene")).to_have_count(50)
    frame = page.locator(".nbe").bounding_box()
    box = page.locator(".nbe-picker-list").bounding_box()
    assert frame is not None
    assert box is not None
    assert box["y"] >= frame["y"]
    assert box["y"] + box["height"] <= frame["y"] + frame["height"]
    assert box["height"] >= 150
    assert options(page).first.evaluate("e => e.getBoundingClientRect().height") >= 24
