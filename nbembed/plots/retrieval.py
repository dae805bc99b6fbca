"""Retrieval curves: a map's nearest points as answers to "which points are near in the data?".

The measures are :func:`nbembed.measures.precision_recall` and :func:`nbembed.measures.r_nx`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from bokeh.models import Range1d
from numpy.typing import ArrayLike, NDArray

from nbembed.data.matrix_input import check_data
from nbembed.measures import nearest_neighbors, precision_recall, r_nx
from nbembed.measures.checks import check_neighbors
from nbembed.plots.lines import draw_line, finish, line_figure
from nbembed.plots.maps import check_layouts
from nbembed.plots.theme import count_by_ones_twos_fives
from nbembed.validation import check_count

#: Number of points of a curve, joined by straight lines.
PLACES = 60


def retrieval_curve(
    X: ArrayLike | None,
    layouts: Mapping[str, ArrayLike],
    k: int = 20,
    *,
    metric: Any = "euclidean",
    neighbors: NDArray[np.intp] | None = None,
    most: int | None = None,
    title: str = "",
    width: int | None = None,
    height: int = 360,
) -> Any:
    """Return a figure of precision against recall, with a curve for each layout.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data; ignored if ``neighbors`` is given.
    layouts : mapping of str to array-like of shape (n_samples, n_components)
        Layouts by name.
    k : int, default=20
        Number of nearest points in the data that count as relevant.
    metric : str or callable, default="euclidean"
        Metric of the data; maps are always Euclidean.
    neighbors : ndarray of int of shape (n_samples, k or more), optional
        Neighbors in the data, from :func:`nbembed.measures.nearest_neighbors`.
    most : int, optional
        Largest number of retrieved points; all by default.
    title : str
    width, height : int
        Pixels; by default the figure is as wide as the page or cell.

    Returns
    -------
    figure : bokeh.plotting.figure
        Up and to the right is better. At the left end only the nearest point is retrieved.

    Raises
    ------
    ValueError, TypeError
        If layouts and data do not match, or k is out of range.

    Notes
    -----
    O(n² log n) time for each map of n points.
    """
    checked = check_layouts(layouts)
    n = len(next(iter(checked.values())))
    _check_range("k", k, n)
    if most is not None:
        _check_range("most", most, n)
    if neighbors is None:
        # Computed once for all maps; this also checks the data.
        neighbors = nearest_neighbors(_of_points(X, metric, n), k, metric)
    else:
        neighbors = check_neighbors(neighbors, n, k)
    shown = _places(n - 1 if most is None else most)
    made = line_figure(title, "Precision against recall", width, height)
    made.xaxis.axis_label = f"recall of the {k} nearest in the data"
    made.yaxis.axis_label = "precision"
    made.x_range, made.y_range = Range1d(start=-0.02, end=1.02), Range1d(start=-0.02, end=1.02)
    entries = []
    for number, (name, Y) in enumerate(checked.items()):
        curve = precision_recall(None, Y, k, neighbors=neighbors)
        data = {
            "recall": curve.recall[shown - 1],
            "precision": curve.precision[shown - 1],
            "retrieved": shown,
        }
        entries.append(draw_line(made, name, number, "recall", "precision", data))
    finish(
        made,
        entries,
        [
            ("retrieved", "@retrieved"),
            ("precision", "@precision{0.000}"),
            ("recall", "@recall{0.000}"),
        ],
        "right",
    )
    return made


def rnx_curve(
    X: ArrayLike,
    layouts: Mapping[str, ArrayLike],
    *,
    metric: Any = "euclidean",
    title: str = "",
    width: int | None = None,
    height: int = 360,
) -> Any:
    """Return a figure of R_NX(k), the share of kept neighbors beyond chance, against k.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    layouts : mapping of str to array-like of shape (n_samples, n_components)
        Layouts by name.
    metric : str or callable, default="euclidean"
        Metric of the data.
    title : str
    width, height : int
        Pixels; by default the figure is as wide as the page or cell.

    Returns
    -------
    figure : bokeh.plotting.figure
        1 means perfectly kept neighborhoods, 0 chance level; k is on a log scale. The legend gives
        the area under each curve on that scale.

    Raises
    ------
    ValueError, TypeError
        If layouts and data do not match.
    """
    checked = check_layouts(layouts)
    n = len(next(iter(checked.values())))
    if n < 4:
        raise ValueError(f"layouts must have at least 4 points, got {n}")
    data = _of_points(X, metric, n)
    made = line_figure(title, "R_NX against k", width, height, x_axis_type="log")
    made.xaxis.axis_label = "k, size of neighborhoods"
    made.yaxis.axis_label = "R_NX(k)"
    count_by_ones_twos_fives(made.xaxis[0], 1, n)
    k = np.arange(1, n - 1)
    shown = _places(n - 2)
    entries = []
    for number, (name, Y) in enumerate(checked.items()):
        kept = r_nx(data, Y, metric=metric)
        area = float((kept / k).sum() / (1 / k).sum())
        columns = {"k": shown, "kept": kept[shown - 1]}
        entries.append(draw_line(made, f"{name} ({area:.3f})", number, "k", "kept", columns))
    finish(made, entries, [("k", "@k"), ("R_NX", "@kept{0.000}")], "right")
    return made


def _check_range(name: str, value: Any, n: int) -> None:
    if not 1 <= check_count(name, value) <= n - 1:
        raise ValueError(f"{name} must be in [1, {n - 1}] for {n} points, got {value}")


def _of_points(X: Any, metric: Any, n: int) -> Any:
    if X is None:
        raise ValueError("X must be the data unless neighbors are given, got None")
    data = check_data(X, metric)
    if data.shape[0] != n:
        raise ValueError(f"layouts must be of the {data.shape[0]} points of X, got {n}")
    return data


def _places(last: int) -> NDArray[np.intp]:
    """Return integers from 1 to ``last``, evenly spaced on a log scale."""
    return np.unique(np.geomspace(1, last, PLACES).round()).astype(np.intp)
