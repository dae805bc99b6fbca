"""The type of an entry of the table of commands, and the context that a command reads.

The entries themselves are in :mod:`nbembed.session.core.commands`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from nbembed.methods.recipe import PathStep, Recipe
from nbembed.propagation import Suggestions
from nbembed.session.core.arguments import PARAMETER_MAP, PARAMETERS, REQUIRED, Argument
from nbembed.session.core.session_state import SessionState
from nbembed.session.core.settings import Settings
from nbembed.session.core.state_machine import Role
from nbembed.validation import shown

Arguments = Mapping[str, Any]

Flag = Literal[
    "restarts",  # the map starts cold, and iterations are counted from zero
    "steers",  # it changes the course of the map though the settings may stay
    "clears path",  # the kept layouts of the path are gone afterwards
    "learns",  # affinities learned from labels take effect
    "new cost",  # costs before and after it are on different scales
    "gives labels",  # the labels that it changes have its provenance
    "accepts suggestions",  # the labels are those that were suggested
    "travels",  # it moves through the history and makes no step of it
    "moves points back",  # to where they were at that place of the history
    "shows path step",  # the map is a kept layout of the path
    "returns name",  # the session's method returns the argument ``name`` as it is logged
]


#: Methods of the map (:class:`nbembed.session.map.engine.Engine`) by which commands take effect.
MapMethod = Literal[
    "settle",
    "restart",
    "clear_memory",
    "learn",
    "keep",
    "restore",
    "go_back",
    "show_path_step",
]


class SourceWriter(Protocol):
    """Interface for commands to print themselves (:class:`.file.script.ScriptWriter`)."""

    def method(self, name: str, parameters: Mapping[str, Any]) -> str:
        """Return the source of a method with these parameters."""

    def value(self, value: Any) -> str:
        """Return the source of a value."""


@dataclass(frozen=True)
class Context:
    """Inputs of commands beside the state.

    * X: the checked data.
    * methods: the recipe classes that a switch may name.
    * path: returns the kept layouts that will be there when the command takes effect.
    * suggestions: returns what is suggested from the present labels, ``None`` if nothing is yet.
    """

    X: Any = None
    methods: Mapping[str, type[Recipe[Any]]] = field(default_factory=dict)
    path: Callable[[], tuple[PathStep, ...]] = tuple
    suggestions: Callable[[], Suggestions | None] = lambda: None


@dataclass(frozen=True)
class Command:
    """One thing that a session can do on request.

    * name: of the session's method, in the log and on the wire.
    * summary: one line of documentation.
    * role: how it bears on the motion; see :mod:`nbembed.session.core.state_machine`.
    * effect: the method of the moving map that lets it take effect; none is called where the role
      is motion alone.
    * flags: what else it does, for those who must know; see :data:`Flag`.
    * settings: ``settings(present settings, arguments, context)`` returns those after the command;
      the change can be undone.
    * undo_text: ``undo_text(settings after it, arguments)``: what undo calls the change.
    * detail: ``detail(arguments)``: what a list of the history says beside that.
    * gesture: ``gesture(arguments)``: changes of one gesture are undone as one.
    * state: in place of ``settings``, for what is no change of the settings or moves through the
      history: ``state(session state, arguments)`` returns the state after the command.
    * complete: ``complete(session state, arguments, context)`` returns the arguments as the log
      keeps them, where they depend on the session.
    * logged: what the log keeps, where that is something else than ``arguments``.
    * script: ``script(writer, arguments)`` returns the lines that do it again; by default a call
      of the session's method.
    * from_page: whether a page may send it.
    """

    name: str
    summary: str
    arguments: tuple[Argument, ...] = ()
    role: Role = "change"
    effect: MapMethod = "settle"
    flags: frozenset[Flag] = frozenset()
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
    def is_motion(self) -> bool:
        """True of a command that starts or stops the motion and never changes what is computed."""
        return self.role in ("play", "pause", "step")

    @property
    def asks_for_motion(self) -> bool:
        """True of a command that asks for motion, whatever was canceled before."""
        return self.role in ("play", "step", "reset")

    @property
    def names_method(self) -> bool:
        """True of a command that names a method and its parameters."""
        return any(argument.kind is PARAMETER_MAP for argument in self.logged)

    @property
    def keywords(self) -> bool:
        """True if it takes parameters by any name."""
        return any(argument.kind is PARAMETERS for argument in self.arguments)

    def checked(self, given: Mapping[str, Any], n_samples: int) -> dict[str, Any]:
        """Return arguments in the form of the log; an error names the argument that is wrong."""
        return self._checked(self.arguments, given, n_samples)

    def restored(self, logged: Mapping[str, Any], n_samples: int) -> dict[str, Any]:
        """Return the arguments in a log, checked to be such as this command is logged with."""
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
                raise TypeError(f"{self.name}() needs the argument {argument.name}")
            if value is not argument.default:
                value = argument.kind.check(argument.name, value, n_samples)
            values[argument.name] = value
        unknown = given.keys() - values.keys()
        if unknown:
            raise TypeError(f"{self.name}() has no argument {shown(sorted(unknown)[0])}")
        return values
