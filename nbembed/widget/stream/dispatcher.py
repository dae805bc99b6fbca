"""Carries out the commands of pages, and tells which of them the present layout shows."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from typing import Any

from nbembed.session import Session
from nbembed.session.live.giver import given_by_hand
from nbembed.widget.wire.protocol import CommandMessage

_logger = logging.getLogger(__name__)

#: Events that tell of no command's effect.
OTHERS = frozenset({"learning", "suggestions", "progress", "waiting"})


class CommandDispatcher:
    """Calls the method of a command, and tracks when its effect can be seen.

    The session notifies its subscribers when commands have taken effect (any event but "frame" and
    :data:`OTHERS`), and then when the next layout is ready ("frame"). That layout and all later
    ones show the commands: the newest request of each page is in :attr:`applied`.

    * session: its method with the command's name carries the command out.
    * view_commands: commands that concern the view alone; they are called instead.
    * checks: called with the arguments before the session's command of that name; raises if a page
      may not give it now.
    * chosen_by: returns the means by which a set of points was chosen, "" if that is not known.
    """

    def __init__(
        self,
        session: Session,
        view_commands: Mapping[str, Callable[..., None]] | None = None,
        checks: Mapping[str, Callable[..., None]] | None = None,
        chosen_by: Callable[[Any], str] = lambda points: "",
    ) -> None:
        self._session = session
        self._view_commands = dict(view_commands or {})
        self._checks = dict(checks or {})
        self._chosen_by = chosen_by
        self._lock = threading.Lock()
        self._given: dict[str, int] = {}
        self._in_force: dict[str, int] = {}
        self._applied: dict[str, int] = {}

    @property
    def applied(self) -> dict[str, int]:
        """For each page, its newest request that the present layout shows."""
        with self._lock:
            return dict(self._applied)

    def notify(self, event: str) -> None:
        """Take an event of the session, in its worker's thread."""
        with self._lock:
            if event == "frame":
                self._applied = self._in_force
            elif event not in OTHERS:
                self._in_force = dict(self._given)

    def forget(self, client: str) -> None:
        """Drop a page that is gone."""
        with self._lock:
            for numbers in (self._given, self._in_force, self._applied):
                numbers.pop(client, None)

    def dispatch(self, command: CommandMessage) -> str | None:
        """Carry out a command; return the error message if it is refused, else ``None``."""
        action: Callable[..., Any] | None = self._view_commands.get(command.name)
        if action is None:
            with self._lock:
                self._given[command.client] = command.request
            action = getattr(self._session, command.name)
        try:
            if command.name in self._checks:
                self._checks[command.name](**command.arguments)
            with given_by_hand(self._how(command.arguments)):
                action(**command.arguments)
        except (ValueError, TypeError, RuntimeError) as error:
            return str(error)
        except Exception as error:  # of the user's code, such as a recipe
            _logger.exception("nbembed: command %s failed", command.name)
            return f"{type(error).__name__}: {error}"
        return None

    def _how(self, arguments: Mapping[str, Any]) -> str:
        return self._chosen_by(arguments["points"]) if "points" in arguments else ""
