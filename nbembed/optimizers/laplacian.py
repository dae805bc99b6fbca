"""The Laplacian of a map's attraction as a preconditioner.

    B = L + ε d̄ I,   L = D − W,   w_ij = 4 P_ij S_ij over the strongest pairs

A diagonal scale moves each point by itself; a cluster that has to travel as a whole then takes
thousands of steps, because its points hold each other back. B knows that they hang together: to
B⁻¹ a common motion costs little and a relative one much. With S = 1 and P's own graph this is the
spectral direction of Vladymyrov and Carreira-Perpiñán (2012), "Partial-Hessian strategies for fast
learning of nonlinear embeddings"; the weights S_ij of the present map, which α > 0 needs, are
HSSNE's fixed point (equation 14) with its sum over neighbors made implicit.

B is factored sparsely (SuperLU, one thread), and serves a number of steps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import splu

from nbembed.blas import one_blas_thread

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nbembed.objectives.base import Objective

#: ε: the share of the mean row sum that is added to the diagonal.
RIDGE = 1e-4

#: The factors of a graph of more points could be larger than the layout's pairs are worth.
MOST_POINTS = 20_000


class LaplacianInverse:
    """B⁻¹ at one layout, as a function; points that are held give and get nothing.

    Parameters
    ----------
    i, j, weights : arrays of shape (n_edges,)
        Each pair once.
    n : int
        Number of points.
    held : sequence of int
        Pinned points.
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
        sums = np.bincount(i, weights, n) + np.bincount(j, weights, n)
        mean = float(sums.mean())
        diagonal = sums + (RIDGE * mean if mean > 0 else 1.0)
        fixed = np.zeros(n, bool)
        fixed[np.asarray(held, dtype=np.intp)] = True
        diagonal[fixed] = 1.0
        free = ~(fixed[i] | fixed[j])
        i, j, weights = i[free], j[free], weights[free]
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
        self._fixed = fixed

    @one_blas_thread()
    def __call__(self, gradient: NDArray[Any]) -> NDArray[np.float64]:
        """Return B⁻¹ applied to each column of ``gradient``."""
        solved: NDArray[np.float64] = self._factors.solve(gradient.astype(np.float64))
        solved[self._fixed] = 0.0
        return solved


def laplacian_inverse(objective: Objective, Y: NDArray[Any]) -> LaplacianInverse | None:
    """Return B⁻¹ of an objective at ``Y``.

    None for too many points, a layout out of range, and where the objective states no attractions.
    """
    if Y.shape[0] > MOST_POINTS or not objective.in_range(Y):
        return None
    edges = objective.attraction(Y)
    if edges is None or not np.isfinite(edges.weights).all() or not edges.weights.any():
        return None
    return LaplacianInverse(*edges, Y.shape[0], getattr(objective, "pinned", ()))
