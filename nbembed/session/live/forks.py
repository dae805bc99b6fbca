"""Owners of threads, in a forked copy of the process, which has none of those threads.

The copy has the objects as they were at the fork, also the locks that a thread held just then. So
each object with a thread of its own is registered here, and told in the copy: parts before what is
made of them, since that may close them and would wait for such a lock for ever.
"""

from __future__ import annotations

import itertools
import os
import weakref
from typing import Protocol


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
