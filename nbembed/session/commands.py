"""The table of commands: everything that a session can do, one entry each.

An entry says what a command is called and takes, what it does to the settings and under which
words that can be undone, how it bears on the motion, whether a page may send it, and how it prints
in a script. The session's methods (:mod:`nbembed.session.verbs`), the messages of the page, replay
and scripts are derived from this table. What a command does to the moving map is the engine's part
(:mod:`nbembed.session.engine`).

:func:`decide` is a pure function of state and command: a session calls it when a command is given
and a replay calls it again, so both come to the same state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from nbembed.session.arguments import (
    CLASS_NAME,
    COUNT,
    INDEX,
    LABELS,
    MEASURED,
    METHOD,
    NAME,
    NEW_NAME,
    NUMBER,
    OPTIONAL_SUPERVISION,
    PARAMETER_MAP,
    PARAMETERS,
    POINTS,
    REQUIRED,
    SUPERVISION,
    TEXT,
    Argument,
)
from nbembed.session.label_origins import LABELING
from nbembed.session.serialization import is_opaque
from nbembed.session.session_state import SessionState
from nbembed.session.settings import recipe_of
from nbembed.session.snapshot_names import require_snapshot
from nbembed.supervision import Supervision
from nbembed.supervision.class_changes import merged, removed
from nbembed.validation import check_real

if TYPE_CHECKING:
    from nbembed.methods.recipe import PathStep, Recipe
    from nbembed.propagation import Suggestions
    from nbembed.session.provenance import Provenance
    from nbembed.session.settings import Settings
    from nbembed.session.state_machine import Role

Arguments = Mapping[str, Any]

#: The most that an accepted suggestion counts as.
SUREST = 0.9999
#: Commands that move through the history and make no step of it.
TRAVEL = frozenset({"undo", "redo", "go_to"})


class SourceWriter(Protocol):
    """What a command needs to print itself (:class:`nbembed.session.script.ScriptWriter`)."""

    def method(self, name: str, parameters: Mapping[str, Any]) -> str:
        """Return the source of a method with these parameters."""

    def value(self, value: Any) -> str:
        """Return the source of a value."""


@dataclass(frozen=True)
class Context:
    """What commands may look at beside the state.

    Attributes
    ----------
    X : ndarray or sparse array
        The checked data.
    methods : mapping of str to type
        The recipe classes that a switch may name.
    path : callable
        Returns the kept layouts that will be there when the command takes effect.
    suggestions : callable
        Returns what is suggested from the present labels, ``None`` if nothing is yet.
    """

    X: Any = None
    methods: Mapping[str, type[Recipe[Any]]] = field(default_factory=dict)
    path: Callable[[], tuple[PathStep, ...]] = tuple
    suggestions: Callable[[], Suggestions | None] = lambda: None


@dataclass(frozen=True)
class Command:
    """One thing that a session can do on request.

    Attributes
    ----------
    name : str
        Of the session's method, in the log and on the wire.
    summary : str
        One line of documentation.
    arguments : tuple of Argument
    role : str
        How it bears on the motion; see :mod:`nbembed.session.state_machine`.
    settings : callable or None
        ``settings(present settings, arguments, context)`` returns those after the command; the
        change can be undone.
    undo_text : callable or None
        ``undo_text(settings after it, arguments)``: what undo calls the change.
    detail : callable or None
        ``detail(arguments)``: what a list of the history says beside that.
    gesture : callable or None
        ``gesture(arguments)``: changes of one gesture are undone as one.
    state : callable or None
        In place of ``settings``, for what is no change of the settings or moves through the
        history: ``state(session state, arguments)`` returns the state after the command.
    complete : callable or None
        ``complete(session state, arguments, context)`` returns the arguments as the log keeps
        them, where they depend on the session.
    logged : tuple of Argument
        What the log keeps, where that is something else than ``arguments``.
    script : callable or None
        ``script(writer, arguments)`` returns the lines that do it again; by default a call of the
        session's method.
    from_page : bool
        Whether a page may send it.
    """

    name: str
    summary: str
    arguments: tuple[Argument, ...] = ()
    role: Role = "change"
    settings: Callable[[Settings, Arguments, Context], Settings] | None = None
    undo_text: Callable[[Settings, Arguments], str] | None = None
    detail: Callable[[Arguments], str] | None = None
    gesture: Callable[[Arguments], str] | None = None
    state: Callable[[SessionState, Arguments], SessionState] | None = None
    complete: Callable[[SessionState, Arguments, Context], Arguments] | None = None
    logged: tuple[Argument, ...] = ()
    script: Callable[[SourceWriter, Arguments], list[str]] | None = None
    from_page: bool = True

    @property
    def keywords(self) -> bool:
        """Whether it takes parameters by any name."""
        return any(argument.kind is PARAMETERS for argument in self.arguments)

    def checked(self, given: Mapping[str, Any], n_samples: int) -> dict[str, Any]:
        """Return arguments in the form that the log keeps.

        Raises
        ------
        ValueError, TypeError
            Naming the argument that is wrong.
        """
        return self._checked(self.arguments, given, n_samples)

    def restored(self, logged: Mapping[str, Any], n_samples: int) -> dict[str, Any]:
        """Return the arguments that a log holds, if they are such as this command is logged with.

        Raises
        ------
        ValueError, TypeError
            Naming the argument that is wrong.
        """
        return self._checked(self.logged or self.arguments, logged, n_samples)

    def _checked(
        self, arguments: tuple[Argument, ...], given: Mapping[str, Any], n_samples: int
    ) -> dict[str, Any]:
        if self.keywords:
            return dict(given)
        values = {}
        for argument in arguments:
            value = given.get(argument.name, argument.default)
            if value is REQUIRED:
                raise TypeError(f"{self.name}() needs {argument.name}")
            values[argument.name] = argument.kind.check(argument.name, value, n_samples)
        unknown = given.keys() - values.keys()
        if unknown:
            raise TypeError(f"{self.name}() does not take {sorted(unknown)[0]!r}")
        return values


def command_named(name: str) -> Command:
    """Return the entry of the table.

    Raises
    ------
    ValueError
        If there is none of that name.
    """
    entry = COMMANDS.get(name)
    if entry is None:
        raise ValueError(f"unknown command {name!r}; allowed: {', '.join(sorted(COMMANDS))}")
    return entry


def decide(
    state: SessionState,
    command: str,
    arguments: Arguments,
    context: Context,
    provenance: Provenance | None = None,
) -> SessionState:
    """Return the state after a command; the very same object if it changes nothing.

    Parameters
    ----------
    state : SessionState
    command : str
    arguments : mapping
        As the log keeps them.
    context : Context
    provenance : Provenance, optional
        Who gave it, how and when. It decides nothing.

    Raises
    ------
    ValueError
        If the command is not legal; it names the argument.
    """
    entry = command_named(command)
    after = _after(state, entry, arguments, context)
    if after is state or command in TRAVEL:
        return after
    return after.told_by(provenance, state, command in LABELING)


def _after(
    state: SessionState, entry: Command, arguments: Arguments, context: Context
) -> SessionState:
    if entry.state is not None:
        return entry.state(state, arguments)
    if entry.settings is None:
        return state
    settings = entry.settings(state.settings, arguments, context)
    text = entry.undo_text(settings, arguments) if entry.undo_text is not None else entry.name
    gesture = entry.gesture(arguments) if entry.gesture is not None else ""
    detail = entry.detail(arguments) if entry.detail is not None else ""
    return state.changed(settings, text, gesture, detail)


# -- supervision -----------------------------------------------------------------------------


def _supervised(
    change: Callable[[Supervision, Arguments], Supervision],
) -> Callable[[Settings, Arguments, Context], Settings]:
    """Return the effect of a command that changes the supervision alone."""

    def settings(now: Settings, a: Arguments, context: Context) -> Settings:
        return now.with_supervision(change(now.supervision, a))

    return settings


def _replaced(now: Supervision, a: Arguments) -> Supervision:
    supervision: Supervision = a["supervision"]
    if supervision.n_samples != now.n_samples:
        raise ValueError(
            f"supervision must be of {now.n_samples} points, got {supervision.n_samples}"
        )
    return supervision


def _suggested_labels(state: SessionState, a: Arguments, context: Context) -> Arguments:
    """Return the labels that unlabeled points get when suggestions are accepted.

    By their confidence they are known later (:mod:`nbembed.session.accepted_labels`).
    """
    least = check_real("confidence", a["confidence"], low=0, high=1, open_low=True)
    found = context.suggestions()
    if found is None:
        raise ValueError("accept() needs suggestions, and there are none yet")
    unlabeled = state.settings.supervision.top_class < 0
    open_ = found.above(0.0)
    open_ = open_[unlabeled[open_]]
    points = open_[found.confidence[open_] >= least]
    if not points.size:
        if not open_.size:
            raise ValueError("accept() found nothing: labels reach no unlabeled point")
        most = float(found.confidence[open_].max())
        raise ValueError(
            f"confidence must be at most {most:.4g}, the most that an unlabeled point's "
            f"suggestion has, got {least:.4g}"
        )
    names = found.classes
    sure = np.minimum(found.confidence[points], SUREST).round(6).tolist()
    codes = found.top_class[points].tolist()
    return {"labels": [[i, names[k], p] for i, k, p in zip(points.tolist(), codes, sure)]}


# -- parameters and method -------------------------------------------------------------------


def _seeded_parameters(state: SessionState, a: Arguments, context: Context) -> Arguments:
    """Return the parameters with a fixed number for the random state."""
    if not a:
        raise ValueError("set() needs at least one parameter, by keyword")
    recipe = state.settings.with_parameters(a).recipe
    return {name: getattr(recipe, name) for name in a}


def _with_parameters(now: Settings, a: Arguments, context: Context) -> Settings:
    for name, value in a.items():
        if is_opaque(value):
            raise ValueError(f"{name} was set to {value['__opaque__']}, which no log can hold")
    return now.with_parameters(a)


def _set_text(now: Settings, a: Arguments) -> str:
    return "set " + ", ".join(f"{now.symbol(k)} to {_short(a[k])}" for k in sorted(a))


def _chosen_method(state: SessionState, a: Arguments, context: Context) -> Arguments:
    """Return the name and the parameters of the method to switch to."""
    method = a["method"]
    if isinstance(method, str):
        kind = context.methods.get(method)
        if kind is None:
            raise ValueError(
                f"method must be one of {', '.join(sorted(context.methods))} or an estimator, "
                f"got {method!r}"
            )
        recipe = state.settings.recipe_for(kind, context.X)
    else:
        recipe = recipe_of(method)
    recipe = state.settings.carrying_seed(recipe)
    return {"method": recipe.name, "parameters": recipe.parameters}


def _switched(now: Settings, a: Arguments, context: Context) -> Settings:
    kind = context.methods.get(a["method"])
    if kind is None:
        raise ValueError(
            f"method must be one of {', '.join(sorted(context.methods))}, got {a['method']!r}"
        )
    return now.with_recipe(kind(**kind.restored(a["parameters"])))


def _chosen_step(state: SessionState, a: Arguments, context: Context) -> Arguments:
    index, path = a["index"], context.path()
    if not 0 <= index < len(path):
        raise ValueError(f"index must be in [0, {len(path)}), got {index}")
    return {"index": index, "value": float(path[index].value)}


def _at_path_step(now: Settings, a: Arguments, context: Context) -> Settings:
    name = now.recipe.path_parameter
    return now.with_parameters({name: a["value"]}) if name else now


def _path_text(now: Settings, a: Arguments) -> str:
    symbol = now.symbol(now.recipe.path_parameter)
    return f"go to {symbol} = {_short(a['value'])} of the path"


def _labels_to_learn(state: SessionState, a: Arguments, context: Context) -> Arguments:
    settings = state.settings
    if not settings.recipe.learns_from_labels:
        raise ValueError(f"{settings.name} learns nothing from labels")
    given = a["supervision"]
    return {"supervision": settings.supervision if given is None else given}


# -- snapshots -------------------------------------------------------------------------------


def _named(state: SessionState, a: Arguments, context: Context) -> Arguments:
    free = (f"snapshot {i}" for i in range(1, len(state.snapshots) + 2))
    return {"name": a["name"] or next(name for name in free if name not in state.snapshots)}


def _restored(state: SessionState, a: Arguments) -> SessionState:
    kept = require_snapshot(state.snapshots, a["name"])
    return state.changed(kept.settings, f"restore {a['name']}")


def _nothing(writer: SourceWriter, a: Arguments) -> list[str]:
    return []


_TABLE = (
    Command("play", "Run until convergence.", role="play", script=_nothing),
    Command(
        "pause",
        "Stop after the present iteration; steps not yet done are dropped.",
        role="pause",
        script=_nothing,
    ),
    Command(
        "step",
        "Do ``k`` iterations and pause. Returns at once; later commands wait for the steps.",
        (Argument("k", COUNT, "Number of iterations.", default=1),),
        role="step",
        script=_nothing,
    ),
    Command(
        "reset",
        "Start cold with the present parameters and supervision; recovers from an error.",
        role="reset",
        state=lambda state, a: state.sealed(),
    ),
    Command(
        "reset_optimizer",
        "Clear the optimizer's memory (velocity, search directions) and go on from here.",
        role="memory",
        from_page=False,
    ),
    Command(
        "set",
        "Change parameters of the method; only what they invalidate is redone.",
        (
            Argument(
                "parameters",
                PARAMETERS,
                "A number given to a live parameter ends that parameter's schedule. Words such as "
                '"anneal", and parameters that shape only a start, count from the next reset.',
            ),
        ),
        settings=_with_parameters,
        undo_text=_set_text,
        gesture=lambda a: "set " + " ".join(sorted(a)),
        complete=_seeded_parameters,
    ),
    Command(
        "switch",
        "Go on with another method from the present layout; labels and links stay.",
        (
            Argument(
                "method",
                METHOD,
                "A name takes the parameters that this session last had for that method, else its "
                "defaults, and what describes the data from the present one.",
            ),
        ),
        settings=_switched,
        undo_text=lambda now, a: f"switch to {a['method']}",
        complete=_chosen_method,
        logged=(Argument("method", NAME), Argument("parameters", PARAMETER_MAP)),
        script=lambda writer, a: [f"session.switch({writer.method(a['method'], a['parameters'])})"],
    ),
    Command(
        "show_path_step",
        "Show a kept layout of the path and take over its parameter value.",
        (Argument("index", INDEX, "Of the session's ``path``."),),
        role="show",
        settings=_at_path_step,
        undo_text=_path_text,
        complete=_chosen_step,
        logged=(Argument("index", INDEX), Argument("value", MEASURED)),
        script=lambda writer, a: [
            "session.wait()",
            f"session.show_path_step({writer.value(a['index'])})",
        ],
    ),
    Command(
        "label",
        "Label points with a class; a new name is a new class.",
        (
            Argument("points", POINTS),
            Argument("class_", CLASS_NAME, "The class's name.", wire="class"),
            Argument("confidence", NUMBER, "In (0, 1].", default=1.0),
        ),
        settings=_supervised(lambda s, a: s.label(a["points"], a["class_"], a["confidence"])),
        undo_text=lambda now, a: f"label {_count(a['points'])} as {a['class_']}",
        detail=lambda a: "" if a["confidence"] == 1 else f"confidence {_short(a['confidence'])}",
    ),
    Command(
        "label_each",
        "Label points with a class and a confidence each.",
        (Argument("labels", LABELS, "Of several labels of a point the last counts."),),
        settings=_supervised(lambda s, a: s.label_each(a["labels"])),
        undo_text=lambda now, a: f"label {_count(a['labels'])}",
        from_page=False,
    ),
    Command(
        "accept",
        "Label all unlabeled points whose suggestion is at least so sure, as one undoable step.",
        (Argument("confidence", NUMBER, "In (0, 1]: the least to accept.", default=0.9),),
        settings=_supervised(lambda s, a: s.label_each(a["labels"])),
        undo_text=lambda now, a: f"accept {_suggestions(a['labels'])}",
        complete=_suggested_labels,
        logged=(Argument("labels", LABELS),),
        script=lambda writer, a: [f"session.label_each({writer.value(a['labels'])})"],
    ),
    Command(
        "must_link",
        "Say that points belong together.",
        (Argument("points", POINTS),),
        settings=_supervised(lambda s, a: s.must_link(a["points"])),
        undo_text=lambda now, a: f"link {_count(a['points'])}",
    ),
    Command(
        "cannot_link",
        "Say that the points ``a`` do not belong with the points ``b``.",
        (Argument("a", POINTS), Argument("b", POINTS)),
        settings=_supervised(lambda s, a: s.cannot_link(a["a"], a["b"])),
        undo_text=lambda now, a: f"keep {_count(a['a'])} apart from {_count(a['b'])}",
    ),
    Command(
        "pin",
        "Hold points where they are: they attract and repel the others, and do not move.",
        (Argument("points", POINTS),),
        settings=_supervised(lambda s, a: s.pin(a["points"])),
        undo_text=lambda now, a: f"pin {_count(a['points'])}",
    ),
    Command(
        "unpin",
        "Let points move again; those that were free stay free.",
        (Argument("points", POINTS),),
        settings=_supervised(lambda s, a: s.unpin(a["points"])),
        undo_text=lambda now, a: f"unpin {_count(a['points'])}",
    ),
    Command(
        "forget",
        "Take back all labels, links and pins of points.",
        (Argument("points", POINTS),),
        settings=_supervised(lambda s, a: s.forget(a["points"])),
        undo_text=lambda now, a: f"forget {_count(a['points'])}",
    ),
    Command(
        "add_class",
        "Add a class without points.",
        (Argument("name", CLASS_NAME),),
        settings=_supervised(lambda s, a: s.add_class(a["name"])),
        undo_text=lambda now, a: f"add the class {a['name']}",
    ),
    Command(
        "rename_class",
        "Give a class another name.",
        (Argument("old", CLASS_NAME), Argument("new", CLASS_NAME)),
        settings=_supervised(lambda s, a: s.rename_class(a["old"], a["new"])),
        undo_text=lambda now, a: f"rename {a['old']} to {a['new']}",
    ),
    Command(
        "merge_classes",
        "Make the points of a class points of another; the class is gone.",
        (
            Argument("old", CLASS_NAME, "The class that goes."),
            Argument("into", CLASS_NAME, "The class that stays."),
        ),
        settings=_supervised(lambda s, a: merged(s, a["old"], a["into"])),
        undo_text=lambda now, a: f"merge {a['old']} into {a['into']}",
    ),
    Command(
        "remove_class",
        "Remove a class and take back the labels of its points; links and pins stay.",
        (Argument("name", CLASS_NAME),),
        settings=_supervised(lambda s, a: removed(s, a["name"])),
        undo_text=lambda now, a: f"remove the class {a['name']}",
    ),
    Command(
        "supervise",
        "Replace all labels, links and pins; ``None`` takes everything back.",
        (Argument("supervision", SUPERVISION),),
        settings=_supervised(_replaced),
        undo_text=lambda now, a: "set all labels and links",
        from_page=False,
    ),
    Command(
        "learn",
        "Learn from labels now rather than in the background; the map waits.",
        (
            Argument(
                "supervision",
                OPTIONAL_SUPERVISION,
                "Labels to learn from; by default those of the session.",
                default=None,
            ),
        ),
        role="memory",
        complete=_labels_to_learn,
        logged=(Argument("supervision", SUPERVISION),),
        from_page=False,
    ),
    Command(
        "undo",
        "Take back the last change of parameters, supervision or method; the points stay.",
        role="undo",
        state=lambda state, a: state.undone(),
    ),
    Command(
        "redo",
        "Do again what was undone last.",
        state=lambda state, a: state.redone(),
    ),
    Command(
        "go_to",
        "Go to a place of the history; the points go back, too, where that is still known.",
        (Argument("number", INDEX, "Of the place, as ``changes`` counts them; 0 is the start."),),
        role="undo",
        state=lambda state, a: state.gone_to(a["number"]),
    ),
    Command(
        "snapshot",
        "Keep layout, parameters and supervision under a name; return the name.",
        (Argument("name", TEXT, "By default the next number.", default=None),),
        role="record",
        state=lambda state, a: state.with_snapshot(a["name"]),
        complete=_named,
        logged=(Argument("name", NAME),),
    ),
    Command(
        "restore",
        "Go back to a snapshot. A converged map is paused there; undo keeps the layout.",
        (Argument("name", TEXT),),
        role="show",
        state=_restored,
    ),
    Command(
        "rename_snapshot",
        "Give a snapshot another name.",
        (Argument("old", NAME), Argument("new", NEW_NAME)),
        role="record",
        state=lambda state, a: state.with_snapshot_renamed(a["old"], a["new"]),
    ),
    Command(
        "delete_snapshot",
        "Delete a snapshot; undo brings it back.",
        (Argument("name", NAME),),
        role="record",
        state=lambda state, a: state.without_snapshot(a["name"]),
    ),
    Command(
        "save_selection",
        "Save points under a name, in place of those that were saved under it.",
        (Argument("name", NEW_NAME), Argument("points", POINTS)),
        role="record",
        state=lambda state, a: state.with_selection(a["name"], a["points"]),
    ),
    Command(
        "delete_selection",
        "Delete a saved selection; its points and their labels stay as they are.",
        (Argument("name", NEW_NAME),),
        role="record",
        state=lambda state, a: state.without_selection(a["name"]),
    ),
)

#: The commands by name.
COMMANDS: Mapping[str, Command] = MappingProxyType({entry.name: entry for entry in _TABLE})


def _count(points: list[Any]) -> str:
    return "1 point" if len(points) == 1 else f"{len(points)} points"


def _suggestions(labels: list[Any]) -> str:
    return "1 suggestion" if len(labels) == 1 else f"{len(labels)} suggestions"


def _short(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    text = str(value)
    return text if len(text) <= 20 else type(value).__name__
