"""Shared parts of optimizers: scaled directions, bounded steps, estimated changes of the cost.

Inner products are summed in float64 whatever the layout's dtype, so that decisions are the same for
float32 and float64 layouts.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.kernels.inner_product import dot, rms_radius, squared_lengths
from nbembed.objectives.base import Evaluation

#: Lower bound of a point's curvature as a share of the mean: a point without attraction has none,
#: and its step would be infinite.
CURVATURE_FLOOR = 1e-3

#: A point may always move by this share of the map's radius, however wide the map is.
REACH = 0.02


def change_of_cost(
    gradient_before: NDArray[Any], gradient_after: NDArray[Any], step: NDArray[Any]
) -> float:
    """Return the change of the cost over ``step``, by the trapezoid rule on its two gradients.

    Exact for a quadratic cost. A gradient that is not finite counts as a rise.
    """
    change = 0.5 * (dot(gradient_before, step) + dot(gradient_after, step))
    return change if math.isfinite(change) else math.inf


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


def within_reach(
    step: NDArray[Any], Y: NDArray[Any], length: float, share: float = 1.0
) -> NDArray[Any]:
    """Return ``step`` with no point moving farther than ``length``, the objective's kernel width.

    On wide maps a point may move by :data:`REACH` of the radius. ``share`` cuts either.

    One update can move a point that few others attract (heavy tails, a map too large) so far away
    that its gradient vanishes. Within a kernel width the update is a descent step: with this bound
    alone the fixed point descends at every α even from a PCA map at thirty times its scale, where
    it diverges without.
    """
    limit = share * max(length, REACH * rms_radius(Y))
    lengths = np.sqrt(squared_lengths(step))
    if not (lengths > limit).any():
        return step
    factor = np.minimum(1.0, limit / np.maximum(lengths, limit))
    shortened: NDArray[Any] = step * factor[:, None].astype(step.dtype)
    return shortened


def is_finite(seen: Evaluation) -> bool:
    """Return whether the gradient, and the cost if there is one, are usable."""
    return bool(np.isfinite(seen.gradient).all()) and not math.isinf(seen.cost)
