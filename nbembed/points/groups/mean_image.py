"""The mean image of a group, that of another, and where they differ."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nbembed.points.images import Images

#: Images of a group that are read; of more points, so many evenly spaced ones.
MOST_IMAGES = 200
#: Colors of where a group is brighter and darker: they are told apart with any color vision, on
#: light and dark backgrounds.
BRIGHTER, DARKER = (230, 128, 0), (40, 130, 220)


@dataclass(frozen=True)
class MeanImages:
    """Mean images of two groups, of the same size.

    * mean, other_mean, of shape (height, width) or (height, width, 3): from 0, black, to 255.
    * count, other_count: images that entered the means.
    """

    mean: NDArray[np.float64]
    other_mean: NDArray[np.float64]
    count: int
    other_count: int

    @property
    def pictures(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8]]:
        """Both means, and their difference: a color for each sign, the less opaque the smaller."""
        difference = self.mean - self.other_mean
        if difference.ndim > 2:
            difference = difference.mean(axis=2)
        largest = float(np.abs(difference).max()) or 1.0
        drawn = np.empty((*difference.shape, 4), np.uint8)
        drawn[..., :3] = np.where((difference > 0)[..., None], BRIGHTER, DARKER)
        drawn[..., 3] = np.rint(255 * np.abs(difference) / largest)
        return _bytes(self.mean), _bytes(self.other_mean), drawn


def mean_images(images: Images, a: NDArray[np.intp], b: NDArray[np.intp]) -> MeanImages | None:
    """Return the mean images of two groups of points.

    * returns means: ``None`` where a group has no image that can be read, or where most images are
      of different sizes. Images of another size than the first are left out.
    """
    mine = _mean(images, _some(a), None)
    if mine is None:
        return None
    theirs = _mean(images, _some(b), mine[0].shape)
    if theirs is None:
        return None
    return MeanImages(mine[0], theirs[0], mine[1], theirs[1])


def _some(points: NDArray[np.intp]) -> NDArray[np.intp]:
    if points.size <= MOST_IMAGES:
        return points
    chosen: NDArray[np.intp] = points[np.linspace(0, points.size - 1, MOST_IMAGES).astype(int)]
    return chosen


def _mean(
    images: Images, points: NDArray[np.intp], shape: tuple[int, ...] | None
) -> tuple[NDArray[np.float64], int] | None:
    total: NDArray[np.float64] | None = None
    count = seen = 0
    for point in points.tolist():
        try:
            pixels = images.pixels(point)
        except (ValueError, TypeError):  # cards tell of it
            continue
        if pixels is None:
            continue
        seen += 1
        if total is None and (shape is None or pixels.shape == shape):
            total = np.zeros(pixels.shape)
        if total is not None and pixels.shape == total.shape:
            total += pixels
            count += 1
    if total is None or 2 * count <= seen:
        return None
    return total / count, count


def _bytes(values: NDArray[np.float64]) -> NDArray[np.uint8]:
    return np.rint(np.clip(values, 0, 255)).astype(np.uint8)
