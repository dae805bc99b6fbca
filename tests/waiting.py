"""Waiting for what another thread or process does.

A wait ends once its condition holds. Nothing is measured by its limit, which is long enough for
a machine with other work to do.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

#: Seconds after which a wait has failed.
GUARD = 60.0
#: Names of threads that end by themselves: one may be there for a while after its session rests.
PASSING = (
    "nbembed background fit",
    "nbembed cards",
    "nbembed ending",
    "nbembed making",
    "nbembed queries",
    "nbembed suggestions",
    "nbembed warm-up",
)


def eventually(condition: Callable[[], Any], timeout: float = GUARD) -> None:
    """Wait until a condition holds."""
    deadline = time.monotonic() + timeout
    while not condition():
        assert time.monotonic() < deadline, f"not so after {timeout:.0f} s"
        time.sleep(0.002)


def workers() -> set[threading.Thread]:
    """Return the threads of sessions that are alive."""
    return {thread for thread in threading.enumerate() if thread.name == "nbembed session"}


def worker_begun_by(act: Callable[..., Any], *arguments: Any) -> threading.Thread:
    """Call what gives a session its first command; return the session's worker."""
    before = workers()
    act(*arguments)
    (worker,) = workers() - before
    return worker


def is_closed(session: Any) -> bool:
    """Return whether a session takes no commands, by one that changes nothing."""
    try:
        session.restore("no such snapshot")
    except ValueError:
        return False
    except RuntimeError as error:
        return "closed" in str(error)
    raise AssertionError("there is a snapshot of that name")
