"""Compactness: a cost that keeps a map about as wide as its points need.

    B = (ε/8) (r/R)⁸,   r² = Σ_i ‖y_i − ȳ‖² / (n d),   R² = (w/c)² / (1/n + 1/N),
    ∂B/∂log r = ε (r/R)⁸

Groups without a common neighbor repel each other for ever: the farther apart, the lower the cost,
by less and less. The room between them says nothing about the data, and at heavy tails it is nearly
all of the map. B presses as little as nothing on a map narrower than R, and stops one there: at
r = R growing by a factor e must gain ε nats. R is the radius at which evenly spread points have
their nearest neighbors about a width w of the similarity apart, up to some N of them; more points
share the room of N. c = 0 is no bound.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

#: ε: nats that growing by a factor e must gain at r = R.
PRESSURE = 0.1

#: N: points that have room of their own.
ROOMY = 8_000

#: The power of r/R: steep enough that maps of other data and tails have nearly the same radius.
POWER = 8


class Bound(NamedTuple):
    """B, its gradient of shape (d, n), and its second derivative along the map itself."""

    cost: float
    gradient: NDArray[np.float64]
    curvature: float


def bound(Yt: NDArray[Any], compactness: float, width: float) -> Bound:
    """Return B of a layout of shape (d, n), for c > 0 and the similarity's width w."""
    d, n = Yt.shape
    centered = Yt - Yt.mean(axis=1, keepdims=True, dtype=np.float64)
    square = float(np.square(centered).sum())
    # (r/R)² apart from its power: its own square may leave the range of numbers, not it.
    share = square / (n * d) * (compactness / width) ** 2 * (1 / n + 1 / ROOMY)
    cost = PRESSURE / POWER * share ** (POWER // 2)
    press = PRESSURE * share ** (POWER // 2) / square if square > 0 else 0.0
    return Bound(cost, press * centered, (POWER - 1) * press)
