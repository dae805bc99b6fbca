"""Mbed with heavy-tailed neighborhoods: where it starts, how λ is annealed, how a λ is chosen.

The paper anneals from a heap of points, so that the map unfolds while the boundaries harden. Under
heavy tails the map is that of HSSNE, which no boundary should hinder: it is made first, without
labels, and the boundaries harden on it. All of this is ours.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from nbembed.affinities import Affinities
from nbembed.kernels.inner_product import rms_radius
from nbembed.methods.hssne import HSSNERecipe
from nbembed.methods.initialization import SMALL
from nbembed.methods.recipe import Geometry
from nbembed.neighbors import nearest_neighbors
from nbembed.run import Run
from nbembed.schedule import Schedule
from nbembed.supervision import Supervision

#: Stages of annealing, and λ at their ends in units of the map's radius r: around centers, whose
#: distances are a fraction of r, and along directions.
STAGES = 10
LAM_CENTERS = (0.5, 0.1)
LAM_DIRECTIONS = (2.0, 0.2)
#: Where the slider stands on an adopted map.
LAM_STEADY = 0.2

#: Unlabeled neighbors of a labeled point that vote.
VOTERS = 10
#: The distances of up to so many pairs are stored.
PAIRS = 2**24


#: An adopted map whose cost so many iterations reduce to less than this share is made anew.
TRIED_STEPS, SETTLED = 25, 0.98
#: Iterations of a map that is made anew from the shape of an adopted one.
ANEW_STEPS = 250


def first_map(
    recipe: HSSNERecipe,
    X: Any,
    affinities: Affinities,
    supervision: Supervision,
    rng: np.random.Generator,
) -> NDArray[Any]:
    """Return HSSNE's map after ``recipe.max_iter`` iterations at most."""
    start = recipe.make_start(X, affinities, supervision, rng)
    schedule = recipe.make_schedule(affinities, start.geometry)
    return _run(recipe, affinities, supervision, start.Y, schedule).embedding


def adopted_map(
    recipe: HSSNERecipe,
    Y: NDArray[Any],
    affinities: Affinities,
    supervision: Supervision,
    rng: np.random.Generator,
) -> NDArray[Any]:
    """Return another method's map as it is, or where it is no HSSNE map, one made from its shape.

    Regions are made from the neighborhoods of this map. A map that HSSNE would change a lot within
    some iterations has others (Mbed's circle of a few classes presses all others together).
    """
    begun = recipe.adopt(Y, affinities, supervision, rng).Y.astype(affinities.dtype)
    tried = _run(recipe.replace(max_iter=TRIED_STEPS), affinities, supervision, begun)
    if tried.cost >= SETTLED * tried.objective.evaluate(begun).plain_cost:
        return begun
    size = rms_radius(begun)
    small = begun * (SMALL / size) if size > 0 else begun
    recipe = recipe.replace(max_iter=ANEW_STEPS)
    schedule = recipe.make_schedule(affinities, Geometry())
    return _run(recipe, affinities, supervision, small, schedule).embedding


def _run(
    recipe: HSSNERecipe,
    affinities: Affinities,
    supervision: Supervision,
    Y: NDArray[Any],
    schedule: Schedule | None = None,
) -> Run:
    objective = recipe.objective(affinities, supervision, Geometry())
    run = Run(objective, recipe.make_optimizer(), Y, schedule, tol=recipe.tol, cost_every=50)
    return run.until(recipe.max_iter)


def radius(Y: NDArray[Any]) -> float:
    """Return r, the geometric mean of the standard deviations along the axes."""
    stds = np.std(Y, axis=0, dtype=np.float64)
    return float(np.exp(np.mean(np.log(np.maximum(stds, 1e-3)))))


def agreement(Y: NDArray[Any], supervision: Supervision, membership: NDArray[np.float64]) -> float:
    """Return the number of labeled points that agree with their unlabeled neighbors on the map.

    A labeled point agrees if its class is the commonest among the predicted classes of its ten
    nearest unlabeled points. J does not see labels; this does, and it does not count the labeled
    points themselves, which any steep enough boundary puts right.
    """
    labeled = supervision.labeled
    unlabeled = np.setdiff1d(np.arange(len(Y)), labeled)
    if not labeled.size or not unlabeled.size:
        return 0.0
    near = _nearest(Y[labeled], Y[unlabeled], min(VOTERS, unlabeled.size))
    votes = membership.argmax(axis=1)[unlabeled][near]
    commonest = [np.bincount(each).argmax() for each in votes]
    return float(np.sum(commonest == supervision.top_class[labeled]))


def _nearest(a: NDArray[Any], b: NDArray[Any], count: int) -> NDArray[np.intp]:
    """Return the ``count`` nearest points of b to each of a, in any order."""
    if len(a) * len(b) <= PAIRS:
        return np.argpartition(cdist(a, b), count - 1, axis=1)[:, :count]
    return nearest_neighbors(a, count, others=b)


def criterion(agreeing: float, trace: float) -> float:
    """Return the value by which layouts of a path compete: the labels' vote, and J among equals."""
    if math.isnan(trace):
        return math.nan
    return agreeing + trace / (1 + trace)
