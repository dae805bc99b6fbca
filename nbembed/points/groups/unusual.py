"""In which features a point is unusual, as far as its neighbors are, too.

A single count of something rare lies many standard deviations from the mean and says little. So a
feature counts by the point or by the mean of its neighbors, whichever is nearer to the mean of all.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from nbembed.points.groups.numbers import Moments
from nbembed.points.groups.variables import Numbers, Variables

#: Features that are named, the highest and the lowest.
MOST_HIGH, MOST_LOW = 4, 2
#: Standard deviations from the mean that are usual.
USUAL = 1.0


def unusual(
    variables: Variables, point: int, neighbors: Sequence[int]
) -> tuple[list[str], list[str]]:
    """Return the named features in which a point is unusually high, and low, the most so first."""
    found: list[tuple[float, str]] = []
    for numbers in variables.numbers:
        if numbers.named:
            own = _away(numbers, np.array([point]))
            near = _away(numbers, np.array(sorted(neighbors), dtype=np.intp))
            least = np.where(own * near > 0, np.minimum(np.abs(own), np.abs(near)), 0.0)
            found += [
                (float(np.copysign(least[k], own[k])), numbers.names[k])
                for k in np.flatnonzero(least > USUAL).tolist()
                if not numbers.is_time(k)
            ]
    found.sort(key=lambda each: -abs(each[0]))
    high = [name for score, name in found if score > 0]
    return high[:MOST_HIGH], [name for score, name in found if score < 0][:MOST_LOW]


def _away(numbers: Numbers, points: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return how far the means of points are from those of all; 0 where it is not known."""
    whole: Moments = numbers.whole
    with np.errstate(invalid="ignore", divide="ignore"):
        away = (numbers.sums(points).mean - whole.mean) / np.sqrt(whole.within / whole.count)
    return np.nan_to_num(away, nan=0.0, posinf=0.0, neginf=0.0)
