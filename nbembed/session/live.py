"""Live: the engine in the hands of a worker thread, and the commands that wait for it.

A command is decided at once, in the thread that gives it, under the lock: it is checked, the desk
(settings, history) changes, and its effect joins the queue. Between iterations the worker takes the
next effect, writes it into the log with the iteration and lets the engine carry it out. The lock is
never held while the engine computes or while a subscriber is called.

How the state answers
---------------------
* ``play`` runs; on a converged map it runs on until the map has been calm once more.
* ``pause`` stops after the present iteration and drops steps not yet done.
* ``step`` does so many iterations, then the map is paused; commands given meanwhile wait for them.
* A change (parameters, labels, links, undo, switch) sets a running or converged map in motion from
  where it is, a paused map takes it over and stays paused, an idle one only stores it.
* Going to a snapshot or to a step of the path shows it: a converged map is paused there.
* After an error the map has failed: changes are stored, ``reset`` recovers, ``play`` and ``step``
  raise the error again until something has been changed.
"""

from __future__ import annotations

import logging
import math
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nbembed.run import PATIENCE
from nbembed.session.cascade import moves, stale_parts
from nbembed.session.commands import Desk, decide
from nbembed.session.events import Event
from nbembed.session.moments import Moment, Published, Waiting, clears_path, heard
from nbembed.session.quality import QualityMeter
from nbembed.session.subscribers import Subscribers
from nbembed.session.values import PathStep, State
from nbembed.session.worker import Worker

if TYPE_CHECKING:
    from nbembed.methods.base import EmbeddingMethod
    from nbembed.session.engine import Engine

_logger = logging.getLogger("nbembed.session")

#: Iterations a second while playing. A small map would converge before one has looked; what is
#: computed does not depend on it.
PACE = 250.0

#: Commands that matter even where they leave the desk as it is.
_ALWAYS = frozenset({"reset", "restart", "snapshot", "restore", "move_to_path"})
_SHOWING = frozenset({"restore", "move_to_path"})


