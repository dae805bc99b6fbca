"""Take the pictures of the documentation from a real JupyterLab: ``python -m docs.screenshots``.

Needs the ``test`` extra and runs from the root of a checkout. Seven digits are named by what lies
around the middle of each, and the widget is photographed while a lasso is drawn around an eighth.

``python -m docs.screenshots --gallery [NAME ...]`` runs the stories of the gallery instead, all or
those named, and keeps the picture of the map that ends each.
"""

from __future__ import annotations

import argparse
import math
import tempfile
from base64 import b64decode
from pathlib import Path

import nbclient
import nbformat
import numpy as np
from playwright.sync_api import Page, sync_playwright

from tests.browser.chromium import chromium
from tests.browser.fixtures import launch
from tests.browser.lab import CHECKOUT, JupyterLab, Notebook
from tests.browser.places import still
from tests.browser.test_explorer import Hand

IMAGES = CHECKOUT / "docs" / "images"

CELLS = (
    "import numpy as np\nfrom sklearn.datasets import load_digits\nimport nbembed as nb\n"
    "X, truth = load_digits(return_X_y=True)",
    "explorer = nb.Explorer(X, nb.HSSNE(random_state=0))\nexplorer",
)

# Little weight on the labels, so that the picture shows the data and not what was said of them.
STEER = """
session = explorer.session
session.wait("converged", timeout=120)
def around(point, count):
    away = explorer.embedding - explorer.embedding[point]
    return np.argsort(np.linalg.norm(away, axis=1))[:count]
session.set(rho=0.05)
def middle(digit):
    own = np.flatnonzero(truth == digit)
    away = explorer.embedding[own] - np.median(explorer.embedding[own], axis=0)
    return own[np.linalg.norm(away, axis=1).argmin()]
for digit, name in enumerate(["zero", "one", "two", "three", "four", "five", "six"]):
    session.label(around(middle(digit), 90), name, confidence=0.9)
session.wait("converged", timeout=120)
"""


def main() -> None:
    """Write the pictures of the Explorer, or those of the gallery."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dark", action="store_true", help="in JupyterLab's dark theme")
    parser.add_argument(
        "--gallery", nargs="*", metavar="NAME", help="the maps that end the stories of the gallery"
    )
    options = parser.parse_args()
    if options.gallery is not None:
        for story in sorted((CHECKOUT / "notebooks" / "gallery").glob("*.ipynb")):
            if not options.gallery or story.stem in options.gallery:
                take_story(story, IMAGES / "gallery" / f"{story.stem}.png")
        return
    with sync_playwright() as playwright, JupyterLab() as lab:
        browser = launch(playwright, chromium())
        notebook = lab.open_notebook(
            browser, lab.write_notebook("quickstart", CELLS), 1200, 900, scale=2
        )
        take(notebook, IMAGES / "quickstart.png", options.dark)
        take_child(notebook, IMAGES / "map-of-some.png")
        browser.close()


def take_story(story: Path, picture: Path) -> None:
    """Run a notebook and keep the last picture that its last cell leaves: the map at rest."""
    notebook = nbformat.read(story, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        nbclient.execute(notebook, cwd=folder, timeout=1800, kernel_name="python3")
    shown = [output.get("data", {}) for output in notebook.cells[-1].outputs]
    picture.write_bytes(b64decode([data["image/png"] for data in shown if "image/png" in data][-1]))
    print(f"{picture} ({picture.stat().st_size // 1024} KiB)")


def take(notebook: Notebook, picture: Path, dark: bool) -> None:
    """Run, steer, and photograph the widget with a lasso half drawn."""
    notebook.set_theme(dark)
    # The map shall have the room, not the list of files.
    notebook.page.evaluate("window.jupyterapp.commands.execute('application:toggle-left-area')")
    notebook.run_all()
    notebook.execute(STEER)
    hand = Hand(notebook)
    hand.press("Lasso")
    sevens = notebook.evaluate("around(middle(7), 150).tolist()")
    draw_around(notebook.page, hand.on_screen(), sevens)
    notebook.page.wait_for_timeout(500)  # for the last frame
    notebook.screenshot(picture, hand.widget)
    print(f"{picture} ({picture.stat().st_size // 1024} KiB)")
    notebook.page.mouse.up()


def take_child(notebook: Notebook, picture: Path) -> None:
    """Photograph a map of the points around two digits that lie side by side."""
    notebook.execute("explorer.selection = (truth == 1) | (truth == 8)")
    Hand(notebook).press("Map of these points")
    notebook.wait_for("len(explorer.children) == 1")
    notebook.execute("explorer.children[0].session.wait('converged', timeout=120)")
    still(notebook.page.locator(".nbe .nbe .nbe-map"))
    notebook.screenshot(picture, Hand(notebook).widget)
    print(f"{picture} ({picture.stat().st_size // 1024} KiB)")


def draw_around(page: Page, places: np.ndarray, points: list[int]) -> None:
    """Draw a lasso around some points with the mouse, and hold it."""
    group = places[points]
    middle = np.median(group, axis=0)
    radius = np.percentile(np.linalg.norm(group - middle, axis=1), 95) + 14
    turns = np.linspace(-1.2, 2 * math.pi - 2.2, 60)
    wobble = radius * (1 + 0.06 * np.sin(3 * turns))
    path = middle + wobble[:, None] * np.c_[np.cos(turns), np.sin(turns)]
    page.mouse.move(*path[0])
    page.mouse.down()
    for x, y in path[1:]:
        page.mouse.move(x, y)


if __name__ == "__main__":
    main()
