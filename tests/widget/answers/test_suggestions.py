"""Suggestions on the wire: to pages that show them, exactly as the session has them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from nbembed.propagation import Suggestions
from nbembed.session.live.progress import Progress
from nbembed.supervision import Supervision
from nbembed.widget import Explorer
from nbembed.widget.answers.suggestion_source import DOUBTFUL, NO_CLASS, buffers, sureness
from nbembed.widget.wire import schema
from tests.waiting import eventually
from tests.widget.fake_session import FakeSession
from tests.widget.test_explorer import Page


def suggestions(rows: Any, classes: tuple[str, ...] = ("a", "b"), **given: Any) -> Suggestions:
    P = np.array(rows, dtype=float)
    n = len(P)
    labeled, reached = np.zeros(n, bool), np.ones(n, bool)
    parts = {"labeled": labeled, "reached": reached, **given}
    prior = np.full(len(classes), 1 / len(classes))
    return Suggestions(P, classes, prior, piece_size=np.ones(n, int), reach=np.ones(n), **parts)


@pytest.fixture
def session() -> FakeSession:
    session = FakeSession(6)
    session.supervision = session.supervision.label([0], "a").label([1], "b")
    labeled = np.array([True, True, False, False, False, False])
    rows = [[1, 0], [0, 1], [0.9, 0.1], [0.45, 0.55], [0.2, 0.8], [0.5, 0.5]]
    session.suggestions = suggestions(rows, labeled=labeled, reached=np.arange(6) < 5)
    return session


@pytest.fixture
def page(session: FakeSession) -> Iterator[Page]:
    explorer = Explorer(session=session)  # type: ignore[arg-type]
    yield Page(explorer)
    explorer.close()


def told(page: Page) -> list[tuple[dict[str, Any], list[bytes]]]:
    return [(m, b) for m, b in page.messages if m["type"] == "suggestions"]


def decoded(sent: list[bytes]) -> list[list[int]]:
    types = [field.type.dtype for field in schema.SUGGESTIONS.buffers]
    return [np.frombuffer(b, t).tolist() for b, t in zip(sent, types)]


def test_only_a_page_that_shows_them_is_told(page: Page, session: FakeSession) -> None:
    page.say("hello")
    session.tell("suggestions")
    eventually(lambda: not page.explorer._sender._events)
    assert told(page) == []
    page.say("suggesting", shown=True)
    eventually(lambda: told(page))
    content, sent = told(page)[-1]
    nothing = {"error": "", "making": "", "share": None, "check": None}
    assert content == {"type": "suggestions", "state": "ready", **nothing}
    codes, sure, doubtful, second, suspicious, instead, foretold, rightly = decoded(sent)
    assert codes[:5] == [0, 1, 0, 1, 1]
    assert sure[5] == 0, "no label reaches it"
    assert doubtful == [5, 3, 4, 2]
    assert second[1:] == [0, 0, 1]
    assert suspicious == instead == foretold == rightly == []
    session.tell("suggestions")
    eventually(lambda: len(told(page)) == 2)
    page.say("suggesting", shown=False)
    session.tell("suggestions")
    eventually(lambda: not page.explorer._sender._events)
    assert len(told(page)) == 2


def test_a_page_that_has_gone_is_told_no_more(page: Page, session: FakeSession) -> None:
    page.say("suggesting", shown=True)
    eventually(lambda: told(page))
    page.say("bye")
    before = len(told(page))
    session.tell("suggestions")
    eventually(lambda: not page.explorer._sender._events)
    assert len(told(page)) == before


def test_why_there_are_none(page: Page, session: FakeSession) -> None:
    session.suggestions, session.suggesting = None, True
    page.say("suggesting", shown=True)
    eventually(lambda: told(page) and told(page)[-1][0]["state"] == "making")
    session.suggestions_error = ArithmeticError("no \ud800 graph")
    session.suggesting = False
    session.tell("suggestions")
    eventually(lambda: told(page)[-1][0]["state"] == "failed")
    assert "graph" in told(page)[-1][0]["error"]
    assert told(page)[-1][1] == []
    session.suggestions_error = None
    session.tell("suggestions")
    eventually(lambda: told(page)[-1][0]["state"] == "none")


def test_what_takes_long_is_told_and_can_be_canceled(page: Page, session: FakeSession) -> None:
    found, session.suggestions, session.suggesting = session.suggestions, None, True
    session.suggestions_progress = Progress("finding neighbors", 2, 8)
    page.say("suggesting", shown=True)
    eventually(lambda: told(page))
    content = told(page)[-1][0]
    assert (content["state"], content["share"]) == ("making", 0.25)
    assert content["making"].startswith("finding neighbors 25 %")
    page.command("cancel", what="suggestions")
    eventually(lambda: told(page)[-1][0]["state"] == "failed")
    content = told(page)[-1][0]
    assert content["error"].startswith("Canceled")
    assert content["making"] == ""
    count = len(told(page))
    session.tell("suggestions")
    eventually(lambda: not page.explorer._sender._events)
    assert len(told(page)) == count, "nothing begins anew by itself"
    session.suggestions = found
    page.say("suggesting", shown=True)
    eventually(lambda: told(page)[-1][0]["state"] == "ready")


def test_canceling_what_is_there_takes_nothing_away(page: Page, session: FakeSession) -> None:
    page.say("suggesting", shown=True)
    eventually(lambda: told(page))
    page.command("cancel", what="suggestions")
    session.tell("suggestions")
    eventually(lambda: len(told(page)) > 1)
    assert told(page)[-1][0]["state"] == "ready"


def test_a_page_counts_what_is_accepted() -> None:
    rng = np.random.default_rng(0)
    sure = np.r_[np.arange(50, 101) / 100, np.nextafter(0.9, 0), rng.uniform(0.5, 1, 200)]
    found = suggestions(np.c_[sure, 1 - sure], reached=rng.random(sure.size) < 0.9)
    codes = sureness(found)
    for percent in range(1, 101):
        threshold = percent / 100
        here = np.flatnonzero(codes >= 1 + round(schema.SURENESS_STEPS * threshold))
        assert np.array_equal(here, found.above(threshold))


def test_suspicious_labels_are_sent_with_what_the_others_say() -> None:
    given = {"labeled": np.array([True, True, True, False])}
    said = {
        "suspicion": np.array([0.2, 0.0, 0.7, 0.0]),
        "left_out_class": np.array([1, 0, 0, -1]),
        "left_out_confidence": np.array([0.6, 1.0, 0.85, 0.0]),
    }
    rows = np.array([[1.0, 0], [1, 0], [0, 1], [0.5, 0.5]])
    found = suggestions(rows, **given, **said)
    *_, suspicious, instead, foretold, rightly = decoded(buffers(found, Supervision(4)))
    assert (suspicious, instead) == ([2, 0], [0, 1])
    assert foretold == [121, 201, 171]
    assert rightly == [0, 1, 0]


def test_no_class_is_suggested_to_what_is_of_none() -> None:
    none = np.array([False, True, False])
    found = suggestions(np.tile([0.9, 0.1], (3, 1)), none_of_these=none)
    assert sureness(found).tolist() == [181, 0, 181]
    assert found.above(0.5).tolist() == [0, 2]


def test_one_class_and_many_points_fit() -> None:
    found = suggestions(np.ones((500, 1)), ("a",))
    _, sure, doubtful, second, *_ = decoded(buffers(found, Supervision(500)))
    assert set(sure) == {schema.SURENESS_STEPS + 1}
    assert len(doubtful) == len(second) == DOUBTFUL
    assert set(second) == {NO_CLASS}


def test_a_page_accepts(page: Page, session: FakeSession) -> None:
    assert page.command("accept", confidence=0.8)["ok"]
    assert session.given[-1] == ("accept", {"confidence": 0.8})
    assert session.supervision.labeled.tolist() == [0, 1, 2, 4]


@pytest.mark.parametrize(
    ("given", "message"),
    [("accept", {"confidence": 0.9}), ("check_suggestions", {"size": 3, "confidence": 0.9})],
)
def test_a_page_never_waits_for_the_graph(
    page: Page, session: FakeSession, given: str, message: dict[str, Any]
) -> None:
    session.suggestions, session.suggesting = None, True
    assert page.command(given, **message)["error"] == "the suggestions are still being computed"
    session.suggestions_error, session.suggesting = ArithmeticError("none"), False
    assert page.command(given, **message)["error"] == "suggestions cannot be computed: none"
    session.suggestions_error = None
    assert "label some points first" in page.command(given, **message)["error"]
    assert session.given == []


def test_a_check_is_told_without_what_was_suggested(page: Page, session: FakeSession) -> None:
    page.say("suggesting", shown=True)
    assert page.command("check_suggestions", size=4, confidence=0.7)["ok"]
    assert session.given[-1] == ("check_suggestions", {"size": 4, "confidence": 0.7})
    eventually(lambda: told(page) and told(page)[-1][0]["check"])
    check = told(page)[-1][0]["check"]
    assert check["points"] == [0, 1, 2, 3]
    assert check["answers"] == [-1] * 4
    assert check["confidence"] == 0.7
    assert (check["answered"], check["accuracy"], check["low"], check["high"]) == (0, None, 0, 1)
    assert check.keys() == {field.name for field in schema.SuggestionCheck.fields}
    assert page.command("end_check")["ok"]
    eventually(lambda: told(page)[-1][0]["check"] is None)


def test_suggestions_do_not_count_as_the_effect_of_a_command(
    page: Page, session: FakeSession
) -> None:
    dispatcher = page.explorer._dispatcher
    dispatcher._given["page"] = 7
    session.tell("suggestions", "frame")
    assert dispatcher.applied == {}
    session.tell("supervision", "frame")
    assert dispatcher.applied == {"page": 7}


def test_an_explorer_can_be_colored_by_suggestion(page: Page) -> None:
    assert page.command("color_by", mode="suggestion")["ok"]
    assert page.explorer.color_by == "suggestion"
