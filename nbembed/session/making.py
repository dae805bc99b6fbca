"""What somebody only wants to look at and takes long, made in a thread of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Any, NamedTuple

from nbembed.kernels.threads import Interrupted, interruptible
from nbembed.session.worker import as_exception


class Made(NamedTuple):
    """What came of a request: a value, or the error it ended with."""

    key: Any
    value: Any = None
    error: Exception | None = None


class Making:
    """Makes one thing after the other; of requests that wait only the last is kept.

    The thread ends when nothing is left to make, and refers to nothing but what it makes.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._present: tuple[Hashable, Callable[[], Any]] | None = None
        self._pending: tuple[Hashable, Callable[[], Any]] | None = None
        self._newest: Made | None = None
        self._closed = False
        self._unwanted = False

    @property
    def newest(self) -> Made | None:
        """What was made last."""
        with self._changed:
            return self._newest

    def ask(self, key: Hashable, make: Callable[[], Any]) -> Made | None:
        """Return what was made last, and begin to make what ``key`` names unless it is that."""
        with self._changed:
            newest = self._newest
            if self._closed or (newest is not None and newest.key == key):
                return newest
            if self._present is None:
                self._begin(key, make)
            elif self._present[0] != key or self._unwanted:
                self._pending = key, make
            else:
                self._pending = None  # what was asked for meanwhile is no longer wanted
            return newest

    def wait(self, key: Hashable, make: Callable[[], Any], timeout: float | None) -> Made | None:
        """Return what comes of a request, ``None`` if it takes longer or never comes."""

        def found() -> bool:
            return self._newest is not None and self._newest.key == key

        def wanted() -> bool:
            waits = (None if self._unwanted else self._present, self._pending)
            return any(one is not None and one[0] == key for one in waits)

        self.ask(key, make)
        with self._changed:
            self._changed.wait_for(lambda: found() or not wanted(), timeout)
            return self._newest if found() else None

    def cancel(self) -> None:
        """Give up what is being made and what waits."""
        with self._changed:
            self._pending = None
            self._unwanted = self._present is not None
            self._changed.notify_all()

    def close(self) -> None:
        """Make nothing any more."""
        with self._changed:
            self._closed = True
        self.cancel()

    def _begin(self, key: Hashable, make: Callable[[], Any]) -> None:
        self._present, self._unwanted = (key, make), False
        thread = threading.Thread(target=self._make_all, name="nbembed making", daemon=True)
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
            try:
                with interruptible(lambda: self._unwanted):
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
                self._changed.notify_all()
                if self._present is None:
                    return
