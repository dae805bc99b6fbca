"""A real kernel that is restarted or dies, and a cell that is run again and again."""

from __future__ import annotations

import os
import signal
from typing import Any

from playwright.sync_api import expect

from tests.browser.conftest import OpenCells
from tests.browser.lab import Notebook
from tests.waiting import PASSING

DATA = """
import gc, os, threading
import numpy as np
import nbembed as nb
X = np.random.default_rng(0).normal(size=(300, 5))
"""
SHOW = "explorer = nb.Explorer(X, nb.HSSNE(random_state=0, tol=1e-30, max_iter=10**6)); explorer"
#: Threads, each open session's among them, and the number of Explorers that ipywidgets knows.
AT_WORK = f"""(
    sorted(
        t.name for t in threading.enumerate()
        if t.name.startswith('nbembed') and t.name not in {PASSING!r}
    ),
    sum(isinstance(w, nb.Explorer) for w in __import__('ipywidgets').widget._instances.values()),
)"""
ONE = [["nbembed picture", "nbembed session", "nbembed-sender"], 1]


def command(notebook: Notebook, name: str, **arguments: Any) -> None:
    notebook.page.evaluate(
        "([name, arguments]) => window.jupyterapp.commands.execute(name, arguments)",
        [name, arguments],
    )


def run_cell(notebook: Notebook, index: int) -> None:
    notebook.page.evaluate(
        "index => { window.jupyterapp.shell.currentWidget.content.activeCellIndex = index; }", index
    )
    command(notebook, "notebook:run-cell")


def running(open_cells: OpenCells) -> Notebook:
    notebook = open_cells(DATA, SHOW)
    notebook.run_all()
    notebook.page.locator(".nbe-map").scroll_into_view_if_needed()
    expect(notebook.page.locator(".nbe-state")).to_have_text("Running")
    return notebook


def expect_gone(notebook: Notebook) -> None:
    page = notebook.page
    alert = page.get_by_role("alert").filter(has_text="The kernel is gone")
    expect(alert).to_be_visible()
    expect(page.locator(".nbe-state")).to_have_text("Disconnected")


def test_an_explorer_ends_with_its_cell_its_last_name_or_close(open_cells: OpenCells) -> None:
    notebook = running(open_cells)
    for _ in range(6):
        run_cell(notebook, 1)
        expect(notebook.page.locator(".nbe")).to_have_count(1)
    expect(notebook.page.locator(".nbe-state")).to_have_text("Running")
    notebook.wait_for(AT_WORK, lambda found: found == ONE)
    # Cleared outputs are no reason to end what a variable still names.
    command(notebook, "notebook:clear-all-cell-outputs")
    expect(notebook.page.locator(".nbe")).to_have_count(0)
    notebook.wait_for("sum(explorer._displays._views.values())", lambda count: count == 0)
    notebook.wait_for(AT_WORK, lambda found: found == ONE)
    notebook.execute("del explorer")
    notebook.execute("gc.collect()")
    notebook.wait_for(AT_WORK, lambda found: found == [[], 0])
    run_cell(notebook, 1)
    expect(notebook.page.locator(".nbe")).to_have_count(1)
    notebook.execute("explorer.close()")
    expect(notebook.page.locator(".nbe")).to_have_count(0)
    notebook.wait_for(AT_WORK, lambda found: found[0] == [])


def test_a_kernel_that_restarts_or_is_killed_is_told_and_a_new_run_works(
    open_cells: OpenCells,
) -> None:
    notebook = running(open_cells)
    notebook.execute("explorer.session.label([1, 2], 'kept')")
    notebook.page.get_by_role("radio", name="kept").wait_for(state="attached")
    # Not awaited: the page must tell while the kernel restarts.
    notebook.page.evaluate(
        "() => { window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.restart(); }"
    )
    expect_gone(notebook)
    expect(notebook.page.get_by_role("button", name="Save labels")).to_be_visible()
    notebook.wait_idle()
    run_cell(notebook, 0)
    run_cell(notebook, 1)
    expect(notebook.page.locator(".nbe-state")).to_have_text("Running")
    expect(notebook.page.get_by_text("The kernel is gone")).to_have_count(0)
    os.kill(notebook.evaluate("os.getpid()"), signal.SIGKILL)
    expect_gone(notebook)
