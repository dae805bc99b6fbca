"""What is learned from labels is learned in the background, and redone to the same bits."""

from __future__ import annotations

import gc
import threading
from typing import Any

import numpy as np
import pytest

import nbembed as nb
from nbembed.session import Session, load_session
from tests.session import fake
from tests.session import redone as replays
from tests.session.fake import Fake, Learning, rest
from tests.session.parts import cost_anew
from tests.waiting import GUARD, eventually, worker_begun_by

KINDS = (Fake, Learning)


def learned(session: Session) -> list[Any]:
    return [e for e in session.log if e.command == "learn"]


def fitting() -> bool:
    return any(thread.name == "nbembed background fit" for thread in threading.enumerate())


def redone(session: Session) -> None:
    """Check that replay, plain log and script come to the same bits."""
    replays.redone(session)
    log = [event.to_dict() for event in session.log]
    again = Session.replay(session.X, log, methods=KINDS, until=session.iteration)
    assert again.embedding.tobytes() == session.embedding.tobytes()


@pytest.fixture
def learning(start) -> Session:
    session = start(Learning(random_state=3, tol=0.0))
    session.step(5)
    rest(session)
    return session


def test_the_map_goes_on_while_labels_are_learned_from(learning):
    fake.fit_gate.clear()
    learning.play()
    learning.label([1, 2], "a")
    learning.label([7], "b")
    eventually(lambda: learning.learning)
    before = learning.iteration
    eventually(lambda: learning.iteration > before + 20)
    assert learning.learning == "learning the metric from 3 labels"
    assert not learned(learning)
    fake.fit_gate.set()
    eventually(lambda: learned(learning))
    event = learned(learning)[-1]
    assert event.iteration >= before
    eventually(lambda: not learning.learning)
    assert learned(learning)[-1].arguments["supervision"] == learning.supervision
    eventually(lambda: learning.iteration > learned(learning)[-1].iteration + 10)
    learning.pause()
    rest(learning)
    redone(learning)


def test_newer_labels_wait_and_the_last_is_never_lost(learning):
    fake.fit_gate.clear()
    learning.label([0], "a")
    learning.label([1], "b")
    eventually(lambda: fake.fits)
    first = dict(fake.fits[0])
    for i in range(2, 12):
        learning.label([i], "ab"[i % 2])
    eventually(lambda: learning.learning.endswith("from 12 labels"))
    assert len(fake.running) == 1
    fake.fit_gate.set()
    rest(learning)
    assert len(fake.fits) == 2
    assert fake.fits[0] == first
    assert fake.fits[-1] == {i: i % 2 for i in range(12)}
    assert learned(learning)[-1].arguments["supervision"] == learning.supervision
    learning.step(7)
    rest(learning)
    redone(learning)


def test_waiting_waits_for_what_is_learned(learning):
    learning.label([0, 1], "a")
    learning.label([2, 3], "b")
    rest(learning)
    assert len(learned(learning)) >= 1
    assert not learning.learning
    assert learning.cost == pytest.approx(cost_anew(learning), rel=1e-6)


def test_a_converged_map_wakes_when_something_was_learned(start):
    session = start(Learning(random_state=3))
    session.play()
    assert session.wait("converged", GUARD)
    before = session.embedding
    session.label([0, 1], "a")
    session.label([2, 3], "b")
    assert session.wait("converged", GUARD)
    assert learned(session)
    assert np.abs(session.embedding - before)[10:].max() > 0.05
    redone(session)


def test_what_cannot_be_learned_is_a_message_and_no_failure(learning):
    events: list[str] = []
    learning.subscribe(events.append)
    learning.label([0, 1], "a")
    rest(learning)
    assert "two classes" in str(learning.learning_error)
    assert learning.state == "paused"
    assert not learned(learning)
    assert "learning" in events
    count = len(fake.fits)
    learning.step(5)
    rest(learning)
    assert len(fake.fits) == count, "it is not tried again and again"
    learning.label([5], "b")
    rest(learning)
    assert learning.learning_error is None
    assert len(learned(learning)) == 1
    redone(learning)


def test_a_cold_start_learns_at_once_or_does_without(start):
    session = start(Learning(random_state=3))
    session.label([0], "a")
    session.step(3)
    rest(session)
    assert "two classes" in str(session.learning_error)
    assert session.iteration == 3
    session.label([1], "b")
    rest(session)
    session.reset()
    session.step(3)
    rest(session)
    assert session.learning_error is None
    assert session.cost == pytest.approx(cost_anew(session), rel=1e-6)
    redone(session)


