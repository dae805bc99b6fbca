"""Messages from pages, well and badly formed: each command gets one reply, none raises."""

from __future__ import annotations

import copy
import json
import logging
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from nbembed.session import Session
from nbembed.widget import Explorer
from nbembed.widget.answers import query_source
from nbembed.widget.wire import page_commands, schema
from nbembed.widget.wire.queries import QUERIES
from nbembed.widget.wire.query_types import QueryType
from nbembed.widget.wire.wire_types import Enum, Record, Type
from tests.reliability.comparison import differences
from tests.reliability.drawing import Rng, Situation, pick
from tests.reliability.outcome import Outcome
from tests.reliability.resources import GUARD
from tests.reliability.steering import comes_to_rest, new_session

#: Messages of an epoch.
MESSAGES = 200
#: What JSON can carry and hardly any field takes.
HOSTILE: tuple[Any, ...] = (
    None, True, -1, 0, 2**31, 2**64, 10**400, 0.5, 1e308, float("nan"), float("inf"),
    "", "\ud800", "x" * 10_000, "<img src=x onerror=alert(1)>", [], {}, [[]], {"a": {"b": []}},
)  # fmt: skip
BUFFERS: tuple[Any, ...] = (
    b"",
    b"123",
    np.array([2**32 - 1], "<u4").tobytes(),
    memoryview(np.array([0, 1, 1], "<u4").tobytes()),
    bytes(400_000),
)


#: Traits that never change of themselves, and that no page may change.
FIXED = ("n_samples", "height", "color_column", "color_values", "methods")


class RecordedExplorer(Explorer):
    """An Explorer that keeps replies and answers in place of sending them."""

    def send(self, content: Any, buffers: Any = None) -> None:
        """Keep a reply or an answer; other messages are of no interest here."""
        if content["type"] in ("reply", "answer"):
            with self.__dict__.setdefault("lock", threading.Lock()):
                self.__dict__.setdefault(content["type"], []).append(content)

    def take(self, kind: str) -> list[dict[str, Any]]:
        """Return what was sent of this kind since the last call; answers may come later."""
        with self.__dict__.setdefault("lock", threading.Lock()):
            found: list[dict[str, Any]] = self.__dict__.pop(kind, [])
        return found


class ForeignErrors(logging.Handler):
    """Makes failures of the errors of queries that are no refusals; a page is told their text."""

    LOGGER = logging.getLogger(query_source.__name__)

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(logging.INFO)
        self._outcome, self._level = outcome, self.LOGGER.level
        self.LOGGER.setLevel(logging.INFO)
        self.LOGGER.addHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        """Take what was logged."""
        self._outcome.expect(False, f"{record.getMessage()}\n{record.exc_text or record.exc_info}")

    def close(self) -> None:
        """Hear no more."""
        self.LOGGER.removeHandler(self)
        self.LOGGER.setLevel(self._level)
        super().close()


def send_messages(rng: Rng, folder: Path, messages: int = MESSAGES) -> Outcome:
    """Send random messages to an Explorer; its session's log replays in the end."""
    outcome = Outcome()
    with new_session(rng) as session:
        explorer = RecordedExplorer(session=session)
        errors = ForeignErrors(outcome)
        try:
            for _ in range(messages):
                if rng.random() < 0.1:
                    check_trait(explorer, pick(rng, FIXED), pick(rng, HOSTILE), outcome)
                    continue
                content, buffers = message(rng, session)
                check_message(explorer, content, buffers, outcome)
            answered = explorer._queries.wait(GUARD)
            outcome.expect(answered, "the queries of pages are not answered")
            check_answers(explorer, outcome)  # those of the last messages
        finally:
            errors.close()
            explorer.close()
        session.step(1)  # a start that was canceled is not in the log, so that a replay makes it
        if comes_to_rest(session, outcome):
            with outcome.guarded("replayed()"), session.replayed() as again:
                outcome.counts["replays"] += 1
                differ = differences(session, again)
                if outcome.expect(not differ, f"what pages sent replays with other {differ}"):
                    outcome.counts["replays identical"] += 1
    return outcome


def check_message(
    explorer: RecordedExplorer, content: Any, buffers: list[Any], outcome: Outcome
) -> None:
    """Let the widget take one message, as the kernel does, and check the reply."""
    outcome.counts["messages"] += 1
    shown = f"message {content!r}"[:300]
    with outcome.guarded(shown):
        # The kernel's own way catches what a callback raises.
        for callback in explorer._msg_callbacks.callbacks:
            callback(explorer, content, buffers)
    check_answers(explorer, outcome)
    replies = explorer.take("reply")
    command = isinstance(content, dict) and content.get("type") == "command"
    fine = len(replies) == 1 if command else len(replies) <= 1
    outcome.expect(fine, f"{shown} got {len(replies)} replies")
    for reply in replies:
        outcome.counts["messages refused"] += not reply["ok"]
        with outcome.guarded(f"the reply to {shown}"):
            json.dumps(reply, allow_nan=False).encode()
            schema.REPLY.check(reply)
        repeated = not command or reply["request"] in (content.get("request"), 0)
        outcome.expect(repeated, f"{shown} got the reply to {reply['request']}")


