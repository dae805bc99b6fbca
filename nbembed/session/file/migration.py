"""Files and logs of older versions, brought to the present form.

Version 1 had no centers, pins and methods that learn; version 2 kept the values that a schedule
had set in two units, and what was left of the schedule in place of how far it had come. In both,
methods had a parameter ``algorithm`` that changed nothing: all pairs were summed. Some commands had
other names. Parameters are renamed by their recipe (``Recipe.upgraded``), which also
knows what those that were added later have to be for the maps of an older version
(``Recipe.restored``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nbembed.session.core.events import Event

if TYPE_CHECKING:
    from nbembed.methods.recipe import Geometry, Recipe

#: Commands by their old names.
COMMANDS = {"restart": "reset_optimizer", "learned": "learn", "move_to_path": "show_path_step"}


def current_event(event: Event) -> Event:
    """Return an event of a log of any version as this one writes it."""
    if event.command not in COMMANDS:
        return event
    arguments = dict(event.arguments)
    if event.command == "move_to_path":
        arguments = {"index": arguments.get("index"), "value": arguments.get("lam")}
    return replace(event, command=COMMANDS[event.command], arguments=arguments)


def with_current_names(event: Event, recipe: Recipe[Any]) -> Event:
    """Return a ``set`` event with the names that this version gives to the recipe's parameters.

    An event is returned as it is if more than names would change.
    """
    given, known = dict(event.arguments), recipe.parameters
    if event.command != "set" or all(name in known for name in given):
        return event
    renamed = recipe.upgraded(given)
    same_values = len(renamed) == len(given) and all(
        any(value is other for other in renamed.values()) for value in given.values()
    )
    return replace(event, arguments=renamed) if same_values else event


def current_content(content: dict[str, Any]) -> dict[str, Any]:
    """Return the JSON of a session file of any version as this one writes it."""
    if content["version"] > 2:
        return content
    place = content["place"]
    run_state: dict[str, Any] = {
        "iteration": place.get("iteration", 0),
        "cold": place["cold"],
        "geometry": place.get("geometry"),
        "schedule": {"stages": place.get("schedule", []), "done": 0},
        "held": place.get("held", {}),
        "learned_from": place.get("taught"),
        "pinned": place.get("stakes"),
    }
    snapshots = [{**s, "learned_from": s.get("taught")} for s in content["snapshots"]]
    path = [{**step, "value": step["lam"]} for step in content["path"]]
    return {
        **_summing_all_pairs(content),
        "run_state": run_state,
        "snapshots": snapshots,
        "path": path,
    }


def _summing_all_pairs(content: dict[str, Any]) -> dict[str, Any]:
    """Return the content with ``algorithm="exact"`` wherever there is an ``algorithm``."""

    def exact(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: "exact" if k == "algorithm" else exact(v) for k, v in value.items()}
        return [exact(v) for v in value] if isinstance(value, list) else value

    return {
        **content,
        **{name: exact(content[name]) for name in ("settings", "log", "now") if name in content},
    }


def values_in_force(
    stored: Mapping[str, Any], recipe: Recipe[Any], geometry: Geometry
) -> dict[str, float]:
    """Return what a schedule had set, from a part of a file of any version."""
    if "values" in stored:
        return dict(stored["values"])
    held = stored["held"]
    return {**recipe.to_objective(held["sliders"], geometry), **held["values"]}
