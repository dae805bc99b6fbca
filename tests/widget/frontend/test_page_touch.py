"""Fingers on the page: draw, pan, pinch, tap and rest; the page scrolls outside the map."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import pytest
from playwright.sync_api import CDPSession, Page, expect

from tests.browser.places import still
from tests.widget.frontend.test_page import moved, run, screen_of, screens_of, selected, selection
from tests.widget.page import kernel
from tests.widget.panels import TABS, filled, open_tab

#: Buttons and fields whose target, or that of the label around them, is less than 24 pixels.
SMALL = """() => [...document.querySelectorAll(
    ".nbe :is(button, input, select, [role=tab], [role=slider], [role=option])")]
  .filter((e) => e.getClientRects().length && getComputedStyle(e).visibility === "visible")
  .map((e) => [e, (e.closest("label") ?? e).getBoundingClientRect()])
  .filter(([, box]) => Math.min(box.width, box.height) < 23.9)
  .map(([e, box]) => `${e.ariaLabel ?? e.textContent} ${box.width} x ${box.height}`)"""


class Fingers:
    """Up to some fingers on the page, moved together."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.session: CDPSession = page.context.new_cdp_session(page)

    def send(self, kind: str, places: Iterable[tuple[float, float]]) -> None:
        points = [{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(places)]
        self.session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    def rest(self) -> None:
        """Wait until the page has noted that the finger rests."""
        expect(self.page.locator(".nbe-hint")).to_be_visible()

    def draw(self, *paths: list[tuple[float, float]], rest: bool = False) -> None:
        """Put a finger at the beginning of each path, let them rest, go along, and lift them."""
        for count in range(1, len(paths) + 1):
            self.send("touchStart", [path[0] for path in paths[:count]])
        if rest:
            self.rest()
        for places in zip(*paths, strict=True):
            self.send("touchMove", places)
        self.send("touchEnd", [])

    def tap(self, x: float, y: float, rest: bool = False) -> None:
        self.send("touchStart", [(x, y)])
        if rest:
            self.rest()
            self.send("touchMove", [(x + 2, y - 2)])  # a finger is never quite still
        self.send("touchEnd", [])


def loop(page: Page, points: list[int]) -> list[tuple[float, float]]:
    """Return a closed way around points."""
    places = screens_of(page, points)
    x, y = (sum(p[k] for p in places) / len(places) for k in (0, 1))
    radius = max(math.dist((x, y), place) for place in places) + 12
    turns = [2 * math.pi * step / 30 for step in range(31)]
    return [(x + radius * math.cos(t), y + radius * math.sin(t)) for t in turns]


def line(start: tuple[float, float], end: tuple[float, float]) -> list[tuple[float, float]]:
    parts = [k / 12 for k in range(13)]
    return [tuple(a + t * (b - a) for a, b in zip(start, end, strict=True)) for t in parts]  # type: ignore[misc]


@pytest.fixture
def page(open_explorer: Any) -> Page:
    page = open_explorer(n=80, clusters=4, parameters={"alpha": 2, "rho": 0.5}, touch=True)
    run(page)
    return page


@pytest.fixture
def fingers(page: Page) -> Fingers:
    return Fingers(page)


def test_one_finger_draws_with_the_tool(page: Page, fingers: Fingers) -> None:
    page.get_by_role("button", name="Lasso", exact=True).tap()
    fingers.draw(loop(page, kernel(page, "k.cluster(1)")))
    selected(page, 1)
    assert set(kernel(page, "k.cluster(1)")) <= set(selection(page))
    # The field for the name is there, but no keyboard jumps over the map.
    expect(page.get_by_role("combobox", name="Class of the selection")).not_to_be_focused()


def test_a_finger_that_rests_first_adds(page: Page, fingers: Fingers) -> None:
    page.get_by_role("button", name="Lasso", exact=True).tap()
    fingers.draw(loop(page, kernel(page, "k.cluster(1)")))
    selected(page, 1)
    before = selection(page)
    page.keyboard.press("Escape")
    fingers.draw(loop(page, kernel(page, "k.cluster(3)")), rest=True)
    selected(page, 2)
    assert set(before) | set(kernel(page, "k.cluster(3)")) <= set(selection(page))
    assert page.locator(".nbe-hint").count() == 0


def test_one_finger_pans_with_the_pan_tool(page: Page, fingers: Fingers) -> None:
    x, y = screen_of(page, 3)
    fingers.draw(line((300, 250), (360, 280)))
    moved(page, (x, y), 3)
    after = still(page.locator(".nbe-map"))[3]
    assert 45 < after[0] - x <= 61
    assert 20 < after[1] - y <= 31
    assert selection(page) == []


@pytest.mark.parametrize("tool", ["Pan", "Lasso"])
def test_two_fingers_pinch_and_pan_with_any_tool(page: Page, fingers: Fingers, tool: str) -> None:
    page.get_by_role("button", name=tool, exact=True).tap()
    one, other = screen_of(page, 1), screen_of(page, 3)
    before = math.dist(one, other)
    fingers.draw(line((250, 250), (200, 270)), line((350, 250), (400, 270)))
    moved(page, other, 3)
    one, other = still(page.locator(".nbe-map"))[[1, 3]]
    assert math.dist(one, other) == pytest.approx(2 * before, rel=0.05)
    assert selection(page) == []
    assert page.locator(".nbe-card").count() == 0


def test_a_tap_opens_a_card_and_a_resting_finger_selects(page: Page, fingers: Fingers) -> None:
    x, y = screen_of(page, 3)
    fingers.tap(x + 7, y + 5)
    expect(page.get_by_role("group", name="Card of")).to_have_count(1)
    x, y = screen_of(page, 5)
    fingers.tap(x, y, rest=True)
    selected(page, 1)
    assert selection(page) == [5]
    fingers.tap(x, y, rest=True)
    selected(page, 2)
    assert selection(page) == []


def test_the_page_scrolls_outside_the_map(page: Page, fingers: Fingers) -> None:
    page.evaluate("document.getElementById('below').style.height = '3000px'")
    box = page.locator(".nbe-map").bounding_box()
    assert box is not None
    middle = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    fingers.draw(line(middle, (middle[0], middle[1] - 150)))
    page.wait_for_timeout(200)
    assert page.evaluate("window.scrollY") == 0
    heading = page.get_by_role("heading", name="Classes").bounding_box()
    assert heading is not None
    fingers.draw(line((heading["x"] + 9, heading["y"]), (heading["x"] + 9, heading["y"] - 150)))
    page.wait_for_function("window.scrollY > 50")


def test_targets_are_large_enough(open_explorer: Any) -> None:
    page = filled(open_explorer, touch=True, width=1000)
    for tab in TABS:
        open_tab(page, tab)
        if tab == "Steer":
            page.get_by_role("button", name="Edit class").click()
        elif tab == "Group":
            page.get_by_role("button", name="Rows").click()
            expect(page.get_by_role("grid", name="Rows of")).to_be_visible()
        elif tab == "History":
            page.mouse.click(*screen_of(page, 3))
            expect(page.get_by_role("button", name="Select the neighbors")).to_be_visible()
        small = page.evaluate(SMALL)
        assert not small, "\n".join([tab, *small])
