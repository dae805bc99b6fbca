"""The pool: every chunk once, errors reach the caller, nobody waits for anybody else."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from nbembed.kernels import threads
from nbembed.kernels.cores import available_cores
from nbembed.kernels.threads import Interrupted, interruptible, resolve_threads, run_chunks


def test_none_and_minus_one_are_all_cores() -> None:
    assert resolve_threads(None) == resolve_threads(-1) == available_cores() >= 1


def test_numbers_of_jobs() -> None:
    assert resolve_threads(1) == 1
    assert resolve_threads(7) == 7
    assert resolve_threads(-2) == max(1, available_cores() - 1)
    assert resolve_threads(-1000) == 1


@pytest.mark.parametrize("n_jobs", [0, 1.5, "2", True, [1, 2], np.array([1, 2])])
def test_what_is_no_number_of_jobs(n_jobs: object) -> None:
    with pytest.raises(ValueError, match="n_jobs must be None or an integer other than 0"):
        resolve_threads(n_jobs)  # type: ignore[arg-type]


def test_more_than_eight_threads_work_at_the_same_time() -> None:
    together = threading.Barrier(12, timeout=60)
    run_chunks(lambda chunk: together.wait(), 12, 12)


@pytest.mark.parametrize("n_threads", [1, 2, 5, 40])
@pytest.mark.parametrize("n_chunks", [0, 1, 2, 23])
def test_every_chunk_runs_once(n_chunks: int, n_threads: int) -> None:
    seen: list[int] = []
    run_chunks(seen.append, n_chunks, n_threads)
    assert sorted(seen) == list(range(n_chunks))
    if n_threads == 1:
        assert seen == list(range(n_chunks))


def test_two_threads_work_at_the_same_time() -> None:
    together = threading.Barrier(2, timeout=60)
    run_chunks(lambda chunk: together.wait(), 2, 2)


@pytest.mark.parametrize("n_threads", [1, 2])
def test_an_error_reaches_the_caller(n_threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Chunks that have not begun are left out: another thread ends the one that it is at."""
    done: list[int] = []
    signals: list[threading.Event] = []

    class Noted(threading.Event):
        def __init__(self) -> None:
            super().__init__()
            signals.append(self)

    def work(chunk: int) -> None:
        if chunk == 3:
            raise KeyError(chunk)
        if chunk > 3:
            # The first is that of the failure. The thread that raises may lose the interpreter.
            assert signals[0].wait(60)
        done.append(chunk)

    monkeypatch.setattr(threading, "Event", Noted)
    with pytest.raises(KeyError):
        run_chunks(work, 1000, n_threads)
    assert len(done) <= 3 + (n_threads - 1)
    run_chunks(done.append, 2, n_threads)  # the pool is as good as before


def test_an_error_in_a_helper_reaches_the_caller() -> None:
    caller = threading.current_thread()
    together = threading.Barrier(2, timeout=60)

    def work(chunk: int) -> None:
        together.wait()
        if threading.current_thread() is not caller:
            raise KeyError(chunk)

    with pytest.raises(KeyError):
        run_chunks(work, 2, 2)


def test_chunks_may_use_the_pool_themselves() -> None:
    seen: list[tuple[int, int]] = []

    def outer(i: int) -> None:
        run_chunks(lambda j: seen.append((i, j)), 3, 2)

    run_chunks(outer, 4, 2)
    assert sorted(seen) == [(i, j) for i in range(4) for j in range(3)]


def test_callers_do_not_wait_for_each_other() -> None:
    threads._forget_pool()  # a new one, of one helper
    release = threading.Event()
    entered = threading.Semaphore(0)

    def wait(chunk: int) -> None:
        entered.release()
        assert release.wait(60)

    busy = threading.Thread(target=run_chunks, args=(wait, 2, 2))
    busy.start()
    try:
        # The pool's only helper and its caller are both held: this caller does its work alone.
        assert entered.acquire(timeout=60)
        assert entered.acquire(timeout=60)
        seen: list[int] = []
        run_chunks(seen.append, 5, 2)
        assert sorted(seen) == list(range(5))
    finally:
        release.set()
        busy.join(60)


def test_a_forked_child_makes_its_own_pool() -> None:
    run_chunks(lambda chunk: None, 4, 2)
    threads._forget_pool()  # what a child does first: its parent's threads did not come along
    seen: list[int] = []
    run_chunks(seen.append, 4, 2)
    assert sorted(seen) == list(range(4))


@pytest.mark.parametrize("n_threads", [1, 2, 5])
def test_work_is_given_up_between_two_chunks(n_threads: int) -> None:
    done: list[int] = []
    with interruptible(lambda: len(done) >= 10), pytest.raises(Interrupted):
        run_chunks(done.append, 1000, n_threads)
    assert 10 <= len(done) < 10 + n_threads
    assert len(set(done)) == len(done)
    run_chunks(done.append, 20, n_threads)  # outside, nothing is asked
    assert len(done) >= 30


def test_what_can_be_given_up_is_a_matter_of_the_thread() -> None:
    done: list[int] = []
    with interruptible(lambda: True):
        other = threading.Thread(target=run_chunks, args=(done.append, 5, 1))
        other.start()
        other.join()
        with interruptible(lambda: False):
            run_chunks(done.append, 5, 1)
        with pytest.raises(Interrupted):
            run_chunks(done.append, 5, 1)
    assert len(done) == 10


def test_what_catches_errors_does_not_keep_work_from_being_given_up() -> None:
    def careless() -> None:
        try:
            run_chunks(lambda chunk: None, 5, 1)
        except Exception:
            pytest.fail("it is no error")

    with interruptible(lambda: True), pytest.raises(Interrupted):
        careless()
