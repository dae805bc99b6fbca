"""Sparse neighbor probabilities at random, as a search for nearest neighbors would leave them."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse


def sparse_rows(n: int, n_neighbors: int = 20, among: int | None = None) -> Any:
    """Return rows of neighbor probabilities, CSR (n, n).

    The neighbors of a point are ``n_neighbors`` of the ``among`` points after it, of all others by
    default.
    """
    rng, k = np.random.default_rng(0), n_neighbors
    among = n - 1 if among is None else among
    indices = np.array([(i + 1 + rng.permutation(among)[:k]) % n for i in range(n)])
    data = rng.random((n, k))
    data /= data.sum(axis=1, keepdims=True)
    P = sparse.csr_array((data.ravel(), indices.ravel(), np.arange(0, k * n + 1, k)), shape=(n, n))
    P.sum_duplicates()
    return P
