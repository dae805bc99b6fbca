"""Groups of points that the data suggest: communities of the neighbor graph.

The graph is that of suggested labels before any link changes it: rows p_{j|i} of perplexity 10 over
the nearest neighbors, W = (P + Pᵀ)/2. The Leiden algorithm (Traag et al. 2019) looks for groups of
the largest modularity

    Q = Σ_g (w_gg − γ w_g²/w) / w

with the weight w_gg within a group, w_g of all edges of its points, and w of the graph. A larger
resolution γ makes more and smaller groups.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import graspologic_native
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from nbembed.propagation.graph import neighbor_affinities, symmetric_weights
from nbembed.validation import as_generator, check_count, check_real

#: γ by default: groups as large as those that people name, rather than their parts.
RESOLUTION = 0.5
#: Seeds of the algorithm are below it.
SEEDS = 2**31


@dataclass(frozen=True, eq=False)
class SuggestedGroups:
    """A partition of points into groups, the largest first.

    Attributes
    ----------
    codes : ndarray of int, shape (n_samples,)
        The group of each point, −1 for points that were not looked at.
    sizes : ndarray of int, shape (n_groups,)
    resolution : float
    strength : ndarray, shape (n_samples,)
        The weight of each point's edges within its group.
    share : ndarray, shape (n_samples,)
        The same as a share of all its edges: 1 for a point without neighbors in other groups.
    between : sparse array of shape (n_groups, n_groups)
        The weight of the edges between two groups, CSR.
    """

    codes: NDArray[np.intp] = field(repr=False)
    sizes: NDArray[np.intp]
    resolution: float
    strength: NDArray[np.float64] = field(repr=False)
    share: NDArray[np.float64] = field(repr=False)
    between: sparse.csr_array = field(repr=False)

    def __len__(self) -> int:
        return int(self.sizes.size)

    def points(self, group: int) -> NDArray[np.intp]:
        """Return the points of a group."""
        return np.flatnonzero(self.codes == self._checked(group))

    def typical(self, group: int, most: int = 6) -> NDArray[np.intp]:
        """Return the points of a group that are tied to it most strongly, these first."""
        points = self.points(group)
        order = np.argsort(-self.strength[points], kind="stable")
        return points[order[: check_count("most", most)]]

    def border(self, group: int, most: int = 6) -> NDArray[np.intp]:
        """Return the points that have the largest share of their edges in other groups."""
        points = self.points(group)
        points = points[self.share[points] < 1]
        order = np.argsort(self.share[points], kind="stable")
        return points[order[: check_count("most", most)]]

    def nearest(self, group: int) -> NDArray[np.intp]:
        """Return the groups that a group has edges to, those first with the most for their size."""
        rows = self.between.indptr[self._checked(group) :]
        others = self.between.indices[rows[0] : rows[1]]
        weights = self.between.data[rows[0] : rows[1]] / self.sizes[others]
        order = np.lexsort((others, -weights))
        return np.asarray(others[order[others[order] != group]], dtype=np.intp)

    def _checked(self, group: int) -> int:
        if not 0 <= group < len(self):
            raise ValueError(f"group must be in [0, {len(self) - 1}], got {group}")
        return int(group)


def group_graph(X: Any, metric: Any) -> sparse.csr_array:
    """Return the graph that groups are found in."""
    return symmetric_weights(neighbor_affinities(X, metric=metric), None)


def find_groups(
    graph: sparse.csr_array,
    resolution: float = RESOLUTION,
    random_state: Any = 0,
    points: NDArray[np.intp] | None = None,
) -> SuggestedGroups:
    """Return the groups of a graph, or of some of its points alone.

    Parameters
    ----------
    graph : sparse array
        Symmetric weights.
    resolution : float
        γ, above 0.
    random_state : int, Generator or None
    points : ndarray of int, optional
        Sorted and distinct.
    """
    resolution = check_real("resolution", resolution, low=0, open_low=True)
    seed = int(as_generator(random_state).integers(SEEDS))
    n = graph.shape[0]
    chosen = np.arange(n) if points is None else points
    W = graph if points is None else sparse.csr_array(graph[points][:, points])
    found = _communities(W, resolution, seed)
    sizes = np.bincount(found)
    order = np.argsort(-sizes, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(order.size)
    found, sizes = place[found], sizes[order]
    member = sparse.csr_array(
        (np.ones(chosen.size), (np.arange(chosen.size), found)), shape=(chosen.size, sizes.size)
    )
    codes = np.full(n, -1)
    codes[chosen] = found
    strength, share = np.zeros(n), np.ones(n)
    to_groups = sparse.csr_array(W @ member)
    strength[chosen] = np.asarray(to_groups.multiply(member).sum(axis=1)).ravel()
    degree = np.asarray(W.sum(axis=1)).ravel()
    inside = np.minimum(strength[chosen], degree)
    share[chosen] = np.divide(inside, degree, out=np.ones_like(degree), where=degree > 0)
    share[share > 1 - 1e-9] = 1.0  # of sums in different orders
    between = sparse.csr_array(member.T @ to_groups)
    return SuggestedGroups(codes, sizes, resolution, strength, share, between)


def _communities(W: sparse.csr_array, resolution: float, seed: int) -> NDArray[np.intp]:
    n = W.shape[0]
    if not W.nnz:
        return np.arange(n)
    _, found = graspologic_native.leiden_csr(
        W.indptr.astype(np.int64),
        W.indices.astype(np.int32),
        W.data.astype(np.float64),
        n_nodes=n,
        resolution=resolution,
        seed=seed,
    )
    codes = np.arange(n) + n  # whatever it leaves out is a group of its own
    codes[np.fromiter(found.keys(), np.intp, len(found))] = np.fromiter(
        found.values(), np.intp, len(found)
    )
    return np.unique(codes, return_inverse=True)[1]
