"""Finding points in a notebook: the panel and Python have one selection, and a file keeps it."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.conftest import OpenCells

DATA = """
import numpy as np, pandas as pd
from sklearn.datasets import load_wine
import nbembed as nb
wine = load_wine(as_frame=True)
frame = wine.frame.assign(sort=wine.target_names[wine.target]).drop(columns="target")
frame.index = [f"bottle {k}" for k in range(len(frame))]
"""
SHOW = """
explorer = nb.Explorer(frame, nb.HSSNE(random_state=0, n_jobs=1), color="sort", autoplay=False)
explorer.session.step(30, wait=True)
explorer
"""


def test_what_is_found_is_selected_saved_and_kept(open_cells: OpenCells) -> None:
    notebook = open_cells(DATA, SHOW)
    notebook.run_all()
    view = notebook.page.get_by_role("group", name="Embedding explorer").first
    view.scroll_into_view_if_needed()
    view.get_by_role("tab", name="Find").click()

    search = view.get_by_role("searchbox", name="Search")
    search.press_sequentially("bottle 17")
    notebook.wait_for("explorer.selection.tolist() == [17, *range(170, 178)]")
    expect(view.get_by_role("list", name="Found points").get_by_role("button")).to_have_count(9)
    search.fill("")
    notebook.wait_for("explorer.selection.size == 0")

    view.get_by_role("combobox", name="Add a filter").select_option(label="alcohol")
    alcohol = view.get_by_role("group", name="Filter by alcohol")
    alcohol.get_by_label("At least, alcohol").fill("13.5")
    alcohol.get_by_label("At least, alcohol").press("Enter")
    notebook.wait_for(
        "explorer.selection.tolist() == explorer.find(where={'alcohol': (13.5, None)}).tolist()"
    )
    view.get_by_role("combobox", name="Add a filter").select_option(label="sort")
    kinds = view.get_by_role("group", name="Filter by sort")
    kinds.get_by_role("checkbox", name="class_2").check()
    notebook.wait_for(
        "explorer.selection.size and set(frame.sort.iloc[explorer.selection]) == {'class_2'}"
    )

    name = view.get_by_role("textbox", name="Name of the selection")
    name.fill("strong")
    name.press("Enter")
    notebook.wait_for("'strong' in explorer.session.selections")
    notebook.evaluate("explorer.session.save('kept.nbembed')")
    assert notebook.evaluate(
        "nb.load_session('kept.nbembed').selections['strong'].tolist()"
        " == explorer.selection.tolist()"
    )
    notebook.evaluate("explorer.select([0])")
    view.get_by_role("button", name="Grow").click()
    notebook.wait_for("explorer.selection.size == 11")
    assert notebook.evaluate(
        "sorted({0, *explorer.neighbors([0], 10)}) == explorer.selection.tolist()"
    )
