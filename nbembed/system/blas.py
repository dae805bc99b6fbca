"""One BLAS thread for the linear algebra on which a result depends.

BLAS and LAPACK sum in an order that depends on the number of their threads. The difference is
rounding, but an eigenbasis, a nearest neighbor among ties or a long descent can magnify it, and the
same seed would give another map on a machine with more cores. So these steps run on one thread:

    with one_blas_thread():
        values, vectors = eigh(K)

Sums over pairs of points, which take most of the time, are the package's own: its threads add in a
fixed order and are not limited.
"""

from __future__ import annotations

import os
import threading
from contextlib import ContextDecorator
from typing import Any

_lock = threading.Lock()
#: BLAS libraries, None before the first block; those whose number of threads is the whole process's
#: first, then those that have one for each thread.
_libraries: tuple[list[Any], list[Any]] | None = None
_inside = 0
_shared_before: list[int] = []
_mine = threading.local()


class one_blas_thread(ContextDecorator):
    """Limit BLAS to one thread within a ``with`` block or a decorated function.

    Most BLAS libraries have one limit for the whole process. It is set by the first block that is
    entered, in whatever thread, and lifted when the last one is left: blocks may nest and overlap,
    and do not wait for each other.
    """

    def __enter__(self) -> None:
        global _libraries, _inside, _shared_before
        with _lock:
            if _libraries is None:
                _libraries = _find()
            shared, own = _libraries
            if _inside == 0:
                _shared_before = [library.num_threads for library in shared]
                _set(shared, [1] * len(shared))
            _inside += 1
            depth = getattr(_mine, "depth", 0)
            if depth == 0:
                _mine.before = [library.num_threads for library in own]
                _set(own, [1] * len(own))
            _mine.depth = depth + 1

    def __exit__(self, *_: object) -> None:
        global _inside
        assert _libraries is not None
        shared, own = _libraries
        with _lock:
            _mine.depth -= 1
            if _mine.depth == 0:
                _set(own, _mine.before)
            # A child that was forked inside a block has begun to count anew.
            _inside = max(_inside - 1, 0)
            if _inside == 0:
                _set(shared, _shared_before)


def _find() -> tuple[list[Any], list[Any]]:
    """Return the loaded BLAS libraries; looking for them takes milliseconds."""
    import scipy.linalg  # noqa: F401  # brings a BLAS of its own, which must be loaded to be found
    from threadpoolctl import ThreadpoolController

    found = ThreadpoolController().select(user_api="blas").lib_controllers
    own = [lib for lib in found if getattr(lib, "threading_layer", "") == "openmp"]
    return [lib for lib in found if lib not in own], own


def _set(libraries: list[Any], numbers: list[int]) -> None:
    for library, number in zip(libraries, numbers):
        # threadpoolctl lets only the thread that set a number set another one: our last block may
        # be left in another thread than the first was entered in.
        release = getattr(library, "clear_controlling_thread", None)
        if release is not None:
            release(force=True)
        library.set_num_threads(number)
        if release is not None:
            release(force=True)


def _forget_other_threads() -> None:
    """Begin anew in a forked child: blocks that other threads are inside of stay in the parent."""
    global _lock, _inside
    _lock, _inside = threading.Lock(), 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_other_threads)
