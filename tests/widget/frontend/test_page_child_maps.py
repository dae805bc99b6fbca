"""A map of the selected points in the place of the map, and the way back."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.widget.frontend.test_page import run
from tests.widget.page import act, kernel, sent
from tests.widget.panels import choose

POINTS = list(range(0, 60, 2))


@pytest.fixture
def page(open_explorer: Any) -> Page:
    page = open_explorer(n=120, clusters=3, width=900)
    run(page)
    choose(page, POINTS)
    return page


def maps(page: Page) -> Locator:
    return page.get_by_role("navigation", name="Maps").first


def child(page: Page) -> Locator:
    """Return the map of some points: an Explorer in the first one."""
    return page.locator(".nbe .nbe")


def open_child(page: Page) -> None:
    page.get_by_role("button", name="Map of these points").click()
    expect(child(page)).to_be_focused()


def at_home(page: Page) -> None:
    """Expect the map of all points, with the focus on its Explorer."""
    expect(child(page)).to_have_count(0)
    expect(page.get_by_role("application", name="Map")).to_be_visible()
    expect(page.locator(".nbe")).to_be_focused()


def test_the_selection_has_a_map_in_the_place_of_the_map(page: Page) -> None:
    before = page.locator(".nbe").bounding_box()
    open_child(page)
    [command] = sent(page, "map_of")
    assert command["points"] == POINTS
    expect(page.get_by_role("application", name="Map")).to_have_count(1)
    assert page.locator(".nbe").first.bounding_box() == before
    expect(maps(page).get_by_role("button", name="30 points", exact=True)).to_have_attribute(
        "aria-current", "page"
    )
    maps(page).get_by_role("button", name="All 120 points").click()
    at_home(page)
    maps(page).get_by_role("button", name="30 points", exact=True).click()
    expect(child(page)).to_be_focused()
    assert len(sent(page, "map_of")) == 1


def test_the_map_rests_while_it_is_covered(page: Page) -> None:
    act(page, "k.play()")
    expect(page.locator(".nbe-state")).to_have_text("Running")
    open_child(page)
    page.wait_for_function("window.kernel.traits.state === 'paused'")
    page.wait_for_function(
        "window.kernel.sent.filter((m) => m.type === 'visible').at(-1).visible === false"
    )
    page.keyboard.press("Backspace")
    at_home(page)
    page.wait_for_function("window.kernel.traits.state === 'running'")


def test_a_map_that_was_paused_stays_paused(page: Page) -> None:
    act(page, "k.update({ state: 'paused' })")
    open_child(page)
    page.keyboard.press("Backspace")
    at_home(page)
    assert sent(page, "play") == sent(page, "pause") == []


def test_by_keyboard(page: Page) -> None:
    page.get_by_role("application", name="Map").focus()
    page.keyboard.press("m")
    expect(child(page)).to_be_focused()
    page.keyboard.press("s")  # one step: of the map that is seen
    page.wait_for_function("window.kernel.child.commands('step').length === 1")
    page.keyboard.press("/")
    search = child(page).get_by_role("searchbox", name="Search", exact=True)
    expect(search).to_be_focused()
    page.keyboard.type("ab")
    page.keyboard.press("Backspace")
    expect(search).to_have_value("a")
    child(page).get_by_role("tab", name="Steer").focus()
    page.keyboard.press("Control+a")
    page.keyboard.press("m")
    inner = page.locator(".nbe .nbe .nbe")
    expect(inner).to_be_focused()
    page.keyboard.press("Backspace")
    expect(inner).to_have_count(0)
    expect(child(page)).to_be_focused()
    page.keyboard.press("Backspace")
    at_home(page)
    assert sent(page, "step") == []


def test_a_closed_map_is_gone_and_the_selection_is_not(page: Page) -> None:
    open_child(page)
    maps(page).get_by_role("button", name="Close the map of 30 points").click()
    at_home(page)
    expect(maps(page)).to_have_count(0)
    assert [c["arguments"] for c in sent(page, "close_map")] == [{"widget": "anywidget:1"}]
    expect(page.get_by_role("button", name="Label 30 as")).to_be_visible()


def test_too_few_points_have_no_map(page: Page) -> None:
    choose(page, [1, 2, 3])
    button = page.get_by_role("button", name="Map of these points")
    expect(button).to_have_attribute("aria-disabled", "true")
    button.click(force=True)
    page.keyboard.press("m")
    expect(page.locator(".nbe-spoken")).to_contain_text("Select at least 4 points")
    assert sent(page, "map_of") == []


@pytest.mark.parametrize("about", [{"composes": False}, {"reactive": True}])
def test_a_host_that_shows_no_widget_in_another_has_no_button(
    open_explorer: Any, about: dict[str, bool]
) -> None:
    page = open_explorer(n=60, **about)
    choose(page, POINTS[:20])
    expect(page.get_by_role("button", name="Forget")).to_be_visible()
    expect(page.get_by_role("button", name="Map of these points")).to_have_count(0)


@pytest.mark.parametrize(
    ("end", "said"),
    [
        ("k.end('event', 'comm:close')", "ended with the kernel"),
        ("k.update({ child_maps: [] })", "was closed"),
    ],
)
def test_the_map_is_there_again_when_that_of_some_points_ends(
    page: Page, end: str, said: str
) -> None:
    open_child(page)
    act(page, end)
    at_home(page)
    expect(page.locator(".nbe-spoken")).to_contain_text(said)
    expect(maps(page)).to_have_count(0)


def test_a_map_that_the_host_does_not_know_is_not_opened(page: Page) -> None:
    act(
        page,
        "k.update({ child_maps: [{ widget: 'anywidget:none', name: '<b>9</b> points', new: 0,"
        " prepared: false, place: 0 }] })",
    )
    way = maps(page).get_by_role("button", name="<b>9</b> points", exact=True)
    way.click()
    expect(page.locator(".nbe-spoken")).to_contain_text("could not be shown")
    expect(child(page)).to_have_count(0)
    expect(page.get_by_role("application", name="Map")).to_be_visible()
    expect(way).to_be_focused()


def test_a_refused_map_leaves_the_map(page: Page) -> None:
    act(page, "k.refuse = 'not now'")
    page.get_by_role("button", name="Map of these points").click()
    expect(page.get_by_role("alert")).to_contain_text("not now")
    expect(child(page)).to_have_count(0)
    assert kernel(page, "k.traits.child_maps.length") == 0
