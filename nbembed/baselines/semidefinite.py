"""Small convex quadratic problems over positive semidefinite matrices, by Clarabel.

    minimize  ½ ⟨a, P a⟩ + ⟨q, a⟩  over  a = svec(A), A ⪰ 0

``svec`` stacks the upper triangle column by column, entries off the diagonal times √2, so that
⟨svec(A), svec(B)⟩ = tr(AB). The solver comes with the extra ``nbembed[sdp]`` and is imported
when a problem is solved.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from nbembed.system.optional_packages import load_optional


class SemidefiniteSolution(NamedTuple):
    """The solver's result.

    * A (m, m): symmetric, positive semidefinite to rounding.
    * status: the solver's status: "Solved", "AlmostSolved" (reduced accuracy), or why it stopped.
    """

    A: NDArray[np.float64]
    status: str
    n_iter: int


def load_solver() -> Any:
    """Return the module ``clarabel``; raise ImportError saying what to install if it is missing."""
    return load_optional("clarabel", "MUHSIC", "nbembed[sdp]")


def svec(A: NDArray[Any]) -> NDArray[np.float64]:
    """Return symmetric matrices (..., m, m) as vectors (..., m(m + 1)/2)."""
    columns, rows = np.tril_indices(A.shape[-1])
    return np.asarray(A[..., rows, columns] * np.where(rows == columns, 1.0, np.sqrt(2.0)))


def smat(a: NDArray[Any], m: int) -> NDArray[np.float64]:
    """Return the symmetric matrix of ``a = svec(A)``."""
    columns, rows = np.tril_indices(m)
    A = np.zeros((m, m))
    A[rows, columns] = A[columns, rows] = a / np.where(rows == columns, 1.0, np.sqrt(2.0))
    return A


def solve_semidefinite(
    P: NDArray[Any], q: NDArray[Any], m: int, *, tol: float, max_iter: int
) -> SemidefiniteSolution:
    """Solve the problem at the top of this module.

    ``tol`` bounds the duality gap, absolute and relative, and infeasibility. ``P`` (k, k) is
    positive semidefinite, k = m(m + 1)/2, and ``q`` of shape (k,); A is of order m. A solution is
    returned whatever the status: A is the last iterate without its negative eigenvalues.

    Raises ImportError if the solver is not installed; RuntimeError if the problem is unbounded, or
    the solver returned no finite matrix.
    """
    clarabel = load_solver()
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_iter = max_iter
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tol
    settings.max_threads = 1
    k = q.size
    found = clarabel.DefaultSolver(
        sparse.csc_matrix(np.triu(P)),
        q,
        sparse.csc_matrix(-sparse.identity(k)),
        np.zeros(k),
        [clarabel.PSDTriangleConeT(m)],
        settings,
    ).solve()
    a, status = np.array(found.x, dtype=np.float64), str(found.status).split(".")[-1]
    if "Infeasible" in status or a.size != k or not np.isfinite(a).all():
        raise RuntimeError(
            f"the solver found no solution of the semidefinite problem ({status}); nothing was "
            "fitted"
        )
    values, vectors = np.linalg.eigh(smat(a, m))
    return SemidefiniteSolution(
        vectors * np.maximum(values, 0) @ vectors.T, status, int(found.iterations)
    )
