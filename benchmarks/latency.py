"""How long a person waits at the Explorer: from a slider or a lasso to the first changed picture.

    python benchmarks/latency.py                       2000 and 20 000 points
    python benchmarks/latency.py --n 200000 --moves 20
    python benchmarks/latency.py --panels              beside rows, snapshots, a comparison
    python benchmarks/latency.py --n 2000 --minutes 10 the page's memory instead
    python benchmarks/latency.py --cold                the first map of a fresh installation
    python benchmarks/latency.py --json out.json
    python -m benchmarks latency latency_panels page_memory cold_start

Drives a real JupyterLab in a headless Chromium that renders in software. "slider" is from a key on
the slider α to the first frame drawn whose map has felt the new value; "label" from Enter, after a
lasso and the typed name of its cluster, to the first frame drawn whose map has felt the labels, and
then the same with one name for all lassos, a class that grows all over the map; "lasso" from the
end of a lasso to the picture that shows the selection. The map moves all the while, and whatever is
needed has been compiled before. Frames a second are those drawn while nobody does anything. The
page itself reports when it has drawn what (the event ``nbembed:frame``). Other work on the machine
shows in all of it.

The memory is that of the page's JavaScript after a collection of garbage, read through Chromium's
protocol while the map moves: what the second half of the time adds to the first, median by median.
With ``--cold`` nothing else is measured: from the moment the first cell of the quickstart
begins, all run together, to the first drawn frame of a map that has moved, with an empty cache of
compiled code and a fresh kernel, whose start does not count. Byte code of Python is there, as pip
leaves it. It is measured twice: as JupyterLab opens the notebook, and as `nbembed lab` does, which
compiles meanwhile; the cells are run as soon as the kernel is idle.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))
from report import Report

from nbembed.cli import compiling_ahead
from tests.browser.chromium import chromium
from tests.browser.fixtures import launch
from tests.browser.lab import JupyterLab
from tests.browser.places import screen_of
from tests.browser.test_explorer import Hand

DATA = """
import numpy as np
import nbembed as nb
from sklearn.datasets import make_blobs
X, truth = make_blobs({n}, 30, centers=12, cluster_std=3.0, random_state=0)
"""
#: What a labeler types for each cluster.
NAMES = [letter * 3 for letter in "abcdefghijkl"]
SHOW = """
explorer = nb.Explorer(X, nb.HSSNE(tol=0.0, random_state=0, {options}), color=truth)
explorer
"""
#: What is open beside the map with ``--panels``; a list of rows and suggestions are opened by hand.
PANELS = """
explorer.session.snapshot("before")
explorer.compare("before", by_change=True)
"""
#: Seconds from the first cell to the first map that moves, in a fresh installation.
COLD_GOAL = 5
#: MiB that the page may hold more in the second half of the time: what is noise, and no leak.
GROWTH_GOAL = 1
ROOT = Path(__file__).parents[1]
QUICKSTART = ROOT / "notebooks" / "quickstart.ipynb"
FIRST_MAP = """
import nbembed as nb
from sklearn.datasets import load_digits
X, truth = load_digits(return_X_y=True)
explorer = nb.Explorer(X[:200], nb.HSSNE(random_state=0), color=truth[:200])
explorer.session.wait("running", timeout=60)
explorer.session.step(3, wait=True)
explorer.close()
"""
#: Iterations after all labels were forgotten.
SETTLED = 60
#: Readings of the page's memory.
READINGS = 40
#: Milliseconds from a command to its first frame that the 95th percentile should not exceed.
GOALS = {2000: 100, 20000: 150}
#: Milliseconds between two frames of a map that moves: thirty a second.
FRAME_GOALS = {20000: 1000 / 30}

KINDS = {
    "slider": "slider to changed picture",
    "label": "label to changed picture",
    "class": "label of one class all over the map to changed picture",
    "lasso": "lasso to picture of the selection",
}

#: The unlabeled points.
FREE = "[i for i, label in enumerate(explorer.labels) if label is None]"
#: Whether any of them is selected: a label that is there already changes no picture.
UNLABELED_CHOSEN = "any(explorer.labels[i] is None for i in explorer.selection)"

LISTEN = """() => {
  window.frames = 0;
  window.seen = { set: [], label: [] };
  document.querySelector('.nbe').addEventListener('nbembed:frame', (event) => {
    window.frames++;
    for (const cause of event.detail.causes) window.seen[cause.name]?.push(cause.latency);
  });
  // From the end of a lasso to the end of the animation frame that draws the selection.
  window.lassos = [];
  document.querySelector('.nbe-map').addEventListener('pointerup', (event) => {
    const began = event.timeStamp;
    requestAnimationFrame(() => setTimeout(() => window.lassos.push(performance.now() - began), 0));
  });
}"""


#: Notes when the first frame of a map that has moved was drawn, before any view is there.
FIRST_FRAME = """() => {
  window.moved = new Promise((resolve) => {
    document.addEventListener('nbembed:frame', (event) => {
      if (event.detail.version > 1) resolve(Date.now() / 1000);
    }, true);
  });
}"""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0], formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--n", type=int, nargs="+", default=[2000, 20000])
    parser.add_argument("--moves", type=int, default=40, help="number of slider moves")
    parser.add_argument("--lassos", type=int, default=20, help="number of labels by lasso")
    parser.add_argument("--options", default="", help='further arguments of HSSNE: "n_jobs=1"')
    parser.add_argument("--panels", action="store_true", help="open what can be open at once")
    parser.add_argument("--minutes", type=float, default=0.0, help="motion to read the memory in")
    parser.add_argument("--cold", action="store_true", help="the first map of the quickstart")
    parser.add_argument("--json", type=Path, help="file to write the figures to")
    parser.add_argument("--picture", type=Path, help="folder for a picture of each map")
    options = parser.parse_args()

    report = Report("latency")
    if options.cold:
        for what, beside in (("", nullcontext), (" by nbembed lab", compiling_ahead)):
            work = f"quickstart opened{what}, first map that moves, cold"
            report.value(work, cold(beside), "s", COLD_GOAL)
        report.write(options.json)
        return
    with sync_playwright() as driver, JupyterLab() as lab:
        browser = launch(driver, chromium())
        for n in options.n:
            tell(report, n, measure(lab, browser, n, options))
        browser.close()
    report.write(options.json)


def measure(lab: JupyterLab, browser: Any, n: int, options: argparse.Namespace) -> dict[str, Any]:
    """Return latencies in ms by kind, and frames a second."""
    cells = [DATA.format(n=n), SHOW.format(options=options.options)]
    notebook = lab.open_notebook(browser, lab.write_notebook(f"latency-{n}", cells), 1280, 1000)
    notebook.run_all()
    hand = Hand(notebook)
    hand.map.scroll_into_view_if_needed()
    notebook.wait_for("explorer.session.iteration", lambda i: i > 60, timeout=600)
    page = notebook.page
    warm_up(notebook, hand)
    if options.panels:
        open_panels(notebook, hand)
    page.evaluate(LISTEN)

    before, began = page.evaluate("window.frames"), time.monotonic()
    page.wait_for_timeout(5000)
    rate = (page.evaluate("window.frames") - before) / (time.monotonic() - began)

    slider = hand.widget.get_by_role("slider", name="α", exact=True)
    slider.focus()
    rng = np.random.default_rng(0)
    for turn in range(options.moves):
        page.keyboard.press("ArrowRight" if turn % 8 < 4 else "ArrowLeft")
        page.wait_for_timeout(200 + 200 * rng.random())

    names = [NAMES[c] for c in notebook.evaluate("truth.tolist()")]
    label_by_lasso(notebook, hand, names, options.lassos, rng)
    of_clusters = len(page.evaluate("window.seen.label"))
    notebook.execute("explorer.session.forget(range(len(X)))")
    notebook.execute(f"explorer.session.step({SETTLED}, wait=True); explorer.session.play()")
    label_by_lasso(notebook, hand, NAMES[:1] * n, options.lassos, rng)

    seen = page.evaluate("window.seen")
    if options.picture:
        options.picture.mkdir(parents=True, exist_ok=True)
        notebook.screenshot(options.picture / f"latency-{n}.png")
    result = {
        "n": n,
        "slider": seen["set"],
        "label": seen["label"][:of_clusters],
        "class": seen["label"][of_clusters:],
        "lasso": page.evaluate("window.lassos"),
        "frames a second": rate,
    }
    if options.minutes:
        result["memory"] = memory(page, options.minutes)
    notebook.close()
    return result


def label_by_lasso(
    notebook: Any, hand: Hand, names: list[str], lassos: int, rng: np.random.Generator
) -> None:
    """Draw lassos around unlabeled points, and type the name of each."""
    page = notebook.page
    hand.press("Fit view")
    for _ in range(lassos):
        free = notebook.evaluate(FREE)
        if not free:
            break
        point = int(rng.choice(free))
        hand.lasso(np.array(screen_of(hand.map, point)), 40)
        page.wait_for_timeout(150)
        if not notebook.evaluate(UNLABELED_CHOSEN):  # the point has moved out of the lasso
            page.keyboard.press("Escape")
            page.keyboard.press("Escape")
            continue
        page.keyboard.type(names[point], delay=30)
        page.wait_for_timeout(60)
        page.keyboard.press("Enter")
        page.wait_for_timeout(300 + 200 * rng.random())
    page.wait_for_timeout(1000)


def open_panels(notebook: Any, hand: Hand) -> None:
    """Open what can be open beside the sliders: rows, suggestions, a comparison."""
    notebook.execute(PANELS)
    tab = hand.widget.get_by_role("tab", name="Group")
    tab.click()
    hand.widget.get_by_role("button", name="Rows").click()
    hand.widget.get_by_role("region", name="Rows").wait_for()
    hand.widget.get_by_role("tab", name="Steer").click()
    hand.widget.get_by_role("button", name="Suggestions", exact=True).click()


def memory(page: Any, minutes: float) -> list[float]:
    """Return the MiB that the page's JavaScript holds, read at equal intervals while it runs."""
    protocol = page.context.new_cdp_session(page)
    protocol.send("Performance.enable")
    found = []
    for _ in range(READINGS):
        page.wait_for_timeout(60_000 * minutes / READINGS)
        protocol.send("HeapProfiler.collectGarbage")
        metrics = protocol.send("Performance.getMetrics")["metrics"]
        found.append(next(m["value"] for m in metrics if m["name"] == "JSHeapUsedSize") / 2**20)
    protocol.detach()
    return found


