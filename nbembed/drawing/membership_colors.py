"""Colors by class probability: each point shows the mixture of the class colors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def membership_colors(memberships: NDArray[Any], colors: Sequence[str]) -> NDArray[np.uint8]:
    """Return the class colors, mixed for each point by its class probabilities.

    The result is RGBA, (n_samples, 4) uint8. Colors ``"#RRGGBB"`` are mixed in linear light (γ =
    2.2): mixtures of gamma-encoded values are too dark. The opacity is the sum of the row of
    ``memberships`` (n_samples, n_classes): the rest is for the color of points without a class.
    """
    n, n_classes = memberships.shape
    encoded = np.array([[int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in colors[:n_classes]])
    linear = ((encoded / 255.0) ** 2.2).astype(np.float32)
    p = np.asarray(memberships, dtype=np.float32)
    share = p.sum(axis=1, keepdims=True)
    light = p @ linear / np.maximum(share, np.finfo(np.float32).tiny)
    rgba = np.empty((n, 4), dtype=np.uint8)
    rgba[:, :3] = np.rint(255.0 * np.clip(light, 0.0, 1.0) ** (1 / 2.2))
    rgba[:, 3:] = np.rint(255.0 * np.clip(share, 0.0, 1.0))
    return rgba
