"""The size of a map: how far it may grow, and the step that gives it its best size.

Costs of heavy tails hardly change when a large map is scaled: they tend to that of q ∝ τ^(−1/α),
for any α > 0. P that falls off faster approaches it from above, groups without a common neighbor
repel each other for ever, and every descent creeps. Two rules keep that in hand:

* a map may grow until the median distance to the nearest neighbor is :data:`WIDEST` widths of the
  similarity, or its radius :data:`SPREAD` times the distance at which all n points together are
  felt like one nearest neighbor (:meth:`~nbembed.objectives.base.Objective.far`); beyond, only its
  shape changes. Without the second bound such groups would become dots, far from one another, for a
  cost that is lower by a few thousandths.
  A map of :data:`MANY` points or more also stops at a radius of :data:`WIDEST` √n widths, where
  evenly spread points are as far apart;
* the scale step minimizes J(Ȳ + s(Y − Ȳ)) over s, one line search along the map itself, which
  replaces hundreds of iterations at α ≥ 1.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.spatial import KDTree

from nbembed.kernels.inner_product import dot, rms_radius
from nbembed.objectives.base import Evaluation, Objective
from nbembed.optimizers.line_search import line_search

#: Largest median distance to the nearest neighbor, in widths of the similarity.
WIDEST = 10.0

#: From so many points on the map itself is bounded, too, as if they were spread evenly over it.
MANY = 5000

#: Largest radius of a map, in the distances at which the similarity is 1/n of that of nearest
#: neighbors.
SPREAD = 3.0

#: A map with less room than this is brought to its largest size at once.
FULL_ROOM = 0.5

#: Points whose nearest neighbors are looked at.
SAMPLE = 128

#: A scale step is tried where ∂J/∂log s is more than this share of the cost.
WORTHWHILE = 1e-4

#: First change of the scale that is tried, the most that one line search shrinks a map by, the
#: evaluations that it may take, and the most line searches in a row.
FIRST = 0.1
SHRINK = 0.1
EVALUATIONS = 3
SEARCHES = 4


class Scaled(NamedTuple):
    """A map at another size: layout, evaluation, and the factor."""

    Y: NDArray[Any]
    seen: Evaluation
    factor: float


def room(Y: NDArray[Any], objective: Objective) -> float:
    """Return the factor by which the map of an objective may grow.

    Less than 1 for a map that is larger than it may become.
    """
    n = Y.shape[0]
    places = np.arange(0, n, max(1, n // SAMPLE))
    points = Y.astype(np.float64)
    if not np.isfinite(points).all():
        return math.inf
    size = rms_radius(points)
    if not size > 0:
        return math.inf
    # The first of the two is the point itself, or one that coincides with it.
    distances, _ = KDTree(points).query(points[places], k=2)
    near = math.sqrt(float(np.median(np.square(distances[:, 1]))))
    # Where most points coincide with another one, or sit in dense clusters: as if spread evenly.
    evenly = size / math.sqrt(n)
    spacing = max(near, evenly) if n >= MANY or not near > 0 else near
    longest = WIDEST * objective.length_scale / spacing

    def largest(factor: float) -> float:
        far = objective.far(factor * near)
        return math.inf if far is None else SPREAD * far

    def excess(factor: float) -> float:
        return factor * size - largest(factor)

    if excess(1.0) > 0:
        # Neighbors shall keep their distances: it is the rest of the map that is too wide.
        return min(longest, largest(1.0) / size)
    if longest > 1 and excess(longest) > 0:
        return float(brentq(excess, 1.0, longest, rtol=1e-3))
    return longest


def centered(Y: NDArray[Any], held: Any = ()) -> NDArray[np.float64]:
    """Return Y − Ȳ in float64, zero for points that are held in place."""
    away: NDArray[np.float64] = Y - Y.mean(axis=0, dtype=np.float64)
    if len(held):
        away[held] = 0.0
    return away


def into_room(objective: Objective, Y: NDArray[Any], seen: Evaluation) -> Scaled | None:
    """Return a map that is larger than it may become at the largest size; None for any other.

    So far out the cost is flat, and its slope says nothing about how far the best size is. The cost
    may rise, because clusters that have drifted apart are made smaller, too; they grow again at
    once. Pinned points do not follow, and then the cost decides.

    Parameters are those of :func:`scale_step`.
    """
    factor = room(Y, objective)
    if not 0 < factor < FULL_ROOM:
        return None
    pinned = getattr(objective, "pinned", ())
    moved = Y + (centered(Y, pinned) * (factor - 1)).astype(Y.dtype)
    there = objective.evaluate(moved)
    worse = there.cost > seen.cost + seen.rounding
    return None if len(pinned) and worse else Scaled(moved, there, factor)


def scale_step(objective: Objective, Y: NDArray[Any], seen: Evaluation) -> Scaled | None:
    """Return the map at a better size, or None where none is worth a step.

    Maps smaller than the similarity's width are left alone: a start is meant to be tiny. ``seen``
    is the evaluation at ``Y``, with its cost.
    """
    best = None
    for _ in range(SEARCHES):
        found = _search(objective, Y, seen)
        if found is None:
            break
        Y, seen = found.Y, found.seen
        best = found if best is None else found._replace(factor=found.factor * best.factor)
        if 2 * SHRINK < found.factor < 1 / SHRINK:
            break
    return best


def _search(objective: Objective, Y: NDArray[Any], seen: Evaluation) -> Scaled | None:
    """Return the result of one line search along the map, outward or inward."""
    if not rms_radius(Y) > objective.length_scale:
        return None
    away = centered(Y, getattr(objective, "pinned", ()))
    slope = dot(seen.gradient, away)
    if not abs(slope) > WORTHWHILE * abs(seen.cost):
        return None
    sign = 1.0 if slope < 0 else -1.0
    longest = room(Y, objective) - 1 if slope < 0 else 1 - SHRINK
    if not longest > 0:
        return None
    found = line_search(
        objective,
        Y,
        seen,
        (sign * away).astype(Y.dtype),
        FIRST,
        flatness=0.5,
        max_evaluations=EVALUATIONS,
        longest=longest,
    )
    return None if found is None else Scaled(found.Y, found.seen, 1 + sign * found.step)
