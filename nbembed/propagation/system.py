"""The linear system of propagation on a fixed graph, solved on from label to label.

Two forms, with ``P = D⁻¹W`` the random walk on the graph and ``S = D^(−½) W D^(−½)``:

* clamped: a walk from an unlabeled point that goes on with probability a at each step ends at the
  first label that it meets. ``F_ik`` is the probability that this is one of class k, weighted by
  the label's row T:

      F_L = T_L,   (I − aP_UU) F_U = a P_UL T_L

  With a = 1 this is the harmonic solution of Zhu, Ghahramani and Lafferty (2003). It is solved as
  ``X = D^½ F``, whose matrix I − aS_UU is symmetric.
* not clamped: ``F = (I − aS)⁻¹ T`` (Zhou et al. 2004), ``X = F``.

When m labels change, the residual of the last solution is a product of m columns, one for each of
these points, and m rows of K numbers. So the correction takes min(m, K) solves of a column: a
single label takes one, whatever the number of classes.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from sklearn.exceptions import ConvergenceWarning

from nbembed.kernels.graph_factor import Factor, factorize
from nbembed.kernels.graph_solve import solve_on_graph

#: Preconditioned residual at which a column is solved, relative to the largest right-hand side.
TOLERANCE = 1e-9
#: The most iterations: a < 1 takes fewer; the harmonic form on a long thin graph may take more.
MAX_ITER = 5000
#: Corrections after which the next solution starts from zero, so that their errors do not add up.
CORRECTIONS = 50


@dataclass(frozen=True, eq=False)
class Graph:
    """The matrices that do not change from label to label.

    * S (n, n), float64: D^(−½) W D^(−½).
    * root (n,): D^½; zero where a point has no edge.
    * piece (n,) int: the connected piece of each point.
    """

    S: sparse.csr_array
    root: NDArray[np.float64]
    piece: NDArray[np.intp]
    _factors: dict[float, Factor] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, W: sparse.csr_array) -> Graph:
        """Return the graph of symmetric weights with an empty diagonal."""
        root = np.sqrt(np.asarray(W.sum(axis=1)).ravel())
        inverse = np.divide(1.0, root, out=np.zeros(root.size), where=root > 0)
        S = sparse.csr_array(sparse.diags_array(inverse) @ W @ sparse.diags_array(inverse))
        S.sort_indices()
        if S.nnz <= np.iinfo(np.int32).max:  # one type, with links or without: one set of kernels
            S.indices, S.indptr = S.indices.astype(np.int32), S.indptr.astype(np.int32)
        return cls(S, root, connected_components(W, directed=False)[1])

    def factor(self, share: float) -> Factor:
        """Return the factor of I − aS, made once for each a."""
        if share not in self._factors:
            S = self.S.indptr, self.S.indices, self.S.data
            self._factors[share] = factorize(S, share, self.root)
        return self._factors[share]

    @property
    def n(self) -> int:
        """Number of points, those of link groups included."""
        return int(self.root.size)


@dataclass(frozen=True, eq=False)
class Solution:
    """Scores of all points for given labels.

    * Shapes: labeled (n,) bool.
    * T (n, n_classes): rows of the labels, zero elsewhere.
    * X (n, n_classes): the unknowns; scores are X, divided by D^½ in the clamped form.
    * corrections: how often a solution was corrected since one from zero.
    """

    labeled: NDArray[np.bool_]
    T: NDArray[np.float64]
    X: NDArray[np.float64]
    corrections: int = 0

    @classmethod
    def empty(cls, n: int, n_classes: int) -> Solution:
        """Return the solution without labels."""
        zero = np.zeros((n, n_classes))
        return cls(np.zeros(n, bool), zero, zero)

    def padded(self, n_classes: int) -> Solution:
        """Return the same with columns of zeros for more classes."""
        missing = n_classes - self.T.shape[1]
        if missing <= 0:
            return self
        zero = np.zeros((self.labeled.size, missing))
        T, X = np.hstack([self.T, zero]), np.hstack([self.X, zero])
        return Solution(self.labeled, T, X, self.corrections)

    def cut(self, n_classes: int) -> Solution:
        """Return the same for the first classes alone."""
        if n_classes == self.T.shape[1]:
            return self
        T, X = self.T[:, :n_classes].copy(), self.X[:, :n_classes].copy()
        return Solution(self.labeled, T, X, self.corrections)


def solved(
    graph: Graph,
    labeled: NDArray[np.bool_],
    T: NDArray[np.float64],
    share: float,
    clamp: bool,
    last: Solution,
    n_threads: int,
    tolerance: float = TOLERANCE,
) -> Solution:
    """Return the solution for labels ``T`` of the points ``labeled``, corrected from ``last``."""
    K = T.shape[1]
    old = last if last.corrections < CORRECTIONS else Solution.empty(graph.n, K)
    old, T = old.padded(K), _padded(T, old.T.shape[1])
    changed = np.flatnonzero((labeled != old.labeled) | (old.T != T).any(axis=1))
    if changed.size == 0:
        return old.cut(K)
    with_labels = np.zeros(graph.piece.max() + 1, bool)
    with_labels[graph.piece[labeled]] = True
    reached = with_labels[graph.piece]
    X = old.X.copy()
    if clamp:
        free = reached & ~labeled
        gone = changed[~labeled[changed]]
        now = changed[labeled[changed]]
        X[now] = graph.root[now, None] * T[now]
        # A point that is free again has the equation that it did not have to satisfy before.
        steps_now = X[now] - old.X[now]
        steps_gone = share * (graph.S[gone] @ old.X) - old.X[gone]
        columns = sparse.hstack([share * graph.S[now].T, _unit(graph.n, gone)], format="csc")
        steps = np.vstack([steps_now, steps_gone])
    else:
        free = reached
        columns, steps = _unit(graph.n, changed), T[changed] - old.T[changed]
    used = np.flatnonzero(steps.any(axis=0))
    if changed.size <= used.size:
        right = columns.toarray()
    else:
        right = columns @ steps[:, used]
    S = graph.S.indptr, graph.S.indices, graph.S.data
    factor = graph.factor(share) if right.shape[1] == 1 else None  # it serves one column
    found, n_iter = solve_on_graph(S, share, free, right, tolerance, MAX_ITER, n_threads, factor)
    if n_iter > MAX_ITER:
        warnings.warn(
            f"propagation did not converge within {MAX_ITER} iterations; a smaller "
            "neighbor_share converges faster",
            ConvergenceWarning,
            stacklevel=4,
        )
    if changed.size <= used.size:
        X += found @ steps
    else:
        X[:, used] += found
    X[~reached] = 0.0
    anew = not old.labeled.any()
    return Solution(labeled, T, X, 0 if anew else old.corrections + 1).cut(K)


def scores(graph: Graph, solution: Solution, clamp: bool) -> NDArray[np.float64]:
    """Return F: non-negative scores of all points, (n, n_classes)."""
    F = np.maximum(solution.X, 0.0)
    if clamp:
        F /= np.where(graph.root > 0, graph.root, 1.0)[:, None]
        F[solution.labeled] = solution.T[solution.labeled]
    return F


def _padded(T: NDArray[np.float64], n_classes: int) -> NDArray[np.float64]:
    if T.shape[1] >= n_classes:
        return T
    return np.hstack([T, np.zeros((T.shape[0], n_classes - T.shape[1]))])


def _unit(n: int, points: NDArray[np.intp]) -> sparse.csc_array:
    """Return the columns of the identity that belong to the points."""
    ones = np.ones(points.size)
    return sparse.csc_array((ones, (points, np.arange(points.size))), shape=(n, points.size))
