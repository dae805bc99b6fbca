"""A page that is suspended, a server that is restarted, and a notebook from somebody else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, CDPSession, expect

from tests.browser.conftest import OpenCells, OpenFile
from tests.browser.lab import JupyterLab, Notebook
from tests.browser.places import WHERE
from tests.browser.test_kernel_end import DATA
from tests.browser.test_record import PICTURES
from tests.waiting import eventually

SHOW = """explorer = nb.Explorer(
    X, nb.HSSNE(random_state=0, tol=1e-30, max_iter=10**6), autosave="interrupted.nbembed"
); explorer"""
#: Labels points and lets the map move on once the test has written a file, and answers by another.
WORK = """
import pathlib, time
def work():
    while not pathlib.Path("suspended").exists():
        time.sleep(0.01)
    explorer.session.label([5, 6, 7], "meanwhile")
    explorer.session.step(300, wait=True)
    explorer.session.play()
    pathlib.Path("worked").touch()
threading.Thread(target=work).start()
"""
HOSTILE = "<img src=x onerror=window.hacked=1><script>window.hacked=1</script>"
STILL = (
    f"nb.Explorer(X, nb.HSSNE(random_state=0), names=[{HOSTILE!r}] * 300, "
    f"color=[{HOSTILE!r}, 'other'] * 150, autoplay=False, still={{still}})"
)


def labeled(notebook: Notebook) -> None:
    """Show a moving map, label two of its points, and wait for the page to have the class."""
    notebook.run_all()
    notebook.page.locator(".nbe-map").scroll_into_view_if_needed()
    notebook.execute("explorer.session.label([1, 2], 'kept')")
    notebook.page.get_by_role("radio", name="kept").wait_for(state="attached")
    expect(notebook.page.locator(".nbe-state")).to_have_text("Running")


def moves(notebook: Notebook) -> None:
    """Wait until the page draws a point elsewhere than now."""
    map_ = notebook.page.get_by_role("application", name="Map").element_handle()
    notebook.page.wait_for_function(
        f"([map, before]) => ({WHERE})(map, 0).some((x, k) => x !== before[k])",
        arg=[map_, map_.evaluate(WHERE, 0)],
    )


def suspend(notebook: Notebook) -> CDPSession:
    """Stop all code of the page, as a browser does with a tab that it freezes."""
    stopped: list[Any] = []
    session = notebook.page.context.new_cdp_session(notebook.page)
    session.on("Debugger.paused", lambda event: stopped.append(event))
    session.send("Debugger.enable")
    session.send("Debugger.pause")
    eventually(lambda: notebook.page.wait_for_timeout(10) or stopped)
    return session


def test_a_suspended_page_goes_on_and_shows_what_happened_meanwhile(
    open_cells: OpenCells, lab: JupyterLab
) -> None:
    notebook = open_cells(DATA, SHOW)
    labeled(notebook)
    notebook.execute(WORK)
    session = suspend(notebook)
    (lab.root / "suspended").touch()
    eventually((lab.root / "worked").exists)
    session.send("Debugger.disable")
    notebook.page.get_by_role("radio", name="meanwhile").wait_for(state="attached")
    expect(notebook.page.locator(".nbe-state")).to_have_text("Running")
    moves(notebook)
    notebook.page.get_by_role("button", name="Undo", exact=True).click()
    notebook.wait_for("explorer.labels[5]", lambda label: label is None)
    assert notebook.evaluate("explorer.labels[1]") == "kept"
    expect(notebook.page.locator(".nbe-notice")).to_have_count(0)


def test_a_restarted_server_is_told_and_a_new_run_goes_on_from_the_file(browser: Browser) -> None:
    with JupyterLab() as lab:
        notebook = lab.open_notebook(browser, lab.write_notebook("restarted", [DATA, SHOW]))
        labeled(notebook)
        page, state = notebook.page, notebook.page.locator(".nbe-state")
        lab.restart()
        expect(state).to_have_text("Disconnected")
        # JupyterLab looks every ten seconds for the kernels that there are.
        page.evaluate("() => window.jupyterapp.serviceManager.sessions.refreshRunning()")
        gone = page.get_by_role("alert").filter(has_text="The kernel is gone")
        expect(gone).to_contain_text("go on from interrupted.nbembed")
        expect(page.get_by_role("button", name="Save labels")).to_be_visible()
        page.evaluate(
            "() => window.jupyterapp.shell.currentWidget.sessionContext"
            ".changeKernel({ name: 'python3' })"
        )
        notebook.wait_idle()
        notebook.run_all()
        page.get_by_role("radio", name="kept").wait_for(state="attached")
        assert notebook.evaluate("explorer.labels[1:3]") == ["kept", "kept"]
        expect(gone).to_have_count(0)
        notebook.execute("explorer.session.play()")
        moves(notebook)


def test_a_notebook_from_somebody_else_runs_nothing_and_says_what_to_do(
    open_cells: OpenCells, open_file: OpenFile, tmp_path: Path
) -> None:
    shown = [STILL.format(still=still) for still in ("True", "'page'")]
    notebook = open_cells(DATA, *shown)
    notebook.run_all()
    notebook.page.wait_for_function(f"({PICTURES})().length === 2")
    document = notebook.page.evaluate(
        "() => window.jupyterapp.shell.currentWidget.content.model.toJSON()"
    )
    for cell in document["cells"]:
        cell["metadata"] = {}
    document["cells"][0]["source"] += "# by somebody else"  # which no signature is known of
    file = tmp_path / "foreign.ipynb"
    file.write_text(json.dumps(document), encoding="utf-8")
    foreign = open_file(file)
    page = foreign.page
    for index in (1, 2):
        outputs = foreign.cell(index).locator(".jp-OutputArea")
        expect(outputs.locator("img")).to_be_visible()
        expect(outputs.get_by_text("run this cell for the live map")).to_be_visible()
        expect(outputs.locator("script, iframe, .nbe")).to_have_count(0)
    assert page.evaluate("window.hacked") is None
    foreign.run_all()
    expect(page.locator(".nbe-map")).to_have_count(2)
    assert page.evaluate("window.hacked") is None
