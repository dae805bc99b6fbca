"""What axe-core, the checker of accessibility, says of the page: nothing.

axe-core is read from the front end's development dependencies; it is no part of the bundle.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

import nbembed as nb
from tests.widget.frontend.test_page import lasso_around, screen_of, selection
from tests.widget.page import DARK, LIGHT, act
from tests.widget.panels import TABS, choose, filled, open_tab

AXE = Path(__file__).parents[3] / "nbembed/widget/frontend/node_modules/axe-core/axe.min.js"
THEMES = {"light": LIGHT, "dark": DARK}

#: All rules of its default, and of those off by default the two of WCAG's levels A and AA that fit.
RUN = """async (within) => {
  const rules = { "target-size": { enabled: true }, "label-content-name-mismatch": { enabled: true } };
  const { violations } = await axe.run(within ? document.querySelector(within) : document, { rules, resultTypes: ["violations"] });
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target, html, any, all, none }) =>
    [id, target.join(" "), html.slice(0, 160), ...[...any, ...all, ...none].map((c) => c.message)].join("\\n    ")));
}"""  # noqa: E501
#: Gives the page another theme.
PAINT = """theme => Object.entries(theme).forEach(
  ([name, value]) => document.body.style.setProperty(name, value))"""


def violations(page: Page, within: str = ".nbe") -> list[str]:
    """Return what axe finds in a part of the page, or in all of it: one text for each element."""
    if not page.evaluate("'axe' in window"):
        assert AXE.exists(), "run `npm ci` in nbembed/widget/frontend, or `pip install -e .`"
        page.evaluate(AXE.read_text(encoding="utf-8"))
    found: list[str] = page.evaluate(RUN, within)
    return found


def accessible(page: Page, within: str = ".nbe") -> None:
    """Check what is on the page in the host's light theme and in its dark one."""
    for scheme, theme in THEMES.items():
        page.evaluate(PAINT, theme)
        expect(page.locator(".nbe").first).to_have_attribute("data-theme", scheme)
        found = violations(page, within)
        assert not found, "\n\n".join([scheme, *found])


@pytest.fixture
def page(open_explorer: Any) -> Page:
    page = filled(open_explorer, theme=LIGHT, width=1000)
    act(page, "k.update({ new_rows: new DataView(Uint32Array.of(5, 9).buffer) })")
    return page


def test_axe_finds_what_is_wrong(page: Page) -> None:
    page.evaluate(
        """() => { const button = document.querySelector(".nbe-tool");
             for (const name of ["aria-label", "title"]) button.removeAttribute(name);
             document.querySelector(".nbe-summary").style = "color: #999; background: #ddd"; }"""
    )
    found = "\n".join(violations(page))
    assert "button-name" in found
    assert "color-contrast" in found


def test_each_tab(page: Page) -> None:
    chosen = selection(page)
    for tab in TABS:
        choose(page, chosen)
        open_tab(page, tab)
        accessible(page)
        choose(page, [])
        if tab == "Find":
            page.get_by_role("button", name="Clear", exact=True).click()
        page.mouse.move(2, 2)
        accessible(page)


def test_help(page: Page) -> None:
    page.get_by_role("button", name="Help", exact=True).click()
    accessible(page)


def test_the_picture(page: Page) -> None:
    page.get_by_role("button", name="Picture", exact=True).click()
    accessible(page)


def test_the_editor_of_a_class(page: Page) -> None:
    page.get_by_role("button", name="Edit class").click()
    accessible(page)
    page.get_by_role("button", name="Rename class").click()
    accessible(page)


def test_the_field_of_a_name_and_a_question(page: Page) -> None:
    page.get_by_role("button", name="Lasso", exact=True).click()
    lasso_around(page, [0, 4, 8, 12])
    expect(page.get_by_role("combobox", name="Class of the selection")).to_be_focused()
    accessible(page)
    page.keyboard.type("o")
    accessible(page)
    page.keyboard.type("x")
    accessible(page)
    page.keyboard.press("Escape")
    page.keyboard.press("n")
    expect(page.get_by_role("group", name="Class of point")).to_be_visible()
    accessible(page)


def test_cards(page: Page) -> None:
    x, y = screen_of(page, 3)
    page.mouse.move(x, y)
    page.mouse.click(x, y)
    page.mouse.move(*screen_of(page, 9))
    expect(page.get_by_role("tooltip")).to_contain_text("petal length")
    accessible(page)


def test_the_table_of_rows(page: Page) -> None:
    open_tab(page, "Group")
    page.get_by_role("button", name="Rows").click()
    expect(page.get_by_role("grid", name="Rows of")).to_be_visible()
    accessible(page)


def test_the_table_of_labels(page: Page) -> None:
    open_tab(page, "History")
    page.get_by_role("button", name="Label table").click()
    expect(page.get_by_role("grid", name="Labels of")).to_be_visible()
    accessible(page)


def test_the_strip_of_snapshots_and_a_second_live_map(page: Page) -> None:
    open_tab(page, "Compare")
    expect(page.get_by_role("list", name="Snapshots")).to_be_visible()
    accessible(page)
    page.get_by_role("combobox", name="Compare with").select_option(label="a second live map")
    page.get_by_role("button", name="Blended").click()
    page.get_by_role("checkbox", name="Color by change of neighborhoods").check()
    expect(page.get_by_text("neighbors changed")).to_be_visible()
    accessible(page)


def test_a_map_of_some_points(page: Page) -> None:
    choose(page, list(range(40)))
    page.get_by_role("button", name="Map of these points").click()
    expect(page.locator(".nbe .nbe")).to_be_focused()
    accessible(page)
    page.keyboard.press("Backspace")
    expect(page.get_by_role("navigation", name="Maps")).to_be_visible()
    accessible(page)


def test_notices_and_what_is_made_in_the_background(page: Page) -> None:
    act(
        page,
        """k.update({ error: "ValueError: broken", learning_error: "one class only", remark: "two points are equal",
             worse_optimum: "1.25 here, 1.0 from a new start", save_error: "the disk is full", learning: "fitting",
             making: "finding neighbors 40 %, about 6 s left", making_share: 0.4, request: "Label some points",
             path_symbol: "λ", path: [0, 1, 2].map((i) => ({ value: 8 / 2 ** i, criterion: i ? i : null })),
             class_count: { name: "classes", value: 4, low: 3 }, state: "failed" })""",  # noqa: E501
    )
    accessible(page)
    act(page, "k.update({ error: '', making_share: null, state: 'running' })")
    accessible(page)


def test_a_kernel_that_is_gone(page: Page) -> None:
    act(page, "k.end('event', 'comm:close')")
    expect(page.get_by_role("alert")).to_contain_text("The kernel is gone")
    accessible(page)


@pytest.mark.browser
def test_a_page_without_a_kernel(browser: Browser, tmp_path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(60, 4))
    explorer = nb.Explorer(X, nb.HSSNE(random_state=0), autoplay=False, color=np.arange(60) % 2)
    explorer.session.label([0, 2, 4], "first")
    explorer.session.step(60, wait=True)
    explorer.to_html(tmp_path / "map.html", title="Sixty points")
    explorer.close()
    for scheme in ("light", "dark"):
        page = browser.new_page(color_scheme=scheme, reduced_motion="reduce")
        page.goto((tmp_path / "map.html").as_uri())
        page.get_by_role("button", name="first 3").click()
        expect(page.get_by_text("3 of 60 points selected")).to_be_visible()
        found = violations(page, within="")
        assert not found, "\n\n".join([scheme, *found])
        page.close()
