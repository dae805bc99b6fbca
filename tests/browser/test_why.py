"""The panel Why over a real kernel: what it says is what Python says."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.conftest import OpenCells
from tests.browser.places import still

SHOW = """
import numpy as np
import nbembed as nb
from sklearn.datasets import load_iris
X, species = load_iris(return_X_y=True)
explorer = nb.Explorer(X, nb.HSSNE(random_state=0, n_jobs=1), color=species, autoplay=False)
explorer.session.pace = None
explorer.session.label([0, 1, 2], "setosa")
explorer.session.label([60, 61, 62], "versicolor")
explorer.session.step(80, wait=True)
explorer
"""


def test_the_panel_says_what_python_says(open_cells: OpenCells) -> None:
    notebook = open_cells(SHOW)
    notebook.run_all()
    page = notebook.page
    view = page.get_by_role("group", name="Embedding explorer").first
    view.scroll_into_view_if_needed()
    expect(view.get_by_text("Color by")).to_be_visible()
    view.get_by_role("tab", name="Why").click()
    page.mouse.move(*still(page.locator(".nbe-map"))[60])
    near = view.get_by_role("region", name="Neighborhood")
    expect(near.get_by_text(re.compile(r"\d+ kept"))).to_be_visible()
    title = near.locator("h3").inner_text()
    point = int(title.rpartition("#")[2])
    table = view.get_by_role("table", name=f"Terms of the cost, and their force on #{point}")
    expect(table).to_contain_text("labels")
    page.mouse.move(5, 5)
    known = notebook.evaluate(
        f"[(n := explorer.why.neighborhood({point})).kept.size, n.missing.size, n.false.size,"
        f" round(n.trustworthiness, 3), explorer.why.forces({point}).cost]"
    )
    for count, kind in zip(known, ("kept", "missing", "false")):
        expect(near).to_contain_text(f"{count} {kind}")
    expect(near).to_contain_text(f"Trustworthiness {known[3]:.3f}")
    total = float(table.locator("tfoot td").first.inner_text().replace("−", "-"))
    assert abs(total - known[4]) < 0.01 * abs(known[4])

    view.get_by_label("Color by a measure").select_option("trustworthiness")
    expect(view.get_by_text(re.compile(r"Mean 0\.\d+"))).to_be_visible()
    assert notebook.evaluate("explorer.color_by") == "trustworthiness"

    view.get_by_role("button", name="Map without labels").click()
    moved = view.get_by_role("table", name="Qualities with and without labels")
    expect(moved).to_be_visible()
    here, without = (float(moved.locator("tbody tr td").nth(k).inner_text()) for k in (0, 1))
    found = notebook.evaluate(
        "[(q := explorer.why.qualities()['trustworthiness']).here, q.unsupervised]"
    )
    assert abs(here - found[0]) < 1e-3
    assert abs(without - found[1]) < 1e-3