def cold(beside: Callable[[], AbstractContextManager[None]]) -> float:
    """Return the seconds from the quickstart's first cell to its first frame, nothing compiled.

    ``beside`` is what is done from JupyterLab's start on.
    """
    with tempfile.TemporaryDirectory() as folder:
        before = dict(os.environ)
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = f"{folder}/byte-code"
        try:
            # What pip does when it installs, for all modules that the first map needs.
            warm = {**os.environ, "NUMBA_CACHE_DIR": f"{folder}/other"}
            subprocess.run([sys.executable, "-c", FIRST_MAP], env=warm, cwd=ROOT, check=True)
            os.environ["NUMBA_CACHE_DIR"] = f"{folder}/compiled"
            with sync_playwright() as driver, beside(), JupyterLab() as lab:
                browser = launch(driver, chromium())
                path = lab.copy_notebook(QUICKSTART)
                notes = nbformat.read(lab.root / path, as_version=4)
                notes.cells.insert(
                    0, nbformat.v4.new_code_cell("import time\ncell_began = time.time()")
                )
                nbformat.write(notes, lab.root / path)
                notebook = lab.open_notebook(browser, path, 1280, 1000)
                notebook.page.evaluate(FIRST_FRAME)
                notebook.run_all()
                drawn = notebook.page.evaluate("window.moved")
                began = notebook.evaluate("cell_began")
                browser.close()
                return float(drawn - began)
        finally:
            os.environ.clear()
            os.environ.update(before)


