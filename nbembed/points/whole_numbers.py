"""Whole numbers in a histogram: bars that hold as many of them each, so that none sticks out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

#: Up to here neighboring whole numbers are different numbers.
LARGEST = 2.0**52


def are_whole(values: NDArray[np.float64]) -> bool:
    """Return whether all values, of which there is one at least, are whole numbers."""
    if not max(-float(values.min()), float(values.max())) < LARGEST:
        return False
    return bool((values == np.rint(values)).all())
