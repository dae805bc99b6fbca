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
from tests.session import fake
from tests.session.fake import Fake, rest
from tests.waiting import GUARD


def thread_of(session: Session) -> threading.Thread:
    thread = session._controller._worker._thread
    assert thread is not None
    return thread


def test_at_rest_the_worker_sleeps_without_a_clock(start, monkeypatch):
    session = start()
    session.step(3)
    rest(session)
    turns: list[int] = []
    turn = type(session._controller).turn
    monkeypatch.setattr(
        type(session._controller), "turn", lambda self: turns.append(1) or turn(self)
    )
    time.sleep(0.3)
    assert len(turns) <= 1, "the token of a command that an earlier turn has carried out"
    turns.clear()
    session.label([1], "a")
    rest(session)
    assert turns


def test_an_unreferenced_session_ends_its_worker(X):
    session = Session(X, Fake(tol=0.0))
    session.play()
    thread, ref = thread_of(session), weakref.ref(session._controller)
    del session
    thread.join(GUARD)
    assert not thread.is_alive()
    assert ref() is None


def test_a_subscriber_that_holds_its_session_keeps_nothing_alive(X):
    session = Session(X, Fake())
    session.step(2)
    rest(session)
    thread = thread_of(session)
    session.subscribe(lambda event, view=session: None)
    del session
    gc.collect()
    thread.join(GUARD)
    assert not thread.is_alive()


def test_close_stops_and_keeps_what_was_said(X):
    with Session(X, Fake()) as session:
        session.play()
        session.label([1], "a")
        thread = thread_of(session)
    assert not thread.is_alive()
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
    session.play()
    thread = thread_of(session)
    assert closed.wait(GUARD)
    thread.join(GUARD)
    assert not thread.is_alive()


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
