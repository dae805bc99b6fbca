"""A flag that a kernel is being compiled, so that long waits can be explained.

Machine code is kept on disk, so this happens once for an installation and a processor.
"""

from __future__ import annotations

import contextlib
import threading
import weakref
from collections.abc import Callable, Iterator
from types import MethodType
from typing import Any

_lock = threading.Lock()
_under_way: dict[int, int] = {}  # how many kernels each thread is at: one may call another
_watchers: list[tuple[weakref.ref[Any], Callable[[Any], Any]]] = []  # object and function


def compiling() -> bool:
    """Return whether any thread compiles a kernel now."""
    return bool(_under_way)


def watch(changed: Callable[[], Any]) -> None:
    """Call a bound method when :func:`compiling` has changed, in the thread that compiles.

    Its object is referenced weakly, and the calls end with it.
    """
    assert isinstance(changed, MethodType)
    with _lock:
        _watchers.append((weakref.ref(changed.__self__), changed.__func__))


@contextlib.contextmanager
def under_way() -> Iterator[None]:
    """Note that this thread compiles in the block, however it is left."""
    _note(1)
    try:
        yield
    finally:
        _note(-1)


def _note(more: int) -> None:
    with _lock:
        before, thread = compiling(), threading.get_ident()
        _under_way[thread] = _under_way.get(thread, 0) + more
        if not _under_way[thread]:
            del _under_way[thread]
        changed = compiling() != before
        _watchers[:] = [watcher for watcher in _watchers if watcher[0]() is not None]
        heard = [_method(*watcher) for watcher in _watchers] if changed else []
    for told in heard:
        if told is not None:
            told()


def _method(owner: weakref.ref[Any], function: Callable[[Any], Any]) -> Callable[[], Any] | None:
    # By hand: as the interpreter ends, weakref.WeakMethod reports an error.
    there = owner()
    return None if there is None else MethodType(function, there)
