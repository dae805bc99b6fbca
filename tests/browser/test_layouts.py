"""An Explorer among other widgets: it has a place in rows, boxes and tabs."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import OpenCells
from tests.browser.marimo_app import open_marimo

pytestmark = pytest.mark.browser

DATA = """
import ipywidgets as w, numpy as np
import nbembed as nb
X = np.random.default_rng(0).normal(size=(40, 4))
session = nb.Session(X, nb.HSSNE(random_state=0))
session.step(5, wait=True)
show = lambda: nb.Explorer(session=session)
other = lambda: w.Button(description="beside")
"""
#: What is around the Explorer, and the least width that it has in a notebook 1280 pixels wide.
AROUND = {
    "w.HBox([{}, other()])": 700,
    "w.HBox([other(), {}])": 700,
    "w.Box([{}])": 700,
    "w.Stack([{}], selected_index=0)": 700,
    "w.VBox([{}, other()])": 700,
    "w.HBox([w.VBox([{}]), other()])": 680,
    "w.GridBox([{}, other()], layout=w.Layout(grid_template_columns='auto 100px'))": 700,
    "w.Tab([{}])": 700,
    "w.Accordion([{}], selected_index=0)": 700,
}


def test_it_has_a_place_among_widgets(open_cells: OpenCells) -> None:
    notebook = open_cells(DATA, *(each.format("show()") for each in AROUND))
    notebook.run_all()
    found = notebook.page.get_by_role("group", name="Embedding explorer")
    expect(found).to_have_count(len(AROUND))
    for k, (around, least) in enumerate(AROUND.items()):
        explorer = found.nth(k)
        map_ = explorer.get_by_role("application", name="Map")
        map_.scroll_into_view_if_needed()
        box, drawn = explorer.bounding_box(), map_.bounding_box()
        assert box is not None
        assert drawn is not None
        assert box["width"] >= least, around
        assert 400 <= drawn["height"] < 700, around


def test_it_has_a_place_in_a_row_of_marimo(browser: Browser) -> None:
    cells = [
        f"import marimo as mo\n{DATA}",
        "mo.hstack([mo.ui.anywidget(show()), mo.md('beside')])",
    ]
    with open_marimo(browser, cells) as page:
        widget = page.get_by_role("group", name="Embedding explorer")
        widget.get_by_role("application", name="Map").wait_for()
        box = widget.bounding_box()
        assert box is not None
        assert box["width"] >= 480
