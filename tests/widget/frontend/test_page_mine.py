"""The tab of the user's own figure: there as long as there is one, and drawn when it is open."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.widget.frontend.test_page import run
from tests.widget.frontend.test_page_axe import THEMES, accessible
from tests.widget.frontend.test_page_group import asked, png
from tests.widget.page import act

SVG = "<svg xmlns='http://www.w3.org/2000/svg' width='30' height='20'><script>window.hacked=1</script></svg>"  # noqa: E501


def dock(page: Page, number: int, *, svg: bool = False) -> None:
    """Give a figure, as Python does."""
    data = list(SVG.encode()) if svg else png()
    answer = f"[{{ svg: {json.dumps(svg)} }}, [Uint8Array.from({data})]]"
    act(page, f"k.answers.own_figure = () => {answer}; k.update({{ own_figure: {number} }})")


@pytest.mark.parametrize("theme", THEMES)
def test_a_figure_has_a_tab_of_its_own(open_explorer: Any, theme: str) -> None:
    page = open_explorer(n=40, clusters=4, width=1000, theme=THEMES[theme], scheme=theme)
    run(page)
    tab = page.get_by_role("tab", name="Mine", exact=True)
    expect(tab).to_have_count(0)
    dock(page, 1)
    assert asked(page, "own_figure") == [], "a closed tab asks for nothing"
    page.get_by_role("tab", name="Steer").focus()
    page.keyboard.press("ArrowLeft")
    expect(tab).to_be_focused()
    figure = page.get_by_role("img", name="The figure that the notebook has docked")
    expect(figure).to_have_js_property("naturalWidth", 8)
    cut = page.locator(".nbe-tab").evaluate_all(
        "tabs => tabs.filter((e) => e.scrollWidth > e.clientWidth).map((e) => e.innerText)"
    )
    assert cut == []
    accessible(page)
    dock(page, 2, svg=True)
    expect(figure).to_have_js_property("naturalWidth", 30)
    assert page.evaluate("window.hacked") is None
    act(page, "k.answers.own_figure = () => 'it is too large'; k.update({ own_figure: 3 })")
    expect(page.get_by_role("alert")).to_have_text("it is too large")
    act(page, "k.update({ own_figure: 0 })")
    expect(tab).to_have_count(0)
    expect(page.get_by_role("tab", selected=True)).to_have_text("Steer")
