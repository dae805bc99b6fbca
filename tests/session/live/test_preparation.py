"""What takes long is made in the background; commands, the old map and the bits do not mind."""

from __future__ import annotations

import gc
import threading
import warnings
import weakref
from collections.abc import Iterator

import numpy as np
import pytest

from nbembed.methods.initialization import pca_layout
from nbembed.session import Session, load_session
from nbembed.session.core.settings import Settings
from nbembed.session.live import suggester
from nbembed.session.live.executor import Executor
from nbembed.session.map.engine import Engine
from nbembed.supervision import Supervision
from tests.session import fake, slow
from tests.session import redone as replays
from tests.session.fake import Fake, rest
from tests.session.parts import with_controller
from tests.session.slow import Other, Slow, SlowClasses, SlowLearning, SlowStart
from tests.waiting import GUARD, eventually


@pytest.fixture(autouse=True)
def _clean() -> Iterator[None]:
    slow.clean()
    yield
    slow.clean()


@pytest.fixture
def moving(start) -> Session:
    """A map in motion that never rests, with the gate closed for what comes next."""
    session = start(Slow(random_state=3, tol=0.0))
    session.play()
    eventually(lambda: session.iteration > 20)
    slow.gate.clear()
    return session


def at_the_gate(session: Session) -> None:
    eventually(lambda: session.progress is not None and session.progress.done == slow.BEFORE)


def commands(session: Session) -> list[str]:
    return [event.command for event in session.log]


def threads() -> list[threading.Thread]:
    return [t for t in threading.enumerate() if t.name == "nbembed background fit"]


def redone(session: Session) -> None:
    """Check that replay and script come to the same bits."""
    slow.gate.set()
    replays.redone(session)


# -- a cold start -------------------------------------------------------------------------------


def test_a_start_takes_commands_and_says_how_far_it_is(start):
    slow.gate.clear()
    session = start(Slow(random_state=3))
    assert session.progress is None
    session.play()
    at_the_gate(session)
    assert session.state == "running"
    assert session.progress.share == slow.BEFORE / slow.ROWS
    assert str(session.progress).startswith("finding neighbors 40 %")
    assert session.progress.meanwhile == "The map begins then"
    session.label([1, 2], "a")
    session.set(weight=2.0)
    session.set(heat=0.5)
    session.undo()
    eventually(lambda: commands(session)[-1] == "undo")
    assert {event.iteration for event in session.log} == {0}
    assert not session.wait(timeout=0.01)
    slow.gate.set()
    assert session.wait("converged", timeout=GUARD)
    assert session.progress is None
    assert slow.begun == [1.0], "a label does not make it begin again"
    redone(session)


def test_the_bits_are_those_of_affinities_made_in_place(X, start):
    session = start(Slow(random_state=3))
    session.step(30, wait=True)
    engine = Engine(X, Settings.of(Slow(random_state=3), Supervision(30)))
    for _ in range(30):
        engine.advance()
    assert session.embedding.tobytes() == engine.layout.tobytes()


def test_principal_components_are_shown_meanwhile(X, start, monkeypatch):
    monkeypatch.setattr("nbembed.session.map.fit_request.SHOWN_FROM", 10)
    slow.gate.clear()
    session = start(Slow(random_state=3))
    heard: list[str] = []
    session.subscribe(heard.append)
    session.play()
    at_the_gate(session)
    eventually(lambda: session.frame().version)
    expected = pca_layout(session.X, 2, "euclidean", np.random.default_rng(3))
    assert np.array_equal(session.embedding, expected)
    assert session.iteration == 0
    assert np.isnan(session.cost)
    assert "frame" in heard
    slow.gate.set()
    eventually(lambda: session.iteration > 0)
    session.pause()
    rest(session)
    redone(session)


def test_a_map_does_not_need_its_first_layout(start, monkeypatch):
    monkeypatch.setattr("nbembed.session.map.fit_request.SHOWN_FROM", 10)

    def trouble(*_: object) -> None:
        raise ValueError("no components")

    monkeypatch.setattr(Slow, "first_layout", trouble)
    session = start(Slow(random_state=3))
    session.play()
    assert session.wait("converged", timeout=GUARD)


def test_only_the_newest_settings_are_made(start):
    slow.gate.clear()
    session = start(Slow(random_state=3))
    session.play()
    at_the_gate(session)
    for width in (2.0, 3.0, 4.0):
        session.set(width=width)
    eventually(lambda: slow.begun[-1] == 4.0)
    slow.gate.set()
    assert session.wait("converged", timeout=GUARD)
    assert slow.made == [4.0]


