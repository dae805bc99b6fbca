"""A map of the selected points in a notebook: opened over the map, labeled, left, and kept."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import OpenCells
from tests.browser.lab import Notebook
from tests.browser.places import lasso_all, still

DATA = """
import numpy as np
from sklearn.datasets import load_digits
import nbembed as nb
X, truth = load_digits(return_X_y=True)
X, truth = X[:300], truth[:300]
some = np.flatnonzero(truth < 3)
"""
SHOW = "explorer = nb.Explorer(X, nb.HSSNE(random_state=0), color=truth); explorer"


@pytest.fixture
def notebook(open_cells: OpenCells) -> Notebook:
    """A notebook in which a map of the digits 0 to 2 is open."""
    notebook = open_cells(DATA, SHOW)
    notebook.run_all()
    page = notebook.page
    page.get_by_role("application", name="Map").scroll_into_view_if_needed()
    notebook.execute("explorer.selection = some")
    page.get_by_role("button", name="Map of these points").click()
    expect(child(notebook)).to_be_focused()
    return notebook


def child(notebook: Notebook) -> Locator:
    return notebook.page.locator(".nbe .nbe")


def at_home(notebook: Notebook) -> None:
    """Expect the map of all points."""
    expect(child(notebook)).to_have_count(0)
    expect(notebook.page.get_by_role("application", name="Map")).to_be_visible()


def test_labels_of_a_map_of_some_points_are_on_the_map_of_all(notebook: Notebook) -> None:
    page = notebook.page
    inner = child(notebook)
    n = notebook.evaluate("len(some)")
    notebook.rest("explorer.children[0]")
    assert notebook.evaluate("bool((explorer.children[0].session.X == X[some]).all())")
    assert len(still(inner.get_by_role("application", name="Map"))) == n

    lasso_all(page, inner)
    expect(inner.get_by_role("combobox", name="Class of the selection")).to_be_focused()
    page.keyboard.type("low")
    page.keyboard.press("Enter")
    notebook.wait_for(
        "explorer.to_frame().query('label == \"low\"').index.tolist() == some.tolist()"
    )

    page.keyboard.press("Backspace")
    at_home(notebook)
    expect(page.get_by_role("radio", name="low")).to_have_count(1)
    notebook.wait_for("explorer.session.state", lambda s: s in ("running", "converged"))
    page.get_by_role("button", name="Undo", exact=True).click()
    notebook.wait_for("not any(explorer.labels) and not any(explorer.children[0].labels)")

    path = page.get_by_role("navigation", name="Maps")
    path.get_by_role("button", name=f"{n} points", exact=True).click()
    expect(inner).to_be_focused()
    assert len(still(inner.get_by_role("application", name="Map"))) == n
    notebook.execute("explorer.children[0].close()")
    at_home(notebook)
    expect(path).to_have_count(0)


def test_a_page_that_is_loaded_again_shows_the_map_of_all(notebook: Notebook) -> None:
    notebook.save()
    notebook.reload()
    at_home(notebook)
    n = notebook.evaluate("len(some)")
    maps = notebook.page.get_by_role("navigation", name="Maps")
    maps.get_by_role("button", name=f"{n} points", exact=True).click()
    expect(child(notebook)).to_be_focused()
    maps.first.get_by_role("button", name=f"Close the map of {n} points").click()
    at_home(notebook)
    notebook.wait_for("len(explorer.children) == 0")


def test_a_restarted_kernel_leaves_the_map_of_all(notebook: Notebook) -> None:
    notebook.restart()
    at_home(notebook)
    expect(notebook.page.get_by_role("alert")).to_contain_text("The kernel is gone")
