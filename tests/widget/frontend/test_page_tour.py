"""The tour: opened from the help alone, led by keys, at parts that are there."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.widget.frontend.test_page_axe import accessible
from tests.widget.page import LIGHT, act
from tests.widget.panels import filled

STOPS = (
    "The map", "Name what you see", "Sliders", "Find the next points", "Undo and history",
    "Save and export",
)  # fmt: skip

#: Whether each ring lies around a part of these that is in the Explorer, and the note over none.
FITS = """parts => {
  const box = (e) => e.getBoundingClientRect();
  const near = (a, b) => ["left", "top", "right", "bottom"].every((side) => Math.abs(a[side] - b[side]) <= 4);
  const rings = [...document.querySelectorAll(".nbe-tour-ring")].map(box);
  const found = parts.map((part) => {
    const own = [...document.querySelectorAll(part)].map(box);
    const most = (side, pick) => pick(...own.map((b) => b[side]));
    return { left: most("left", Math.min), top: most("top", Math.min), right: most("right", Math.max), bottom: most("bottom", Math.max) };
  });
  const root = box(document.querySelector(".nbe"));
  const note = box(document.querySelector(".nbe-tour-note"));
  return [
    rings.length === found.length && rings.every((ring, k) => near(ring, found[k])),
    note.left >= root.left && note.right <= root.right && note.top >= root.top && note.bottom <= root.bottom,
  ];
}"""  # noqa: E501


@pytest.fixture
def page(open_explorer: Any) -> Page:
    return filled(open_explorer, width=1000)


def begin(page: Page) -> Locator:
    page.get_by_role("button", name="Help", exact=True).click()
    page.get_by_role("button", name="Tour of the Explorer").click()
    expect(page.get_by_role("dialog", name="Keys and mouse")).to_have_count(0)
    expect(page.locator(".nbe-tour button:focus")).to_have_count(1)  # it takes the focus once
    return page.get_by_role("dialog")


def test_it_is_not_shown_unasked(page: Page) -> None:
    page.get_by_role("button", name="Help", exact=True).click()
    page.keyboard.press("Escape")
    assert page.locator(".nbe-tour").count() == 0


#: A host's own look of keys and lists, as JupyterLab has one for what is in its outputs.
HOST = """
  div kbd { font: 18px monospace; }
  div div dt { float: left; width: 20%; font-weight: bold; }
  div div dd { float: left; width: 80%; margin-left: 0; }
"""
#: Pixels of one line of a key.
LINE = 24


@pytest.mark.parametrize("width", [1000, 340])
def test_keys_do_not_cover_what_they_do(open_explorer: Any, width: int) -> None:
    page = open_explorer(width=width)
    page.add_style_tag(content=HOST)
    page.get_by_role("button", name="Help", exact=True).click()
    covered = page.evaluate(
        """() => [...document.querySelectorAll(".nbe-help dt")].filter((dt) => {
             const texts = document.createRange();
             texts.selectNodeContents(dt.nextElementSibling);
             const key = dt.firstElementChild.getBoundingClientRect();
             return key.right > texts.getBoundingClientRect().left;
           }).map((dt) => dt.textContent)"""
    )
    assert covered == []
    keys = page.locator(".nbe-help kbd").evaluate_all(
        "all => all.map(e => [e.textContent, e.getBoundingClientRect().height])"
    )
    assert [text for text, height in keys if len(text) < 12 and height > LINE] == []
    help_ = page.get_by_role("dialog", name="Keys and mouse")
    assert help_.locator("dt").count() > 20
    assert help_.evaluate("e => e.scrollWidth <= e.clientWidth"), "nothing is cut at the side"


def test_keys_lead_through_it_and_back(page: Page) -> None:
    page.get_by_role("tab", name="Find").click()
    note = begin(page)
    for place, title in enumerate(STOPS, 1):
        expect(page.get_by_role("dialog", name=title)).to_contain_text(f"{place} of 6")
        expect(note.get_by_role("button", name="Done" if place == 6 else "Next")).to_be_focused()
        page.keyboard.press("Enter" if place % 2 else "ArrowRight")
    expect(note).to_contain_text("6 of 6")  # an arrow does not end it
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("dialog", name=STOPS[4])).to_be_visible()
    page.keyboard.press("Shift+Tab")
    expect(note.get_by_role("button", name="Back")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog", name=STOPS[3])).to_be_visible()
    page.keyboard.press("Escape")
    expect(note).to_have_count(0)
    expect(page.get_by_role("button", name="Help", exact=True)).to_be_focused()
    expect(page.get_by_role("tab", name="Find")).to_have_attribute("aria-selected", "true")


def test_each_stop_points_at_its_parts(page: Page) -> None:
    parts = (
        [".nbe-map", "[aria-label=Lasso]"],
        [".nbe-section:nth-child(2)"],
        [".nbe-section:has(.nbe-control)"],
        [".nbe-suggestions", ".nbe-tab:is(:nth-child(3), :nth-child(4))"],
        [".nbe-tab:last-child", ":is([aria-label=Undo], [aria-label=Redo])"],
        ["section[aria-label=Export]"],
    )
    note = begin(page)
    for title, wanted in zip(STOPS, parts, strict=True):
        expect(page.get_by_role("dialog", name=title)).to_be_visible()
        page.wait_for_function(f"w => ({FITS})(w).every(Boolean)", arg=wanted)
        page.keyboard.press("Enter")
    expect(note).to_have_count(0)


def test_what_cannot_be_seen_is_left_out(page: Page) -> None:
    act(page, "k.update({ controls: [] })")
    page.add_style_tag(content=".nbe-suggestions, .nbe-tab:not(:last-child) { display: none }")
    note = begin(page)
    for title in (STOPS[0], STOPS[1], STOPS[4], STOPS[5]):
        expect(note.get_by_role("heading")).to_have_text(title)
        page.keyboard.press("Enter")
    expect(note).to_have_count(0)


def test_without_a_kernel_it_shows_what_is_of_use(page: Page) -> None:
    act(page, "k.end('event', 'comm:close')")
    note = begin(page)
    expect(note).to_contain_text("The map")
    page.keyboard.press("ArrowRight")
    expect(note).to_contain_text("Undo and history")
    expect(page.locator(".nbe-tour-ring")).to_have_count(1)


def test_the_map_can_be_used_meanwhile(page: Page) -> None:
    note = begin(page)
    page.locator(".nbe-map").focus()
    page.keyboard.press("l")
    expect(page.get_by_role("button", name="Lasso", exact=True)).to_have_attribute(
        "aria-pressed", "true"
    )
    page.keyboard.press("Escape")
    expect(note).to_have_count(0)
    expect(page.locator(".nbe-map")).to_be_focused()


def test_rings_glide_unless_motion_is_reduced(page: Page) -> None:
    begin(page)
    ring = page.locator(".nbe-tour-ring").first
    duration = "e => getComputedStyle(e).transitionDuration"
    assert ring.evaluate(duration) == "0s"
    page.emulate_media(reduced_motion="no-preference")
    assert "0.2s" in ring.evaluate(duration)


def test_axe_finds_nothing(open_explorer: Any) -> None:
    page = filled(open_explorer, theme=LIGHT)
    note = begin(page)
    for title in STOPS:
        expect(page.get_by_role("dialog", name=title)).to_be_visible()
        accessible(page, ".nbe-tour-note")  # the note covers other parts, as it must
        page.keyboard.press("Enter")
    expect(note).to_have_count(0)