def test_a_start_that_takes_long_is_made_in_the_background_too(start):
    slow.gate.clear()
    session = start(SlowStart(random_state=3))
    session.play()
    at_the_gate(session)
    assert session.progress.stage == "laying out"
    session.label([4], "a")  # the start sees labels, so it is made again
    eventually(lambda: commands(session)[-1] == "label")
    slow.gate.set()
    assert session.wait("converged", timeout=GUARD)
    redone(session)


def test_a_start_is_canceled_and_resumed(start, tmp_path):
    slow.gate.clear()
    session = start(Slow(random_state=3))
    session.play()
    at_the_gate(session)
    session.label([1, 2], "a")
    assert session.cancel()
    rest(session)
    assert session.state == "paused"
    assert session.progress is None
    assert session.error is None
    eventually(lambda: not threads())
    session.label([3], "b")  # labels can be given, and begin nothing
    rest(session)
    assert slow.begun == [1.0]
    assert commands(session) == ["start", "play", "label", "pause", "label"]
    assert not session.cancel()
    session.save(tmp_path / "canceled.nbe")
    with load_session(tmp_path / "canceled.nbe", methods=slow.KINDS) as opened:
        assert opened.state == "paused"
        assert opened.supervision == session.supervision
    slow.gate.set()
    session.play()
    assert session.wait("converged", timeout=GUARD)
    assert slow.made == [1.0]
    redone(session)


def test_a_cancel_is_told_though_the_map_does_not_run(start):
    slow.gate.clear()
    session = start(Slow(random_state=3))
    session.play()
    at_the_gate(session)
    session.pause()
    eventually(lambda: commands(session)[-1] == "pause" and session.progress is not None)
    heard: list[str] = []
    session.subscribe(heard.append)
    assert session.cancel()
    eventually(lambda: "progress" in heard)
    assert session.progress is None


def test_steps_of_a_start_that_is_canceled_are_dropped(start):
    slow.gate.clear()
    session = start(Slow(random_state=3))
    session.step(5)
    at_the_gate(session)
    session.cancel()
    rest(session)
    assert session.state == "paused"
    slow.gate.set()
    session.step(3, wait=True)
    assert session.iteration == 3
    redone(session)


def test_a_change_after_a_cancel_is_made(start, tmp_path):
    session = start(Slow(random_state=3))
    session.step(5, wait=True)
    session.save(tmp_path / "paused.nbe")
    slow.gate.clear()
    with load_session(tmp_path / "paused.nbe", methods=slow.KINDS) as opened:
        opened.label([1, 2], "a")
        at_the_gate(opened)
        assert opened.cancel()
        rest(opened)
        opened.set(width=2.0)
        opened.label([3], "a")
        at_the_gate(opened)
        assert not opened.wait(timeout=0.01)
        slow.gate.set()
        rest(opened)
        assert commands(opened)[-3:] == ["label", "set", "label"]
        redone(opened)


def test_what_moves_a_converged_map_after_a_cancel_is_made(start, tmp_path):
    session = start(Slow(random_state=3))
    session.play()
    assert session.wait("converged", timeout=GUARD)
    session.save(tmp_path / "converged.nbe")
    slow.gate.clear()
    with load_session(tmp_path / "converged.nbe", methods=slow.KINDS) as opened:
        opened.snapshot("here")
        at_the_gate(opened)
        assert opened.cancel()
        rest(opened)
        assert opened.state == "converged"
        opened.label([1, 2], "a")
        assert opened.state == "running"
        at_the_gate(opened)
        slow.gate.set()
        assert opened.wait("converged", timeout=GUARD)
        assert slow.made == [1.0, 1.0]
        redone(opened)


def test_a_label_that_waits_for_what_was_canceled_has_not_taken_effect(start):
    session = start(SlowClasses(random_state=3, tol=0.0))
    session.play()
    eventually(lambda: session.iteration > 5)
    slow.gate.clear()
    session.label([1, 2], "a")
    at_the_gate(session)
    assert session.cancel()
    assert not session.wait(timeout=GUARD)
    assert session.state == "paused"
    assert session.wait("paused", timeout=GUARD)
    assert "label" not in commands(session)
    slow.gate.set()
    session.play()
    eventually(lambda: "play" in commands(session)[2:])
    assert commands(session)[2:] == ["label", "pause", "play"]
    session.pause()
    rest(session)
    redone(session)


