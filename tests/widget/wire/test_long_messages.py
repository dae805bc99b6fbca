"""What a page sends is not sent back at length: errors cut what they repeat."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import nbembed as nb
from nbembed.validation import LONGEST_ERROR
from nbembed.widget.wire import page_commands, queries, schema

LONG, OTHER = "x" * 30_000, "y" * 30_000
WRONG = (LONG, [LONG], {LONG: LONG}, 10**4000)
CLIENT = "page"


@pytest.fixture(scope="module")
def explorer() -> Iterator[Any]:
    X = np.random.default_rng(0).normal(size=(12, 3))
    explorer = nb.Explorer(X, autoplay=False, still=False)
    yield explorer
    explorer.close()


def messages() -> Iterator[dict[str, Any]]:
    """Yield messages of every type in which something is far too long."""
    for wrong in WRONG:
        yield {"type": wrong, "client": CLIENT}
        for kind, message in schema.FROM_PAGE.items():
            plain = {"type": kind, "client": CLIENT, "request": 1, "asker": 1}
            yield {**plain, "client": wrong}
            yield {**plain, str(wrong): 1} if isinstance(wrong, str) else plain
            for field in message.fields:
                yield {**plain, "name": "undo", "arguments": {}, field.name: wrong}
        for kind, table in (("command", page_commands.COMMANDS), ("query", queries.QUERIES)):
            head = {"type": kind, "client": CLIENT, "request": 1, "asker": 1}
            yield {**head, "name": wrong, "arguments": {}}
            for name, entry in table.items():
                yield {**head, "name": name, "arguments": {LONG: wrong}}
                for field in entry.arguments:
                    yield {**head, "name": name, "arguments": {field.name: wrong}}
                    given = {other.name: LONG for other in entry.arguments}
                    yield {**head, "name": name, "arguments": {**given, field.name: wrong}}


def test_no_error_repeats_much_of_what_a_page_sent(
    explorer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    errors: list[str] = []

    def take(content: dict[str, Any], buffers: Any = None) -> None:
        errors.append(content.get("error") or "")

    monkeypatch.setattr(explorer, "send", take)
    for message in messages():
        n_points = 0
        if message.get("type") == "command" and isinstance(message.get("name"), str):
            entry = page_commands.COMMANDS.get(message["name"])
            n_points = len(entry.points) if entry else 0
        explorer._receive(None, message, [np.array([1], "<u4").tobytes()] * n_points)
    assert explorer._queries.wait(60)
    assert len([error for error in errors if error]) > 200
    assert max(map(len, errors)) <= LONGEST_ERROR + 2


@pytest.mark.parametrize(
    "call",
    [
        lambda session: session.label([0], 0.5 * np.ones(10**5)),
        lambda session: session.label(list(OTHER), "a"),
        lambda session: session.rename_class(OTHER, "a"),
        lambda session: session.restore(OTHER),
        lambda session: session.delete_selection(OTHER),
        lambda session: session.switch(OTHER),
        lambda session: session.set(**{OTHER: 1}),
        lambda session: session.set(alpha=OTHER),
        lambda session: session.step(OTHER),
        lambda session: session.give(OTHER, {}),
        lambda session: session.wait(OTHER),
        lambda session: nb.Supervision(2, OTHER),
    ],
)
def test_no_error_repeats_much_of_an_argument(explorer: Any, call: Any) -> None:
    with pytest.raises((TypeError, ValueError)) as caught:
        call(explorer.session)
    assert len(str(caught.value)) <= LONGEST_ERROR
