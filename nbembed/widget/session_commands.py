"""A stand-in for ``nbembed.session.commands`` while that table is being written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

REQUIRED: Any = object()


@dataclass(frozen=True)
class Kind:
    name: str


POINTS, TEXT, NUMBER = Kind("points"), Kind("text"), Kind("number")


@dataclass(frozen=True)
class Argument:
    name: str
    kind: Kind
    doc: str = ""
    default: Any = REQUIRED
    wire: str = ""

    @property
    def required(self) -> bool:
        return self.default is REQUIRED

    @property
    def wire_name(self) -> str:
        return self.wire or self.name


@dataclass(frozen=True)
class Command:
    name: str
    summary: str
    arguments: tuple[Argument, ...] = ()
    from_page: bool = True


_points = Argument("points", POINTS)

COMMANDS: Mapping[str, Command] = {
    command.name: command
    for command in (
        Command("play", "."),
        Command("pause", "."),
        Command("step", ".", (Argument("k", Kind("count"), "", 1),)),
        Command("reset", "."),
        Command("set", ".", (Argument("parameters", Kind("parameters")),)),
        Command("switch", ".", (Argument("method", Kind("method")),)),
        Command("show_path_step", ".", (Argument("index", Kind("index")),)),
        Command(
            "label",
            ".",
            (
                _points,
                Argument("class_", TEXT, wire="class"),
                Argument("confidence", NUMBER, default=1.0),
            ),
        ),
        Command("must_link", ".", (_points,)),
        Command("cannot_link", ".", (Argument("a", POINTS), Argument("b", POINTS))),
        Command("pin", ".", (_points,)),
        Command("unpin", ".", (_points,)),
        Command("forget", ".", (_points,)),
        Command("add_class", ".", (Argument("name", TEXT),)),
        Command("rename_class", ".", (Argument("old", TEXT), Argument("new", TEXT))),
        Command("undo", "."),
        Command("redo", "."),
        Command("supervise", ".", (Argument("supervision", Kind("supervision")),), False),
    )
}
