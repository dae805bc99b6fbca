r"""Stability of a map: how much of it recurs on other maps of the same data.

Another map is one from another seed, of a sample of the points, or of both. The *stability* of a
point is the share of its k nearest neighbors on the map that are its k nearest on the others,

.. math:: s_i = \frac1{|M_i|} \sum_{m \in M_i}
    \frac{(n_m - 1)\,|N_i \cap N_i^m| / k - k}{n_m - 1 - k},

:math:`M_i` the maps that show the point, :math:`n_m` the points of map m, among which neighbors are
searched on both maps. It is the agreement R_NX of two spaces [1]_, of two maps: 1 where neighbors
are the same, 0 where they have in common what chance gives them.

A group G is *together* on a map as far as its points are among each other and in one piece,

.. math:: c(G) = \frac{q - p}{1 - p} \cdot \frac{|C|}{|G|}, \quad p = \frac{|G| - 1}{n - 1},

q the share of the k nearest neighbors of its points that are in G (k below \|G\|), and C its
largest piece when each point is joined with those. It recurs on a map where this cohesion is at
least a half, a majority in one piece, and nine tenths of that on the map in question: each group
has a border, and what is cut out of a cloud has a longer one wherever the cloud lies otherwise.

.. [1] Lee, Renard, Bernard, Dupont and Verleysen (2013), "Type 1 and 2 mixtures of Kullback–Leibler
   divergences as cost functions in dimensionality reduction", Neurocomputing 112.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from nbembed.measures.checks import check_map
from nbembed.measures.map_comparison import K, change_of_neighbors, map_neighbors
from nbembed.validation import check_count, check_flag, check_points

#: Least cohesion of a group that is together, and share of that on the map in question.
MAJORITY, KEPT = 0.5, 0.9


def stability(
    Y: ArrayLike, others: Iterable[ArrayLike], k: int = K, *, per_point: bool = False
) -> Any:
    """Return how much of the map's neighborhoods recurs on other maps, at most 1.

    Parameters
    ----------
    Y : array-like of shape (n_samples, n_components)
    others : iterable of array-like of shape (n_samples, any)
        Maps of the same points; rows of NaN are points that a map does not show.
    k : int, default=10
        Below the number of points of each map, less one.
    per_point : bool, default=False
        NaN for points that no other map shows.

    Raises
    ------
    ValueError, TypeError
        If there is no other map, one is of other points or not finite, or k is out of range.

    Notes
    -----
    O(n log n) time for each map. The mean is over the points that any other map shows.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> Y = rng.normal(size=(500, 2))
    >>> stability(Y, [-Y, 3 * Y]), abs(stability(Y, [rng.normal(size=(500, 2))])) < 0.02
    (1.0, True)
    """
    per_point, k = check_flag("per_point", per_point), check_count("k", k)
    layout = check_map(Y)
    sums, counts = np.zeros(len(layout)), np.zeros(len(layout))
    for there, other in _checked(others, len(layout)):
        last = len(there) - 1
        if not 1 <= k < last:
            raise ValueError(f"k must be in [1, {last}) for maps of {len(there)} points, got {k}")
        kept = 1 - change_of_neighbors(map_neighbors(layout[there], k), map_neighbors(other, k))
        sums[there] += (last * kept - k) / (last - k)
        counts[there] += 1
    value = np.divide(sums, counts, out=np.full(len(layout), np.nan), where=counts > 0)
    return value if per_point else float(np.nanmean(value))


def cohesion(Y: ArrayLike, points: ArrayLike, k: int = K) -> float:
    """Return how far points are among each other and in one piece on a map, at most 1.

    Parameters
    ----------
    Y : array-like of shape (n_samples, n_components)
    points : array-like of int
        At least two, and not all.
    k : int, default=10
        Neighbors of each that are looked at; fewer in a group that has no more.

    Raises
    ------
    ValueError, TypeError
        If an argument is not legal.

    Notes
    -----
    0 for points drawn at random, 1 for a cluster apart from all others. O(n log n) time.
    """
    layout = check_map(Y)
    group = check_points(points, len(layout))
    if not 2 <= group.size < len(layout):
        raise ValueError(
            f"points must be at least 2 and fewer than all {len(layout)}, got {group.size}"
        )
    return _cohesion(layout, group, check_count("k", k))


def recurrence(
    Y: ArrayLike, others: Iterable[ArrayLike], points: ArrayLike, k: int = K
) -> NDArray[np.bool_]:
    """Return of each of the other maps whether a group that ``Y`` shows is together there.

    Parameters
    ----------
    Y, others
        As :func:`stability` takes them.
    points, k
        As :func:`cohesion` takes them.

    Returns
    -------
    together : ndarray of bool of shape (n_maps,)
        Whether the cohesion of those points that the map shows is at least 1/2, and 9/10 of that on
        ``Y``. ``False`` where it shows fewer than two of them, or no others.

    Raises
    ------
    ValueError, TypeError
        If an argument is not legal.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> Y = rng.normal(size=(300, 2))
    >>> Y[:100] += 20
    >>> other = rng.normal(size=(300, 2))
    >>> other[:100] += 20
    >>> half = np.flatnonzero((Y[:, 0] < 5) & (Y[:, 1] > 0))
    >>> recurrence(Y, [other], range(100)), recurrence(Y, [other], half)
    (array([ True]), array([False]))
    """
    here = cohesion(Y, points, k)
    layout = check_map(Y)
    group = np.zeros(len(layout), bool)
    group[check_points(points, len(layout))] = True
    found = []
    for there, other in _checked(others, len(layout)):
        shown = np.flatnonzero(group[there])
        some = 2 <= shown.size < len(there)
        found.append(some and _cohesion(other, shown, k) >= max(MAJORITY, KEPT * here))
    return np.array(found)


def _checked(others: Any, n: int) -> Iterator[tuple[NDArray[np.intp], NDArray[Any]]]:
    """Return the points that each map shows, and their places."""
    if not hasattr(others, "__iter__"):
        raise TypeError(f"others must be maps, an iterable of arrays, got {type(others).__name__}")
    try:
        maps = [np.asarray(other, dtype=np.float64) for other in others]
    except (TypeError, ValueError) as error:
        raise TypeError(f"others must be arrays of numbers: {error}") from error
    if not maps:
        raise ValueError("others must have at least one map, got none")
    for other in maps:
        if other.ndim != 2 or len(other) != n:
            raise ValueError(f"others must be maps of {n} points, got one of shape {other.shape}")
        there = np.flatnonzero(~np.isnan(other).all(axis=1))
        yield there, check_map(other[there], "others")


def _cohesion(layout: NDArray[Any], group: NDArray[np.intp], k: int) -> float:
    n, size = len(layout), len(group)
    k = min(k, size - 1)
    places = np.full(n, -1)
    places[group] = np.arange(size)
    near = places[map_neighbors(layout, k)[group]]
    inside = near >= 0
    share, chance = inside.mean(), (size - 1) / (n - 1)
    ends = np.repeat(np.arange(size), k)[inside.ravel()], near[inside]
    graph = sparse.csr_array((np.ones(len(ends[0])), ends), shape=(size, size))
    piece = np.bincount(connected_components(graph, directed=False)[1]).max()
    return float((share - chance) / (1 - chance) * piece / size)
