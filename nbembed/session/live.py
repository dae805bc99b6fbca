"""Live: the engine in the hands of a worker thread.

Between iterations the worker takes the next command out of the inbox, writes it into the log with
the iteration and lets the engine carry it out. The lock is never held while the engine computes or
while a subscriber is called. How the state answers to commands: :mod:`nbembed.session.inbox`.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from nbembed.run import PATIENCE
from nbembed.session.commands import Desk
from nbembed.session.events import Event
from nbembed.session.inbox import SHOWING, Inbox
from nbembed.session.learner import Learned
from nbembed.session.moments import Published, Waiting, heard
from nbembed.session.quality import QualityMeter
from nbembed.session.values import State

if TYPE_CHECKING:
    from nbembed.methods.base import EmbeddingMethod
    from nbembed.session.engine import Engine

_logger = logging.getLogger("nbembed.session")


class Live(Inbox):
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
        super().__init__(engine, desk, methods, log, state)
        self._grace = 0  # iterations before convergence is looked at
        self._switched = False  # to another method, which has not learned from the labels yet
        self._exact = False  # cost and quality shown are those of the map at rest
        self._meter = QualityMeter(engine.X)
        self._show(cost, quality)

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
            learned = self._learner.take()
            standing = self._stands_still()
        if learned is not None:
            self._take_in(learned)
            return 0.0
        if self._ask_to_learn():
            return 0.0
        with self._changed:
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
        if (self._steps or self._going) and standing:
            return None
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
            if failed and command in ("reset", *SHOWING):
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
            elif command in SHOWING and self._after == "paused":
                self._going = False
        if command not in ("play", "pause", "step"):
            self._exact = False
            self.engine.apply(command, waiting.arguments, waiting.new.settings)
            with self._changed:
                if self.engine.place.layout is not None:
                    self._show(self._published.cost, self._published.quality)
                else:  # the old layout is shown until the new start is there, its path is gone
                    self._published = replace(self._published, path=self.engine.path)
        if waiting.old.settings.kind is not waiting.new.settings.kind:
            self._switched = True
        self._subscribers.tell(*heard(waiting))

    def _ask_to_learn(self) -> bool:
        """Let the labels said last be learned from; return whether that is new."""
        lesson = self.engine.lesson() if self._learns_alone and not self._closing else None
        if lesson is self._asked:
            return False
        with self._changed:
            self._asked = lesson
            self._learner.ask(lesson)
            self._resting = False
        self._subscribers.tell("learning")
        return True

    def _stands_still(self) -> bool:
        """Return whether the map waits for what its new method learns (under the lock)."""
        waits = self._switched and self._learner.busy and not self._closing
        return waits and self.engine.lesson() is not None

    def _take_in(self, learned: Learned) -> None:
        """Let what was learned in the background take effect, if it is still of use."""
        lesson, engine = learned.lesson, self.engine
        if self._learns_alone and engine.accepts(lesson) and not self._closing:
            if learned.error is not None:
                if lesson is self._asked:  # else newer labels are being learned from already
                    engine.give_up(lesson, learned.error)
            else:
                self._switched = False
                engine.hand_in(lesson, learned.affinities)
                arguments = {"supervision": lesson.supervision}
                with self._changed:
                    self._log.append(Event(engine.iteration, "learned", arguments))
                    if self._after == "converged":
                        self._after = "running"
                    if self._after == "running" and not self._steps_given:
                        self._going, self._grace = True, 0
                self._exact = False
                engine.apply("learned", arguments, engine.settings)
                with self._changed:
                    self._show(self._published.cost, self._published.quality)
        self._subscribers.tell("learning", "state")

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
            if self._asked is not None and self._learner.busy and not self._closing:
                return None  # its result will wake the worker
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
            engine.center_names(),
        )

    def _quality(self, *, now: bool = False) -> float:
        layout = self.engine.place.layout
        if layout is None:
            return math.nan
        metric = self.engine.settings.parameters.get("metric", "euclidean")
        if not isinstance(metric, str) and not callable(metric):
            metric = "euclidean"  # a metric that knows of labels must not judge the map
        return self._meter.measure(layout[: self.engine.n_points], metric, now=now)
