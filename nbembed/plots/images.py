"""Small gray or colored images side by side: digits, faces, weights of pixels, small matrices."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from bokeh.models import ColorBar, ColumnDataSource, HoverTool, LinearColorMapper, Range1d
from numpy.typing import ArrayLike, NDArray

from nbembed.plots.fitting import keep_scale
from nbembed.plots.theme import MIDDLE, NEUTRAL, new_figure
from nbembed.validation import check_count, check_flag, check_numbers, check_text

#: Images in one figure; more of them nobody looks at.
MOST_IMAGES = 400
#: Room between images, and for the titles above a row, in sides of an image.
GAP, HEAD = 0.08, 0.16
#: From white through gray to black, and from blue through white to orange.
GRAYS = tuple(f"#{level:02X}{level:02X}{level:02X}" for level in range(255, -1, -1))
_BLUE, _WHITE, _ORANGE = np.array([0, 90, 160]), np.array([250, 250, 248]), np.array([200, 85, 0])


def images(
    pictures: ArrayLike | Sequence[ArrayLike],
    titles: Sequence[str] | None = None,
    *,
    signed: bool = False,
    columns: int = 8,
    title: str = "",
    size: int = 120,
) -> Any:
    """Return a figure of small images, all in the same colors; hovering reads their values.

    Parameters
    ----------
    pictures : array-like of shape (n_images, height, width), or sequence of 2-D array-like
        Values of the pixels, row 0 at the top.
    titles : sequence of str, optional
        What to write above each image.
    signed : bool, default=False
        Colors from blue (negative) through white (0) to orange (positive), with a color bar. By
        default the smallest value, but at most 0, is white and the largest black, as ink on paper.
    columns : int, default=8
        Number of images in a row.
    title : str
        Title of the figure.
    size : int, default=120
        Longer side of an image in pixels, where the page has room for it.

    Returns
    -------
    figure : bokeh.plotting.figure

    Raises
    ------
    ValueError, TypeError
        If an image is not finite numbers in two dimensions, or ``titles`` does not name each.

    Examples
    --------
    >>> import numpy as np
    >>> figure = images(np.eye(3).reshape(1, 3, 3), ["the identity"])
    >>> figure.renderers[0].data_source.data["title"]
    ['the identity']
    """
    checked = _checked(pictures)
    names = _names(titles, len(checked))
    check_flag("signed", signed)
    columns = min(check_count("columns", columns), len(checked))
    size = check_count("size", size, low=20)
    rows = -(-len(checked) // columns)
    # One unit is the longer side of the largest image.
    longest = max(max(picture.shape) for picture in checked)
    wide = max(picture.shape[1] for picture in checked) / longest
    tall = max(picture.shape[0] for picture in checked) / longest
    head = HEAD if any(names) else 0.0
    right, down = wide + GAP, tall + GAP + head
    box = np.array([columns * right, rows * down])
    bar = 90 if signed else 0
    made = new_figure(
        title,
        f"{len(checked)} images. {title} {', '.join(filter(None, names[:20]))}".strip(),
        sizing_mode="stretch_width",
        max_width=round(size * box[0]) + bar + 20,
        height=round(size * box[1]) + 12 + (22 if title else 0),
        x_range=Range1d(start=0, end=box[0]),
        y_range=Range1d(start=-box[1], end=0),
        tools="save",
        toolbar_location=None,
    )
    made.axis.visible = made.grid.visible = False
    made.outline_line_alpha = 0
    keep_scale(made, np.array([box[0], -box[1]]) / 2, box)
    k = np.arange(len(checked))
    left, top = k % columns * right, -(k // columns) * down - head
    widths = np.array([picture.shape[1] for picture in checked]) / longest
    heights = np.array([picture.shape[0] for picture in checked]) / longest
    source = ColumnDataSource(
        {
            # Bokeh draws the first row at the bottom.
            "image": [picture[::-1] for picture in checked],
            "x": left,
            "y": top - heights,
            "dw": widths,
            "dh": heights,
            "title": names,
        }
    )
    mapper = _mapper(checked, signed)
    shown = made.image(
        image="image", x="x", y="y", dw="dw", dh="dh", source=source, color_mapper=mapper
    )
    made.rect(
        x=left + widths / 2,
        y=top - heights / 2,
        width=widths,
        height=heights,
        fill_color=None,
        line_color=NEUTRAL,
        line_alpha=0.5,
    )
    if head:
        made.text(
            x=left,
            y=top + 0.03,
            text=names,
            text_font_size="11px",
            text_baseline="bottom",
            text_color=MIDDLE,
        )
    tips = [("value", "@image")]
    made.add_tools(HoverTool(renderers=[shown], tooltips=[("image", "@title"), *tips][not head :]))
    if signed:
        made.add_layout(
            ColorBar(
                color_mapper=mapper,
                width=10,
                padding=8,
                background_fill_color=None,
                major_label_text_color=MIDDLE,
            ),
            "right",
        )
    return made


def _checked(pictures: Any) -> list[NDArray[np.float64]]:
    if isinstance(pictures, str | bytes) or not isinstance(pictures, Iterable):
        raise TypeError(f"pictures must be a sequence of images, got {pictures!r}")
    given = list(pictures)
    if not 1 <= len(given) <= MOST_IMAGES:
        raise ValueError(f"pictures must be 1 to {MOST_IMAGES} images, got {len(given)}")
    checked = [check_numbers(f"pictures[{k}]", picture) for k, picture in enumerate(given)]
    for k, picture in enumerate(checked):
        if picture.ndim != 2 or not picture.size:
            raise ValueError(
                f"pictures[{k}] must have a height and a width, got shape {picture.shape}"
            )
        if not np.isfinite(picture).all() or np.abs(picture).max() > 1e300:
            raise ValueError(f"pictures[{k}] must be finite and at most 1e300 in magnitude")
    return checked


def _names(titles: Any, count: int) -> list[str]:
    if titles is None:
        return [""] * count
    if isinstance(titles, str) or not hasattr(titles, "__iter__"):
        raise TypeError(f"titles must be a list of names, got {titles!r}")
    names = [check_text("titles", str(name)) for name in titles]
    if len(names) != count:
        raise ValueError(f"titles must name each of {count} images, got {len(names)}")
    return names


def _mapper(checked: list[NDArray[np.float64]], signed: bool) -> LinearColorMapper:
    """Return the colors of values, the same for all images."""
    low = min(float(picture.min()) for picture in checked)
    high = max(float(picture.max()) for picture in checked)
    if signed:
        reach = max(-low, high) or 1.0
        return LinearColorMapper(palette=_diverging(), low=-reach, high=reach)
    low = min(low, 0.0)
    return LinearColorMapper(palette=GRAYS, low=low, high=high if high > low else low + 1.0)


def _diverging() -> list[str]:
    found = []
    for place in np.linspace(-1, 1, 255):
        end = _BLUE if place < 0 else _ORANGE
        red, green, blue = (_WHITE + abs(place) * (end - _WHITE)).round().astype(int)
        found.append(f"#{red:02X}{green:02X}{blue:02X}")
    return found
