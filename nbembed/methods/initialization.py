"""First layouts: the points' positions before anything is minimized.

A cold start is the leading principal components (for dissimilarities classical scaling, which is
the same on their inner products) or noise, both tiny: the kernels are flat there, so that all
points repel each other equally and the map unfolds from one heap. A warm start takes over the
layout of another method: the shape is kept, and the size is that at which this method's cost is
least.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import minimize_scalar
from scipy.sparse.linalg import LinearOperator, eigsh

from nbembed.data.distances import fewest_stored
from nbembed.data.matrix_input import check_magnitude
from nbembed.kernels.inner_product import rms_radius
from nbembed.methods.principal_components import FIXED_SEED, is_large, leading_coordinates
from nbembed.system.blas import one_blas_thread
from nbembed.system.memory import check_memory
from nbembed.system.work import warn

#: Standard deviation of the first axis of a cold start.
SMALL = 1e-4
#: Noise on top, relative to that: duplicate points must be able to separate.
JITTER = 1e-2
#: A cost that is never least, in place of one that is not finite.
NEVER = 1e300


def noise(n_samples: int, n_components: int, std: float, rng: np.random.Generator) -> NDArray[Any]:
    """Return independent normal coordinates of standard deviation ``std``."""
    return std * rng.standard_normal((n_samples, n_components))


@one_blas_thread()
def pca_layout(
    X: NDArray[Any], n_components: int, metric: Any, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return principal components scaled to a first standard deviation of :data:`SMALL`.

    ``X`` are data, or dissimilarities with ``metric="precomputed"``, the only metric that matters.
    Dimensions that the data lack are filled with noise of ``rng``, all of them where sparse
    dissimilarities lack pairs.
    """
    n = X.shape[0]
    if fewest_stored(X, metric) is not None:
        axes = np.empty((n, 0))  # classical scaling needs all pairs
    else:
        axes = scaling_axes(X, n_components) if metric == "precomputed" else _pca(X, n_components)
    Y = np.zeros((n, n_components))
    std = float(axes[:, 0].std()) if axes.shape[1] else 0.0
    # Of constant data only rounding errors are left, which must not be scaled up to a layout.
    size = float(abs(X).max())
    if std > 1e-12 * size:
        Y[:, : axes.shape[1]] = axes * (SMALL / std)
    jitter = noise(n, n_components, SMALL * JITTER, rng)
    if std <= 1e-12 * size:
        jitter /= JITTER
    Y += jitter
    return Y


@one_blas_thread()
def scaling_axes(D: NDArray[Any], n_components: int) -> NDArray[np.float64]:
    """Return classical scaling of dissimilarities: principal axes of −½ J D∘D J.

    ``D`` may lack symmetry; the mean of both directions is used. Axes of negative or no variance
    are left out.
    """
    n = D.shape[0]
    check_memory(24 * n**2, f"scaling of {n} × {n} dissimilarities", 'init="random"')
    squared = np.square(_dense(D))
    squared = (squared + squared.T) / 2
    mean = squared.mean(axis=0)
    inner = -0.5 * (squared - mean[:, None] - mean[None, :] + mean.mean())
    return _leading(inner, min(n_components, n))


def _pca(X: Any, n_components: int) -> NDArray[np.float64]:
    """Return principal coordinates of dense or sparse data, without a centered copy of sparse."""
    check_magnitude(X)
    n, n_features = X.shape
    if is_large(X):
        return _signed(leading_coordinates(X, min(n_components, n, n_features)))
    X = X.astype(np.float64)
    mean = np.asarray(X.mean(axis=0)).ravel()
    if not sparse.issparse(X):
        X = X - mean
        mean = np.zeros(n_features)
    if n_features <= n:
        scatter = _dense(X.T @ X) - n * np.outer(mean, mean)
        _, vectors = _eigh(scatter, min(n_components, n_features))
        return _signed(_dense(X @ vectors) - mean @ vectors)
    along = _dense(X @ mean)
    inner = _dense(X @ X.T) - along[:, None] - along[None, :] + mean @ mean
    return _leading(inner, min(n_components, n))


def _dense(values: Any) -> NDArray[np.float64]:
    return np.asarray(values.toarray() if sparse.issparse(values) else values, dtype=np.float64)


