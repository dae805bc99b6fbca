"""Controller: owns a session's state and queue; its worker executes.

A command is decided at once, in the thread that gives it, under the lock: its arguments are
checked, the session state (settings, history) changes, the state machine says what the session is
doing now, and the command joins the queue. Between iterations the worker
(:mod:`nbembed.session.live.executor`) takes the next command, writes it into the log with the
iteration and lets the engine carry it out. The lock is never held while the engine computes or
while a subscriber is called.

What was learned from labels in the background (:mod:`nbembed.session.live.background_fit`) takes
effect like a change, before any queued command. :meth:`Controller.wait` does not return while
something is being learned. After a switch to a method that learns from labels, the map stands still
until the present labels have been learned from.
"""

from __future__ import annotations

import logging
import math
import threading
from collections import deque
from collections.abc import Callable, Mapping
from concurrent import futures
from concurrent.futures import Future
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from nbembed.session.core.accepted_labels import AcceptedLabels
from nbembed.session.core.command_entry import Context
from nbembed.session.core.commands import COMMANDS, decide
from nbembed.session.core.events import MOTION, Event
from nbembed.session.core.invalidation import Invalidation, invalidated
from nbembed.session.core.provenance import Provenance
from nbembed.session.core.state_machine import Facts, MachineState, State, transition, wakes
from nbembed.session.live.background_fit import BackgroundFit
from nbembed.session.live.executor import Executor
from nbembed.session.live.forks import tell_of_forks
from nbembed.session.live.giver import provenance_now
from nbembed.session.live.records import LastTurn, PublishedFrame, QueuedCommand, SessionRecord
from nbembed.session.live.subscribers import Subscribers
from nbembed.session.live.suggester import Suggester, SuggestionRequest
from nbembed.session.live.withdrawal import is_withdrawn, without_waiting
from nbembed.session.live.worker import Worker, as_exception
from nbembed.validation import check_real

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from nbembed.methods.recipe import PathStep, Recipe
    from nbembed.propagation import Suggestions
    from nbembed.session.core.session_state import SessionState
    from nbembed.session.live.progress import Progress
    from nbembed.session.map.engine import Engine

_logger = logging.getLogger("nbembed.session")

#: What a session says in a process that was forked from its own.
FORKED = (
    "this session belongs to the process that made it, and its worker does not run in a forked "
    "copy; save it there and open the file here with load_session(), or make a session here"
)


#: Seconds that a reader waits for the worker before it takes what there was after the last turn.
FRAME = 1 / 30


