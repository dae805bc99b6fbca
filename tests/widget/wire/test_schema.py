"""The one schema of the wire, and what is derived from it."""

from __future__ import annotations

import re

import numpy as np
import pytest

from nbembed.session.core.arguments import COUNT, NUMBER, POINTS, Argument
from nbembed.session.core.command_entry import Command
from nbembed.session.core.commands import COMMANDS as SESSION_COMMANDS
from nbembed.widget import Explorer
from nbembed.widget.stream.dispatcher import CommandDispatcher
from nbembed.widget.wire import page_commands, protocol, schema, typescript
from nbembed.widget.wire.wire_types import (
    CHOICE,
    Type,
    array,
    list_of,
    mapping_of,
    nullable,
)
from nbembed.widget.wire.wire_types import (
    NUMBER as WIRE_NUMBER,
)


def test_the_generated_types_are_fresh() -> None:
    assert typescript.PATH.read_text(encoding="utf-8") == typescript.render(), (
        "run `python -m nbembed.widget.wire.typescript`"
    )


def test_the_widget_has_the_traits_of_the_schema_and_no_others() -> None:
    synced = set(Explorer.class_trait_names(sync=True))
    own = {name for name in synced if not name.startswith("_")}
    inherited = {"layout", "tabbable", "tooltip"}  # of every ipywidget
    assert own - inherited == set(schema.TRAITS)


def test_defaults_are_of_their_types() -> None:
    for trait in schema.TRAITS.values():
        assert trait.type.accepts(trait.default), trait.name


def test_no_message_has_a_key_that_ipykernel_keeps() -> None:
    for message in (*schema.TO_PAGE.values(), *schema.FROM_PAGE.values()):
        assert "id" not in {field.name for field in message.fields}


def test_frames_carry_traits_in_the_types_of_the_traits() -> None:
    for field in (*schema.FRAME.fields, *schema.FRAME.buffers):
        if field.name in schema.TRAITS:
            assert field.type is schema.TRAITS[field.name].type


def test_every_command_of_a_page_is_one_of_the_session_or_of_the_view() -> None:
    known = {name for name, command in SESSION_COMMANDS.items() if command.from_page}
    assert set(page_commands.COMMANDS) == known | set(page_commands.VIEW_COMMANDS)
    assert not known & set(page_commands.VIEW_COMMANDS)


def test_a_command_added_to_the_table_crosses_the_wire(monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = (
        Argument("points", POINTS),
        Argument("from_", NUMBER, "Where to start.", wire="from"),
        Argument("times", COUNT, default=2),
    )
    added = page_commands.command_type(Command("nudge", "Push points.", arguments))
    monkeypatch.setattr(page_commands, "COMMANDS", {**page_commands.COMMANDS, "nudge": added})

    text = typescript.render()
    assert "  /** Push points. */\n  nudge: { from: number; times?: number };" in text
    assert "  nudge: [points: Uint32Array];" in text

    content = {"type": "command", "client": "c", "request": 1, "name": "nudge"}
    points = np.array([3, 1], "<u4").tobytes()
    message = protocol.parse({**content, "arguments": {"from": 0.5}}, [points], 5)
    assert isinstance(message, protocol.CommandMessage)
    with pytest.raises(protocol.ProtocolError, match="nudge: times must be a whole number"):
        protocol.parse({**content, "arguments": {"from": 0.5, "times": 0}}, [points], 5)

    class Nudged:
        def nudge(self, points: np.ndarray, from_: float, times: int = 2) -> None:
            self.given = points.tolist(), from_, times

    session = Nudged()
    assert CommandDispatcher(session).dispatch(message) is None  # type: ignore[arg-type]
    assert session.given == ([1, 3], 0.5, 2)


@pytest.mark.parametrize(
    ("type_", "good", "bad"),
    [
        (WIRE_NUMBER, [0, -1.5], [True, float("nan"), "1", None]),
        (CHOICE, [-1, 3], [-2, 0.5]),
        (nullable(WIRE_NUMBER), [None, 2], ["", float("inf")]),
        (list_of(WIRE_NUMBER, 2), [[0, 1], (0, 1)], [[0], [0, "1"], 3]),
        (mapping_of(WIRE_NUMBER), [{}, {"a": 1}], [{"a": "1"}, {1: 1}, []]),
        (array("<f4"), [b"", b"1234"], [b"123", "1234"]),
        (schema.ColorMode, ["class"], ["taste", None]),
        (
            schema.PathStep,
            [{"value": 1, "criterion": None}],
            [{"value": 1}, {"value": 1, "criterion": None, "more": 0}, []],
        ),
    ],
)
def test_types_accept_their_values_only(type_: Type, good: list[object], bad: list[object]) -> None:
    for value in good:
        assert type_.check(value) is value
    for value in bad:
        with pytest.raises(ValueError, match=re.escape(f"must be {type_.must_be}, got")):
            type_.check(value)
