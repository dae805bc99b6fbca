"""Maps: one, or several of the same points side by side with a shared selection."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from bokeh.layouts import gridplot
from bokeh.models import (
    BoxZoomTool,
    LassoSelectTool,
    PanTool,
    Range1d,
    ResetTool,
    SaveTool,
    TapTool,
    WheelZoomTool,
)
from numpy.typing import ArrayLike, NDArray

from nbembed.plots.beside_points import (
    checked_owners,
    checked_places,
    draw_borders,
    draw_centers,
    draw_directions,
)
from nbembed.plots.fitting import keep_scale
from nbembed.plots.points import Cloud, check_layout, cloud, plane_of
from nbembed.plots.theme import new_figure
from nbembed.plots.titles import LETTER, fit_titles, metric_parts, title_height, titles
from nbembed.validation import check_count, check_flag, check_text

#: Height in pixels of a map that is as wide as the page, alone and in a grid.
TALL, TALL_IN_GRID = 400, 300
#: Width in pixels that a narrow page leaves to the maps of a grid, whose titles can be read there.
NARROW = 430


def scatter(
    Y: ArrayLike,
    color: ArrayLike | None = None,
    *,
    centers: ArrayLike | None = None,
    center_names: Sequence[str] | None = None,
    center_classes: ArrayLike | None = None,
    directions: ArrayLike | None = None,
    direction_names: Sequence[str] | None = None,
    marked: ArrayLike | None = None,
    hover: Mapping[str, ArrayLike] | None = None,
    title: str = "",
    size: int | None = None,
    legend: bool = True,
) -> Any:
    """Return a figure of one map.

    Parameters
    ----------
    Y : array-like of shape (n_samples, n_components)
        More than two dimensions are projected onto their plane of largest variance, within the
        span of the directions if there are any.
    color : array-like of shape (n_samples,), optional
        Classes or numbers, in the same colors as in the Explorer. Among few distinct integers, −1
        is a class like any other; None and NaN are gray.
    centers : array-like of shape (n_centers, n_components), optional
        Further named places, for example the class centers of Parametric Embedding.
    center_names : sequence of str, optional
        A center with the name of a category has its color.
    center_classes : array-like of shape (n_centers,), optional
        Class of each center, such as ``center_classes_`` of ``Mbed(directions="centers")``. Where a
        map of two dimensions has them, borders between the regions of classes are drawn: a place
        belongs to the class of its nearest center.
    directions : array-like of shape (n_classes, n_components), optional
        Arrows from the origin, for example the class directions of Mbed.
    direction_names : sequence of str, optional
    marked : array-like of int or bool mask, optional
        Points drawn larger and with an outline, for example the labeled ones.
    hover : mapping of str to array-like of shape (n_samples,), optional
        Further text on hover.
    title : str
    size : int, optional
        Side length of the map in pixels. By default the map is as wide as the page or cell, and as
        its neighbors in a ``bokeh.layouts.row`` with ``sizing_mode="stretch_width"``.
    legend : bool, default=True
        Whether to add a legend beside the map.

    Returns
    -------
    figure : bokeh.plotting.figure
        Both axes have the same scale; tools are lasso, tap, zoom and hover.

    Raises
    ------
    ValueError, TypeError
        If an argument does not match the points; the message names it.

    Examples
    --------
    >>> import numpy as np
    >>> figure = scatter(np.eye(3), ["a", "b", "a"], title="three corners")
    >>> figure.title.text.text
    'three corners'
    """
    layout = check_layout(Y)
    d = layout.shape[1]
    middles, names = checked_places("center", centers, center_names, d)
    owners = checked_owners(center_classes, middles, d)
    if owners is not None and center_names is None:
        names = [str(owner) for owner in owners]
    arrows, arrow_names = checked_places("direction", directions, direction_names, d)
    size = _size(size)
    check_flag("legend", legend)
    shared = cloud(len(layout), color, marked=marked, hover=hover)
    basis = plane_of(layout, arrows)
    seen = [layout @ basis]
    reach = 0.0
    if middles is not None:
        seen.append(middles @ basis)
    if arrows is not None:
        reach = 0.8 * float(np.abs(seen[0]).max()) or 1.0
        longest = float(np.linalg.norm(arrows, axis=1).max()) or 1.0
        seen.append(np.vstack([np.zeros((1, 2)), arrows @ basis * (reach / longest)]))
    made = _map_figure(
        title,
        _say(title, layout, shared),
        np.vstack(seen),
        size or TALL,
        size is None,
        len(seen) > 1,
    )
    if owners is not None:
        draw_borders(made, seen[1], owners)
    renderer = shared.draw(made, *shared.place("", seen[0]))
    made.add_tools(shared.hover([renderer]))
    if middles is not None:
        draw_centers(made, seen[1], names, shared)
    if arrows is not None:
        draw_directions(made, seen[-1][1:], arrow_names, shared)
    if legend:
        shared.add_key(made, renderer)
    return made


def comparison_grid(
    layouts: Mapping[str, ArrayLike],
    color: ArrayLike | None = None,
    *,
    metrics: Mapping[str, str | Mapping[str, float]] | None = None,
    marked: ArrayLike | None = None,
    hover: Mapping[str, ArrayLike] | None = None,
    columns: int = 3,
    size: int | None = None,
) -> Any:
    """Return maps of the same points side by side; a selection in one is shown in all.

    Parameters
    ----------
    layouts : mapping of str to array-like of shape (n_samples, n_components)
        Layouts by title.
    color : array-like of shape (n_samples,), optional
        See :func:`scatter`.
    metrics : mapping of str to (str or mapping of str to float), optional
        What to write below a layout's title: a text, or numbers by name.
    marked, hover
        See :func:`scatter`.
    columns : int, default=3
        Number of maps in a row.
    size : int, optional
        Side length of a map in pixels. By default the maps of a row share the width of the page or
        cell, and the legend is beside the first row.

    Returns
    -------
    grid : bokeh.models.GridPlot

    Raises
    ------
    ValueError, TypeError
        If layouts differ in their number of points, or another argument does not match them.

    Examples
    --------
    >>> import numpy as np
    >>> grid = comparison_grid({"first": np.eye(3), "second": np.eye(3)[:, :2]}, [0, 1, 1])
    >>> len(grid.children)
    2
    """
    checked = check_layouts(layouts)
    n_samples = len(next(iter(checked.values())))
    columns = check_count("columns", columns)
    size = _size(size)
    if metrics is not None and not isinstance(metrics, Mapping):
        raise TypeError(f"metrics must be a mapping with names of layouts as keys, got {metrics!r}")
    lines = {} if metrics is None else dict(metrics)
    unknown = sorted(map(str, set(lines) - set(checked)))
    if unknown:
        raise ValueError(f"metrics must have keys among the layouts {list(checked)}, got {unknown}")
    shared = cloud(n_samples, color, marked=marked, hover=hover)
    figures = []
    by_name = {name: metric_parts(lines.get(name, "")) for name in checked}
    width = size or NARROW // min(columns, len(checked))
    room = int(width / LETTER)
    texts = titles(by_name, room)
    for k, (name, layout) in enumerate(checked.items()):
        flat = layout @ plane_of(layout)
        say = _say(f"{name} {', '.join(by_name[name])}", layout, shared)
        made = _map_figure(texts[k], say, flat, size or TALL_IN_GRID, size is None, False)
        renderer = shared.draw(made, *shared.place(str(k), flat))
        made.add_tools(shared.hover([renderer]))
        # One legend for all maps, at the end of the first row.
        if size is not None and k == min(columns, len(checked)) - 1:
            shared.add_key(made, renderer)
        figures.append(made)
    options: dict[str, Any] = {"toolbar_options": {"logo": None}}
    if size is not None:
        return gridplot(figures, ncols=columns, **options)
    fit_titles(figures, by_name, room)
    rows = [figures[k : k + columns] for k in range(0, len(figures), columns)]
    key = _key(shared, TALL_IN_GRID) if shared.has_key else None
    if key is not None:
        # In a column of its own, so that the maps of the first row are as wide as the others.
        rows[0].append(key)
    grid = gridplot(rows, sizing_mode="stretch_width", **options)
    if key is not None:  # a grid treats all figures alike
        key.sizing_mode = "fixed"
        grid.cols = ["1fr"] * (len(rows[0]) - 1) + ["max-content"]
    return grid


def check_layouts(layouts: Any) -> dict[str, NDArray[np.float64]]:
    """Return layouts by name; raise unless they are valid layouts of the same points."""
    if not isinstance(layouts, Mapping):
        raise TypeError(
            f"layouts must be a mapping of names to layouts, got {type(layouts).__name__}"
        )
    if not layouts:
        raise ValueError("layouts must have at least one layout, got none")
    checked = {
        check_text("names of layouts", str(k)): check_layout(Y, f"layouts[{k!r}]")
        for k, Y in layouts.items()
    }
    sizes = {name: len(Y) for name, Y in checked.items()}
    if len(set(sizes.values())) > 1:
        raise ValueError(f"layouts must all be of the same points, got sizes {sizes}")
    return checked


def _map_figure(
    title: str,
    description: str,
    seen: NDArray[np.float64],
    size: int,
    stretch: bool,
    roomy: bool,
) -> Any:
    """Return an empty figure that contains ``seen``, with the same scale on both axes.

    It is square, or with ``stretch`` as wide as the page and ``size`` high.
    """
    low, high = seen.min(axis=0), seen.max(axis=0)
    margin = 0.62 if roomy else 0.55
    half = margin * float((high - low).max()) or 1.0
    middle = (low + high) / 2
    lasso = LassoSelectTool()
    shape: dict[str, Any] = (
        {"height": size + title_height(title), "sizing_mode": "stretch_width"}
        if stretch
        else {"frame_width": size, "frame_height": size}
    )
    made = new_figure(
        title,
        description,
        **shape,
        x_range=Range1d(start=middle[0] - half, end=middle[0] + half),
        y_range=Range1d(start=middle[1] - half, end=middle[1] + half),
        tools=[
            lasso,
            PanTool(),
            WheelZoomTool(),
            BoxZoomTool(match_aspect=True),
            TapTool(),
            ResetTool(),
            SaveTool(),
        ],
        active_drag=lasso,
    )
    made.axis.visible = False
    made.grid.visible = False
    if stretch:
        keep_scale(made, middle, np.maximum(2 * margin * (high - low), 1e-9 * half))
    return made


def _key(shared: Cloud, height: int) -> Any:
    """Return a figure of nothing but the legend or the color bar."""
    lasso = LassoSelectTool()
    made = new_figure(
        "",
        "Legend",
        width=shared.key_width,
        height=height,
        x_range=Range1d(start=0, end=1),
        y_range=Range1d(start=0, end=1),
        # The tool of the maps, since the toolbars of a grid are merged.
        tools=[lasso],
        active_drag=lasso,
        toolbar_location=None,
    )
    made.axis.visible = False
    made.grid.visible = False
    made.outline_line_alpha = 0
    # The legend takes its marks from a renderer of its own figure; its points are out of sight.
    nowhere = [-9.0] * shared.n_samples
    shared.source.data["nowhere"] = nowhere
    shared.add_key(made, shared.draw(made, "nowhere", "nowhere"))
    return made


def _size(size: Any) -> int | None:
    return None if size is None else check_count("size", size, low=100)


def _say(title: str, layout: NDArray[Any], shared: Cloud) -> str:
    """Return the description of a map for screen readers."""
    column = shared.column
    by = f", colored by {column.title or 'class'}" if column.kind != "none" else ""
    classes = f" ({', '.join(column.names[:20])})" if column.kind == "category" else ""
    return f"Map of {len(layout)} points{by}{classes}. {title}".strip()
