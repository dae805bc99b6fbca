"""Connected neighbor graphs: the k nearest of each point, the components joined.

Two points are joined if one is among the k nearest of the other. Where that leaves several
components, each pair of them is joined by its shortest edge, as scikit-learn's Isomap does; a
supervised dissimilarity often separates a graph by classes, so this is a common case.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from nbembed.neighbors import k_smallest


def neighbor_graph(D: NDArray[Any], n_neighbors: int) -> tuple[sparse.csr_array, int]:
    """Return the connected graph of nearest neighbors.

    * D (n_samples, n_samples): symmetric dissimilarities; the diagonal is not read.
    * n_neighbors: less than n_samples.
    * returns graph (n_samples, n_samples), bool: symmetric; an edge may have length zero, so
      lengths are looked up in ``D``.
    * returns n_components: number of connected components before they were joined.

    Warns if there was more than one component; names ``n_neighbors``.
    """
    n = D.shape[0]
    inner = D.copy()
    np.fill_diagonal(inner, np.inf)
    nearest = k_smallest(inner, n_neighbors)
    first = np.repeat(np.arange(n), n_neighbors)
    second = nearest.ravel()
    pieces, of = connected_components(_graph(n, first, second), directed=False)
    if pieces > 1:
        ends = _shortest_bridges(inner, of, pieces)
        first, second = np.concatenate([first, ends[:, 0]]), np.concatenate([second, ends[:, 1]])
        warnings.warn(
            f"the graph of n_neighbors = {n_neighbors} nearest neighbors has {pieces} connected "
            "components; each pair of them was joined by its shortest edge. A larger "
            "n_neighbors may connect the graph",
            stacklevel=4,
        )
    return _graph(n, first, second), int(pieces)


def _graph(n: int, first: NDArray[Any], second: NDArray[Any]) -> sparse.csr_array:
    ones = np.ones(first.size, dtype=bool)
    graph = sparse.csr_array((ones, (first, second)), shape=(n, n), dtype=bool)
    return sparse.csr_array(graph + graph.T)


def _shortest_bridges(D: NDArray[Any], of: NDArray[Any], pieces: int) -> NDArray[np.intp]:
    """Return the ends of the shortest edge of each pair of components."""
    members = [np.flatnonzero(of == piece) for piece in range(pieces)]
    ends = []
    for a in range(pieces):
        # The member of component a nearest to each point, computed once for all pairs of a.
        rows = D[members[a]]
        nearest = rows.argmin(axis=0)
        length = rows[nearest, np.arange(D.shape[0])]
        for b in range(a + 1, pieces):
            j = members[b][length[members[b]].argmin()]
            ends.append((members[a][nearest[j]], j))
    return np.array(ends, dtype=np.intp)
