"""One point's neighborhoods in the data and on the map: what the map keeps, misses and invents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.neighbors import k_smallest


@dataclass(frozen=True, eq=False)
class Neighborhood:
    """The k nearest points of a point in the data, compared with those on the map.

    Attributes
    ----------
    point : int
    k : int
    kept : ndarray of int
        Neighbors in the data and on the map, nearest in the data first.
    missing : ndarray of int
        Neighbors in the data alone, nearest in the data first: the map has torn them away.
    false : ndarray of int
        Neighbors on the map alone, nearest on the map first: the map has put them there.
    missing_ranks : ndarray of int
        Which neighbor on the map each missing one is: the 1st, the 2nd, ….
    false_ranks : ndarray of int
        Which neighbor in the data each false one is.
    trustworthiness, continuity : float
        The point's own; see :func:`nbembed.measures.trustworthiness`. ``nan`` where k is half of
        the points or more, trustworthiness also where the data are sparse dissimilarities, which
        do not rank all points.
    """

    point: int
    k: int
    kept: NDArray[np.intp]
    missing: NDArray[np.intp]
    false: NDArray[np.intp]
    missing_ranks: NDArray[np.intp]
    false_ranks: NDArray[np.intp]
    trustworthiness: float
    continuity: float


def neighborhood_of(point: int, k: int, in_data: Any, on_map: Any) -> Neighborhood:
    """Return the neighborhoods of a point.

    * k: less than n_samples.
    * in_data, on_map, of shape (n_samples,): squared distances to all points, infinite to the point
      itself; in the data also to points that no dissimilarity is stored to.
    """
    data, near = (k_smallest(squares[None], k)[0] for squares in (in_data, on_map))
    missing, false = data[~np.isin(data, near)], near[~np.isin(near, data)]
    missing_ranks, false_ranks = _ranks(missing, on_map), _ranks(false, in_data)
    # Ranks count only points that are nearer: those at one distance share the best rank.
    unlike = false_ranks.clip(k) - k, missing_ranks.clip(k) - k
    n = len(in_data)
    worst = k * (2 * n - 3 * k - 1) / 2
    trust, continuity = (1 - over.sum() / worst if 2 * k < n else np.nan for over in unlike)
    if np.count_nonzero(np.isinf(in_data)) > 1:
        trust = np.nan
    return Neighborhood(
        point,
        k,
        data[np.isin(data, near)],
        missing,
        false,
        missing_ranks,
        false_ranks,
        float(trust),
        float(continuity),
    )


def squares_on_map(Y: NDArray[Any], point: int) -> NDArray[np.float64]:
    """Return squared distances from a point of a layout to all, infinite to itself."""
    apart = Y.astype(np.float64) - Y[point].astype(np.float64)
    squares: NDArray[np.float64] = np.einsum("ij,ij->i", apart, apart)
    squares[point] = np.inf
    return squares


def _ranks(points: NDArray[np.intp], squares: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return one more than the number of points that are nearer, for each of the points."""
    found = [1 + int(np.count_nonzero(squares < squares[j])) for j in points]
    return np.array(found, dtype=np.intp)
