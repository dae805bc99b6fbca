"""Figures of any lines, in the common theme."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from bokeh.models import ColumnDataSource, HoverTool
from numpy.typing import ArrayLike, NDArray

from nbembed.drawing import palette
from nbembed.plots.fitting import extent
from nbembed.plots.theme import add_legend, count_by_ones_twos_fives, new_figure
from nbembed.validation import check_numbers, check_text

#: Distinguish lines where color does not.
DASHES = ("solid", "dashed", "dotted", "dotdash")
PLACES = ("top_left", "top_right", "bottom_left", "bottom_right", "left", "right", "above", "below")


def lines(
    curves: Mapping[str, tuple[ArrayLike, ArrayLike]],
    *,
    x_label: str = "x",
    y_label: str = "y",
    log: str = "",
    title: str = "",
    legend: str = "top_right",
    width: int | None = None,
    height: int = 320,
) -> Any:
    """Return a figure of lines, distinguished by color and dashes.

    Parameters
    ----------
    curves : mapping of str to pair of array-like of shape (n_points,)
        Name to x and y. NaN in y leaves a gap.
    x_label, y_label : str
    log : {"", "x", "y", "xy"}
        Axes with a logarithmic scale.
    title : str
    legend : str
        A corner such as "top_right", or a side such as "right".
    width, height : int
        Pixels; by default the figure is as wide as the page or cell.

    Returns
    -------
    figure : bokeh.plotting.figure

    Raises
    ------
    ValueError, TypeError
        If x and y of a curve differ in length, or values on a logarithmic axis are not positive.

    Examples
    --------
    >>> figure = lines({"square": ([1, 2, 3], [1, 4, 9])}, x_label="side", y_label="area")
    >>> figure.xaxis.axis_label
    'side'
    """
    if not isinstance(curves, Mapping):
        raise TypeError(f"curves must be a mapping of names to (x, y), got {type(curves).__name__}")
    if not curves:
        raise ValueError("curves must have at least one curve, got none")
    if log not in ("", "x", "y", "xy"):
        raise ValueError(f'log must be "", "x", "y" or "xy", got {log!r}')
    if legend not in PLACES:
        raise ValueError(f"legend must be one of {', '.join(PLACES)}, got {legend!r}")
    check_text("title", title)
    check_text("x_label", x_label)
    check_text("y_label", y_label)
    checked = {str(name): _pair(pair, str(name), log) for name, pair in curves.items()}
    made = line_figure(
        title,
        f"{y_label} against {x_label}: {', '.join(checked)}",
        width,
        height,
        x_axis_type="log" if "x" in log else "linear",
        y_axis_type="log" if "y" in log else "linear",
    )
    made.xaxis.axis_label, made.yaxis.axis_label = x_label, y_label
    for k, axis in enumerate((made.xaxis[0], made.yaxis[0])):
        values = np.concatenate([pair[k] for pair in checked.values()])
        low, high = float(np.nanmin(values)), float(np.nanmax(values))
        if "xy"[k] in log and low >= 0.001 and high / low <= 1e4:
            count_by_ones_twos_fives(axis, low, high)
    entries = [
        draw_line(made, name, k, "x", "y", {"x": x, "y": y})
        for k, (name, (x, y)) in enumerate(checked.items())
    ]
    finish(made, entries, [(x_label, "@x{0.[0000]}"), (y_label, "@y{0.[0000]}")], legend)
    return made


def line_figure(title: str, what: str, width: int | None, height: int, **options: Any) -> Any:
    """Return an empty figure for lines."""
    return new_figure(
        title,
        f"{what}. {title}".strip(),
        **extent(width, height),
        tools="pan,box_zoom,wheel_zoom,reset,save",
        **options,
    )


def draw_line(
    made: Any, name: str, number: int, x: str, y: str, data: Mapping[str, NDArray[Any]]
) -> tuple[str, Any, int | None]:
    """Draw a line and return its legend entry."""
    source = ColumnDataSource({**data, "name": [name] * len(data[x])})
    drawn = made.line(
        x=x,
        y=y,
        source=source,
        color=palette.color(number),
        line_width=2,
        line_dash=DASHES[number % len(DASHES)],
    )
    return name, drawn, None


def finish(
    made: Any,
    entries: list[tuple[str, Any, int | None]],
    tooltips: list[tuple[str, str]],
    place: str,
) -> None:
    """Add a legend, whose entries mute their lines, and text on hover."""
    add_legend(made, entries, place=place).click_policy = "mute"
    drawn = [line for _, line, _ in entries]
    made.add_tools(HoverTool(renderers=drawn, tooltips=[("curve", "@name"), *tooltips]))


def _pair(pair: Any, name: str, log: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    if not isinstance(pair, Sequence) or len(pair) != 2:
        raise TypeError(f"curves[{name!r}] must be a pair (x, y), got {type(pair).__name__}")
    try:
        x, y = (check_numbers("", values) for values in pair)
    except (TypeError, ValueError):
        raise TypeError(f"curves[{name!r}] must be numbers") from None
    if x.ndim != 1 or x.shape != y.shape or x.size == 0:
        raise ValueError(
            f"curves[{name!r}] must have equally many x and y, at least one, got shapes "
            f"{x.shape} and {y.shape}"
        )
    if not np.isfinite(x).all() or np.isinf(y).any() or np.isnan(y).all():
        raise ValueError(f"curves[{name!r}] must be finite, except that some of y may be NaN")
    for values, axis in ((x, "x"), (y, "y")):
        if axis in log and np.nanmin(values) <= 0:
            raise ValueError(
                f"curves[{name!r}] must have {axis} above 0 on a logarithmic axis, got "
                f"{np.nanmin(values):g}"
            )
    return x, y
