"""What an entry of the table of commands is, and what a command may look at.

The entries themselves are in :mod:`nbembed.session.core.commands`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from nbembed.session.core.arguments import PARAMETERS, REQUIRED, Argument
from nbembed.validation import shown

if TYPE_CHECKING:
    from nbembed.methods.recipe import PathStep, Recipe
    from nbembed.propagation import Suggestions
    from nbembed.session.core.session_state import SessionState
    from nbembed.session.core.settings import Settings
    from nbembed.session.core.state_machine import Role

Arguments = Mapping[str, Any]


class SourceWriter(Protocol):
    """What a command needs to print itself (:class:`nbembed.session.file.script.ScriptWriter`)."""

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
        How it bears on the motion; see :mod:`nbembed.session.core.state_machine`.
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
            raise TypeError(f"{self.name}() does not take {shown(sorted(unknown)[0])}")
        return values
