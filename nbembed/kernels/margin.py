"""Large margin terms of Mbed."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class MarginTerms(NamedTuple):
    cost: float
    gradient: Any
    membership: Any
    margin: float
    balance: float
    labels: float


def large_margin(Yt, directions, lam, targets, prior, balance, margin_weight, n_threads):
    """Return the terms; NumPy stand-in."""
    W = np.asarray(directions, np.float64)
    Y = Yt.T.astype(np.float64)
    n = len(Y)
    a = Y @ W.T / lam
    a -= a.max(1, keepdims=True)
    log_m = a - np.log(np.exp(a).sum(1, keepdims=True))
    m = np.exp(log_m)
    mean = m.mean(0)
    log_ratio = np.log(np.maximum(mean, 1e-300))
    if balance:
        log_ratio = log_ratio - np.log(prior)
    A = float((m * log_m).sum() / n)
    B = float(-(mean * log_ratio).sum())
    known = ~np.isnan(targets).any(1)
    t = targets[known]
    D = float((np.where(t > 0, t * np.log(np.maximum(t, 1e-300)), 0) - t * log_m[known]).sum())
    center = m @ W
    g = m * log_m
    dA = (g @ W - g.sum(1, keepdims=True) * center) / (lam * n)
    h = m * log_ratio
    dB = (h.sum(1, keepdims=True) * center - h @ W) / (lam * n)
    gradient = -margin_weight * (dA + dB)
    gradient[known] += (m[known] - t) @ W / lam
    return MarginTerms(-margin_weight * (A + B) + D, np.ascontiguousarray(gradient.T, Yt.dtype),
                       m, A, B, D)