def _leading(inner: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """Return coordinates along the leading eigenvectors of a matrix of inner products."""
    values, vectors = _eigh(inner, count)
    positive = values > 1e-12 * max(float(np.abs(values).max(initial=0.0)), 1e-300)
    return _signed(vectors[:, positive] * np.sqrt(values[positive]))


def _eigh(matrix: NDArray[np.float64], count: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the ``count`` largest eigenvalues, descending, and their vectors."""
    n = matrix.shape[0]
    if n <= 500 or count >= n // 4:
        values, vectors = np.linalg.eigh(matrix)
        return values[::-1][:count], vectors[:, ::-1][:, :count]
    # A fixed first vector: ARPACK's own is drawn from a global state.
    first = np.random.default_rng(0).standard_normal(n)
    operator = LinearOperator(matrix.shape, matvec=lambda v: matrix @ v, dtype=matrix.dtype)
    values, vectors = eigsh(operator, k=count, v0=first, **FIXED_SEED)
    order = np.argsort(values)[::-1]
    return values[order], vectors[:, order]


def _signed(axes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return axes whose largest entry in magnitude is positive: a solver's signs are arbitrary."""
    if axes.size == 0:
        return axes
    largest = np.abs(axes).argmax(axis=0)
    signs = np.sign(axes[largest, np.arange(axes.shape[1])])
    return np.asarray(axes * np.where(signs == 0, 1.0, signs))


@one_blas_thread()
def fitted_to(Y: NDArray[Any], n_components: int) -> NDArray[np.float64]:
    """Return ``Y``, centered, with its own principal ``n_components`` if it has more."""
    Y = np.asarray(Y, dtype=np.float64)
    Y = Y - Y.mean(axis=0)
    if Y.shape[1] <= n_components:
        return Y
    return _pca(Y, n_components)


def padded(
    Y: NDArray[Any], n_components: int, std: float, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return ``Y`` with missing dimensions filled by noise of standard deviation ``std``."""
    missing = n_components - Y.shape[1]
    if missing <= 0:
        return np.asarray(Y, dtype=np.float64)
    return np.hstack([Y, noise(Y.shape[0], missing, std, rng)])


@one_blas_thread()
def unfolded(
    Y: NDArray[Any], pinned: NDArray[np.intp], most: int | None = None
) -> NDArray[np.float64]:
    """Return a given first layout, with a little noise in directions in which it has no extent.

    No force leads off a line or a point that all points lie on, so that the map would stay there.
    What is added is small against the map, the same each time, and not added to ``pinned`` points.
    ``most`` is the number of directions that a map may have, by default one less than its points.

    Warns where noise is added.
    """
    n, d = Y.shape
    centered = Y - Y.mean(axis=0)
    lengths, axes = np.linalg.eigh(centered.T @ centered)
    # Maps are made in float32, which rounds the places of a line that is not along an axis.
    flat = lengths <= (1e-6**2) * max(float(np.square(Y).sum()), 1e-300)
    rank = d - int(np.count_nonzero(flat))
    if rank >= min(d, n - 1 if most is None else most):
        return Y
    std = JITTER * rms_radius(Y) if rank else SMALL
    free = np.setdiff1d(np.arange(n), pinned)
    if free.size == 0:
        return Y
    warn(
        f"init varies in only {rank} of n_components = {d} dimensions, and no point could leave "
        f"them; noise of standard deviation {std:.3g} is added in the others",
        stacklevel=3,
    )
    moved = np.array(Y, dtype=np.float64)
    across = axes[:, flat]
    moved[free] += noise(free.size, d, std, np.random.default_rng(0)) @ across @ across.T
    return moved


def best_scale(cost: Callable[[NDArray[Any]], float], Y: NDArray[Any]) -> float:
    """Return the factor s at which ``cost(s·Y)`` is least, to a few per cent.

    Powers of two around a spread of one bracket the minimum, which is then refined in log s. The
    shape of the map is kept, so this is the natural radius of a method for that shape.
    """
    size = rms_radius(Y)
    if not size > 0:
        return 1.0

    def value(log_scale: float) -> float:
        found = cost(Y * (math.exp(log_scale) / size))
        return found if math.isfinite(found) else NEVER

    grid = [k * math.log(2.0) for k in range(-7, 11)]
    best = int(np.argmin([value(point) for point in grid]))
    bounds = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
    found = minimize_scalar(
        value, bounds=bounds, method="bounded", options={"xatol": 0.03, "maxiter": 8}
    )
    return math.exp(found.x) / size
