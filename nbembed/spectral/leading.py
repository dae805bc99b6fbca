"""The leading principal directions of large data, by an iterative eigensolver.

    X_c = X − 1 mᵀ = U S Vᵀ,   m the mean of the rows

Only products ``X_c v = X v − 1 (mᵀv)`` and ``X_cᵀu = Xᵀu − m (1ᵀu)`` are computed, so sparse data
stay sparse. The k largest eigenpairs of ``X_cᵀX_c`` or ``X_cX_cᵀ``, whichever is smaller, are found
by implicitly restarted Lanczos iteration (ARPACK) from a fixed start vector: the same data give the
same bits. Eigenvalues are squares, so singular values are certain to ``√ε S_1``, 1.5e-8 of the
largest one.
"""

from __future__ import annotations

from inspect import signature
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, eigsh

if TYPE_CHECKING:
    from numpy.typing import NDArray


#: Where data vary in fewer than k directions the iteration begins again with a random vector, drawn
#: from fresh entropy by SciPy from version 1.17 on, unless it is given a seed.
_SEED: dict[str, Any] = {"rng": 0} if "rng" in signature(eigsh).parameters else {}


def leading_directions(
    X: Any, mean: NDArray[np.float64], k: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], bool]:
    """Return the k largest singular values of centered data and their vectors on the shorter side.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features), float64
        A dense array is centered already.
    mean : ndarray of shape (n_features,)
        Of the rows; not read for a dense array.
    k : int
        Less than either side.

    Returns
    -------
    vectors : ndarray of shape (min(n_samples, n_features), k)
        Orthonormal columns of V, or of U if there are more features than points.
    s : ndarray of shape (k,)
        Descending.
    of_points : bool
        Whether the vectors are columns of U.

    Notes
    -----
    Some 2k products with X and its transpose and O(min(n, D) k²) time a restart, of which a few are
    needed; O(min(n, D) k) memory.
    """
    n, n_features = X.shape
    of_points = n_features > n
    thin = sparse.issparse(X)
    Xt = sparse.csr_array(X.T) if thin else X.T

    def forth(v: NDArray[Any]) -> NDArray[Any]:
        found = X @ v
        return np.asarray(found - mean @ v if thin else found)

    def back(u: NDArray[Any]) -> NDArray[Any]:
        found = Xt @ u
        return np.asarray(found - mean * u.sum() if thin else found)

    size = min(n, n_features)
    product = LinearOperator(
        (size, size),
        matvec=lambda v: forth(back(v.ravel())) if of_points else back(forth(v.ravel())),
        dtype=np.float64,
    )
    start = np.random.default_rng(0).standard_normal(size)
    if not product.matvec(start).any():  # all points are equal: the iteration could not begin
        return np.zeros((size, k)), np.zeros(k), of_points
    values, vectors = eigsh(product, k, which="LA", v0=start, **_SEED)
    order = np.argsort(-values, kind="stable")
    return vectors[:, order], np.sqrt(np.maximum(values[order], 0)), of_points
