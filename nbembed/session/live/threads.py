"""The threads of sessions and Explorers: begun here, ended before the interpreter, lost at a fork.

At exit the interpreter takes its world apart under daemon threads that still run, and compiled code
that is in the midst of it may crash the process. So a thread that runs such code is registered with
what stops it. All are stopped first and then waited for together, so that their number does not add
to the wait.

A forked copy of the process has none of these threads, and has the objects as they were at the
fork, also the locks that a thread held just then. So each owner of a thread is registered, and told
in the copy: parts before what is made of them, since that may close them and would wait for such a
lock for ever. Whoever forks while a thread imports a module has a copy in which that module's lock
is held for ever; so what threads import is imported before there is any.
"""

from __future__ import annotations

import atexit
import importlib
import itertools
import os
import threading
import time
import weakref
from collections.abc import Callable
from functools import cache
from typing import Any, Protocol

from nbembed.kernels.codegen.numba_adapter import import_compiler
from nbembed.system.weak_method import WeakMethod

#: Seconds that leaving the interpreter waits for all threads to finish what they are at.
PATIENCE_AT_EXIT = 5.0
#: What parts of this package import where they need it, since many who import them never do.
MODULES = (
    "scipy.linalg",
    "scipy.spatial.distance",
    "sklearn.metrics.pairwise",
    "sklearn.neighbors",
    "threadpoolctl",
)

_stops: weakref.WeakKeyDictionary[threading.Thread, WeakMethod]
_stops = weakref.WeakKeyDictionary()


def begin(
    name: str, target: Callable[..., Any], *arguments: Any, stop: Callable[[], Any] | None = None
) -> threading.Thread:
    """Return a daemon thread that has begun; RuntimeError is raised where none is to be had.

    ``stop`` is a bound method, referenced weakly, that lets the thread end soon, without waiting:
    the thread then ends before the interpreter.
    """
    thread = threading.Thread(target=target, args=arguments, name=name, daemon=True)
    if stop is not None:
        end_at_exit(thread, stop)
    thread.start()
    return thread


def end_at_exit(thread: threading.Thread, stop: Callable[[], object]) -> None:
    """Let a thread that is about to begin end before the interpreter, by what stops it."""
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


class Forked(Protocol):
    """An object that is notified of a fork."""

    def forked(self) -> None:
        """Go on without threads; called in the copy, before anything else there."""


_numbers = itertools.count()
#: In the order of registration.
_told: weakref.WeakValueDictionary[int, Forked] = weakref.WeakValueDictionary()


def tell_of_forks(one: Forked) -> None:
    """Call ``one.forked()`` in each forked copy of the process, as long as ``one`` is alive.

    Those that were registered first are called first.
    """
    _told[next(_numbers)] = one


def _tell_all() -> None:
    for one in list(_told.values()):
        one.forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_tell_all)


@cache
def import_for_threads() -> None:
    """Import what threads need, in the caller's thread."""
    import_compiler()
    for name in MODULES:
        importlib.import_module(name)
