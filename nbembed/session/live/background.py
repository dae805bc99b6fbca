"""Background tasks: whatever is made, learned, measured, answered or saved beside the map.

A learning metric, a classifier, or the neighbors of many points may take seconds or minutes.
Meanwhile the map goes on with what there was. A task has one thread at most, which lives while
there are requests; of those that wait only the newest are kept. It can be canceled wherever it
counts its work (:mod:`nbembed.system.work`) and between the chunks of a kernel.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from nbembed.kernels.threads import Interrupted, interruptible
from nbembed.session.live.progress import Progress
from nbembed.session.live.threads import begin, tell_of_forks
from nbembed.session.live.worker import as_exception
from nbembed.system.weak_method import WeakMethod
from nbembed.system.work import reported

_logger = logging.getLogger("nbembed.session")

#: Seconds after which somebody who waits hears how far it has come, and again after each of them.
TOLD_EVERY = 0.5


class Result(NamedTuple):
    """The result of a request: a value, or the error it ended with, and remarks on the way.

    ``first`` marks a first answer, which has no key: the request is still being executed.
    """

    key: Any
    value: Any = None
    error: Exception | None = None
    remarks: tuple[str, ...] = ()
    first: bool = False


class BackgroundTask:
    """Executes requests one by one in a thread; of those that wait the newest are kept.

    Requests have keys, which are compared by ``==``; of one key only the newest waits. The thread
    ends when no request is left, and refers to nothing but its requests.

    * ended, counted: bound methods, called without a lock of this object in the thread: at the end
      of a request, and where work is counted. They are referenced weakly, so that the thread does
      not keep their objects alive.
    * every: seconds between two calls of ``counted``; with 0 it is called for each per cent.
    * over: called in the thread during a request; true once nobody will want the result.
    * most: requests that may wait; the oldest is dropped.
    * newest_first: whether the newest of those that wait comes first, and not the oldest.
    """

    def __init__(
        self,
        name: str,
        ended: Callable[[], None] | None = None,
        counted: Callable[[], None] | None = None,
        *,
        every: float = TOLD_EVERY,
        over: Callable[[], bool] = lambda: False,
        most: int = 1,
        newest_first: bool = False,
    ) -> None:
        self._name = name
        self._ended = None if ended is None else WeakMethod(ended)
        self._heard = None if counted is None else WeakMethod(counted)
        self._every = every
        self._over = over
        self._most = most
        self._place = -1 if newest_first else 0
        self._changed = threading.Condition()
        self._present: tuple[Any, Callable[[], Any]] | None = None
        self._pending: list[tuple[Any, Callable[[], Any]]] = []
        self._newest: Result | None = None
        self._untaken: Result | None = None
        self._progress: Progress | None = None
        self._counting = Progress("", 0, 0)
        self._told = 0.0
        self._closed = False
        self._unwanted = False
        tell_of_forks(self)

    @property
    def newest(self) -> Result | None:
        """The last result."""
        with self._changed:
            return self._newest

    @property
    def busy(self) -> bool:
        """True if a request is being executed."""
        with self._changed:
            return self._present is not None

    @property
    def awaited(self) -> bool:
        """True if a request is being executed, or its result has not been taken."""
        with self._changed:
            return self._present is not None or self._untaken is not None

    @property
    def progress(self) -> Progress | None:
        """Progress of the present request, ``None`` before that is worth reporting."""
        return self._progress

    def put(self, key: Any, make: Callable[[], Any]) -> None:
        """Execute a request soon, in any case."""
        with self._changed:
            begun = self._closed or self._put(key, make)
        if not begun:
            _call(self._ended)

    def ask(self, key: Any, make: Callable[[], Any], *, alone: bool = False) -> Result | None:
        """Return the last result, and begin to make the one of ``key`` unless it is that.

        With ``alone``, no other result is wanted any more: if the last result is that of ``key``,
        the present request is canceled, so that its result does not take that one's place.
        """
        with self._changed:
            newest, present = self._newest, self._present
            if self._closed:
                return newest
            if newest is not None and newest.key == key:
                if alone:
                    self._cancel()
            elif present is not None and present[0] == key and not self._unwanted:
                self._pending.clear()  # what was asked for meanwhile is no longer wanted
            else:
                self._put(key, make)
            return newest

    def take(self) -> Result | None:
        """Return the last result, once, and keep it no longer; ``None`` while there is none."""
        with self._changed:
            result, self._untaken = self._untaken, None
            if result is self._newest:
                self._newest = None
            return result

    def wait(
        self,
        key: Any,
        make: Callable[[], Any],
        timeout: float | None,
        *,
        alone: bool = False,
    ) -> Result | None:
        """Return the result of a request, ``None`` if it takes longer or never comes."""

        def found() -> bool:
            return self._newest is not None and self._newest.key == key

        def wanted() -> bool:
            present = [] if self._unwanted or self._present is None else [self._present]
            return any(one[0] == key for one in present + self._pending)

        if timeout is not None:
            timeout = min(timeout, threading.TIMEOUT_MAX)
        self.ask(key, make, alone=alone)
        with self._changed:
            self._changed.wait_for(lambda: found() or not wanted(), timeout)
            return self._newest if found() else None

    def rest(self, timeout: float) -> bool:
        """Wait until no request is being executed; return whether it is so."""
        with self._changed:
            return self._changed.wait_for(lambda: self._present is None, timeout)

    def given_up(self) -> bool:
        """Return whether nobody wants the present request's result any more."""
        return self._unwanted or self._over()

    def cancel(self) -> bool:
        """Give up what is being made and what waits; return whether there was anything."""
        with self._changed:
            wanted = self._present is not None and not self._unwanted
            self._cancel()
            return wanted

    def drop(self, unwanted: Callable[[Any], bool]) -> None:
        """Give up those requests that wait of whose keys this is true."""
        with self._changed:
            self._pending = [one for one in self._pending if not unwanted(one[0])]

    def meanwhile(self, value: Any) -> None:
        """Give a first answer to what is being made, for those who do not wait (in the thread)."""
        with self._changed:
            if self._unwanted:
                return
            self._newest = self._untaken = Result(None, value, first=True)
        _call(self._ended)

    def close(self) -> None:
        """Make nothing any more; what was made last can still be read."""
        with self._changed:
            self._closed = True
            self._cancel()

    def forked(self) -> None:
        """Go on without the thread, which a forked copy of the process does not have."""
        self._changed = threading.Condition()  # the thread may have held it
        self._present = None
        self._pending = []
        self._closed, self._unwanted = True, False

    def _cancel(self) -> None:
        self._pending = []
        self._untaken = None
        self._unwanted = self._present is not None
        self._changed.notify_all()

    def _put(self, key: Any, make: Callable[[], Any]) -> bool:
        """Let a request wait; return whether there is a thread for it."""
        others = [one for one in self._pending if one[0] != key]
        self._pending = [*others, (key, make)][-self._most :]
        if self._present is not None:
            return True
        self._next()
        try:
            begin(self._name, self._work, stop=self.close)
            return True
        except RuntimeError as error:  # no thread is to be had; the next request tries again
            _logger.info("%s could not be started", self._name, exc_info=True)
            self._present = None
            self._pending.append((key, make))
            self._newest = self._untaken = Result(key, error=error)
            return False

    def _next(self) -> None:
        """Let what waits first be the present request."""
        self._present = self._pending.pop(self._place) if self._pending else None
        self._unwanted = False
        self._progress = None
        self._changed.notify_all()

    def _work(self) -> None:
        """Execute requests until none waits (in the thread)."""
        while self._present is not None:
            key, make = self._present
            heard = _Heard(self)
            self._counting, self._told = Progress("", 0, 0), time.monotonic()
            try:
                with reported(heard), interruptible(self.given_up):
                    made: Result | None = Result(key, make(), remarks=tuple(heard.remarks))
            except Interrupted:
                made = None
            except BaseException as error:  # SystemExit too, of a user's metric
                made = Result(key, error=as_exception(error), remarks=tuple(heard.remarks))
            del make  # asleep, the thread keeps nothing alive
            with self._changed:
                if made is not None and not self._unwanted:
                    self._newest = self._untaken = made
                self._next()
                done = self._present is None
            _call(self._ended)
            if done:  # another thread may have begun since
                return


