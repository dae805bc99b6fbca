"""Take the README's moving picture from a real JupyterLab: ``python -m docs.moving_picture``.

Needs the ``test`` extra and runs from the root of a checkout. The map of 1797 digits forms, α is
dragged up and back, three groups are lassoed and named, the points around them follow, and the
suggestions for the others are accepted. ``--points 300`` takes it of fewer digits.

The picture is an animated WebP, which GitHub, PyPI and browsers play, of a sixth of a GIF's size.
"""

from __future__ import annotations

import argparse
import io
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageOps

from docs.screenshots import opened
from tests.browser.lab import CHECKOUT, Notebook
from tests.browser.test_explorer import Hand

PICTURE = CHECKOUT / "docs" / "images" / "steering.webp"

#: Milliseconds that a frame is shown, that the last one is, and pixels of the picture's width.
FRAME, LAST, WIDTH = 110, 2500, 880
#: The corners of an arrow whose tip is at the origin, since a browser draws no pointer of its own.
ARROW = ((0, 0), (0, 17), (4, 13.5), (7, 20), (9.7, 18.8), (6.8, 12.5), (12, 12))

#: The digits that are named, and their names.
GROUPS = ((0, "zero"), (6, "six"), (7, "seven"))

CELL = """
import numpy as np
from sklearn.datasets import load_digits
import nbembed as nb
X, truth = load_digits(return_X_y=True)
X, truth = X[:{points}], truth[:{points}]
explorer = nb.Explorer(X, nb.HSSNE(random_state=0), images=X.reshape(-1, 8, 8))
explorer
"""

#: The points of a digit that lie around the middle of its points on the map.
GROUP = """
def group(digit):
    own = np.flatnonzero(truth == digit)
    away = np.linalg.norm(
        explorer.embedding[own] - np.median(explorer.embedding[own], axis=0), axis=1
    )
    return own[away <= np.quantile(away, 0.8)].tolist()
"""


class Camera:
    """Keeps pictures of an Explorer, with an arrow where the mouse was left."""

    def __init__(self, hand: Hand) -> None:
        self.hand = hand
        self.frames: list[Image.Image] = []
        self._mouse: tuple[float, float] | None = None

    def take(self, count: int = 1) -> None:
        """Add frames of what is shown now and during the time that taking them needs."""
        for _ in range(count):
            frame = Image.open(io.BytesIO(self.hand.widget.screenshot())).convert("RGB")
            box = self.hand.widget.bounding_box()
            if self._mouse is not None and box is not None:
                x, y = self._mouse[0] - box["x"], self._mouse[1] - box["y"]
                corners = [(x + dx, y + dy) for dx, dy in ARROW]
                ImageDraw.Draw(frame).polygon(corners, fill="black", outline="white")
            height = round(frame.height * WIDTH / frame.width)
            self.frames.append(frame.resize((WIDTH, height), Image.Resampling.LANCZOS))

    def move(self, x: float, y: float) -> None:
        """Move the mouse."""
        self.hand.page.mouse.move(x, y)
        self._mouse = (x, y)

    def write(self, path: Path) -> None:
        """Write the frames as one picture that repeats."""
        height = max(frame.height for frame in self.frames)
        first, *others = [
            ImageOps.pad(frame, (WIDTH, height), color="white", centering=(0, 0))
            for frame in self.frames
        ]
        times = [FRAME] * len(others) + [LAST]
        first.save(
            path, save_all=True, append_images=others, duration=times, loop=0, quality=70, method=4
        )


def main() -> None:
    """Write the picture."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=1797, help="number of digits")
    parser.add_argument("--to", type=Path, default=PICTURE, help="file to write")
    options = parser.parse_args()
    for _, notebook in opened({"steering": CELL.format(points=options.points)}, 1180, 1000):
        film(notebook).write(options.to)
    print(f"{options.to} ({options.to.stat().st_size // 1024} KiB)")


def film(notebook: Notebook, groups: Sequence[tuple[int, str]] = GROUPS) -> Camera:
    """Steer a map and keep what is seen of it."""
    hand = Hand(notebook)
    camera = Camera(hand)
    hand.map.scroll_into_view_if_needed()
    notebook.execute(GROUP + "explorer.session.reset()\nexplorer.session.play()")
    camera.take(14)
    hand.settle()
    camera.take(3)
    drag(camera, "α", [1.15, 1.3, 1.45, 1.6, 1.75])
    camera.take(6)
    drag(camera, "α", [1.5, 1.25, 1.0])
    hand.settle()
    for digit, name in groups:
        name_group(camera, digit, name)
    hand.settle()
    accept(camera)
    hand.settle()
    camera.take(2)
    return camera


def drag(camera: Camera, name: str, values: list[float]) -> None:
    """Drag a slider's thumb through some values."""
    slider = camera.hand.widget.get_by_role("slider", name=name, exact=True)
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    assert box is not None
    low, high, now = (float(slider.evaluate(f"e => +e.{k}")) for k in ("min", "max", "value"))
    thumb, y = 8, box["y"] + box["height"] / 2
    pressed = False
    for value in [now, *values]:
        share = (value - low) / (high - low)
        camera.move(box["x"] + thumb + (box["width"] - 2 * thumb) * share, y)
        if not pressed:
            camera.hand.page.mouse.down()
            pressed = True
        camera.take(2)
    camera.hand.page.mouse.up()


def name_group(camera: Camera, digit: int, name: str) -> None:
    """Lasso the points of a digit, type a name and see the map answer."""
    hand = camera.hand
    places = hand.on_screen()[hand.notebook.evaluate(f"group({digit})")]
    hand.press("Lasso")
    middle = np.median(places, axis=0)
    radius = np.quantile(np.linalg.norm(places - middle, axis=1), 0.97) + 8
    turns = np.linspace(-1.2, 2 * math.pi - 1.3, 48)
    wobble = radius * (1 + 0.05 * np.sin(3 * turns))
    path = middle + wobble[:, None] * np.c_[np.cos(turns), np.sin(turns)]
    camera.move(*path[0])
    hand.page.mouse.down()
    for k, (x, y) in enumerate(path[1:]):
        camera.move(x, y)
        if k % 6 == 0:
            camera.take()
    hand.page.mouse.up()
    hand.notebook.wait_for("explorer.selection.tolist()")
    for letter in name:
        hand.page.keyboard.type(letter)
        camera.take()
    hand.page.keyboard.press("Enter")
    hand.notebook.wait_for("explorer.labels", lambda labels: name in labels)
    camera.take(8)


def accept(camera: Camera) -> None:
    """Open the suggestions, accept those that are sure, and see the map answer."""
    hand = camera.hand
    hand.page.keyboard.press("Escape")
    panel = hand.widget.get_by_text("Suggestions", exact=True).first
    panel.scroll_into_view_if_needed()
    panel.click()
    button = hand.widget.get_by_role("button", name="Accept").first
    button.scroll_into_view_if_needed()
    camera.take(4)
    box = button.bounding_box()
    assert box is not None
    camera.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    camera.take(2)
    if button.is_enabled():
        button.click()
    camera.take(10)


if __name__ == "__main__":
    main()
