"""Memory, threads and sessions of this process."""

from __future__ import annotations

import gc
import threading
import weakref
from pathlib import Path

from nbembed.session import Session

#: How the threads of the pool are called that all maps of a process share until it ends
#: (:mod:`nbembed.kernels.threads`). It starts when first needed.
POOL = "nbembed_"
#: Seconds after which something that should have come is taken for missing.
GUARD = 120.0


def resident_memory() -> int | None:
    """Return the resident memory of this process in MiB; ``None`` where it cannot be read."""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
    except OSError:
        return None
    lines = (line for line in status.splitlines() if line.startswith("VmRSS:"))
    return next((int(line.split()[1]) // 1024 for line in lines), None)


def live_sessions() -> weakref.WeakSet[Session]:
    """Return the sessions that something in this process still holds."""
    gc.collect()
    # By type: a weak proxy that has outlived its object raises when its class is asked for.
    return weakref.WeakSet(each for each in gc.get_objects() if issubclass(type(each), Session))


def sessions_after(before: weakref.WeakSet[Session]) -> int:
    """Return the number of sessions that are held and were not ``before``.

    Each is looked for, since one of those before may be freed meanwhile: numbers would then balance
    it against one that is left behind.
    """
    return len(live_sessions() - before)


def threads_after(before: set[threading.Thread]) -> list[str]:
    """Return the names of threads that did not exist ``before`` and do not end."""
    left = _begun_since(before)
    while left:
        for thread in left:
            thread.join(GUARD)
        alive = [thread.name for thread in left if thread.is_alive()]
        if alive:
            return alive
        left = _begun_since(before)  # by those that have ended
    return []


def _begun_since(before: set[threading.Thread]) -> list[threading.Thread]:
    return [
        thread
        for thread in threading.enumerate()
        if thread not in before and not thread.name.startswith(POOL)
    ]
