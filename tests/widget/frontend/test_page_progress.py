"""Work in the background, and a kernel that is busy, in a real browser with a stand-in kernel."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.widget.frontend.test_page import run
from tests.widget.page import act


@pytest.fixture
def page(open_explorer: Any) -> Page:
    page = open_explorer(n=400, clusters=4, parameters={"alpha": 2, "rho": 0.5})
    run(page)
    return page


MAKING = """k.update({state: 'running', making: 'finding neighbors 40 %, about 6 s left',
                      making_share: 0.4, meanwhile: 'The map begins then'})"""


def test_what_is_made_is_shown_and_can_be_canceled(page: Page) -> None:
    status = page.get_by_role("group", name="Status")
    bar = page.get_by_role("progressbar", name="finding neighbors")
    expect(bar).to_have_count(0)
    act(page, MAKING)
    expect(status).to_contain_text("finding neighbors 40 %, about 6 s left")
    expect(bar).to_have_attribute("aria-valuenow", "40")
    act(page, "k.update({making: 'making probabilities symmetric', making_share: null})")
    uncounted = page.get_by_role("progressbar", name="making probabilities symmetric")
    assert uncounted.get_attribute("aria-valuenow") is None
    status.get_by_role("button", name="Cancel").click()
    page.wait_for_function("window.kernel.replied.cancel === 1")
    expect(uncounted).to_have_count(0)
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0)


def test_what_is_made_does_not_cover_the_path(page: Page) -> None:
    path = "[0, 1, 2, 3].map(k => ({value: 8 / 2 ** k, criterion: 1}))"
    act(page, f"k.update({{path_symbol: 'λ', path: {path}, compiling: true}})")
    strip = page.get_by_role("slider", name="Annealing path").bounding_box()
    chip = page.get_by_text("compiling …").bounding_box()
    assert strip is not None
    assert chip is not None
    assert chip["y"] + chip["height"] <= strip["y"]


@pytest.mark.parametrize("width", [360, 640, 1000])
def test_what_is_made_stays_on_the_map(open_explorer: Any, width: int) -> None:
    page = open_explorer(n=60, clusters=3, width=width)
    act(page, MAKING)
    act(page, "k.update({learning: 'learning the classifier from 1234 labels of 12 classes'})")
    area = page.locator(".nbe-map").bounding_box()
    assert area is not None
    chips = page.locator(".nbe-learning")
    expect(chips).to_have_count(2)
    for chip in [*chips.all(), *page.get_by_role("button", name="Cancel").all()]:
        box = chip.bounding_box()
        assert box is not None
        assert area["x"] <= box["x"]
        assert box["x"] + box["width"] <= area["x"] + area["width"]


def test_learning_can_be_canceled_beside_what_is_made(page: Page) -> None:
    act(page, MAKING)
    act(page, "k.update({learning: 'learning the metric from 34 labels'})")
    status = page.get_by_role("group", name="Status")
    learning = status.locator(".nbe-learning", has_text="learning the metric from 34 labels")
    learning.get_by_role("button", name="Cancel").click()
    page.wait_for_function("window.kernel.replied.cancel === 1")
    expect(learning).to_have_count(0)
    expect(page.get_by_role("progressbar", name="finding neighbors")).to_have_count(1)


def test_cancel_leaves_the_focus_in_the_widget(page: Page) -> None:
    cancel = page.get_by_role("button", name="Cancel")
    act(page, MAKING)
    cancel.focus()
    page.keyboard.press("Enter")
    expect(cancel).to_have_count(0)
    expect(page.locator(".nbe")).to_be_focused()
    act(page, "k.update({learning: 'learning the metric from 34 labels'})")
    cancel.focus()
    act(page, "k.update({learning: ''})")  # it ends by itself
    expect(cancel).to_have_count(0)
    expect(page.locator(".nbe")).to_be_focused()


def test_a_remark_is_text(page: Page) -> None:
    act(page, "k.update({remark: '3 of 30 points <b>coincide</b>'})")
    expect(page.get_by_text("3 of 30 points <b>coincide</b>")).to_be_visible()


def test_a_slider_keeps_its_place_until_a_busy_kernel_has_taken_its_value(page: Page) -> None:
    slider = page.get_by_role("slider", name="α")
    act(page, "k.silent = true")
    for value in ("0.2", "0.4", "0.6"):
        slider.fill(value)
        page.wait_for_timeout(400)
    # Frames go on, with the parameters that are in force.
    act(page, "k.frame({parameters: {alpha: 1, rho: 0.5}})")
    page.wait_for_timeout(1000)
    expect(slider).to_have_value("0.6")
    assert len(page.evaluate("window.kernel.commands('set')")) == 1, "values do not queue up"
    page.evaluate(
        """() => { const k = window.kernel; k.silent = false;
                   for (const m of k.commands('set')) k.obey(m, []); }"""
    )
    page.wait_for_function("window.kernel.traits.parameters.alpha === 0.6")
    page.wait_for_timeout(900)
    expect(slider).to_have_value("0.6")
    assert len(page.evaluate("window.kernel.commands('set')")) == 2
