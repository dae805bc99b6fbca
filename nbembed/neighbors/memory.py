"""Neighbors that were found before, of data that cannot change: those of a session.

Its affinities take the nearest neighbors at one perplexity after the other, its suggestions and
measures take them again. They are searched once: fewer neighbors are the first of more. A result
does not depend on what was found before, because the exact search orders neighbors in one way, and
the approximate one always searches the number on a rung of :data:`RUNGS`.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np

from nbembed.data.distances import same_metric
from nbembed.neighbors.found import Neighbors

#: Numbers of neighbors that the approximate search finds; fewer are taken from the front.
RUNGS = (96, 192, 384, 768)
#: Neighbors of one data set that are kept at most, at 12 bytes each.
MOST = 8_000_000

_memories: dict[int, Memory] = {}
if hasattr(os, "register_at_fork"):  # a copy has no thread that would end the search it waits for
    os.register_at_fork(after_in_child=_memories.clear)


class Memory:
    """The neighbors that were found in one data set, in the metric that was asked for last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._metric: Any = None
        #: By whether the search was approximate and the number searched, the latest last.
        self._found: dict[tuple[bool, int], Neighbors] = {}

    def find(
        self, k: int, most: int, metric: Any, approximate: bool, make: Callable[[int], Neighbors]
    ) -> Neighbors:
        """Return the k nearest of ``most`` neighbors; ``make`` searches a number of them."""
        with self._lock:  # who asks meanwhile waits for the same search
            if not same_metric(self._metric, metric):
                self._metric, self._found = metric, {}
            size = rung(k, most) if approximate else self._exact(k, most)
            known = self._found.get((approximate, size))
            if known is None:
                known = make(size)
                self._keep((approximate, size), known)
        return cut(known, k)

    def known(self, k: int, metric: Any) -> Neighbors | None:
        """Return the k nearest neighbors if they were found before; a search is not waited for."""
        if not self._lock.acquire(blocking=False):
            return None
        try:
            same = same_metric(self._metric, metric)
            enough = [key for key in self._found if same and key[1] >= k]
            return cut(self._found[min(enough)], k) if enough else None
        finally:
            self._lock.release()

    def _exact(self, k: int, most: int) -> int:
        """Return a number that was searched and suffices; else one that serves the next, too."""
        sizes = [size for approximate, size in self._found if not approximate]
        enough = [size for size in sizes if size >= k]
        return min(enough) if enough else max(k, min(2 * max(sizes, default=0), most))

    def _keep(self, key: tuple[bool, int], found: Neighbors) -> None:
        self._found[key] = found._replace(indices=found.indices.astype(np.int32))
        while sum(kept.indices.size for kept in self._found.values()) > MOST:
            del self._found[next(iter(self._found))]


def cut(found: Neighbors, k: int) -> Neighbors:
    """Return the first k of the neighbors of each point, as arrays of their own."""
    indices, distances = found.indices[:, :k].astype(np.intp), found.distances[:, :k].copy()
    return Neighbors(indices, distances, found.recall)


def remember(X: Any) -> None:
    """Keep the neighbors that are found in an array, for as long as it lives."""
    if isinstance(X, np.ndarray) and not X.flags.writeable and id(X) not in _memories:
        _memories[id(X)] = Memory()
        weakref.finalize(X, _memories.pop, id(X), None)


def memory_of(X: Any) -> Memory | None:
    """Return the memory of an array, if its neighbors are kept."""
    return _memories.get(id(X))


def known_neighbors(X: Any, k: int, metric: Any) -> Neighbors | None:
    """Return the k nearest neighbors of all points of an array if they were found before."""
    memory = memory_of(X)
    return None if memory is None else memory.known(k, metric)


def rung(k: int, most: int) -> int:
    """Return the number of neighbors that the approximate search finds for k wanted of ``most``."""
    return next((min(step, most) for step in RUNGS if step >= k), k)
