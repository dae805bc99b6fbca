"""Squared Euclidean distances, coordinate by coordinate."""

from __future__ import annotations

from typing import Any

import numpy as np


def squared_distances(A: Any, B: Any) -> Any:
    """See :func:`nbembed.kernels.distances.squared_distances`."""
    D2 = np.zeros((A.shape[0], B.shape[0]))
    for a, b in zip(A.T, B.T):
        D2 += np.square(a[:, None] - b)
    return D2