class Controller:
    """The state of a live session, its queue, and everything that other threads may ask.

    Parameters
    ----------
    engine : Engine
    session_state : SessionState
    methods : mapping of str to type
        The recipe classes that a switch may name.
    log : list of Event
    state : str
        What the session is doing.
    cost, quality : float
        Of the engine's layout; ``nan`` if unknown.

    Attributes
    ----------
    lock : threading.Condition
        Reentrant. What is read while it is held belongs to one moment; it is notified when
        something that :meth:`wait` waits for may have changed.
    session_state, applied : SessionState
        As of the last command given, and of the last that took effect.
    machine : MachineState
    published : PublishedFrame
        What readers see.
    queue : deque of QueuedCommand
    in_hand : QueuedCommand or None
        The command that has left the queue and is taking effect.
    jobs : deque of callables
        Called by the worker between two iterations.
    events : list of Event
        The log.
    accepted : AcceptedLabels
    suggester : Suggester
    resting : bool
        Whether the worker has nothing to do.
    ended : bool
        Whether the worker has ended for good.
    worse_optimum : str
        That the map rests in a worse optimum than a cold start reaches, "" if not known.
    """

    published: PublishedFrame

    def __init__(
        self,
        engine: Engine,
        session_state: SessionState,
        methods: Mapping[str, type[Recipe[Any]]],
        log: list[Event],
        state: State = "idle",
        cost: float = math.nan,
        quality: float = math.nan,
    ) -> None:
        self.engine = engine
        self.methods = dict(methods)
        self.error: Exception | None = None
        self.lock = threading.Condition()
        self.machine = MachineState(target=state)
        self.session_state = self.applied = session_state
        self.events = log
        self.queue: deque[QueuedCommand] = deque()
        self.in_hand: QueuedCommand | None = None
        self.jobs: deque[Callable[[], None]] = deque()
        self.subscribers = Subscribers()
        self.accepted = AcceptedLabels(engine.n_points, log)
        self.suggester = Suggester(engine.X, self._tell_suggestions)
        self.resting = True
        self.ended = False
        self.worse_optimum = ""
        self._suggestions_due = False  # once the map has answered what was said
        self._version = 0  # of the newest layout published
        self._auto_learn = True
        self._lost = ""  # why there is no worker any more, though nobody has closed the session
        self._forked = False
        self._worker = Worker()
        fit = BackgroundFit(engine.X, self.lock, self.wake)
        preparing = BackgroundFit(engine.X, self.lock, self.wake, self._tell_progress)
        self._executor = Executor(engine, fit, preparing)
        self.publish(cost, quality)
        self._last_turn = self._turned()
        tell_of_forks(self)

    # -- readings, from any thread ----------------------------------------------------------

    @property
    def state(self) -> State:
        """What the session is doing, at once as asked for."""
        with self.lock:
            return self.machine.shown

    @property
    def pace(self) -> float | None:
        """Most iterations a second while playing."""
        return self._executor.pace

    @pace.setter
    def pace(self, value: float | None) -> None:
        with self.lock:
            self._executor.set_pace(value)
            self.wake()  # it may be waiting at the old pace

    @property
    def auto_learn(self) -> bool:
        """Whether new labels are learned from without being asked to."""
        return self._auto_learn

    @auto_learn.setter
    def auto_learn(self, value: bool) -> None:
        with self.lock:
            self._auto_learn = value
            self.wake()

    @property
    def learning(self) -> str:
        """What is being learned in the background, "" if nothing."""
        with self.lock:
            return self._executor.learning

    @property
    def log(self) -> list[Event]:
        """What has taken effect so far."""
        with self.lock:
            return list(self.events)

    def lasting_path(self) -> tuple[PathStep, ...]:
        """Return the path as it will be once all queued commands have taken effect."""
        with self.lock:
            waiting = [*self.queue, *([] if self.in_hand is None else [self.in_hand])]
            cleared = any(queued.clears_path() for queued in waiting)
            return () if cleared else self.published.path

    def moment(self) -> tuple[PublishedFrame, State]:
        """Return the newest layout and the state at the same moment."""
        with self.lock:
            return self.published, self.machine.shown

    def nearest(self, metric: Any) -> NDArray[np.int32] | None:
        """Return the nearest neighbors of each point that the affinities hold, nearest first.

        ``None`` if there are no affinities, or none of nearest neighbors in that metric.
        """
        return self.engine.nearest(metric)

    def add_method(self, kind: type[Recipe[Any]]) -> None:
        """Let a method be named from now on."""
        with self.lock:
            self.methods = {**self.methods, kind.name: kind}

    def subscribe(self, callback: Callable[[str], None]) -> Callable[[], None]:
        """Call ``callback(event)`` from the worker; return a function that ends it."""
        return self.subscribers.add(callback)

    def suggestion_request(self) -> SuggestionRequest:
        """Return what suggestions are made from, as of the last command given (under the lock)."""
        settings = self.session_state.settings
        said = self.accepted.left_out(settings.supervision)
        return SuggestionRequest(said, settings.recipe.quality_metric)

    def _suggested(self) -> Suggestions | None:
        """Return what was suggested from just the present labels, ``None`` if nothing was."""
        result, request = self.suggester.newest, self.suggestion_request()
        same = result is not None and request == result.request
        return result.suggestions if result is not None and same else None

    @property
    def suggesting(self) -> bool:
        """Whether suggestions are being made, or will be once the map has moved."""
        return self._suggestions_due or self.suggester.busy

    def renew_suggestions(self) -> None:
        """Begin to suggest from what was said last, if that has been left for later.

        Of two cores the map has the first use: who labels waits for it to answer.
        """
        with self.lock:
            due, self._suggestions_due = self._suggestions_due, False
            if due and self.suggester.wanted:
                self.suggester.ask(self.suggestion_request())

    def _tell_suggestions(self) -> None:
        self.subscribers.tell("suggestions")

    @property
    def progress(self) -> Progress | None:
        """How far what the map needs has been made, ``None`` if nothing is being made."""
        with self.lock:
            return self._executor.preparation.progress

    @property
    def remark(self) -> str:
        """What was noticed while the affinities in force were made."""
        return self._executor.preparation.remark

    def _tell_progress(self) -> None:
        self.subscribers.tell("progress")

    def keep_moving(self) -> None:
        """Let a map that moves go on while the kernels of a command are compiled."""
        with self.lock:
            self._executor.rehearsal.watched = True

    def cancel(self, what: str | None = None) -> bool:
        """Give up what is done in the background; return whether there was anything.

        See :meth:`Session.cancel`.
        """
        if what == "suggestions":
            return self.suggester.cancel()
        with self.lock:
            preparation = self._executor.preparation
            if self.machine.closing or self.ended:
                return False
            if not preparation.busy or what == "learning":
                canceled = what != "making" and self._executor.cancel_learning()
                if canceled:
                    self.wake()
                return canceled
            if not (preparation.n_waiting and self._withdraw()):
                if self.machine.shown == "running":
                    self._accept("pause", {}, Context(self.engine.X, self.methods))
                preparation.canceled = True
            preparation.want(None)
            self.resting = False
            self.wake()
            return True

    def _withdraw(self) -> bool:
        """Take back changes that wait for affinities; return whether any did (under the lock)."""
        if not self.queue:
            return False
        left = without_waiting(self.queue, Context(self.engine.X, self.methods))
        if not left.taken_back:
            return False
        self.queue, self.session_state = deque(left.queue), left.state
        moves = any(queued.woken or queued.command == "play" for queued in left.queue)
        if self.machine.target == "running" and not self.machine.playing and not moves:
            target: State = "converged" if self.engine.converged else "paused"
            self.machine = replace(self.machine, target=target)
        if self.suggester.wanted:
            self.suggester.ask(self.suggestion_request())
        return True

    # -- commands, from any thread ----------------------------------------------------------

    def give(
        self,
        command: str,
        arguments: Mapping[str, Any] | None = None,
        own: type[Recipe[Any]] | None = None,
    ) -> dict[str, Any]:
        """Decide a command and queue its effect; return its arguments as the log keeps them.

        Parameters
        ----------
        command : str
        arguments : mapping, optional
        own : type, optional
            The class of a recipe among the arguments; it can be named once the command is accepted.

        Raises
        ------
        ValueError, TypeError
            If it is not legal; nothing has changed then.
        RuntimeError
            If the session is closed, has lost its worker, or has failed and the command would run
            it.
        """
        entry = COMMANDS.get(command)
        if entry is None:
            raise ValueError(f"command must be one of {', '.join(COMMANDS)}, got {command!r}")
        given = entry.checked(arguments or {}, self.engine.n_points)
        with self.lock:
            if self._lost:
                raise RuntimeError(self._lost) from self.error
            if self.machine.closing:
                raise RuntimeError("the session is closed; it can still be read and saved")
            methods = self.methods if own is None else {**self.methods, own.name: own}
            context = Context(self.engine.X, methods, self.lasting_path, self._suggested)
            if entry.complete is not None:
                given = dict(entry.complete(self.session_state, given, context))
            provenance = provenance_now(command, self.published.iteration)
            self._accept(command, given, context, provenance, check=True)
            self.methods = methods
        return given

    def replay(
        self, command: str, arguments: Mapping[str, Any], provenance: Provenance | None = None
    ) -> None:
        """Queue a command with arguments from a log (one that waited when a file was saved)."""
        with self.lock:
            self._accept(command, arguments, Context(self.engine.X, self.methods), provenance)

    def _accept(
        self,
        command: str,
        arguments: Mapping[str, Any],
        context: Context,
        provenance: Provenance | None = None,
        *,
        check: bool = False,
    ) -> None:
        """Take a command whose arguments are complete (under the lock).

        With ``check``, one is refused that would lead to a map that cannot be made.
        """
        role, before = COMMANDS[command].role, self.session_state
        steps = int(arguments["k"]) if role == "step" else 0
        asks = role in ("play", "step", "reset")
        # A failed map refuses to run before anything else is looked at.
        if role in ("play", "step"):
            transitioned, effects = transition(self.machine, f"give {role}", Facts(steps=steps))
            after = before
            facts = Facts(steps=steps)
        else:
            after = decide(before, command, arguments, context, provenance)
            changes = after is not before
            change = invalidated(before.settings, after.settings) if changes else Invalidation()
            asks |= bool(change.parts & {"affinities", "layout"})
            if check and COMMANDS[command].settings is not None and "objective" in change.parts:
                after.settings.check_feasible(context.X, before.settings, change)
            elsewhere = after.settings is not before.settings
            moves = change.moves or (elsewhere and command == "go_to")
            facts = Facts(changes=changes, moves=moves)
            transitioned, effects = transition(self.machine, f"give {role}", facts)
        if "refuse" in effects:
            raise RuntimeError(self.failure_text()) from self.error
        woken = wakes(self.machine, role, facts)
        if "enqueue" in effects:
            # Before anything changes: it may be the thread's start, which can fail. What it is
            # woken for it finds once the lock is free.
            self._worker.wake(self)
        self.machine = transitioned
        if "drop steps" in effects:
            self.drop_steps()
        if "clear error" in effects:
            self.error = None
        if "enqueue" not in effects:
            return
        if asks or woken:
            self._executor.preparation.canceled = False
        self.session_state = after
        if command == "accept":
            self.accepted.note(arguments["labels"])
        self._suggestions_due |= after is not before and self.suggester.wanted
        self.queue.append(
            QueuedCommand(command, arguments, before, after, woken, steps, provenance)
        )
        self.resting = False
        self.lock.notify_all()

    def failure_text(self) -> str:
        """Return the sentence that tells of the error that stopped the map."""
        return self._lost or (
            f"the session failed at iteration {self.published.iteration}: {self.error}; "
            f"reset() starts again with the present labels and parameters"
        )

    def drop_steps(self) -> None:
        """Cancel the steps of queued commands (under the lock)."""
        self.queue = deque(queued.without_steps() for queued in self.queue)

    def wait(self, state: State | None, timeout: float | None) -> bool:
        """Wait for rest, or for a state; return whether it came."""
        if self._forked:
            raise RuntimeError(FORKED)
        if self._worker.here:
            raise RuntimeError("a subscriber cannot wait for the worker that calls it")
        if timeout is not None:
            timeout = min(check_real("timeout", timeout, low=0), threading.TIMEOUT_MAX)

        def reached() -> bool:
            if state == "running":
                return self.machine.shown == state
            return self.resting and (state == self.machine.shown or (not state and not self.queue))

        def over() -> bool:
            # What was canceled and is asked for no more keeps the commands that need it waiting.
            stands = bool(self.queue) or self.machine.target == "failed"
            return self.ended or (self.resting and stands)

        with self.lock:
            self.lock.wait_for(lambda: reached() or over(), timeout)
            return reached()

    def capture(self) -> SessionRecord:
        """Return all of the session between two iterations, after the commands given before.

        Commands that wait for steps are not waited for; they are listed as pending. If the worker
        is busy for longer than a frame, what it is at counts as not begun: the record is of the
        time before, and the commands since then are listed as pending.

        Raises
        ------
        RuntimeError
            In a forked copy of the process: the map may have been copied in the midst of a step.
        """
        if self._forked:
            raise RuntimeError(FORKED)
        if self._worker.here:
            return self._capture()
        future: Future[SessionRecord] = Future()

        def job() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(self._capture())
            except BaseException as error:
                future.set_exception(error)

        with self.lock:
            if self.ended or not self._worker.alive:
                return self._capture()  # nobody else touches the engine while the lock is held
            self.jobs.append(job)
            self.resting = False
            self._worker.wake(self)
        futures.wait([future], FRAME)
        if future.cancel():
            return self._capture_last_turn()
        return future.result()

    def _capture(self) -> SessionRecord:
        with self.lock:
            return self._record(self._turned(), [], 0)

    def _capture_last_turn(self) -> SessionRecord:
        with self.lock:
            seen, due = self._last_turn, 0
            begun = [event for event in self.events[seen.n_events :] if event.command not in MOTION]
            if not self.machine.steps_left and not self._executor.preparation.n_waiting:
                cold = seen.run_state.cold
                # Whether there are affinities for it nobody has looked at yet.
                stops = (q.steps or (is_withdrawn(q) and not cold) for q in self.queue)
                due = next((i for i, stop in enumerate(stops) if stop), len(self.queue))
            return self._record(seen, begun, len(begun) + due)

    def _record(self, seen: LastTurn, begun: list[Event], n_due: int) -> SessionRecord:
        """Return what was seen after a turn; the queue follows what was begun since (locked)."""
        return SessionRecord(
            seen.session_state,
            self.machine.shown,
            [
                *((event.command, event.arguments, event.provenance) for event in begun),
                *((each.command, each.arguments, each.provenance) for each in self.queue),
            ],
            seen.run_state,
            seen.trace[: seen.n_records],
            seen.path,
            seen.snapshots,
            self.events[: seen.n_events],
            seen.cost,
            seen.quality,
            n_due,
        )

    def _turned(self) -> LastTurn:
        """Return what the session is now that no turn is under way (under the lock)."""
        engine, published = self.engine, self.published
        return LastTurn(
            self.applied,
            engine.capture(),
            engine.trace,
            len(engine.trace),
            engine.path,
            engine.snapshots,
            len(self.events),
            published.cost,
            published.quality,
        )

    def close(self, timeout: float) -> bool:
        """Stop, let the worker do what waits for no affinities, and end it."""
        with self.lock:
            if not self.machine.closing:
                self.machine, _ = transition(self.machine, "close", Facts())
                self.drop_steps()
                self.suggester.close()
                self._executor.preparation.want(None)
                if self._worker.alive:
                    self._worker.wake(self)
                else:
                    self.ended = True
                    self._release()
                self.lock.notify_all()
        return self._worker.join(timeout)

    # -- the worker ---------------------------------------------------------------------------

    def turn(self) -> float | None:
        """Do one thing; return the seconds to wait before the next, ``None`` until woken."""
        pause = self._executor.turn(self)
        if pause is None:  # there is no motion to wait for
            self.renew_suggestions()
        with self.lock:
            self._last_turn = self._turned()
        return pause

    def wake(self) -> None:
        """Let the worker look for something to do, if it lives (under the lock)."""
        if self._worker.alive:
            self._worker.wake(self)

    def show_start(self) -> None:
        """Let the worker make the start again of a map that is not idle and has no iteration."""
        with self.lock:
            self._worker.wake(self)
            self.resting = False

    def end(self) -> None:
        """End the worker after its present turn (under the lock)."""
        self.ended = True
        self._worker.end()
        self._release()

    def _release(self) -> None:
        """Drop what only a map in motion needs: affinities are as large as n × n."""
        seen = self.published
        known, centers = seen.memberships(self.engine.n_points), seen.region_centers()
        self.published = replace(
            seen, objective=None, known_memberships=known, known_centers=centers
        )
        self.engine.release()

    def lost(self, error: BaseException) -> None:
        """Note that the worker has ended at an error that none of its turns has handled."""
        with self.lock:
            self._end_failed(
                as_exception(error),
                f"the session's worker has ended at an error ({type(error).__name__}: {error}); "
                f"the session can still be read and saved, and the file opened again",
            )
            while self.jobs:
                self.jobs.popleft()()
            self.lock.notify_all()
        _logger.error("the session's worker has ended", exc_info=error)
        self.subscribers.tell("error", "state")

    def forked(self) -> None:
        """Fail in a forked copy of the process, which has the session but not its worker."""
        self.lock = threading.Condition()  # a thread that was not copied may have held it
        self.jobs.clear()
        self._forked = True
        self._end_failed(RuntimeError(FORKED), FORKED)

    def _end_failed(self, error: Exception, why: str) -> None:
        self.suggester.close()
        self._executor.give_up()
        for action in ("failed", "close"):
            self.machine, _ = transition(self.machine, action, Facts())
        self.error, self._lost = error, why
        self.queue.clear()
        self.in_hand = None
        self.resting = self.ended = True

    def act(self, action: str, facts: Facts) -> tuple[str, ...]:
        """Change the state by what the worker did; return the effects (under the lock)."""
        self.machine, effects = transition(self.machine, action, facts)
        if "drop steps" in effects:
            self.drop_steps()
        if "clear error" in effects:
            self.error = None
        return effects

    def publish(self, cost: float, quality: float) -> None:
        """Let readers see the engine's layout."""
        engine = self.engine
        layout = engine.first_layout if engine.layout is None else engine.layout
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

    def note(
        self, command: str, arguments: Mapping[str, Any], provenance: Provenance | None = None
    ) -> None:
        """Write into the log what takes effect now."""
        self.events.append(Event(self.engine.iteration, command, arguments, provenance))
