"""Inbox: the commands that wait for the worker, and what the other threads see meanwhile.

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
* What was learned from labels in the background (:mod:`nbembed.session.learner`) takes effect like
  a change, before any command that waits. Until nothing is being learned any more the map counts
  as not yet at rest for :meth:`Inbox.wait`. After a switch to a method that learns from the labels
  there are, the map stands still until it has.
* After an error the map has failed: changes are stored, ``reset`` recovers, ``play`` and ``step``
  raise the error again until something has been changed.
"""

from __future__ import annotations

import math
import threading
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any

from nbembed.session.cascade import moves, stale_parts
from nbembed.session.commands import Desk, decide
from nbembed.session.events import Event
from nbembed.session.learner import Learner, Lesson
from nbembed.session.moments import Moment, Published, Waiting, clears_path
from nbembed.session.subscribers import Subscribers
from nbembed.session.values import PathStep, State
from nbembed.session.worker import Worker
from nbembed.validation import check_real

if TYPE_CHECKING:
    from nbembed.methods.base import EmbeddingMethod
    from nbembed.session.engine import Engine


#: Iterations a second while playing. A small map would converge before one has looked; what is
#: computed does not depend on it.
PACE = 250.0

#: Commands that matter even where they leave the desk as it is.
_ALWAYS = frozenset({"reset", "restart", "learned", "snapshot", "restore", "move_to_path"})
#: Commands that set a map in motion though they leave the desk as it is.
_MOVING = frozenset({"restart", "learned"})
#: Commands that show a layout rather than start a motion.
SHOWING = frozenset({"restore", "move_to_path"})


class Inbox(ABC):
    """The side of a live session that other threads see: readings, commands, waiting."""

    def __init__(
        self,
        engine: Engine,
        desk: Desk,
        methods: Mapping[str, type[EmbeddingMethod]],
        log: list[Event],
        state: State,
    ) -> None:
        self.engine = engine
        self.methods = dict(methods)
        self.error: Exception | None = None
        self._desk = self._applied = desk
        self._log = log
        self._changed = threading.Condition()  # an RLock: readings may nest
        self._worker = Worker()
        self._learner = Learner(engine.X, self._changed, self._wake)
        self._learns_alone = True
        self._asked: Lesson | None = None  # what the learner was asked for last
        self._queue: deque[Waiting] = deque()
        self._in_hand: Waiting | None = None  # out of the queue, not yet in the map
        self._jobs: deque[Callable[[], None]] = deque()
        self._subscribers = Subscribers()
        self._after: State = state  # once the steps in hand and in the queue are done
        self._steps_given = 0  # asked for and not yet done
        self._retry = False  # something was changed since the error
        self._resting = True
        self._closing = self._ended = False
        # What the worker does; others touch it only under the lock
        self._going = False
        self._steps = 0
        self._due = 0.0
        self._pace: float | None = PACE
        self._published = Published(
            0, engine.iteration, math.nan, math.nan, None, None, None, {}, desk.settings, ()
        )

    @abstractmethod
    def turn(self) -> float | None:
        """Do one thing; return the seconds to wait before the next, ``None`` until woken."""

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
    def learns_alone(self) -> bool:
        """Whether new labels are learned from without being asked to."""
        return self._learns_alone

    @learns_alone.setter
    def learns_alone(self, value: bool) -> None:
        with self._changed:
            self._learns_alone = value
            if self._worker.alive:
                self._worker.wake(self)

    @property
    def learning(self) -> str:
        """What is being learned in the background, "" if nothing."""
        with self._changed:
            lesson = self._asked
            return lesson.text if lesson is not None and self._learner.busy else ""

    @property
    def unlearned(self) -> Exception | None:
        """What kept the labels said last from being learned from."""
        return self.engine.unlearned

    def _wake(self) -> None:
        """Let the worker look for something to do (under the lock)."""
        if self._worker.alive:
            self._worker.wake(self)

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
        elif command in SHOWING:
            if self._after != "running":
                self._after, self.error = "paused", None
        elif command in _MOVING or moves(stale_parts(waiting.old.settings, waiting.new.settings)):
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
        if timeout is not None:
            timeout = check_real("timeout", timeout, low=0)

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
