r"""Positions as 16-bit numbers: half the bytes of a large frame, and an error far below a pixel.

Along each axis a map reaches from :math:`a` to :math:`b`. A position :math:`x` is sent as the whole
number

.. math:: q = \operatorname{round}\bigl(65535\,(x - a) / (b - a)\bigr),
          \qquad x \approx a + q\,(b - a) / 65535,

with an error of at most half a step, :math:`(b - a) / 131070`. On a view that shows the whole map
in 1000 pixels that is 0.008 of a pixel. A page that is zoomed in so far that half a step would
exceed half a pixel asks for full precision (the message ``precision``). Only frames of a running
map are quantized: a layout at rest, which may be saved or exported, is always sent as float32.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

#: Layouts of at most this many points are sent as float32, as before; their frames are small.
FULL_PRECISION = 10_000
#: The largest number of 16 bits.
LARGEST = 65535


def quantize(positions: NDArray[np.float32]) -> tuple[NDArray[np.uint16], list[float]] | None:
    """Return positions (n, 2) as 16-bit numbers with the range that they span.

    The range is [left, bottom, right, top]. ``None`` if a position is not finite.
    """
    # By columns: reducing many rows of two numbers is slow.
    low = np.array([x.min() for x in positions.T], dtype=np.float64)
    high = np.array([x.max() for x in positions.T], dtype=np.float64)
    if not (np.isfinite(low).all() and np.isfinite(high).all()):
        return None
    span = high - low
    # Float64: in float32, positions far from zero would be off by more than half a step.
    scaled = positions - low
    scaled *= np.divide(LARGEST, span, out=np.zeros_like(span), where=span > 0)
    scaled += 0.5
    return scaled.astype("<u2"), [*low.tolist(), *high.tolist()]
