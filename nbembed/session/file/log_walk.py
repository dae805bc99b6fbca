"""A log gone through event by event, with the checks and decisions of live commands.

A log may come from a file of somebody else. Each event must be one that a session writes: a command
of the table with the arguments it is logged with, parameters that the present method has, points
and classes that there are.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from nbembed.methods.recipe import Recipe, field_names
from nbembed.session.core.command_entry import Context
from nbembed.session.core.commands import MOTION, command_named, decide, has_flag
from nbembed.session.core.events import Event
from nbembed.session.core.history import Step
from nbembed.session.core.serialization import description
from nbembed.session.core.session_state import SessionState
from nbembed.session.core.settings import Settings, stored_method, stored_recipe
from nbembed.session.core.state_machine import STATES
from nbembed.session.file import checkpoint
from nbembed.supervision import Supervision
from nbembed.validation import check_choice, check_text

#: Why a file is refused whose state nothing in it says.
UNDECIDED = "its log has a value that it only describes, and no checkpoint after that"


class LogWalk:
    """The session's state on the way through a log.

    * methods: the recipe classes that the log may name.
    * state: after the events taken so far; at first where the events begin, if not with a start
      (:meth:`begin`).
    * described: whether functions may occur of which the log holds only a description. Events
      after one are checked in themselves but not decided, and :attr:`state` is ``None``.
    * iteration: a lower bound for the next event.
    """

    def __init__(
        self,
        X: Any,
        methods: Mapping[str, type[Recipe[Any]]],
        state: SessionState | None = None,
        *,
        described: bool = False,
    ) -> None:
        self.state = state
        self.iteration = 0
        self._context = Context(X, methods)
        self._described = described
        self._n = int(X.shape[0])

    def begin(self, start: Event, given: Recipe[Any] | None = None) -> Event:
        """Return the first event, with nothing in it but what a session writes.

        ``given`` has the parameters of the start that no log can hold. Raises ValueError if a
        session cannot have started like that.
        """
        a = start.arguments
        method, stored, supervision = (
            a.get(name) for name in ("method", "parameters", "supervision")
        )
        if not isinstance(supervision, Supervision) or supervision.n_samples != self._n:
            raise ValueError(f"the log must start with a supervision that covers {self._n} points")
        if start.iteration or a.get("n_samples", self._n) != self._n:
            raise ValueError(f"the log must start at iteration 0 with {self._n} points")
        known = {
            "n_samples": self._n,
            "data": _text("data", a.get("data")),
            "nbembed": _text("nbembed", a.get("nbembed")),
        }
        stored_method(method, self._context.methods)
        undecided = self._described and isinstance(stored, Mapping) and description(stored)
        if not undecided:
            recipe = stored_recipe(method, stored, self._context.methods, given)
            settings = Settings(recipe, supervision)
            self.state = SessionState(settings.check().begun(start.provenance))
            stored = recipe.parameters
        first = {"method": method, "parameters": stored, "supervision": supervision}
        return replace(start, arguments={**first, **known})

    def take(self, event: Event) -> Event:
        """Return the next event, with nothing in it but what a session writes.

        Raises ValueError if no session can have logged it here.
        """
        if event.iteration < self.iteration:
            raise ValueError(
                f"log must not go back without a reset: iteration {event.iteration} after "
                f"{self.iteration}"
            )
        if event.command == "rest":
            event = replace(event, arguments=_rest(event.arguments))
        elif event.command == checkpoint.COMMAND:
            self.state = checkpoint.state_of(event, self._context.methods, self._n)
        else:
            event = self._command(event)
        self.iteration = 0 if has_flag(event.command, "restarts") else event.iteration
        return event

    def leave_out(self, event: Event) -> None:
        """Go past an event that is not understood; an undo of it later on undoes nothing else."""
        if self.state is not None:
            step = Step(f"{event.command} of another version", self.state.settings)
            self.state = replace(self.state, history=self.state.history.followed_by(step))
        if has_flag(event.command, "restarts"):  # what comes after it counts from zero
            self.iteration = 0

    def _command(self, event: Event) -> Event:
        entry = command_named(event.command)
        try:
            event = replace(event, arguments=entry.restored(event.arguments, self._n))
            if entry.names_method:
                event = self._switch(event)
            elif entry.keywords:
                event = self._change(event)
            if self.state is not None and event.command not in MOTION:
                self.state = decide(
                    self.state, event.command, event.arguments, self._context, event.provenance
                )
        except TypeError as error:
            raise ValueError(str(error)) from error
        return event

    def _switch(self, event: Event) -> Event:
        method, parameters = event.arguments["method"], event.arguments["parameters"]
        stored_method(method, self._context.methods)
        if self._look(parameters):
            parameters = stored_recipe(method, parameters, self._context.methods).parameters
        return replace(event, arguments={"method": method, "parameters": parameters})

    def _change(self, event: Event) -> Event:
        if self.state is None:
            kinds = self._context.methods.values()
            allowed = {name for kind in kinds for name in field_names(kind)}
        else:
            allowed = set(field_names(type(self.state.settings.recipe)))
        for name in event.arguments:
            if name not in allowed:
                method = "any method" if self.state is None else self.state.settings.name
                raise ValueError(f"{name!r} is not a parameter of {method}")
        if not event.arguments:
            raise ValueError("set() needs at least one parameter as a keyword argument")
        self._look(event.arguments)
        return event

    def _look(self, parameters: Mapping[str, Any]) -> bool:
        """Return whether all values are known; after one that is not, nothing is decided."""
        unknown = {name: what for name in parameters if (what := description(parameters[name]))}
        for name, what in unknown.items():
            if not self._described:
                raise ValueError(f"{name} was set to {what}, which a log cannot store")
            self.state = None
        return not unknown


def checked_log(
    events: list[Event],
    X: Any,
    methods: Mapping[str, type[Recipe[Any]]],
    iteration: int,
    *,
    tolerant: bool,
) -> tuple[list[Event], SessionState]:
    """Return a file's log and the state that it leads to.

    * events: at least the start.
    * iteration: of the session at the end.
    * tolerant: whether another version wrote the file. Then an event that this version refuses is
      left out, with a warning, because no label may be lost for the sake of a log, and the log
      ends with a checkpoint.

    Raises ValueError if no session can have written it.
    """
    first, *others = events
    walk = LogWalk(X, methods, described=True)
    kept, fault = [walk.begin(first)], ""
    for i, event in enumerate(others, start=1):
        try:
            kept.append(walk.take(event))
        except ValueError as error:
            sentence = f"event {i} of its log, {event.command!r}, cannot have happened: {error}"
            if not tolerant:
                raise ValueError(sentence) from error
            walk.leave_out(event)
            fault = fault or sentence
    if iteration < walk.iteration:
        raise ValueError(
            f"its log ends at iteration {walk.iteration}, but its map is at {iteration}"
        )
    state = walk.state
    if state is None:
        raise ValueError(UNDECIDED)
    if fault:
        state = checkpoint.without_history(state)
        kept.append(checkpoint.checkpoint(iteration, state))
        warnings.warn(
            "the log was written by another version and cannot be read completely; the history "
            f"starts anew, and script() and replay() may give another map: {fault}",
            stacklevel=2,
        )
    return kept, state


def _text(name: str, value: Any) -> str:
    """Return text, "" where a log has none."""
    if not isinstance(value, str | None):
        raise ValueError(f"{name} must be text, got {value!r}")
    return value or ""


def _rest(arguments: Mapping[str, Any]) -> dict[str, str]:
    """Return the arguments of a ``rest`` event."""
    known = {"state": check_choice("state", arguments.get("state"), STATES)}
    if "error" in arguments:
        known["error"] = check_text("error", arguments["error"])
    if len(known) < len(arguments):
        raise ValueError(
            "a 'rest' event must have a state, an error if it failed, and nothing else"
        )
    return known
