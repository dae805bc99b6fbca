"""What an epoch found: counts, and failures in words."""

from __future__ import annotations

import traceback
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass
class Outcome:
    """Counts and failures of one subject, one epoch or one run.

    Attributes
    ----------
    counts : Counter of str
        How many of each thing were done.
    failures : list of str
        One entry for each promise that did not hold; empty in a clean run.
    """

    counts: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    def add(self, other: Outcome) -> None:
        """Add what another outcome found."""
        self.counts.update(other.counts)
        self.failures.extend(other.failures)

    def expect(self, holds: bool, failure: str) -> bool:
        """Record ``failure`` unless the promise holds; return whether it does."""
        if not holds and failure not in self.failures:
            self.failures.append(failure)
        return holds

    @contextmanager
    def guarded(self, what: str) -> Iterator[None]:
        """Record any exception as a failure of ``what`` and go on, so that later checks run too."""
        try:
            yield
        except Exception:
            self.expect(False, f"{what} raised\n{traceback.format_exc(limit=-4)}")
