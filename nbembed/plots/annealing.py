"""Mbed's annealing path: maps at several λ, and the criterion by which layouts compete.

    J = tr(Σ_B Σ_W⁻¹)

over the classes that a layout predicts; the layout with the largest J wins. The picture is that of
"Large Margin Non-Linear Embedding" (ICML 2005), figure 3.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from bokeh.layouts import column, row
from bokeh.models import ColumnDataSource, HoverTool, Range1d, Span
from numpy.typing import ArrayLike, NDArray

from nbembed.drawing import palette
from nbembed.plots.fitting import extent, keep_scale
from nbembed.plots.inputs import path_of
from nbembed.plots.points import check_layout, cloud, plane_of
from nbembed.plots.theme import NEUTRAL, count_by_ones_twos_fives, new_figure
from nbembed.validation import check_count

#: Height in pixels of a map in a strip that is as wide as the page.
TALL = 160


def annealing_path(
    path: Any,
    y: ArrayLike | None = None,
    *,
    marked: ArrayLike | None = None,
    maps: int = 6,
    size: int | None = None,
) -> Any:
    """Return a strip of layouts along λ above the criterion J, with the best one marked.

    Parameters
    ----------
    path : fitted Mbed, Session, Explorer, or list of steps
        Steps have ``value`` (λ in radii of the map), ``embedding`` and ``criterion``.
    y : array-like of shape (n_samples,), optional
        Classes to color the points by; by default ``labels_`` of a fitted estimator.
    marked : array-like of int or bool mask, optional
        Points drawn larger, for example the labeled ones.
    maps : int, default=6
        Number of layouts to draw, evenly spaced over the path and including the best one.
    size : int, optional
        Side length of a map in pixels. By default the strip is as wide as the page or cell.

    Returns
    -------
    layout : bokeh.models.Column

    Raises
    ------
    TypeError, ValueError
        If there is no path, or ``y`` does not match its points.
    """
    steps = path_of(path)
    maps = check_count("maps", maps, low=1)
    size = None if size is None else check_count("size", size, low=60)
    layouts = [check_layout(step.embedding, "path") for step in steps]
    if len({layout.shape for layout in layouts}) > 1:
        raise ValueError(
            f"path must have layouts of one shape, got {sorted({Y.shape for Y in layouts})}"
        )
    best = winner(steps)
    shared = cloud(len(layouts[0]), getattr(path, "labels_", None) if y is None else y,
                   marked=marked, name="y")  # fmt: skip
    # All maps share one plane, so that only the points move from map to map.
    holder = getattr(path, "session", path)
    directions = getattr(holder, "directions_", getattr(holder, "directions", None))
    basis = plane_of(layouts[best if best is not None else -1], directions)
    drawn = chosen_steps(len(steps), maps, best)
    figures = []
    for k in drawn:
        flat = layouts[k] @ basis
        made = _small_map(_title(steps[k], k == best), _words(steps[k], k, k == best), flat, size)
        renderer = shared.draw(made, *shared.place(str(k), flat), scale=0.7)
        made.add_tools(shared.hover([renderer]))
        figures.append(made)
    width = None if size is None else max((size + 17) * len(drawn), 320)
    across: dict[str, Any] = {"sizing_mode": "stretch_width"} if size is None else {}
    return column(
        row(*figures, spacing=6, **across),
        _criterion(steps, drawn, best, width),
        spacing=4,
        **across,
    )


def winner(steps: list[Any]) -> int | None:
    """Return the index of the step with the largest criterion, None if none competes."""
    competing = [k for k, step in enumerate(steps) if math.isfinite(step.criterion)]
    return max(competing, key=lambda k: float(steps[k].criterion)) if competing else None


def chosen_steps(count: int, wanted: int, best: int | None) -> list[int]:
    """Return the steps of ``count`` to draw: evenly spaced ones, and the best."""
    chosen = np.unique(np.linspace(0, count - 1, min(wanted, count)).round().astype(int)).tolist()
    if best is not None and best not in chosen:
        nearest = min(range(len(chosen)), key=lambda i: abs(chosen[i] - best))
        chosen[nearest] = best
    return sorted(chosen)


def _small_map(title: str, description: str, flat: NDArray[Any], size: int | None) -> Any:
    middle = (flat.min(axis=0) + flat.max(axis=0)) / 2
    sides = 1.1 * np.ptp(flat, axis=0)
    half = float(sides.max()) / 2 or 1.0
    shape: dict[str, Any] = (
        {"height": TALL + 24, "sizing_mode": "stretch_width"}
        if size is None
        else {"frame_width": size, "frame_height": size}
    )
    made = new_figure(
        title,
        description,
        **shape,
        x_range=Range1d(start=middle[0] - half, end=middle[0] + half),
        y_range=Range1d(start=middle[1] - half, end=middle[1] + half),
        tools="pan,wheel_zoom,lasso_select,reset",
        toolbar_location=None,
    )
    made.title.text_font_size = "12px"
    made.axis.visible = False
    made.grid.visible = False
    if size is None:
        keep_scale(made, middle, np.maximum(sides, 1e-9 * half))
    return made


def _criterion(steps: list[Any], drawn: list[int], best: int | None, width: int | None) -> Any:
    """Return the figure of J against λ, which decreases from left to right as it does in time."""
    values = [step.criterion if math.isfinite(step.criterion) else math.nan for step in steps]
    # J does not exist where a class is empty: such steps are hollow markers on the axis.
    places = [0.0 if math.isnan(value) else value for value in values]
    lambdas = [float(step.value) for step in steps]
    low, high = min(lambdas), max(lambdas)
    margin = (high / low) ** 0.03 if high > low else 1.5
    made = new_figure(
        "",
        "Criterion J against lambda. "
        + (_words(steps[best], best, True) if best is not None else "No layout competes."),
        **extent(width, 190),
        x_axis_type="log",
        x_range=Range1d(start=high * margin, end=low / margin),
        tools="",
        toolbar_location=None,
    )
    made.xaxis.axis_label = "λ in radii of the map (annealed from left to right)"
    count_by_ones_twos_fives(made.xaxis[0], low, high)
    made.yaxis.axis_label = "criterion J"
    made.xgrid.visible = False
    source = ColumnDataSource(
        {
            "lambda": lambdas,
            "J": values,
            "place": places,
            "size": [10 if k in drawn else 6 for k in range(len(steps))],
            "alpha": [0.0 if math.isnan(value) else 1.0 for value in values],
            "text": ["an empty class" if math.isnan(v) else f"{v:.4g}" for v in values],
            "step": [k + 1 for k in range(len(steps))],
        }
    )
    made.line(x="lambda", y="J", source=source, line_color=palette.color(0), line_width=2)
    dots = made.scatter(
        x="lambda",
        y="place",
        source=source,
        size="size",
        line_color=palette.color(0),
        fill_color=palette.color(0),
        fill_alpha="alpha",
    )
    if best is not None:
        made.add_layout(
            Span(
                location=lambdas[best],
                dimension="height",
                line_color=NEUTRAL,
                line_dash="dashed",
                level="underlay",
            )
        )
        made.scatter(
            x=[lambdas[best]],
            y=[values[best]],
            marker="star",
            size=18,
            color=palette.color(4),
        )
    made.add_tools(
        HoverTool(
            renderers=[dots], tooltips=[("step", "@step"), ("λ", "@lambda{0.00}"), ("J", "@text")]
        )
    )
    return made


def _title(step: Any, best: bool) -> str:
    return f"λ = {step.value:.3g}" + (" ★ best" if best else "")


def _words(step: Any, index: int, best: bool) -> str:
    criterion = "none" if not math.isfinite(step.criterion) else f"{step.criterion:.3g}"
    return f"Step {index + 1}, λ = {step.value:.3g}, J = {criterion}{', the best' if best else ''}."
