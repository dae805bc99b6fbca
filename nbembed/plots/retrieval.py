"""What a map retrieves: its near points taken as an answer to "who is near in the data?".

The numbers are those of :func:`nbembed.measures.precision_recall` and
:func:`nbembed.measures.r_nx`, where they are defined; here they are drawn.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from bokeh.models import Range1d

from nbembed.measures import nearest_neighbors, precision_recall, r_nx
from nbembed.measures.checks import check_neighbors
from nbembed.plots.lines import draw_line, finish, line_figure
from nbembed.plots.maps import check_layouts
from nbembed.plots.theme import count_by_ones_twos_fives
from nbembed.validation import check_count, check_data

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

#: Points of a curve; between them it is straight.
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
    width: int = 580,
    height: int = 360,
) -> Any:
    """Return a figure of precision against recall, one curve a layout.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        The data; not read if ``neighbors`` is given.
    layouts : mapping of str to array-like of shape (n_samples, n_components)
        By name.
    k : int, default=20
        How many nearest points of the data are relevant.
    metric : str or callable, default="euclidean"
        Of the data; maps are always Euclidean.
    neighbors : ndarray of int of shape (n_samples, k or more), optional
        What :func:`nbembed.measures.nearest_neighbors` says of the data.
    most : int, optional
        Retrieve at most so many points; all by default.
    title : str
    width, height : int
        Pixels.

    Returns
    -------
    figure : bokeh.plotting.figure
        Up and to the right is better. The left end is the nearest point alone.

    Raises
    ------
    ValueError, TypeError
        If layouts and data do not fit each other, or k is out of range.

    Notes
    -----
    O(n² log n) time a map, for n points.
    """
    checked = check_layouts(layouts)
    n = len(next(iter(checked.values())))
    _check_range("k", k, n)
    if most is not None:
        _check_range("most", most, n)
    if neighbors is None:
        # Once for all maps: a fault of the data is named here too.
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
    width: int = 580,
    height: int = 360,
) -> Any:
    """Return a figure of R_NX(k), the neighborhoods kept beyond chance at every size k.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    layouts : mapping of str to array-like of shape (n_samples, n_components)
        By name.
    metric : str or callable, default="euclidean"
        Of the data.
    title : str
    width, height : int
        Pixels.

    Returns
    -------
    figure : bokeh.plotting.figure
        1 is a perfect neighborhood, 0 what chance gives; k on a log scale. The legend tells the
        area below each curve, where small neighborhoods weigh as they do in the figure.

    Raises
    ------
    ValueError, TypeError
        If layouts and data do not fit each other.
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
        raise ValueError("X must be the data, or neighbors must say what is near in them, got None")
    data = check_data(X, metric)
    if data.shape[0] != n:
        raise ValueError(f"layouts must be of the {data.shape[0]} points of X, got {n}")
    return data


def _places(last: int) -> NDArray[np.intp]:
    """Return whole numbers from 1 to ``last``, dense where they are small."""
    return np.unique(np.geomspace(1, last, PLACES).round()).astype(np.intp)
