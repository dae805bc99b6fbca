"""Controller: decides what a session is told to do; its worker executes.

A command is decided at once, in the thread that gives it: its arguments are checked, the session
state (settings, history) changes, the state machine says what the session is doing now, and the
command joins the queue of the mailbox (:mod:`nbembed.session.live.mailbox`). Between iterations the
worker (:mod:`nbembed.session.live.executor`) takes the next command, writes it into the log with
the iteration and lets the engine carry it out.

What was learned from labels in the background (:mod:`nbembed.session.live.background`) takes
effect like a change, before any queued command. :meth:`Controller.wait` does not return while
something is being learned. After a switch to a method that learns from labels, the map stands still
until the present labels have been learned from.
"""

from __future__ import annotations

import logging
import math
import threading
import weakref
from collections.abc import Mapping
from concurrent import futures
from concurrent.futures import Future
from dataclasses import replace
from typing import Any

from nbembed.methods.recipe import Recipe
from nbembed.session.core.accepted_labels import AcceptedLabels
from nbembed.session.core.change import Change
from nbembed.session.core.command_entry import Command, Context
from nbembed.session.core.commands import COMMANDS, decide
from nbembed.session.core.events import Event
from nbembed.session.core.provenance import Provenance
from nbembed.session.core.session_state import SessionState
from nbembed.session.core.state_machine import Facts, State, transition, wakes
from nbembed.session.live.background import BackgroundTask
from nbembed.session.live.executor import Executor
from nbembed.session.live.giver import provenance_now
from nbembed.session.live.mailbox import Mailbox
from nbembed.session.live.preparation import Preparation
from nbembed.session.live.records import QueuedCommand, SessionRecord
from nbembed.session.live.suggester import Suggester
from nbembed.session.live.threads import tell_of_forks
from nbembed.session.live.withdrawal import without_waiting
from nbembed.session.live.worker import Worker, as_exception
from nbembed.session.map.engine import Engine
from nbembed.validation import check_real, shown

_logger = logging.getLogger("nbembed.session")

#: What a session says in a process that was forked from its own.
FORKED = (
    "this session belongs to the process that made it, and its worker does not run in a forked "
    "copy; save it there and open the file here with load_session(), or make a session here"
)


#: Seconds that a reader waits for the worker before it takes what there was after the last turn.
FRAME = 1 / 30


