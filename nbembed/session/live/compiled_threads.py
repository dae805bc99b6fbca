"""Threads that run compiled code end before the interpreter does.

At exit the interpreter takes its world apart under daemon threads that still run, and compiled code
that is in the midst of it may crash the process. So each such thread is registered here with what
stops it. All are stopped first and then waited for together, so that their number does not add to
the wait.
"""

from __future__ import annotations

import atexit
import threading
import time
import weakref
from collections.abc import Callable

from nbembed.system.weak_method import WeakMethod

#: Seconds that leaving the interpreter waits for all threads to finish what they are at.
PATIENCE_AT_EXIT = 5.0

_stops: weakref.WeakKeyDictionary[threading.Thread, WeakMethod]
_stops = weakref.WeakKeyDictionary()


def end_at_exit(thread: threading.Thread, stop: Callable[[], object]) -> None:
    """Let a thread that is about to begin end before the interpreter.

    ``stop`` is a bound method, referenced weakly, that lets the thread end soon. It does not wait.
    """
    _stops[thread] = WeakMethod(stop)


@atexit.register
def _end_all() -> None:
    threads = []
    for ref in _stops.keyrefs():  # a copy, since threads may begin meanwhile
        thread = ref()
        if thread is not None and thread.is_alive():
            threads.append(thread)
            stop = _stops[thread]()
            if stop is not None:
                stop()
    deadline = time.monotonic() + PATIENCE_AT_EXIT
    for thread in threads:
        thread.join(max(0.0, deadline - time.monotonic()))
