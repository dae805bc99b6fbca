"""Compile, or load from disk, the kernels that the first label or slider of a live map will need.

A map that moves has its own kernels by then, but other parameters, labels, links and pins need
others, and after a cold installation the first lasso would wait for the compiler. So a small map of
random points is steered in a thread of its own, once in a process for each method, while somebody
looks at the real one. It is summed over pairs as the real one is. Nothing of it is kept but the
compiled code.
"""

from __future__ import annotations

import logging
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from nbembed.kernels.threads import Interrupted, interruptible
from nbembed.methods.algorithm import GridRecipe
from nbembed.optimizers import LBFGS
from nbembed.session.compiled_threads import end_at_exit
from nbembed.session.engine import Engine
from nbembed.session.settings import Settings
from nbembed.supervision import Supervision

if TYPE_CHECKING:
    from nbembed.methods.recipe import Recipe

_logger = logging.getLogger("nbembed.session")

#: Points of the small map: more than the usual perplexities, few enough to take no time. Methods
#: with other sums for many points are warmed up with so many as have them.
POINTS = 200
MANY = 6000
#: Extents of maps that have taken shape and fill them evenly.
SPANS = 50.0, 100.0, 200.0

#: Methods that are warm, or about to be, and the threads that see to it.
_warm: dict[tuple[type, int], threading.Thread] = {}
#: Set where the interpreter ends.
_leaving = threading.Event()


def warm_up(recipe: Recipe[Any], n_samples: int) -> threading.Thread | None:
    """Begin to warm up a method of this package for maps of so many points.

    Returns the thread, or ``None`` if there is no need. The parts of somebody else's method are not
    called without being asked for.
    """
    kind = type(recipe)
    if kind.__module__.split(".")[0] != "nbembed":
        return None
    if not isinstance(recipe.quality_metric, str):  # a function of the user's, or learned
        return None
    points = _points_like(recipe, n_samples)
    if (kind, points) in _warm:
        return None
    thread = threading.Thread(
        target=_steer_a_small_map, args=(recipe, points), name="nbembed warm-up", daemon=True
    )
    end_at_exit(thread, _leaving.set)
    try:
        thread.start()
    except RuntimeError:  # no thread can be started
        return None
    _warm[kind, points] = thread
    return thread


def _points_like(recipe: Recipe[Any], n_samples: int) -> int:
    """Return a number of points whose pairs are summed as those of so many are."""
    if isinstance(recipe, GridRecipe):
        algorithm = recipe.algorithm_for(n_samples)
        if algorithm != recipe.algorithm_for(POINTS):
            return min(n_samples, MANY)
    return POINTS


def _steer_a_small_map(recipe: Recipe[Any], n: int) -> None:
    try:
        with interruptible(_leaving.is_set):
            _steer(recipe, n)
    except Interrupted:
        pass
    except Exception:
        # The data of this method are not of this kind; its first label compiles what it needs.
        _logger.debug("could not warm up %s", type(recipe).__name__, exc_info=True)


def _steer(recipe: Recipe[Any], n: int) -> None:
    X = np.random.default_rng(0).normal(size=(n, 2))
    settings = Settings.of(recipe, Supervision(n))
    engine = Engine(X, settings)
    _advance(engine)
    _near_rest(engine)
    said = settings.supervision.label(range(5), "a").label(range(5, 10), "b")
    said = said.must_link(range(20, 25)).cannot_link(range(5), range(30, 35)).pin([40])
    # In this order, because a first label is likelier than a slider that follows one.
    # Pairs of a large group are summed in another way where there are many points.
    large = said.label(range(50, n // 2), "c")
    for supervision in (said, large, Supervision(n)):
        here = settings.with_supervision(supervision)
        engine.apply("label", {}, here)
        _advance(engine)
        for parameter in recipe.live_parameters:
            value = 0.55 * parameter.low + 0.45 * parameter.high  # no end, and no special case
            other = here.recipe.replace(**{parameter.name: value})
            engine.apply("set", {parameter.name: value}, replace(here, recipe=other))
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
    """Take a step of the kind with which a map comes to rest, some hundred iterations on."""
    objective, layout = engine.objective, engine.layout
    if objective is not None and layout is not None and objective.attracts:
        rule = LBFGS()
        rule.step(objective, rule.start(layout))
