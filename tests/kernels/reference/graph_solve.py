"""Damped linear systems on a graph, by a dense factorization."""

from __future__ import annotations

from typing import Any

import numpy as np


def solve_on_graph(
    S: Any,
    scale: float,
    free: Any,
    B: Any,
    tolerance: float,
    max_iter: int,
    n_threads: int,
    factor: None = None,
) -> tuple[Any, int]:
    """See :func:`nbembed.kernels.graph_solve.solve_on_graph`."""
    indptr, indices, data = S
    dense = np.zeros((free.size, free.size))
    dense[np.repeat(np.arange(free.size), np.diff(indptr)), indices] = data
    X = np.zeros(B.shape)
    A = np.eye(int(free.sum())) - scale * dense[np.ix_(free, free)]
    X[free] = np.linalg.solve(A, B[free])
    return X, 1


def factorize(S: Any, scale: float, z: Any) -> None:
    """See :func:`nbembed.kernels.graph_factor.factorize`."""
