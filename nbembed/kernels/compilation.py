"""Whether a kernel is being compiled, for those who want to say why something takes long.

Machine code is kept on disk, so this happens once for an installation and a processor.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from typing import Any

_lock = threading.Lock()
_under_way: set[int] = set()  # threads that compile
_watchers: list[weakref.WeakMethod[Callable[[], Any]]] = []


def compiling() -> bool:
    """Return whether any thread compiles a kernel now."""
    return bool(_under_way)


def watch(changed: Callable[[], Any]) -> None:
    """Call a bound method when :func:`compiling` has changed, in the thread that compiles.

    It is referenced weakly, and ends with its object.
    """
    with _lock:
        _watchers.append(weakref.WeakMethod(changed))


def begin() -> None:
    """Note that this thread begins to compile."""
    _note(_under_way.add)


def end() -> None:
    """Note that this thread has compiled what it began."""
    _note(_under_way.discard)


def _note(change: Callable[[int], None]) -> None:
    with _lock:
        before = compiling()
        change(threading.get_ident())
        changed = compiling() != before
        _watchers[:] = [watcher for watcher in _watchers if watcher() is not None]
        heard = [watcher() for watcher in _watchers] if changed else []
    for told in heard:
        if told is not None:
            told()
