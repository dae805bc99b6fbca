"""Principal components of data, without those that are noise.

Classes may differ along few directions among many in which all columns vary on their own. After r
components the rest is noise if its largest variance along any direction is no larger than that of
the same columns, each shuffled by itself: parallel analysis (Horn 1965), here of what the first r
components leave over, so that correlated columns of a narrow table are not taken for noise because
of the large variance of the first.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import eigvalsh
from sklearn.decomposition import PCA

#: The most components.
MOST = 50
#: The numbers of components that are tried, after which the rest may be noise.
COUNTS = (0, 1, 2, 3, 5, 8, 13, 21, 34)
#: How much larger the variance of the rest may be than that of shuffled columns.
MARGIN = 1.05
#: Points of which the rest is judged.
ROWS = 1000


def components(X: Any) -> NDArray[np.float64]:
    """Return principal components of checked data, (n_samples, at most 50).

    Fewer than 50, and than there are columns, if the rest of dense data is noise. All columns are
    kept if none has anything in common with another, as those of principal components have not.
    """
    n, d = X.shape
    if sparse.issparse(X):
        # PCA of scikit-learn 1.6 takes no sparse arrays, and ARPACK not a single column.
        X = sparse.csr_matrix(X) if d > 1 else X.toarray()
    solver = "arpack" if sparse.issparse(X) else "auto"
    # ARPACK finds fewer components than there are rows or columns.
    most = min(MOST, n - 1, d - (solver == "arpack"))
    pca = PCA(max(most, 1), svd_solver=solver, random_state=0)
    Z = np.asarray(pca.fit_transform(X), np.float64)
    if not sparse.issparse(X):
        rng = np.random.default_rng(0)
        rows = np.asarray(X[rng.permutation(n)[:ROWS]], np.float64)
        rows = rows - rows.mean(axis=0)
        for r in COUNTS:
            if r >= min(most, d - 1):
                break
            axes = pca.components_[:r]
            if _is_noise(rows - (rows @ axes.T) @ axes, rng):
                return Z[:, :r] if r else Z
    return Z


def _is_noise(rest: NDArray[np.float64], rng: np.random.Generator) -> bool:
    return _largest(rest) <= MARGIN * _largest(rng.permuted(rest, axis=0))


def _largest(A: NDArray[np.float64]) -> float:
    """Return the largest eigenvalue of AᵀA."""
    G = A.T @ A if A.shape[1] <= A.shape[0] else A @ A.T
    last = G.shape[0] - 1
    return float(eigvalsh(G, subset_by_index=[last, last])[0])