@pytest.mark.parametrize("error", [ValueError("no neighbors"), SystemExit(3)])
def test_an_error_stops_the_map_as_ever(start, error):
    slow.trouble.append(error)
    session = start(Slow(random_state=3))
    session.play()
    assert not session.wait("converged", timeout=GUARD)
    assert session.state == "failed"
    assert str(error) in str(session.error)
    slow.trouble.clear()
    session.reset()
    session.play()
    assert session.wait("converged", timeout=GUARD)


def test_a_thread_that_cannot_start_is_an_error(X, monkeypatch):
    begin = threading.Thread.start

    def refuse(thread: threading.Thread) -> None:
        if thread.name == "nbembed background fit":
            raise RuntimeError("can't start new thread")
        begin(thread)

    session, controller = with_controller(X, Slow(random_state=3))
    session.label([1], "a")
    rest(session)
    # It sleeps, and nothing else will wake it.
    eventually(controller._worker._tokens.empty)
    monkeypatch.setattr(threading.Thread, "start", refuse)
    session.play()
    eventually(lambda: session.state == "failed")
    assert "can't start new thread" in str(session.error)
    session.close()


def test_a_warning_is_a_remark(start):
    slow.trouble.append("3 of 30 points coincide")
    session = start(Slow(random_state=3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        session.play()
        assert session.wait("converged", timeout=GUARD)
    assert session.remark == "3 of 30 points coincide"
    slow.trouble.clear()
    session.set(width=2.0)
    rest(session)
    assert session.remark == ""


def test_closing_does_not_wait_for_affinities(start):
    slow.gate.clear()
    session = start(Slow(random_state=3))
    session.play()
    at_the_gate(session)
    session.close()
    eventually(lambda: not threads())
    assert session.progress is None
    assert slow.made == []


def test_affinities_for_a_session_that_nobody_has_are_given_up(X):
    slow.gate.clear()
    session = Session(X.copy(), Slow(random_state=3))
    session.play()
    at_the_gate(session)
    data = weakref.ref(session.X)
    del session

    def gone() -> bool:
        gc.collect()
        return data() is None and not threads()

    eventually(gone)


# -- a change of a map in motion ------------------------------------------------------------------


def test_the_old_map_goes_on_until_the_new_affinities_are_there(moving):
    heard: list[str] = []
    moving.subscribe(heard.append)
    moving.set(width=2.0)
    at_the_gate(moving)
    assert "progress" in heard
    assert moving.progress.meanwhile == "The map goes on as it was until then"
    before = moving.iteration
    moving.label([1, 2], "a")
    moving.set(weight=3.0)
    eventually(lambda: moving.iteration > before + 20)
    assert commands(moving) == ["start", "play"]
    assert moving.parameters["width"] == 2.0
    assert moving.parameters["weight"] == 3.0
    assert moving.supervision.labeled.tolist() == [1, 2]
    assert heard.count("waiting") >= 2, "who shows labels must hear of them"
    assert "state" not in heard, "it would tell pages that what waits is in force"
    slow.gate.set()
    eventually(lambda: commands(moving)[2:] == ["set", "label", "set"])
    at = {event.iteration for event in moving.log[2:]}
    assert len(at) == 1
    assert at.pop() > before + 20
    moving.pause()
    rest(moving)
    redone(moving)


def test_a_switch_waits_as_well(moving):
    moving.switch(Other(random_state=3, tol=0.0))
    at_the_gate(moving)
    before = moving.iteration
    eventually(lambda: moving.iteration > before + 20)
    assert moving.method_name == "Other"
    slow.gate.set()
    eventually(lambda: "switch" in commands(moving))
    moving.pause()
    rest(moving)
    redone(moving)


def test_a_change_that_is_taken_back_before_it_was_made_costs_nothing(moving):
    moving.set(width=2.0)
    at_the_gate(moving)
    moving.undo()
    eventually(lambda: commands(moving)[2:] == ["set", "undo"])
    eventually(lambda: moving.progress is None)
    assert slow.made == [1.0]
    moving.pause()
    rest(moving)
    redone(moving)


@pytest.mark.parametrize("kind", ["set", "switch"])
def test_a_change_is_canceled_and_labels_stay(moving, kind, tmp_path):
    if kind == "set":
        moving.set(width=2.0)
    else:
        moving.switch(Other(random_state=3, tol=0.0))
    at_the_gate(moving)
    moving.label([1, 2], "a")
    moving.label([5], "b")
    moving.undo()
    moving.snapshot("kept")
    assert moving.cancel()
    assert moving.method_name == "Slow"
    assert moving.parameters["width"] == 1.0
    eventually(lambda: commands(moving)[2:] == ["label", "label", "undo", "snapshot"])
    assert moving.state == "running"
    assert moving.supervision.labeled.tolist() == [1, 2]
    assert moving.undo_text == "label 2 points as a"
    assert moving.can_redo
    before = moving.iteration
    eventually(lambda: moving.iteration > before + 5)
    assert moving.progress is None
    assert slow.made == [1.0]
    moving.pause()
    rest(moving)
    redone(moving)
    moving.save(tmp_path / "s.nbe")
    with load_session(tmp_path / "s.nbe", methods=slow.KINDS) as opened:
        assert opened.embedding.tobytes() == moving.embedding.tobytes()


def test_suggestions_are_those_of_the_metric_that_a_cancel_leaves(moving, monkeypatch):
    metrics: list[str] = []
    made = suggester.neighbor_affinities

    def noted(X: np.ndarray, metric: str) -> object:
        metrics.append(metric)
        return made(X, metric=metric)

    monkeypatch.setattr(suggester, "neighbor_affinities", noted)
    moving.label([1, 2], "a")
    moving.label([5], "b")
    moving.suggest()
    moving.set(metric="cosine")
    at_the_gate(moving)
    eventually(lambda: metrics == ["euclidean", "cosine"] and not moving.suggesting)
    moving.cancel()
    eventually(lambda: metrics[2:] == ["euclidean"] and not moving.suggesting)


def test_what_is_not_possible_without_a_canceled_change_goes_with_it(moving):
    moving.switch(Other(random_state=3, tol=0.0))
    at_the_gate(moving)
    moving.undo()  # of the switch
    moving.label([7], "a")
    moving.cancel()
    eventually(lambda: commands(moving)[2:] == ["label"])
    assert moving.supervision.labeled.tolist() == [7]
    moving.pause()
    rest(moving)
    redone(moving)


def test_a_map_at_rest_is_at_rest_again_when_its_change_is_canceled(start):
    session = start(Slow(random_state=3))
    session.play()
    assert session.wait("converged", timeout=GUARD)
    at = session.iteration
    slow.gate.clear()
    session.set(width=2.0)
    at_the_gate(session)
    assert session.state == "running"
    session.cancel()
    rest(session)
    assert session.state == "converged"
    assert session.iteration == at
    session.check()


def test_a_pause_behind_a_change_stops_the_map_at_once(moving):
    heard: list[str] = []
    moving.subscribe(heard.append)
    moving.set(width=2.0)
    at_the_gate(moving)
    moving.pause()
    assert moving.state == "paused"
    eventually(lambda: heard.count("waiting") == 2)
    seen = moving.iteration
    assert not moving.wait(timeout=0.05)
    assert moving.iteration <= seen + 1
    slow.gate.set()
    rest(moving)
    assert commands(moving)[2:] == ["set", "pause"]
    redone(moving)


def test_steps_wait_for_the_change_before_them(moving):
    moving.set(width=2.0)
    at_the_gate(moving)
    moving.step(7)
    slow.gate.set()
    rest(moving)
    assert moving.state == "paused"
    log = moving.log
    assert [event.command for event in log[2:]] == ["set", "step", "rest"]
    assert log[-1].iteration == log[2].iteration + 7
    redone(moving)


def test_a_session_is_saved_while_a_change_waits(moving, tmp_path):
    moving.set(width=2.0)
    at_the_gate(moving)
    moving.label([1, 2], "a")
    moving.pause()
    moving.save(tmp_path / "waiting.nbe")
    slow.gate.set()
    with load_session(tmp_path / "waiting.nbe", methods=slow.KINDS) as opened:
        assert opened.parameters["width"] == 2.0
        assert opened.supervision.labeled.tolist() == [1, 2]
        opened.step(5, wait=True)
        redone(opened)


@pytest.mark.parametrize("kind", ["set", "switch"])
def test_closing_leaves_a_change_that_waits_to_the_file(moving, kind, tmp_path):
    if kind == "set":
        moving.set(width=2.0)
    else:
        moving.switch(Other(random_state=3, tol=0.0, width=2.0))
    at_the_gate(moving)
    moving.label([1, 2], "a")
    moving.step(5)
    moving.close()
    eventually(lambda: not threads())
    assert slow.begun == [1.0, 2.0], "nothing is made in the worker"
    assert commands(moving) == ["start", "play"]
    moving.save(tmp_path / "closed.nbe")
    slow.gate.set()
    with load_session(tmp_path / "closed.nbe", methods=slow.KINDS) as opened:
        assert opened.parameters["width"] == 2.0
        assert opened.supervision.labeled.tolist() == [1, 2]
        assert opened.state == "paused"
        rest(opened)
        assert commands(opened)[-2:] == [kind, "label"]
        assert opened.iteration == moving.iteration, "closing drops steps"
        redone(opened)


class Held(threading.Event):
    """Holds an evaluation, and says that it does."""

    def __init__(self) -> None:
        super().__init__()
        self.reached = threading.Event()

    def wait(self, timeout: float | None = None) -> bool:
        self.reached.set()
        return super().wait(timeout)


@pytest.mark.parametrize("looked_at", [True, False])
def test_a_change_that_waits_is_in_no_script_while_the_worker_is_busy(
    moving, looked_at, monkeypatch
):
    if looked_at:
        moving.set(width=2.0)
        at_the_gate(moving)
    held = Held()
    with monkeypatch.context() as patch:
        patch.setattr(fake, "gate", held)
        assert held.reached.wait(GUARD)
        if not looked_at:
            moving.set(width=2.0)
        moving.label([1, 2], "a")
        told = moving.to_script()
        held.set()
    assert "width=2.0" not in told
    assert "label" not in told
    moving.pause()
    slow.gate.set()
    rest(moving)
    redone(moving)


# -- learning -------------------------------------------------------------------------------------


def test_learning_is_canceled_and_begins_again_with_the_next_label(start):
    session = start(SlowLearning(random_state=3, tol=0.0))
    session.step(5, wait=True)
    slow.gate.clear()
    session.play()
    session.label([1, 2], "a")
    session.label([7], "b")
    eventually(lambda: session.learning == "learning the metric from 3 labels")
    assert session.cancel()
    eventually(lambda: not session.learning)
    assert "was canceled" in str(session.learning_error)
    assert session.state == "running"
    slow.gate.set()
    session.label([8], "b")
    eventually(lambda: "learn" in commands(session))
    assert session.learning_error is None
    session.pause()
    rest(session)
    redone(session)


def test_learning_is_canceled_and_a_change_that_waits_stays(start):
    session = start(SlowLearning(random_state=3, tol=0.0))
    session.step(5, wait=True)
    slow.gate.clear()
    session.play()
    session.label([1, 2], "a")
    session.label([7], "b")
    eventually(lambda: session.learning)
    session.switch(Other(random_state=3, tol=0.0))
    eventually(lambda: session.progress)
    assert session.cancel("learning")
    eventually(lambda: not session.learning)
    assert session.progress is not None
    assert not session.cancel("learning")
    slow.gate.set()
    eventually(lambda: "switch" in commands(session))
    assert not session.cancel("making")


def test_closing_gives_up_what_is_being_learned(start):
    session = start(SlowLearning(random_state=3, tol=0.0))
    session.step(5, wait=True)
    slow.gate.clear()
    session.label([1, 2], "a")
    session.label([7], "b")
    eventually(lambda: session.learning)
    session.close()
    eventually(lambda: not threads())
    assert not session.learning


def test_nothing_is_learned_for_a_session_without_a_worker(start, monkeypatch):
    session = start(SlowLearning(random_state=3, tol=0.0))
    session.step(5, wait=True)
    slow.gate.clear()
    session.label([1, 2], "a")
    eventually(lambda: session.learning)

    def broken(self):
        raise RuntimeError("a fault of the executor itself")

    monkeypatch.setattr(Executor, "turn", broken)
    session.step(1)
    eventually(lambda: session.state == "failed")
    eventually(lambda: not threads())
    assert not session.learning


def test_labels_that_are_taken_back_are_not_learned_from(start):
    session = start(SlowLearning(random_state=3, tol=0.0))
    session.step(5, wait=True)
    slow.gate.clear()
    session.label([1, 2], "a")
    eventually(lambda: session.learning)
    session.undo()
    eventually(lambda: not threads())
    assert not session.learning
    slow.gate.set()
    session.redo()
    session.label([7], "b")
    eventually(lambda: "learn" in commands(session))
    rest(session)
    redone(session)


def test_what_is_canceled_is_named(start):
    session = start(Fake(random_state=3))
    with pytest.raises(ValueError, match=r"what must be one of .*making.*, got 'all'"):
        session.cancel("all")


def test_nothing_is_canceled_where_nothing_is_made(start):
    session = start(Fake(random_state=3))
    assert session.cancel() is False
    session.step(3, wait=True)
    assert session.cancel() is False
    assert session.state == "paused"
    session.close()
    assert session.cancel() is False
