"""What crosses the wire between an Explorer and the page that shows it.

The page sends custom messages: ``hello``, ``visible``, ``bye``, ``ack`` and ``command``.
Every message names its ``client``, a word that the page makes up when it loads: several pages may
show one widget. A command carries a ``request`` number and gets a reply with that number; an error
is a reply too. Points travel as one binary buffer of little-endian ``uint32``, the two sides of a
cannot-link as two.

The kernel sends ``frame`` and ``reply`` messages and sets traits. No message has a key called
``id``: ipykernel keeps such messages until a reply to them comes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


class ProtocolError(ValueError):
    """A message that the page should not have sent.

    Attributes
    ----------
    client : str
        Who sent it, "" if that cannot be told.
    request : int
        The number of the command that it was, 0 if it was none.
    """

    def __init__(self, text: str, client: str = "", request: int = 0) -> None:
        super().__init__(text)
        self.client = client
        self.request = request


@dataclass(frozen=True)
class Hello:
    """A page has loaded the widget."""

    client: str


@dataclass(frozen=True)
class Bye:
    """A page has dropped the widget."""

    client: str


@dataclass(frozen=True)
class Visible:
    """Whether a view of the widget can be seen on the page."""

    client: str
    visible: bool


@dataclass(frozen=True)
class Ack:
    """A frame was drawn."""

    client: str
    seq: int


@dataclass(frozen=True)
class Command:
    """Something that a person did.

    Attributes
    ----------
    name : str
        One of ``COMMANDS``.
    arguments : dict of str to Any
        Checked in kind, not in meaning: that is the session's part.
    points : ndarray of uint32 or None
        The samples that it is about, for commands that have any.
    others : ndarray of uint32 or None
        The samples on the other side of a cannot-link.
    """

    client: str
    request: int
    name: str
    arguments: dict[str, Any] = field(default_factory=dict)
    points: NDArray[np.uint32] | None = None
    others: NDArray[np.uint32] | None = None


Message = Hello | Bye | Visible | Ack | Command


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("must be text")
    return value


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError("must be a finite number")
    return value


def _whole(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError("must be a whole number from 0")
    return value


@dataclass(frozen=True)
class _Form:
    """What a command must carry: arguments, and so many buffers of points.

    ``free``: any number of named finite numbers instead of arguments.
    """

    arguments: Mapping[str, Callable[[object], Any]] = field(default_factory=dict)
    optional: Mapping[str, Callable[[object], Any]] = field(default_factory=dict)
    points: int = 0
    free: bool = False


COMMANDS: Mapping[str, _Form] = {
    "play": _Form(),
    "pause": _Form(),
    "step": _Form(optional={"k": _whole}),
    "reset": _Form(),
    "set": _Form(free=True),
    "label": _Form({"class": _text}, {"confidence": _number}, points=1),
    "must_link": _Form(points=1),
    "cannot_link": _Form(points=2),
    "pin": _Form(points=1),
    "unpin": _Form(points=1),
    "forget": _Form(points=1),
    "add_class": _Form({"name": _text}),
    "rename_class": _Form({"old": _text, "new": _text}),
    "undo": _Form(),
    "redo": _Form(),
    "switch": _Form({"method": _text}),
    "move_to_path": _Form({"index": _whole}),
    "select": _Form(points=1),
    "color_by": _Form({"mode": _text}),
}


def parse(content: object, buffers: Sequence[Any], n_samples: int) -> Message:
    """Return what the page says, checked in kind.

    Parameters
    ----------
    content : object
        The message as JSON made it.
    buffers : sequence of bytes-like
    n_samples : int
        Points must lie below it.

    Raises
    ------
    ProtocolError
        If it is no message of this protocol; names the part that is wrong.
    """
    if not isinstance(content, Mapping):
        raise ProtocolError(f"a message must be an object, got {type(content).__name__}")
    client = content.get("client")
    if not isinstance(client, str) or not 0 < len(client) <= 40:
        raise ProtocolError("client must be a short word")
    kind = content.get("type")
    if kind == "hello":
        return Hello(client)
    if kind == "bye":
        return Bye(client)
    if kind == "visible":
        return Visible(client, content.get("visible") is True)
    if kind == "ack":
        try:
            return Ack(client, _whole(content.get("seq")))
        except ValueError as error:
            raise ProtocolError(f"seq {error}", client) from None
    if kind == "command":
        return _command(content, buffers, n_samples, client)
    raise ProtocolError(f"unknown message type {kind!r}", client)


def _command(
    content: Mapping[str, Any], buffers: Sequence[Any], n_samples: int, client: str
) -> Command:
    request = content.get("request")
    if isinstance(request, bool) or not isinstance(request, int) or request < 1:
        raise ProtocolError("request must be a whole number from 1", client)
    name = content.get("name")
    form = COMMANDS.get(name) if isinstance(name, str) else None
    if form is None or not isinstance(name, str):
        raise ProtocolError(
            f"unknown command {name!r}; allowed: {', '.join(COMMANDS)}", client, request
        )
    given = content.get("arguments", {})
    if not isinstance(given, Mapping):
        raise ProtocolError(f"{name}: arguments must be an object", client, request)
    try:
        arguments = _arguments(form, given)
        points = _points(buffers, form.points, n_samples)
    except ValueError as error:
        raise ProtocolError(f"{name}: {error}", client, request) from None
    return Command(client, request, name, arguments, *points)


def _arguments(form: _Form, given: Mapping[str, Any]) -> dict[str, Any]:
    if form.free:
        if not given:
            raise ValueError("at least one parameter must be given")
        checks: dict[str, Callable[[object], Any]] = {str(key): _number for key in given}
    else:
        checks = {**form.arguments, **{k: v for k, v in form.optional.items() if k in given}}
        unknown = sorted(set(given) - set(checks))
        if unknown:
            raise ValueError(f"unknown argument {unknown[0]!r}")
    arguments = {}
    for key, check in checks.items():
        if key not in given:
            raise ValueError(f"{key} is missing")
        try:
            arguments[key] = check(given[key])
        except ValueError as error:
            raise ValueError(f"{key} {error}, got {given[key]!r}") from None
    return arguments


def _points(buffers: Sequence[Any], count: int, n_samples: int) -> list[NDArray[np.uint32]]:
    if count and len(buffers) != count:
        wanted = "one buffer" if count == 1 else f"{count} buffers"
        raise ValueError(f"needs {wanted} of points, got {len(buffers)}")
    return [_sorted_points(bytes(buffer), n_samples) for buffer in buffers[:count]]


def _sorted_points(raw: bytes, n_samples: int) -> NDArray[np.uint32]:
    if len(raw) % 4:
        raise ValueError("the buffer of points must hold whole uint32 numbers")
    points = np.frombuffer(raw, dtype="<u4")
    if points.size and int(points.max()) >= n_samples:
        raise ValueError(f"points must lie below {n_samples}, got {int(points.max())}")
    return np.unique(points).astype(np.uint32)


def floats(values: ArrayLike) -> bytes:
    """Return numbers as little-endian float32."""
    return np.ascontiguousarray(values, dtype="<f4").tobytes()


def int16s(values: ArrayLike) -> bytes:
    """Return whole numbers as little-endian int16."""
    return np.ascontiguousarray(values, dtype="<i2").tobytes()


def finite(value: float | None) -> float | None:
    """Return a number that JSON can hold, ``None`` for what it cannot."""
    return None if value is None or not math.isfinite(value) else float(value)
