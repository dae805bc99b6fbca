"""Threads of sessions: stopped and waited for once at exit; they import nothing."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
import weakref
from pathlib import Path
from types import SimpleNamespace

import pytest

from nbembed.session.live import threads as room
from nbembed.session.live.background import BackgroundTask
from nbembed.session.live.threads import end_at_exit
from tests.session import slow
from tests.waiting import GUARD, eventually


@pytest.fixture(autouse=True)
def _alone(monkeypatch):
    """Let a test end no thread of another one."""
    monkeypatch.setattr(room, "_stops", weakref.WeakKeyDictionary())
    slow.clean()
    yield
    slow.clean()


class Endless:
    """A thread that is at something for longer than anybody waits."""

    def __init__(self, told, clock):
        self.told, self.clock = told, clock

    def is_alive(self):
        return True

    def stop(self):
        self.told.append("stop")

    def join(self, timeout):
        self.told.append(timeout)
        self.clock[0] += timeout


def test_all_are_stopped_and_then_waited_for_once(monkeypatch):
    told, clock = [], [0.0]
    monkeypatch.setattr(room, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    threads = [Endless(told, clock) for _ in range(10)]
    for thread in threads:
        end_at_exit(thread, thread.stop)
    room._end_all()
    assert told[:10] == ["stop"] * 10
    assert len(told) == 20
    assert sum(told[10:]) == room.PATIENCE_AT_EXIT


def test_a_thread_that_has_ended_is_not_stopped():
    told = []
    thread = threading.Thread(target=lambda: None)
    thread.start()
    thread.join()
    stopper = Endless(told, [0.0])
    end_at_exit(thread, stopper.stop)
    room._end_all()
    assert told == []


def test_nothing_is_kept_alive():
    class Owner:
        def __init__(self):
            self.thread = threading.Thread(target=lambda: None)
            end_at_exit(self.thread, self.stop)

        def stop(self):
            pass

    gone = weakref.ref(Owner())
    gc.collect()
    assert gone() is None
    assert not len(room._stops)


def test_whatever_computes_ends(start, monkeypatch):
    monkeypatch.setattr(room, "PATIENCE_AT_EXIT", GUARD)
    slow.gate.clear()
    session, making = start(slow.Slow(random_state=3)), BackgroundTask("nbembed making")
    session.step(1)
    making.ask("x", lambda: slow.work("making"))
    eventually(lambda: slow.begun)
    threads = list(room._stops)
    names = {thread.name for thread in threads}
    assert names == {"nbembed session", "nbembed background fit", "nbembed making"}
    room._end_all()
    assert not any(thread.is_alive() for thread in threads)
    assert slow.made == []


def test_what_is_being_made_ends_before_the_interpreter(tmp_path):
    program = tmp_path / "leave.py"
    program.write_text("""
import threading, time
from nbembed.kernels.threads import run_chunks
from nbembed.session.live.background import BackgroundTask

begun = threading.Event()

def make():
    try:
        begun.set()
        while True:
            run_chunks(lambda chunk: time.sleep(0.001), 1, 1)
    finally:
        print("ended", flush=True)

making = BackgroundTask("nbembed making")
making.ask("x", make)
begun.wait()
print("leaving", flush=True)
""")
    done = subprocess.run(
        [sys.executable, str(program)],
        capture_output=True,
        text=True,
        timeout=10 * GUARD,
        cwd=Path(slow.__file__).parents[2],
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "leaving\nended\n", "")


#: A fork in the midst of an import would leave its lock held: threads import nothing.
RUN = """
import sys, threading
import numpy as np
import nbembed as nb

found = []

def note(event, arguments):
    thread = threading.current_thread()
    if event == "import" and thread is not threading.main_thread():
        found.append((thread.name, arguments[0]))

X = np.random.default_rng(0).normal(size=(30, 3))
session = nb.Session(X, nb.HSSNE(max_iter=20))
sys.addaudithook(note)
session.step(5, wait=True)
session.label([0, 1, 2], "a")
session.label([3, 4], "b")
session.step(5, wait=True)
session.frame()
session.close()
print(found)
"""


def test_threads_of_a_session_import_nothing() -> None:
    result = subprocess.run(
        [sys.executable, "-c", RUN], capture_output=True, text=True, check=False, timeout=300
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == "[]"
