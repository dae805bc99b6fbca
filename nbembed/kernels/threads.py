"""A pool of threads that run fixed chunks of compiled work.

Why not numba's ``parallel=True``: with GNU OpenMP a kernel stalls for milliseconds when another
process holds a core, and numba's workqueue aborts the process when two Python threads enter it,
which a notebook with two live maps does. Kernels that release the GIL under a plain pool showed
neither; a dispatch costs about 0.05 ms, so callers with less work than that stay on one thread.

The calling thread works too, and never waits for a chunk that nobody has begun: two sessions that
share the pool slow each other down but cannot block each other. Work that somebody may want to give
up, an iteration of a live map that a command has overtaken, ends between two chunks
(:func:`interruptible`). The result of a chunk must not depend on the thread that runs it. Callers
add sums over chunks in the order of the chunks, so that the bits do not depend on the number of
threads.
"""

from __future__ import annotations

import contextlib
import itertools
import operator
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

from nbembed.kernels.cores import available_cores

_lock = threading.Lock()
_pool: ThreadPoolExecutor | None = None
_pool_size = 0


def resolve_threads(n_jobs: int | None) -> int:
    """Return the number of threads that ``n_jobs`` asks for.

    * n_jobs: None or −1: every core that this process may use (:func:`.cores.available_cores`);
      −2: all but one, and so on, as in scikit-learn; a positive number: itself.
    * returns n_threads: at least 1.

    Raises ValueError if ``n_jobs`` is 0 or no integer.
    """
    if n_jobs is None:
        n_jobs = -1
    try:
        wanted = 0 if isinstance(n_jobs, bool) else operator.index(n_jobs)
    except TypeError:  # arrays have __index__, but only those of one number have an index
        wanted = 0
    if wanted == 0:
        raise ValueError(f"n_jobs must be None or an integer other than 0, got {n_jobs!r}")
    return wanted if wanted > 0 else max(1, available_cores() + 1 + wanted)


class Interrupted(BaseException):
    """Work was given up between two chunks. No error: what catches errors must not take it."""


_asking = threading.local()


@contextlib.contextmanager
def interruptible(asked: Callable[[], bool]) -> Iterator[None]:
    """Let the chunks that this thread runs be given up when ``asked()`` is true.

    ``asked`` is called before each chunk, in any thread. Where it is true, :func:`run_chunks`
    raises :class:`Interrupted` once the chunks that have begun are done.
    """
    before = getattr(_asking, "asked", None)
    _asking.asked = asked
    try:
        yield
    finally:
        _asking.asked = before


def _never() -> bool:
    return False


def run_chunks(function: Callable[[int], object], n_chunks: int, n_threads: int) -> None:
    """Call ``function(chunk)`` for chunk = 0 … n_chunks − 1, on up to ``n_threads`` threads.

    * function: takes the number of a chunk; should release the GIL. Chunks run in any order and at
      the same time, so each must write to memory of its own.
    * n_chunks: number of chunks.
    * n_threads: the caller's thread included. 1 runs everything here, in order.

    Raises BaseException: the first exception that a chunk raised; chunks not yet begun are then
    left out; Interrupted if the caller has allowed it (:func:`interruptible`) and it was asked
    for.
    """
    asked = getattr(_asking, "asked", None) or _never
    if n_threads <= 1 or n_chunks <= 1:
        for chunk in range(n_chunks):
            if asked():
                raise Interrupted
            function(chunk)
        return
    numbers = itertools.count()  # next() on it is atomic
    failed = threading.Event()

    def work() -> None:
        while not failed.is_set() and (chunk := next(numbers)) < n_chunks:
            try:
                if asked():
                    raise Interrupted
                function(chunk)
            except BaseException:
                failed.set()
                raise

    helpers = _submit(work, min(n_threads, n_chunks) - 1)
    try:
        work()
    finally:
        for helper in helpers:
            # A helper that has not begun has nothing left to do: cancel it instead of waiting.
            if not helper.cancel():
                helper.exception()  # waits
    for helper in helpers:
        if not helper.cancelled():
            helper.result()


def _submit(work: Callable[[], None], n_helpers: int) -> list[Future[None]]:
    """Start ``n_helpers`` copies of ``work``; replace the pool by a larger one if needed."""
    global _pool, _pool_size
    with _lock:
        if _pool is None or _pool_size < n_helpers:
            if _pool is not None:
                _pool.shutdown(wait=False)
            _pool = ThreadPoolExecutor(n_helpers, thread_name_prefix="nbembed")
            _pool_size = n_helpers
        return [_pool.submit(work) for _ in range(n_helpers)]


def _forget_pool() -> None:
    """Drop a pool whose threads did not survive a fork."""
    global _lock, _pool, _pool_size
    _lock, _pool, _pool_size = threading.Lock(), None, 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_pool)
