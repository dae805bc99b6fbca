"""Who hears of a session's changes."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

_logger = logging.getLogger("nbembed.session")


class Subscribers:
    """Callbacks; they are called one after the other, without any lock."""

    def __init__(self) -> None:
        # Replaced, never changed: whoever goes through it keeps the one it has.
        self._lock = threading.Lock()
        self._callbacks: tuple[Callable[[str], None], ...] = ()

    def add(self, callback: Callable[[str], None]) -> Callable[[], None]:
        """Call ``callback(event)`` from now on; return a function that ends it.

        Raises
        ------
        TypeError
            If it cannot be called.
        """
        if not callable(callback):
            raise TypeError(f"callback must be a function of an event's name, got {callback!r}")

        # An entry of its own, so that one callback added twice is removed once.
        def entry(event: str) -> None:
            callback(event)

        with self._lock:
            self._callbacks = (*self._callbacks, entry)

        def remove() -> None:
            with self._lock:
                self._callbacks = tuple(other for other in self._callbacks if other is not entry)

        return remove

    def tell(self, *events: str) -> None:
        """Call everyone with each event."""
        for event in events:
            for callback in self._callbacks:
                try:
                    callback(event)
                except Exception:
                    # A view's mistake must not stop the map or the other views.
                    _logger.exception("a subscriber failed at %r", event)
