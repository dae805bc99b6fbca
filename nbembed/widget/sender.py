"""The thread that brings a session's news to the page, at the pace at which the page draws.

The worker of a session only says *that* something changed (:meth:`Sender.poke`, a flag and no
work); this thread then fetches and sends. Layouts are *frames*: at most two on their way that the
page has not acknowledged, so that a slow page gets fewer of them and no queue builds up. A frame
that stays unacknowledged for a second counts as lost. Nobody in the audience, no frames: a page
that cannot be seen costs nothing.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

log = logging.getLogger(__name__)


@dataclass
class Window:
    """Frames on their way to the page, and who watches; arithmetic only, no thread and no clock.

    Parameters
    ----------
    limit : int
        Unacknowledged frames at most.
    patience : float
        Seconds after which an unacknowledged frame counts as lost.
    deaf_after : int
        Frames lost in a row after which nobody seems to be there any more.
    """

    limit: int = 2
    patience: float = 1.0
    deaf_after: int = 3
    audience: set[str] = field(default_factory=set)
    _next: int = 1
    _flying: dict[int, tuple[int, float]] = field(default_factory=dict)
    _shown: int = -1
    _lost: int = 0

    @property
    def newest(self) -> int:
        """Version of the newest layout that is shown or on its way, −1 for none."""
        return max([self._shown, *(version for version, _ in self._flying.values())])

    @property
    def open(self) -> bool:
        """Whether a frame may be sent now."""
        return bool(self.audience) and len(self._flying) < self.limit

    def sent(self, version: int, now: float) -> int:
        """Note that a layout leaves now; return its sequence number."""
        seq = self._next
        self._next += 1
        self._flying[seq] = (version, now)
        return seq

    def acknowledge(self, seq: int, client: str) -> None:
        """Note that a page has drawn a frame, which settles those before it.

        A late word is a sign of life too.
        """
        self.audience.add(client)
        self._lost = 0
        for earlier in [number for number in self._flying if number <= seq]:
            self._shown = max(self._shown, self._flying.pop(earlier)[0])

    def watch(self, client: str, watching: bool) -> None:
        """Note that a page can, or can no longer, be seen. A new one has been shown nothing yet."""
        if not watching:
            self.audience.discard(client)
        elif client not in self.audience:
            self.audience.add(client)
            self._lost = 0
            self.forget()

    def forget(self) -> None:
        """Send the present layout again, whatever was shown."""
        self._shown = -1
        self._flying.clear()

    def expire(self, now: float) -> int:
        """Drop the frames that count as lost; return their number."""
        late = [seq for seq, (_, then) in self._flying.items() if now - then >= self.patience]
        for seq in late:
            del self._flying[seq]
        self._lost += len(late)
        if self._lost >= self.deaf_after:
            self.audience.clear()
            self._lost = 0
        return len(late)

    def next_expiry(self, now: float) -> float | None:
        """Return the seconds until the next frame counts as lost, ``None`` if none is flying."""
        if not self._flying:
            return None
        return max(0.0, min(then for _, then in self._flying.values()) + self.patience - now)


class Sender:
    """Runs one daemon thread that delivers news and frames.

    Parameters
    ----------
    deliver : callable
        ``deliver(topics)`` brings what changed (a set of words) into the traits.
    frame : callable
        ``frame(seq_of, newer_than)`` sends the present layout if its version is greater than
        ``newer_than``; it calls ``seq_of(version)`` for the frame's number as it sends. Returns
        whether it sent one.
    settle : callable
        Called when the session has rested for a moment; what survives a reload is written then.
    pace : float
        Seconds between frames at least: no screen draws faster.
    pause : float
        Seconds of rest before ``settle``.
    """

    def __init__(
        self,
        deliver: Callable[[set[str]], None],
        frame: Callable[[Callable[[int], int], int], bool],
        settle: Callable[[], None],
        *,
        pace: float = 1 / 80,
        pause: float = 0.12,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._deliver = deliver
        self._frame = frame
        self._settle = settle
        self._pace = pace
        self._pause = pause
        self._clock = clock
        self._condition = threading.Condition()
        self._window = Window()
        self._topics: set[str] = set()
        self._fresh = True
        self._settle_at: float | None = None
        self._not_before = 0.0
        self._closed = False
        self._thread: threading.Thread | None = None

    # -- from any thread, quick ---------------------------------------------------------------

    def start(self) -> None:
        """Start the thread."""
        self._thread = threading.Thread(target=self._loop, name="nbembed-sender", daemon=True)
        self._thread.start()

    def poke(self, topic: str) -> None:
        """Say that something changed: "frame", or a topic for ``deliver``."""
        with self._condition:
            if topic == "frame":
                self._fresh = True
                if self._settle_at is not None:
                    self._settle_at = self._clock() + self._pause
                if not self._window.open:
                    return  # the acknowledgement will wake the thread
            else:
                self._topics.add(topic)
            self._condition.notify()

    def rest(self, resting: bool) -> None:
        """Say whether the session rests; a moment later ``settle`` is called."""
        with self._condition:
            self._settle_at = self._clock() + self._pause if resting else None
            self._condition.notify()

    def acknowledge(self, seq: int, client: str) -> None:
        """Take a page's word that it has drawn a frame."""
        with self._condition:
            self._window.acknowledge(seq, client)
            self._condition.notify()

    def watch(self, client: str, watching: bool) -> None:
        """Note that a page can, or can no longer, be seen."""
        with self._condition:
            self._window.watch(client, watching)
            if watching:
                self._fresh = True
            self._condition.notify()

    def resend(self) -> None:
        """Send the present layout once more: it looks different now."""
        with self._condition:
            self._window.forget()
            self._fresh = True
            self._condition.notify()

    @property
    def watched(self) -> bool:
        """Whether any page can be seen."""
        with self._condition:
            return bool(self._window.audience)

    def close(self, timeout: float = 2.0) -> None:
        """End the thread."""
        with self._condition:
            self._closed = True
            self._condition.notify()
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join(timeout)

    # -- the thread ---------------------------------------------------------------------------

    def _loop(self) -> None:
        while True:
            with self._condition:
                while not self._closed and not self._due(self._clock()):
                    self._condition.wait(self._patience(self._clock()))
                if self._closed:
                    return
                now = self._clock()
                topics, self._topics = self._topics, set()
                settle = self._settle_at is not None and now >= self._settle_at
                if settle:
                    self._settle_at = None
                frame = self._frame_due(now)
                if frame:
                    self._fresh = False
                    self._not_before = now + self._pace
                newest = self._window.newest
            try:
                if frame:
                    self._frame(self._number, newest)
                if topics:
                    self._deliver(topics)
                if settle:
                    self._settle()
            except Exception:
                # One message that could not be sent must not end the stream.
                log.exception("nbembed: the Explorer could not be brought up to date")

    def _number(self, version: int) -> int:
        with self._condition:
            return self._window.sent(version, self._clock())

    def _frame_due(self, now: float) -> bool:
        return self._fresh and self._window.open and now >= self._not_before

    def _due(self, now: float) -> bool:
        if self._window.expire(now):
            self._fresh = True  # what was lost may have been the newest
        return (
            bool(self._topics)
            or self._frame_due(now)
            or (self._settle_at is not None and now >= self._settle_at)
        )

    def _patience(self, now: float) -> float | None:
        moments = [self._window.next_expiry(now)]
        if self._settle_at is not None:
            moments.append(self._settle_at - now)
        if self._fresh and self._window.open:
            moments.append(self._not_before - now)
        known = [max(0.0, m) for m in moments if m is not None]
        return min(known) if known else None
