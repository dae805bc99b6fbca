"""Where the names of groups stand in a still picture: where they hide few points and no other name.

A name stands at the middle of a group that is much larger than the name. A small group would be
buried by it, so that its name stands beside it, on the side where it covers least.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Share of a group's points above which its name does not cover them.
BURIED = 0.25
#: Pixels between a group and the name beside it.
GAP = 5.0
#: Of points in a group, the share at either end that may reach under the name beside it.
OUTLIERS = 0.02

Box = tuple[float, float, float, float]


def caption_places(
    places: NDArray[Any],
    groups: Sequence[NDArray[np.intp]],
    sizes: Sequence[tuple[float, float]],
    frame: Box,
) -> list[tuple[float, float] | None]:
    """Return the middle of each name, ``None`` where a name has no room.

    Parameters
    ----------
    places : ndarray of shape (n_samples, 2)
        All points, in pixels.
    groups : sequence of arrays of int
        The points that each name stands for.
    sizes : sequence of (width, height)
        Of the names, in pixels.
    frame : (left, top, right, bottom)
        Where names may be.

    Notes
    -----
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
    # The point nearest to the medians is on the group even where that is bent or in pieces.
    x, y = own[np.linalg.norm(own - np.median(own, axis=0), axis=1).argmin()].tolist()
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
