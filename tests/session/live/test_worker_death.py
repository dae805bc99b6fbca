"""A worker does not die in silence: the state is failed, waits end, commands say why."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

from nbembed.session import load_session
from nbembed.session.live.executor import Executor
from tests.session import fake
from tests.session.fake import Fake, Learning, rest
from tests.waiting import GUARD, worker_begun_by


@pytest.mark.parametrize("pace", [1e-10, 0, -1, np.nan, np.inf, "fast", True, [1]])
def test_paces_have_bounds(start, pace):
    session = start()
    with pytest.raises((TypeError, ValueError), match=r"pace must be .*None sets no limit"):
        session.pace = pace
    assert session.pace is None


def test_the_slowest_pace_and_the_longest_wait(start):
    session = start(Fake(random_state=3, tol=0.0))
    session.pace = 1e-6
    session.play()
    assert not session.wait(timeout=0.05)
    session.pace = None
    session.step(3)
    assert session.wait(timeout=1e10)
    assert session.state == "paused"


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt()])
def test_an_exit_in_the_map_is_an_error_like_any_other(start, error):
    session = start()
    session.step(5)
    rest(session)
    fake.trouble.append(error)
    session.step(2)
    rest(session)
    assert session.state == "failed"
    assert session.error.__cause__ is error
    with pytest.raises(
        RuntimeError,
        match=f"failed at iteration 5: computing the map raised {type(error).__name__}",
    ):
        session.play()
    fake.trouble.clear()
    session.reset()
    session.step(2, wait=True)


def test_an_exit_in_what_is_learned_in_the_background(start, monkeypatch):
    session = start(Learning(random_state=3))
    session.step(2)
    rest(session)

    def leave(self, X, supervision=None):
        raise SystemExit("no more")

    with monkeypatch.context() as patch:
        patch.setattr(Learning, "make_affinities", leave)
        session.label([1, 2], "a")
        rest(session)
    assert "SystemExit('no more')" in str(session.learning_error)
    session.step(1, wait=True)


def test_an_exit_in_a_subscriber_is_reported_once(start, caplog):
    session = start()
    heard: list[str] = []

    def view(event: str) -> None:
        heard.append(event)
        raise SystemExit(0)

    other: list[str] = []
    session.subscribe(view)
    session.subscribe(other.append)
    with caplog.at_level(logging.WARNING, "nbembed.session"):
        session.step(5)
        rest(session)
    assert len(heard) > 5
    assert heard == other
    assert len(caplog.records) == 1
    assert "further errors of it are not reported" in caplog.text
    session.check()
    assert session.iteration == 5


def test_a_worker_that_ends_at_an_error_nobody_handled(start, monkeypatch, tmp_path, caplog):
    session = start()
    worker = worker_begun_by(session.label, [1, 2], "a")
    session.step(2)
    rest(session)
    heard: list[str] = []
    session.subscribe(heard.append)

    def broken(self):
        raise RuntimeError("a fault of the executor itself")

    monkeypatch.setattr(Executor, "turn", broken)
    session.step(3)
    session.wait(timeout=GUARD)
    worker.join(GUARD)
    assert not worker.is_alive()
    assert session.state == "failed"
    assert heard[-2:] == ["error", "state"]
    assert "a fault of the executor itself" in caplog.text
    for command in (session.play, session.reset, lambda: session.label([1], "a")):
        with pytest.raises(RuntimeError, match=r"worker has ended.*a fault of the executor"):
            command()
    with pytest.raises(RuntimeError, match="worker has ended"):
        session.check()
    assert session.wait(timeout=GUARD)
    session.save(tmp_path / "kept")  # nothing is lost
    with load_session(tmp_path / "kept", methods=(Fake,)) as loaded:
        assert loaded.supervision.labeled.tolist() == [1, 2]
        assert np.array_equal(loaded.embedding, session.embedding)


def test_a_thread_that_cannot_be_started_is_started_by_the_next_command(start, monkeypatch):
    session = start()

    def refuse(self):
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        with pytest.raises(RuntimeError, match="can't start"):
            session.label([1], "a")
        assert session.supervision.labeled.size == 0
    session.label([2], "a")
    session.step(2, wait=True)
    assert session.supervision.labeled.tolist() == [2]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_a_forked_copy_says_so_at_once_and_the_original_goes_on():
    code = """
        import os, threading, warnings
        import numpy as np, nbembed as nb
        warnings.simplefilter("ignore", DeprecationWarning)  # of forking with threads
        X = np.random.default_rng(0).normal(size=(20, 3))
        locked, forked = threading.Event(), threading.Event()

        class Method(type(nb.SNE().recipe)):
            def check(self, *arguments):
                super().check(*arguments)
                if self.random_state == 1:  # a command is decided with the lock held
                    locked.set()
                    forked.wait()

        session = nb.Session(X, Method(random_state=0, n_jobs=1))
        session.step(3, wait=True)
        before = session.embedding
        thread = threading.Thread(target=lambda: session.set(random_state=1))
        thread.start()
        locked.wait()
        child = os.fork()
        if child == 0:
            said = []
            for call in (session.play, session.wait, lambda: session.save("x"), session.to_script,
                         lambda: session.label([1], "a"), lambda: session.step(1, wait=True)):
                try:
                    call()
                except RuntimeError as error:
                    said.append("forked copy" in str(error))
            ok = said == [True] * 6 and session.state == "failed"
            ok = ok and np.array_equal(session.embedding, before)
            session.close()
            with nb.Session(X, nb.SNE(random_state=0, n_jobs=1)) as own:
                own.step(3, wait=True)
                ok = ok and np.array_equal(own.embedding, before)
            os._exit(0 if ok else 1)
        forked.set()
        thread.join()
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
        session.label([1], "a")
        session.step(2, wait=True)
        assert session.iteration == 5
        print("done")
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.stdout.split() == ["done"], done.stderr
