"""What a map retrieves: its near points taken as an answer to "who is near in the data?".

For each point the k nearest in the data are relevant, and its r nearest on the map are retrieved;
with m(r) of the relevant ones among them

    precision(r) = m(r) / r,   recall(r) = m(r) / k,

both averaged over points (Venna and Kaski, "Nonlinear dimensionality reduction as information
retrieval", 2007). R_NX(k) compares the k nearest on both sides and takes off what chance would give
(Lee and others, "Type 1 and 2 mixtures of Kullback–Leibler divergences", 2013).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from bokeh.models import Range1d

from nbembed.measures import nearest_neighbors
from nbembed.plots.lines import draw_line, finish, line_figure
from nbembed.plots.look import count_by_ones_twos_fives
from nbembed.plots.maps import check_layouts
from nbembed.validation import check_count

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
    width: int = 460,
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
    O(n²) time and memory for n points.
    """
    checked = check_layouts(layouts)
    n = len(next(iter(checked.values())))
    _check_range("k", k, n)
    if most is not None:
        _check_range("most", most, n)
    relevant = _relevant(X, n, k, metric, neighbors)
    counts = _places(n - 1 if most is None else most)
    made = line_figure(title, "Precision against recall", width, height)
    made.xaxis.axis_label = f"recall of the {k} nearest in the data"
    made.yaxis.axis_label = "precision"
    made.x_range, made.y_range = Range1d(start=-0.02, end=1.02), Range1d(start=-0.02, end=1.02)
    entries = []
    for number, (name, Y) in enumerate(checked.items()):
        found = _found(nearest_neighbors(Y, int(counts[-1]), name=name), relevant)[counts - 1]
        data = {"recall": found / k, "precision": found / counts, "retrieved": counts}
        entries.append(draw_line(made, name, number, "recall", "precision", data))
    finish(
        made,
        entries,
        [
            ("retrieved", "@retrieved"),
            ("precision", "@precision{0.000}"),
            ("recall", "@recall{0.000}"),
        ],
        "top_right",
    )
    return made


def rnx_curve(
    X: ArrayLike,
    layouts: Mapping[str, ArrayLike],
    *,
    metric: Any = "euclidean",
    title: str = "",
    width: int = 460,
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
    inside = _ranking(X, n, metric)
    made = line_figure(title, "R_NX against k", width, height, x_axis_type="log")
    made.xaxis.axis_label = "k, size of neighborhoods"
    made.yaxis.axis_label = "R_NX(k)"
    count_by_ones_twos_fives(made.xaxis[0], 1, n)
    k = np.arange(1, n - 1)
    shown = _places(n - 2)
    entries = []
    for number, (name, Y) in enumerate(checked.items()):
        kept = _rnx(inside, nearest_neighbors(Y, n - 1, name=name))
        area = float((kept / k).sum() / (1 / k).sum())
        data = {"k": shown, "kept": kept[shown - 1]}
        entries.append(draw_line(made, f"{name} ({area:.3f})", number, "k", "kept", data))
    finish(made, entries, [("k", "@k"), ("R_NX", "@kept{0.000}")], "top_left")
    return made


def _check_range(name: str, value: Any, n: int) -> None:
    if not 1 <= check_count(name, value) <= n - 1:
        raise ValueError(f"{name} must be in [1, {n - 1}] for {n} points, got {value}")


def _relevant(X: Any, n: int, k: int, metric: Any, neighbors: Any) -> NDArray[np.intp]:
    if neighbors is None:
        return _ranking(X, n, metric, k)
    wanted = np.asarray(neighbors)
    if wanted.ndim != 2 or len(wanted) != n or wanted.shape[1] < k:
        raise ValueError(
            f"neighbors must have shape ({n}, {k}) or more columns, got {wanted.shape}"
        )
    if wanted.dtype.kind not in "iu" or wanted.min() < 0 or wanted.max() >= n:
        raise ValueError(f"neighbors must be indices in [0, {n})")
    return wanted[:, :k].astype(np.intp)


def _ranking(X: Any, n: int, metric: Any, k: int | None = None) -> NDArray[np.intp]:
    if X is None:
        raise ValueError("X must be the data, or neighbors must say what is near in them, got None")
    found = nearest_neighbors(X, n - 1 if k is None else k, metric)
    if len(found) != n:
        raise ValueError(f"layouts must be of the {len(found)} points of X, got {n}")
    return found


def _found(retrieved: NDArray[np.intp], relevant: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return m(r), r = 1 … R, averaged over points."""
    n = len(retrieved)
    is_relevant = np.zeros((n, n), dtype=bool)
    np.put_along_axis(is_relevant, relevant, True, axis=1)
    hits = np.take_along_axis(is_relevant, retrieved, axis=1)
    return np.cumsum(hits.mean(axis=0))


def _rnx(inside: NDArray[np.intp], outside: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return R_NX(k), k = 1 … n − 2, of two rankings (n, n − 1).

    A pair enters both k-neighborhoods at k = the larger of its two ranks.
    """
    n = len(inside)
    first, second = np.empty((n, n), dtype=np.intp), np.empty((n, n), dtype=np.intp)
    ranks = np.broadcast_to(np.arange(1, n), (n, n - 1))
    np.put_along_axis(first, inside, ranks, axis=1)
    np.put_along_axis(second, outside, ranks, axis=1)
    later = np.maximum(first, second)[~np.eye(n, dtype=bool)]
    k = np.arange(1, n - 1)
    share = np.cumsum(np.bincount(later, minlength=n)[1 : n - 1]) / (k * n)
    kept: NDArray[np.float64] = ((n - 1) * share - k) / (n - 1 - k)
    return kept


def _places(last: int) -> NDArray[np.intp]:
    """Return whole numbers from 1 to ``last``, dense where they are small."""
    return np.unique(np.geomspace(1, last, PLACES).round()).astype(np.intp)
