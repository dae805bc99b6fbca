"""Pins, cannot-links, centers and learning in a real browser, with a stand-in for the kernel."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.widget.frontend.test_page import run
from tests.widget.page import act, kernel, sent

CENTERS = [[9, 0], [-9, 0], [0, 5.5]]
NAMES = ["setosa", "versicolor", "a class with a rather long name"]
COLORS = ["#0072B2", "#E69F00", "#009E73"]
#: How they are shown on a light ground (frontend/src/points/contrast.ts).
SHOWN = ([0x00, 0x4D, 0x7C], [0xA3, 0x70, 0x00], [0x00, 0x6D, 0x4F])
#: Pixels of the overlay that are of a color, nearly.
INK = """([r, g, b]) => {
  const canvas = document.querySelector('.nbe-overlay');
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  let count = 0;
  for (let i = 0; i < data.length; i += 4)
    count += data[i + 3] > 200 && Math.abs(data[i] - r) + Math.abs(data[i + 1] - g)
      + Math.abs(data[i + 2] - b) < 12;
  return count;
}"""


@pytest.fixture
def page(open_explorer: Any) -> Page:
    page = open_explorer(n=400, clusters=4, parameters={"alpha": 2, "rho": 0.5})
    run(page)
    return page


def select(page: Page, points: list[int]) -> None:
    act(page, f"k.update({{selection: new DataView(Uint32Array.from({points}).buffer)}})")


def test_the_selection_is_pinned_and_let_go(page: Page) -> None:
    expect(page.get_by_role("button", name="Pin selection")).to_have_count(0)
    before = page.evaluate(INK, [29, 33, 41])
    select(page, [1, 5, 9])
    page.get_by_role("button", name="Pin selection").click()
    button = page.get_by_role("button", name="Unpin selection")
    expect(button).to_have_attribute("aria-pressed", "true")
    assert sent(page, "pin")[0]["points"] == [1, 5, 9]
    expect(page.get_by_role("status")).to_contain_text("3 points pinned")
    page.wait_for_function(
        f"([color, low]) => ({INK})(color) > low", arg=[[29, 33, 41], before + 20]
    )
    select(page, [1, 2])
    page.get_by_role("button", name="Pin selection").focus()
    page.keyboard.press("h")
    expect(button).to_be_visible()
    page.keyboard.press("h")
    page.wait_for_function("window.kernel.replied.unpin === 1")
    assert sent(page, "unpin")[0]["points"] == [1, 2]


def test_two_selections_are_kept_apart(page: Page) -> None:
    select(page, [0, 4])
    page.get_by_role("button", name="Keep selection apart").click()
    expect(
        page.get_by_text("Now select the points to keep apart from the 2 chosen points")
    ).to_be_visible()
    assert sent(page, "cannot_link") == []
    # The page empties the selection for the second group; the kernel's answer would undo the next.
    page.wait_for_function("window.kernel.replied.select === 1")
    select(page, [4, 9])
    page.get_by_role("button", name="Keep apart", exact=True).click()
    expect(page.get_by_role("status")).to_contain_text("cannot be kept apart from itself")
    select(page, [9, 13, 17])
    expect(page.get_by_text("Keep 3 apart from the 2 chosen before?")).to_be_visible()
    page.get_by_role("button", name="Keep apart", exact=True).click()
    page.wait_for_function("window.kernel.replied.cannot_link === 1")
    assert kernel(page, "k.traits.cannot_links") == [[[0, 4], [9, 13, 17]]]
    expect(page.get_by_role("button", name="Keep selection apart")).to_be_visible()


def test_keeping_apart_is_given_up_by_escape(page: Page) -> None:
    select(page, [0, 4])
    page.locator(".nbe").focus()
    page.keyboard.press("a")
    expect(page.get_by_role("button", name="Cancel keeping apart")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Cancel keeping apart")).to_have_count(0)
    assert sent(page, "cannot_link") == []


@pytest.mark.parametrize("renderer", ["webgl", "raster"])
def test_centers_are_drawn_over_the_points(open_explorer: Any, renderer: str) -> None:
    page = open_explorer(n=400, clusters=4, renderer=renderer, color_by="class")
    run(page)
    assert page.evaluate(INK, SHOWN[1]) == 0
    act(
        page,
        f"k.frame({{centers: {CENTERS}, center_names: {NAMES}, center_colors: {COLORS}}})",
    )
    for rgb in SHOWN:
        assert page.evaluate(INK, rgb) > 60
    act(page, "k.frame({centers: [], center_names: [], center_colors: []})")
    assert page.evaluate(INK, SHOWN[1]) == 0


def test_centers_outlast_a_reload(open_explorer: Any) -> None:
    page = open_explorer(n=40, centers=CENTERS, center_names=NAMES, center_colors=COLORS)
    assert page.evaluate(INK, SHOWN[1]) > 60


def test_what_is_being_learned_is_shown_and_what_cannot_be(page: Page) -> None:
    act(page, "k.update({learning: 'learning the metric from 34 labels'})")
    status = page.get_by_role("group", name="Status")
    expect(status).to_contain_text("learning the metric from 34 labels …")
    act(page, "k.update({learning: '', learning_error: 'labels must be of two classes, got one'})")
    expect(status).not_to_contain_text("learning")
    expect(page.get_by_role("alert")).to_contain_text("labels must be of two classes, got one")
    act(page, "k.update({learning_error: ''})")
    expect(page.get_by_role("alert")).to_have_count(0)


def test_methods_are_grouped_and_none_is_missing(page: Page) -> None:
    groups = page.locator("select[aria-label=Method] optgroup")
    assert groups.evaluate_all("all => all.map(g => g.label)") == ["Neighbor embeddings"]
    options = page.locator("select[aria-label=Method] option")
    assert options.all_text_contents() == ["HSSNE", "SNE", "Mbed"]


def drawn_middle(page: Page) -> float:
    """Return the horizontal middle of what is drawn of the points, as a share of the map."""
    return float(
        page.evaluate(
            """() => { const c = document.querySelector('.nbe-points');
              const data = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
              let x = 0, n = 0;
              for (let i = 0; i < data.length; i += 16) {
                const ink = 3 * 255 - data[i] - data[i + 1] - data[i + 2];
                if (data[i + 3] && ink > 90) { x += (i / 4) % c.width; n++; }
              }
              return x / n / c.width; }"""
        )
    )


def test_a_jump_is_animated_and_ends_at_its_place(open_explorer: Any) -> None:
    page = open_explorer(n=200, clusters=2, renderer="raster")
    page.emulate_media(reduced_motion="no-preference")
    run(page)
    page.locator(".nbe-map").click(position={"x": 20, "y": 20})
    page.keyboard.press("-")  # the view stays where it is from now on
    act(page, "window.clock = performance.now() + 1000; performance.now = () => window.clock")
    before = drawn_middle(page)
    act(page, "for (let i = 0; i < 2 * k.n; i += 2) k.positions[i] += 4; k.frame()")
    assert drawn_middle(page) == pytest.approx(before, abs=0.005), "no time has passed"
    act(page, "window.clock += 60")
    between = drawn_middle(page)
    act(page, "window.clock += 500")
    after = drawn_middle(page)
    assert after > before + 0.05
    assert before + 0.01 < between < after - 0.01


def test_with_reduced_motion_a_jump_is_at_its_place_at_once(open_explorer: Any) -> None:
    page = open_explorer(n=200, clusters=2, renderer="raster")
    page.emulate_media(reduced_motion="reduce")
    run(page)
    page.locator(".nbe-map").click(position={"x": 20, "y": 20})
    page.keyboard.press("-")
    act(page, "window.clock = performance.now() + 1000; performance.now = () => window.clock")
    before = drawn_middle(page)
    act(page, "for (let i = 0; i < 2 * k.n; i += 2) k.positions[i] += 4; k.frame()")
    assert drawn_middle(page) > before + 0.05, "no time has passed"
    animated = page.locator(".nbe *").evaluate_all(
        """all => all.map(e => getComputedStyle(e)).filter(
             s => s.animationName !== 'none' || /[1-9]/.test(s.transitionDuration)).length"""
    )
    assert animated == 0
