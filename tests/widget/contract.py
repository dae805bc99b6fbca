"""Checks of both ends of the wire, and of their stand-ins, against the one schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from playwright.sync_api import Page

from nbembed.widget.wire import protocol, queries, schema, wire_types

#: What the fake kernel has as traits, was told and has told; views of bytes as their length.
READ = """() => {
  const k = window.kernel;
  const plain = (v) => (v instanceof DataView ? { bytes: v.byteLength } : v);
  return {
    n: k.n,
    traits: Object.fromEntries(Object.entries(k.traits).map(([name, v]) => [name, plain(v)])),
    told: k.told.slice(-300),
    sent: k.sent.slice(-300),
  };
}"""


def check_traits(values: Mapping[str, Any]) -> None:
    """Raise AssertionError unless all traits are there, each of its type."""
    assert values.keys() == schema.TRAITS.keys()
    for name, value in values.items():
        if name in schema.POINT_SETS:
            value = np.asarray(value, "<u4").tobytes() if not isinstance(value, bytes) else value
        if schema.TRAITS[name].type is wire_types.POINT:
            value = -1 if value is None else value
        assert schema.TRAITS[name].type.accepts(value), (name, value)


def check_message(content: Mapping[str, Any], buffers: Sequence[int]) -> None:
    """Raise AssertionError unless a message to the page, with so long buffers, is a known one."""
    message = schema.TO_PAGE[content["type"]]
    message.check(content)
    assert content.keys() - {"type"} <= {field.name for field in message.fields}
    if message is schema.ANSWER:
        if content["error"] is None:
            queries.QUERIES[content["name"]].check(content["fields"], len(buffers))
        return
    needed = [field for field in message.buffers if not field.optional]
    assert len(needed) <= len(buffers) <= len(message.buffers), message.type
    for field, length in zip(message.buffers, buffers):
        assert field.type.accepts(bytes(length)), field.name


def check_page(page: Page) -> None:
    """Check the fake kernel of a page, and what the page has sent to it."""
    seen = page.evaluate(READ)
    check_traits(
        {
            name: bytes(v["bytes"]) if isinstance(v, dict) and v.keys() == {"bytes"} else v
            for name, v in seen["traits"].items()
        }
    )
    for told in seen["told"]:
        check_message(told["content"], told["buffers"])
    for message in seen["sent"]:
        sets = [np.array(points, "<u4").tobytes() for points in message.pop("sets")]
        if message["type"] in ("command", "query"):
            message.pop("points")
        elif message["points"] is None:
            del message["points"]
        protocol.parse(message, sets, seen["n"])
