"""Points to draw: layouts on a plane, the Explorer's colors, and text on hover."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from bokeh.models import (
    BasicTicker,
    CDSView,
    ColorBar,
    ColumnDataSource,
    HoverTool,
    IndexFilter,
    LinearColorMapper,
)
from bokeh.palettes import Viridis256
from numpy.typing import ArrayLike, NDArray

from nbembed.data.matrix_input import check_data, check_magnitude
from nbembed.drawing import palette
from nbembed.drawing.projection import best_plane
from nbembed.plots.theme import MIDDLE, NEUTRAL, add_legend
from nbembed.points.columns import Column, as_column
from nbembed.validation import check_points

#: With more categories there is no legend, which would be taller than the map; hovering names them.
MOST_NAMED = 40
#: Bokeh's names for the palette's symbols.
_MARKERS = {
    "circle": "circle",
    "square": "square",
    "triangle": "triangle",
    "diamond": "diamond",
    "star": "star",
    "cross": "plus",
    "wedge": "inverted_triangle",
    "pentagon": "hex",
    "saltire": "star_dot",
    "hexagon": "square_pin",
}


def check_layout(Y: Any, name: str = "Y") -> NDArray[np.float64]:
    """Return a finite layout of shape (n, d) in float64; errors name the argument."""
    layout = check_data(Y, name=name, min_samples=1)
    check_magnitude(layout, name)
    return np.asarray(layout.toarray() if hasattr(layout, "toarray") else layout, dtype=np.float64)


def plane_of(Y: NDArray[np.float64], directions: NDArray[Any] | None = None) -> NDArray[np.float64]:
    """Return orthonormal columns (d, 2) of the plane to draw ``Y`` on, the identity in 2-D."""
    d = Y.shape[1]
    if d == 1:
        return np.array([[1.0, 0.0]])
    return np.eye(2) if d == 2 else best_plane(Y, directions)


def point_size(n_samples: int) -> float:
    """Return the diameter of points in pixels, which decreases with their number."""
    return float(np.clip(180 / np.sqrt(n_samples), 3.0, 8.0))


@dataclass(frozen=True)
class Cloud:
    """Shared part of maps of the same points: a data source, and with it the selection.

    Row i of ``source`` is point i; ``column`` colors the points.
    """

    source: ColumnDataSource
    column: Column
    n_samples: int
    tooltips: tuple[tuple[str, str], ...]
    mapper: LinearColorMapper | None

    def place(self, name: str, flat: NDArray[np.float64]) -> tuple[str, str]:
        """Add a layout (n, 2) under ``name``; return the names of its two columns."""
        x, y = f"x{name}", f"y{name}"
        self.source.data[x], self.source.data[y] = flat[:, 0], flat[:, 1]
        return x, y

    def draw(self, made: Any, x: str, y: str, *, scale: float = 1.0) -> Any:
        """Draw the points in a figure, marked ones over the others, and return the renderer."""
        paint: Any = "paint"
        if self.mapper is not None:
            paint = {"field": "value", "transform": self.mapper}
        size = "size" if scale == 1.0 else {"field": "size", "transform": _times(scale)}
        look = {
            "x": x,
            "y": y,
            "source": self.source,
            "size": size,
            "marker": "marker",
            "fill_color": paint,
            "line_color": "rim",
            "line_width": 1.5,
            "fill_alpha": "opacity",
            "line_alpha": "rim_opacity",
            "selection_fill_alpha": 1.0,
            "nonselection_fill_alpha": 0.12,
            "nonselection_line_alpha": 0.12,
        }
        renderer = made.scatter(**look)
        above = np.flatnonzero(self.source.data["rim_opacity"])
        if 0 < above.size < self.n_samples:
            made.scatter(**look, view=CDSView(filter=IndexFilter(indices=above.tolist())))
        return renderer

    def hover(self, renderers: list[Any]) -> HoverTool:
        """Return the tool that shows text on hover."""
        tool = HoverTool(renderers=renderers, tooltips=list(self.tooltips))
        # Older versions of Bokeh show all points under the pointer.
        if "limit" in tool.properties():
            tool.limit = 5
        return tool

    @property
    def has_key(self) -> bool:
        """True if there is anything to explain: not too many categories, or numbers."""
        kind = self.column.kind
        return kind == "number" or (kind == "category" and len(self.column.names) <= MOST_NAMED)

    @property
    def key_width(self) -> int:
        """Return about how many pixels the legend or the color bar is wide."""
        if self.mapper is not None:
            return 100
        texts = (*self.column.names, "not known")
        columns = 1 + (len(texts) - 1) // 20
        longest = max(map(len, texts if (self.column.codes < 0).any() else texts[:-1]), default=0)
        return min(40 + max(columns * (8 * longest + 30), 8 * len(self.column.title)), 400)

    def add_key(self, made: Any, renderer: Any) -> None:
        """Add a legend of the categories, or a color bar of the numbers."""
        column = self.column
        if self.mapper is not None:
            bar = ColorBar(
                color_mapper=self.mapper,
                ticker=BasicTicker(desired_num_ticks=5),
                title=column.title or None,
                width=10,
                padding=8,
                background_fill_color=None,
                major_label_text_color=MIDDLE,
                title_text_color=MIDDLE,
            )
            made.add_layout(bar, "right")
        if column.kind != "category" or len(column.names) > MOST_NAMED:
            return
        entries: list[tuple[str, Any, int | None]] = []
        for k, name in (*enumerate(column.names), (-1, "not known")):
            own = np.flatnonzero(column.codes == k)
            if own.size:  # show a point that is not marked, if there is one
                plainest = own[self.source.data["size"][own].argmin()]
                entries.append((name, renderer, int(plainest)))
        if entries:
            add_legend(made, entries, title=column.title, place="right")


def cloud(
    n_samples: int,
    color: ArrayLike | None,
    *,
    marked: ArrayLike | None = None,
    hover: Mapping[str, ArrayLike] | None = None,
    name: str = "color",
) -> Cloud:
    """Return the shared part of maps of ``n_samples`` points; see :func:`nbembed.plots.scatter`.

    Errors call the colors ``name``.
    """
    column = as_column(color, n_samples, name)
    known = column.codes >= 0 if column.kind == "category" else np.ones(n_samples, dtype=bool)
    size = np.full(n_samples, point_size(n_samples))
    rim = np.full(n_samples, 0.0)
    opacity = np.where(known, 0.85, 0.5)
    if marked is not None:
        index = check_points(marked, n_samples, "marked")
        size[index] = np.maximum(1.8 * size[index], 8.0)
        rim[index] = 1.0
        opacity[index] = 1.0
    paint, markers = _styles(column, n_samples)
    data: dict[str, Any] = {
        "size": size,
        "opacity": opacity,
        "rim": [NEUTRAL] * n_samples,
        "rim_opacity": rim,
        "marker": markers,
        "paint": paint,
    }
    tooltips = [("point", "$index")]
    mapper = None
    if column.kind == "category":
        names = (*column.names, "not known")
        data["name"] = [names[int(code)] for code in column.codes]
        tooltips.append((column.title or "class", "@name"))
    elif column.kind == "number":
        data["value"] = column.codes
        finite = column.codes[np.isfinite(column.codes)]
        low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
        mapper = LinearColorMapper(
            palette=Viridis256, low=low, high=high if high > low else low + 1, nan_color=NEUTRAL
        )
        tooltips.append((column.title or "value", "@value"))
    if hover is not None and not isinstance(hover, Mapping):
        raise TypeError(f"hover must be a mapping of titles to values, got {hover!r}")
    for k, (title, values) in enumerate((hover or {}).items()):
        texts = np.asarray(values, dtype=object)
        if texts.shape != (n_samples,):
            raise ValueError(
                f"hover[{title!r}] must have one value for each of the {n_samples} points, "
                f"got shape {texts.shape}"
            )
        data[f"hover{k}"] = [str(value) for value in texts]
        tooltips.append((str(title), f"@hover{k}"))
    return Cloud(ColumnDataSource(data), column, n_samples, tuple(tooltips), mapper)


def paint_of(column: Column, name: str, index: int) -> str:
    """Return the color of the category ``name``, or an unused color if there is none."""
    names = column.names
    if name not in names:
        return palette.color(len(names) + index)
    return palette.category_colors(len(names), ordered=column.ordered)[names.index(name)]


def _styles(column: Column, n_samples: int) -> tuple[list[str], list[str]]:
    """Return color and marker of each point; after the fixed colors, markers differ as well."""
    if column.kind != "category":
        return [palette.color(0)] * n_samples, ["circle"] * n_samples
    codes = column.codes.astype(int)
    paints = [*palette.category_colors(len(column.names), ordered=column.ordered), NEUTRAL]
    shapes = [
        _MARKERS[palette.symbol(k // len(palette.COLORS))] for k in range(len(column.names))
    ] + ["circle"]
    return [paints[k] for k in codes], [shapes[k] for k in codes]


def _times(factor: float) -> Any:
    from bokeh.models import CustomJSTransform

    return CustomJSTransform(
        args={"factor": factor},
        func="return factor * x",
        v_func="return xs.map((x) => factor * x)",
    )
