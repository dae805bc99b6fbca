"""The parts of a live session, as a test makes, holds or computes them itself."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np

from nbembed.methods.recipe import Geometry, Recipe
from nbembed.session import Session
from nbembed.session.core.data import start_arguments
from nbembed.session.core.events import Event
from nbembed.session.core.methods import known_methods
from nbembed.session.core.session_state import SessionState
from nbembed.session.core.settings import Settings
from nbembed.session.live.controller import Controller
from nbembed.session.live.executor import Executor
from nbembed.session.map.engine import Engine
from nbembed.supervision import Supervision
from tests.waiting import GUARD


def with_controller(X: np.ndarray, recipe: Recipe[Any]) -> tuple[Session, Controller]:
    """Return a session without a pace around a controller."""
    settings = Settings.of(recipe, Supervision(len(X)))
    log = [Event(0, "start", start_arguments(X, settings))]
    methods = known_methods(type(recipe))
    controller = Controller(Engine(X, settings), SessionState(settings), methods, log)
    session = Session._around(X, controller)
    session.pace = None
    return session, controller


@contextlib.contextmanager
def workers_held() -> Iterator[None]:
    """Let no worker begin a turn: commands wait in their queues."""
    turn, released = Executor.turn, threading.Event()

    def held(executor: Executor) -> float | None:
        assert released.wait(GUARD)
        return turn(executor)

    Executor.turn = held  # type: ignore[method-assign]
    try:
        yield
    finally:
        Executor.turn = turn  # type: ignore[method-assign]
        released.set()


def cost_anew(session: Session) -> float:
    """Return the cost of the layout by an objective that is made of data and labels now."""
    recipe, supervision = session.recipe, session.supervision
    geometry = Geometry(session.scale, session.directions)
    affinities = recipe.make_affinities(session.X, supervision)
    objective = recipe.objective(affinities, supervision, geometry)
    live = {p.name: session.parameters[p.name] for p in session.live_parameters}
    moved = recipe.to_objective(live, geometry)
    known = {name: value for name, value in moved.items() if name in objective.parameters}
    layout = np.vstack([session.embedding, session.centers])[: objective.n_samples]
    return objective.with_parameters(**known).cost(layout)