def test_undoing_labels_while_they_are_learned(learning):
    fake.fit_gate.clear()
    learning.label([0], "a")
    learning.label([1], "b")
    eventually(lambda: learning.learning)
    learning.undo()
    learning.undo()
    assert learning.wait(timeout=GUARD), "nobody waits for what is not wanted any more"
    assert learning.learning == ""
    fake.fit_gate.set()
    eventually(lambda: not fitting())
    learning.step(3)
    rest(learning)
    assert not learned(learning)
    learning.redo()
    learning.redo()
    rest(learning)
    assert learned(learning)
    redone(learning)


def test_switching_away_and_back_while_it_learns(learning):
    fake.fit_gate.clear()
    learning.label([0], "a")
    learning.label([1], "b")
    eventually(lambda: learning.learning)
    learning.switch(Fake())
    learning.step(4)
    assert learning.wait(timeout=GUARD)
    learning.switch("Learning")
    learning.step(4)
    standing = learning.iteration
    eventually(lambda: learning.learning)
    assert learning.iteration == standing, "the map stands until the new method has learned"
    fake.fit_gate.set()
    rest(learning)
    assert learning.iteration == standing + 4
    assert learned(learning)[-1].iteration == standing
    redone(learning)


def test_reset_while_it_learns(learning):
    fake.fit_gate.clear()
    learning.label([0], "a")
    learning.label([1], "b")
    eventually(lambda: learning.learning)
    learning.reset()
    learning.step(2)
    fake.fit_gate.set()
    rest(learning)
    assert learning.iteration == 2
    assert learning.cost == pytest.approx(cost_anew(learning), rel=1e-6)
    redone(learning)


def test_closing_while_it_learns_loses_no_label(learning, tmp_path):
    fake.fit_gate.clear()
    learning.label([0], "a")
    learning.label([1], "b")
    eventually(lambda: learning.learning)
    learning.close()
    assert learning.wait(timeout=GUARD)
    learning.save(tmp_path / "x")
    fake.fit_gate.set()
    loaded = load_session(tmp_path / "x", methods=KINDS)
    assert loaded.supervision == learning.supervision
    assert loaded.embedding.tobytes() == learning.embedding.tobytes()
    loaded.step(1)
    rest(loaded)
    assert learned(loaded)
    redone(loaded)
    loaded.close()


def test_saving_while_it_learns_and_after(learning, tmp_path):
    fake.fit_gate.clear()
    learning.label([0], "a")
    learning.label([1], "b")
    eventually(lambda: learning.learning)
    learning.snapshot("now")
    learning.save(tmp_path / "x")
    fake.fit_gate.set()
    rest(learning)
    learning.step(3)
    learning.label([4], "b")
    learning.auto_learn = False
    learning.restore("now")
    learning.step(2)
    rest(learning)
    learning.save(tmp_path / "y")
    for name in "xy":
        loaded = load_session(tmp_path / name, methods=KINDS)
        loaded.step(3)
        rest(loaded)
        assert learned(loaded)[-1].arguments["supervision"] == loaded.supervision
        redone(loaded)
        loaded.close()


def test_asked_to_learn_it_learns_at_once(learning):
    learning.auto_learn = False
    learning.label([0], "a")
    learning.label([1], "b")
    learning.step(3)
    rest(learning)
    assert not learned(learning)
    learning.learn()
    rest(learning)
    assert len(learned(learning)) == 1
    learning.learn([0] * 3 + [1] * 27)
    learning.step(3)
    rest(learning)
    redone(learning)
    fewer = nb.Supervision(30).label([3], "a")
    learning.learn(fewer)
    rest(learning)
    assert "two classes" in str(learning.learning_error)
    learning.check()
    with pytest.raises(ValueError, match="30"):
        learning.learn(nb.Supervision(3))


def test_a_method_that_learns_nothing_says_so(start):
    with pytest.raises(ValueError, match="Fake does not learn from labels"):
        start().learn()


def test_links_and_names_are_nothing_to_learn_from(learning):
    learning.label([0], "a")
    learning.label([1], "b")
    rest(learning)
    count = len(fake.fits)
    learning.must_link([3, 4])
    learning.rename_class("a", "c")
    rest(learning)
    assert len(fake.fits) == count
    redone(learning)


def test_an_unreferenced_session_ends_while_it_learns(X):
    fake.fit_gate.clear()
    session = Session(X, Learning(random_state=0))
    worker = worker_begun_by(session.step, 1)
    session.label([0], "a")
    session.label([1], "b")
    eventually(lambda: fake.fits)
    del session
    gc.collect()
    worker.join(GUARD)
    assert not worker.is_alive()
    fake.fit_gate.set()
    eventually(lambda: not fitting())
