"""The Explorer in other hosts than JupyterLab: it draws, moves, and takes a lasso and a label."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.lab import Notebook7
from tests.browser.marimo_app import open_marimo
from tests.browser.pages import open_page
from tests.browser.places import lasso_all

pytestmark = pytest.mark.browser

DATA = """
from sklearn.datasets import load_iris
import nbembed as nb
X, species = load_iris(return_X_y=True)
"""
SHOW = "explorer = nb.Explorer(X, nb.HSSNE(random_state=0), color=species)"


def label_all(page: Page, widget: Locator, name: str) -> None:
    """Lasso all points and label them with a new class."""
    lasso_all(page, widget)
    expect(widget.get_by_text("150 selected")).to_be_visible()
    widget.get_by_role("button", name="Add class").click()
    page.keyboard.type(name)
    page.keyboard.press("Enter")
    widget.get_by_role("button", name="Label selection").click()


def wheel_zooms(page: Page, widget: Locator) -> None:
    """Check that the wheel draws points farther apart."""
    chart = widget.get_by_role("application", name="Map")
    apart = "e => Math.abs(e.nbembedWhere(0)[0] - e.nbembedWhere(149)[0])"
    before = chart.evaluate(apart)
    chart.click(position={"x": 10, "y": 10})
    page.mouse.wheel(0, -300)
    page.wait_for_function(
        f"([e, before]) => ({apart})(e) > 1.1 * before", arg=[chart.element_handle(), before]
    )


def test_notebook_7_shows_moves_and_labels(browser: Browser) -> None:
    cells = [DATA, f"{SHOW}; explorer", "print('labels:', {*map(str, explorer.labels)})"]
    with Notebook7() as server, open_page(browser, "notebook-7", 1280, 1000) as page:
        errors: list[str] = []
        page.on("pageerror", lambda error: errors.append(error.stack or ""))
        page.goto(server.page_of(server.write_notebook("iris", cells)))
        page.locator(".jp-Notebook-ExecutionIndicator[data-status='idle']").wait_for()
        # Of a click while the page is still being put together Notebook's menu takes no heed, or
        # asks for the kernel that the notebook does not have yet, even after its first cell ran.
        asked = page.locator(".jp-Dialog .jp-mod-accept")
        begun = page.locator(".jp-InputPrompt", has_text=re.compile(r"\[(\*|\d+)\]"))
        for _ in range(10):
            if asked.count():
                asked.click()
            else:
                page.get_by_role("menuitem", name="Run", exact=True).click()
                page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
            page.wait_for_timeout(2000)
            if begun.count() > 1 and not asked.count():
                break
        widget = page.get_by_role("group", name="Embedding explorer")
        expect(widget.get_by_text("Converged")).to_be_visible(timeout=120_000)
        expect(page.get_by_text("labels: {'None'}")).to_be_visible()
        widget.scroll_into_view_if_needed()
        label_all(page, widget, "iris")
        page.locator(".jp-Cell").last.locator(".cm-content").click()
        page.keyboard.press("Shift+Enter")
        expect(page.get_by_text("labels: {'iris'}")).to_be_visible()
        # Notebook's own scripts may fail; ours come from a blob.
        assert not [stack for stack in errors if "blob:" in stack]
        loaded = "nbembed.widget.server | extension was successfully loaded"
        assert loaded in server.whole_log(), "frames are not delayed"


def test_marimo_zooms_and_its_cells_follow_selection_and_labels(browser: Browser) -> None:
    counts = (
        "view\n"
        "labeled = sum(label is not None for label in explorer.labels)\n"
        'mo.md(f"selected {len(explorer.selection)}, labeled {labeled}")'
    )
    cells = [
        f"import marimo as mo\n{DATA}",
        f"{SHOW}\nview = mo.ui.anywidget(explorer)\nview",
        counts,
    ]
    with open_marimo(browser, cells) as page:
        widget = page.get_by_role("group", name="Embedding explorer")
        expect(widget.get_by_text("Converged")).to_be_visible(timeout=120_000)
        expect(page.get_by_text("selected 0, labeled 0")).to_be_visible()
        wheel_zooms(page, widget)
        lasso_all(page, widget)
        expect(page.get_by_text("selected 150, labeled 0")).to_be_visible()
        widget.get_by_role("button", name="Clear selection").click()
        expect(page.get_by_text("selected 0, labeled 0")).to_be_visible()
        label_all(page, widget, "iris")
        expect(page.get_by_text(re.compile(r"labeled 150"))).to_be_visible()
