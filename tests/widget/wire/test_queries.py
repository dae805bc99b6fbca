"""Queries: what a page asks without changing anything, from the wire to the answer."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from nbembed.session.live import threads
from nbembed.widget.answers.query_source import QuerySource
from nbembed.widget.wire import protocol, queries, typescript
from nbembed.widget.wire.query_types import QueryType
from nbembed.widget.wire.wire_types import COUNT, NUMBER, TEXT, Field, array
from tests.waiting import GUARD

FAR = QueryType(
    "far",
    "Points that are far away.",
    (Field("k", COUNT), Field("metric", TEXT, optional=True)),
    ("points",),
    (Field("mean", NUMBER),),
    (Field("found", array("<u4")),),
)


@pytest.fixture(autouse=True)
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queries, "QUERIES", {"far": FAR})


def asked(request: int = 1, asker: int = 0, client: str = "page", **arguments: Any) -> Any:
    content = {"type": "query", "client": client, "request": request, "asker": asker}
    points = np.array([3, 1, 3], "<u4").tobytes()
    return protocol.parse(
        {**content, "name": "far", "arguments": {"k": 2, **arguments}}, [points], n_samples=5
    )


def test_a_query_is_checked_against_its_type() -> None:
    message = asked(metric="cosine")
    assert isinstance(message, protocol.QueryMessage)
    assert message.arguments["k"] == 2
    assert message.arguments["metric"] == "cosine"
    assert message.arguments["points"].tolist() == [1, 3]
    with pytest.raises(protocol.ProtocolError, match="far: k must be a whole number from 1"):
        asked(k=0)
    with pytest.raises(protocol.ProtocolError, match="far: unknown argument 'more'"):
        asked(more=1)
    content = {"type": "query", "client": "page", "request": 1, "asker": 0, "name": "near"}
    with pytest.raises(protocol.ProtocolError, match="unknown query 'near'; allowed: far"):
        protocol.parse(content, [], n_samples=5)
    with pytest.raises(protocol.ProtocolError, match="far: points must come in one buffer, got 0"):
        protocol.parse({**content, "name": "far", "arguments": {"k": 1}}, [], n_samples=5)
    with pytest.raises(protocol.ProtocolError, match="asker is missing"):
        protocol.parse({k: v for k, v in content.items() if k != "asker"}, [], n_samples=5)


def test_the_page_knows_arguments_sets_and_answers() -> None:
    text = typescript.render()
    assert "  far: { k: number; metric?: string };" in text
    assert "  far: [points: Uint32Array];" in text
    assert "  far: { mean: number; found: Uint32Array };" in text
    assert '  far: [["found", "Uint32Array"]],' in text


class Page:
    """Keeps what is sent to it."""

    def __init__(self) -> None:
        self.messages: list[tuple[dict[str, Any], list[bytes]]] = []
        self._come = threading.Condition()

    def send(self, content: dict[str, Any], buffers: list[bytes] | None = None) -> None:
        with self._come:
            self.messages.append((content, buffers or []))
            self._come.notify_all()

    def wait(self, count: int) -> list[tuple[dict[str, Any], list[bytes]]]:
        with self._come:
            assert self._come.wait_for(lambda: len(self.messages) >= count, GUARD)
            return list(self.messages)


def found(points: Any, k: int, metric: str = "euclidean") -> tuple[dict[str, Any], list[bytes]]:
    return {"mean": float(points.mean()) * k}, [points.astype("<u4").tobytes()]


def test_an_answer_has_the_number_of_its_query() -> None:
    page = Page()
    QuerySource(page.send, {"far": found}).ask(asked(request=7))
    [(content, buffers)] = page.wait(1)
    assert content == {
        "type": "answer",
        "client": "page",
        "request": 7,
        "name": "far",
        "error": None,
        "fields": {"mean": 4.0},
    }
    assert np.frombuffer(buffers[0], "<u4").tolist() == [1, 3]


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (lambda **_: 1 / 0, "division by zero"),
        (lambda **_: ({"mean": 0.5}, []), "far: an answer has 1 buffers"),
        (lambda **_: ({"mean": "x"}, [b""]), "mean must be a finite number, got 'x'"),
        (lambda **_: ({}, [b""]), r"far: an answer has \['mean'\], got \[\]"),
    ],
)
def test_what_cannot_be_answered_is_said(answer: Any, error: str) -> None:
    page = Page()
    QuerySource(page.send, {"far": answer}).ask(asked())
    [(content, buffers)] = page.wait(1)
    assert content["fields"] == {}
    assert buffers == []
    with pytest.raises(ValueError, match=error):
        raise ValueError(content["error"])


def answering(page: Page) -> tuple[QuerySource, threading.Event]:
    """Return what is answering a first query, and the event that lets it go on."""
    begun, go = threading.Event(), threading.Event()

    def slow(**arguments: Any) -> tuple[dict[str, Any], list[bytes]]:
        begun.set()
        assert go.wait(GUARD)
        return found(**arguments)

    source = QuerySource(page.send, {"far": slow})
    source.ask(asked(request=1))
    assert begun.wait(GUARD)
    return source, go


def test_the_newest_query_of_an_asker_counts() -> None:
    page = Page()
    source, go = answering(page)
    source.ask(asked(request=2, asker=1))
    source.ask(asked(request=3))
    source.ask(asked(request=4))
    source.ask(asked(request=5, client="other"))
    source.forget("other")
    source.ask(asked(request=6, client="last"))
    assert not source.wait(0)
    go.set()
    assert source.wait(GUARD)
    assert [content["request"] for content, _ in page.wait(0)] == [1, 2, 4, 6]


def test_at_exit_what_waits_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    page, stops = Page(), []
    monkeypatch.setattr(threads, "end_at_exit", lambda thread, stop: stops.append(stop))
    source, go = answering(page)
    source.ask(asked(request=2, asker=1))
    [stop] = stops
    stop()
    go.set()
    assert source.wait(GUARD)
    assert [content["request"] for content, _ in page.wait(0)] == [1]
