"""The size of a map: how far it may grow, and the step that gives it its best size.

Costs of heavy tails hardly change when a large map is scaled: at α > 1 the infimum lies at
infinity, and every descent creeps toward it. Two rules keep that in hand:

* a map may grow until the median distance to the nearest neighbor is :data:`WIDEST` widths of the
  similarity (:func:`room`); beyond, only its shape changes;
* the scale step minimizes J(Ȳ + s(Y − Ȳ)) over s, one line search along the map itself, which
  replaces hundreds of iterations at α ≥ 1.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nbembed.optimizers.line_search import line_search
from nbembed.optimizers.steps import dot, radius

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nbembed.objectives.base import Evaluation, Objective

#: Largest median distance to the nearest neighbor, in widths of the similarity.
WIDEST = 10.0

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


def room(Y: NDArray[Any], length: float) -> float:
    """Return the factor by which the map may grow; ``length`` is the similarity's width.

    Less than 1 for a map that is larger than it may become.
    """
    n = Y.shape[0]
    places = np.arange(0, n, max(1, n // SAMPLE))
    tau = np.zeros((places.size, n))
    for axis in Y.T.astype(np.float64):
        tau += np.square(axis[places, None] - axis)
    tau[np.arange(places.size), places] = np.inf
    nearest = math.sqrt(float(np.median(tau.min(axis=1))))
    # Where most points coincide with another one: as if they were spread evenly.
    nearest = nearest if nearest > 0 else radius(Y) / math.sqrt(n)
    return WIDEST * length / nearest if nearest > 0 else math.inf


def centered(Y: NDArray[Any], held: Any = ()) -> NDArray[np.float64]:
    """Return Y − Ȳ in float64, zero for points that are held in place."""
    away = Y - Y.mean(axis=0, dtype=np.float64)
    if len(held):
        away[held] = 0.0
    return away


def scale_step(objective: Objective, Y: NDArray[Any], seen: Evaluation) -> Scaled | None:
    """Return the map at a better size, or None where none is worth a step.

    Maps smaller than the similarity's width are left alone: a start is meant to be tiny.

    Parameters
    ----------
    objective : Objective
    Y : layout
    seen : Evaluation
        At ``Y``, with its cost.
    """
    best: Scaled | None = None
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
    if not radius(Y) > objective.length_scale:
        return None
    away = centered(Y, getattr(objective, "pinned", ()))
    slope = dot(seen.gradient, away)
    if not abs(slope) > WORTHWHILE * abs(seen.cost):
        return None
    sign = 1.0 if slope < 0 else -1.0
    longest = room(Y, objective.length_scale) - 1 if slope < 0 else 1 - SHRINK
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
