"""A person's labels and map outlive the page, the notebook's tab and the kernel."""

from __future__ import annotations

import numpy as np
from playwright.sync_api import Locator

from tests.browser.conftest import OpenCells
from tests.browser.lab import Notebook

DATA = """
import pathlib
import numpy as np
import nbembed as nb
X = np.random.default_rng(0).normal(size=(60, 4))
"""
SHOW = """
file = pathlib.Path("steered.nbembed")
session = nb.load_session(file) if file.exists() else nb.Session(X, nb.HSSNE(random_state=0))
explorer = nb.Explorer(session=session); explorer
"""


def steered(open_cells: OpenCells) -> Notebook:
    """Return a notebook whose map rests, with a label and a link."""
    notebook = open_cells(DATA, SHOW)
    notebook.run_all()
    notebook.execute(
        "session.label([1, 2, 3], 'kept'); session.must_link([7, 8]); session.set(alpha=1.5)\n"
        "session.step(20, wait=True)"
    )
    return notebook


def shown(notebook: Notebook) -> Locator:
    """Return the Explorer once the page shows what it was steered to."""
    explorer = notebook.page.get_by_role("group", name="Embedding explorer")
    explorer.get_by_role("application", name="Map").wait_for()
    explorer.get_by_role("radio", name="kept").wait_for(state="attached")
    slider = explorer.get_by_role("slider", name="α", exact=True)
    notebook.page.wait_for_function(
        "e => Math.abs(e.value - 1.5) < 0.02", arg=slider.element_handle()
    )
    return explorer


def works(notebook: Notebook, expected: np.ndarray) -> None:
    """Check that the page shows this map with its labels, and that its buttons do something."""
    explorer = shown(notebook)
    assert notebook.evaluate("explorer.embedding.tolist()") == expected.tolist()
    assert notebook.evaluate("session.parameters['alpha']") == 1.5
    assert notebook.evaluate("[sorted(map(int, g)) for g in session.supervision.links]") == [[7, 8]]
    explorer.get_by_role("button", name="Undo", exact=True).click()
    notebook.wait_for("session.parameters['alpha']", lambda alpha: alpha == 1)
    explorer.get_by_role("button", name="Redo", exact=True).click()
    notebook.wait_for("session.parameters['alpha']", lambda alpha: alpha == 1.5)
    with_label = notebook.evaluate("[i for i, name in enumerate(explorer.labels) if name]")
    assert with_label == [1, 2, 3]


def test_labels_and_map_outlive_the_page_and_the_kernel(open_cells: OpenCells) -> None:
    notebook = steered(open_cells)
    before = np.array(notebook.evaluate("explorer.embedding.tolist()"))
    shown(notebook)
    notebook.save()
    notebook.open()
    works(notebook, before)
    notebook.execute("session.pause(); session.save(file)")
    before = np.array(notebook.evaluate("explorer.embedding.tolist()"))
    notebook.restart()
    assert notebook.evaluate("'session' in globals()") is False
    notebook.run_all()
    works(notebook, before)
    assert notebook.evaluate("session.replayed().embedding.tolist()") == before.tolist()
