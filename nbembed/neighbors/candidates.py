"""Approximate search in a metric that no Euclidean distances order: these name the candidates.

The c points that are nearest by Euclidean distance are searched (:mod:`.cells`), and their
distances computed in the metric. c is chosen by the data: for a sample of the points the true
neighbors are found among all points, and c is taken so that the Euclidean neighborhoods contain
:data:`~nbembed.neighbors.cells.RECALL` of these. All distances are computed where c would be more
than :data:`SHARE` of all points, as for metrics that Euclidean distances tell nothing of, and where
the recall of a second sample is below :data:`~nbembed.neighbors.cells.ENOUGH`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.data.distances import PAIRS, Metric, check_span, name_of
from nbembed.kernels.distances import squared_distances
from nbembed.kernels.threads import run_chunks
from nbembed.neighbors.blocks import by_blocks
from nbembed.neighbors.cells import ENOUGH, RECALL, ROUNDING, SAMPLE, SAMPLING, Cells
from nbembed.neighbors.exact import FINDING
from nbembed.neighbors.found import Neighbors
from nbembed.neighbors.single_precision import center_of
from nbembed.neighbors.smallest import k_smallest, other_points
from nbembed.system.work import stage
from nbembed.validation import shown

#: Names of metrics as SciPy has them, which computes them for one row in microseconds.
OF_NUMBERS = {
    **dict.fromkeys(("cityblock", "l1", "manhattan"), "cityblock"),
    **{name: name for name in ("braycurtis", "canberra", "chebyshev", "hamming")},
}
OF_FLAGS = ("dice", "jaccard", "rogerstanimoto", "russellrao", "sokalsneath", "yule")
#: Share of all points above which candidates cost about as much as all distances.
SHARE = 1 / 8
#: Rows whose distances a thread computes at a time.
ROWS = 128


def by_candidates(
    queries: NDArray[Any] | None, points: NDArray[Any], k: int, metric: Metric, n_threads: int
) -> Neighbors | None:
    """Return the k nearest points of each query, or None if all distances must be computed.

    * Shapes: points (n, d).
    * queries (m, d): the points themselves if None; they are no neighbors of themselves.
    * n_threads: for metrics by name. The result does not depend on it.
    """
    n, itself = len(points), queries is None
    asked = points if queries is None else queries
    to_some = _distances_to_some(asked, points, metric)
    if to_some is None:
        return None
    try:
        check_span(points, "X", None if itself else asked)
    except ValueError:  # Euclidean distances would be lost; the metric's need not be
        return None

    def sampled(seed: int) -> tuple[NDArray[np.intp], Neighbors]:
        """Return a sample of the queries, and their neighbors by all distances."""
        rng = np.random.default_rng(seed)
        sample = rng.choice(len(asked), min(SAMPLE, len(asked)), replace=False)
        own = sample if itself else None
        return sample, by_blocks(
            asked[sample], k, metric, points, own, n_threads=n_threads, called=SAMPLING
        )

    sample, (true, _, _) = sampled(0)
    c = _number_of_candidates(asked[sample], points, true, sample if itself else None)
    if c > SHARE * n:
        return None
    cells = Cells(points, c + itself, n_threads)
    index, distances = np.empty((len(asked), k), np.intp), np.empty((len(asked), k))
    finding = stage(FINDING, len(asked))
    together = max(ROWS, PAIRS // c)
    n_workers = n_threads if isinstance(metric, str) else 1  # a user's function is called in order
    for first in range(0, len(asked), together):
        own = np.arange(first, min(first + together, len(asked)))
        near = cells.nearest(asked[own]).indices
        if itself:
            near = near[other_points(near, own)].reshape(len(own), c)
        near.sort(axis=1)  # of points at one distance the first is taken

        def measure(chunk: int, own: Any = own, near: Any = near) -> None:
            here = slice(chunk * ROWS, (chunk + 1) * ROWS)
            d = np.array([to_some(i, some) for i, some in zip(own[here], near[here])])
            nearest = k_smallest(d, k)
            index[own[here]] = np.take_along_axis(near[here], nearest, axis=1)
            distances[own[here]] = np.take_along_axis(d, nearest, axis=1)

        run_chunks(measure, -(-len(own) // ROWS), n_workers)
        finding.advance(len(own))
    sample, (_, nearest, _) = sampled(1)
    recall = float((distances[sample] <= nearest[:, -1:] * (1 + ROUNDING)).mean())
    return Neighbors(index, distances, recall) if recall >= ENOUGH else None


def _distances_to_some(
    asked: NDArray[Any], points: NDArray[Any], metric: Metric
) -> Callable[[int, NDArray[np.intp]], NDArray[np.float64]] | None:
    """Return a function from a query and some points to their distances in the metric."""

    def checked(d: NDArray[np.float64], i: int, some: NDArray[np.intp]) -> NDArray[np.float64]:
        legal = np.isfinite(d) & (d >= 0)
        if legal.all():
            return d
        wrong = int(legal.argmin())
        raise ValueError(
            f"metric must give finite distances ≥ 0, but {shown(name_of(metric))} gives {d[wrong]} "
            f"between points {i} and {some[wrong]}"
        )

    if isinstance(metric, str):
        from scipy.spatial.distance import cdist

        if metric in OF_FLAGS:
            asked, points = asked.astype(bool), points.astype(bool)
        elif metric not in OF_NUMBERS:
            return None
        name: Any = OF_NUMBERS.get(metric, metric)

        def by_name(i: int, some: NDArray[np.intp]) -> NDArray[np.float64]:
            return checked(np.asarray(cdist(asked[i : i + 1], points[some], name)[0]), i, some)

        return by_name
    if not callable(metric):
        return None

    def called(i: int, some: NDArray[np.intp]) -> NDArray[np.float64]:
        d = np.fromiter((metric(asked[i], points[j]) for j in some), np.float64, len(some))
        return checked(d, i, some)

    return called


def _number_of_candidates(
    asked: NDArray[Any],
    points: NDArray[Any],
    true: NDArray[np.intp],
    own: NDArray[np.intp] | None,
) -> int:
    """Return the number of Euclidean neighbors that contain RECALL of the true ones."""
    center = center_of(points)
    moved = points - center
    ranks = np.empty(true.shape, np.intp)
    for i, row in enumerate(asked):
        d2 = squared_distances((row - center)[None], moved)[0]
        if own is not None:
            d2[own[i]] = np.inf
        # Of points at one Euclidean distance any may be left out.
        ranks[i] = np.searchsorted(np.sort(d2), d2[true[i]], side="right") - 1
    ordered = np.sort(ranks, axis=None)
    last = min(int(np.ceil(RECALL * ordered.size)), ordered.size) - 1
    return max(int(ordered[last]) + 1, int(true.shape[1]))
