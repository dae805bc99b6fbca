"""Maps and curves side by side in one picture, drawn without a page: figures of papers.

    picture([MapPanel("SNE", Y, y), CurvePanel("cost", {"gradient": (iterations, costs)})], 2)

returns an image with two panels to a row. Maps are drawn as still pictures of maps are
(:mod:`nbembed.drawing.picture`), each at its own scale.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont
from PIL.PngImagePlugin import PngInfo

from nbembed.drawing.palette import color
from nbembed.drawing.picture import OVERSAMPLING, Picture, PlacedCaption

WIDTH, HEIGHT = 300, 250
TITLE, FONT_SIZE = 22, 11
#: Between a panel of curves and its frame: numbers to the left and below, names to the right.
LEFT, RIGHT, MARGIN = 48, 84, 20
#: Of a file.
COLORS = 128
WHITE, INK, PALE = (255, 255, 255), (51, 51, 51), (170, 170, 170)


@dataclass(frozen=True, eq=False)
class MapPanel:
    """A map colored by classes.

    * Shapes: Y (n_samples, 2); classes (n_samples,) int.
    * marked bool: larger points: labeled or hidden ones.
    * axes mapping of str to ndarray of shape (2,): directions through the middle, with a name.
    * stretched: whether each coordinate is drawn at a scale of its own, so that the map fills the
      panel.
    """

    title: str
    Y: NDArray[Any]
    classes: NDArray[Any]
    marked: NDArray[np.bool_] | None = None
    axes: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    stretched: bool = False

    def image(self) -> Image.Image:
        """Return the panel without its title."""
        Y = np.asarray(self.Y, dtype=np.float64)
        reaches = np.ptp(Y, axis=0)
        if self.stretched:
            scale = (WIDTH, HEIGHT) / np.where(reaches > 0, reaches, 1.0)
            return replace(
                self,
                Y=Y * scale,
                axes={name: axis * scale for name, axis in self.axes.items()},
                stretched=False,
            ).image()
        shades = np.array([_rgb(color(k)) for k in range(int(self.classes.max()) + 1)], np.uint8)
        middle, reach = (Y.min(axis=0) + Y.max(axis=0)) / 2, reaches.max() / 2
        ends = {name: reach * axis / np.linalg.norm(axis) for name, axis in self.axes.items()}
        # Names at either end in turn, so that those of axes that nearly agree do not meet.
        places = {
            name: middle + (1 - 2 * (k % 2)) * (0.95 - 0.11 * (k // 2)) * end
            for k, (name, end) in enumerate(ends.items())
        }
        picture = Picture(
            Y,
            shades[self.classes],
            np.zeros(len(Y), bool) if self.marked is None else self.marked,
            [PlacedCaption(float(at[0]), float(at[1]), name) for name, at in places.items()],
            [[*(middle - end), *(middle + end)] for end in ends.values()],
        )
        return Image.open(io.BytesIO(picture.png(WIDTH, HEIGHT)))


@dataclass(frozen=True, eq=False)
class CurvePanel:
    """Lines over one axis; both axes may be ``logarithmic``, and the title says what they are."""

    title: str
    curves: Mapping[str, tuple[Any, Any]]
    logarithmic: bool = False

    def image(self) -> Image.Image:
        """Return the panel without its title."""
        scale = OVERSAMPLING
        image = Image.new("RGB", (WIDTH * scale, HEIGHT * scale), WHITE)
        draw = ImageDraw.Draw(image)
        lines = {name: np.array(ends, dtype=np.float64) for name, ends in self.curves.items()}
        lines = {name: ends[:, np.isfinite(ends).all(axis=0)] for name, ends in lines.items()}
        every = np.concatenate(list(lines.values()), axis=1)
        low, high = every.min(axis=1), every.max(axis=1)
        for k, ends in enumerate(lines.values()):
            x, y = self._share(ends, low, high)
            places = np.column_stack([
                LEFT + x * (WIDTH - LEFT - RIGHT), HEIGHT - MARGIN - y * (HEIGHT - 2 * MARGIN)
            ])  # fmt: skip
            draw.line([tuple(p) for p in scale * places], _rgb(color(k)), 2 * scale, joint="curve")
        image = image.resize((WIDTH, HEIGHT), Image.Resampling.LANCZOS)
        self._write(ImageDraw.Draw(image), low, high)
        return image

    def _share(
        self, ends: NDArray[Any], low: NDArray[Any], high: NDArray[Any]
    ) -> NDArray[np.float64]:
        if self.logarithmic:
            ends, low, high = np.log(ends), np.log(low), np.log(high)
        return np.asarray((ends - low[:, None]) / np.maximum(high - low, 1e-12)[:, None])

    def _write(self, draw: ImageDraw.ImageDraw, low: NDArray[Any], high: NDArray[Any]) -> None:
        """Draw the frame with its ends, and the names of the curves beside it."""
        font: Any = ImageFont.load_default(FONT_SIZE)
        left, right, top, bottom = LEFT, WIDTH - RIGHT, MARGIN, HEIGHT - MARGIN
        draw.rectangle((left, top, right, bottom), outline=PALE)
        for value, place, anchor in (
            (low[0], (left, bottom + 4), "la"),
            (high[0], (right, bottom + 4), "ra"),
            (low[1], (left - 4, bottom), "rs"),
            (high[1], (left - 4, top), "ra"),
        ):
            draw.text(place, _number(value), INK, font, anchor=anchor)
        for k, name in enumerate(self.curves):
            y = top + 10 + 15 * k
            draw.line((right + 5, y, right + 15, y), _rgb(color(k)), 3)
            draw.text((right + 19, y), name, INK, font, anchor="lm")


def png(panels: Sequence[MapPanel | CurvePanel], columns: int, text: Mapping[str, str]) -> bytes:
    """Return them as a PNG of few colors, with texts by their keys."""
    info = PngInfo()
    for key, value in text.items():
        info.add_text(key, value)
    file = io.BytesIO()
    few = picture(panels, columns).quantize(COLORS, dither=Image.Dither.NONE)
    few.save(file, "png", pnginfo=info, optimize=True)
    return file.getvalue()


def text_in(file: Path, key: str) -> str | None:
    """Return a text of a PNG; None if it has no such text, or is no picture."""
    try:
        with Image.open(file) as image:
            found = image.info.get(key)
    except OSError:
        return None
    return found if isinstance(found, str) else None


def picture(panels: Sequence[MapPanel | CurvePanel], columns: int) -> Image.Image:
    """Return panels side by side, each below its title."""
    rows = -(-len(panels) // columns)
    image = Image.new("RGB", (columns * WIDTH, rows * (HEIGHT + TITLE)), WHITE)
    draw = ImageDraw.Draw(image)
    font: Any = ImageFont.load_default(FONT_SIZE + 1)
    for k, panel in enumerate(panels):
        left, top = k % columns * WIDTH, k // columns * (HEIGHT + TITLE)
        draw.text((left + WIDTH // 2, top + TITLE // 2 + 2), panel.title, INK, font, anchor="mm")
        image.paste(panel.image(), (left, top + TITLE))
    return image


def _number(value: float) -> str:
    """Return a number with three digits, or all of a large one."""
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"


def _rgb(text: str) -> tuple[int, int, int]:
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)
