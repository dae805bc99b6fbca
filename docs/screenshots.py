"""Take the pictures of the guide from a real JupyterLab: ``python -m docs.screenshots [NAME ...]``.

Needs the ``test`` extra and runs from the root of a checkout. Each picture has its notebook, what
is done in it by hand or in Python, and the name of its file in ``docs/images/guide``.

``python -m docs.screenshots --gallery [NAME ...]`` runs the stories of the gallery instead, all or
those named, and keeps the picture of the map that ends each.
"""

from __future__ import annotations

import argparse
import io
import json
import math
import re
import tempfile
from base64 import b64decode
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import sync_playwright

from tests.browser.chromium import chromium
from tests.browser.fixtures import launch
from tests.browser.lab import CHECKOUT, JupyterLab, Notebook
from tests.browser.test_explorer import Hand

IMAGES = CHECKOUT / "docs" / "images"
STORIES = CHECKOUT / "notebooks" / "gallery"

GUIDE = (CHECKOUT / "docs" / "guide" / "index.md").read_text(encoding="utf-8")
#: The first cell of the guide.
FLOWERS = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)[0]
DIGITS = """
import numpy as np
from sklearn.datasets import load_digits
import nbembed as nb
X, truth = load_digits(return_X_y=True)
explorer = nb.Explorer(X, nb.HSSNE(random_state=0), images=X.reshape(-1, 8, 8))
session = explorer.session
def middle(digit, count):
    own = np.flatnonzero(truth == digit)
    away = explorer.embedding[own] - np.median(explorer.embedding[own], axis=0)
    center = explorer.embedding[own[np.linalg.norm(away, axis=1).argmin()]]
    return np.argsort(np.linalg.norm(explorer.embedding - center, axis=1))[:count]
NAMES = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
explorer
"""
MANY = """
import numpy as np
from sklearn.datasets import load_digits
import nbembed as nb
X, truth = load_digits(return_X_y=True)
X, truth = np.repeat(X, 32, axis=0), np.repeat(truth, 32)
X += np.random.default_rng(0).normal(0, 5, X.shape)
explorer = nb.Explorer(X, nb.HSSNE(random_state=0), color=truth.astype(str))
explorer
"""
TEXTS = """
explorer = nb.Explorer(
    texts, nb.HSSNE(random_state=0), names=names, color=area
)
explorer
"""
CLOUD = """
import numpy as np
from sklearn.datasets import load_digits
import nbembed as nb
cloud = np.random.default_rng(0).normal(60, 4, (200, 64))
explorer = nb.Explorer(np.vstack([load_digits().data[:1500], cloud]), nb.HSSNE(random_state=0))
session = explorer.session
explorer
"""