def warm_up(notebook: Any, hand: Hand) -> None:
    """Let everything be compiled that will be used: what is measured is not the first time."""
    session = "explorer.session"
    notebook.execute(f"{session}.add_class('one')")
    for line in ("set(alpha=1.3)", "label(range(20), 'one')", "undo()", "undo()"):
        # Steps wait for what was said before them; a map that plays goes on without it meanwhile.
        notebook.execute(f"{session}.{line}")
        notebook.execute(f"{session}.step(4, wait=True); {session}.play()")
    notebook.wait_for("explorer.compiling", lambda compiling: not compiling, timeout=600)


def tell(report: Report, n: int, found: dict[str, Any]) -> None:
    """Report medians, spreads and 95th percentiles, which have goals; or the memory alone."""
    held = found.get("memory")
    if held:
        first, second = held[: len(held) // 2], held[len(held) // 2 :]
        report.value(f"memory of the page, n = {n}", held, "MiB")
        grown = float(np.median(second) - np.median(first))
        what = f"memory of the page, growth from half to half, n = {n}"
        report.value(what, grown, "MiB", GROWTH_GOAL)
        return
    apart = 1000 / max(found["frames a second"], 0.01)
    report.value(f"between two frames, n = {n}", apart, "ms", FRAME_GOALS.get(n))
    for kind, what in KINDS.items():
        times = found[kind]
        if times:
            report.value(f"{what}, n = {n}", times, "ms")
            p95 = float(np.percentile(times, 95))
            report.value(f"{what}, n = {n}, 95th percentile", p95, "ms", GOALS.get(n))


if __name__ == "__main__":
    main()
