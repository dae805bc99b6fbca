"""Background tasks for read-only results."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from nbembed.kernels.threads import Interrupted, interruptible
from nbembed.session.live.compiled_threads import end_at_exit
from nbembed.session.live.forks import tell_of_forks
from nbembed.session.live.progress import Progress
from nbembed.session.live.worker import as_exception
from nbembed.system.weak_method import WeakMethod
from nbembed.system.work import reported

#: Seconds after which somebody who waits hears how far it has come, and again after each of them.
TOLD_EVERY = 0.5


class Made(NamedTuple):
    """The result of a request: a value, or the error it ended with."""

    key: Any
    value: Any = None
    error: Exception | None = None


class Making:
    """Executes requests one by one in a thread; of those that wait only the last is kept.

    Requests have keys, which are compared by ``==``. The thread ends when no request is left, and
    refers to nothing but its requests.

    * tell: a bound method, called without a lock of this object in the thread at the end of a
      request, and where work is counted that takes longer than :data:`TOLD_EVERY`. It is
      referenced weakly, so that the thread does not keep its object alive.
    * over: called in the thread during a request; true once nobody will want the result.
    """

    def __init__(
        self,
        name: str = "nbembed making",
        tell: Callable[[], None] | None = None,
        over: Callable[[], bool] = lambda: False,
    ) -> None:
        self._name = name
        self._over = over
        self._tell = None if tell is None else WeakMethod(tell)
        self._changed = threading.Condition()
        self._present: tuple[Any, Callable[[], Any]] | None = None
        self._pending: tuple[Any, Callable[[], Any]] | None = None
        self._newest: Made | None = None
        self._progress: Progress | None = None
        self._counting = Progress("", 0, 0)
        self._told = 0.0
        self._closed = False
        self._unwanted = False
        tell_of_forks(self)

    @property
    def newest(self) -> Made | None:
        """The last result."""
        with self._changed:
            return self._newest

    @property
    def busy(self) -> bool:
        """True if a request is being executed."""
        with self._changed:
            return self._present is not None

    @property
    def progress(self) -> Progress | None:
        """Progress of the present request, ``None`` before that is worth reporting."""
        return self._progress

    def ask(self, key: Any, make: Callable[[], Any], *, alone: bool = False) -> Made | None:
        """Return the last result, and begin to make the one of ``key`` unless it is that.

        With ``alone``, no other result is wanted any more: if the last result is that of ``key``,
        the present request is canceled, so that its result does not take that one's place.
        """
        with self._changed:
            newest = self._newest
            if self._closed:
                return newest
            if newest is not None and newest.key == key:
                if alone:
                    self._cancel()
                return newest
            if self._present is None:
                self._begin(key, make)
            elif self._unwanted or self._present[0] != key:
                self._pending = key, make
            else:
                self._pending = None  # what was asked for meanwhile is no longer wanted
            return newest

    def wait(
        self,
        key: Any,
        make: Callable[[], Any],
        timeout: float | None,
        *,
        alone: bool = False,
    ) -> Made | None:
        """Return the result of a request, ``None`` if it takes longer or never comes."""

        def found() -> bool:
            return self._newest is not None and self._newest.key == key

        def wanted() -> bool:
            waits = (None if self._unwanted else self._present, self._pending)
            return any(one is not None and one[0] == key for one in waits)

        if timeout is not None:
            timeout = min(timeout, threading.TIMEOUT_MAX)
        self.ask(key, make, alone=alone)
        with self._changed:
            self._changed.wait_for(lambda: found() or not wanted(), timeout)
            return self._newest if found() else None

    def given_up(self) -> bool:
        """Return whether nobody wants the present request's result any more."""
        return self._unwanted or self._over()

    def cancel(self) -> bool:
        """Give up what is being made and what waits; return whether there was anything."""
        with self._changed:
            wanted = self._present is not None and not self._unwanted
            self._cancel()
            return wanted

    def counted(self, name: str, done: int, total: int) -> None:
        """Hear how far the work has come; raise `Interrupted` if nobody wants it any more."""
        if self.given_up():
            raise Interrupted
        progress, now = self._counting.counted(name, done, total), time.monotonic()
        self._counting = progress
        if now - self._told < TOLD_EVERY:
            return
        self._progress, self._told = progress, now
        self._tell_all()

    def meanwhile(self, value: Any) -> None:
        """Give a first answer to what is being made, for those who do not wait (in the thread)."""
        with self._changed:
            if self._unwanted:
                return
            self._newest = Made(object(), value)  # the key of no request: who waits goes on waiting
        self._tell_all()

    def close(self) -> None:
        """Make nothing any more; what was made last can still be read."""
        with self._changed:
            self._closed = True
            self._cancel()

    def forked(self) -> None:
        """Go on without the thread, which a forked copy of the process does not have."""
        self._changed = threading.Condition()  # the thread may have held it
        self._present = self._pending = None
        self._closed, self._unwanted = True, False

    def _tell_all(self) -> None:
        # No name is left in the thread that keeps anyone alive.
        tell = None if self._tell is None else self._tell()
        if tell is not None:
            tell()

    def _cancel(self) -> None:
        self._pending = None
        self._unwanted = self._present is not None
        self._changed.notify_all()

    def _begin(self, key: Any, make: Callable[[], Any]) -> None:
        self._present, self._unwanted = (key, make), False
        thread = threading.Thread(target=self._make_all, name=self._name, daemon=True)
        end_at_exit(thread, self.close)
        try:
            thread.start()
        except RuntimeError as error:  # no thread is to be had: a result like any other error
            self._present, self._newest = None, Made(key, error=error)

    def _make_all(self) -> None:
        """Make what is asked for, until nothing is pending (in the thread)."""
        while True:
            with self._changed:
                if self._present is None:
                    return
                key, make = self._present
            self._counting, self._told = Progress("", 0, 0), time.monotonic()
            try:
                with reported(_Counts(self)), interruptible(self.given_up):
                    made: Made | None = Made(key, make())
            except Interrupted:
                made = None
            except BaseException as error:  # SystemExit too, of a user's metric
                made = Made(key, error=as_exception(error))
            del make  # asleep, the thread keeps nothing alive
            with self._changed:
                if made is not None and not self._unwanted:
                    self._newest = made
                self._present, self._pending, self._unwanted = self._pending, None, False
                self._progress = None
                done = self._present is None
                self._changed.notify_all()
            self._tell_all()
            if done:
                return


class _Counts:
    """Hears wherever work counts what is done."""

    def __init__(self, making: Making) -> None:
        self._making = making

    def count(self, name: str, done: int, total: int) -> None:
        self._making.counted(name, done, total)

    def remark(self, text: str) -> None:
        pass
