"""The machinery of random use: it sees the faults that it is there to see."""

from __future__ import annotations

import threading
import weakref
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from nbembed.kernels import threads
from nbembed.methods import HSSNE
from nbembed.session import Session
from nbembed.session.core.arguments import PARAMETERS
from nbembed.session.core.commands import COMMANDS
from nbembed.supervision import Supervision
from nbembed.widget.answers.query_source import QuerySource
from nbembed.widget.view.coloring import ColumnChoice
from nbembed.widget.wire import page_commands, schema
from nbembed.widget.wire.queries import QUERIES
from tests.reliability import drawing, epochs, messages
from tests.reliability.damage import _foreign_code
from tests.reliability.drawing import Situation
from tests.reliability.kills import _last_saved
from tests.reliability.messages import ForeignErrors, RecordedExplorer, check_message, legal
from tests.reliability.mutations import PAYLOAD, mutate
from tests.reliability.outcome import Outcome
from tests.reliability.resources import live_sessions
from tests.reliability.steering import REFUSALS, check_replays
from tests.session.fake import Fake

QUERY = {"type": "query", "client": "page", "request": 1, "asker": 0, "name": "find_columns",
         "arguments": {"use": "find", "text": ""}}  # fmt: skip


@pytest.fixture
def session():
    with Session(np.random.default_rng(0).normal(size=(20, 3)), HSSNE(random_state=0)) as session:
        yield session


def fake(outcome: Outcome) -> dict[str, Any]:
    return {"steering": lambda rng, folder: outcome}


def test_a_failure_names_its_seed(monkeypatch):
    monkeypatch.setattr(epochs, "SUBJECTS", fake(Outcome(Counter(commands=3))))
    found = epochs.run(range(7, 9), ("steering",))
    assert found.failures == []
    assert found.counts == Counter(epochs=2, commands=6)
    monkeypatch.setattr(epochs, "SUBJECTS", fake(Outcome(failures=["lost a label"])))
    assert epochs.run([7], ("steering",)).failures == ["seed 7, steering: lost a label"]


def test_what_a_subject_raises_is_a_failure_and_the_next_one_runs(monkeypatch):
    def broken(rng: Any, folder: Path) -> Outcome:
        raise OSError("disk full")

    monkeypatch.setattr(epochs, "SUBJECTS", {"kills": broken, **fake(Outcome(Counter(commands=1)))})
    outcome = epochs.run_epoch(1, ("kills", "steering"))
    assert outcome.counts["commands"] == 1
    (failure,) = outcome.failures
    assert failure.startswith("kills: kills raised")
    assert "disk full" in failure


def test_sessions_and_threads_left_behind_are_failures(monkeypatch, session):
    held: list[Session] = []

    def holds(rng: Any, folder: Path) -> Outcome:
        held.append(Session(session.X))
        return Outcome()

    monkeypatch.setattr(epochs, "SUBJECTS", {"steering": holds})
    assert epochs.run_epoch(1, ("steering",)).failures == ["1 closed sessions are still held"]
    monkeypatch.setattr(epochs, "threads_after", lambda before: ["nbembed session"])
    held.clear()
    failures = epochs.run_epoch(1, ()).failures
    assert failures == ["threads that do not end: nbembed session"]


def test_a_session_freed_meanwhile_hides_none_that_is_left_behind(monkeypatch, session):
    earlier, held = [Session(session.X)], []

    def holds(rng: Any, folder: Path) -> Outcome:
        earlier.clear()
        held.append(Session(session.X))
        return Outcome()

    monkeypatch.setattr(epochs, "SUBJECTS", {"steering": holds})
    assert epochs.run_epoch(1, ("steering",)).failures == ["1 closed sessions are still held"]


def test_the_pool_that_all_maps_share_is_no_thread_left_behind(monkeypatch):
    monkeypatch.setattr(threads, "_pool", None)

    def computes(rng: Any, folder: Path) -> Outcome:
        begun = threading.Barrier(2)  # so that the chunks are on two threads
        threads.run_chunks(lambda chunk: begun.wait(60.0), 2, 2)
        return Outcome()

    monkeypatch.setattr(epochs, "SUBJECTS", {"steering": computes})
    assert epochs.run_epoch(1, ("steering",)).failures == []
    threads._pool.shutdown()


def test_memory_is_compared_between_the_halves_of_a_long_run():
    assert epochs.grown([*([200] * 10), *([210] * 10)]) == 10
    assert epochs.grown(list(range(100, 1100, 50))) == 500
    assert epochs.grown([100, 900]) == 0, "too short to tell"
    assert epochs.grown([None] * 30) == 0


def test_the_same_seed_draws_the_same_commands(session):
    situation = Situation.of(session)

    def drawn() -> list[str]:
        rngs = [np.random.default_rng([3, i]) for i in range(50)]
        return [drawing.command(rng, situation)[0] for rng in rngs]

    assert drawn() == drawn()
    assert len(set(drawn())) > 10


def test_every_kind_of_argument_can_be_drawn(session):
    """A new kind of argument needs its function in ``drawing.LEGAL``."""
    kinds = {a.kind.name for entry in COMMANDS.values() for a in entry.arguments}
    assert kinds - {PARAMETERS.name} <= drawing.LEGAL.keys()


