"""Lengths of paths under a mixture: of all pairs by rows, and of the nearest neighbors alone.

The length of a straight path of T pieces is that of :mod:`nbembed.kernels.fisher_paths`; the
shortest path leads over other points of the data.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.kernels.fisher_paths import detours, path_lengths, shorten
from nbembed.learning_metric.mixture import Mixture
from nbembed.learning_metric.nearest import nearest_by_length
from nbembed.system.memory import check_memory

#: Exponents of the Gaussians up to this are worked on in float32.
SINGLE = 1e3


def squared_lengths(
    mixture: Mixture, pieces: int, X: Any, others: Any, *, shortest: bool, n_threads: int
) -> Callable[[slice], NDArray[np.float64]]:
    """Return a function from a slice of the rows of ``X`` to squared lengths to ``others``.

    See :meth:`nbembed.LearningMetric.squared_rows`; ``shortest`` is for shortest paths.
    """
    A = mixture.exponents(X)
    B = A if others is None else mixture.exponents(others)
    dtype = np.float32 if max(A.max(), B.max()) <= SINGLE else np.float64
    beta = mixture.beta
    graph: NDArray[Any] | None = None
    if shortest:
        check_memory(
            2 * np.dtype(dtype).itemsize * len(B) ** 2,
            f"shortest paths over {len(B)} points",
            "shortest_paths=False",
        )
        graph = path_lengths(B, None, beta, pieces, dtype, n_threads)
        # SciPy's floyd_warshall takes ten times as long (1000 points: 3.6 s against 0.36 s).
        shorten(graph, n_threads)

    def rows(here: slice) -> NDArray[np.float64]:
        if others is None and graph is not None:
            lengths = graph[here]
        elif others is None and A[here].shape == A.shape:
            lengths = path_lengths(A, None, beta, pieces, dtype, n_threads)
        else:
            lengths = path_lengths(A[here], B, beta, pieces, dtype, n_threads)
            if graph is not None:
                lengths = detours(lengths, graph, n_threads)
        return np.asarray(np.square(lengths, dtype=np.float64))

    return rows


def nearest_by_paths(
    mixture: Mixture, pieces: int, X: Any, k: int, others: Any, n_threads: int
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return the k nearest neighbors of each point by straight paths, and the lengths of those.

    See :meth:`nbembed.LearningMetric.nearest`.
    """
    beta = mixture.beta
    A = mixture.exponents(X)
    B = A if others is None else mixture.exponents(others)
    dtype = np.float32 if max(A.max(), B.max()) <= SINGLE else np.float64

    def lengths(i: int, near: NDArray[np.intp] | None) -> NDArray[Any]:
        to = B if near is None else B[near]
        return np.asarray(path_lengths(A[i : i + 1], to, beta, pieces, dtype, 1)[0])

    roots = [None if data is None else np.exp(mixture.log_proba(data) / 2) for data in (X, others)]
    assert roots[0] is not None
    return nearest_by_length(lengths, roots[0], k, roots[1], n_threads)
