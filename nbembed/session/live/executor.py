"""Executor: what the worker thread does — one command, job, iteration or rest a turn.

It executes and decides nothing: it takes what there is to do out of the mailbox
(:mod:`nbembed.session.live.mailbox`), and reports there what it did. The engine is touched by the
executor alone while the worker lives.
"""

from __future__ import annotations

import logging
import math
import time
from dataclasses import replace
from functools import partial

from nbembed.kernels.threads import Interrupted, interruptible
from nbembed.session.core.change import Change
from nbembed.session.core.commands import COMMANDS
from nbembed.session.core.state_machine import Facts
from nbembed.session.live.background import BackgroundTask, Result
from nbembed.session.live.mailbox import Mailbox
from nbembed.session.live.preparation import Preparation
from nbembed.session.live.records import QueuedCommand
from nbembed.session.live.rehearsal import Rehearsal
from nbembed.session.live.worker import as_exception
from nbembed.session.map.engine import Engine
from nbembed.session.map.fit_request import FitRequest
from nbembed.session.map.optimum import OptimumCheck
from nbembed.session.map.quality import QualityMeter
from nbembed.validation import readable

_logger = logging.getLogger("nbembed.session")


class Executor:
    """Carries out the commands of a mailbox.

    * fit, preparation: of fits to labels, and of what the map cannot go on without.
    * answered: whether the last turn has moved the map and no command waits for its turn.
    """

    def __init__(
        self, engine: Engine, mailbox: Mailbox, fit: BackgroundTask, preparation: Preparation
    ) -> None:
        self.preparation = preparation
        self.rehearsal = Rehearsal(engine)
        self.answered = False
        self._engine = engine
        self._box = mailbox
        self._fit = fit
        self._unlearn = False  # what is being learned was canceled
        self._told: QueuedCommand | None = None  # the last that is known to wait
        self._asked: FitRequest | None = None  # what was requested last
        self._switched = False  # to another method, which has not learned from the labels yet
        self._exact = False  # the cost and quality shown are those of the map at rest
        self._meter = QualityMeter(engine.X)
        self._gave_up = False  # the last iteration that was begun
        self._changed = False  # by a command, and there was no iteration since
        self._optimum = OptimumCheck(engine)
        self._begun = -math.inf  # when the last iteration was due

    @property
    def learning(self) -> str:
        """A description of the fit in the background, "" if there is none."""
        with self._box.lock:
            return self._asked.text if self._asked is not None and self._fit.awaited else ""

    def give_up(self) -> None:
        """Give up all that is made in the background; there is no worker any more."""
        with self._box.lock:
            self.preparation.want(None)
            self._asked = None
            self._fit.cancel()

    def turn(self) -> float | None:
        """Do one thing; return the seconds to wait before the next, ``None`` until woken."""
        self.answered = False
        try:
            return self._turn()
        except BaseException as error:
            self._fail(as_exception(error))
            return 0.0

    def _turn(self) -> float | None:
        box = self._box
        if self._take_prepared() or self._give_up_learning():
            return 0.0
        with box.lock:
            learned, waits_for_fit = self._fit.take(), self._waits_for_fit()
        if learned is not None:
            self._take_in(learned)
            return 0.0
        if self._request_fit():
            return 0.0
        with box.lock:
            ahead = () if box.machine.steps_left else box.queue
            lacking = self.preparation.lacking_for(ahead)
            waits = self.rehearsal.look(box.machine, box.queue)
            queued = box.begin_next() if lacking is None and not waits else None
            job = box.take_job() if queued is None else None
            iterating, steps = box.machine.iterating, box.machine.steps_left
        if queued is not None:
            try:
                self._carry_out(queued)
            finally:
                box.finish()
            return 0.0
        if job is not None:
            job()
            return 0.0
        if not self._prepare(lacking):
            return None
        if not iterating:
            return self._rest()
        if waits_for_fit:
            return None
        wait = 0.0 if steps else self._until_due()
        if wait:
            return wait
        self._iterate()
        return 0.0

    def _until_due(self) -> float:
        """Return the seconds until the pace allows another iteration."""
        pace, now = self._box.pace, time.monotonic()
        if pace is None:
            return 0.0
        due = self._begun + 1 / pace
        if now < due:
            return due - now
        self._begun = max(due, now - 1 / pace)
        return 0.0

    def _carry_out(self, queued: QueuedCommand) -> None:
        """Let the engine carry out a command that has begun, and tell the subscribers."""
        box = self._box
        engine, change = self._engine, queued.change
        if not queued.entry.is_motion:
            changes = queued.entry.role != "record"  # what is only noted leaves a map at rest
            if changes:
                self._exact = False
                self._optimum.interrupt()
            kept = engine.snapshots.keys()
            engine.apply(change)
            seen = box.published
            for number in engine.snapshots.keys() - kept:
                engine.note_measured(number, seen.cost, seen.quality)
            engine.keep_snapshots(change.new.kept_snapshots())
            self._changed |= changes
            with box.lock:
                if engine.layout is not None:
                    box.publish(seen.cost, seen.quality)
                else:  # the old layout is shown until the new start is there, its path is gone
                    box.published = replace(seen, path=engine.path)
        if not change.old.settings.same_method(change.new.settings):
            self._switched = True
        box.subscribers.tell(*change.events())

    # -- what the map cannot go on without ------------------------------------------------------

    def _take_prepared(self) -> bool:
        """Take what was made in the background; return whether there was anything."""
        box = self._box
        engine = self._engine
        with box.lock:
            made = self.preparation.take()
            shows = made is not None and made.first and engine.layout is None
            if made is not None and shows:
                engine.first_layout = made.value
                box.publish(math.nan, math.nan)
        if shows:
            box.subscribers.tell("frame", "state")
        elif made is not None and not made.first:
            engine.store(made.key, made.value, made.error)
            box.subscribers.tell("progress")
        return made is not None

    def _prepare(self, waiting_for: FitRequest | None) -> bool:
        """Have missing input made; return whether the map can go on, or rest, meanwhile.

        ``waiting_for`` is the input that the next commands wait for.
        """
        box = self._box
        engine, preparation = self._engine, self.preparation
        with box.lock:
            machine, canceled = box.machine, preparation.canceled
            moves = machine.iterating and not machine.closing
            started = machine.target not in ("idle", "failed") and not machine.closing
        lacking = engine.missing() if moves or (started and not self._at_rest) else None
        wanted = waiting_for if waiting_for is not None else lacking
        if machine.closing:  # what waits stays in the queue, from which a file is written
            wanted = None
        with box.lock:
            preparation.want(None if canceled else wanted)
            news = preparation.news()
            if wanted is not None:
                queued = bool(box.queue) and waiting_for is None
                box.resting = canceled and not queued and not box.jobs
                box.lock.notify_all()
            held = waiting_for is not None or self.rehearsal.n_waiting
            waits = box.queue[-1] if held and box.queue else None
            told, self._told = self._told, waits
        if news:
            box.subscribers.tell("progress")
        if waits is not told:  # of what was said nothing is in force yet, but nothing is lost
            box.subscribers.tell("waiting")
        if waiting_for is not None and not machine.closing:
            # A pause or steps that wait behind the change end the motion before it.
            goes_on = moves and machine.target == "running" and not machine.steps_requested
            return goes_on and lacking is None
        return lacking is None

    @property
    def _at_rest(self) -> bool:
        """Return whether everything that is shown at rest is there."""
        return self._engine.fresh and self._exact

    # -- learning in the background -----------------------------------------------------------

    def cancel_learning(self) -> bool:
        """Give up what is being learned; return whether there was anything."""
        with self._box.lock:
            self._unlearn = bool(self.learning)
            return self._unlearn

    def _give_up_learning(self) -> bool:
        box = self._box
        with box.lock:
            request, unlearn, self._unlearn = self._asked, self._unlearn, False
            if not unlearn or request is None:
                return False
            self._fit.cancel()
        self._engine.note_failure(
            request,
            RuntimeError(f"{request.text} was canceled; the next label or learn() starts it again"),
        )
        box.subscribers.tell("learning", "state")
        return True

    def _request_fit(self) -> bool:
        """Let the labels given last be learned from; return whether that is new."""
        box = self._box
        wanted = box.auto_learn and not box.machine.closing
        request = self._engine.fit_request() if wanted else None
        if request is self._asked:
            return False
        with box.lock:
            self._asked = request
            if request is None:
                self._fit.cancel()  # the session is closing, or the labels were taken back
            else:
                self._fit.put(request, partial(request.make, self._engine.X))
            box.resting = False
        box.subscribers.tell("learning")
        return True

    def _waits_for_fit(self) -> bool:
        """Return whether the map waits for its new method's fit."""
        with self._box.lock:
            waits = self._switched and self._fit.awaited and not self._box.machine.closing
            return waits and self._engine.fit_request() is not None

    def _take_in(self, result: Result) -> None:
        """Let what was learned in the background take effect, if it is still of use."""
        box = self._box
        engine = self._engine
        request: FitRequest = result.key
        wanted = box.auto_learn and not box.machine.closing
        if wanted and engine.accepts(request):
            if result.error is None:
                self._switched = False
                engine.store(request, result.value)
                arguments = {"supervision": request.supervision}
                with box.lock:
                    self.preparation.remark = " ".join(result.remarks)
                    box.act("learned")
                    box.note("learn", arguments)
                    state = box.applied
                self._exact = False
                engine.apply(Change(COMMANDS["learn"], arguments, state, state))
                with box.lock:
                    box.publish(box.published.cost, box.published.quality)
            elif request is self._asked:  # else newer labels are being learned from already
                engine.note_failure(request, result.error)
        box.subscribers.tell("learning", "state")

    # -- iterations and rest ------------------------------------------------------------------

    def _overtaken(self) -> bool:
        """Return whether a command waits for which the present iteration is given up.

        At large n an iteration takes long, and a command that changes the map makes it worthless.
        What was begun leaves no trace, because a state of an optimizer is a value: the next
        iteration is the same as if this one had never been begun. Of two iterations in a row only
        one is given up, so that a map moves while a slider is dragged.
        """
        box = self._box
        waits = self._may_begin()
        return waits and not box.machine.steps_left and not self._gave_up

    def _may_begin(self) -> bool:
        """Return whether a command waits for its turn, and for neither affinities nor kernels."""
        box = self._box
        known = max(self.preparation.n_waiting, self.rehearsal.n_waiting)
        return len(box.queue) > known

    def _iterate(self) -> None:
        box = self._box
        engine = self._engine
        self._exact = False
        self._optimum.interrupt()
        if box.worse_optimum:
            box.say_worse("")
        try:
            record = engine.advance(lambda: self._overtaken())
        except Interrupted:
            self._gave_up = True
            return
        self._gave_up = False
        self.rehearsal.n_iterations += 1
        known = math.isfinite(record.cost)
        cost = record.cost if known else box.published.cost
        # Somebody waits for the first layout after a change: it is measured with a later one.
        quality = box.published.quality if self._changed else self._quality()
        self._changed = False
        events = ["frame"]
        with box.lock:
            box.publish(cost, quality)
            facts = Facts(converged=engine.converged, queued=bool(box.queue))
            if "log rest" in box.act("iterated", facts):
                state = "converged" if box.machine.target == "converged" else "paused"
                box.note("rest", {"state": state})
                events.append("state")
            box.lock.notify_all()
        box.subscribers.tell(*events)
        self.answered = not self._may_begin()

    def _rest(self) -> float | None:
        """Redo what is invalid, measure exactly, and sleep."""
        box = self._box
        with box.lock:
            machine = box.machine
            started = machine.target not in ("idle", "failed") and not machine.closing
        if started and not self._at_rest and not self.preparation.canceled:
            self._engine.refresh()
            cost, quality = self._engine.cost(), self._quality(now=True)
            with box.lock:
                box.publish(cost, quality)
            self._exact = True
            box.subscribers.tell("frame", "state")
            return 0.0
        with box.lock:
            if len(box.queue) > self.preparation.n_waiting or box.jobs:
                return 0.0
            measures = started and self._meter.unfinished
            if not measures:
                if self._asked is not None and self._fit.awaited and not box.machine.closing:
                    return None  # its result will wake the worker
                box.resting = True
                if box.machine.closing:
                    box.end()
                box.lock.notify_all()
            at_rest = machine.target in ("converged", "paused") and self._engine.converged
            compares = at_rest and self._engine.fresh and not machine.closing
        if measures:
            return self._measure()
        return self._compare() if compares else None

    def _measure(self) -> float:
        """Go on measuring the quality of a map of many points, which takes many turns."""
        box = self._box
        quality = self._quality(now=True)
        if not self._meter.unfinished:
            with box.lock:
                box.publish(box.published.cost, quality)
            box.subscribers.tell("frame", "state")
        return 0.0

    def _compare(self) -> float | None:
        """Find out, one iteration a turn, whether the map rests in a worse optimum."""
        box = self._box
        try:
            with interruptible(lambda: bool(box.queue)):
                unfinished = self._optimum.advance()
        except Interrupted:
            return 0.0
        if unfinished:
            return 0.0
        self._box.say_worse(self._optimum.text)
        return None

    def _fail(self, error: Exception) -> None:
        box = self._box
        self._engine.reset_optimizer()
        with box.lock:
            box.error = error
            box.act("failed")
            text = readable(f"{type(error).__name__}: {error}")
            box.note("rest", {"state": "failed", "error": text})
            box.lock.notify_all()
        _logger.debug("the session failed", exc_info=error)
        box.subscribers.tell("error", "state")

    def _quality(self, *, now: bool = False) -> float:
        engine = self._engine
        if engine.layout is None:
            return math.nan
        return self._meter.measure(engine.layout, engine.settings.recipe.quality_metric, now=now)
