"""Compile, or load from disk, the kernels that the first label or slider of a live map will need.

A map that moves has its own kernels by then, but other parameters, labels, links and pins need
others, and after a cold installation the first lasso would wait for the compiler. So a small map of
random points is steered in a thread of its own, once in a process for each method, while somebody
looks at the real one. Nothing of it is kept but the compiled code.
"""

from __future__ import annotations

import atexit
import logging
import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from nbembed.session.engine import Engine
from nbembed.session.settings import Settings
from nbembed.session.worker import PATIENCE_AT_EXIT
from nbembed.supervision import Supervision

if TYPE_CHECKING:
    from nbembed.methods.recipe import Recipe

_logger = logging.getLogger("nbembed.session")

#: Points of the small map: more than the usual perplexities, few enough to take no time.
POINTS = 200

#: Methods that are warm, or about to be, and the threads that see to it.
_warm: dict[type, threading.Thread] = {}


def warm_up(recipe: Recipe[Any]) -> threading.Thread | None:
    """Begin to warm up a method of this package; return the thread, ``None`` if there is no need.

    The parts of somebody else's method are not called without being asked for.
    """
    kind = type(recipe)
    if kind in _warm or kind.__module__.split(".")[0] != "nbembed":
        return None
    if not isinstance(recipe.quality_metric, str):  # a function of the user's, or learned
        return None
    thread = threading.Thread(
        target=_steer_a_small_map, args=(recipe,), name="nbembed warm-up", daemon=True
    )
    try:
        thread.start()
    except RuntimeError:  # no thread can be started
        return None
    _warm[kind] = thread
    return thread


def _steer_a_small_map(recipe: Recipe[Any]) -> None:
    try:
        X = np.random.default_rng(0).normal(size=(POINTS, 5))
        settings = Settings.of(recipe, Supervision(POINTS))
        engine = Engine(X, settings)
        engine.advance()
        for parameter in recipe.live_parameters:
            value = 0.4 * parameter.low + 0.6 * parameter.high  # no end, and no special case
            other = settings.recipe.replace(**{parameter.name: value})
            engine.apply("set", {parameter.name: value}, replace(settings, recipe=other))
            engine.advance()
        said = settings.supervision.label(range(5), "a").label(range(5, 10), "b")
        said = said.must_link(range(20, 25)).cannot_link(range(5), range(30, 35)).pin([40])
        engine.apply("label", {}, settings.with_supervision(said))
        for _ in range(2):
            engine.advance()
    except Exception:
        # The data of this method are not of this kind; its first label compiles what it needs.
        _logger.debug("could not warm up %s", type(recipe).__name__, exc_info=True)


@atexit.register
def _end() -> None:
    """Let compiled code finish before the interpreter takes its world apart."""
    deadline = time.monotonic() + PATIENCE_AT_EXIT
    for thread in list(_warm.values()):
        thread.join(max(0.0, deadline - time.monotonic()))
