"""Lengths of paths in the Fisher metric, one left point at a time."""

from __future__ import annotations

from typing import Any

import numpy as np


def path_lengths(A: Any, B: Any, beta: Any, pieces: int, dtype: Any, n_threads: int) -> Any:
    """See :func:`nbembed.kernels.fisher_paths.path_lengths`."""
    A = np.asarray(A, np.float64)
    others = A if B is None else np.asarray(B, np.float64)
    beta = np.asarray(beta, np.float64)
    out = np.zeros((len(A), len(others)))
    for i, a in enumerate(A):
        e = others - a
        for t in range(pieces):
            exponents = a + (t + 0.5) / pieces * e
            w = np.exp(exponents.min(axis=1, keepdims=True) - exponents)
            Z = w.sum(axis=1, keepdims=True)
            v = w * (e - (w * e).sum(axis=1, keepdims=True) / Z)
            N, G = w @ beta.T, v @ beta.T
            out[i] += np.sqrt((G * G / np.maximum(N, 1e-30)).sum(axis=1) / Z[:, 0])
    out /= pieces
    if B is None:  # the same both ways, to the last bit
        out = np.triu(out, 1) + np.triu(out, 1).T
    return out.astype(dtype)


def shorten(D: Any, n_threads: int) -> None:
    """See :func:`nbembed.kernels.fisher_paths.shorten`."""
    for k in range(D.shape[0]):
        np.minimum(D, D[:, k, None] + D[k], out=D)


def detours(direct: Any, D: Any, n_threads: int) -> Any:
    """See :func:`nbembed.kernels.fisher_paths.detours`."""
    return np.array(
        [np.minimum(row, (row[:, None] + D).min(axis=0)) for row in direct], direct.dtype
    ).reshape(direct.shape)
