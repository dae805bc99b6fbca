"""Compile, or load from disk, the kernels that the first label or slider of a live map will need.

A map that moves has its own kernels by then, but other parameters, labels, links and pins need
others, and after a cold installation the first lasso would wait for the compiler. So a small map of
random points is steered in a thread of its own, once in a process for each method, while somebody
looks at the real one. It is summed over pairs as the real one is. Nothing of it is kept but the
compiled code.

It is steered in stages, and a stage that a command waits for
(:mod:`nbembed.session.live.rehearsal`) comes first.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from nbembed.kernels.grid.links import compile_for_wide_maps
from nbembed.kernels.threads import Interrupted, interruptible
from nbembed.methods.algorithm import GridRecipe
from nbembed.methods.recipe import Recipe
from nbembed.optimizers import LBFGS
from nbembed.session.core.commands import change_to
from nbembed.session.core.settings import Settings
from nbembed.session.live.threads import begin
from nbembed.session.map.engine import Engine
from nbembed.supervision import Supervision

_logger = logging.getLogger("nbembed.session")

#: Points of the small map: more than the usual perplexities, few enough to take no time. Methods
#: with other sums for many points are warmed up with so many as have them.
POINTS = 200
MANY = 6000
#: Features of the small map: from so many on, distances are found by a matrix product.
FEATURES = 20
#: Extents of maps that begin to take shape, and of those that have, which fill them evenly.
SPANS = 0.5, 50.0, 100.0, 200.0
#: Seconds after which a small map looks again whether another one is still wanted first.
YIELDING = 0.02

#: What a change may need: the method as it is, other parameters of a map without labels, labels and
#: links, both; and labels of many points.
Stage = Literal["alone", "parameters", "labels", "labels and parameters", "large groups"]
#: In this order, because a first label is likelier than a slider that follows one.
STAGES: tuple[Stage, ...] = (
    "alone",
    "labels",
    "labels and parameters",
    "large groups",
    "parameters",
)

#: Methods that are warm, or about to be, by their type and the points of the small map.
_warm: dict[tuple[type, int], WarmUp] = {}
#: Set where the interpreter ends.
_leaving = threading.Event()


class WarmUp:
    """Steers one small map through all stages, in a thread."""

    def __init__(self, recipe: Recipe[Any], points: int) -> None:
        self.wanted: Stage | None = None
        self._recipe = recipe
        self._left = list(STAGES)
        self.thread = begin(
            "nbembed warm-up", _steer_a_small_map, recipe, points, self.stages(), stop=_leaving.set
        )

    def stage_of(self, recipe: Recipe[Any], *, labels: bool) -> Stage:
        """Return the stage that has the kernels of these parameters."""
        live = [parameter.name for parameter in recipe.live_parameters]
        if any(getattr(recipe, name) != getattr(self._recipe, name) for name in live):
            return "labels and parameters" if labels else "parameters"
        return "labels" if labels else "alone"

    def lacks(self, stage: Stage) -> bool:
        """Return whether a stage is still to come; it then comes next."""
        lacking = stage in self._left and self.thread.is_alive()
        self.wanted = stage if lacking else None
        return lacking

    def stages(self) -> Iterator[Stage]:
        """Yield the stages; one is done when the next is asked for."""
        while self._left:
            while self.wanted is None and self._others_are_wanted():
                if _leaving.wait(YIELDING):
                    return
            wanted = self.wanted
            stage = wanted if wanted in self._left else self._left[0]
            yield stage
            self._left.remove(stage)
            if self.wanted == stage:
                self.wanted = None

    def _others_are_wanted(self) -> bool:
        """Return whether a command waits for another small map; two would wait for one compiler."""
        others = [one for one in _warm.values() if one is not self]
        return any(one.wanted is not None and one.thread.is_alive() for one in others)


def warm_up(recipe: Recipe[Any], n_samples: int) -> threading.Thread | None:
    """Begin to warm up a method of this package for maps of so many points.

    Returns the thread, or ``None`` if there is no need. The parts of somebody else's method are not
    called without being asked for.
    """
    kind = type(recipe)
    if not _may_be_called(recipe):
        return None
    points = _points_like(recipe, n_samples)
    if (kind, points) in _warm:
        return None
    try:
        _warm[kind, points] = WarmUp(recipe, points)
    except RuntimeError:  # no thread can be started
        return None
    return _warm[kind, points].thread


def lacks(recipe: Recipe[Any], n_samples: int, *, labels: bool) -> bool:
    """Return whether a map, with labels or links or without, lacks kernels; they come next then."""
    if not _may_be_called(recipe):
        return False
    warm_up(recipe, n_samples)
    begun = _warm.get((type(recipe), _points_like(recipe, n_samples)))
    return begun is not None and begun.lacks(begun.stage_of(recipe, labels=labels))


def _may_be_called(recipe: Recipe[Any]) -> bool:
    """Return whether neither the method nor its metric is the user's, or learned."""
    own = type(recipe).__module__.split(".")[0] == "nbembed"
    return own and isinstance(recipe.quality_metric, str)