class Controller:
    """Decides commands for a live session, and answers other threads.

    * methods: the recipe classes that a switch may name.
    * cost, quality: of the engine's layout; ``nan`` if unknown.
    * mailbox: shared with the worker.
    * preparation: of what the map cannot go on without; it tells of its progress.
    """

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
        self.mailbox = Mailbox(engine, session_state, log, state, cost, quality)
        self.accepted = AcceptedLabels(engine.n_points, log)
        self.suggester = Suggester(engine.X, self.mailbox, self.accepted, self._tell_suggestions)
        self._lost = ""  # why there is no worker any more, though nobody has closed the session
        self._forked = False
        self._worker = Worker()
        gone = weakref.ref(self)  # a fit of a session that nobody uses ends

        def over() -> bool:
            return gone() is None

        name = "nbembed background fit"
        fit = BackgroundTask(name, self.wake, over=over)
        preparing = BackgroundTask(name, self.wake, self._tell_progress, every=0.0, over=over)
        self.preparation = Preparation(engine, preparing)
        self._executor = Executor(engine, self.mailbox, fit, self.preparation)
        tell_of_forks(self)

    # -- readings, from any thread ----------------------------------------------------------

    @property
    def state(self) -> State:
        """The state of the session, changed at once on request."""
        with self.mailbox.lock:
            return self.mailbox.machine.shown

    @property
    def learning(self) -> str:
        """A description of the fit in the background, "" if there is none."""
        return self._executor.learning

    def _tell_suggestions(self) -> None:
        self.mailbox.subscribers.tell("suggestions")

    def _tell_progress(self) -> None:
        self.mailbox.subscribers.tell("progress")

    def keep_moving(self) -> None:
        """Let a map that moves go on while the kernels of a command are compiled."""
        with self.mailbox.lock:
            self._executor.rehearsal.watched = True

    def cancel(self, what: str | None = None) -> bool:
        """Give up what is done in the background; return whether there was anything.

        See :meth:`Session.cancel`.
        """
        if what == "suggestions":
            return self.suggester.cancel()
        box, preparation = self.mailbox, self.preparation
        with box.lock:
            if box.machine.closing or box.ended:
                return False
            if not preparation.busy or what == "learning":
                canceled = what != "making" and self._executor.cancel_learning()
                if canceled:
                    self.wake()
                return canceled
            if not (preparation.n_waiting and self._withdraw()):
                if box.machine.shown == "running":
                    self._accept(COMMANDS["pause"], {}, Context(self.engine.X, self.methods))
                preparation.canceled = True
            preparation.want(None)
            box.resting = False
            self.wake()
            return True

    def _withdraw(self) -> bool:
        """Take back changes that wait for affinities; return whether any did."""
        box = self.mailbox
        with box.lock:
            if not box.queue:
                return False
            queue, state = without_waiting(box.queue, Context(self.engine.X, self.methods))
            if len(queue) == len(box.queue):
                return False
            box.put_back(queue, state)
            moves = any(queued.woken or queued.entry.role == "play" for queued in queue)
            if box.machine.target == "running" and not box.machine.playing and not moves:
                target: State = "converged" if self.engine.converged else "paused"
                box.machine = replace(box.machine, target=target)
            self.suggester.put_off()
            self.suggester.renew()
            return True

    # -- commands, from any thread ----------------------------------------------------------

    def give(
        self,
        command: str,
        arguments: Mapping[str, Any] | None = None,
        own: type[Recipe[Any]] | None = None,
    ) -> dict[str, Any]:
        """Decide a command and queue its effect; return its arguments as the log keeps them.

        ``own`` is the class of a recipe among the arguments, which can be named once the command is
        accepted. Nothing has changed where the command is refused.
        """
        entry = COMMANDS.get(command)
        if entry is None:
            raise ValueError(f"command must be one of {', '.join(COMMANDS)}, got {shown(command)}")
        given = entry.checked(arguments or {}, self.engine.n_points)
        with self.mailbox.lock:
            state = self.mailbox.session_state
            if self._lost:
                raise RuntimeError(self._lost) from self.mailbox.error
            if self.mailbox.machine.closing:
                raise RuntimeError("the session is closed; it can still be read and saved")
            methods = self.methods if own is None else {**self.methods, own.name: own}
            context = Context(
                self.engine.X, methods, self.mailbox.lasting_path, self.suggester.present
            )
            if entry.complete is not None:
                given = dict(entry.complete(state, given, context))
            suggested = "accepts suggestions" in entry.flags
            provenance = provenance_now(self.mailbox.published.iteration, suggested=suggested)
            self._accept(entry, given, context, provenance, check=True)
            self.methods = methods
        return given

    def replay(
        self, command: str, arguments: Mapping[str, Any], provenance: Provenance | None = None
    ) -> None:
        """Queue a command with arguments from a log (one that waited when a file was saved)."""
        context = Context(self.engine.X, self.methods)
        self._accept(COMMANDS[command], arguments, context, provenance)

    def _accept(
        self,
        entry: Command,
        arguments: Mapping[str, Any],
        context: Context,
        provenance: Provenance | None = None,
        *,
        check: bool = False,
    ) -> None:
        """Take a command whose arguments are complete.

        With ``check``, one is refused that would lead to a map that cannot be made.
        """
        box = self.mailbox
        with box.lock:
            before = box.session_state
            after = decide(before, entry.name, arguments, context, provenance)
            change = Change(entry, arguments, before, after)
            if check and entry.settings is not None and "objective" in change.invalidation.parts:
                after.settings.check_feasible(context.X, before.settings, change.invalidation)
            steps = int(arguments["k"]) if entry.role == "step" else 0
            facts = Facts(changes=after is not before, moves=change.moves, steps=steps)
            transitioned, effects = transition(box.machine, f"give {entry.role}", facts)
            if "refuse" in effects:
                raise RuntimeError(self.failure_text()) from box.error
            woken = wakes(box.machine, entry.role, facts)
            if "enqueue" in effects:
                # Before anything changes: it may be the thread's start, which can fail. What it is
                # woken for it finds once the lock is free.
                self._worker.wake(self)
            box.machine = transitioned
            box.carry_out(effects)
            if "enqueue" not in effects:
                return
            if woken or entry.asks_for_motion or change.needs_affinities:
                self.preparation.canceled = False
            if "accepts suggestions" in entry.flags:
                self.accepted.note(arguments["labels"])
            if after is not before:
                self.suggester.put_off()
            box.put(QueuedCommand(change, woken, steps, provenance))

    def failure_text(self) -> str:
        """Return the sentence that tells of the error that stopped the map."""
        box = self.mailbox
        return self._lost or (
            f"the session failed at iteration {box.published.iteration}: {box.error}; "
            f"reset() starts again with the present labels and parameters"
        )

    def wait(self, state: State | None, timeout: float | None) -> bool:
        """Wait for rest, or for a state; return whether it came."""
        if self._forked:
            raise RuntimeError(FORKED)
        if self._worker.here:
            raise RuntimeError("a subscriber cannot wait for the worker that calls it")
        if timeout is not None:
            timeout = min(check_real("timeout", timeout, low=0), threading.TIMEOUT_MAX)

        box = self.mailbox

        def reached() -> bool:
            shown = box.machine.shown
            if state == "running":
                return shown == state
            return box.resting and (state == shown or (not state and not box.queue))

        def over() -> bool:
            # What was canceled and is asked for no more keeps the commands that need it waiting.
            stands = bool(box.queue) or box.machine.target == "failed"
            return box.ended or (box.resting and stands)

        with box.lock:
            box.lock.wait_for(lambda: reached() or over(), timeout)
            return reached()

    def capture(self) -> SessionRecord:
        """Return all of the session between two iterations, after the commands given before.

        Commands that wait for steps are not waited for; they are listed as pending. If the worker
        is busy for longer than a frame, what it is at counts as not begun: the record is of the
        time before, and the commands since then are listed as pending.
        """
        if self._forked:  # the map may have been copied in the midst of a step
            raise RuntimeError(FORKED)
        box = self.mailbox
        if self._worker.here:
            return box.record()
        future: Future[SessionRecord] = Future()

        def job() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(box.record())
            except BaseException as error:
                future.set_exception(error)

        with box.lock:
            if box.ended or not self._worker.alive:
                return box.record()  # nobody else touches the engine while the lock is held
            box.put_job(job)
            self._worker.wake(self)
        futures.wait([future], FRAME)
        if future.cancel():
            with box.lock:
                waits = bool(self.preparation.n_waiting)
                return box.record_after_last_turn(makes_affinities=waits)
        return future.result()

    def close(self, timeout: float) -> bool:
        """Stop, let the worker do what waits for no affinities, and end it."""
        box = self.mailbox
        with box.lock:
            if not box.machine.closing:
                box.act("close")
                self.suggester.close()
                self.preparation.want(None)
                if self._worker.alive:
                    self._worker.wake(self)
                else:
                    box.end()
                box.lock.notify_all()
        return self._worker.join(timeout)

    # -- the worker ---------------------------------------------------------------------------

    def turn(self) -> float | None:
        """Do one thing; return the seconds to wait before the next, ``None`` until woken."""
        box = self.mailbox
        pause = self._executor.turn()
        if pause is None or self._executor.answered:  # of two cores the map has the first use
            self.suggester.renew()
        with box.lock:
            box.last_turn = box.turned()
            if box.ended:
                self._worker.end()
        return pause

    def wake(self) -> None:
        """Let the worker look for something to do, if it lives."""
        with self.mailbox.lock:
            if self._worker.alive:
                self._worker.wake(self)

    def show_start(self) -> None:
        """Let the worker make the start again of a map that is not idle and has no iteration."""
        with self.mailbox.lock:
            self._worker.wake(self)
            self.mailbox.resting = False

    def lost(self, error: BaseException) -> None:
        """Note that the worker has ended at an error that none of its turns has handled."""
        box = self.mailbox
        with box.lock:
            self._end_failed(
                as_exception(error),
                f"the session's worker has ended at an error ({type(error).__name__}: {error}); "
                f"the session can still be read and saved, and the file opened again",
            )
            while (job := box.take_job()) is not None:
                job()
            box.lock.notify_all()
        _logger.error("the session's worker has ended", exc_info=error)
        box.subscribers.tell("error", "state")

    def forked(self) -> None:
        """Fail in a forked copy of the process, which has the session but not its worker."""
        self.mailbox.forked()
        self._forked = True
        self._end_failed(RuntimeError(FORKED), FORKED)

    def _end_failed(self, error: Exception, why: str) -> None:
        self._lost = why
        self.suggester.close()
        self._executor.give_up()
        self.mailbox.end_failed(error)
