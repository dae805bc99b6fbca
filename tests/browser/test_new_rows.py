"""New rows on a live map in a notebook: the map of all in its place, and the way back."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.conftest import OpenCells
from tests.browser.places import still

DATA = """
from sklearn.datasets import load_digits
import nbembed as nb
X = load_digits().data[:340]
"""
SHOW = "explorer = nb.Explorer(X[:300], nb.HSSNE(random_state=0)); explorer"


def test_new_rows_are_on_the_map_of_all_until_it_is_closed(open_cells: OpenCells) -> None:
    notebook = open_cells(DATA, SHOW)
    notebook.run_all()
    page = notebook.page
    own = page.get_by_role("application", name="Map")
    own.scroll_into_view_if_needed()
    notebook.rest()
    notebook.execute("explorer.session.label([0], 'zero')\nmore = explorer.add(X[300:])")

    path = page.get_by_role("navigation", name="Maps")
    there = path.get_by_role("button", name="with 40 new rows", exact=True)
    there.click()
    inner = page.locator(".nbe .nbe")
    expect(inner).to_be_focused()
    notebook.rest("more")
    assert len(still(inner.get_by_role("application", name="Map"))) == 340
    assert notebook.evaluate("more.selection.tolist() == list(range(300, 340))")
    assert notebook.evaluate("more.labels[0]") == "zero"

    # What is selected are the new rows.
    inner.get_by_role("button", name="Label 40 as").click()
    notebook.wait_for("more.labels[300:] == ['zero'] * 40")
    assert notebook.evaluate("any(explorer.labels[1:])") is False

    path.get_by_role("button", name="All 300 points", exact=True).click()
    expect(inner).to_have_count(0)
    assert len(still(own)) == 300
    there.click()
    expect(inner).to_be_focused()
    notebook.execute("more.close()")
    expect(path).to_have_count(0)
    assert len(still(own)) == 300
