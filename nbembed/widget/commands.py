"""From the page's commands to the session's, and which of them the present layout shows."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nbembed.methods.base import EmbeddingMethod
    from nbembed.session import Session
    from nbembed.widget.protocol import Command


class Steersman:
    """Gives commands to a session and keeps track of their effect.

    The session tells its subscribers when a command took effect (any event but "frame" and
    "learning"), and then when the next layout is there ("frame"). From then on that layout, and
    every later one, shows the command: its number is in :attr:`applied`. Each page numbers its own
    commands.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._lock = threading.Lock()
        self._given: dict[str, int] = {}
        self._in_force: dict[str, int] = {}
        self._applied: dict[str, int] = {}

    @property
    def applied(self) -> dict[str, int]:
        """For each page the number of its newest request that the present layout shows."""
        with self._lock:
            return dict(self._applied)

    def hear(self, event: str) -> None:
        """Take an event of the session, in its worker's thread."""
        with self._lock:
            if event == "frame":
                self._applied = self._in_force
            elif event != "learning":
                self._in_force = dict(self._given)

    def forget(self, client: str) -> None:
        """Drop a page that is gone."""
        with self._lock:
            for numbers in (self._given, self._in_force, self._applied):
                numbers.pop(client, None)

    def steer(self, command: Command) -> None:
        """Carry out a command.

        Raises
        ------
        ValueError, TypeError, RuntimeError
            If the session refuses it.
        """
        with self._lock:
            self._given[command.client] = command.request
        session, points, a = self._session, _indices(command.points), command.arguments
        match command.name:
            case "play" | "pause" | "reset" | "undo" | "redo":
                getattr(session, command.name)()
            case "step":
                session.step(a.get("k", 1))
            case "set":
                session.set(**a)
            case "label":
                session.label(points, a["class"], a.get("confidence", 1.0))
            case "must_link":
                session.must_link(points)
            case "cannot_link":
                session.cannot_link(points, _indices(command.others))
            case "pin":
                session.pin(points)
            case "unpin":
                session.unpin(points)
            case "forget":
                session.forget(points)
            case "add_class":
                session.add_class(a["name"])
            case "rename_class":
                session.rename_class(a["old"], a["new"])
            case "move_to_path":
                session.move_to_path(a["index"])
            case "switch":
                self._switch(a["method"])
            case _:
                raise ValueError(f"unknown command {command.name!r}")

    def _switch(self, name: str) -> None:
        """Switch by name; a method that has not been used yet is made for the plane."""
        session = self._session
        kind = session.methods.get(name)
        used = {str(event.arguments.get("method", "")) for event in session.log}
        if kind is None or name in used or "n_classes" not in kind().get_params(deep=False):
            session.switch(name)
            return
        session.switch(in_the_plane(kind(**_given(session, kind))))


def _indices(points: NDArray[Any] | None) -> list[int]:
    return [] if points is None else [int(i) for i in points]


def _given(session: Session, kind: type[EmbeddingMethod]) -> dict[str, Any]:
    """Return a new method's parameters: what describes the data, and room for the classes.

    A method that looks for classes gets at least two; the number grows with the supervision and
    can be set.
    """
    from nbembed.session.settings import SHARED

    known, wanted = session.method.get_params(deep=False), kind().get_params(deep=False)
    given = {name: known[name] for name in SHARED if name in known and name in wanted}
    if "n_classes" in wanted:
        given["n_classes"] = max(2, len(session.supervision.classes))
    return given


def in_the_plane(method: EmbeddingMethod) -> EmbeddingMethod:
    """Return a method that leaves its class directions open as one that places them on a circle.

    The simplex of K directions needs K − 1 dimensions and can only be seen in part; on a plane up
    to three directions on a circle *are* the simplex. A method that says anything about directions
    or dimensions is left as it is.
    """
    if isinstance(method, type) or not hasattr(method, "get_params"):
        return method  # the session says what is wrong with it
    parameters = method.get_params(deep=False)
    if "directions" not in parameters:
        return method
    if parameters["directions"] is not None or parameters.get("n_components") is not None:
        return method
    clone: EmbeddingMethod = type(method)(**parameters)
    clone.set_params(directions="circle", n_components=2)
    return clone
