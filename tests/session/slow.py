"""A fake method whose affinities take as long as a test wants, and count what is done."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Any

from nbembed.methods.recipe import Start
from nbembed.system.work import stage, warn
from tests.session.fake import Fake, Learning
from tests.waiting import GUARD

#: Rows that are counted, and how many are done before the gate.
ROWS, BEFORE = 10, 4
#: Cleared, it holds affinities at ``BEFORE`` of ``ROWS``, and starts, until it is set again.
gate = threading.Event()
gate.set()
#: Widths of the affinities that were begun, and of those that were made.
begun: list[float] = []
made: list[float] = []
#: Set to an exception to let affinities end with it, or to a text to let them warn.
trouble: list[Any] = []


def work(name: str) -> None:
    """Count to the gate, wait there for as long as nobody gives up, and count on."""
    counting = stage(name, ROWS)
    for row in range(ROWS):
        deadline = time.monotonic() + GUARD
        while row == BEFORE and not gate.is_set():
            counting.advance(0)
            assert time.monotonic() < deadline
            gate.wait(0.001)
        counting.advance(1)


@dataclass(frozen=True, eq=False)
class Slow(Fake):
    def make_affinities(self, X: Any, supervision: Any = None) -> Any:
        begun.append(self.width)
        work("finding neighbors")
        for found in trouble:
            if isinstance(found, BaseException):
                raise found
            warn(found)
        made.append(self.width)
        return super().make_affinities(X, supervision)


@dataclass(frozen=True, eq=False)
class Other(Slow):
    """Another method to switch to."""


@dataclass(frozen=True, eq=False)
class SlowStart(Fake):
    def make_start(self, X: Any, affinities: Any, supervision: Any, rng: Any) -> Start:
        work("laying out")
        return super().make_start(X, affinities, supervision, rng)


@dataclass(frozen=True, eq=False)
class SlowLearning(Learning):
    def make_affinities(self, X: Any, supervision: Any = None) -> Any:
        if supervision.labeled.size:
            work("fitting mixtures")
        return super().make_affinities(X, supervision)


@dataclass(frozen=True, eq=False)
class SlowClasses(Slow):
    """A method with affinities for a number of classes."""

    def n_classes_for(self, supervision: Any) -> int:
        return len(supervision.classes)


KINDS = (Slow, Other, SlowStart, SlowLearning, SlowClasses)


def clean() -> None:
    begun.clear()
    made.clear()
    trouble.clear()
    gate.set()
