"""Places for the names of groups in a still picture: they hide few points and no other name.

A name stands at the middle of a group that is much larger than the name, or of a large piece of it.
A small group would be buried by it, so that its name stands beside it, on the side where it covers
least.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: Share of a group's points above which its name does not cover them.
BURIED = 0.25
#: Pixels between a group and the name beside it.
GAP = 5.0
#: Of points in a group, the share at either end that may reach under the name beside it.
OUTLIERS = 0.02

#: Points of a group by which pieces are told, and the share of them that is usually near a point.
FEW, NEAR = 64, 0.2

Box = tuple[float, float, float, float]


def caption_places(
    places: NDArray[Any],
    groups: Sequence[NDArray[np.intp]],
    sizes: Sequence[tuple[float, float]],
    frame: Box,
) -> list[tuple[float, float] | None]:
    """Return the middle of each name, ``None`` where a name has no room.

    * places (n_samples, 2): all points, in pixels.
    * groups: the points that each name stands for.
    * frame: where names may be.

    Large groups choose first. O(n) for each name.
    """
    found: list[tuple[float, float] | None] = [None] * len(groups)
    taken: list[Box] = []
    for k in sorted(range(len(groups)), key=lambda k: -len(groups[k])):
        own = places[groups[k]]
        if not len(own):
            continue
        for place in _candidates(own, places, *sizes[k]):
            box = _box(place, *sizes[k])
            if _within(box, frame) and not any(_meet(box, other) for other in taken):
                found[k] = place
                taken.append(box)
                break
    return found


def _candidates(
    own: NDArray[Any], everything: NDArray[Any], width: float, height: float
) -> list[tuple[float, float]]:
    """Return the places for a name, best first."""
    x, y = central_point(own).tolist()
    center = (x, y)
    if _covered(own, _box(center, width, height)) <= BURIED * len(own):
        return [center]
    # Pieces that lie elsewhere do not count.
    near = np.abs(own - center).max(axis=1) < max(width, 40.0)
    low, high = np.quantile(own[near], [OUTLIERS, 1 - OUTLIERS], axis=0)
    (left, top), (right, bottom) = low.tolist(), high.tolist()
    middle, level = (left + right) / 2, (top + bottom) / 2
    above, below = top - GAP - height / 2, bottom + GAP + height / 2
    before, behind = left - GAP - width / 2, right + GAP + width / 2
    beside = [
        (middle, above), (middle, below), (behind, level), (before, level),
        (behind, above), (before, above), (behind, below), (before, below),
    ]  # fmt: skip
    beside.sort(key=lambda place: _covered(everything, _box(place, width, height)))
    return [*beside, center]


def central_point(own: NDArray[Any]) -> NDArray[Any]:
    """Return the point of a group that stands for it.

    It is the one nearest to the medians, which is on the group even where that is bent. Where
    hardly any others are near it, as between pieces, the same of the piece that has most of them
    near each other (the page's ``map/naming.ts`` does the same).
    """
    middle: NDArray[Any] = _nearest_to_median(own)
    few = own[:: max(1, -(-len(own) // FEW))]
    apart = np.linalg.norm(few[:, None] - few, axis=2)
    rank = min(int(np.ceil(NEAR * len(few))), len(few) - 1)
    reach = np.median(np.partition(apart, rank, axis=1)[:, rank])
    counts = (apart <= reach).sum(axis=1)
    if 4 * np.count_nonzero(np.linalg.norm(few - middle, axis=1) <= reach) >= counts.max():
        return middle
    densest = few[counts.argmax()]
    piece: NDArray[Any] = own[np.linalg.norm(own - densest, axis=1) <= 2 * reach]
    found: NDArray[Any] = _nearest_to_median(piece)
    return found


def _nearest_to_median(points: NDArray[Any]) -> Any:
    return points[np.linalg.norm(points - np.median(points, axis=0), axis=1).argmin()]


def _box(place: tuple[float, float], width: float, height: float) -> Box:
    x, y = place
    return x - width / 2, y - height / 2, x + width / 2, y + height / 2


def _covered(points: NDArray[Any], box: Box) -> int:
    left, top, right, bottom = box
    x, y = points[:, 0], points[:, 1]
    return int(np.count_nonzero((x > left) & (x < right) & (y > top) & (y < bottom)))


def _meet(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _within(box: Box, frame: Box) -> bool:
    return box[0] >= frame[0] and box[1] >= frame[1] and box[2] <= frame[2] and box[3] <= frame[3]
