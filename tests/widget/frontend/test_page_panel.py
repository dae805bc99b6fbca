"""The width of the panel: by dragging its edge, by keys, and as it was left."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.widget.page import act, sent


def edge(page: Page) -> Locator:
    return page.get_by_role("separator", name="Width of the sidebar")


def box(found: Locator) -> Any:
    return found.bounding_box()


def has_width(page: Page, width: int) -> None:
    expect(edge(page)).to_have_attribute("aria-valuenow", str(width))
    assert box(page.locator(".nbe-panel"))["width"] == pytest.approx(width, abs=1)


def asked(page: Page) -> list[int]:
    return [message["arguments"]["width"] for message in sent(page, "size_panel")]


def drag(page: Page, by: int) -> None:
    grip = box(edge(page))
    x, y = grip["x"] + grip["width"] / 2, grip["y"] + 200
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + by / 2, y)
    page.mouse.move(x + by, y)
    page.mouse.up()


def test_the_edge_is_dragged_and_only_the_width_of_the_map_changes(open_explorer: Any) -> None:
    page = open_explorer(n=80, clusters=4, width=1200)
    map_ = page.get_by_role("application", name="Map")
    before, below = box(map_), box(page.locator("#below"))
    has_width(page, 296)
    drag(page, -60)
    has_width(page, 356)
    after = box(map_)
    assert after["width"] == pytest.approx(before["width"] - 60, abs=1)
    assert {**after, "width": 0} == {**before, "width": 0}
    assert box(page.locator("#below")) == below
    assert asked(page) == [356], "told once, when it is let go"
    drawn = "document.querySelector('.nbe-map .nbe-points').width"
    page.wait_for_function(f"{drawn} === Math.round({after['width']})")
    drag(page, 0)
    assert asked(page) == [356]


@pytest.mark.parametrize(("width", "most"), [(748, 296), (900, 299), (1200, 399)])
def test_the_map_keeps_two_thirds_where_it_had_them(
    open_explorer: Any, width: int, most: int
) -> None:
    page = open_explorer(n=40, width=width)
    drag(page, -400)
    has_width(page, most)
    act(page, "k.update({ sidebar_width: 800 })")  # as on a wider page
    has_width(page, most)
    if width >= 900:
        assert box(page.get_by_role("application", name="Map"))["width"] >= (width - 2) * 2 / 3 - 1


def test_arrow_keys_resize_it_and_enter_takes_all_back(open_explorer: Any) -> None:
    page = open_explorer(n=40, width=1200)
    edge(page).focus()
    for key, width in [
        ("ArrowLeft", 312), ("ArrowRight", 296), ("End", 399), ("ArrowLeft", 399), ("Home", 240),
        ("ArrowRight", 240),
    ]:  # fmt: skip
        page.keyboard.press(key)
        has_width(page, width)
    expect(edge(page)).to_be_focused()
    tabs = page.get_by_role("tab")
    cut = tabs.evaluate_all("all => all.filter((e) => e.scrollWidth > e.clientWidth).length")
    assert cut == 0, "narrow, the tabs have two rows"
    page.keyboard.press("Enter")
    has_width(page, 296)
    assert asked(page)[-1] == 0
    page.keyboard.press("End")
    edge(page).dblclick()
    has_width(page, 296)


def test_it_is_as_it_was_left(open_explorer: Any) -> None:
    page = open_explorer(n=40, width=1200, sidebar_width=350)
    has_width(page, 350)
    page.get_by_role("button", name="Sidebar").click()
    expect(edge(page)).to_have_count(0)
    page.get_by_role("button", name="Sidebar").click()
    has_width(page, 350)


def test_without_a_kernel_it_stays(open_explorer: Any) -> None:
    page = open_explorer(n=40, width=1200, host=True)
    act(page, "k.end('status', 'dead')")
    drag(page, -60)
    has_width(page, 296)
    assert asked(page) == []


def test_a_panel_under_the_map_has_no_edge(open_explorer: Any) -> None:
    page = open_explorer(n=40, width=560, sidebar_width=350)
    expect(edge(page)).to_have_count(0)
    assert box(page.locator(".nbe-panel"))["width"] > 500
