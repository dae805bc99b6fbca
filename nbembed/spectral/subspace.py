"""Subspace: the data in coordinates of their own span, in which every problem is stated.

Centered data of n points in D dimensions vary in r ≤ min(n − 1, D) directions only. Along the rest
every cost and every constraint is zero, so the problems are solved in r coordinates: nothing of
size D × D is made where D is large (texts), and no constraint is singular for want of points. No
information is lost. ``n_pca`` keeps only the leading principal directions, which does lose some:
the paper's remedy against overfitting.

Where neither n − 1 nor D is small, r coordinates are too many: every problem has matrices (r, r),
and solving it takes O(r³) time. With ``n_pca="auto"`` only the :data:`LEADING` principal directions
are kept where there may be more than :data:`ALL`, and few of many are found iteratively
(:mod:`nbembed.methods.principal_components`). These rules are ours.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import eigh, qr, svd

from nbembed.data.distances import check_span, largest_magnitude
from nbembed.methods.principal_components import leading_directions
from nbembed.system.blas import one_blas_thread
from nbembed.system.memory import check_memory

#: Up to so many directions, min(n − 1, D), are found all at once, and "auto" keeps all of them.
ALL = 2000
#: So many are kept by "auto" of data that may vary in more.
LEADING = 500
#: Of more than :data:`ALL` directions less than this share is found iteratively.
FEW = 0.25
#: Results kept for each subspace, the most recently used ones (scatter matrices, mostly).
CACHED = 8


@dataclass(frozen=True, eq=False)
class Subspace:
    """Data in coordinates of their span; the affinities of a spectral recipe.

    * Shapes: mean (n_features,).
    * Z (n_samples, r) float64: principal coordinates: centered, uncorrelated, largest variance
      first.
    * directions (n_features, r) or None: orthonormal columns with ``Z = (X − mean) directions``;
      ``None`` where they are stored as combinations of the data, or where the coordinates
      themselves are the features (kernel PCA).
    * kernel_coefficient: scikit-learn's ``gamma`` of the kernel in whose space the coordinates
      are, if there is one.
    """

    Z: NDArray[np.float64]
    mean: NDArray[np.float64]
    directions: NDArray[np.float64] | None
    kernel_coefficient: float | None = None
    # Of sparse data in more dimensions than points: directions = (X − mean)ᵀ combinations.
    _X: Any = field(default=None, repr=False)
    _combinations: NDArray[np.float64] | None = field(default=None, repr=False)
    _cache: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    @classmethod
    @one_blas_thread()
    def of(cls, X: Any, n_pca: int | str | None = None, n_components: int = 1) -> Subspace:
        """Return checked data in coordinates of their span; there are none if all points are equal.

        * Shapes: X (n_samples, n_features).
        * n_pca: keep this many principal coordinates at most; None: all. "auto" is all of them, or
          of data that may vary in more than :data:`ALL` directions the :data:`LEADING` first.
        * n_components: axes that are wanted: "auto" keeps as many coordinates.

        Raises ValueError if the coordinates, or the problem in them, would not fit into memory.
        """
        most = min(X.shape[0] - 1, X.shape[1])
        if isinstance(n_pca, str):
            n_pca = None if most <= ALL else max(LEADING, n_components)
        if most > ALL:
            wanted = most if n_pca is None else min(n_pca, most)
            _check_memory(X, wanted, all_at_once=wanted >= FEW * most)
            if wanted < FEW * most:
                return _iterated(X, wanted)
        return _sparse(X, n_pca) if sparse.issparse(X) else _dense(X, n_pca)

    @property
    def n_samples(self) -> int:
        """Number of points."""
        return int(self.Z.shape[0])

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of layouts; problems are solved in float64."""
        return np.dtype(np.float32)

    @property
    def rank(self) -> int:
        """Number of coordinates."""
        return int(self.Z.shape[1])

    def components(self, A: NDArray[Any]) -> NDArray[np.float64]:
        """Return axes (r, d) in the data's own features, (n_features, d)."""
        if self.directions is not None:
            return np.asarray(self.directions @ A)
        if self._combinations is None:
            return np.asarray(A)
        weights = self._combinations @ A
        return np.asarray(self._X.T @ weights - np.outer(self.mean, weights.sum(axis=0)))

    def restrict(self, diagonal: NDArray[Any]) -> NDArray[np.float64]:
        """Return a diagonal matrix of the features in the coordinates of the span, (r, r)."""
        V = self.components(np.eye(self.rank))
        return np.asarray(V.T @ (diagonal[:, None] * V))

    def restrict_matrix(self, M: NDArray[Any]) -> NDArray[np.float64]:
        """Return a matrix (n_features, n_features) in the coordinates of the span, (r, r)."""
        if M.shape != (self.mean.size, self.mean.size):
            raise ValueError(
                f"constraint as an array must have shape (n_features, n_features) = "
                f"({self.mean.size}, {self.mean.size}), got {M.shape}"
            )
        V = self.components(np.eye(self.rank))
        return np.asarray(V.T @ M @ V)

    def scatter(self) -> NDArray[np.float64]:
        """Return the scatter of all points about their mean, (r, r)."""
        return np.diag(np.square(self.Z).sum(axis=0))

    def variances(self) -> NDArray[np.float64]:
        """Return the variance of each feature, as far as the coordinates represent it."""

        def make() -> NDArray[np.float64]:
            V = self.components(np.eye(self.rank))
            return np.asarray((V**2) @ np.square(self.Z).mean(axis=0))

        found: NDArray[np.float64] = self.cached("variances", make)
        return found

    def cached(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """Return ``make()``, computed once per key while the key is among the last used.

        So a slider that moves one term of a cost does not recompute the others.
        """
        found = self._cache
        if key in found:
            found[key] = found.pop(key)  # moved to the end: the first one is evicted
        else:
            found[key] = make()
            while len(found) > CACHED:
                found.pop(next(iter(found)))
        return found[key]


def _dense(X: NDArray[Any], n_pca: int | None) -> Subspace:
    X = np.asarray(X, dtype=np.float64)
    check_span(X)
    mean = X.mean(axis=0)
    centered = X - mean
    # QR first: the SVD of what is left is small, and singular values keep their digits.
    if X.shape[0] >= X.shape[1]:
        (triangle,) = qr(centered, mode="r", check_finite=False)
        _, s, Vt = svd(triangle[: X.shape[1]], full_matrices=False, check_finite=False)
        V = Vt.T
    else:
        Q, triangle = qr(centered.T, mode="economic", check_finite=False)
        U, s, _ = svd(triangle, full_matrices=False, check_finite=False)
        V = Q @ U
    V = V[:, _kept(s, X.shape, n_pca, float(np.abs(X).max(initial=0.0)))]
    return Subspace(centered @ V, mean, V)


def _sparse(X: Any, n_pca: int | None) -> Subspace:
    X = sparse.csr_array(X, dtype=np.float64)
    check_span(X)
    n, n_features = X.shape
    mean = np.asarray(X.mean(axis=0)).ravel()
    size = float(np.abs(X.data).max(initial=0.0))
    squares = float(X.data @ X.data)
    if n_features <= n:
        scatter = (X.T @ X).toarray() - n * np.outer(mean, mean)
        values, V = eigh(scatter)
        s = np.sqrt(np.maximum(values[::-1], 0))
        V = V[:, ::-1][:, _kept(s, X.shape, n_pca, size, squares)]
        return Subspace(X @ V - mean @ V, mean, V)
    along = X @ mean
    inner = (X @ X.T).toarray() - along[:, None] - along[None, :] + mean @ mean
    values, U = eigh(inner)
    s = np.sqrt(np.maximum(values[::-1], 0))
    kept = _kept(s, X.shape, n_pca, size, squares)
    U, s = U[:, ::-1][:, kept], s[kept]
    return Subspace(U * s, mean, None, _X=X, _combinations=U / s)


def _check_memory(X: Any, r: int, all_at_once: bool) -> None:
    """Raise if r coordinates of ``X``, and a problem of order r, would not fit into memory."""
    n, n_features = X.shape
    most = min(n, n_features)
    copies = 0 if sparse.issparse(X) else 2 * n * n_features
    # All directions at once take matrices (most, most), the iteration 2r vectors of that length.
    search = 4 * most**2 if all_at_once else 3 * most * r
    needed = 8 * (copies + search + 2 * (n + n_features) * r + 10 * r**2)
    check_memory(needed, f"{r} principal coordinates of X with shape {X.shape}", "a smaller n_pca")


def _iterated(X: Any, n_pca: int) -> Subspace:
    """Return the leading principal coordinates of large data."""
    thin, given = sparse.issparse(X), X
    X = sparse.csr_array(X, dtype=np.float64) if thin else np.asarray(X, dtype=np.float64)
    check_span(X)
    mean = np.asarray(X.mean(axis=0)).ravel()
    size = largest_magnitude(X)
    if thin:
        centered, entries = X, X.data
    else:  # in place, unless these are the caller's own data
        out = None if np.may_share_memory(X, given) else X
        centered = entries = np.subtract(X, mean, out=out)
    vectors, s, of_points = leading_directions(centered, mean, n_pca)
    kept = _kept(s, X.shape, n_pca, size, float(np.vdot(entries, entries)))
    vectors, s = vectors[:, kept], s[kept]
    if not of_points:
        return Subspace(centered @ vectors - (mean @ vectors if thin else 0), mean, vectors)
    if thin:
        return Subspace(vectors * s, mean, None, _X=X, _combinations=vectors / s)
    return Subspace(vectors * s, mean, centered.T @ (vectors / s))


def _kept(
    s: NDArray[np.float64],
    shape: tuple[int, ...],
    n_pca: int | None,
    size: float,
    squares: float = 0.0,
) -> slice:
    """Return the singular values that exceed rounding: N ε of the largest, N the longer side.

    ``size`` is the largest entry before centering: directions below its rounding mean nothing.
    Singular values that are roots of eigenvalues have half the digits: these are certain up to
    N ε of ``squares``, the sum of all squared entries, from which the mean's were subtracted.
    """
    eps = np.finfo(np.float64).eps
    share = eps * max(shape)
    largest = max(float(s[0]) if s.size else 0.0, 0.0)
    floor = max(share * largest, 8 * eps * size * np.sqrt(shape[0]), np.sqrt(share * squares))
    rank = min(int((s > floor).sum()), shape[0] - 1)
    return slice(0, rank if n_pca is None else min(rank, n_pca))
