"""What the page may say, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbembed.widget.wire.page_commands import COMMANDS
from nbembed.widget.wire.protocol import (
    CommandMessage,
    Message,
    ProtocolError,
    encode,
    finite,
    parse,
)
from nbembed.widget.wire.schema import FROM_PAGE


def command(name: str, arguments: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
    return {
        "type": "command",
        "client": "c",
        "request": 3,
        "name": name,
        "arguments": arguments or {},
        **more,
    }


def points(*indices: int) -> list[bytes]:
    return [np.array(indices, dtype="<u4").tobytes()]


def test_the_small_messages() -> None:
    assert parse({"type": "hello", "client": "c"}, [], 5) == Message("hello", "c")
    assert parse({"type": "bye", "client": "c"}, [], 5) == Message("bye", "c")
    assert parse({"type": "ack", "client": "c", "seq": 4}, [], 5) == Message("ack", "c", {"seq": 4})
    visible = parse({"type": "visible", "client": "c", "visible": True}, [], 5)
    assert visible == Message("visible", "c", {"visible": True})


def test_a_command_with_points_gets_them_sorted_and_once() -> None:
    message = parse(command("label", {"class": "a", "confidence": 1}), points(4, 0, 4), 5)
    assert isinstance(message, CommandMessage)
    assert message.arguments.pop("points").tolist() == [0, 4]
    assert message.arguments == {"class_": "a", "confidence": 1}
    assert (message.client, message.request) == ("c", 3)


def test_each_side_of_a_cannot_link_has_its_buffer() -> None:
    message = parse(command("cannot_link"), points(1) + points(3, 2), 5)
    assert isinstance(message, CommandMessage)
    assert {k: v.tolist() for k, v in message.arguments.items()} == {"a": [1], "b": [2, 3]}


def test_buffers_may_be_memoryviews() -> None:
    message = parse(command("select"), [memoryview(points(1)[0])], 5)
    assert isinstance(message, CommandMessage)
    assert message.arguments["points"].tolist() == [1]


def test_set_takes_any_numbers() -> None:
    message = parse(command("set", {"alpha": 1.5, "classes": 4}), [], 5)
    assert isinstance(message, CommandMessage)
    assert message.arguments == {"alpha": 1.5, "classes": 4}
    assert isinstance(message.arguments["classes"], int)


@pytest.mark.parametrize(
    ("content", "buffers", "part"),
    [
        ([], [], "object"),
        ({"type": "hello"}, [], "client"),
        ({"type": "hello", "client": "x" * 100}, [], "client"),
        ({"type": "boom", "client": "c"}, [], "boom"),
        ({"type": "ack", "client": "c", "seq": "1"}, [], "seq"),
        ({"type": "ack", "client": "c", "seq": -1}, [], "seq"),
        (command("explode"), [], "explode"),
        (command(["play"]), [], "name must be text"),  # type: ignore[arg-type]
        (command("color_by", {"mode": "taste"}), [], "mode must be one of column, class"),
        ({"type": "visible", "client": "c", "visible": 1}, [], "visible must be true or false"),
        (command("play", request=0), [], "request"),
        (command("play", request=True), [], "request"),
        (command("play", arguments=[1]), [], "arguments"),
        (command("play", {"fast": 1}), [], "fast"),
        (command("set"), [], "at least one parameter"),
        (command("set", {"alpha": "1"}), [], "alpha must be a finite number"),
        (command("set", {"alpha": float("nan")}), [], "alpha"),
        (command("set", {"alpha": True}), [], "alpha"),
        (command("label", {"class": "a"}), [], "buffer"),
        (command("label", {}), points(1), "class is missing"),
        (command("label", {"class": 3}), points(1), "class must be text"),
        (command("select"), points(5), "below 5"),
        (command("cannot_link"), points(1), "points must come in 2 buffers, got 1"),
        (command("cannot_link"), points(1) + points(5), "below 5"),
        (command("select"), [b"123"], "uint32"),
        (command("show_path_step", {"index": 1.5}), [], "index"),
        (command("rename_class", {"old": "a"}), [], "new is missing"),
    ],
)
def test_what_is_wrong_is_named(content: Any, buffers: list[bytes], part: str) -> None:
    with pytest.raises(ProtocolError, match=part):
        parse(content, buffers, 5)


def test_an_error_says_whose_command_it_was() -> None:
    with pytest.raises(ProtocolError) as caught:
        parse(command("set", {"alpha": None}), [], 5)
    assert (caught.value.client, caught.value.request) == ("c", 3)


json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(sorted(FROM_PAGE)) | json,
            "client": st.just("c") | json,
            "request": st.integers(1, 9) | json,
            "name": st.sampled_from(sorted(COMMANDS)) | json,
            "arguments": json,
            "seq": json,
            "visible": json,
        },
    ),
    st.lists(st.binary(max_size=12), max_size=2),
)
def test_nothing_but_a_protocol_error_ever_comes_of_a_message(
    content: dict[str, Any], buffers: list[bytes]
) -> None:
    try:
        message = parse(content, buffers, 5)
    except ProtocolError:
        return
    assert message.client == content["client"]


def test_arrays_travel_as_little_endian() -> None:
    assert encode("coordinates", [1.0]) == b"\x00\x00\x80\x3f"
    assert encode("label_codes", [-1, 2]) == b"\xff\xff\xff\xff\x02\x00\x00\x00"
    assert encode("pinned", [1]) == b"\x01\x00\x00\x00"


def test_only_finite_numbers_reach_json() -> None:
    assert finite(float("nan")) is None
    assert finite(float("inf")) is None
    assert finite(None) is None
    assert finite(2) == 2.0


@pytest.mark.parametrize(
    "number", [10**400, -(10**400), 10**5000], ids=["high", "low", "too long to print"]
)
def test_a_number_beyond_the_range_of_floats_is_refused_with_its_request(number: int) -> None:
    with pytest.raises(ProtocolError, match="alpha must be a finite number") as caught:
        parse(command("set", {"alpha": number}), [], 5)
    assert caught.value.request == 3
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("content", "part"),
    [
        (command("add_class", {"name": "\ud800"}), "name must be text that UTF-8 can encode"),
        ({"type": "hello", "client": "\udc00"}, "client"),
    ],
)
def test_half_a_surrogate_pair_is_no_text(content: Any, part: str) -> None:
    with pytest.raises(ProtocolError, match=part):
        parse(content, [], 5)
