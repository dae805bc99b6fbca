"""The memory that work takes at its peak, measured in a process that does nothing else.

``tracemalloc`` counts what all threads of a process take, also those that earlier tests left.
"""

from __future__ import annotations

import multiprocessing
import tracemalloc
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any


def peak_memory(work: Callable[..., Any], *arguments: Any) -> int:
    """Return the bytes that ``work(*arguments)`` takes at its peak, beside its arguments.

    ``work`` is a function of a module, so that another process finds it. What it compiles is
    compiled by a call before, with the same arguments.
    """
    spawned = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=spawned) as pool:
        return pool.submit(_measured, work, arguments).result()


def _measured(work: Callable[..., Any], arguments: tuple[Any, ...]) -> int:
    work(*arguments)
    tracemalloc.start()
    work(*arguments)
    return tracemalloc.get_traced_memory()[1]
