"""A still picture of a map, as PNG or SVG: points, the names of classes, a legend.

It is drawn without a page, for a notebook that nobody has open, for GitHub and for scripts. What a
page shows at its own zoom is exported by the page itself.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont
from PIL.PngImagePlugin import PngInfo

from nbembed.drawing.caption_places import caption_places
from nbembed.drawing.marker_shapes import corners
from nbembed.points.text import in_sentence, name_of

#: A tEXt chunk with this key tells a page that a PNG stands in for the Explorer beside it.
PNG_KEY = "nbembed-map"
#: Points drawn one by one; more are counted by pixel.
MOST_MARKERS = 20_000
#: Pixels of a PNG drawn for each of its pixels, in each direction.
OVERSAMPLING = 3
MARGIN, LEGEND_ROW, LEGEND_LIMIT = 18, 17, 16
FONT_SIZE = 11
#: Width of the line in the color of the background around names on the map, in pixels.
HALO = 1.5
#: Width of the column of the legend.
LEGEND_WIDTH = 130
#: Characters of names and of the line at the bottom; the rest is cut.
LONGEST_NAME, LONGEST_NOTE = 28, 100
#: Width of the outline of a labeled point, in pixels, and how dark it is: many labels must not bury
#: the colors of a group.
OUTLINE, OUTLINE_SHARE = 0.8, 0.6

RGB = tuple[int, int, int]


@dataclass(frozen=True)
class Caption:
    """The name of a group of ``points``."""

    text: str
    points: NDArray[np.intp]


@dataclass(frozen=True)
class PlacedCaption:
    """A name at a place of the map."""

    x: float
    y: float
    text: str


@dataclass(frozen=True)
class Picture:
    """The contents of a picture, in the units of the map.

    * Shapes: positions (n_samples, 2); colors (n_samples, 3) uint8.
    * marked (n_samples,) bool: labeled points: larger, with an outline, and above the others.
    * lines: borders between regions.
    * legend sequence of (name, "#RRGGBB", shape): a shape is a place in
      :data:`~nbembed.drawing.palette.SYMBOLS`.
    * note: a line at the bottom.
    * shapes (n_samples,) int: of labeled points; the others are circles.
    """

    positions: NDArray[Any]
    colors: NDArray[np.uint8]
    marked: NDArray[np.bool_]
    captions: Sequence[Caption | PlacedCaption] = ()
    lines: Sequence[Sequence[float]] = ()
    legend: Sequence[tuple[str, str, int]] = ()
    note: str = ""
    background: RGB = (255, 255, 255)
    ink: RGB = (51, 51, 51)
    shapes: NDArray[np.intp] | None = None

    def png(self, width: int = 640, height: int = 460, *, stands_in: bool = False) -> bytes:
        """Return the picture as a PNG of so many pixels.

        With ``stands_in`` it says that it is there in place of an Explorer, so that a page with a
        live map hides it. A picture that somebody made to look at is never hidden.
        """
        scale = OVERSAMPLING
        image = Image.new("RGB", (width * scale, height * scale), self.background)
        places = self._on_screen(width, height) * scale
        draw = ImageDraw.Draw(image)
        for line in self._lines(width, height):
            draw.line([v * scale for v in line], fill=self._mixed(0.45), width=scale)
        if len(places) > MOST_MARKERS:
            self._count(image, places, scale)
            draw = ImageDraw.Draw(image)
            points = np.flatnonzero(self.marked)[:MOST_MARKERS]
        else:
            points = self._order()
        radius = self._radius() * scale
        outline = self._mixed(OUTLINE_SHARE)
        for i in points.tolist():
            x, y = places[i]
            color = tuple(self.colors[i].tolist())
            if self.marked[i]:
                r = radius + 1.2 * scale
                _marker(draw, x, y, r, self._shape(i), outline)
                _marker(draw, x, y, r - OUTLINE * scale, self._shape(i), color)
            else:
                _marker(draw, x, y, radius, 0, color)
        self._write_captions(draw, width, height, scale)
        self._write(draw, height, scale)
        image = image.resize((width, height), Image.Resampling.LANCZOS)
        info = PngInfo()
        if stands_in:
            info.add_text(PNG_KEY, "1")
        file = io.BytesIO()
        image.save(file, "png", pnginfo=info, optimize=True)
        return file.getvalue()

    def svg(self, width: int = 640, height: int = 460) -> str:
        """Return the picture as an SVG document of so many pixels."""
        places, radius = self._on_screen(width, height), self._radius()
        ink, back = _hex(self.ink), _hex(self.background)
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" font-family="system-ui, sans-serif" '
            f'font-size="{FONT_SIZE}">',
            f'<rect width="{width}" height="{height}" fill="{back}"/>',
        ]
        parts += [
            f'<line x1="{x:.1f}" y1="{y:.1f}" x2="{u:.1f}" y2="{v:.1f}" stroke="{ink}" '
            f'stroke-opacity="0.45" stroke-dasharray="5 4"/>'
            for x, y, u, v in self._lines(width, height)
        ]
        for i in self._order().tolist():
            (x, y), fill = places[i], _hex(self.colors[i])
            line = f' stroke="{ink}" stroke-width="{OUTLINE}" stroke-opacity="{OUTLINE_SHARE}"'
            more = line if self.marked[i] else ' fill-opacity="0.85"'
            r = radius + 1 if self.marked[i] else radius
            parts.append(_element(x, y, r, self._shape(i), f'fill="{fill}"{more}'))
        for x, y, text in self._captions(width, height):
            parts.append(
                f'<text x="{x:.1f}" y="{y + 0.35 * FONT_SIZE:.1f}" text-anchor="middle" '
                f'font-weight="600" fill="{ink}" stroke="{back}" stroke-width="{2 * HALO:g}" '
                f'stroke-linejoin="round" paint-order="stroke">'
                f"{escape(text)}</text>"
            )
        for k, (name, color, shape) in enumerate(self._legend()):
            y = MARGIN + k * LEGEND_ROW
            parts.append(_element(MARGIN, y, 4.5, shape, f'fill="{escape(color)}"'))
            parts.append(f'<text x="{MARGIN + 10}" y="{y + 4}" fill="{ink}">{escape(name)}</text>')
        if self.note:
            text = escape(_line(self.note, LONGEST_NOTE))
            parts.append(
                f'<text x="{MARGIN}" y="{height - 8}" fill="{ink}" fill-opacity="0.7">{text}</text>'
            )
        return "\n".join([*parts, "</svg>", ""])

    # -- where things are ---------------------------------------------------------------------

    def _on_screen(self, width: int, height: int) -> NDArray[np.float64]:
        """Return the places of the points in pixels."""
        places = self._to_screen(self.positions, width, height)
        return np.round(places, 2)

    def _to_screen(self, places: Any, width: int, height: int) -> NDArray[np.float64]:
        Y = np.asarray(self.positions, dtype=np.float64)
        low, high = (Y.min(axis=0), Y.max(axis=0)) if len(Y) else (np.zeros(2), np.ones(2))
        span = np.maximum(high - low, 1e-12)
        left = MARGIN + (LEGEND_WIDTH if self.legend else 0)
        room = np.array([width - MARGIN - left, height - 2 * MARGIN - (10 if self.note else 0)])
        scale = float((room / span).min())
        middle = np.array([left, MARGIN]) + room / 2
        away = np.asarray(places, dtype=np.float64).reshape(-1, 2) - (low + high) / 2
        return np.asarray(middle + away * np.array([scale, -scale]))

    def _lines(self, width: int, height: int) -> list[list[float]]:
        ends = np.asarray(self.lines, dtype=np.float64).reshape(-1, 2)
        return self._to_screen(ends, width, height).reshape(-1, 4).tolist() if len(ends) else []

    def _captions(self, width: int, height: int) -> list[tuple[float, float, str]]:
        """Return the middles of the names: where they are placed, or have room."""
        placed = [c for c in self.captions if isinstance(c, PlacedCaption)]
        groups = [c for c in self.captions if isinstance(c, Caption)]
        ends = self._to_screen([(c.x, c.y) for c in placed], width, height).tolist()
        fixed = [(x, y, _line(c.text)) for (x, y), c in zip(ends, placed)]
        if not groups:
            return fixed
        texts = [_line(caption.text) for caption in groups]
        font = _font(FONT_SIZE)
        sizes = [(font.getlength(text) + 2 * HALO, FONT_SIZE + 2 * HALO) for text in texts]
        left = LEGEND_WIDTH + MARGIN / 2 if self.legend else 2
        bottom = height - (MARGIN if self.note else 2)
        found = caption_places(
            self._on_screen(width, height),
            [caption.points for caption in groups],
            sizes,
            (left, 2, width - 2, bottom),
        )
        return fixed + [(*place, text) for place, text in zip(found, texts) if place is not None]

    def _legend(self) -> list[tuple[str, str, int]]:
        rows = [(_line(name), color, shape) for name, color, shape in self.legend[:LEGEND_LIMIT]]
        more = len(self.legend) - LEGEND_LIMIT
        return [*rows, (f"and {more} more", _hex(self.background), 0)] if more > 0 else rows

    def _shape(self, i: int) -> int:
        return 0 if self.shapes is None or not self.marked[i] else int(self.shapes[i])

    def _radius(self) -> float:
        return float(min(4.0, max(0.9, (9.4 - 1.35 * np.log10(max(len(self.positions), 1))) / 2)))

    def _order(self) -> NDArray[np.intp]:
        """Return the points in the order in which they are drawn: labeled ones last."""
        return np.argsort(self.marked, kind="stable")

    def _mixed(self, share: float) -> RGB:
        """Return ink thinned with the background."""
        r, g, b = (round(b + share * (i - b)) for i, b in zip(self.ink, self.background))
        return r, g, b

    # -- drawing ------------------------------------------------------------------------------

    def _count(self, image: Image.Image, places: NDArray[Any], scale: int) -> None:
        """Draw many points as a density: opacity by the logarithm of their number in a pixel."""
        width, height = image.size[0] // scale, image.size[1] // scale
        x, y = (places / scale).astype(int).T
        inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
        cell = (y * width + x)[inside]
        count = np.bincount(cell, minlength=width * height).astype(np.float64)
        total = np.stack(
            [
                np.bincount(cell, weights=self.colors[inside, c], minlength=width * height)
                for c in range(3)
            ],
            axis=-1,
        )
        mean = total / np.maximum(count, 1)[:, None]
        opacity = np.where(count > 0, 0.35 + 0.65 * np.log1p(count) / np.log1p(count.max()), 0.0)
        drawn = opacity[:, None] * mean + (1 - opacity[:, None]) * np.array(self.background)
        pixels = Image.fromarray(drawn.round().astype(np.uint8).reshape(height, width, 3))
        mask = Image.fromarray(np.uint8(255 * (count > 0)).reshape(height, width))
        size = image.size
        image.paste(pixels.resize(size, Image.Resampling.NEAREST), (0, 0), mask.resize(size))

    def _write_captions(
        self, draw: ImageDraw.ImageDraw, width: int, height: int, scale: int
    ) -> None:
        """Write names with a halo and no box, so that the points around them stay visible."""
        for x, y, text in self._captions(width, height):
            draw.text(
                (x * scale, y * scale), text, self.ink, _font(FONT_SIZE * scale), anchor="mm",
                stroke_width=round(HALO * scale), stroke_fill=self.background,
            )  # fmt: skip

    def _write(self, draw: ImageDraw.ImageDraw, height: int, scale: int) -> None:
        """Write the legend and the note, at ``scale``: whole pixels would be uneven gaps."""
        font = _font(FONT_SIZE * scale)
        left, radius = MARGIN * scale, 4 * scale
        for k, (name, color, shape) in enumerate(self._legend()):
            y = (MARGIN + k * LEGEND_ROW) * scale
            _marker(draw, left, y, radius, shape, color)
            draw.text((left + 10 * scale, y), name, self.ink, font, anchor="lm")
        if self.note:
            text = _line(self.note, LONGEST_NOTE)
            draw.text((left, (height - 12) * scale), text, self._mixed(0.7), font, anchor="lm")


def _marker(
    draw: ImageDraw.ImageDraw, x: float, y: float, radius: float, shape: int, fill: Any
) -> None:
    ends = corners(shape)
    if ends:
        draw.polygon([(x + radius * u, y + radius * v) for u, v in ends], fill=fill)
    else:
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=fill)


def _element(x: float, y: float, radius: float, shape: int, paint: str) -> str:
    """Return a marker as an element of an SVG."""
    ends = corners(shape)
    if not ends:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" {paint}/>'
    points = " ".join(f"{x + radius * u:.1f},{y + radius * v:.1f}" for u, v in ends)
    return f'<polygon points="{points}" {paint}/>'


@cache
def _font(size: int) -> Any:
    return ImageFont.load_default(size)


def _hex(color: Any) -> str:
    r, g, b = (int(v) for v in color)
    return f"#{r:02X}{g:02X}{b:02X}"


def _line(text: str, longest: int = LONGEST_NAME) -> str:
    """Return text as one short line without marks of direction or characters that act."""
    plain = in_sentence(name_of(text))
    return plain if len(plain) <= longest else f"{plain[: longest - 1]}…"
