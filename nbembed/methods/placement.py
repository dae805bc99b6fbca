"""New points on a fitted map: each by its own neighbors, the map held fixed.

A new point with neighbor probabilities p over the fitted points y_j goes to where

    f(y) = KL(p ‖ q(y)) + μ ‖y − Σ_j p_j y_j‖²,   q_j ∝ exp(−‖y − y_j‖²)

is least: its own row of SNE's cost, with a slight tether (μ = 0.001) that keeps a point whose
neighbors all lie on the rim from leaving the map. With ȳ_p and ȳ_q the two means,

    ∇f = 2(ȳ_q − ȳ_p) + 2μ(y − ȳ_p),   ∇²f = 4 Cov_q + 2μ I

so f is strictly convex: there is one place, Newton's method with a line search finds it, and it
does not depend on what other points come along. Mbed's margin and balance are means over points, in
which one more point has a share of 1/n; they are left out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from nbembed.affinities import rows_to_fitted

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Weight μ of the tether.
TETHER = 1e-3
#: Bound of Newton steps; a handful is usual.
MAX_STEPS = 100
#: Pairs of a new and a fitted point that are held at once.
PAIRS = 2**22


def new_rows(
    X: Any,
    fitted: Any,
    metric: Any,
    *,
    sigma: float | None,
    perplexity: float | None,
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    """Return the neighbor probabilities of new points over fitted ones, (n_new, n_samples).

    Parameters
    ----------
    X, fitted : ndarray or csr_array with the same number of columns
        With ``metric="precomputed"`` ``X`` holds the dissimilarities and ``fitted`` is not read.
    metric : str or callable
    sigma : float or None
        The one width of global affinities, if that is what the map was made from.
    perplexity : float or None
        Else what each row is calibrated to.
    n_jobs : int, optional

    Raises
    ------
    ValueError
        If a given dissimilarity is negative.
    """
    if isinstance(metric, str) and metric == "precomputed":
        values = X.data if sparse.issparse(X) else X
        if values.size and values.min() < 0:
            raise ValueError(
                'X must be non-negative with metric="precomputed", got a dissimilarity of '
                f"{values.min()}"
            )
    if sigma is not None:
        perplexity = None
    return rows_to_fitted(X, fitted, metric, sigma=sigma, perplexity=perplexity, n_jobs=n_jobs)


def place(P: NDArray[Any], Y: NDArray[Any]) -> NDArray[np.float64]:
    """Return the places of new points.

    Parameters
    ----------
    P : ndarray of shape (n_new, n_samples)
        Rows of neighbor probabilities over the fitted points, each summing to one.
    Y : ndarray of shape (n_samples, n_components)
        The fitted map.

    Returns
    -------
    ndarray of shape (n_new, n_components)
    """
    Y = np.asarray(Y, dtype=np.float64)
    center = Y.mean(axis=0)
    Y = Y - center
    block = max(1, PAIRS // max(Y.shape[0], 1))
    parts = [_place(np.asarray(P[i : i + block], np.float64), Y) for i in range(0, len(P), block)]
    return np.asarray(np.vstack([*parts, np.empty((0, Y.shape[1]))]) + center)


def _place(P: NDArray[np.float64], Y: NDArray[np.float64]) -> NDArray[np.float64]:
    n, d = Y.shape
    goals = P @ Y
    products = (Y[:, :, None] * Y[:, None, :]).reshape(n, d * d)
    size = float(np.sqrt(np.mean(np.var(Y, axis=0)))) or 1.0
    places = goals.copy()
    active = np.arange(len(P))
    for _ in range(MAX_STEPS):
        y, goal = places[active], goals[active]
        cost, q = _row_cost(y, goal, Y)
        mean = q @ Y
        gradient = 2 * (mean - goal) + 2 * TETHER * (y - goal)
        covariance = (q @ products).reshape(-1, d, d) - mean[:, :, None] * mean[:, None, :]
        hessian = 4 * covariance + (2 * TETHER) * np.eye(d)
        step = -np.linalg.solve(hessian, gradient[:, :, None])[:, :, 0]
        length = np.linalg.norm(step, axis=1)
        step *= np.minimum(1.0, size / np.maximum(length, size))[:, None]
        slope = np.sum(step * gradient, axis=1)
        share = np.ones(len(active))
        for _ in range(40):
            trial, _ = _row_cost(y + share[:, None] * step, goal, Y)
            steep = trial > cost + 1e-4 * share * slope + 1e-12 * np.abs(cost)
            if not steep.any():
                break
            share[steep] *= 0.5
        places[active] = y + share[:, None] * step
        moving = np.linalg.norm(share[:, None] * step, axis=1) > 1e-7 * size
        active = active[moving]
        if active.size == 0:
            break
    return places


def _row_cost(
    y: NDArray[np.float64], goal: NDArray[np.float64], Y: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return f up to what does not depend on y, and the rows of q.

    Σ_j p_j ‖y − y_j‖² + log Σ_j exp(−‖y − y_j‖²), with ‖y‖² taken out of both.
    """
    exponents = 2 * y @ Y.T - np.sum(Y * Y, axis=1)
    top = exponents.max(axis=1, keepdims=True)
    weights = np.exp(exponents - top)
    total = weights.sum(axis=1, keepdims=True)
    cost = top[:, 0] + np.log(total[:, 0]) - 2 * np.sum(y * goal, axis=1)
    cost += TETHER * np.sum(np.square(y - goal), axis=1)
    return cost, weights / total


def same_data(X: Any, fitted: Any) -> bool:
    """Return whether ``X`` is the data that was fitted, value for value."""
    if X.shape != fitted.shape or sparse.issparse(X) != sparse.issparse(fitted):
        return False
    if sparse.issparse(X):
        return bool((fitted != X).nnz == 0)
    return bool(np.array_equal(X, fitted))
