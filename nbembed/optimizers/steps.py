"""What the optimizers share: scaled descent directions, and how to tell that a step went too far.

Inner products are summed in float64 whatever the layout's dtype, so that float32 maps are steered
by the same decisions as float64 ones.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nbembed.objectives.base import Evaluation

#: No point's curvature counts as less than this share of the mean: a point that nothing attracts
#: has none, and would otherwise be sent to infinity in one step.
CURVATURE_FLOOR = 1e-3

#: Longest step of a point in one iteration, in radii of the map.
REACH = 2.0


def dot(a: NDArray[Any], b: NDArray[Any]) -> float:
    """Return Σ a·b, accumulated in float64."""
    return float(np.sum(np.multiply(a, b, dtype=np.float64)))


def radius(Y: NDArray[Any]) -> float:
    """Return the root mean square distance of a coordinate from its mean."""
    return float(np.sqrt(np.mean(np.var(Y, axis=0, dtype=np.float64))))


def preconditioned(gradient: NDArray[Any], curvature: NDArray[Any] | None) -> NDArray[Any]:
    """Return gradient / curvature per point; the gradient itself where there is no curvature."""
    if curvature is None:
        return gradient
    mean = float(np.mean(curvature, dtype=np.float64))
    if not mean > 0:
        return gradient
    floored = np.maximum(curvature, gradient.dtype.type(CURVATURE_FLOOR * mean))
    scaled: NDArray[Any] = gradient / floored[:, None]
    return scaled


def within_reach(step: NDArray[Any], Y: NDArray[Any], reach: float = REACH) -> NDArray[Any]:
    """Return ``step`` with no point moving farther than ``reach`` radii of the map."""
    limit = reach * radius(Y)
    lengths = np.sqrt(np.sum(np.square(step, dtype=np.float64), axis=1))
    if limit <= 0 or not (lengths > limit).any():
        return step
    factor = np.minimum(1.0, limit / np.maximum(lengths, limit))
    shortened: NDArray[Any] = step * factor[:, None].astype(step.dtype)
    return shortened


def is_finite(seen: Evaluation) -> bool:
    """Whether the gradient, and the cost if there is one, are usable."""
    return bool(np.isfinite(seen.gradient).all()) and not math.isinf(seen.cost)
