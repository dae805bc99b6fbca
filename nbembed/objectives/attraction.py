"""The strongest attractions of a map: edges that an optimizer makes a preconditioner of.

    w_ij = c P_ij S_ij   for the pairs in which j is among the EDGES largest entries of row i of P,
                         or i among those of row j

An objective whose gradient is Σ_j w_ij (y_i − y_j) less repulsion returns them from
:meth:`~nbembed.objectives.Objective.attraction`. The pairs depend on P alone and are found once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from nbembed.kernels.largest import largest_entries

#: Largest entries of each row that are used. More make the factors of the preconditioner larger and
#: the descent no shorter (4 to 40 tried on iris, digits and MNIST).
EDGES = 6

#: Rows of P that are sorted at a time.
ROWS = 256


class Edges(NamedTuple):
    """Pairs i < j, each once, with a number each."""

    i: NDArray[np.int64]
    j: NDArray[np.int64]
    weights: NDArray[np.float64]


def strongest_pairs(P: Any) -> Edges:
    """Return the pairs of the largest entries of each row of P ≥ 0, with (P_ij + P_ji)/2."""
    n = P.shape[0]
    rows, columns = _sparse_largest(P) if sparse.issparse(P) else _dense_largest(P)
    low, high = np.minimum(rows, columns), np.maximum(rows, columns)
    keys = np.unique(low * n + high)
    i, j = keys // n, keys % n
    weights = 0.5 * (_entries(P, i, j) + _entries(P, j, i))
    kept = (weights > 0) & (i != j)
    return Edges(i[kept], j[kept], weights[kept])


def _dense_largest(P: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    n = len(P)
    k = min(EDGES, n - 1)
    found = [
        np.argpartition(P[start : start + ROWS], n - k, axis=1)[:, n - k :]
        for start in range(0, n, ROWS)
    ]
    return np.repeat(np.arange(n, dtype=np.int64), k), np.concatenate(found).ravel().astype(
        np.int64
    )


def _sparse_largest(P: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    of_row = np.repeat(np.arange(P.shape[0], dtype=np.int64), np.diff(P.indptr))
    kept = largest_entries(P.indptr, P.data, EDGES)
    return of_row[kept], P.indices[kept].astype(np.int64)


def _entries(P: Any, i: NDArray[np.int64], j: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.asarray(P[i, j], dtype=np.float64).ravel()


def squared_lengths(Y: NDArray[Any], edges: Edges) -> NDArray[np.float64]:
    """Return τ_ij of each edge in the layout ``Y``."""
    steps = Y[edges.i].astype(np.float64) - Y[edges.j]
    lengths: NDArray[np.float64] = np.einsum("ed,ed->e", steps, steps)
    return lengths
