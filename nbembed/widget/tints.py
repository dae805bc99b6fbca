"""Colors by class probability: each point the mixture of its classes' colors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def mix(membership: NDArray[Any], colors: Sequence[str]) -> NDArray[np.uint8]:
    """Return the mixture of class colors by probability.

    Light adds up linearly, so colors are mixed in linear light rather than in their coded values,
    which would make the mixtures too dark.

    Parameters
    ----------
    membership : ndarray of shape (n, K)
        Rows of probabilities.
    colors : sequence of str
        ``"#RRGGBB"`` of each class.

    Returns
    -------
    rgba : ndarray of shape (n, 4), uint8
    """
    n, n_classes = membership.shape
    coded = np.array([[int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in colors[:n_classes]])
    coded = coded / 255.0
    light = np.asarray(membership, dtype=np.float32) @ (coded**2.2).astype(np.float32)
    rgba = np.full((n, 4), 255, dtype=np.uint8)
    rgba[:, :3] = np.rint(255.0 * np.clip(light, 0.0, 1.0) ** (1 / 2.2))
    return rgba
