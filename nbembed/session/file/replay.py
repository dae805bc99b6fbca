"""Replay: go through a log again, in the calling thread, to the same bits.

Between two events lie as many iterations as their counts differ by; the engine and the rules of the
commands are those of the live session. Motion (play, pause, step) decides nothing here: how far the
map went is in the iterations of what followed, a ``rest`` event at the latest.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Mapping
from typing import Any

from numpy.typing import ArrayLike

from nbembed.methods.estimator import Estimator
from nbembed.methods.recipe import Recipe
from nbembed.session.core.change import Change
from nbembed.session.core.commands import COMMANDS, MOTION
from nbembed.session.core.data import checked_data, digest
from nbembed.session.core.events import Event, as_events
from nbembed.session.core.methods import known_methods
from nbembed.session.core.session_state import SessionState
from nbembed.session.core.settings import recipe_of, stored_recipe
from nbembed.session.core.state_machine import State
from nbembed.session.file import checkpoint
from nbembed.session.file.log_walk import LogWalk
from nbembed.session.live.controller import Controller
from nbembed.session.map.engine import Engine


def replay(
    X: ArrayLike,
    log: Iterable[Event | Mapping[str, Any]],
    method: Estimator | Recipe[Any] | None = None,
    methods: tuple[type[Any], ...] = (),
    until: int | None = None,
) -> tuple[Any, Controller]:
    """Return the checked data and a controller at rest; see :meth:`Session.replay`."""
    events = as_events(log, _rows(X))
    if not events or events[0].command != "start":
        raise ValueError("log must start with a 'start' event")
    given = None if method is None else recipe_of(method)
    known = known_methods(*methods, *([] if given is None else [type(given)]))
    start = events[0].arguments
    data = checked_data(
        X, stored_recipe(start.get("method"), start.get("parameters"), known, given)
    )
    if digest(data) != start.get("data"):
        raise ValueError("X must be the data that the log was recorded with, got other data")
    walk = LogWalk(data, known)
    taken = [walk.begin(events[0], given)]
    engine, session_state = Engine(data, _decided(walk).settings), _decided(walk)
    state: State = "idle"
    for event in (_taken(walk, event) for event in events[1:]):
        taken.append(event)
        go_on(engine, event.iteration)
        state = state_after(state, event)
        if event.command in MOTION:
            if event.arguments.get("state") == "failed":
                engine.reset_optimizer()
            continue
        before, session_state = session_state, _decided(walk)
        entry = COMMANDS.get(event.command, checkpoint.ENTRY)
        # If it failed then, it fails now; the log goes on with a "rest" that says so.
        with contextlib.suppress(Exception):
            engine.apply(Change(entry, event.arguments, before, session_state))
        engine.keep_snapshots(session_state.kept_snapshots())
    if until is not None:
        go_on(engine, until)
    if state not in ("idle", "failed"):
        engine.refresh()
    if engine.iteration and state in ("idle", "running"):
        state = "paused"
    cost = engine.cost() if engine.fresh else math.nan
    return data, Controller(engine, session_state, known, taken, state, cost)


def _taken(walk: LogWalk, event: Event) -> Event:
    """Return the next event of a log; an error of it says that it is about the log."""
    try:
        return walk.take(event)
    except ValueError as error:
        text = str(error)
        if text.startswith("log "):
            raise
        raise ValueError(
            f"log: {event.command!r} at iteration {event.iteration}: {text}"
        ) from error


def go_on(engine: Engine, iteration: int) -> None:
    """Advance to an iteration; raise ValueError if the engine is already beyond it."""
    if iteration < engine.iteration:
        raise ValueError(
            f"log must not go back without a reset: iteration {iteration} after {engine.iteration}"
        )
    while engine.iteration < iteration:
        engine.advance()


def state_after(state: State, event: Event) -> State:
    """Return the state at rest that an event leads to."""
    if event.command == "rest":
        rested: State = event.arguments["state"]
        return rested
    entry = COMMANDS.get(event.command)
    if entry is None:
        return state
    recovers = (entry.role == "reset" and state != "idle") or (
        entry.role == "undo" and state == "failed"
    )
    return "paused" if entry.is_motion or entry.role == "show" or recovers else state


def _rows(X: Any) -> int | None:
    """Return the number of points of data that were not checked yet, if they say it."""
    shape = getattr(X, "shape", None)
    if shape is None:
        return len(X) if isinstance(X, list | tuple) else None
    return int(shape[0]) if shape else None


def _decided(walk: LogWalk) -> SessionState:
    assert walk.state is not None  # only a file may describe what it does not hold
    return walk.state
