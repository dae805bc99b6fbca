"""The worker thread: no time while idle, no life of its own, no hanging exit."""

from __future__ import annotations

import gc
import subprocess
import sys
import textwrap
import threading
import time
import weakref

import pytest

from nbembed.session import Session
from nbembed.session.live.executor import Executor
from tests.session import fake
from tests.session.fake import Fake, rest
from tests.waiting import GUARD, eventually, worker_begun_by


def test_at_rest_the_worker_sleeps_without_a_clock(start, monkeypatch):
    session = start()
    session.step(3)
    rest(session)
    turns: list[int] = []
    turn = Executor.turn
    monkeypatch.setattr(Executor, "turn", lambda self: turns.append(1) or turn(self))
    time.sleep(0.3)
    assert len(turns) <= 1, "the token of a command that an earlier turn has carried out"
    turns.clear()
    session.label([1], "a")
    rest(session)
    assert turns


def test_an_unreferenced_session_ends_its_worker(X):
    session = Session(X.copy(), Fake(tol=0.0))
    worker, data = worker_begun_by(session.play), weakref.ref(session.X)
    del session
    worker.join(GUARD)
    assert not worker.is_alive()
    eventually(lambda: gc.collect() is not None and data() is None)


def test_a_subscriber_that_holds_its_session_keeps_nothing_alive(X):
    session = Session(X, Fake())
    worker = worker_begun_by(session.step, 2)
    rest(session)
    session.subscribe(lambda event, view=session: None)
    del session
    gc.collect()
    worker.join(GUARD)
    assert not worker.is_alive()


def test_close_stops_and_keeps_what_was_said(X):
    with Session(X, Fake()) as session:
        worker = worker_begun_by(session.play)
        session.label([1], "a")
    assert not worker.is_alive()
    assert session.state == "paused"
    assert session.supervision.labeled.tolist() == [1]
    assert session.log[-1].command == "label"
    assert session.frame().state == "paused"
    with pytest.raises(RuntimeError, match="closed"):
        session.play()
    with pytest.raises(RuntimeError, match="closed"):
        session.label([2], "a")
    assert session.supervision.labeled.tolist() == [1]
    assert session.wait(timeout=GUARD)
    session.close()


def test_a_session_that_never_ran_closes(X):
    session = Session(X, Fake())
    session.close()
    assert session.state == "idle"


def test_close_from_a_subscriber_does_not_wait_for_itself(start):
    session = start()
    closed = threading.Event()

    def end(event: str) -> None:
        session.close()
        closed.set()

    session.subscribe(end)
    worker = worker_begun_by(session.play)
    assert closed.wait(GUARD)
    worker.join(GUARD)
    assert not worker.is_alive()


def test_leaving_the_interpreter_never_hangs(tmp_path):
    program = tmp_path / "leave.py"
    program.write_text(
        textwrap.dedent(
            """
            import numpy as np
            from nbembed.session import Session
            from tests.session.fake import Fake

            sessions = [Session(np.eye(20), Fake()) for _ in range(3)]
            for session in sessions:
                session.pace = None
                session.play()
            sessions[0].set(tol=0.0)
            sessions[1].pause()
            print("leaving")
            """
        )
    )
    done = subprocess.run(
        [sys.executable, str(program)],
        capture_output=True,
        text=True,
        timeout=GUARD,
        cwd=str(__import__("pathlib").Path(fake.__file__).parents[2]),
        env={**__import__("os").environ, "PYTHONPATH": "."},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "leaving\n"
    assert done.stderr == ""