def check_answers(explorer: RecordedExplorer, outcome: Outcome) -> None:
    """Check the answers that have been sent so far."""
    for answer in explorer.take("answer"):
        with outcome.guarded(f"the answer to {answer['name']}"):
            json.dumps(answer, allow_nan=False).encode()


def check_trait(explorer: Explorer, name: str, value: Any, outcome: Outcome) -> None:
    """Let a page write a trait that only Python may write."""
    outcome.counts["messages"] += 1
    before = getattr(explorer, name)
    with outcome.guarded(f"a page that writes {name} = {value!r}"[:300]):
        explorer.set_state({name: value})
    changed = getattr(explorer, name) != before
    outcome.expect(not changed, f"a page has set {name} to {value!r}"[:300])


# -- drawing -----------------------------------------------------------------------------------


def message(rng: Rng, session: Session) -> tuple[Any, list[Any]]:
    """Return a message and its buffers; about half are spoiled in one place."""
    situation = Situation.of(session)
    kind = "command" if rng.random() < 0.7 else pick(rng, tuple(schema.FROM_PAGE))
    content: dict[str, Any] = {"type": kind, "client": "page"}
    buffers: list[Any] = []
    if kind in ("command", "query"):
        table: Mapping[str, page_commands.CommandType | QueryType]
        table = page_commands.COMMANDS if kind == "command" else QUERIES
        called = table[pick(rng, tuple(table))]
        content |= {"request": int(rng.integers(1, 1000)), "name": called.name}
        content["arguments"] = _arguments(rng, called, situation)
        for _ in called.points:
            points = rng.choice(situation.n_samples, int(rng.integers(1, 5)), replace=False)
            buffers.append(points.astype("<u4").tobytes())
    for field in schema.FROM_PAGE[kind].fields:
        if field.name not in content:
            content[field.name] = legal(rng, field.type, situation)
    if rng.random() < 0.5:
        return _spoiled(rng, content, buffers)
    return content, buffers


#: Of these a value of a type is drawn, if the type accepts it.
VALUES: tuple[Any, ...] = (
    None, True, False, -1, 0, 1, 5, 0.5, "a", "page", "七", "#E69F00", [], [0], [3, 10**6], {},
)  # fmt: skip


def legal(rng: Rng, kind: Type, situation: Situation) -> Any:
    """Return a value that a type of the wire accepts: of text, often a name that there is."""
    if isinstance(kind, Enum):
        return pick(rng, kind.words)
    if isinstance(kind, Record):
        return {field.name: legal(rng, field.type, situation) for field in kind.fields}
    known = [name for name in situation.names if kind.accepts(name)]
    if known and rng.random() < 0.5:
        return pick(rng, known)
    return pick(rng, [value for value in VALUES if kind.accepts(value)])


def _arguments(
    rng: Rng, called: page_commands.CommandType | QueryType, situation: Situation
) -> dict[str, Any]:
    if isinstance(called, page_commands.CommandType) and called.parameters:
        live = situation.recipe.live_parameters
        names = [parameter.name for parameter in live] or ["none"]
        return {pick(rng, names): float(rng.uniform(0.1, 1.0))}
    arguments = {field.name: legal(rng, field.type, situation) for field in called.arguments}
    if "method" in arguments:
        arguments["method"] = pick(rng, tuple(situation.methods))
    return arguments


def _spoiled(rng: Rng, content: dict[str, Any], buffers: list[Any]) -> tuple[Any, list[Any]]:
    spoil: Callable[[Rng, dict[str, Any], list[Any]], tuple[Any, list[Any]]] = pick(rng, SPOILERS)
    return spoil(rng, copy.deepcopy(content), list(buffers))


def _no_object(rng: Rng, content: dict[str, Any], buffers: list[Any]) -> tuple[Any, list[Any]]:
    return pick(rng, [value for value in HOSTILE if not isinstance(value, dict)]), buffers


def _other_value(rng: Rng, content: dict[str, Any], buffers: list[Any]) -> tuple[Any, list[Any]]:
    content[pick(rng, [*content, "id", "extra"])] = pick(rng, HOSTILE)
    return content, buffers


def _missing(rng: Rng, content: dict[str, Any], buffers: list[Any]) -> tuple[Any, list[Any]]:
    del content[pick(rng, list(content))]
    return content, buffers


def _argument(rng: Rng, content: dict[str, Any], buffers: list[Any]) -> tuple[Any, list[Any]]:
    arguments = content.setdefault("arguments", {})
    arguments[pick(rng, [*arguments, "extra"])] = pick(rng, HOSTILE)
    return content, buffers


def _buffers(rng: Rng, content: dict[str, Any], buffers: list[Any]) -> tuple[Any, list[Any]]:
    return content, [pick(rng, BUFFERS) for _ in range(int(rng.integers(4)))]


SPOILERS = (_no_object, _other_value, _missing, _argument, _argument, _buffers)
