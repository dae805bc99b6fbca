"""What is learned from labels is learned in the background, and redone to the same bits."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from typing import Any

import numpy as np
import pytest

import nbembed as nb
from nbembed.session import Session, load_session
from tests.session import fake
from tests.session.fake import GUARD, Fake, Pupil, rest

KINDS = (Fake, Pupil)


def learned(session: Session) -> list[Any]:
    return [e for e in session.log if e.command == "learned"]


def until(condition: Any) -> None:
    """Wait for something that another thread will do."""
    deadline = time.monotonic() + GUARD
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.002)


def redone(session: Session) -> None:
    """Check that replay, plain log and script come to the same bits."""
    session.check()
    bits = session.embedding.tobytes()
    assert session.replayed().embedding.tobytes() == bits
    log = [event.to_dict() for event in session.log]
    again = Session.replay(session.X, log, methods=KINDS, until=session.iteration)
    assert again.embedding.tobytes() == bits
    space = {"X": session.X}
    exec(compile(session.to_script(), "script", "exec"), space)
    assert space["embedding"].tobytes() == bits
    space["session"].close()


@pytest.fixture
def pupil(start) -> Session:
    session = start(Pupil(random_state=3, tol=0.0))
    session.step(5)
    rest(session)
    return session


def test_the_map_goes_on_while_labels_are_learned_from(pupil):
    fake.school.clear()
    pupil.play()
    pupil.label([1, 2], "a")
    pupil.label([7], "b")
    until(lambda: pupil.learning)
    before = pupil.iteration
    until(lambda: pupil.iteration > before + 20)
    assert pupil.learning == "learning the metric from 3 labels"
    assert not learned(pupil)
    fake.school.set()
    until(lambda: learned(pupil))
    event = learned(pupil)[-1]
    assert event.iteration >= before
    until(lambda: not pupil.learning)
    assert learned(pupil)[-1].arguments["supervision"] == pupil.supervision
    until(lambda: pupil.iteration > learned(pupil)[-1].iteration + 10)
    pupil.pause()
    rest(pupil)
    redone(pupil)


def test_newer_labels_wait_and_the_last_is_never_lost(pupil):
    fake.school.clear()
    pupil.label([0], "a")
    pupil.label([1], "b")
    until(lambda: fake.lessons)
    first = dict(fake.lessons[0])
    for i in range(2, 12):
        pupil.label([i], "ab"[i % 2])
    asked = pupil._live
    until(lambda: asked._asked is not None and asked._asked.supervision is pupil.supervision)
    assert len(fake.pupils) == 1
    fake.school.set()
    rest(pupil)
    assert len(fake.lessons) == 2
    assert fake.lessons[0] == first
    assert fake.lessons[-1] == {i: i % 2 for i in range(12)}
    assert learned(pupil)[-1].arguments["supervision"] == pupil.supervision
    pupil.step(7)
    rest(pupil)
    redone(pupil)


def test_waiting_waits_for_what_is_learned(pupil):
    pupil.label([0, 1], "a")
    pupil.label([2, 3], "b")
    rest(pupil)
    assert len(learned(pupil)) >= 1
    assert not pupil.learning
    targets = pupil._live.engine.objective.targets
    expected = pupil.method.make_affinities(pupil.X, pupil.supervision)[:, :2]
    assert np.array_equal(targets[10:], expected[10:])


def test_a_converged_map_wakes_when_something_was_learned(start):
    session = start(Pupil(random_state=3))
    session.play()
    assert session.wait("converged", GUARD)
    before = session.embedding
    session.label([0, 1], "a")
    session.label([2, 3], "b")
    assert session.wait("converged", GUARD)
    assert learned(session)
    assert np.abs(session.embedding - before)[10:].max() > 0.05
    redone(session)


def test_what_cannot_be_learned_is_a_message_and_no_failure(pupil):
    events: list[str] = []
    pupil.subscribe(events.append)
    pupil.label([0, 1], "a")
    rest(pupil)
    assert "two classes" in str(pupil.learning_error)
    assert pupil.state == "paused"
    assert not learned(pupil)
    assert "learning" in events
    count = len(fake.lessons)
    pupil.step(5)
    rest(pupil)
    assert len(fake.lessons) == count, "it is not tried again and again"
    pupil.label([5], "b")
    rest(pupil)
    assert pupil.learning_error is None
    assert len(learned(pupil)) == 1
    redone(pupil)


def test_a_cold_start_learns_at_once_or_does_without(start):
    session = start(Pupil(random_state=3))
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
    assert session._live.engine.place.taught == session.supervision
    redone(session)


def test_undoing_labels_while_they_are_learned(pupil):
    fake.school.clear()
    pupil.label([0], "a")
    pupil.label([1], "b")
    until(lambda: pupil.learning)
    pupil.undo()
    pupil.undo()
    assert pupil.wait(timeout=GUARD), "nobody waits for what is not wanted any more"
    assert pupil.learning == ""
    fake.school.set()
    until(lambda: not pupil._live._learner.busy)
    pupil.step(3)
    rest(pupil)
    assert not learned(pupil)
    pupil.redo()
    pupil.redo()
    rest(pupil)
    assert learned(pupil)
    redone(pupil)


def test_switching_away_and_back_while_it_learns(pupil):
    fake.school.clear()
    pupil.label([0], "a")
    pupil.label([1], "b")
    until(lambda: pupil.learning)
    pupil._live.learn(Fake)
    pupil.switch("Fake")
    pupil.step(4)
    assert pupil.wait(timeout=GUARD)
    pupil.switch("Pupil")
    pupil.step(4)
    standing = pupil.iteration
    until(lambda: pupil.learning)
    assert pupil.iteration == standing, "the map stands until the new method has learned"
    fake.school.set()
    rest(pupil)
    assert pupil.iteration == standing + 4
    assert learned(pupil)[-1].iteration == standing
    redone(pupil)


def test_reset_while_it_learns(pupil):
    fake.school.clear()
    pupil.label([0], "a")
    pupil.label([1], "b")
    until(lambda: pupil.learning)
    pupil.reset()
    pupil.step(2)
    fake.school.set()
    rest(pupil)
    assert pupil.iteration == 2
    assert pupil._live.engine.place.taught == pupil.supervision
    redone(pupil)


def test_closing_while_it_learns_loses_no_label(pupil, tmp_path):
    fake.school.clear()
    pupil.label([0], "a")
    pupil.label([1], "b")
    until(lambda: pupil.learning)
    pupil.close()
    assert pupil.wait(timeout=GUARD)
    pupil.save(tmp_path / "x")
    fake.school.set()
    loaded = load_session(tmp_path / "x", methods=KINDS)
    assert loaded.supervision == pupil.supervision
    assert loaded.embedding.tobytes() == pupil.embedding.tobytes()
    loaded.step(1)
    rest(loaded)
    assert learned(loaded)
    redone(loaded)
    loaded.close()


def test_saving_while_it_learns_and_after(pupil, tmp_path):
    fake.school.clear()
    pupil.label([0], "a")
    pupil.label([1], "b")
    until(lambda: pupil.learning)
    pupil.snapshot("now")
    pupil.save(tmp_path / "x")
    fake.school.set()
    rest(pupil)
    pupil.step(3)
    pupil.label([4], "b")
    pupil.auto_learn = False
    pupil.restore("now")
    pupil.step(2)
    rest(pupil)
    pupil.save(tmp_path / "y")
    for name in "xy":
        loaded = load_session(tmp_path / name, methods=KINDS)
        loaded.step(3)
        rest(loaded)
        assert learned(loaded)[-1].arguments["supervision"] == loaded.supervision
        redone(loaded)
        loaded.close()


def test_asked_to_learn_it_learns_at_once(pupil):
    pupil.auto_learn = False
    pupil.label([0], "a")
    pupil.label([1], "b")
    pupil.step(3)
    rest(pupil)
    assert not learned(pupil)
    pupil.learn()
    rest(pupil)
    assert len(learned(pupil)) == 1
    pupil.learn([0] * 3 + [1] * 27)
    pupil.step(3)
    rest(pupil)
    redone(pupil)
    fewer = nb.Supervision(30).label([3], "a")
    pupil.learn(fewer)
    rest(pupil)
    assert "two classes" in str(pupil.learning_error)
    pupil.check()
    with pytest.raises(ValueError, match="30"):
        pupil.learn(nb.Supervision(3))


def test_a_method_that_learns_nothing_says_so(start):
    with pytest.raises(ValueError, match="Fake learns nothing from labels"):
        start().learn()


def test_links_and_names_are_nothing_to_learn_from(pupil):
    pupil.label([0], "a")
    pupil.label([1], "b")
    rest(pupil)
    count = len(fake.lessons)
    pupil.must_link([3, 4])
    pupil.rename_class("a", "c")
    rest(pupil)
    assert len(fake.lessons) == count
    redone(pupil)


def test_an_unreferenced_session_ends_while_it_learns(X):
    fake.school.clear()
    session = Session(X, Pupil(random_state=0))
    session.step(1)
    session.label([0], "a")
    session.label([1], "b")
    until(lambda: fake.lessons)
    ref = weakref.ref(session._live)
    thread = session._live._worker._thread
    del session
    gc.collect()
    thread.join(GUARD)
    assert ref() is None
    fake.school.set()
    until(lambda: not any(t.name == "nbembed learner" for t in threading.enumerate()))
