"""Mailbox: what the threads of a session share.

Callers put commands and jobs into it, the worker takes them out and publishes frames, readers look
at the newest. Each method takes the lock itself; who needs several things of one moment holds
:attr:`Mailbox.lock` around them, which is reentrant. It is never held while the engine computes or
while a subscriber is called.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from nbembed.methods.recipe import PathStep
from nbembed.session.core.commands import MOTION
from nbembed.session.core.events import Event
from nbembed.session.core.provenance import Provenance
from nbembed.session.core.session_state import SessionState
from nbembed.session.core.state_machine import Effects, Facts, MachineState, State, transition
from nbembed.session.live.records import PublishedFrame, QueuedCommand, SessionRecord
from nbembed.session.live.subscribers import Subscribers
from nbembed.session.live.withdrawal import is_withdrawn
from nbembed.session.map.engine import Engine

#: Iterations a second while playing. A small map would converge before one has looked; what is
#: computed does not depend on it.
PACE = 250.0


class Mailbox:
    """The state of a live session, its queue and the newest frame.

    * engine: only read, to publish its layout.
    * cost, quality: of the engine's layout; ``nan`` if unknown.
    * lock: notified when something that somebody waits for may have changed.
    * session_state, applied: as of the last command given, and of the last that took effect.
    * published: the frame for readers.
    * last_turn: the session after the worker's last turn.
    * jobs: called by the worker between two iterations.
    * events: the log.
    * error: the one that stopped the map.
    * resting, ended: whether the worker has nothing to do, or has ended for good.
    * pace: most iterations a second while playing, ``None`` for no limit.
    * auto_learn: whether new labels are learned from without a request.
    * worse_optimum: a remark that the map rests in a worse optimum than a cold start reaches, ""
      if that is not known.
    """

    published: PublishedFrame

    def __init__(
        self,
        engine: Engine,
        session_state: SessionState,
        log: list[Event],
        state: State,
        cost: float,
        quality: float,
    ) -> None:
        self.lock = threading.Condition()
        self.machine = MachineState(target=state)
        self.session_state = self.applied = session_state
        self.events = log
        self.queue: deque[QueuedCommand] = deque()
        self.jobs: deque[Callable[[], None]] = deque()
        self.subscribers = Subscribers()
        self.error: Exception | None = None
        self.resting = True
        self.ended = False
        self.pace: float | None = PACE
        self.auto_learn = True
        self.worse_optimum = ""
        self._engine = engine
        self._in_hand: QueuedCommand | None = None  # it has left the queue and is taking effect
        self._version = 0  # of the newest layout published
        self.publish(cost, quality)
        self.last_turn = self.turned()

    # -- what callers put in ----------------------------------------------------------------

    def put(self, queued: QueuedCommand) -> None:
        """Queue a command; the session's state is the one after it from now on."""
        with self.lock:
            self.session_state = queued.change.new
            self.queue.append(queued)
            self.resting = False
            self.lock.notify_all()

    def put_back(self, queue: Iterable[QueuedCommand], state: SessionState) -> None:
        """Replace what is queued, and the state after it."""
        with self.lock:
            self.queue, self.session_state = deque(queue), state

    def put_job(self, job: Callable[[], None]) -> None:
        """Have something called by the worker between two iterations."""
        with self.lock:
            self.jobs.append(job)
            self.resting = False

    def act(self, action: str, facts: Facts = Facts()) -> Effects:  # noqa: B008 - it is frozen
        """Change what the session is doing; return the effects that are left to the caller."""
        with self.lock:
            self.machine, effects = transition(self.machine, action, facts)
            self.carry_out(effects)
            return effects

    def carry_out(self, effects: Effects) -> None:
        """Carry out the effects of a transition that concern the mailbox alone."""
        with self.lock:
            if "drop steps" in effects:
                self.queue = deque(queued.without_steps() for queued in self.queue)
            if "clear error" in effects:
                self.error = None

    def lasting_path(self) -> tuple[PathStep, ...]:
        """Return the path as it will be once all queued commands have taken effect."""
        with self.lock:
            waiting = [*self.queue, *([] if self._in_hand is None else [self._in_hand])]
            cleared = any(queued.change.clears_path for queued in waiting)
            return () if cleared else self.published.path

    # -- what the worker takes out ----------------------------------------------------------

    def begin_next(self) -> QueuedCommand | None:
        """Take the next command out of the queue, begin it and log it; ``None`` if there is none.

        All at one moment: a pause that came between would miss the command's steps.
        """
        with self.lock:
            while self.queue and not self.machine.steps_left:
                queued = self.queue.popleft()
                facts = Facts(steps=queued.steps, woken=queued.woken)
                if "log" in self.act(f"begin {queued.entry.role}", facts):
                    self._in_hand, self.applied = queued, queued.change.new
                    self.note(queued.entry.name, queued.change.arguments, queued.provenance)
                    return queued
            return None

    def finish(self) -> None:
        """Note that the command in hand has taken effect, or has failed to."""
        with self.lock:
            self._in_hand = None

    def take_job(self) -> Callable[[], None] | None:
        """Take the next job out, if there is one."""
        with self.lock:
            return self.jobs.popleft() if self.jobs else None

    # -- what the worker says ---------------------------------------------------------------

    def note(
        self, command: str, arguments: Mapping[str, Any], provenance: Provenance | None = None
    ) -> None:
        """Write into the log what takes effect now."""
        with self.lock:
            self.events.append(Event(self._engine.iteration, command, arguments, provenance))

    def publish(self, cost: float, quality: float) -> None:
        """Let readers see the engine's layout."""
        engine = self._engine
        layout = engine.first_layout if engine.layout is None else engine.layout
        with self.lock:
            self._version += layout is not None
            self.published = PublishedFrame(
                self._version,
                engine.iteration,
                cost,
                quality,
                layout,
                engine.objective,
                engine.geometry,
                engine.live_values(),
                engine.settings,
                engine.path,
                engine.center_names(),
            )

    def say_worse(self, text: str) -> None:
        """Say, or take back, that the map rests in a worse optimum."""
        with self.lock:
            changes, self.worse_optimum = self.worse_optimum != text, text
        if changes:
            self.subscribers.tell("state")

    # -- what a file stores -----------------------------------------------------------------

    def turned(self) -> SessionRecord:
        """Return the session's record without what waits, now that no turn is under way."""
        engine = self._engine
        with self.lock:
            return SessionRecord(
                self.applied,
                engine.capture(),
                engine.trace,
                len(engine.trace),
                engine.path,
                engine.snapshots,
                self.events,
                len(self.events),
                self.published.cost,
                self.published.quality,
            )

    def record(self) -> SessionRecord:
        """Return the session's record; no turn may be under way."""
        with self.lock:
            return self._record(self.turned(), [], 0)

    def record_after_last_turn(self, *, makes_affinities: bool) -> SessionRecord:
        """Return the session's record as of the worker's last turn.

        ``makes_affinities`` says whether commands are known to wait for affinities.
        """
        with self.lock:
            seen, due = self.last_turn, 0
            begun = [e for e in self.events[seen.n_events :] if e.command not in MOTION]
            if not self.machine.steps_left and not makes_affinities:
                cold = seen.run_state.cold
                # Whether there are affinities for it nobody has looked at yet.
                stops = (q.steps or (is_withdrawn(q) and not cold) for q in self.queue)
                due = next((i for i, stop in enumerate(stops) if stop), len(self.queue))
            return self._record(seen, begun, len(begun) + due)

    def _record(self, seen: SessionRecord, begun: list[Event], n_due: int) -> SessionRecord:
        """Return the record after a turn; the queue follows the commands begun since."""
        iteration = seen.run_state.iteration
        return seen._replace(
            trace=seen.trace[: seen.n_records],
            log=seen.log[: seen.n_events],
            state=self.machine.shown,
            pending=[*begun, *(queued.as_event(iteration) for queued in self.queue)],
            n_due=n_due,
        )

    # -- its end ----------------------------------------------------------------------------

    def end(self) -> None:
        """Drop what only a map in motion needs: affinities are as large as n × n."""
        with self.lock:
            self.ended = True
            seen, engine = self.published, self._engine
            known, centers = seen.memberships(engine.n_points), seen.region_centers()
            self.published = replace(
                seen, objective=None, known_memberships=known, known_centers=centers
            )
            engine.release()

    def end_failed(self, error: Exception) -> None:
        """Note that there is no worker any more, though nobody has closed the session."""
        with self.lock:
            for action in ("failed", "close"):
                self.act(action)
            self.error = error
            self.queue.clear()
            self._in_hand = None
            self.resting = self.ended = True

    def forked(self) -> None:
        """Be free of the threads that a forked copy of the process does not have."""
        self.lock = threading.Condition()  # a thread that was not copied may have held it
        self.jobs.clear()
