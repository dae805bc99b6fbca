"""The thread that sends a session's changes to the page, at the rate at which the page draws.

A session's worker only sets a flag when something has changed (:meth:`Sender.poke`); this thread
then reads and sends it. Layouts travel as *frames*, of which a few at most are unacknowledged: a
slow page gets fewer frames, and no queue builds up; the first that shows a command does not wait
for them, and no older one is sent while it is computed. A frame that is not acknowledged within a
second counts as lost. While no page can be seen, no frames are sent. A page that has just been made
may not be heard before a busy kernel is idle: it is supposed to be there, and while the kernel runs
a cell, losses do not end that, so that a map moves while later cells run.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from nbembed.session.live.threads import begin

log = logging.getLogger(__name__)

#: A page that has not been heard yet.
SUPPOSED = ""
#: Events that tell of a command's effect on the map, which the next layout shows.
EFFECTS = frozenset({"method", "parameters", "supervision"})
#: Seconds for which older layouts are held back while the first that shows a command is computed:
#: sending and drawing them would slow it down. With more, a map of long iterations would seem to
#: stop.
HELD = 0.1


@dataclass
class FrameWindow:
    """Flow control of frames: those in flight, and the pages that watch. No thread, no clock.

    * limit: largest number of unacknowledged frames.
    * awaited: whether the next frame is one that a person waits for, and may be one more.
    * patience, short_patience: seconds after which an unacknowledged frame counts as lost; the
      second while pages may not be heard.
    * give_up_after: number of losses in a row after which all pages count as gone.
    """

    limit: int = 2
    patience: float = 1.0
    short_patience: float = 0.4
    give_up_after: int = 3
    audience: set[str] = field(default_factory=set)
    hidden: set[str] = field(default_factory=set)
    heard: bool = True
    awaited: bool = False
    _next: int = 1
    _in_flight: dict[int, tuple[int, float]] = field(default_factory=dict)
    _shown: int = -1
    _lost: int = 0

    @property
    def newest(self) -> int:
        """Version of the newest layout that is shown or in flight, −1 if there is none."""
        return max([self._shown, *(version for version, _ in self._in_flight.values())])

    @property
    def open(self) -> bool:
        """True if a frame may be sent now."""
        return bool(self.audience) and len(self._in_flight) < self.limit + self.awaited

    def sent(self, version: int, now: float) -> int:
        """Record that a layout is sent now; return the number of its frame."""
        seq = self._next
        self._next += 1
        self.awaited = False
        self._in_flight[seq] = (version, now)
        return seq

    def acknowledge(self, seq: int, client: str) -> None:
        """Record that a page is done with a frame and all frames before it, however late."""
        self.audience.discard(SUPPOSED)
        if client not in self.hidden:  # else what was on its way when it hid would bring it back
            self.audience.add(client)
        self._lost = 0
        for earlier in [number for number in self._in_flight if number <= seq]:
            self._shown = max(self._shown, self._in_flight.pop(earlier)[0])

    def watch(self, client: str, watching: bool) -> None:
        """Record whether a page can be seen. A new page has been shown nothing yet."""
        if not watching:
            self.audience.discard(client)
            self.hidden.add(client)
            return
        self.hidden.discard(client)
        if client not in self.audience:
            self.audience.discard(SUPPOSED)
            self.audience.add(client)
            self._lost = 0
            self.forget()

    def leave(self, client: str) -> None:
        """Record that a page is gone."""
        self.audience.discard(client)
        self.hidden.discard(client)

    def suppose(self) -> None:
        """Suppose that there is a page, until one is heard or frames are lost."""
        if not self.audience:
            self.watch(SUPPOSED, True)

    def forget(self) -> None:
        """Forget what was sent, so that the present layout is sent again."""
        self._shown = -1
        self._in_flight.clear()

    def expire(self, now: float) -> int:
        """Drop frames that count as lost; return their number."""
        patience = self._patience
        late = [seq for seq, (_, then) in self._in_flight.items() if now - then >= patience]
        for seq in late:
            del self._in_flight[seq]
        self._lost += bool(late) and self.heard
        if self._lost >= self.give_up_after:
            self.audience.clear()
            self._lost = 0
        return len(late)

    def next_expiry(self, now: float) -> float | None:
        """Return the seconds until the next frame counts as lost, ``None`` if none is in flight."""
        if not self._in_flight:
            return None
        return max(0.0, min(then for _, then in self._in_flight.values()) + self._patience - now)

    @property
    def _patience(self) -> float:
        return self.patience if self.heard else self.short_patience


class Sender:
    """Delivers changes and frames, in a daemon thread or, where no thread is heard, in turns.

    * deliver: ``deliver(events)`` writes what the events changed into the traits.
    * frame: ``frame(number, newer_than)`` sends the present layout if its version is greater than
      ``newer_than``, with ``number(version)`` as the frame's number, and returns whether it did.
    * settle: called when the session has been at rest for ``pause``; writes what survives a
      reload.
    * limit: largest number of unacknowledged frames.
    * pace: shortest time between frames in seconds.
    * pause: time at rest before ``settle``, in seconds.
    * heard: whether messages of pages are being handled.
    """

    def __init__(
        self,
        deliver: Callable[[set[str]], None],
        frame: Callable[[Callable[[int], int], int], bool],
        settle: Callable[[], None],
        *,
        limit: int = 2,
        pace: float = 1 / 80,
        pause: float = 0.12,
        heard: Callable[[], bool] = lambda: True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._deliver = deliver
        self._frame = frame
        self._settle = settle
        self._pace = pace
        self._pause = pause
        self._heard = heard
        self._clock = clock
        self._condition = threading.Condition()
        self._window = FrameWindow(limit)
        self._events: set[str] = set()
        self._fresh = True
        self._in_force = False  # a command is, and no layout has shown it yet
        self._held_until = 0.0
        self._settle_at: float | None = None
        self._not_before = 0.0
        self._closed = False
        self._thread: threading.Thread | None = None

    # -- from any thread, quick ---------------------------------------------------------------

    def start(self) -> None:
        """Start the thread; without it, somebody must call :meth:`turn`."""
        self._thread = begin("nbembed-sender", self._loop)

    def poke(self, event: str) -> None:
        """Note an event of the session: "frame", or one for ``deliver``."""
        with self._condition:
            if event == "frame":
                self._fresh = True
                if self._in_force:
                    self._in_force, self._window.awaited = False, True
                    self._held_until = 0.0
                if self._settle_at is not None:
                    self._settle_at = self._clock() + self._pause
                if not self._window.open:
                    return  # the acknowledgment will wake the thread
            else:
                self._events.add(event)
                if event in EFFECTS and not self._in_force:
                    self._in_force, self._held_until = True, self._clock() + HELD
            self._condition.notify()

    def rest(self, resting: bool) -> None:
        """Note whether the session is at rest; ``settle`` is called after ``pause``."""
        with self._condition:
            self._settle_at = self._clock() + self._pause if resting else None
            if resting:
                self._held_until = 0.0  # no layout is being computed
            self._condition.notify()

    def acknowledge(self, seq: int, client: str) -> None:
        """Note that a page has drawn a frame."""
        with self._condition:
            self._window.acknowledge(seq, client)
            self._condition.notify()

    def watch(self, client: str, watching: bool) -> None:
        """Note whether a page can be seen."""
        with self._condition:
            self._window.watch(client, watching)
            if watching:
                self._fresh = True
            self._condition.notify()

    def leave(self, client: str) -> None:
        """Note that a page is gone."""
        with self._condition:
            self._window.leave(client)

    def suppose_page(self) -> None:
        """Note that a page is being made, which may not be heard for a while."""
        with self._condition:
            self._window.suppose()
            self._fresh = True
            self._condition.notify()

    def resend(self) -> None:
        """Send the present layout again, because it looks different now."""
        with self._condition:
            self._window.forget()
            self._fresh = True
            self._held_until = 0.0
            self._condition.notify()

    @property
    def watched(self) -> bool:
        """True if any page can be seen."""
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
            self.turn()

    def turn(self) -> None:
        """Deliver what is due now, in the caller's thread."""
        with self._condition:
            now = self._clock()
            if self._closed or not self._due(now):
                return
            events, self._events = self._events, set()
            settle = self._settle_at is not None and now >= self._settle_at
            if settle:
                self._settle_at = None
            frame = self._frame_due(now)
            if frame:
                self._fresh = False
                self._not_before = now + self._pace
            newest = self._window.newest
        if frame:
            self._attempt(lambda: self._frame(self._number, newest))
        if events:
            self._attempt(lambda: self._deliver(events))
        if settle:
            self._attempt(self._settle)

    @staticmethod
    def _attempt(send: Callable[[], object]) -> None:
        """Send one part: if it fails, neither the stream nor the other parts of the turn end."""
        try:
            send()
        except Exception:
            log.exception("nbembed: the Explorer could not be updated")

    def _number(self, version: int) -> int:
        with self._condition:
            return self._window.sent(version, self._clock())

    def _frame_due(self, now: float) -> bool:
        return self._fresh and self._window.open and now >= self._earliest

    @property
    def _earliest(self) -> float:
        """When the next frame may be sent, as far as the clock decides."""
        return max(self._not_before, self._held_until)

    def _due(self, now: float) -> bool:
        self._window.heard = self._heard()
        if self._window.expire(now):
            self._fresh = True  # the newest may be among the lost
        return (
            bool(self._events)
            or self._frame_due(now)
            or (self._settle_at is not None and now >= self._settle_at)
        )

    def _patience(self, now: float) -> float | None:
        waits = [self._window.next_expiry(now)]
        if self._settle_at is not None:
            waits.append(self._settle_at - now)
        if self._fresh and self._window.open:
            waits.append(self._earliest - now)
        finite = [max(0.0, wait) for wait in waits if wait is not None]
        return min(finite) if finite else None
