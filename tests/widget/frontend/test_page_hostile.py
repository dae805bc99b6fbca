"""Hostile text in every name that a page shows: it stays text, in its place."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.widget.page import act
from tests.widget.panels import TABS, filled, open_tab

MARKUP = "<img src=x onerror=window.hacked=1><script>window.hacked=1</script>"
HOSTILE = {
    "markup": MARKUP,
    "turned": f"{MARKUP}\u202eevil\u2066",
    "long": MARKUP + "W" * 10_000,
    "null": f"{MARKUP}\0\x08",
}


def hostile(open_explorer: Any, text: str) -> Page:
    """Open a page in which all names, sentences and files are such a text."""
    page = filled(open_explorer, data_note=text, saved_to=text, undo=text, width=900)
    said = json.dumps(text)
    act(page, f"k.addClass({said}); k.codes[30] = k.traits.classes.length - 1; k.supervised('x')")
    act(
        page,
        f"""k.table = k.table.map((each) => ({{ ...each, title: {said}, use: {said} }}));
            const column = {{ kind: 'category', title: {said}, colors: ['#0072B2', '#E69F00'],
               names: [{said} + 1, {said} + 2] }};
            k.update({{ color_column: column, color_by: 'column', error: {said}, remark: {said},
               learning_error: {said}, worse_optimum: {said}, request: {said}, learning: {said},
               making: {said}, making_share: 0.4,
               selections: [{{ name: {said}, count: 3 }}] }});""",
    )
    return page


def check(page: Page) -> None:
    assert page.evaluate("window.hacked") is None
    assert (
        page.locator(".nbe img:not([src^='blob:']):not([src^='data:']), .nbe script").count() == 0
    )
    assert page.locator(".nbe").evaluate("e => e.scrollWidth - e.clientWidth") <= 0
    assert page.locator(".nbe-tab-panel").evaluate("e => e.scrollWidth - e.clientWidth") <= 0
    told = page.locator(".nbe [aria-label], .nbe [title]").evaluate_all(
        """all => all.flatMap(e => ["aria-label", "title"].map(a => e.getAttribute(a) ?? ""))"""
    )
    assert all(len(text) < 1200 and "\u202e" not in text for text in told)


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_text_stays_text_in_every_panel(open_explorer: Any, kind: str) -> None:
    page = hostile(open_explorer, HOSTILE[kind])
    for tab in TABS:
        open_tab(page, tab)
        check(page)
    page.get_by_role("button", name="Label table").click()
    expect(page.get_by_role("grid", name="Labels of")).to_be_visible()
    check(page)
    page.get_by_role("tab", name="Steer", exact=True).click()
    page.get_by_role("button", name="Edit class").click()
    page.get_by_role("button", name="Help", exact=True).click()
    check(page)
