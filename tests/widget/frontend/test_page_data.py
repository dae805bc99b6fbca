"""The tab Data: columns that are embedded, their weights, and the map that a change makes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.widget.frontend.test_page import run
from tests.widget.page import act, kernel, sent


def column(place: int, title: str, **use: Any) -> dict[str, Any]:
    """Return a column as the kernel tells of it: one of numbers that is embedded."""
    given = {
        "use": "number", "embedded": True, "possible": True, "weight": 1, "log": False,
        "positive": True,
    }  # fmt: skip
    return {"column": place, "title": title, **given, **use}


TABLE = (
    column(0, "income"),
    column(1, "change", positive=False),
    column(2, "plan", use="category", positive=False),
    column(3, "city", use="not chosen", embedded=False),
    column(4, "id", use="ID or code", embedded=False, possible=False, positive=False),
)


def give(page: Page, table: Sequence[dict[str, Any]] = TABLE) -> None:
    act(page, f"k.table = {json.dumps(table)}")


@pytest.fixture
def page(open_explorer: Any) -> Page:
    page: Page = open_explorer(n=120, clusters=3, width=900)
    run(page)
    give(page)
    tab(page.locator(".nbe").first).click()
    return page


def tab(explorer: Locator) -> Locator:
    return explorer.get_by_role("tab", name="Data", exact=True)


def child(page: Page) -> Locator:
    """Return the map that was prepared otherwise: an Explorer in the first one."""
    return page.locator(".nbe .nbe")


def weight(explorer: Locator, name: str = "income") -> Locator:
    return explorer.get_by_role("textbox", name=f"Weight of {name}, number")


def slider(explorer: Locator, name: str = "income") -> Locator:
    return explorer.get_by_role("slider", name=f"Weight of {name}")


def maps(page: Page) -> Locator:
    return page.get_by_role("navigation", name="Maps").first


def changes(page: Page, name: str = "prepare_column") -> list[dict[str, Any]]:
    return [command["arguments"] for command in sent(page, name)]


def test_columns_and_their_use_are_listed(page: Page) -> None:
    panel = page.get_by_role("tabpanel")
    expect(panel.get_by_role("list", name="Columns").get_by_role("listitem")).to_have_count(5)
    expect(panel).to_contain_text("3 of 5 embedded")
    expect(panel.get_by_role("checkbox", name="Embed income")).to_be_checked()
    expect(panel.get_by_role("checkbox", name="Embed city")).not_to_be_checked()
    expect(panel.get_by_role("checkbox", name="Embed id")).to_be_disabled()
    expect(panel.get_by_text("ID or code")).to_be_visible()
    expect(panel.get_by_role("slider")).to_have_count(3)
    expect(panel.get_by_role("checkbox", name="log of")).to_have_count(1)
    expect(panel.get_by_role("searchbox")).to_have_count(0)


def test_a_new_weight_makes_a_map_in_the_place_of_the_map(page: Page) -> None:
    weight(page.locator(".nbe")).fill("2")
    page.keyboard.press("Enter")
    inner = child(page)
    expect(weight(inner)).to_be_focused()
    expect(weight(inner)).to_have_value("2.0")
    assert changes(page) == [{"column": 0, "embedded": True, "weight": 2, "log": False}]
    expect(page.get_by_role("application", name="Map")).to_have_count(1)
    expect(maps(page).get_by_role("button", name="prepared 1", exact=True)).to_have_attribute(
        "aria-current", "page"
    )
    maps(page).get_by_role("button", name="All 120 points").click()
    expect(inner).to_have_count(0)
    expect(weight(page.locator(".nbe"))).to_have_value("1.0")


def test_a_second_change_replaces_the_map_of_the_first(page: Page) -> None:
    page.get_by_role("checkbox", name="log of income").click()
    inner = child(page)
    log = inner.get_by_role("checkbox", name="log of income")
    expect(log).to_be_focused()
    expect(log).to_be_checked()
    page.keyboard.press("Space")
    expect(inner.get_by_role("checkbox", name="log of income")).not_to_be_checked()
    expect(maps(page).get_by_role("button", name="prepared 2", exact=True)).to_be_visible()
    expect(maps(page).get_by_role("button", name="prepared 1", exact=True)).to_have_count(0)
    expect(inner).to_have_count(1)
    expect(log).to_be_focused()
    assert kernel(page, "k.traits.child_maps.length") == 1
    assert [c["log"] for c in changes(page)] == [True], "the second is the child's command"


def test_steps_by_keyboard_are_one_change(page: Page) -> None:
    weight(page.locator(".nbe")).focus()
    # In the page, so that the steps follow each other as quickly as those of a key that is held.
    page.evaluate(
        """async () => { for (let k = 0; k < 5; k++) {
             const event = new KeyboardEvent("keydown", { key: "ArrowUp", bubbles: true });
             document.activeElement.dispatchEvent(event);
             await new Promise((r) => setTimeout(r)); } }"""
    )
    inner = child(page)
    expect(weight(inner)).to_be_focused()
    assert [c["weight"] for c in changes(page)] == [1.5]
    expect(slider(inner)).to_have_value("1.5")


def test_a_slider_is_moved_and_set_back_by_keyboard(page: Page) -> None:
    slider(page.locator(".nbe")).focus()
    page.keyboard.press("End")
    inner = child(page)
    expect(slider(inner)).to_be_focused()
    expect(slider(inner)).to_have_value("3")
    page.keyboard.press("Delete")
    expect(maps(page).get_by_role("button", name="prepared 2", exact=True)).to_be_visible()
    expect(slider(inner)).to_be_focused()
    expect(slider(inner)).to_have_value("1")
    page.keyboard.press("Backspace")  # on a slider 1, which it is: not the way back
    expect(inner).to_have_count(1)


def test_columns_are_embedded_and_left_out(page: Page) -> None:
    page.get_by_role("checkbox", name="Embed city").click()
    inner = child(page)
    expect(inner.get_by_role("checkbox", name="Embed city")).to_be_checked()
    expect(slider(inner, "city")).to_be_visible()
    inner.get_by_role("checkbox", name="Embed plan").click()
    expect(slider(inner, "plan")).to_have_count(0)
    expect(maps(page).get_by_role("button", name="prepared 2", exact=True)).to_be_visible()
    inner.get_by_role("checkbox", name="Scale numbers").click()
    expect(maps(page).get_by_role("button", name="prepared 3", exact=True)).to_be_visible()
    expect(inner.get_by_role("checkbox", name="Scale numbers")).not_to_be_checked()
    expect(inner.get_by_role("checkbox", name="Scale numbers")).to_be_focused()


def test_the_map_is_seen_until_the_other_is_there(page: Page) -> None:
    act(page, "k.held = []")
    weight(page.locator(".nbe")).fill("3")
    page.keyboard.press("Enter")
    expect(page.get_by_role("list", name="Columns")).to_have_attribute("aria-busy", "true")
    expect(slider(page.locator(".nbe"))).to_have_value("3")
    page.get_by_role("checkbox", name="Embed city").click()  # one change at a time
    expect(page.get_by_role("checkbox", name="Embed city")).not_to_be_checked()
    assert kernel(page, "k.held.length") == 1
    act(page, "k.release(1)")
    expect(child(page)).to_have_count(1)


def test_a_refused_change_is_taken_back(page: Page) -> None:
    act(page, "k.refuse = 'weights must be in [0, 3]'")
    weight(page.locator(".nbe")).fill("9")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("weights must be")
    expect(weight(page.locator(".nbe"))).to_have_value("1.0")
    page.get_by_role("checkbox", name="Embed city").click()
    expect(page.get_by_role("checkbox", name="Embed city")).not_to_be_checked()
    expect(child(page)).to_have_count(0)


def test_of_many_columns_some_are_listed_and_found(page: Page) -> None:
    give(page, [column(k, f"gene {k}") for k in range(200)])
    page.get_by_role("tab", name="Find", exact=True).click()
    tab(page.locator(".nbe")).click()
    panel = page.get_by_role("tabpanel")
    expect(panel.get_by_role("listitem")).to_have_count(50)
    expect(panel).to_contain_text("and 150 more")
    panel.get_by_role("searchbox", name="Search columns").fill("gene 17")
    expect(panel.get_by_role("listitem")).to_have_count(11)
    slider(panel, "gene 171").focus()
    page.keyboard.press("End")
    inner = child(page)
    expect(slider(inner, "gene 171")).to_be_focused()
    expect(inner.get_by_role("searchbox", name="Search columns")).to_have_value("gene 17")


def test_where_nothing_can_be_chosen_it_says_why(open_explorer: Any) -> None:
    note = "Counts of 40 words are embedded: TF-IDF, 10 singular vectors"
    page = open_explorer(n=60, data_note=note)
    tab(page.locator(".nbe")).click()
    panel = page.get_by_role("tabpanel")
    expect(panel).to_contain_text(note)
    expect(panel).to_contain_text("these data are prepared as a whole")
    expect(panel.get_by_role("checkbox")).to_have_count(0)


def test_where_no_other_map_can_be_shown_python_is_the_way(open_explorer: Any) -> None:
    page = open_explorer(n=60, composes=False)
    give(page)
    tab(page.locator(".nbe")).click()
    panel = page.get_by_role("tabpanel")
    expect(panel).to_contain_text("explorer.prepare")
    for control in panel.locator("input").all():
        expect(control).to_be_disabled()


def test_a_map_that_python_replaces_is_followed(page: Page) -> None:
    weight(page.locator(".nbe")).fill("2")
    page.keyboard.press("Enter")
    expect(weight(child(page))).to_be_focused()
    act(page, "k.child.prepare(k.table, false)")
    expect(maps(page).get_by_role("button", name="prepared 2", exact=True)).to_have_attribute(
        "aria-current", "page"
    )
    expect(child(page)).to_have_count(1)
    expect(weight(child(page))).to_be_focused()


def test_a_map_whose_successor_is_shown_elsewhere_says_so(open_explorer: Any) -> None:
    page = open_explorer(n=60)
    give(page)
    act(page, "k.prepare = () => undefined")
    tab(page.locator(".nbe")).click()
    page.get_by_role("checkbox", name="Embed city").click()
    expect(page.get_by_role("tabpanel").get_by_role("status")).to_contain_text("The map is made")
    expect(page.get_by_role("checkbox", name="Embed city")).not_to_be_checked()
