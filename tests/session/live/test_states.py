"""States, motion and what commands do to them."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from nbembed.run import WINDOW
from nbembed.session import Session
from nbembed.session.live.executor import Executor
from tests.session import fake
from tests.session.fake import Fake, rest
from tests.waiting import GUARD, workers


def test_nothing_runs_before_play(start):
    before = workers()
    session = start()
    assert session.state == "idle"
    assert session.frame().version == 0
    assert not session.embedding.any()
    assert workers() <= before
    assert not fake.calls["affinities"]


def test_labels_of_an_idle_session_are_only_stored(start):
    session = start()
    session.label([1, 2], "a")
    rest(session)
    assert session.state == "idle"
    assert session.supervision.labeled.tolist() == [1, 2]
    assert not fake.calls["affinities"]


def test_play_runs_to_convergence_and_rests(start):
    session = start()
    session.play()
    assert session.state in ("running", "converged")
    assert session.wait("converged", GUARD)
    frame = session.frame()
    assert frame.state == "converged"
    assert frame.iteration == session.iteration == len(session.trace) > 20
    assert frame.cost == pytest.approx(0.0, abs=1e-4)
    assert 0 <= frame.quality <= 1
    assert frame.embedding.dtype == np.float32
    done = session.iteration
    assert session.wait(timeout=GUARD)
    assert session.iteration == done


def test_play_on_a_converged_map_runs_on_and_rests_again(start):
    session = start()
    session.play()
    assert session.wait("converged", GUARD)
    done = session.iteration
    session.play()
    assert session.wait("converged", GUARD)
    assert session.iteration == done + WINDOW


def test_step_does_so_many_iterations_and_later_commands_wait_for_them(start):
    session = start()
    session.step(7)
    session.set(weight=2.0)
    session.step(np.int64(3))
    assert session.state == "running"
    rest(session)
    assert session.state == "paused"
    assert session.iteration == 10
    events = [(e.iteration, e.command) for e in session.log]
    assert events == [(0, "start"), (0, "step"), (7, "set"), (7, "step"), (10, "rest")]


def test_step_can_wait(start):
    session = start(Fake(heat=0.5, random_state=3))
    session.step(7, wait=True)
    assert session.iteration == 7
    assert session.state == "paused"
    fake.trouble.append(ArithmeticError("no"))
    with pytest.raises(RuntimeError, match="failed at iteration 7"):
        session.step(wait=True)
    with pytest.raises(TypeError, match="wait must be"):
        session.step(1, wait="yes")


def test_pause_drops_the_steps_that_are_left(start):
    session = start()
    fake.gate.clear()
    session.step(1_000_000)
    session.step(5)
    session.pause()
    fake.gate.set()
    assert session.wait("paused", GUARD)
    assert session.iteration <= 1
    assert session.log[-1].command == "pause"


@pytest.mark.parametrize("command", ["pause", "close"])
def test_steps_just_taken_from_the_queue_are_dropped_too(start, monkeypatch, command):
    session = start()
    carry_out, given = Executor._carry_out, []

    def late(self, queued):
        if queued.entry.name == "step" and not given:
            given.append(command)  # before the worker, which is here, has done anything for it
            session.close() if command == "close" else session.pause()
        return carry_out(self, queued)

    monkeypatch.setattr(Executor, "_carry_out", late)
    session.step(50)
    assert session.wait(timeout=GUARD)
    assert given == [command]
    assert session.iteration == 0
    assert session.state == "paused"


def test_a_command_reads_back_at_once_while_the_worker_is_busy(start):
    session = start()
    fake.gate.clear()
    session.play()
    session.set(weight=2.5)
    session.label([4], "a")
    assert session.parameters["weight"] == 2.5
    assert session.method.weight == 2.5
    assert session.supervision.top_class[4] == 0
    assert session.undo_text == "label 1 point as a"
    fake.gate.set()
    assert session.wait("converged", GUARD)
    targets = session.X[:, :2].copy()
    targets[4] += session.scale
    assert np.allclose(session.embedding, targets * (2.5 + session.parameters["heat"]), atol=0.05)


def test_a_change_sets_a_converged_map_in_motion_and_leaves_a_paused_one(start):
    session = start()
    session.play()
    assert session.wait("converged", GUARD)
    session.set(weight=2.0)
    assert session.state in ("running", "converged")
    assert session.wait("converged", GUARD)
    assert any(e.command == "set" for e in session.log)
    moved = session.iteration

    session.step(1)
    rest(session)
    assert session.state == "paused"
    before, cost = session.embedding, session.cost
    session.set(weight=5.0)
    session.label([1], "a")
    rest(session)
    assert session.state == "paused"
    assert session.iteration == moved + 1
    assert np.array_equal(session.embedding, before)
    assert session.cost > cost  # the objective is the new one


def test_a_change_that_the_map_does_not_see_leaves_it_at_rest(start):
    session = start()
    session.label([1], "a")
    session.play()
    assert session.wait("converged", GUARD)
    done = session.iteration
    session.set(tint=0.5)
    session.rename_class("a", "b")
    session.set(weight=1.0)  # as it is
    rest(session)
    assert session.state == "converged"
    assert session.iteration == done
    assert [e.command for e in session.log][-2:] == ["set", "rename_class"]


def test_reset_starts_cold_and_keeps_labels_and_parameters(start):
    session = start()
    session.step(4)
    session.label([1, 2], "a")
    session.set(weight=2.0)
    session.reset()
    rest(session)
    assert (session.state, session.iteration, session.trace) == ("paused", 0, [])
    fresh = Session(session.X, session.method, supervision=session.supervision)
    fresh.step(3)
    session.step(3)
    rest(session)
    rest(fresh)
    assert np.array_equal(session.embedding, fresh.embedding)
    fresh.close()


def test_a_change_before_the_first_iteration_shapes_the_start(start):
    session = start()
    session.step(3)
    session.reset()
    rest(session)  # the start is prepared and shown
    session.label([1, 2], "a")
    session.step(1)
    other = start()
    other.label([1, 2], "a")
    other.step(1)
    rest(session)
    rest(other)
    assert np.array_equal(session.embedding, other.embedding)


def test_wait_ends_when_the_state_cannot_come(start):
    session = start()
    assert session.wait(timeout=GUARD)
    fake.trouble.append(OverflowError("too far"))
    session.play()
    assert not session.wait("converged", GUARD)
    assert session.state == "failed"
    assert not session.wait("running", 0.01)
    with pytest.raises(ValueError, match="state must be one of"):
        session.wait("asleep")


def test_pace_slows_play_and_not_step(start):
    session = start()
    session.pace = 1e-6
    session.step(20)
    rest(session)
    assert session.iteration == 20
    session.play()  # the next iteration but one is due in days; a command is heard at once
    session.pause()
    rest(session)
    assert session.iteration <= 21
    session.play()
    session.pace = None  # heard at once too
    assert session.wait("converged", GUARD)
    with pytest.raises(ValueError, match=r"pace must be .* at least 1e-06, got 0"):
        session.pace = 0


def test_subscribers_hear_and_may_command_without_the_lock(start):
    session = start()
    heard: list[str] = []
    done = threading.Event()

    def steer(event: str) -> None:
        heard.append(event)
        with pytest.raises(RuntimeError, match="cannot wait"):
            session.wait()
        # Another thread must be able to read meanwhile.
        reader = threading.Thread(target=session.frame)
        reader.start()
        reader.join(GUARD)
        assert not reader.is_alive()
        if event == "frame" and heard.count("frame") == 3:
            session.set(weight=2.0)
            session.label([0], "a")
        if event == "supervision":
            done.set()

    unsubscribe = session.subscribe(steer)
    session.play()
    assert done.wait(GUARD)
    assert session.wait("converged", GUARD)
    unsubscribe()
    count = len(heard)
    session.set(weight=3.0)
    assert session.wait("converged", GUARD)
    assert len(heard) == count
    assert {"frame", "state", "parameters", "supervision"} <= set(heard)


def test_a_subscriber_that_raises_harms_nobody(start, caplog):
    session = start()
    heard: list[str] = []

    def broken(event: str) -> None:
        raise KeyError(event)

    session.subscribe(broken)
    session.subscribe(heard.append)
    session.step(2)
    rest(session)
    assert session.state == "paused"
    assert "frame" in heard
    assert "a subscriber failed" in caplog.text


@pytest.mark.parametrize("k", [0, -1, 1.5, True, "2"])
def test_step_refuses(start, k):
    with pytest.raises(ValueError, match="k must be an integer"):
        start().step(k)


def test_wrong_method_and_data():
    with pytest.raises(TypeError, match="method must be an estimator"):
        Session(np.zeros((5, 2)), "HSSNE")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="X"):
        Session([[1.0, np.nan], [0.0, 1.0]], Fake())
    with pytest.raises(ValueError, match="X must be a square matrix"):
        Session(np.zeros((5, 2)), Fake(metric="precomputed"))
