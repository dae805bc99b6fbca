"""Maps to measure on, of the size that a method's maps of so many points have."""

from __future__ import annotations

from typing import Any

import numpy as np


def disc(n: int, size: float, rng: np.random.Generator | None = None) -> Any:
    """Return n points spread evenly over a disc of radius ``size`` √n, shape (n, 2)."""
    rng = np.random.default_rng(0) if rng is None else rng
    radius, angle = size * np.sqrt(n * rng.random(n)), 2 * np.pi * rng.random(n)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)
