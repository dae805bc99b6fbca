"""Suggested labels by hand in a notebook: see them, answer doubtful ones, accept, check, reload."""

from __future__ import annotations

import numpy as np
import pytest
from playwright.sync_api import Locator, expect

from tests.browser.conftest import OpenCells
from tests.browser.lab import Notebook

DATA = """
import numpy as np
from sklearn.datasets import load_digits
import nbembed as nb
X, truth = load_digits(return_X_y=True)
X, truth = X[truth < 4], truth[truth < 4]
X, truth = X[:400], truth[:400]
"""
SHOW = """
explorer = nb.Explorer(X, nb.HSSNE(random_state=0, n_jobs=1), autoplay=False)
session = explorer.session
for k in range(4):
    session.label(np.flatnonzero(truth == k)[:2], str(k))
session.step(20, wait=True)
explorer
"""


@pytest.fixture
def notebook(open_cells: OpenCells) -> Notebook:
    notebook = open_cells(DATA, SHOW)
    notebook.run_all()
    widget(notebook).scroll_into_view_if_needed()
    return notebook


def widget(notebook: Notebook) -> Locator:
    return notebook.page.get_by_role("group", name="Embedding explorer").first


def answer(notebook: Notebook) -> None:
    """Answer the question on the screen with the truth, by keyboard."""
    name = widget(notebook).get_by_role("group", name="Class of point").get_attribute("aria-label")
    point = int(name.rpartition(" ")[2])
    before = notebook.evaluate("session.supervision.labeled.size")
    notebook.page.keyboard.press(str(notebook.evaluate(f"int(truth[{point}])")))
    notebook.wait_for(f"session.supervision.labeled.size > {before}")
    assert notebook.evaluate(f"explorer.labels[{point}] == str(truth[{point}])")


def test_a_few_labels_are_carried_far(notebook: Notebook) -> None:
    page, view = notebook.page, widget(notebook)
    assert notebook.evaluate("session.suggesting") is False
    colored_by = view.get_by_role("combobox", name="Color by", exact=True)
    colored_by.fill("suggestion")
    colored_by.press("Enter")
    view.get_by_role("button", name="Suggestions", exact=True).click()
    view.get_by_role("list", name="Most doubtful points").wait_for()
    found = notebook.evaluate("(session.suggest().top_class == truth).mean()")
    assert found > 0.9

    view.focus()
    page.keyboard.press("n")
    for _ in range(3):
        view.get_by_role("group", name="Class of point").wait_for()
        answer(notebook)
    page.keyboard.press("Escape")

    page.keyboard.press("c")
    for place in range(1, 21):
        view.get_by_text(f"{place} of 20", exact=True).first.wait_for()
        answer(notebook)
    check = notebook.evaluate(
        "(lambda c: [c.n_answered, c.accuracy, *c.interval])(session.suggestion_check)"
    )
    n, accuracy, low, high = check
    assert n == 20
    assert 0.7 < accuracy <= 1
    text = f"20 of 20 · accuracy {accuracy:.2f} ({low:.2f}–{high:.2f})"
    view.get_by_text(text).wait_for()

    labeled = np.array(notebook.evaluate("session.supervision.labeled.tolist()"))
    view.get_by_role("slider", name="Minimum confidence").fill("0.5")
    accept = view.get_by_role("button", name="Accept suggestions")
    expect(accept).to_be_enabled()
    accept.click()
    done = notebook.wait_for("session.undo_text", lambda text: text.startswith("accept "))
    count = int(done.split()[1].replace(",", ""))
    assert count > 0
    assert notebook.evaluate("session.supervision.labeled.size") == labeled.size + count
    view.get_by_role("button", name="Undo").click()
    notebook.wait_for("session.supervision.labeled.size", lambda n: n == labeled.size)

    notebook.save()
    notebook.reload()
    view = widget(notebook)
    view.get_by_role("button", name="Suggestions", exact=True).click()
    view.get_by_role("list", name="Most doubtful points").wait_for()
    view.get_by_text(text).wait_for()
    colored_by = view.get_by_role("combobox", name="Color by", exact=True)
    assert colored_by.input_value() == "suggestion"
    assert notebook.errors == []
