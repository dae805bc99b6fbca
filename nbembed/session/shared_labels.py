"""Labels and links that two sessions share: one of all points, one of some of them.

What is said about a point in either holds in both. Methods, parameters, pins and layouts stay each
session's own, and so do the logs: what comes from the other side is a command of its own there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nbembed.session.session import Session
from nbembed.supervision.subset import subset, written_back


class SharedLabels:
    """Keeps the labels and links of ``part``, which are of ``points`` of ``whole``, the same."""

    def __init__(self, whole: Session, part: Session, points: NDArray[np.intp]) -> None:
        self._whole, self._part, self._points = whole, part, points
        #: The labels that both had at last.
        self._last = part.supervision
        self._stop_hearing = [s.subscribe(self._hear) for s in (whole, part)]
        self._hear("supervision")  # what was said meanwhile

    def close(self) -> None:
        """Let each go its own way."""
        for stop in self._stop_hearing:
            stop()

    def _hear(self, event: str) -> None:
        if event != "supervision":
            return
        # Nothing may be said between reading the one and giving to the other: it would be replaced.
        # The session of more points is locked first, so that no two threads wait for each other.
        with self._whole._controller.mailbox.lock, self._part._controller.mailbox.lock:
            try:
                self._exchange()
            except (ValueError, RuntimeError):  # one of them is closed, or cannot take it
                return

    def _exchange(self) -> None:
        own = self._part.supervision
        back = written_back(self._whole.supervision, self._points, self._last, own)
        if back != self._whole.supervision:
            self._whole.supervise(back)
        self._last = own
        now = subset(self._whole.supervision, self._points)
        if own.pinned.size:
            now = now.pin(own.pinned)
        if now != own:
            self._part.supervise(now)
            self._last = now
