"""Take the pictures of the documentation from a real JupyterLab: ``python -m docs.screenshots``.

Needs the ``test`` extra and runs from the root of a checkout. Seven digits are named by what lies
around the middle of each, and the widget is photographed while a lasso is drawn around an eighth.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path

import numpy as np
from playwright.sync_api import Page, sync_playwright

from tests.browser.chromium import chromium
from tests.browser.fixtures import launch
from tests.browser.lab import CHECKOUT, JupyterLab, Notebook
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
    """Write ``docs/images/quickstart.png``."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dark", action="store_true", help="in JupyterLab's dark theme")
    options = parser.parse_args()
    with sync_playwright() as playwright, JupyterLab() as lab:
        browser = launch(playwright, chromium())
        notebook = lab.open_notebook(
            browser, lab.write_notebook("quickstart", CELLS), 1200, 900, scale=2
        )
        take(notebook, IMAGES / "quickstart.png", options.dark)
        browser.close()


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
