"""Waiting for what another thread or process does.

A wait ends once its condition holds. Nothing is measured by its limit, which is long enough for
a machine with other work to do.
"""

from __future__ import annotations

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
