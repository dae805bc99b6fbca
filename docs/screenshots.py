"""Take the pictures of the documentation from a real JupyterLab: ``python -m docs.screenshots``.

Needs the ``test`` extra and runs from the root of a checkout. Seven digits are named by what lies
around one example of each, one more group is left selected, and the widget is photographed.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.chromium import chromium
from tests.browser.fixtures import launch
from tests.browser.lab import CHECKOUT, JupyterLab, Notebook

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
for point, name in enumerate(["zero", "one", "two", "three", "four", "five", "six"]):
    session.label(around(point, 90), name, confidence=0.9)
session.wait("converged", timeout=120)
explorer.selection = around(7, 120)
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
    """Run, steer, and photograph the widget."""
    notebook.set_theme(dark)
    # The map shall have the room, not the list of files.
    notebook.page.evaluate("window.jupyterapp.commands.execute('application:toggle-left-area')")
    notebook.run_all()
    notebook.execute(STEER)
    widget = notebook.page.locator(".nbe").first
    widget.get_by_role("button", name="Lasso").click()
    notebook.page.wait_for_timeout(1000)  # the last frame, and the tooltip's leave
    notebook.screenshot(picture, widget)
    print(f"{picture} ({picture.stat().st_size // 1024} KiB)")


if __name__ == "__main__":
    main()
