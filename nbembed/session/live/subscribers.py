"""Subscribers to a session's changes."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from nbembed.validation import shown

_logger = logging.getLogger("nbembed.session")


class Subscribers:
    """Callbacks; they are called one after the other, without any lock.

    One that raises is reported once, with its traceback, and goes on being called: a view that
    fails while its data are incomplete may work at the next event.
    """

    def __init__(self) -> None:
        # Replaced, never changed: whoever goes through it keeps the one it has.
        self._lock = threading.Lock()
        self._callbacks: tuple[_Subscriber, ...] = ()

    def add(self, callback: Callable[[str], None]) -> Callable[[], None]:
        """Call ``callback(event)`` from now on; return a function that ends it."""
        if not callable(callback):
            raise TypeError(
                f"callback must be a function of the name of an event, got {shown(callback)}"
            )

        # An entry of its own, so that one callback added twice is removed once.
        entry = _Subscriber(callback)
        with self._lock:
            self._callbacks = (*self._callbacks, entry)

        def remove() -> None:
            with self._lock:
                self._callbacks = tuple(other for other in self._callbacks if other is not entry)

        return remove

    def tell(self, *events: str) -> None:
        """Call everyone with each event."""
        for event in events:
            for subscriber in self._callbacks:
                subscriber.hear(event)


class _Subscriber:
    """One callback, and whether its failure has been reported."""

    def __init__(self, callback: Callable[[str], None]) -> None:
        self._callback = callback
        self._reported = False

    def hear(self, event: str) -> None:
        # A view's mistake must not stop the map or the other views. Not even SystemExit, which in a
        # thread would end the worker and nothing else.
        try:
            self._callback(event)
        except BaseException as error:
            if self._reported:
                _logger.debug("%r failed again at %r: %r", self._callback, event, error)
                return
            self._reported = True
            _logger.exception(
                "a subscriber failed at %r (%r); it is still called, but further errors of it "
                "are not reported",
                event,
                self._callback,
            )
