"""Widths of neighborhoods: the perplexity's equation solved by bisection, all rows at once."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from nbembed.kernels.terms import TIE, Calibration

#: Bisections of log b in [−60, 600]: the last bracket is as wide as float64 resolves.
HALVINGS = 70


class _Rows(NamedTuple):
    """Rows free of units, as in :mod:`nbembed.kernels.calibration`; ``exists`` excludes the own."""

    u: Any
    exists: Any
    nearest: Any
    mean: Any
    tied: Any
    others: Any


def _rows(D2: Any, skip: Any, dtype: Any) -> _Rows:
    D2 = np.array(D2, np.float64)
    exists = np.ones(D2.shape, bool)
    own = np.flatnonzero(np.asarray(skip) >= 0)
    exists[own, np.asarray(skip)[own]] = False
    nearest = np.where(exists, D2, np.inf).min(axis=1)
    shifted = np.where(exists, D2 - nearest[:, None], 0)
    others = exists.sum(axis=1)
    mean = shifted.sum(axis=1) / others
    mean[mean < 1e-300] = np.inf  # all at one distance
    u = shifted / mean[:, None]
    least = np.maximum(TIE * nearest / mean, 1e-30 if dtype == np.float32 else 1e-250)
    u[u <= least[:, None]] = 0
    return _Rows(u, exists, nearest, mean, (exists & (u == 0)).sum(axis=1), others)


def _weights(rows: _Rows, b: Any) -> tuple[Any, Any]:
    """Return exp(−b u) where there is a point, and b u."""
    with np.errstate(invalid="ignore"):
        x = np.where(rows.u > 0, b[:, None] * rows.u, 0)
    return np.where(rows.exists, np.exp(-x), 0), x


def _entropy(rows: _Rows, b: Any) -> Any:
    w, x = _weights(rows, b)
    Z = w.sum(axis=1)
    return np.log(Z) + (w * np.minimum(x, 800)).sum(axis=1) / Z


def _written(rows: _Rows, b: Any, out: Any) -> Any:
    """Write the rows of P at b."""
    w, _ = _weights(rows, b)
    out[:] = w / w.sum(axis=1, keepdims=True)
    return out


def calibrate(
    D2: Any, skip: Any, perplexity: float, n_threads: int, out: Any = None, *, squared: bool = True
) -> Calibration:
    """See :func:`nbembed.kernels.calibration.calibrate`."""
    out = np.empty_like(D2) if out is None else out
    D2 = D2 if squared else np.square(D2, dtype=np.float64)
    rows = _rows(D2, skip, out.dtype)
    low, high = np.full(len(D2), -60.0), np.full(len(D2), 600.0)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        too_wide = _entropy(rows, np.exp(middle)) > np.log(perplexity)
        low, high = np.where(too_wide, middle, low), np.where(too_wide, high, middle)
    b = np.exp((low + high) / 2)
    b[rows.others <= perplexity] = 0  # all the others: uniform
    b[rows.tied >= perplexity] = np.inf  # uniform over the nearest
    P = _written(rows, b, out)
    beta = np.where(np.isinf(b), 1.0, np.maximum(b, 1e-12)) / rows.mean
    for i in np.flatnonzero(np.isinf(b) & (rows.tied < rows.others)):
        beta[i] = 40 / (rows.u[i][rows.u[i] > 0].min() * rows.mean[i])
    alone = rows.tied == rows.others
    beta[alone] = 1 / np.where(rows.nearest > 1e-300, rows.nearest, 1)[alone]
    return Calibration(P, beta, rows.tied)


def normalize(D2: Any, skip: Any, beta: float, n_threads: int, out: Any = None) -> Any:
    """See :func:`nbembed.kernels.calibration.normalize`."""
    out = np.empty_like(D2) if out is None else out
    rows = _rows(D2, skip, out.dtype)
    return _written(rows, beta * rows.mean, out)
