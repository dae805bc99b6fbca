"""Refusal of work that would not fit into memory, before it starts, with the bytes needed.

The limit is the machine's memory, or that of the container where the process runs in one, and not
what happens to be free: the same call is refused or not whatever else is running.
"""

from __future__ import annotations

import ctypes
import os
import sys
from pathlib import Path

#: Files in which Linux says how much memory the processes of a container may use.
LIMITS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


def check_memory(needed: float, what: str, instead: str) -> None:
    """Raise ValueError if ``needed`` bytes are more than this process may use.

    The error begins with ``what`` takes them, as ``"affinities of all 70000 × 70000 pairs"``, and
    ends with the option that takes less, as ``'affinity="perplexity"'``. Where the limit is
    unknown, nothing is refused.
    """
    limit = memory_limit()
    if limit is not None and needed > limit:
        raise ValueError(
            f"{what} would take {in_bytes(needed)} of memory, but this machine has "
            f"{in_bytes(limit)}; use {instead}"
        )


def memory_limit() -> int | None:
    """Return the bytes that this process may use; ``None`` where the system does not say."""
    found = [number for path in LIMITS if (number := _number_in(path)) is not None]
    machine = _windows_memory() if sys.platform == "win32" else _posix_memory()
    return min([*found, *([] if machine is None else [machine])], default=None)


def in_bytes(number: float) -> str:
    """Return a number of bytes in words: ``19.6 GB``."""
    size, unit = float(number), "bytes"
    for larger in ("kB", "MB", "GB", "TB", "PB", "EB"):
        if size < 1000:
            break
        size, unit = size / 1000, larger
    return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.3g} {unit}"


def _number_in(path: Path) -> int | None:
    try:
        return int(path.read_text())
    except (OSError, ValueError):  # no such file, or "max": no limit
        return None


def _posix_memory() -> int | None:
    try:
        return int(os.sysconf("SC_PHYS_PAGES")) * int(os.sysconf("SC_PAGE_SIZE"))
    except (AttributeError, OSError, ValueError):  # the system does not tell
        return None


class _MemoryStatus(ctypes.Structure):
    """MEMORYSTATUSEX of the Windows API."""

    _fields_ = (
        ("dwLength", ctypes.c_ulong),
        ("dwMemoryLoad", ctypes.c_ulong),
        ("ullTotalPhys", ctypes.c_ulonglong),
        ("ullAvailPhys", ctypes.c_ulonglong),
        ("ullTotalPageFile", ctypes.c_ulonglong),
        ("ullAvailPageFile", ctypes.c_ulonglong),
        ("ullTotalVirtual", ctypes.c_ulonglong),
        ("ullAvailVirtual", ctypes.c_ulonglong),
        ("ullAvailExtendedVirtual", ctypes.c_ulonglong),
    )


def _windows_memory() -> int | None:
    status = _MemoryStatus(dwLength=ctypes.sizeof(_MemoryStatus))
    kernel = getattr(ctypes, "windll").kernel32  # noqa: B009 - not there on other systems
    if not kernel.GlobalMemoryStatusEx(ctypes.byref(status)):
        return None
    return int(status.ullTotalPhys)