class Live:
    """An engine, its worker and its queue; the moving part of a session."""

    def __init__(
        self,
        engine: Engine,
        desk: Desk,
        methods: Mapping[str, type[EmbeddingMethod]],
        log: list[Event],
        state: State = "idle",
        cost: float = math.nan,
        quality: float = math.nan,
    ) -> None:
        self.engine = engine
        self.methods = dict(methods)
        self.error: Exception | None = None
        self._desk = self._applied = desk
        self._log = log
        self._changed = threading.Condition()  # an RLock: readings may nest
        self._worker = Worker()
        self._queue: deque[Waiting] = deque()
        self._in_hand: Waiting | None = None  # out of the queue, not yet in the map
        self._jobs: deque[Callable[[], None]] = deque()
        self._subscribers = Subscribers()
        self._after: State = state  # once the steps in hand and in the queue are done
        self._steps_given = 0  # asked for and not yet done
        self._retry = False  # something was changed since the error
        self._resting = True
        self._closing = self._ended = False
        # The worker's own
        self._going = False
        self._steps = 0
        self._grace = 0
        self._due = 0.0
        self._pace: float | None = PACE
        self._exact = False  # cost and quality shown are those of the map at rest
        self._meter = QualityMeter(engine.X)
        self._published = Published(
            0, engine.iteration, math.nan, math.nan, None, None, None, {}, desk.settings, ()
        )
        self._show(cost, quality)

    # -- readings, from any thread ----------------------------------------------------------

    @property
    def state(self) -> State:
        """What the session is doing."""
        with self._changed:
            return "running" if self._steps_given else self._after

    @property
    def lock(self) -> threading.Condition:
        """Held, readings belong to one moment."""
        return self._changed

    @property
    def pace(self) -> float | None:
        """Most iterations a second while playing."""
        return self._pace

    @pace.setter
    def pace(self, value: float | None) -> None:
        with self._changed:
            self._pace, self._due = value, 0.0
            if self._worker.alive:
                self._worker.wake(self)  # it may be waiting at the old pace

    @property
    def desk(self) -> Desk:
        """Settings and history as of the last command given."""
        with self._changed:
            return self._desk

    @property
    def published(self) -> Published:
        """The newest layout and what belongs to it."""
        with self._changed:
            return self._published

    @property
    def log(self) -> list[Event]:
        """What has taken effect so far."""
        with self._changed:
            return list(self._log)

    @property
    def lasting_path(self) -> tuple[PathStep, ...]:
        """The path, as far as the commands that are still to take effect will leave it."""
        with self._changed:
            waiting = [*self._queue, *([] if self._in_hand is None else [self._in_hand])]
            return () if any(map(clears_path, waiting)) else self._published.path

    def moment(self) -> tuple[Published, State]:
        """Return the newest layout and the state at the same moment."""
        with self._changed:
            return self._published, self.state

    def learn(self, kind: type[EmbeddingMethod]) -> None:
        """Let a method be named from now on."""
        with self._changed:
            self.methods = {**self.methods, kind.__name__: kind}

    # -- commands, from any thread ----------------------------------------------------------

    def give(self, command: str, arguments: Mapping[str, Any] | None = None) -> None:
        """Decide a command and queue its effect.

        Raises
        ------
        ValueError
            If it is not legal; nothing has changed then.
        RuntimeError
            If the session is closed, or has failed and the command would run it.
        """
        self.give_decided(lambda desk: (command, arguments or {}))

    def give_decided(self, choose: Callable[[Desk], tuple[str, Mapping[str, Any]]]) -> str:
        """Like :meth:`give`, for a command whose arguments depend on the desk."""
        with self._changed:
            if self._closing:
                raise RuntimeError("the session is closed; it can still be read and saved")
            command, arguments = choose(self._desk)
            if command in ("play", "step"):
                self._refuse_failed()
            desk = decide(self._desk, command, arguments, self.methods)
            waiting = Waiting(command, arguments, self._desk, desk)
            if not self._answer(waiting):
                return command
            self._desk = desk
            self._queue.append(waiting)
            self._resting = False
            self._worker.wake(self)
            self._changed.notify_all()
            return command

    def _answer(self, waiting: Waiting) -> bool:
        """Set the state that a command leads to; return whether there is anything to do."""
        command = waiting.command
        if command == "play":
            if self._after == "running":
                return False
            self._after, self.error = "running", None
        elif command == "pause":
            if self._after != "running" and not self._steps_given:
                return False
            for queued in self._queue:
                queued.steps = 0
            self._steps = self._steps_given = 0
            if self._after == "running":
                self._after = "paused"
        elif command == "step":
            waiting.steps = int(waiting.arguments["k"])
            self._steps_given += waiting.steps
            self._after, self.error = "paused", None
        elif command == "reset":
            waiting.wakes = self._after in ("running", "converged")
            if waiting.wakes:
                self._after = "running"
            elif self._after == "failed":
                self._after, self.error = "paused", None
        elif waiting.new is waiting.old and command not in _ALWAYS:
            return False
        elif command in _SHOWING:
            if self._after != "running":
                self._after, self.error = "paused", None
        elif moves(stale_parts(waiting.old.settings, waiting.new.settings)) or command == "restart":
            waiting.wakes = self._after in ("running", "converged")
            if waiting.wakes:
                self._after = "running"
        self._retry = self._retry or command not in ("play", "pause", "step", "snapshot")
        return True

    def _refuse_failed(self) -> None:
        if self._after == "failed" and not self._retry:
            raise RuntimeError(
                f"the session failed at iteration {self._published.iteration}: {self.error}; "
                f"reset() starts again with the present labels and parameters"
            ) from self.error

    def subscribe(self, callback: Callable[[str], None]) -> Callable[[], None]:
        """Call ``callback(event)`` from the worker; return a function that ends it."""
        return self._subscribers.add(callback)

    def wait(self, state: State | None, timeout: float | None) -> bool:
        """Wait for rest, or for a state; return whether it came."""
        if self._worker.here:
            raise RuntimeError("a subscriber cannot wait for the worker that calls it")

        def reached() -> bool:
            if state == "running":
                return self.state == state
            return self._resting and state in (None, self.state)

        with self._changed:
            self._changed.wait_for(
                lambda: reached() or self._ended or (self._resting and self._after == "failed"),
                timeout,
            )
            return reached()

    def capture(self) -> Moment:
        """Return all of the session between two iterations, after the commands given before.

        Commands that wait for steps are not waited for; they are listed as pending.
        """
        if self._worker.here:
            return self._capture()
        future: Future[Moment] = Future()

        def job() -> None:
            try:
                future.set_result(self._capture())
            except BaseException as error:
                future.set_exception(error)

        with self._changed:
            if self._ended or not self._worker.alive:
                return self._capture()  # nobody else touches the engine while the lock is held
            self._jobs.append(job)
            self._resting = False
            self._worker.wake(self)
        return future.result()

    def _capture(self) -> Moment:
        with self._changed:
            engine, seen = self.engine, self._published
            return Moment(
                self._applied,
                self.state,
                [(waiting.command, waiting.arguments) for waiting in self._queue],
                engine.put_by(),
                list(engine.trace),
                engine.path,
                list(engine.snapshots.values()),
                list(self._log),
                seen.cost,
                seen.quality,
            )

    def close(self, timeout: float) -> bool:
        """Stop, let the worker finish the queue, and end it."""
        with self._changed:
            if not self._closing:
                self._closing = True
                for queued in self._queue:
                    queued.steps = 0
                self._steps = self._steps_given = 0
                if self._after == "running":
                    self._after = "paused"
                if self._worker.alive:
                    self._worker.wake(self)
                else:
                    self._ended = True
                self._changed.notify_all()
        return self._worker.join(timeout)

    # -- the worker's side ------------------------------------------------------------------

    def turn(self) -> float | None:
        """Do one thing: a job, a command, an iteration, or put the map to rest."""
        try:
            return self._turn()
        except Exception as error:
            self._fail(error)
            return 0.0

    def _turn(self) -> float | None:
        with self._changed:
            if self._closing:
                self._going = False
            waiting = self._queue.popleft() if self._queue and not self._steps else None
            self._in_hand = waiting
            job = self._jobs.popleft() if self._jobs and waiting is None else None
        if waiting is not None:
            try:
                self._carry_out(waiting)
            finally:
                self._in_hand = None
            return 0.0
        if job is not None:
            job()
            return 0.0
        if self._steps or self._going:
            if not self._steps and self._pace is not None:
                period, now = 1 / self._pace, time.monotonic()
                if now < self._due:
                    return self._due - now
                self._due = max(self._due, now - period) + period
            self._iterate()
            return 0.0
        return self._rest()

    def _carry_out(self, waiting: Waiting) -> None:
        command = waiting.command
        with self._changed:
            failed = self._after == "failed"
            if command == "step" and not waiting.steps:
                return  # dropped by a pause
            if failed and command in ("play", "step"):
                self._steps_given -= waiting.steps
                return  # given before the error was known
            if failed and command in ("reset", *_SHOWING):
                self._after, self.error = "paused", None
            self._applied = waiting.new
            self._log.append(Event(self.engine.iteration, command, waiting.arguments))
            if command == "play":
                self._going, self._grace = True, PATIENCE
            elif command == "pause":
                self._going = False
            elif command == "step":
                self._going, self._steps = False, waiting.steps
            elif waiting.wakes and not failed:
                self._going, self._grace = True, 0
            elif command in _SHOWING and self._after == "paused":
                self._going = False
        if command not in ("play", "pause", "step"):
            self._exact = False
            self.engine.apply(command, waiting.arguments, waiting.new.settings)
            with self._changed:
                if self.engine.place.layout is not None:
                    self._show(self._published.cost, self._published.quality)
                else:  # the old layout is shown until the new start is there, its path is gone
                    self._published = replace(self._published, path=self.engine.path)
        self._subscribers.tell(*heard(waiting))

    def _iterate(self) -> None:
        engine = self.engine
        self._exact = False
        record = engine.advance()
        cost = record.cost if math.isfinite(record.cost) else self._published.cost
        quality = self._quality()
        events = ["frame"]
        with self._changed:
            self._show(cost, quality)
            self._grace -= 1
            if self._steps:
                self._steps -= 1
                self._steps_given -= 1
                if not self._steps and not self._queue:
                    self._note_rest("paused")
                    events.append("state")
            elif self._going and engine.converged and self._grace <= 0 and not self._queue:
                self._going, self._after = False, "converged"
                self._note_rest("converged")
                events.append("state")
            self._changed.notify_all()
        self._subscribers.tell(*events)

    def _rest(self) -> float | None:
        """Redo what is stale, measure exactly, and sleep."""
        with self._changed:
            started = self._after not in ("idle", "failed") and not self._closing
        if started and not (self.engine.fresh and self._exact):
            self.engine.refresh()
            cost, quality = self.engine.cost(), self._quality(now=True)
            with self._changed:
                self._show(cost, quality)
            self._exact = True
            self._subscribers.tell("frame", "state")
            return 0.0
        with self._changed:
            if self._queue or self._jobs:
                return 0.0
            self._resting = True
            if self._closing:
                self._ended = True
                self._worker.end()
            self._changed.notify_all()
        return None

    def _fail(self, error: Exception) -> None:
        self.engine.restart()
        with self._changed:
            self.error, self._after, self._retry = error, "failed", False
            self._going, self._steps, self._steps_given = False, 0, 0
            for queued in self._queue:
                queued.steps = 0
            self._note_rest("failed", error=f"{type(error).__name__}: {error}")
            self._changed.notify_all()
        _logger.debug("the session failed", exc_info=error)
        self._subscribers.tell("error", "state")

    def _note_rest(self, state: State, **more: str) -> None:
        self._log.append(Event(self.engine.iteration, "rest", {"state": state, **more}))

    def _show(self, cost: float, quality: float) -> None:
        """Publish the engine's layout (under the lock)."""
        engine, place = self.engine, self.engine.place
        self._published = Published(
            self._published.version + (place.layout is not None),
            place.iteration,
            cost,
            quality,
            place.layout,
            engine.objective,
            place.geometry,
            engine.reached(),
            engine.settings,
            engine.path,
        )

    def _quality(self, *, now: bool = False) -> float:
        layout = self.engine.place.layout
        if layout is None:
            return math.nan
        metric = self.engine.settings.parameters.get("metric", "euclidean")
        return self._meter.measure(layout, metric, now=now)