class _Heard:
    """Hears wherever a request counts its work, or warns."""

    def __init__(self, task: BackgroundTask) -> None:
        self._task = task
        self.remarks: list[str] = []

    def count(self, name: str, done: int, total: int) -> None:
        task = self._task
        if task.given_up():
            raise Interrupted
        progress, now = task._counting.counted(name, done, total), time.monotonic()
        task._counting = progress
        if now - task._told < task._every:
            return
        before, task._progress, task._told = task._progress, progress, now
        same = before is not None and (before.stage, before.percent) == (
            progress.stage,
            progress.percent,
        )
        if task._every or not same:
            _call(task._heard)

    def remark(self, text: str) -> None:
        if text not in self.remarks:
            self.remarks.append(text)


def _call(method: WeakMethod | None) -> None:
    # No name is left in the thread that keeps anyone alive.
    bound = None if method is None else method()
    if bound is not None:
        bound()


class DeferredTask:
    """Calls an action whenever it is due, in a thread that lives until this is closed."""

    def __init__(self, name: str, action: Callable[[], object]) -> None:
        self._action = action
        self._changed = threading.Condition()
        self._due: float | None = None
        self._earliest = 0.0
        self._closed = False
        begin(name, self._work)

    @property
    def closed(self) -> bool:
        """True if nothing is done any more."""
        return self._closed

    def at(self, when: float) -> None:
        """Let the action be due then, and not before; times are those of ``time.monotonic()``."""
        with self._changed:
            sooner = self._due is None or when < self._due
            self._due = when
            if sooner:
                self._changed.notify_all()

    def by(self, when: float) -> None:
        """Let the action be due then at the latest."""
        with self._changed:
            if self._due is None or when < self._due:
                self.at(when)

    def not_before(self, when: float) -> None:
        """Let the action wait until then, whenever it is due."""
        with self._changed:
            self._earliest = when

    def close(self) -> bool:
        """End the thread, without waiting for it; return whether the action was due, or will be."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            return self._due is not None

    def _work(self) -> None:
        while True:
            with self._changed:
                while not self._closed:
                    now = time.monotonic()
                    left = None if self._due is None else max(self._due, self._earliest) - now
                    if left is not None and left <= 0:
                        break
                    self._changed.wait(left)
                if self._closed:
                    return
                self._due = None
            self._action()
