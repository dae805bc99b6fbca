"""Chebyshev's iteration with a dense matrix."""

from __future__ import annotations

from typing import Any

import numpy as np


def polynomial_inverse(S: Any, B: Any, low: float, degree: int, n_threads: int = 1) -> Any:
    """See :class:`nbembed.kernels.polynomial_inverse.PolynomialInverse`."""
    indptr, indices, data = S
    n = len(B)
    A = np.eye(n)
    A[np.repeat(np.arange(n), np.diff(indptr)), indices] -= data
    middle, half = 1 + low / 2, 1 - low / 2
    # T_k(x) of the scaled residual, and at 0, by the three-term recurrence.
    before, X = np.zeros(B.shape), np.asarray(B, np.float64) / middle
    last, now = 1.0, middle / half
    for _ in range(degree - 1):
        after = 2 * middle / half * now - last
        rest = B - A @ X
        ahead = X + (last / after) * (X - before) + (2 * now / (half * after)) * rest
        before, X, last, now = X, ahead, now, after
    return X.astype(B.dtype)
