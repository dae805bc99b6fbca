"""Messages from a page: checked against the schema before anything acts on them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbembed.validation import shown
from nbembed.widget.wire import page_commands, queries, schema
from nbembed.widget.wire.wire_types import COUNT, NUMBER, TEXT, Field


class ProtocolError(ValueError):
    """A message that does not follow the protocol.

    * client: the page that sent it, "" if unknown.
    * request: the number of the command, 0 if it was none.
    """

    def __init__(self, text: str, client: str = "", request: int = 0) -> None:
        super().__init__(text)
        self.client = client
        self.request = request


@dataclass(frozen=True)
class Message:
    """A message other than a command.

    ``type`` is one of :data:`nbembed.widget.wire.schema.FROM_PAGE`; ``fields`` are those of that
    type beside ``client``.
    """

    type: str
    client: str
    fields: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class CommandMessage:
    """A command.

    * name: one of :data:`nbembed.widget.wire.page_commands.COMMANDS`.
    * arguments: keywords of the method that carries the command out; sets of points as sorted,
      distinct indices. Their types are checked, their meaning is the session's to check.
    """

    client: str
    request: int
    name: str
    arguments: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class QueryMessage:
    """A query.

    * asker: part of the page; of its queries the newest counts.
    * name: one of :data:`nbembed.widget.wire.queries.QUERIES`.
    """

    client: str
    request: int
    asker: int
    name: str
    arguments: dict[str, Any] = field(default_factory=dict)


def parse(
    content: object, buffers: Sequence[Any], n_samples: int
) -> Message | CommandMessage | QueryMessage:
    """Return a message from a page, checked against the schema.

    Indices of points must be below ``n_samples``. Raises ProtocolError, naming the part that is
    wrong.
    """
    if not isinstance(content, Mapping):
        raise ProtocolError(f"a message must be an object, got {type(content).__name__}")
    client = content.get("client")
    if not isinstance(client, str) or not TEXT.accepts(client) or not 0 < len(client) <= 40:
        raise ProtocolError("client must be text of 1 to 40 characters")
    kind = content.get("type")
    message = schema.FROM_PAGE.get(kind) if isinstance(kind, str) else None
    if message is None:
        raise ProtocolError(f"unknown message type {shown(kind)}", client)
    try:
        message.check(content)
    except ValueError as error:
        request = content.get("request")
        number = request if isinstance(request, int) and COUNT.accepts(request) else 0
        raise ProtocolError(str(error), client, number) from None
    if message.type == "command":
        return _command(content, buffers, n_samples)
    if message.type == "query":
        return _query(content, buffers, n_samples)
    fields = {f.name: content[f.name] for f in message.fields if f is not schema.CLIENT}
    points = [*fields.get("points", ()), *([fields["point"]] if "point" in fields else ())]
    if any(point >= n_samples for point in points):
        raise ProtocolError(f"points must be below {n_samples}, got {max(points)}", client)
    return Message(message.type, client, fields)


def _command(content: Mapping[str, Any], buffers: Sequence[Any], n_samples: int) -> CommandMessage:
    client, request, name = content["client"], content["request"], content["name"]
    command = page_commands.COMMANDS.get(name)
    if command is None:
        allowed = ", ".join(page_commands.COMMANDS)
        raise ProtocolError(f"unknown command {shown(name)}; allowed: {allowed}", client, request)
    given = content.get("arguments", {})
    try:
        if command.parameters:
            arguments = _parameters(given)
        else:
            arguments = _arguments(command.arguments, given)
        arguments.update(_points(command.points, buffers, n_samples))
    except ValueError as error:
        raise ProtocolError(f"{name}: {error}", client, request) from None
    keywords = {command.keywords.get(key, key): value for key, value in arguments.items()}
    return CommandMessage(client, request, name, keywords)


def _query(content: Mapping[str, Any], buffers: Sequence[Any], n_samples: int) -> QueryMessage:
    client, request, name = content["client"], content["request"], content["name"]
    query = queries.QUERIES.get(name)
    if query is None:
        allowed = ", ".join(queries.QUERIES)
        raise ProtocolError(f"unknown query {shown(name)}; allowed: {allowed}", client)
    try:
        arguments = _arguments(query.arguments, content.get("arguments", {}))
        arguments.update(_points(query.points, buffers, n_samples))
    except ValueError as error:
        raise ProtocolError(f"{name}: {error}", client) from None
    return QueryMessage(client, request, content["asker"], name, arguments)


def _parameters(given: Mapping[str, Any]) -> dict[str, Any]:
    if not given:
        raise ValueError("at least one parameter must be given")
    return {str(name): Field(str(name), NUMBER).check(value) for name, value in given.items()}


def _arguments(fields: Sequence[Field], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments in JSON."""
    unknown = sorted(set(given) - {f.name for f in fields})
    if unknown:
        raise ValueError(f"unknown argument {shown(unknown[0])}")
    arguments = {}
    for f in fields:
        if f.name in given:
            arguments[f.name] = f.check(given[f.name])
        elif not f.optional:
            raise ValueError(f"{f.name} is missing")
    return arguments


def _points(
    names: Sequence[str], buffers: Sequence[Any], n_samples: int
) -> dict[str, NDArray[np.intp]]:
    if names and len(buffers) != len(names):
        needed = "one buffer" if len(names) == 1 else f"{len(names)} buffers"
        raise ValueError(f"points must come in {needed}, got {len(buffers)}")
    return {name: _indices(bytes(buffer), n_samples) for name, buffer in zip(names, buffers)}


def _indices(raw: bytes, n_samples: int) -> NDArray[np.intp]:
    """Return sorted, distinct indices."""
    if len(raw) % 4:
        raise ValueError("a buffer of points must hold whole uint32 numbers")
    points = np.frombuffer(raw, dtype=schema.POINTS.dtype)
    if points.size and int(points.max()) >= n_samples:
        raise ValueError(f"points must be below {n_samples}, got {int(points.max())}")
    return np.unique(points).astype(np.intp)


def encode(trait: str, values: ArrayLike) -> bytes:
    """Return an array as the bytes of a trait or buffer of that name."""
    return np.ascontiguousarray(values, dtype=schema.TRAITS[trait].type.dtype).tobytes()


def finite(value: float | None) -> float | None:
    """Return a number as JSON can hold it: ``None`` for infinities and NaN."""
    return None if value is None or not math.isfinite(value) else float(value)
