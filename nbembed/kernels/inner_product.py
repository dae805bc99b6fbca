"""Inner products of long arrays without BLAS.

BLAS gives a long product to several threads. Their number decides the bits of the result, and while
other work holds a core, a product that takes 0.02 ms may wait 10 ms for its helper thread.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def dot(a: NDArray[Any], b: NDArray[Any]) -> float:
    """Return Σ a·b over all entries, accumulated in float64."""
    return float(np.sum(np.multiply(a, b, dtype=np.float64)))
