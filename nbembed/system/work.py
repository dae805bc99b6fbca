"""Progress of long work, counted in rows and not in time.

Long work names its stage and its number of rows, and counts the rows that are done:

    finding = stage("finding neighbors", n)
    for here in blocks:
        ...
        finding.advance(rows of the block)

A caller that wants reports runs the work inside of :func:`reported`, in the same thread. Without
that, counting costs next to nothing. A report may raise
:class:`~nbembed.kernels.threads.Interrupted` to end the work, which leaves nothing behind: every
count is a place where work can be canceled.
"""

from __future__ import annotations

import contextlib
import threading
import warnings
from collections.abc import Iterator
from typing import Protocol


class Report(Protocol):
    """A receiver of reports on work."""

    def count(self, name: str, done: int, total: int) -> None:
        """Take note that so much of a stage is done; may raise to end the work."""

    def remark(self, text: str) -> None:
        """Take note of a warning."""


_listening = threading.local()


@contextlib.contextmanager
def reported(report: Report) -> Iterator[None]:
    """Let ``report`` hear of the work that this thread does in the block."""
    before = getattr(_listening, "report", None)
    _listening.report = report
    try:
        yield
    finally:
        _listening.report = before


class Stage:
    """A part of some work, of ``total`` rows; helper threads may call :meth:`advance`."""

    def __init__(self, name: str, total: int, report: Report | None) -> None:
        self._name, self._total, self._report = name, total, report
        self._done = 0
        self._lock = threading.Lock()

    def advance(self, rows: int) -> None:
        """Count rows that are done."""
        if self._report is None:
            return
        with self._lock:  # counts are heard one at a time, in their order
            self._done = min(self._done + rows, self._total)
            self._report.count(self._name, self._done, self._total)


def stage(name: str, total: int) -> Stage:
    """Begin a stage of so many rows, and report that none of them is done."""
    begun = Stage(name, total, getattr(_listening, "report", None))
    begun.advance(0)
    return begun


def warn(text: str, *, stacklevel: int = 2) -> None:
    """Warn, and let who listens to the work hear it as well.

    Python's own record of warnings is one for all threads.
    """
    report: Report | None = getattr(_listening, "report", None)
    if report is not None:
        report.remark(text)
    warnings.warn(text, stacklevel=stacklevel + 1)
