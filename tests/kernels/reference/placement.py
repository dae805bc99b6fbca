"""Places of new points: the row's cost minimized by BFGS from the best of the starts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from nbembed.kernels.terms import GAUSSIAN_BELOW

MAX_STEPS, MAX_HALVINGS = 200, 40


def row_cost(
    y: Any, Yt: Any, p: Any, log_p: Any, w: float, alpha: float, tradeoff: float, tether: float,
    terms: Callable[..., None] | None,
) -> tuple[float, Any, float]:  # fmt: skip
    """Return f without t Σ p log p, ∇f, and 2 Σ (t + μ) p S."""
    difference = y[:, None] - Yt
    e, s = np.square(difference).sum(axis=0), np.empty(Yt.shape[1])
    if terms is not None:
        terms(e, s, w, alpha)
    elif alpha < GAUSSIAN_BELOW:
        e *= w
        s[:] = w
    else:
        s[:] = w / (1 + alpha * w * e)
        e = np.log1p(alpha * w * e) / alpha
    low = e.min()
    q = np.exp(low - e)
    total = q.sum()
    q /= total
    log_Z = np.log(total) - low
    pull, back = tradeoff + tether, 1 - tradeoff
    cost = pull * (p @ e) + tradeoff * log_Z
    c = pull * p - tradeoff * q
    if back > 0:
        L = -e - log_Z - log_p
        F = q @ L
        cost += back * F
        c -= back * q * (L - F)
    return float(cost), 2 * difference @ (c * s), float(2 * pull * (p @ s))


def _least(look: Callable[[Any], tuple[float, Any, float]], starts: Any, size: float,
           reach: float) -> tuple[Any, float]:  # fmt: skip
    """Return where a row's cost is least, going down from the best of its starts."""
    y: Any = min(starts, key=lambda start: look(start)[0])
    cost, gradient, curvature = look(y)

    def along_the_gradient() -> Any:
        return np.eye(len(y)) * (1 / curvature if curvature > 0 else size * size)

    H, fresh = along_the_gradient(), True
    for _ in range(MAX_STEPS):
        step = -H @ gradient
        slope = step @ gradient
        if not slope < -1e-15 * (1 + abs(cost)):
            break
        share = min(1.0, float(reach / np.linalg.norm(step)))
        for _ in range(MAX_HALVINGS):
            after, after_gradient, after_curvature = look(y + share * step)
            if after <= cost + 1e-4 * share * slope:
                break
            share /= 2
        else:
            if fresh:
                break
            H, fresh = along_the_gradient(), True
            continue
        moved, change = share * step, after_gradient - gradient
        y = y + moved
        cost, gradient, curvature = after, after_gradient, after_curvature
        if moved @ moved <= 1e-18 * size * size:
            break
        inner = moved @ change
        if inner > 1e-10 * np.linalg.norm(moved) * np.linalg.norm(change):
            if fresh:
                H = np.eye(len(y)) * (inner / (change @ change))
            turn = np.eye(len(y)) - np.outer(moved, change) / inner
            H = turn @ H @ turn.T + np.outer(moved, moved) / inner
            fresh = False
    return y, cost


def descend(
    Yt: Any,
    P: Any,
    log_P: Any,
    w: Any,
    alpha: float,
    tradeoff: float,
    tether: float,
    starts: Any,
    size: float,
    n_threads: int,
    terms: Any = None,
) -> tuple[Any, Any]:
    """See :func:`nbembed.kernels.placement.descend`."""
    Yt, P, starts = (np.asarray(part, np.float64) for part in (Yt, P, starts))
    places, costs = np.empty((len(P), len(Yt))), np.empty(len(P))
    for i, p in enumerate(P):
        log_p = None if log_P is None else np.asarray(log_P[i], np.float64)
        width = float(w[i])

        def look(y: Any, p: Any = p, log_p: Any = log_p, width: float = width) -> Any:
            return row_cost(y, Yt, p, log_p, width, alpha, tradeoff, tether, terms)

        places[i], costs[i] = _least(look, starts[i], size, max(size, 1 / np.sqrt(width)))
    return places, costs
