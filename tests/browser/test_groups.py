"""Groups that the data suggest, in a notebook: found by a key, named one by one by Enter."""

from __future__ import annotations

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenCells
from tests.browser.lab import Notebook
from tests.browser.test_suggestions import DATA, widget

#: A name made from a feature and its sign.
PROPOSED = re.compile(r"^pixel \d \d[+−]")
SHOW = """
names = [f"pixel {k // 8} {k % 8}" for k in range(64)]
explorer = nb.Explorer(X, nb.HSSNE(random_state=0, n_jobs=1), feature_names=names, autoplay=False)
session = explorer.session
session.label([int(np.flatnonzero(truth == 0)[0])], "mine")
session.step(60, wait=True)
explorer
"""


@pytest.fixture
def notebook(open_cells: OpenCells) -> Notebook:
    notebook = open_cells(DATA, SHOW, shared=True)
    notebook.run_all()
    widget(notebook).scroll_into_view_if_needed()
    return notebook


def test_all_groups_are_named_by_enter(notebook: Notebook) -> None:
    page, view = notebook.page, widget(notebook)
    n_groups = notebook.evaluate("len(session.suggest_groups())")
    assert 3 <= n_groups <= 8
    view.get_by_role("button", name="Suggest groups").click()
    walk = view.get_by_role("group", name="Suggested groups")
    named = walk.get_by_role("textbox", name="Name of the group")
    for k in range(n_groups):
        expect(walk.get_by_role("heading")).to_have_text(f"Group {k + 1} of {n_groups}")
        expect(named).to_have_value(PROPOSED)
        expect(walk.get_by_role("group", name="Typical").get_by_role("button")).to_have_count(3)
        if k == 0:
            page.keyboard.press("t")
            expect(named).to_be_focused()
            named.fill("first")
        page.keyboard.press("Enter")
        notebook.wait_for("len(session.supervision.classes)", lambda n, k=k: n == k + 2)
    expect(walk).to_have_count(0)
    assert notebook.evaluate("None not in explorer.labels")
    labels = np.array(notebook.evaluate("explorer.labels"))
    truth = np.array(notebook.evaluate("truth.tolist()"))
    right = [np.bincount(truth[labels == name]).max() for name in set(labels)]
    assert sum(right) > 0.95 * truth.size
    # The label that was there stays, and each group is a step of its own, which says what it was.
    assert notebook.evaluate("session.supervision.classes[0]") == "mine"
    assert notebook.evaluate("explorer.labels.count('mine')") == 1
    how = "[c.provenance.how for c in session.changes][-1]"
    assert notebook.evaluate(how) == "suggested group"
    page.keyboard.press("Control+z")
    notebook.wait_for("explorer.labels.count(None)", lambda n: n > 0)


def test_groups_are_split_merged_left_out_and_left(notebook: Notebook) -> None:
    page, view = notebook.page, widget(notebook)
    view.focus()
    page.keyboard.press("g")
    walk = view.get_by_role("group", name="Suggested groups")
    heading = walk.get_by_role("heading")
    n = notebook.evaluate("len(session.suggest_groups())")
    expect(heading).to_have_text(f"Group 1 of {n}")
    page.keyboard.press("m")
    expect(heading).to_have_text(f"Group 1 of {n - 1}")
    page.keyboard.press("s")
    expect(heading).not_to_have_text(f"Group 1 of {n - 1}")
    page.keyboard.press("n")
    expect(heading).to_contain_text("Group 2 of")
    walk.get_by_role("slider", name="Resolution").fill("-4")
    expect(heading).to_contain_text("Group 1 of")
    page.keyboard.press("Escape")
    expect(walk).to_have_count(0)
    assert notebook.evaluate("session.supervision.classes") == ["mine"]
    assert notebook.evaluate("explorer.selection.size") == 0