def test_commands_are_legal_and_illegal(session):
    session.play()
    refused = 0
    for i in range(60):
        name, arguments = drawing.command(np.random.default_rng([1, i]), Situation.of(session))
        try:
            session.give(name, arguments)
        except REFUSALS:
            refused += 1
    assert 10 < refused < 50


def test_another_map_than_the_log_leads_to_is_found(session, monkeypatch):
    session.step(3, wait=True)
    outcome = Outcome()
    check_replays(session, outcome)
    assert outcome.failures == []
    assert outcome.counts["replays identical"] == 2
    assert outcome.counts["scripts identical"] == 1
    embedding = type(session).embedding.fget

    def moved(each: Session) -> np.ndarray:
        return embedding(each) + np.float32(1e-6 * (each is session))

    monkeypatch.setattr(type(session), "embedding", property(moved))
    check_replays(session, outcome)
    assert "the log replays with other embedding" in outcome.failures[0]
    assert "the script does not lead" in outcome.failures[-1]


def test_a_message_without_its_reply_is_found(session):
    command = {"type": "command", "client": "page", "request": 3, "name": "play"}
    replies: list[dict[str, Any]] = []
    explorer: Any = SimpleNamespace(
        _msg_callbacks=SimpleNamespace(callbacks=[lambda *message: None]),
        take=lambda kind: replies if kind == "reply" else [],
    )
    outcome = Outcome()
    check_message(explorer, command, [], outcome)
    assert "got 0 replies" in outcome.failures[0]
    replies.append({"type": "reply", "client": "page", "request": 4, "ok": True, "error": None})
    check_message(explorer, command, [], outcome)
    assert "got the reply to 4" in outcome.failures[1]


def test_an_answer_that_is_no_json_is_found(session):
    answers: list[dict[str, Any]] = [{"name": "find", "fields": {"low": float("nan")}}]
    explorer: Any = SimpleNamespace(
        _msg_callbacks=SimpleNamespace(callbacks=[]),
        take=lambda kind: answers if kind == "answer" else [],
    )
    outcome = Outcome()
    check_message(explorer, {"type": "ack"}, [], outcome)
    assert "the answer to find" in outcome.failures[0]


def test_the_answer_to_the_last_message_is_checked(monkeypatch, tmp_path):
    looked = threading.Event()
    take = RecordedExplorer.take

    def first_take(self: Any, kind: str) -> Any:
        found = take(self, kind)
        looked.set()
        return found

    def late(self: Any, query: Any) -> Any:
        assert looked.wait(60.0)
        return {"type": "answer", "name": query.name, "fields": {"low": float("nan")}}, []

    X = np.random.default_rng(0).normal(size=(20, 3))
    monkeypatch.setattr(messages, "new_session", lambda rng: Session(X, Fake()))
    monkeypatch.setattr(messages, "message", lambda rng, session: (QUERY, []))
    monkeypatch.setattr(RecordedExplorer, "take", first_take)
    monkeypatch.setattr(QuerySource, "_answer", late)
    rng: Any = SimpleNamespace(random=lambda: 1.0)
    outcome = messages.send_messages(rng, tmp_path, messages=1)
    assert ["the answer to find_columns" in failure for failure in outcome.failures] == [True]


def test_legal_values_are_drawn_for_all_that_a_page_sends(session):
    rng = np.random.default_rng(0)
    sent = [*schema.FROM_PAGE.values()]
    called = [*page_commands.COMMANDS.values(), *QUERIES.values()]
    fields = [f for message in sent for f in message.fields]
    fields += [f for one in called for f in one.arguments]
    for f in fields:
        f.check(legal(rng, f.type, Situation.of(session)))


def test_an_error_of_a_query_that_is_no_refusal_is_found(monkeypatch, session):
    def answer(self, use, text):
        raise error

    def found() -> list[str]:
        outcome = Outcome()
        explorer, errors = RecordedExplorer(session=session), ForeignErrors(outcome)
        try:
            check_message(explorer, QUERY, [], outcome)
            assert explorer._queries.wait(60.0)
        finally:
            errors.close()
            explorer.close()
        return outcome.failures

    monkeypatch.setattr(ColumnChoice, "answer_columns", answer)
    error = KeyError("column")
    (failure,) = found()
    assert "KeyError('column')" in failure
    error = ValueError("column must be there")  # refused
    assert found() == []


def test_only_whole_lines_of_a_killed_process_count():
    assert _last_saved("0\n1\n2\n") == 2
    assert _last_saved("0\n1\n2") == 1
    assert _last_saved("") == -1


def test_code_of_a_file_is_told_from_its_text():
    assert _foreign_code(f"session.label([1], {PAYLOAD!r})") == ""
    assert _foreign_code('session.label([1], __import__("os"))') == "__import__"


def test_the_same_seed_does_the_same_damage(session, tmp_path):
    session.save(tmp_path / "x")
    original = (tmp_path / "x").read_bytes()
    for case in range(8):
        one, other = (mutate(np.random.default_rng([5, case]), original) for _ in range(2))
        assert one[0] == other[0]
        assert one[1] != original


def test_sessions_are_counted_among_weak_proxies_of_what_is_gone():
    gone = Supervision(3)
    proxy = weakref.proxy(gone)
    before = live_sessions()
    del gone
    assert live_sessions() == before
    del proxy
