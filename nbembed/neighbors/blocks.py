"""All distances in any metric, a block at a time: the search that all others are held to."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.data.distances import Distances, Metric
from nbembed.kernels.threads import run_chunks
from nbembed.neighbors.exact import FINDING
from nbembed.neighbors.found import Neighbors
from nbembed.neighbors.smallest import k_smallest
from nbembed.system.work import stage


def check_stored(distances: NDArray[Any], name: str) -> None:
    """Raise ValueError if sparse dissimilarities store fewer neighbors of a point than are sought.

    ``distances`` are those of the neighbors found, infinite where there is none.
    """
    counts = np.isfinite(distances).sum(axis=1)
    if counts.min(initial=distances.shape[1]) < distances.shape[1]:
        i = int(counts.argmin())
        raise ValueError(
            f"{name} must store at least {distances.shape[1]} neighbors of each point, got "
            f"{counts[i]} in row {i} of a sparse matrix; pairs that are not stored are taken as "
            "far apart"
        )


def by_blocks(
    queries: Any,
    k: int,
    metric: Metric,
    points: Any = None,
    own: NDArray[np.intp] | None = None,
    *,
    n_threads: int = 1,
    name: str = "X",
    called: str = FINDING,
) -> Neighbors:
    """Return the k nearest points of each query.

    * queries (m, n_features): or dissimilarities with ``metric="precomputed"``.
    * points (n, n_features): the queries themselves if None; they are no neighbors of themselves.
    * own (m,) int: the point that each query is, where ``points`` are given and have the queries
      among them.
    * n_threads: for metrics by name: a user's function is called in one thread, in order. The
      result does not depend on it.
    * name, called: what errors call the queries, and what the search is called while it is done.
    """
    m = queries.shape[0]
    own = np.arange(m) if points is None else own
    index, distances = np.empty((m, k), dtype=np.intp), np.empty((m, k))
    finding = stage(called, m)
    table = Distances(queries, metric, points, name=name, partial=True)
    slices = table.slices()

    def search(chunk: int) -> None:
        here = slices[chunk]
        D2 = table.block(here)
        if own is not None:
            D2[np.arange(len(D2)), own[here]] = np.inf
        index[here] = k_smallest(D2, k)
        distances[here] = np.sqrt(np.take_along_axis(D2, index[here], axis=1))
        finding.advance(len(D2))

    run_chunks(search, len(slices), n_threads if isinstance(metric, str) else 1)
    check_stored(distances, name)
    return Neighbors(index, distances, 1.0)
