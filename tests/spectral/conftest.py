from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture(scope="session")
def blobs():
    """Return 60 points in five dimensions, their three classes, and two thirds of the labels."""
    rng = np.random.default_rng(5)
    y = np.arange(60) % 3
    centers = rng.standard_normal((3, 5)) * 2
    X = centers[y] + rng.standard_normal((60, 5)) * np.array([1.0, 0.5, 2.0, 1.0, 0.7]) + 3.0
    return X, y, np.where(np.arange(60) % 5 < 3, y, -1)