def _points_like(recipe: Recipe[Any], n_samples: int) -> int:
    """Return a number of points whose pairs are summed as those of so many are."""
    if isinstance(recipe, GridRecipe):
        algorithm = recipe.algorithm_for(n_samples)
        if algorithm != recipe.algorithm_for(POINTS):
            return min(n_samples, MANY)
    return POINTS


def _steer_a_small_map(recipe: Recipe[Any], n: int, stages: Iterator[Stage]) -> None:
    try:
        with interruptible(_leaving.is_set):
            _steer(recipe, n, stages)
    except Interrupted:
        pass
    except Exception:
        # The data of this method are not of this kind; its first label compiles what it needs.
        _logger.debug("could not warm up %s", type(recipe).__name__, exc_info=True)


def _steer(recipe: Recipe[Any], n: int, stages: Iterator[Stage]) -> None:
    X = np.random.default_rng(0).normal(size=(n, FEATURES))
    settings = Settings.of(recipe, Supervision(n))
    engine = Engine(X, settings)
    first = settings.supervision.label(range(5), "a")  # which is carried to no other point
    said = first.label(range(5, 10), "b")
    said = said.must_link(range(20, 25)).cannot_link(range(5), range(30, 35)).pin([40])
    # Pairs of a large group are summed in another way where there are many points.
    large = said.label(range(50, n // 2), "large")
    supervisions = {"parameters": settings.supervision, "large groups": large}
    for stage in stages:
        if stage == "alone":
            _advance(engine)
            _near_rest(engine)
            continue
        if stage == "large groups" and n > POINTS:
            compile_for_wide_maps()  # no group of a small map is so large
        if stage == "labels":
            engine.apply(change_to("label", {}, engine.settings, settings.with_supervision(first)))
            _advance(engine)
        here = settings.with_supervision(supervisions.get(stage, said))
        engine.apply(change_to("label", {}, engine.settings, here))
        _advance(engine)
        if stage == "labels":
            continue
        for parameter in recipe.live_parameters:
            value = 0.55 * parameter.low + 0.45 * parameter.high  # no end, and no special case
            other = here.recipe.replace(**{parameter.name: value})
            moved = replace(here, recipe=other)
            engine.apply(change_to("set", {parameter.name: value}, engine.settings, moved))
            _advance(engine)


def _advance(engine: Engine) -> None:
    """Take two iterations, since the second may be of another kind, and find the cost."""
    engine.advance()
    engine.advance()
    engine.cost()
    objective, layout = engine.objective, engine.layout
    if objective is not None and layout is not None and engine.n_points > POINTS:
        even = np.random.default_rng(0).random(layout.shape, layout.dtype.type)
        for span in SPANS:  # the sum over near pairs is another than that over far ones
            objective.evaluate(even * layout.dtype.type(span))


def _near_rest(engine: Engine) -> None:
    """Take two steps of the kind with which a map comes to rest; the second has a memory."""
    objective, layout = engine.objective, engine.layout
    if objective is not None and layout is not None and objective.attracts:
        rule = LBFGS()
        state = rule.step(objective, rule.start(layout))
        rule.step(objective, state)
