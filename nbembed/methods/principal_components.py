"""Principal components of large data, without a centered copy: for a start, and for learners.

    X_c = X − 1 mᵀ = U S Vᵀ,   m the mean of the rows

:func:`leading_coordinates`, of a first layout. The rows are centered a block at a time, in float64.
Of few features the scatter matrix ``S = X_cᵀX_c`` is summed and decomposed. Of many features, it
is never formed: from a random V with a few columns more than wanted, drawn with a fixed seed,
``V ← orthonormal basis of S V`` is repeated (subspace iteration; Halko, Martinsson and Tropp 2011,
algorithm 4.4). A component is accurate to about (λ/λ')^(2·STEPS), λ' its eigenvalue and λ the
largest one outside of V, which is far more than a first layout needs.

:func:`leading_directions`, of learners, which need them as exact as they come. The k largest
eigenpairs of ``X_cᵀX_c`` or ``X_cX_cᵀ``, whichever is smaller, are found by implicitly restarted
Lanczos iteration (ARPACK) from a fixed start vector: the same data give the same bits. Eigenvalues
are squares, so singular values are certain to ``√ε S_1``, 1.5e-8 of the largest one.

Both compute products ``X_c v = X v − 1 (mᵀv)`` and ``X_cᵀu = Xᵀu − m (1ᵀu)`` alone, so that sparse
data stay sparse.
"""

from __future__ import annotations

from collections.abc import Iterator
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import LinearOperator, eigsh

#: Data with fewer entries are decomposed whole.
LARGE = 2**25
#: Up to so many features the scatter matrix is formed.
FEW_FEATURES = 1000
#: Columns beyond those that are wanted, and iterations.
MORE, STEPS = 10, 6
#: Rows of a block.
ROWS = 4096
#: For ``eigsh``, beside its first vector. Where data vary in fewer than k directions the iteration
#: begins again with a random vector. From version 1.17 on SciPy draws it from fresh entropy, unless
#: it is given a seed; before, from a state of the process that nobody can set.
FIXED_SEED: dict[str, Any] = {"rng": 0} if "rng" in signature(eigsh).parameters else {}


def is_large(X: Any) -> bool:
    """Return whether data are so large that an iteration is faster than a decomposition."""
    return int(X.shape[0]) * int(X.shape[1]) >= LARGE


def leading_coordinates(X: Any, count: int) -> NDArray[np.float64]:
    """Return the coordinates of the points along the leading principal directions, for a start.

    * Shapes: X (n_samples, n_features).
    * count: at most n_samples and n_features.
    * returns (n_samples, count): of descending variance.

    O(n_samples n_features (count + MORE) STEPS) time, or O(n_samples n_features²) of few features;
    O((n_samples + n_features) (count + MORE)) memory besides a block.
    """
    n, n_features = X.shape
    mean = np.asarray(X.sum(axis=0, dtype=np.float64)).ravel() / n
    if n_features <= FEW_FEATURES:
        scatter = np.zeros((n_features, n_features))
        for _, rows in _blocks(X):
            centered = (rows.toarray() if sparse.issparse(rows) else rows) - mean
            scatter += centered.T @ centered
        _, vectors = np.linalg.eigh(scatter)
        return _projected(X, mean, vectors[:, ::-1][:, :count])
    wide = min(count + MORE, n, n_features)
    V = np.linalg.qr(np.random.default_rng(0).standard_normal((n_features, wide)))[0]
    for _ in range(STEPS):
        V = np.linalg.qr(_scattered(X, mean, V))[0]
    Z = _projected(X, mean, V)
    _, turn = np.linalg.eigh(Z.T @ Z)
    return np.asarray(Z @ turn[:, ::-1][:, :count])


def leading_directions(
    X: Any, mean: NDArray[np.float64], k: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], bool]:
    """Return the k largest singular values of centered data and their vectors on the shorter side.

    * X (n_samples, n_features), float64: a dense array is centered already.
    * mean (n_features,): of the rows; not read for a dense array.
    * k: less than either side.
    * returns vectors (min(n_samples, n_features), k): orthonormal columns of V, or of U if there
      are more features than points.
    * returns s (k,): descending.
    * returns of_points: whether the vectors are columns of U.

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
    values, vectors = eigsh(product, k, which="LA", v0=start, **FIXED_SEED)
    order = np.argsort(-values, kind="stable")
    return vectors[:, order], np.sqrt(np.maximum(values[order], 0)), of_points


def _blocks(X: Any) -> Iterator[tuple[slice, Any]]:
    for first in range(0, X.shape[0], ROWS):
        here = slice(first, min(first + ROWS, X.shape[0]))
        yield here, X[here].astype(np.float64)


def _projected(X: Any, mean: NDArray[Any], V: NDArray[Any]) -> NDArray[np.float64]:
    """Return (X − 1mᵀ) V."""
    Z = np.empty((X.shape[0], V.shape[1]))
    for here, rows in _blocks(X):
        Z[here] = rows @ V - mean @ V if sparse.issparse(rows) else (rows - mean) @ V
    return Z


def _scattered(X: Any, mean: NDArray[Any], V: NDArray[Any]) -> NDArray[np.float64]:
    """Return S V."""
    out = np.zeros_like(V)
    for _, rows in _blocks(X):
        if sparse.issparse(rows):
            Z = rows @ V - mean @ V
            out += rows.T @ Z - np.outer(mean, Z.sum(axis=0))
        else:
            centered = rows - mean
            out += centered.T @ (centered @ V)
    return out
