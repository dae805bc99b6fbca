"""Answers with small images of points, for the gallery of a group and the map."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.points.point_data import PointData
from nbembed.widget.wire.queries.images import MOST_IMAGES

_logger = logging.getLogger(__name__)

#: Longest side of an image in pixels: twice that on the page, for displays of high resolution.
SIDE = 96


def answer_images(
    points: NDArray[np.intp], *, data: PointData
) -> tuple[Mapping[str, Any], Sequence[bytes]]:
    """Answer ``images``; what cannot be read is left out, and the card of its point says why."""
    if points.size > MOST_IMAGES:
        raise ValueError(f"points must be at most {MOST_IMAGES} at a time, got {points.size}")
    found = {}
    for point in points.tolist():
        try:
            found[point] = data.image(point, SIDE)
        except Exception:  # whatever the user's own sequence raises
            _logger.info("the image of a point could not be read", exc_info=True)
    pngs = {point: png for point, png in found.items() if png is not None}
    lengths = [len(png) for png in pngs.values()]
    return {"points": list(pngs), "lengths": lengths}, [b"".join(pngs.values())]
