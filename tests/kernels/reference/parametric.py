"""Parametric Embedding: damped Newton steps, object by object."""

from __future__ import annotations

from typing import Any

import numpy as np

from nbembed.kernels.terms import NEVER, ParametricTerms

MAX_STEPS, MAX_HALVINGS = 200, 50


def _look(r: Any, centers: Any, p: Any, offsets: Any, eta: float) -> tuple[float, Any, Any]:
    """Return f_n(r) without −Σ p a, its gradient, and q_n."""
    exponents = offsets + centers @ r
    top = exponents.max()
    q = np.exp(exponents - top)
    total = q.sum()
    q /= total
    goal = p @ centers
    value = top + np.log(total) - r @ goal + eta * r @ r
    return float(value), q @ centers - goal + 2 * eta * r, q


def _solved(
    r: Any, centers: Any, p: Any, offsets: Any, eta: float, small: float, reach: float
) -> tuple[Any, bool]:
    """Return the minimum of f_n, and whether it was reached."""
    value, g, q = _look(r, centers, p, offsets, eta)
    for _ in range(MAX_STEPS):
        norm = np.linalg.norm(g)
        if norm <= small:
            return r, True
        away = centers - q @ centers
        hessian = (q[:, None] * away).T @ away + 2 * eta * np.eye(len(r))
        step = -np.linalg.solve(hessian, g)
        share = min(1.0, float((reach + np.linalg.norm(r)) / np.linalg.norm(step)))
        rounding = 1e-14 * (abs(value) + eta * (r @ r) + 1)
        for _ in range(MAX_HALVINGS):
            trial = r + share * step
            after, trial_g, trial_q = _look(trial, centers, p, offsets, eta)
            if after - value <= 1e-4 * share * (g @ step) + rounding:
                break
            share /= 2
        else:
            return r, False
        if after - value > -rounding and np.linalg.norm(trial_g) > 0.5 * norm:
            return trial, True  # at the limit of rounding
        r, value, g, q = trial, after, trial_g, trial_q
    return r, False


def parametric(
    objects: Any,
    centers: Any,
    proba: Any,
    log_prior: Any,
    eta: float,
    solve: bool,
    held: Any,
    tolerance: float,
    n_threads: int,
) -> ParametricTerms:
    """See :func:`nbembed.kernels.parametric.parametric`."""
    centers, P = np.asarray(centers, np.float64), np.asarray(proba, np.float64)
    squares = np.square(centers).sum(axis=1)
    offsets = np.maximum(np.asarray(log_prior, np.float64), NEVER) - 0.5 * squares
    reach = 1.0 + np.sqrt(squares.max())
    small = max(2 * eta * tolerance, 1e-14 * reach)
    R, placed, unsolved = np.array(objects, np.float64), np.array(objects), 0
    if solve:
        for n in np.setdiff1d(np.arange(len(R)), held):
            r, done = _solved(R[n], centers, P[n], offsets, eta, small, reach)
            if not np.array_equal(r, R[n]):
                R[n] = placed[n] = r
            unsolved += not done
    exponents = offsets + R @ centers.T
    top = exponents.max(axis=1, keepdims=True)
    q = np.exp(exponents - top)
    total = q.sum(axis=1, keepdims=True)
    q /= total
    f = (top + np.log(total))[:, 0] - (P * exponents).sum(axis=1) + eta * np.square(R).sum(axis=1)
    mean, rest = q @ centers, P - q
    gradient = mean - P @ centers + 2 * eta * R
    apart = np.square(centers - mean[:, None]).sum(axis=2)
    away = np.square(centers - R[:, None]).sum(axis=2)
    excess = rest.sum(axis=0)
    return ParametricTerms(
        placed,
        float(f.sum()),
        gradient.astype(placed.dtype),
        (q * apart).sum(axis=1) + 2 * eta,
        centers * excess[:, None] - rest.T @ R,
        (q * (1 - q) * away).sum(axis=0) + np.abs(excess),
        unsolved,
    )
