"""The semidefinite problem of MUHSIC, and the interpolation of new points.

With columns of ``functions`` orthogonal, of mean zero and mean square one, and K = F A Fᵀ for these
functions F, everything is small:

    tr(KHLH) = tr(A M),  M = Fᵀ L F        K_ii + K_jj − 2K_ij = ⟨w_e, A w_e⟩,  w_e = F_i − F_j
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import eigh
from scipy.sparse.linalg import eigsh

from nbembed.baselines.semidefinite import solve_semidefinite, svec
from nbembed.methods.principal_components import FIXED_SEED
from nbembed.supervision import Supervision

#: Up to this many points the Laplacian's eigenvectors come from a dense matrix.
DENSE = 1000
#: Share of the trace added to the inner products that interpolation weights are solved from.
RIDGE = 1e-3
#: Edges whose products are in memory at a time.
EDGES = 4096


def smooth_functions(graph: sparse.csr_array, count: int) -> NDArray[np.float64]:
    """Return the ``count`` smoothest functions on a connected graph past the constant one.

    These are eigenvectors of the Laplacian, (n_samples, count), smoothest first, of mean zero and
    mean square one.
    """
    n = graph.shape[0]
    W = sparse.csr_array(graph, dtype=np.float64)
    W.setdiag(0)
    degrees = np.asarray(W.sum(axis=1)).ravel()
    laplacian = sparse.csc_array(sparse.diags_array(degrees) - W)
    if n <= DENSE or count > n // 4:
        _, vectors = eigh(laplacian.toarray(), subset_by_index=[1, count])
    else:
        # The shift is a little below zero, so that the factorized matrix is not singular. The first
        # vector is fixed, because ARPACK draws its own from a global state.
        first = np.random.default_rng(0).standard_normal(n)
        shift = -1e-6 * degrees.mean()
        values, vectors = eigsh(laplacian, k=count + 1, sigma=shift, v0=first, **FIXED_SEED)
        vectors = vectors[:, np.argsort(values)[1:]]
    vectors = vectors - vectors.mean(axis=0)
    return np.asarray(vectors / np.sqrt(np.mean(vectors**2, axis=0)))


def label_factor(supervision: Supervision) -> sparse.csr_array:
    """Return Φ with L = ΦΦᵀ: rows of class probabilities, an unlabeled point a class of its own.

    Warns if labels name one class only; they are then ignored.
    """
    n = supervision.n_samples
    T = supervision.targets()
    labeled = np.zeros(n, dtype=bool)
    labeled[supervision.labeled] = True
    if labeled.any() and (T[labeled].max(axis=0) > 0).sum() < 2:
        warnings.warn(
            "y has a single class, so the labels carry no information; embedding_ is that of "
            "maximum variance unfolding, without labels",
            stacklevel=4,
        )
        labeled[:] = False
    own = sparse.identity(n, format="csr")[:, ~labeled]
    shared = np.where(labeled[:, None], T, 0.0)
    return sparse.csr_array(sparse.hstack([sparse.csr_array(shared), own]))


@dataclass(frozen=True)
class Unfolding:
    """The problem of one data set.

    * functions (n_samples, m): F.
    * dependence (m, m): M = Fᵀ L F.
    * steps (n_edges, m): w_e.
    * lengths (n_edges,): d_e² in squared units of the metric.
    * reward: 1/s₁: the weight of tr(A M).
    * penalty: ν.
    """

    functions: NDArray[np.float64]
    dependence: NDArray[np.float64]
    steps: NDArray[np.float64]
    lengths: NDArray[np.float64]
    reward: float
    penalty: float

    @classmethod
    def make(
        cls,
        functions: NDArray[np.float64],
        factor: sparse.csr_array,
        graph: sparse.csr_array,
        D2: NDArray[np.float64],
        penalty: float,
    ) -> Unfolding:
        """Return the problem of a graph, its squared distances and the labels' factor Φ."""
        n = D2.shape[0]
        i, j = sparse.triu(graph, k=1).nonzero()
        along = factor.T @ functions
        # ΦΦᵀ and ΦᵀΦ have the same largest eigenvalue; unlabeled points are ones on a diagonal.
        overlap = sparse.csr_array(factor.T @ factor)
        shared = np.flatnonzero(np.diff(factor.tocsc().indptr) > 1)
        largest = 1.0
        if shared.size:
            block = overlap[shared][:, shared].toarray()
            largest = max(largest, float(np.linalg.eigvalsh(block)[-1]))
        variance = float(D2.mean()) / 2
        return cls(
            functions,
            along.T @ along,
            functions[i] - functions[j],
            D2[i, j],
            1 / (largest * n * variance),
            penalty,
        )

    @property
    def unit(self) -> float:
        """s₂, the mean squared length of an edge."""
        return float(self.lengths.mean())

    def value(self, A: NDArray[np.float64]) -> float:
        """Return the criterion that :meth:`solve` maximizes."""
        return float(
            self.reward * np.sum(A * self.dependence) - self.penalty * self.distortion(A) ** 2
        )

    def distortion(self, A: NDArray[np.float64]) -> float:
        """Return the root mean square of (kept − given)/s₂ over the edges."""
        kept = np.einsum("ei,ei->e", self.steps @ A, self.steps)
        return float(np.sqrt(np.mean(((kept - self.lengths) / self.unit) ** 2)))

    def solve(self, tol: float, max_iter: int) -> tuple[NDArray[np.float64], str, int]:
        """Return A ⪰ 0 in squared units of the metric, the solver's status and its iterations."""
        m = self.functions.shape[1]
        size = m * (m + 1) // 2
        unit, count = self.unit, self.lengths.size
        # In units of s₂, so that the numbers in the solver are of order one.
        P, q = np.zeros((size, size)), -self.reward * unit * svec(self.dependence)
        for first in range(0, count, EDGES):
            w = self.steps[first : first + EDGES]
            products = svec(w[:, :, None] * w[:, None, :])
            P += products.T @ products
            q -= (2 * self.penalty / count / unit) * (
                self.lengths[first : first + EDGES] @ products
            )
        P *= 2 * self.penalty / count
        found = solve_semidefinite(P, q, m, tol=tol, max_iter=max_iter)
        return found.A * unit, found.status, found.n_iter


def interpolation_weights(to: NDArray[Any], among: NDArray[Any]) -> NDArray[np.float64]:
    """Return the weights that combine neighbors into points.

    * to (n_new, k): squared distances of each point to its k neighbors.
    * among (n_new, k, k): squared distances among those.
    * returns (n_new, k): least-squares weights with a small ridge; each row sums to one.

    Inner products of the differences are G_ab = ½(d_a² + d_b² − d_ab²), for any metric; their
    negative part (the metric need not be Euclidean) is left out.
    """
    k = to.shape[1]
    G = (to[:, :, None] + to[:, None, :] - among) / 2
    values, vectors = np.linalg.eigh((G + np.swapaxes(G, 1, 2)) / 2)
    values = np.maximum(values, 0.0)
    ridge = RIDGE * values.sum(axis=1, keepdims=True) / k
    values += np.where(ridge > 0, ridge, 1.0)
    ones = vectors.sum(axis=1)
    weights = np.einsum("nab,nb->na", vectors, ones / values)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))
