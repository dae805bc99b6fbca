"""The worker thread: waits without a clock, holds its session weakly, never outlives it.

While there is nothing to do the thread sleeps on a queue of tokens and the processor is idle. A
``SimpleQueue`` rather than a condition, because a token may be put from a finalizer, which can run
at any moment in any thread, even one that holds the session's lock.
"""

from __future__ import annotations

import contextlib
import threading
import time
import weakref
from queue import Empty, SimpleQueue
from typing import Protocol

from nbembed.session.live.threads import begin


class Worked(Protocol):
    """The object that a worker drives."""

    def turn(self) -> float | None:
        """Do one thing; return the seconds to wait before the next, ``None`` until woken."""

    def lost(self, error: BaseException) -> None:
        """Take note that the worker ends at an error that no turn has handled."""


class Worker:
    """A daemon thread that calls ``turn`` of something it does not keep alive."""

    def __init__(self) -> None:
        self._tokens: SimpleQueue[None] = SimpleQueue()
        self._ended = False
        self._thread: threading.Thread | None = None

    def wake(self, worked: Worked) -> None:
        """Let the worker look for something to do; the first call starts its thread.

        Calls must not overlap (a session makes them under its lock).
        """
        if self._thread is None and not self._ended:
            ref = weakref.ref(worked, lambda _: self.end())
            # Where that fails, the next call tries again.
            self._thread = begin("nbembed session", _work, self, ref, stop=self.end)
        self._tokens.put(None)

    def end(self) -> None:
        """Let the thread end after its present turn. Safe to call from anywhere."""
        self._ended = True
        self._tokens.put(None)

    def join(self, timeout: float) -> bool:
        """Wait for the thread to end; return whether it has. At once in the worker itself."""
        if self._thread is None or self.here:
            return True
        self._thread.join(timeout)
        return not self._thread.is_alive()

    @property
    def here(self) -> bool:
        """True if the caller is this worker."""
        return threading.current_thread() is self._thread

    @property
    def alive(self) -> bool:
        """True if the thread runs."""
        return self._thread is not None and self._thread.is_alive()


def _work(worker: Worker, ref: weakref.ref[Worked]) -> None:
    while not worker._ended:
        worked = ref()
        if worked is None:
            return
        try:
            wait = worked.turn()
            if wait is not None:
                wait = min(wait, threading.TIMEOUT_MAX)
        except BaseException as error:  # nobody else would hear of it, and waits would not end
            worker.end()
            worked.lost(error)
            return
        del worked  # asleep, the thread keeps nothing alive
        if wait == 0.0:
            time.sleep(0)  # short iterations must not keep the notebook's own thread out
            continue
        with contextlib.suppress(Empty):
            worker._tokens.get(timeout=wait)


def as_exception(error: BaseException) -> Exception:
    """Return an error as an Exception, which can be raised again in the thread of a caller.

    A user's metric, classifier or objective may call ``sys.exit()``: in a thread it would silently
    end that thread alone, and raised again in the caller's it would end the kernel.
    """
    if isinstance(error, Exception):
        return error
    told = RuntimeError(f"computing the map raised {error!r}")
    told.__cause__ = error
    return told