def story(name: str, count: int) -> str:
    """Return the first code cells of a notebook of the gallery, without nbformat, a slow import."""
    cells = json.loads((STORIES / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    return "\n".join(code[:count])


def name_digits(hand: Hand, count: int, confidence: float = 0.9) -> None:
    """Label what lies around the middle of each of the first seven digits."""
    # Little weight on the labels, so that the picture shows the data and not what was said of them.
    hand.notebook.execute(
        f"session.set(rho=0.05)\nfor digit in range(7):\n"
        f"    session.label(middle(digit, {count}), NAMES[digit], confidence={confidence})"
    )
    hand.settle()


def explorer(hand: Hand) -> None:
    """Name seven groups and draw half a lasso around an eighth."""
    name_digits(hand, 90)
    lasso(hand, 7)


def table(hand: Hand) -> None:
    """Color flowers by a column, open a card and drag it off the points."""
    hand.notebook.execute('explorer.color("petal length (cm)")\nexplorer.cards = [118]')
    ground = hand.map.bounding_box()
    hand.widget.locator(".nbe-card-head").drag_to(
        hand.map, target_position={"x": 0.4 * ground["width"], "y": 20}
    )


def data(hand: Hand) -> None:
    """Let the length of petals count twice, and leave out their width."""
    tab(hand, "Data")
    hand.widget.get_by_role("slider", name="Weight of petal length").fill("2")
    inner = hand.page.locator(".nbe .nbe")
    inner.get_by_role("checkbox", name="Embed petal width").click()
    hand.notebook.wait_for("'without' in explorer.child_maps[0]['name']")
    hand.notebook.execute("explorer.children[0].session.wait('converged', timeout=120)")
    inner.get_by_role("checkbox", name="Embed petal width").wait_for()


def group(hand: Hand) -> None:
    """Describe the flowers of a species."""
    tab(hand, "Group")
    hand.notebook.execute('explorer.select(flowers["species"] == "virginica")')
    hand.widget.get_by_role("region", name="Features").wait_for()


def find(hand: Hand) -> None:
    """Search, and filter by a range."""
    tab(hand, "Find")
    hand.widget.get_by_role("searchbox", name="Search").fill("versicolor")
    choice = hand.widget.get_by_role("combobox", name="Add a filter")
    choice.select_option(label="petal length (cm)")
    lowest = hand.widget.get_by_label("At least, petal length (cm)")
    lowest.fill("4.2")
    lowest.press("Enter")
    hand.notebook.wait_for("0 < explorer.selection.size < 50")


def steer(hand: Hand) -> None:
    """Raise α."""
    name_digits(hand, 90)
    hand.drag_slider("α", to=0.6)
    hand.notebook.wait_for("session.parameters['alpha'] > 1.5")


def label(hand: Hand) -> None:
    """Draw a lasso and type a name."""
    name_digits(hand, 90)
    lasso(hand, 7)
    hand.page.mouse.up()
    hand.notebook.wait_for("explorer.selection.tolist()")
    hand.page.keyboard.type("seven")


def groups(hand: Hand) -> None:
    """Walk through the groups that are suggested."""
    hand.press("Suggest groups")
    hand.widget.get_by_label("Name of the group").wait_for()


def suggestions(hand: Hand) -> None:
    """Show suggestions and a question."""
    hand.notebook.execute(
        "for digit in range(10):\n    session.label(middle(digit, 4), NAMES[digit])\n"
        "session.suggest()\nexplorer.color_by = 'suggestion'"
    )
    hand.settle()
    hand.press("Suggestions")
    hand.widget.get_by_role("list", name="Most doubtful points").wait_for()
    hand.widget.focus()
    hand.page.keyboard.press("n")
    hand.widget.get_by_role("group", name="Class of point").wait_for()


def compare(hand: Hand) -> None:
    """Put a snapshot beside a map of heavier tails, colored by what has changed."""
    hand.notebook.execute("session.set(alpha=0.5)")
    hand.settle()
    hand.notebook.execute("session.snapshot('α = 0.5')\nsession.set(alpha=1.5)")
    hand.settle()
    tab(hand, "Compare")
    hand.notebook.execute("explorer.compare('α = 0.5', by_change=True)")
    hand.widget.get_by_text("of 10 neighbors changed").wait_for()


def map_of_some(hand: Hand) -> None:
    """Open a map of two digits that lie side by side."""
    hand.notebook.execute("explorer.selection = (truth == 1) | (truth == 8)")
    hand.press("Map of these points")
    hand.notebook.wait_for("len(explorer.children) == 1")
    hand.notebook.execute("explorer.children[0].session.wait('converged', timeout=120)")


def new_rows(hand: Hand) -> None:
    """Add the last digits, and open the map of all."""
    hand.notebook.execute("more = explorer.add(X[1500:])")
    hand.widget.get_by_role("button", name="with 297 new rows", exact=True).click()
    hand.notebook.execute("more.session.wait('converged', timeout=120)\nmore.selection = None")


def methods(hand: Hand) -> None:
    """Let a second method run beside the first."""
    hand.notebook.execute("explorer.color(truth.astype(str))")
    tab(hand, "Compare")
    hand.notebook.execute("second = explorer.compare(nb.SNE(random_state=0))\nsecond.wait()")


def why(hand: Hand) -> None:
    """Explain a point that has left its neighbors."""
    hand.notebook.execute(
        "kept = explorer.why.measure('kept', k=10)\nexplorer.color_by = 'kept'\n"
        "explorer.explained = int(np.argsort(kept)[20])"
    )
    hand.widget.get_by_role("table", name="Terms of the cost").wait_for()


def stability(hand: Hand) -> None:
    """Ask in how many other maps the upper half of a Gaussian is together."""
    tab(hand, "Group")
    hand.notebook.execute(
        "explorer.why.resampled()\nexplorer.color_by = 'stability'\n"
        "cloud = np.arange(1500, 1700)\nheight = session.embedding[cloud, 1]\n"
        "explorer.select(cloud[height > np.median(height)])"
    )
    hand.widget.get_by_text("other maps").wait_for()


def many_points(hand: Hand) -> None:
    """Show a density."""


def cells(hand: Hand) -> None:
    """Describe the cells that have much of a gene."""
    tab(hand, "Group")
    hand.notebook.execute("explorer.select(explorer.find(where={'CD3E': (1.5, None)}))")
    hand.widget.get_by_role("region", name="Features").wait_for()


def texts(hand: Hand) -> None:
    """Search for a word, and list the words of what is found."""
    hand.notebook.execute("explorer.select(explorer.find('fourier'))")
    tab(hand, "Group")
    hand.widget.get_by_role("region", name="Over-represented").wait_for()


def images(hand: Hand) -> None:
    """Open the cards of three squares."""
    hand.notebook.execute(
        "explorer.cards = [places.index(p) for p in (('temple', 20, 400), ('temple', 360, 500),"
        " ('dahlia', 200, 220))]"
    )


def mine(hand: Hand) -> None:
    """Dock a histogram of the selected flowers."""
    hand.notebook.execute(
        "end = explorer.on_selection(lambda rows: explorer.dock("
        "rows['petal length (cm)'].plot.hist(figsize=(3, 3))))\n"
        'explorer.select(flowers["species"] != "setosa")'
    )
    tab(hand, "Mine")
    hand.widget.get_by_role("img", name="The figure that the notebook has docked").wait_for()


def gallery(hand: Hand) -> None:
    """Zoom in on the middle of a digit, of which most points are selected."""
    tab(hand, "Group")
    hand.notebook.execute("explorer.selection = middle(3, 100)")
    hand.widget.get_by_role("list", name="Images").wait_for()
    places = hand.on_screen()[hand.notebook.evaluate("middle(3, 30).tolist()")]
    hand.map.focus()
    hand.page.mouse.move(*np.median(places, axis=0))
    while hand.map.evaluate("map => map.nbembedNames().images.length") < 40:
        hand.page.mouse.wheel(0, -100)
        hand.page.wait_for_timeout(1000)  # for names and images to be placed anew
    hand.page.mouse.move(0, 0)


def save(hand: Hand) -> None:
    """Open the history and the dialog of the picture."""
    name_digits(hand, 90)
    tab(hand, "History")
    hand.press("Picture")


#: The notebook and the acts of each picture.
PICTURES: dict[str, tuple[str, Callable[[Hand], None]]] = {
    "explorer": (DIGITS, explorer),
    "table": (FLOWERS, table),
    "data": (FLOWERS, data),
    "group": (FLOWERS, group),
    "find": (FLOWERS, find),
    "steer": (DIGITS, steer),
    "label": (DIGITS, label),
    "groups": (DIGITS, groups),
    "suggestions": (DIGITS, suggestions),
    "compare": (DIGITS, compare),
    "map-of-some": (DIGITS, map_of_some),
    "new-rows": (
        DIGITS.replace("(X, nb", "(X[:1500], nb").replace("X.reshape", "X[:1500].reshape"),
        new_rows,
    ),
    "methods": (DIGITS, methods),
    "why": (DIGITS, why),
    "stability": (CLOUD, stability),
    "many-points": (MANY, many_points),
    "cells": (story("cells-in-anndata", 2), cells),
    "texts": (story("functions-by-class-posteriors", 1) + TEXTS, texts),
    "images": (story("pieces-of-photographs", 2), images),
    "gallery": (DIGITS, gallery),
    "mine": (FLOWERS, mine),
    "save": (DIGITS, save),
}


def main() -> None:
    """Write the pictures of the guide, or those of the gallery."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dark", action="store_true", help="in JupyterLab's dark theme")
    parser.add_argument("--gallery", action="store_true", help="the maps that end its stories")
    parser.add_argument("names", nargs="*", metavar="NAME", help="of the pictures, by default all")
    options = parser.parse_args()
    if options.gallery:
        for path in sorted(STORIES.glob("*.ipynb")):
            if not options.names or path.stem in options.names:
                take_story(path, IMAGES / "gallery" / f"{path.stem}.png")
        return
    cells = {name: PICTURES[name][0] for name in options.names or PICTURES}
    for name, notebook in opened(cells, 1060, 900, scale=1.5):
        notebook.set_theme(options.dark)
        take(notebook, PICTURES[name][1], IMAGES / "guide" / f"{name}.webp")


def opened(
    cells: dict[str, str], width: int, height: int, scale: float = 1
) -> Iterator[tuple[str, Notebook]]:
    """Run each cell in a JupyterLab that gives it the room of the list of files."""
    with sync_playwright() as playwright, JupyterLab() as lab:
        browser = launch(playwright, chromium())
        for name, cell in cells.items():
            path = lab.write_notebook(name, [cell])
            notebook = lab.open_notebook(browser, path, width, height, scale)
            notebook.page.evaluate(
                "window.jupyterapp.commands.execute('application:toggle-left-area')"
            )
            notebook.run_all()
            yield name, notebook
            notebook.close()
        browser.close()


def take(notebook: Notebook, act: Callable[[Hand], None], picture: Path) -> None:
    """Let the map come to rest, act, and photograph the widget."""
    hand = Hand(notebook)
    hand.map.scroll_into_view_if_needed()
    notebook.execute("explorer.session.wait(timeout=600)")
    act(hand)
    hand.widget.get_by_text("compiling").wait_for(state="hidden", timeout=300_000)
    notebook.page.wait_for_timeout(1500)  # for the last frame
    picture.parent.mkdir(parents=True, exist_ok=True)
    shot = Image.open(io.BytesIO(hand.widget.screenshot())).convert("RGB")
    shot.save(picture, quality=80, method=6)
    print(f"{picture} ({picture.stat().st_size // 1024} KiB)", flush=True)


def take_story(path: Path, picture: Path) -> None:
    """Run a notebook and keep the last picture that its last cell leaves: the map at rest."""
    import nbclient
    import nbformat

    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        nbclient.execute(notebook, cwd=folder, timeout=1800, kernel_name="python3")
    shown = [output.get("data", {}) for output in notebook.cells[-1].outputs]
    picture.write_bytes(b64decode([data["image/png"] for data in shown if "image/png" in data][-1]))
    print(f"{picture} ({picture.stat().st_size // 1024} KiB)", flush=True)


def tab(hand: Hand, name: str) -> None:
    """Open a tab of the panel."""
    hand.widget.get_by_role("tab", name=name, exact=True).click()


def lasso(hand: Hand, digit: int) -> None:
    """Draw a lasso around the middle of a digit with the mouse, and hold it."""
    hand.press("Lasso")
    places = hand.on_screen()[hand.notebook.evaluate(f"middle({digit}, 150).tolist()")]
    middle = np.median(places, axis=0)
    radius = np.percentile(np.linalg.norm(places - middle, axis=1), 95) + 14
    turns = np.linspace(-1.2, 2 * math.pi - 2.2, 60)
    wobble = radius * (1 + 0.06 * np.sin(3 * turns))
    path = middle + wobble[:, None] * np.c_[np.cos(turns), np.sin(turns)]
    hand.page.mouse.move(*path[0])
    hand.page.mouse.down()
    for x, y in path[1:]:
        hand.page.mouse.move(x, y)


if __name__ == "__main__":
    main()
