"""Maps to measure on, of the size that a method's maps of so many points have."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.spatial import cKDTree


def disc(n: int, size: float, rng: np.random.Generator | None = None) -> Any:
    """Return n points spread evenly over a disc of radius ``size`` √n, shape (n, 2)."""
    rng = np.random.default_rng(0) if rng is None else rng
    radius, angle = size * np.sqrt(n * rng.random(n)), 2 * np.pi * rng.random(n)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)


def neighbors_on_a_disc(n: int, k: int) -> tuple[Any, Any]:
    """Return an even map (n, 2) and the rows of its k nearest neighbors, of equal affinity."""
    Y = disc(n, 0.36)
    _, near = cKDTree(Y).query(Y, k + 1)
    ends = np.arange(0, k * n + 1, k)
    share = np.full(k * n, 1 / k, np.float32)
    rows = sparse.csr_array((share, near[:, 1:].ravel().astype(np.int32), ends), shape=(n, n))
    rows.sort_indices()
    return np.ascontiguousarray(Y, np.float32), rows
