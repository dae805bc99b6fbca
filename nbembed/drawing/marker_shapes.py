"""Corners of the marker shapes of classes, for still pictures and for the page's symbols."""

from __future__ import annotations

import math
from collections.abc import Sequence

from nbembed.drawing.palette import SYMBOLS

Corners = Sequence[tuple[float, float]]


def _ring(radii: Sequence[float], count: int, turn: float = 0.0) -> Corners:
    angles = [turn + 2 * math.pi * k / count for k in range(count)]
    return [
        (radii[k % len(radii)] * math.sin(angle), -radii[k % len(radii)] * math.cos(angle))
        for k, angle in enumerate(angles)
    ]


def _turned(corners: Corners, angle: float) -> Corners:
    c, s = math.cos(angle), math.sin(angle)
    return [(c * x - s * y, s * x + c * y) for x, y in corners]


_ARM, _REACH = 0.35, 1.03
_CROSS = [
    (-_ARM, -_REACH), (_ARM, -_REACH), (_ARM, -_ARM), (_REACH, -_ARM), (_REACH, _ARM),
    (_ARM, _ARM), (_ARM, _REACH), (-_ARM, _REACH), (-_ARM, _ARM), (-_REACH, _ARM),
    (-_REACH, -_ARM), (-_ARM, -_ARM),
]  # fmt: skip

#: By symbol, in units of the radius of a circle that looks as large, y down; a circle has none.
CORNERS: dict[str, Corners] = {
    "circle": [],
    "square": _ring([1.19], 4, math.pi / 4),
    "triangle": _ring([1.21], 3),
    "diamond": _ring([1.16], 4),
    "star": _ring([1.24, 0.54], 10),
    "cross": _CROSS,
    "wedge": _ring([1.21], 3, math.pi),
    "pentagon": _ring([1.13], 5),
    "saltire": _turned(_CROSS, math.pi / 4),
    "hexagon": _ring([1.13], 6),
}


def corners(shape: int) -> Corners:
    """Return the corners of a shape by its place in :data:`~nbembed.drawing.palette.SYMBOLS`."""
    return CORNERS[SYMBOLS[shape]]
