"""Principal components of large data for a first layout, without a copy of the data.

The rows are centered a block at a time, in float64. Of few features the scatter matrix

    S = Σ_i (x_i − m)(x_i − m)ᵀ,    m the mean of the rows

is summed and decomposed. Of many features, S is never formed: from a random V with a few columns
more than wanted, ``V ← orthonormal basis of S V`` is repeated (subspace iteration; Halko,
Martinsson and Tropp 2011, algorithm 4.4), with a fixed seed. A component is accurate to about
(λ/λ')^(2·STEPS), λ' its eigenvalue and λ the largest one outside of V, which is far more than a
first layout needs. Sparse data stay sparse: ``(X − 1mᵀ) V = X V − 1 (mᵀV)``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Data with fewer entries are decomposed whole.
LARGE = 2**25
#: Up to so many features the scatter matrix is formed.
FEW_FEATURES = 1000
#: Columns beyond those that are wanted, and iterations.
MORE, STEPS = 10, 6
#: Rows of a block.
ROWS = 4096


def is_large(X: Any) -> bool:
    """Return whether data are worth an iteration."""
    return int(X.shape[0]) * int(X.shape[1]) >= LARGE


def leading_components(X: Any, count: int) -> NDArray[np.float64]:
    """Return the coordinates of the points along the leading principal directions.

    Parameters
    ----------
    X : ndarray or csr_array of shape (n_samples, n_features)
    count : int
        At most n_samples and n_features.

    Returns
    -------
    ndarray of shape (n_samples, count)
        Of descending variance.

    Notes
    -----
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
