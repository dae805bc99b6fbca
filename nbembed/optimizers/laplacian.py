"""The Laplacian of a map's attraction as a preconditioner.

    B = L + ε d̄ I,   L = D − W,   w_ij = 4 P_ij S_ij over the strongest pairs

A diagonal scale moves each point by itself; a cluster that has to travel as a whole then takes
thousands of steps, because its points hold each other back. B knows that they hang together: to
B⁻¹ a common motion costs little and a relative one much. With S = 1 and P's own graph this is the
spectral direction of Vladymyrov and Carreira-Perpiñán (2012), "Partial-Hessian strategies for fast
learning of nonlinear embeddings"; the weights S_ij of the present map, which α > 0 needs, are
HSSNE's fixed point (equation 14) with its sum over neighbors made implicit.

Of few points B is factored (SuperLU, one thread), and the factors serve a number of steps. Graphs
of neighbors have no small separators, so that factors take time like n³: above some thousand points
B⁻¹ is approximated by a polynomial of B (:class:`LaplacianPolynomial`), in time like n.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import reverse_cuthill_mckee
from scipy.sparse.linalg import splu

from nbembed.kernels.polynomial_inverse import PolynomialInverse
from nbembed.objectives.base import Objective
from nbembed.system.blas import one_blas_thread
from nbembed.system.superlu import keep_notes_of_memory

#: ε: the share of the mean row sum that is added to the diagonal.
RIDGE = 1e-4

#: B of so many points or more is not factored.
FACTORED_BELOW = 5000

#: Degree of the polynomial, and the smallest eigenvalue of the scaled B that it inverts well: there
#: and above, to 5 %. On 6000 digits of MNIST the descent is then as short as with factors.
DEGREE = 60
SMOOTHEST = 0.002

#: From so many points on their order in memory counts for more than it takes to find a better one,
#: and threads for more than it takes to meet after each step.
MANY = 16_000

#: Rows of B that are put in the order of their lengths, of those that are near each other.
WINDOW = 1024


class LaplacianInverse:
    """B⁻¹ at one layout, as a function; points that are held give and get nothing.

    * i, j, weights (n_edges,): each pair once.
    """

    @one_blas_thread()
    def __init__(
        self,
        i: NDArray[np.int64],
        j: NDArray[np.int64],
        weights: NDArray[np.float64],
        n: int,
        held: Any = (),
    ) -> None:
        diagonal, fixed, (i, j, weights) = _parts(i, j, weights, n, held)
        places = np.arange(n)
        entries = np.concatenate([diagonal, -weights, -weights])
        rows, columns = np.concatenate([places, i, j]), np.concatenate([places, j, i])
        matrix = sparse.csc_array((entries, (rows, columns)), shape=(n, n))
        # Symmetric and diagonally dominant: no pivots are needed.
        self._factors = splu(
            matrix,
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )
        keep_notes_of_memory()
        self._fixed = fixed

    @one_blas_thread()
    def __call__(self, gradient: NDArray[Any]) -> NDArray[np.float64]:
        """Return B⁻¹ applied to each column of ``gradient``."""
        solved: NDArray[np.float64] = self._factors.solve(gradient.astype(np.float64))
        solved[self._fixed] = 0.0
        return solved


class LaplacianPolynomial:
    """An approximation of B⁻¹ in time and memory like the number of pairs.

    With d the diagonal of B, the scaled matrix A = d^(−½) B d^(−½) has its eigenvalues between 0
    and 2. p(A) takes the place of A⁻¹, where 1 − λ p(λ) is the Chebyshev polynomial of degree
    :data:`DEGREE` that is least on [:data:`SMOOTHEST`, 2] and one at 0. So p is positive on all of
    (0, 2]: common motions of many points, whose λ is smaller, get longer steps than by the
    diagonal, if not as long as by B⁻¹, and what is a direction of descent stays one.

    A step of the polynomial reads numbers of six points or more for each one. From :data:`MANY`
    points on they are therefore put in the reverse Cuthill–McKee order of their graph, which brings
    those of a pair near each other in memory, and within a window in the order of the lengths of
    their rows, so that the processor foresees where a row ends.

    Parameters are those of :class:`LaplacianInverse`, and threads, on whose number the result does
    not depend.
    """

    def __init__(
        self,
        i: NDArray[np.int64],
        j: NDArray[np.int64],
        weights: NDArray[np.float64],
        n: int,
        held: Any = (),
        n_threads: int = 1,
    ) -> None:
        diagonal, fixed, (i, j, weights) = _parts(i, j, weights, n, held)
        scale = 1 / np.sqrt(diagonal)
        entries = np.tile(scale[i] * weights * scale[j], 2).astype(np.float32)
        rows, columns = np.concatenate([i, j]), np.concatenate([j, i])
        rest = sparse.csr_array((entries, (rows, columns)), shape=(n, n))
        self._order, threads = np.arange(n), 1
        if n >= MANY:
            self._order, threads = _order(rest), n_threads
            place = np.empty(n, np.int64)
            place[self._order] = np.arange(n)
            rest = sparse.csr_array((entries, (place[rows], place[columns])), shape=(n, n))
        # I − A, of the points in that order
        parts = rest.indptr, rest.indices, rest.data
        self._inverse = PolynomialInverse(parts, SMOOTHEST, DEGREE, threads)
        self._scale = np.where(fixed, 0.0, scale)[self._order][:, None]

    def __call__(self, gradient: NDArray[Any]) -> NDArray[np.float64]:
        """Return the approximation of B⁻¹ applied to each column of ``gradient``."""
        scaled = self._scale * gradient[self._order]
        # In float32 the columns may be as small as the gradients of a map near its rest.
        size = float(np.abs(scaled).max(initial=0.0))
        if not size > 0:
            return np.zeros(gradient.shape)
        found = self._inverse((scaled / size).astype(np.float32))
        solved = np.empty(gradient.shape)
        solved[self._order] = self._scale * size * found
        return solved


def laplacian_inverse(
    objective: Objective, Y: NDArray[Any]
) -> LaplacianInverse | LaplacianPolynomial | None:
    """Return B⁻¹ of an objective at ``Y``, of many points an approximation.

    None for a layout out of range, and where the objective states no attractions.
    """
    if not objective.in_range(Y):
        return None
    edges = objective.attraction(Y)
    if edges is None or not np.isfinite(edges.weights).all() or not edges.weights.any():
        return None
    n, held = Y.shape[0], getattr(objective, "pinned", ())
    if n < FACTORED_BELOW:
        return LaplacianInverse(*edges, n, held)
    return LaplacianPolynomial(*edges, n, held, objective.n_threads)


def _order(graph: Any) -> NDArray[np.int64]:
    """Return the points of a symmetric graph in an order in which its rows are read fast."""
    near = np.asarray(reverse_cuthill_mckee(sparse.csr_matrix(graph), symmetric_mode=True))
    lengths, windows = np.diff(graph.indptr)[near], np.arange(near.size) // WINDOW
    return near[np.lexsort((lengths, windows))].astype(np.int64)


def _parts(
    i: NDArray[np.int64], j: NDArray[np.int64], weights: NDArray[np.float64], n: int, held: Any
) -> tuple[NDArray[Any], NDArray[Any], tuple[Any, Any, Any]]:
    """Return the diagonal of B, which points are held, and the pairs of which neither is."""
    sums = np.bincount(i, weights, n) + np.bincount(j, weights, n)
    mean = float(sums.mean())
    diagonal = sums + (RIDGE * mean if mean > 0 else 1.0)
    fixed = np.zeros(n, bool)
    fixed[np.asarray(held, dtype=np.intp)] = True
    diagonal[fixed] = 1.0
    free = ~(fixed[i] | fixed[j])
    return diagonal, fixed, (i[free], j[free], weights[free])
