"""The commands' effects on the settings, and the texts for undo.

Pure functions of settings or state, arguments and context, in the forms that an entry takes them
(:class:`nbembed.session.core.command_entry.Command`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from nbembed.session.core.command_entry import Arguments, Context, SourceWriter
from nbembed.session.core.serialization import is_opaque
from nbembed.session.core.session_state import SessionState
from nbembed.session.core.settings import Settings, method_named, recipe_of
from nbembed.session.core.snapshot_names import require_snapshot
from nbembed.supervision import Supervision
from nbembed.validation import check_real, shown

#: The most that an accepted suggestion counts as.
SUREST = 0.9999


# -- supervision -----------------------------------------------------------------------------


def supervised(
    change: Callable[[Supervision, Arguments], Supervision],
) -> Callable[[Settings, Arguments, Context], Settings]:
    """Return the effect of a command that changes the supervision alone."""

    def settings(now: Settings, a: Arguments, context: Context) -> Settings:
        return now.with_supervision(change(now.supervision, a))

    return settings


def replaced(now: Supervision, a: Arguments) -> Supervision:
    """Return the supervision that a command gives in place of the present one."""
    supervision: Supervision = a["supervision"]
    if supervision.n_samples != now.n_samples:
        raise ValueError(
            f"supervision must be of {now.n_samples} points, got {supervision.n_samples}"
        )
    return supervision


def suggested_labels(state: SessionState, a: Arguments, context: Context) -> Arguments:
    """Return the labels that unlabeled points get when suggestions are accepted.

    By their confidence they are known later (:mod:`nbembed.session.core.accepted_labels`).
    """
    least = check_real("confidence", a["confidence"], low=0, high=1, open_low=True)
    found = context.suggestions()
    if found is None:
        raise ValueError(
            "accept() needs suggestions, but there are none yet; label some points first"
        )
    unlabeled = state.settings.supervision.top_class < 0
    open_ = found.above(0.0)
    open_ = open_[unlabeled[open_]]
    points = open_[found.confidence[open_] >= least]
    if not points.size:
        if not open_.size:
            raise ValueError("accept() found no suggestions: labels reach no unlabeled point")
        most = float(found.confidence[open_].max())
        raise ValueError(
            f"confidence must be at most {most:.4g}, the highest confidence of a suggestion, got "
            f"{least:.4g}"
        )
    names = found.classes
    sure = np.minimum(found.confidence[points], SUREST).round(6).tolist()
    codes = found.top_class[points].tolist()
    return {"labels": [[i, names[k], p] for i, k, p in zip(points.tolist(), codes, sure)]}


# -- parameters and method -------------------------------------------------------------------


def seeded_parameters(state: SessionState, a: Arguments, context: Context) -> Arguments:
    """Return the parameters with a fixed number for the random state."""
    if not a:
        raise ValueError("set() needs at least one parameter as a keyword argument")
    recipe = state.settings.with_parameters(a).recipe
    return {name: getattr(recipe, name) for name in a}


def with_parameters(now: Settings, a: Arguments, context: Context) -> Settings:
    """Return the settings with parameters changed."""
    for name, value in a.items():
        if is_opaque(value):
            raise ValueError(f"{name} was set to {value['__opaque__']}, which a log cannot store")
    return now.with_parameters(a)


def set_text(now: Settings, a: Arguments) -> str:
    """Return undo's text for a change of parameters."""
    return "set " + ", ".join(f"{now.symbol(k)} to {short(a[k])}" for k in sorted(a))


def chosen_method(state: SessionState, a: Arguments, context: Context) -> Arguments:
    """Return the name and the parameters of the method to switch to."""
    method = a["method"]
    if isinstance(method, str):
        kind = method_named(method, context.methods)
        recipe = state.settings.recipe_for(kind, context.X)
    else:
        recipe = recipe_of(method)
    recipe = state.settings.carrying_seed(recipe)
    return {"method": recipe.name, "parameters": recipe.parameters}


def switched(now: Settings, a: Arguments, context: Context) -> Settings:
    """Return the settings of the method that a command switches to."""
    kind = context.methods.get(a["method"])
    if kind is None:
        raise ValueError(
            f"method must be one of {', '.join(sorted(context.methods))}, got {shown(a['method'])}"
        )
    return now.with_recipe(kind(**a["parameters"]))


def chosen_step(state: SessionState, a: Arguments, context: Context) -> Arguments:
    """Return index and parameter value of a kept layout of the path."""
    index, path = a["index"], context.path()
    if not 0 <= index < len(path):
        raise ValueError(f"index must be in [0, {len(path)}), got {index}")
    return {"index": index, "value": float(path[index].value)}


def at_path_step(now: Settings, a: Arguments, context: Context) -> Settings:
    """Return the settings with the parameter value of a kept layout."""
    name = now.recipe.path_parameter
    return now.with_parameters({name: a["value"]}) if name else now


def path_text(now: Settings, a: Arguments) -> str:
    """Return undo's text for a step to a kept layout."""
    symbol = now.symbol(now.recipe.path_parameter)
    return f"go to {symbol} = {short(a['value'])} of the path"


def labels_to_learn(state: SessionState, a: Arguments, context: Context) -> Arguments:
    """Return the labels that are learned from, by default those of the session."""
    settings = state.settings
    if not settings.recipe.learns_from_labels:
        raise ValueError(f"{settings.name} does not learn from labels")
    given = a["supervision"]
    return {"supervision": settings.supervision if given is None else given}


# -- snapshots -------------------------------------------------------------------------------


def snapshot_name(state: SessionState, a: Arguments, context: Context) -> Arguments:
    """Return the name of a new snapshot, by default the next number."""
    free = (f"snapshot {i}" for i in range(1, len(state.snapshots) + 2))
    return {"name": a["name"] or next(name for name in free if name not in state.snapshots)}


def restored(state: SessionState, a: Arguments) -> SessionState:
    """Return the state with the settings of a snapshot."""
    kept = require_snapshot(state.snapshots, a["name"])
    return state.changed(kept.settings, f"restore {a['name']}")


def no_lines(writer: SourceWriter, a: Arguments) -> list[str]:
    """Return no lines: a script goes on by itself."""
    return []


# -- words -----------------------------------------------------------------------------------


def counted(things: list[Any], what: str = "point") -> str:
    """Return the number of points or other things, in words."""
    return f"{len(things)} {what}{'' if len(things) == 1 else 's'}"


def short(value: Any) -> str:
    """Return a value in as few characters as a list has room for."""
    if isinstance(value, float):
        return f"{value:.4g}"
    text = str(value)
    return text if len(text) <= 20 else type(value).__name__
