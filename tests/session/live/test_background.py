"""What is made in a thread of its own: the last request counts, and nobody waits for nothing."""

from __future__ import annotations

import gc
import os
import signal
import threading
import warnings
import weakref

import numpy as np
import pytest

import nbembed as nb
from nbembed.session.live.background import TOLD_EVERY, BackgroundTask
from nbembed.system.work import stage
from tests.session.parts import with_controller
from tests.waiting import GUARD, eventually


class Held:
    """Something that is made once it may be."""

    def __init__(self):
        self.begun, self.go = threading.Event(), threading.Event()
        self.times = 0

    def __call__(self):
        self.times += 1
        self.begun.set()
        assert self.go.wait(GUARD)
        return self.times


@pytest.fixture
def held():
    held = Held()
    yield held
    held.go.set()


def begun(task, held):
    """Begin to make what is held, under the key "held"."""
    task.ask("held", held)
    assert held.begun.wait(GUARD)


def test_of_what_waits_only_the_last_is_made():
    task, begun, go, made = (
        BackgroundTask("nbembed making"),
        threading.Event(),
        threading.Event(),
        [],
    )

    def slow():
        begun.set()
        assert go.wait(GUARD)
        return "slow"

    assert task.ask("slow", slow) is None
    assert begun.wait(GUARD)
    task.ask("never", lambda: made.append("never"))
    task.ask("last", lambda: "last")
    go.set()
    assert task.wait("last", lambda: "last", GUARD).value == "last"
    assert made == []


def test_what_is_canceled_is_not_kept():
    task, begun, go = BackgroundTask("nbembed making"), threading.Event(), threading.Event()

    def slow():
        begun.set()
        assert go.wait(GUARD)

    task.ask("slow", slow)
    assert begun.wait(GUARD)
    task.cancel()
    go.set()
    assert task.wait("other", lambda: 1, GUARD).value == 1
    task.close()
    assert task.wait("more", lambda: 2, GUARD) is None
    assert task.newest.key == "other"


def test_what_was_canceled_is_made_anew_if_it_is_asked_for_again(held):
    task = BackgroundTask("nbembed making")
    begun(task, held)
    task.cancel()
    assert task.ask("held", held) is None
    held.go.set()
    assert task.wait("held", held, GUARD).value == 2


def test_nobody_waits_for_what_is_canceled(held):
    task, results = BackgroundTask("nbembed making"), []
    waiting = threading.Thread(target=lambda: results.append(task.wait("held", held, None)))
    waiting.start()
    assert held.begun.wait(GUARD)
    task.cancel()
    waiting.join(GUARD)
    assert results == [None]


def test_who_asks_for_what_is_being_made_wants_nothing_else(held):
    task, others = BackgroundTask("nbembed making"), []
    begun(task, held)
    task.ask("other", lambda: others.append(1))
    task.ask("held", held)
    held.go.set()
    assert task.wait("held", held, GUARD).value == 1
    assert task.wait("last", lambda: "last", GUARD).value == "last"
    assert others == []


def test_what_is_wanted_alone_stays_what_was_made_last(held):
    task = BackgroundTask("nbembed making")
    task.wait("first", lambda: 1, GUARD)
    begun(task, held)
    assert task.ask("first", lambda: 2, alone=True).value == 1
    held.go.set()
    eventually(lambda: not task.busy)
    assert task.newest.value == 1


class Listener:
    def __init__(self, every=TOLD_EVERY):
        self.heard = threading.Event()
        self.task = BackgroundTask("nbembed making", self.tell, self.tell, every=every)

    def tell(self):
        self.heard.set()


class Counted:
    """Work that counts its rows, and waits after the first."""

    def __init__(self):
        self.begun, self.go = threading.Event(), threading.Event()

    def __call__(self):
        rows = stage("reading rows", 4)
        for _ in range(4):
            rows.advance(1)
            self.begun.set()
            assert self.go.wait(GUARD)
        return "read"


def test_who_waits_long_hears_how_far_it_has_come():
    listener, counted = Listener(every=0.0), Counted()
    task = listener.task
    task.ask("rows", counted)
    assert counted.begun.wait(GUARD)
    assert listener.heard.is_set()
    assert task.progress.share == 0.25
    assert str(task.progress).startswith("reading rows 25 %")
    counted.go.set()
    assert task.wait("rows", counted, GUARD).value == "read"
    assert task.progress is None


def test_what_is_quick_is_not_told_before_it_is_made():
    listener, counted = Listener(), Counted()
    listener.task.ask("rows", counted)
    assert counted.begun.wait(GUARD)
    assert not listener.heard.is_set()
    assert listener.task.progress is None
    counted.go.set()
    assert listener.heard.wait(GUARD)


def test_counted_work_that_is_canceled_ends_where_it_counts():
    task, counted = BackgroundTask("nbembed making"), Counted()
    task.ask("rows", counted)
    assert counted.begun.wait(GUARD)
    assert task.cancel()
    assert not task.cancel(), "there is nothing left to give up"
    counted.go.set()
    eventually(lambda: not task.busy)
    assert task.newest is None


def test_what_is_made_is_told_to_whom_it_does_not_keep_alive(held):
    listener = Listener()
    listener.task.ask("quick", lambda: 1)
    assert listener.heard.wait(GUARD)
    task, gone = listener.task, weakref.ref(listener)
    begun(task, held)
    del listener
    gc.collect()
    assert gone() is None
    held.go.set()
    assert task.wait("held", held, GUARD).value == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_a_forked_copy_waits_for_no_thread(held):
    task = BackgroundTask("nbembed making")
    task.wait("first", lambda: 1, GUARD)
    begun(task, held)

    def waits_for_nothing():
        return task.wait("held", held, None) is None and task.newest.value == 1

    assert holds_in_a_fork(task, waits_for_nothing)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")
def test_a_forked_session_is_told_after_what_it_closes():
    session, controller = with_controller(np.eye(5), nb.SNE(random_state=0).recipe)
    with session:
        task = controller.suggester.task
        assert holds_in_a_fork(task, lambda: session.state == "failed")


def holds_in_a_fork(task, condition):
    """Return whether a condition holds in a copy that is forked while a thread has a lock."""
    locked, forked = threading.Event(), threading.Event()

    def lock():  # as the thread that makes does for a moment
        with task._changed:
            locked.set()
            assert forked.wait(GUARD)

    thread = threading.Thread(target=lock)
    thread.start()
    assert locked.wait(GUARD)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forking with threads
        child = os.fork()
    if child == 0:
        signal.alarm(int(GUARD))
        os._exit(0 if condition() else 1)
    forked.set()
    thread.join()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
