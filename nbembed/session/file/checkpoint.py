"""A checkpoint: an event that says the state outright, where the log before cannot decide it.

The log decides settings, history and the names of snapshots. It cannot where a parameter was a
function, of which it holds only a description; a file then has a checkpoint at the end of its log,
and a reader appends one to the log of another version of which an event is not understood here. The
history begins anew at a checkpoint, because its steps are not in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from nbembed.methods.recipe import Recipe
from nbembed.session.core.arguments import NEW_NAME
from nbembed.session.core.command_entry import Command
from nbembed.session.core.events import Event
from nbembed.session.core.history import History
from nbembed.session.core.serialization import description, encode
from nbembed.session.core.session_state import SessionState
from nbembed.session.core.settings import Settings, stored_recipe
from nbembed.session.core.snapshot_names import KeptSettings, by_number
from nbembed.supervision import Supervision
from nbembed.validation import check_points

COMMAND = "checkpoint"
#: It is no command that anybody can give; a map settles at its state as at any other.
ENTRY = Command(COMMAND, "Go on from a state that the log does not decide.")


def checkpoint(iteration: int, state: SessionState) -> Event:
    """Return the event that describes a state, its history aside.

    Raises TypeError, naming the parameter, if one has no JSON form.
    """
    arguments = {
        **_told(state.settings),
        "snapshots": [
            {"number": kept.number, "name": name, **_told(kept.settings)}
            for name, kept in state.snapshots.items()
        ],
        "selections": [
            {"name": name, "points": points.tolist()} for name, points in state.selections.items()
        ],
    }
    return Event(iteration, COMMAND, arguments)


def is_undecided(stored: Iterable[Mapping[str, Any]]) -> bool:
    """Return whether a stored log ends with a value in force that it only describes."""
    undecided = False
    for event in stored:
        if event["command"] == COMMAND:
            undecided = False
        elif not undecided:
            undecided = description(event["arguments"]) is not None
    return undecided


def state_of(event: Event, methods: Mapping[str, type[Recipe[Any]]], n: int) -> SessionState:
    """Return the state of a checkpoint; raise ValueError if no session can have had it."""
    given = dict(event.arguments)
    expected = {"method", "parameters", "others", "supervision", "snapshots", "selections"}
    if given.keys() != expected:
        raise ValueError(
            f"a checkpoint must have the entries {', '.join(sorted(expected))}, got {sorted(given)}"
        )
    kept: dict[str, KeptSettings] = {}
    for part in _parts(given["snapshots"], "snapshots"):
        number, name = part.get("number"), NEW_NAME.check("name", part.get("name"), n)
        if type(number) is not int or number < 1 or name in kept:
            raise ValueError(f"a checkpoint must have distinct, valid snapshots, got {number!r}")
        kept[name] = KeptSettings(number, _settings(part, methods, n))
    if len({one.number for one in kept.values()}) < len(kept):
        raise ValueError("the snapshots of a checkpoint must have distinct numbers")
    state = SessionState(_settings(given, methods, n).check(), snapshots=by_number(kept))
    for part in _parts(given["selections"], "selections"):
        name, points = NEW_NAME.check("name", part.get("name"), n), part.get("points")
        if not isinstance(points, list) or check_points(points, n, "points").tolist() != points:
            raise ValueError("the saved points of a checkpoint must be sorted and unique")
        state = state.with_selection(name, points)
    return state


def without_history(state: SessionState) -> SessionState:
    """Return a state as a checkpoint keeps it."""
    return replace(state, history=History())


def _told(settings: Settings) -> dict[str, Any]:
    for recipe in (settings.recipe, *settings.others.values()):
        encode(recipe.parameters, recipe.name)  # an event would describe what has no JSON form
    return {
        "method": settings.name,
        "parameters": settings.recipe.parameters,
        "others": {name: recipe.parameters for name, recipe in settings.others.items()},
        "supervision": settings.supervision,
    }


def _settings(part: Mapping[str, Any], methods: Mapping[str, Any], n: int) -> Settings:
    supervision, others = part.get("supervision"), part.get("others")
    if not isinstance(supervision, Supervision) or supervision.n_samples != n:
        raise ValueError(f"a checkpoint must have a supervision that covers {n} points")
    if not isinstance(others, dict):
        raise ValueError("others of a checkpoint must be a mapping")
    recipe = stored_recipe(part.get("method"), part.get("parameters"), methods)
    known = {name: stored_recipe(name, others[name], methods) for name in others}
    return Settings(recipe, supervision, known)


def _parts(value: Any, name: str) -> list[dict[str, Any]]:
    if not isinstance(value, list) or not all(isinstance(part, dict) for part in value):
        raise ValueError(f"{name} of a checkpoint must be a list of mappings")
    return value
