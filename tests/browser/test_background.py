"""A map that takes long to begin, and a kernel that is busy, in a real JupyterLab."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.conftest import OpenCells
from tests.browser.lab import ANSWERED, JupyterLab

DATA = """
import threading, time
from dataclasses import dataclass
import numpy as np
import nbembed as nb
from nbembed.methods.hssne import HSSNERecipe
from nbembed.system.work import stage

X = np.random.default_rng(0).normal(size=(2500, 12))
gate = threading.Event()

@dataclass(frozen=True, eq=False, kw_only=True)
class Gated(HSSNERecipe):
    def make_affinities(self, X, supervision=None):
        finding = stage("finding neighbors", 10)
        finding.advance(4)
        while not gate.wait(0.01):
            finding.advance(0)
        finding.advance(6)
        return super().make_affinities(X, supervision)
"""


def test_a_start_is_shown_canceled_and_resumed(open_cells: OpenCells) -> None:
    notebook = open_cells(DATA, "explorer = nb.Explorer(X, Gated(random_state=0)); explorer")
    notebook.run_all()
    widget = notebook.page.get_by_role("group", name="Embedding explorer")
    bar = widget.get_by_role("progressbar", name="finding neighbors")
    expect(bar).to_have_attribute("aria-valuenow", "40")
    status = widget.get_by_role("group", name="Status")
    expect(status).to_contain_text("Running")
    notebook.wait_for("float(np.ptp(explorer.embedding))", lambda size: size > 0)
    notebook.execute("explorer.session.label([1, 2], 'kept')")
    widget.get_by_role("radio", name="kept").wait_for(state="attached")
    status.get_by_role("button", name="Cancel").click()
    expect(status).to_contain_text("Paused")
    expect(bar).to_have_count(0)
    notebook.execute("gate.set()")
    widget.get_by_role("button", name="Play", exact=True).click()
    notebook.wait_for("explorer.session.iteration", lambda i: i > 5)
    assert notebook.evaluate("explorer.labels[:3]") == [None, "kept", "kept"]
    notebook.execute("explorer.close()")


BUSY = """
import pathlib
until = time.monotonic() + 600
while time.monotonic() < until and not pathlib.Path("free.txt").exists():
    sum(range(1000))
"""


def test_the_map_moves_and_sliders_keep_their_place_while_a_cell_runs(
    open_cells: OpenCells, lab: JupyterLab
) -> None:
    show = "explorer = nb.Explorer(X[:500], nb.HSSNE(random_state=0, tol=0.0)); explorer"
    notebook = open_cells(DATA, show, BUSY)
    page = notebook.page
    page.evaluate("void window.jupyterapp.commands.execute('notebook:run-all-cells')")  # no wait
    widget = page.get_by_role("group", name="Embedding explorer")
    widget.wait_for(timeout=1000 * ANSWERED)  # the first cell imports a lot
    iteration = "Number(document.querySelector('.nbe-fact b').textContent.replaceAll(',', ''))"
    running = "document.querySelectorAll('.jp-InputPrompt')[2].textContent === '[*]:'"
    page.wait_for_function(f"{iteration} > 0")
    before = page.evaluate(iteration)
    slider = widget.get_by_role("slider", name="α")
    slider.fill("0.4")
    page.wait_for_function(f"{iteration} > {before} + 20")
    page.wait_for_timeout(1500)
    expect(slider).to_have_value("0.4")
    expect(widget.get_by_text("The kernel has not answered yet")).to_be_visible()
    expect(widget.get_by_text("The kernel is gone")).to_have_count(0)
    assert page.evaluate(running), "all of it happened while the cell was running"
    (lab.root / "free.txt").touch()
    notebook.wait_idle()
    notebook.wait_for("explorer.session.parameters['alpha']", lambda alpha: alpha == 0.4)
    expect(slider).to_have_value("0.4")
    notebook.execute("explorer.close()")
