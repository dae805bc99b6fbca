"""The record of a session: its log, the script of it, its replay, and the file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Self

from numpy.typing import ArrayLike

from nbembed.methods.estimator import Estimator
from nbembed.methods.recipe import Recipe
from nbembed.session.core.commands import MOTION, has_flag
from nbembed.session.core.events import Event
from nbembed.session.file.replay import replay
from nbembed.session.file.script import script, script_of_step
from nbembed.session.file.storage import save
from nbembed.session.file.stored_view import View
from nbembed.session.live.controller import Controller
from nbembed.validation import check_count


class Recorded:
    """The part of a session that logs, saves and replays it."""

    _X: Any
    _controller: Controller
    #: What was shown when the file was written that this session was read from.
    _stored_view: View
    #: What an Explorer shows now, ``None`` where there is none any more.
    _present_view: Callable[[], View | None]
    _begin: Callable[[Any, Controller], None]

    @classmethod
    def _around(cls, X: Any, controller: Controller) -> Self:
        """Return a session around a controller that was made elsewhere (replay, load)."""
        session = cls.__new__(cls)
        session._begin(X, controller)
        return session

    @property
    def log(self) -> list[Event]:
        """Events that have taken effect so far (without commands that still wait)."""
        box = self._controller.mailbox
        with box.lock:
            return list(box.events)

    def to_script(self, number: int | None = None) -> str:
        """Return a Python script that does the steering again, to the same bits.

        Parameters
        ----------
        number : int, optional
            Of a step of the history, as :attr:`changes` counts them: return the lines that do it
            again with ``session``, of moves of a slider the last one.

        Raises
        ------
        ValueError
            If a parameter cannot be written as source, such as a lambda, or there is no such step.
        """
        if number is not None:
            history = self._controller.mailbox.session_state.history
            step = history.step(check_count("number", number))
            return script_of_step(step, self._controller.methods)
        return script(self._X, *self._so_far(), self._controller.methods)

    def replayed(self) -> Self:
        """Return a new session at rest that went through this one's log again."""
        log, until = self._so_far()
        return self.replay(
            self._X, log, methods=tuple(self._controller.methods.values()), until=until
        )

    def _so_far(self) -> tuple[list[Event], int]:
        record = self._controller.capture()
        log, iteration = record.log, record.run_state.iteration
        for event in record.pending[: record.n_due]:
            if event.command not in MOTION:
                log.append(replace(event, iteration=iteration))
            if has_flag(event.command, "restarts"):
                iteration = 0
        return log, iteration

    @classmethod
    def replay(
        cls,
        X: ArrayLike,
        log: Iterable[Event | Mapping[str, Any]],
        *,
        method: Estimator | Recipe[Any] | None = None,
        methods: tuple[type[Any], ...] = (),
        until: int | None = None,
    ) -> Self:
        """Return a session at rest that went through a log, in the calling thread.

        Parameters
        ----------
        X : array-like
            The data that the log was made with.
        log : iterable of Event or their ``to_dict()``
        method : estimator or Recipe, optional
            Only needed if a parameter at the start was a function and the log was JSON data: a
            method that has it.
        methods : tuple of Recipe or estimator classes
            Needed where the session used methods that are not registered.
        until : int, optional
            Iterations to go on to after the last event.

        Raises
        ------
        ValueError
            If the log is broken or was made with other data.
        """
        return cls._around(*replay(X, log, method, methods, until))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the session to one file; see :mod:`nbembed.session.file.storage` for its form.

        The file is written beside its destination and then put in its place, so that a crash
        leaves the old file or the new one. A symbolic link stays one, and a file that is replaced
        keeps its permissions. A running session is saved between two iterations; a long one is not
        waited for. The file also has what the last Explorer of the session shows.

        Raises
        ------
        ValueError
            If a parameter is a function, which no file can hold.
        OSError
            If no file can be written there.
        """
        save(self._controller, self._X, path, self._present_view() or self._stored_view)
