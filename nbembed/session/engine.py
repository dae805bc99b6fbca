"""Engine: the map that a session moves; one thread at a time, no clock, no chance.

An engine is driven by two calls, :meth:`Engine.apply` (a command, between iterations) and
:meth:`Engine.advance` (one iteration). The worker thread of a live session and the replay of a log
make the same calls in the same order, and nothing else decides a bit of the layout. Work that a
command makes necessary is put off until the next iteration (or until the map rests), so that ten
moves of a slider cost one calibration; how often it was put off changes nothing, because what is
redone is a function of settings, geometry and layout alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from nbembed.run import Record, Run
from nbembed.schedule import Schedule
from nbembed.session.cascade import Part, stale_parts
from nbembed.session.known import KnownAffinities
from nbembed.session.learner import Lesson, teach_the_same, untaught
from nbembed.session.place import Place, Stakes, staked
from nbembed.session.plain import same
from nbembed.session.stages import after, begun, sets
from nbembed.session.values import Held, PathStep, Snapshot

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nbembed.affinities import Affinities
    from nbembed.methods.base import Geometry
    from nbembed.objectives.base import Objective
    from nbembed.session.settings import Settings
    from nbembed.supervision import Supervision

#: Records kept; when there are more, every second one of the older half goes.
TRACE_LIMIT = 20_000


class Engine:
    """A map, what it is made with, and how far it has come.

    Parameters
    ----------
    X : ndarray or sparse array
        Checked data.
    settings : Settings
    place : Place, optional
        Where to go on from; by default a cold start.

    Attributes
    ----------
    settings : Settings
        As of the last command applied.
    place : Place
    trace : list of Record
        One an iteration (thinned when there are very many).
    path : tuple of PathStep
    snapshots : dict of str to Snapshot
    unlearned : Exception or None
        What kept the labels said last from being learned from, if anything did.
    """

    def __init__(self, X: Any, settings: Settings, place: Place | None = None) -> None:
        self.X = X
        self.settings = settings
        self.place = place if place is not None else Place()
        self.trace: list[Record] = []
        self.path: tuple[PathStep, ...] = ()
        self.snapshots: dict[str, Snapshot] = {}
        self.unlearned: Exception | None = None
        self._run: Run | None = None
        self._stale: frozenset[Part] = frozenset()
        self._known = KnownAffinities(X)
        self._lesson: Lesson | None = None
        self._hopeless: Settings | None = None

    # -- what it is now ---------------------------------------------------------------------

    @property
    def iteration(self) -> int:
        """Iterations since the last cold start."""
        return self.place.iteration

    @property
    def objective(self) -> Objective | None:
        """The objective in force; ``None`` while there is no run."""
        return self._run.objective if self._run is not None else None

    @property
    def converged(self) -> bool:
        """Whether the map has come to rest."""
        return self._run is not None and self._run.converged

    @property
    def fresh(self) -> bool:
        """Whether everything that commands made stale has been redone."""
        return self._run is not None and not self._stale

    @property
    def n_points(self) -> int:
        """Rows of the layout that are points; landmarks follow."""
        return int(self.X.shape[0])

    def center_names(self) -> tuple[str, ...]:
        """Return the names of the landmarks in the layout, one each."""
        layout, taught = self.place.layout, self.place.taught
        count = 0 if layout is None else layout.shape[0] - self.n_points
        if count == 0:
            return ()
        settings = self.settings
        known = settings.estimator.center_names(settings.supervision if taught is None else taught)
        more = (str(k + 1) for k in range(len(known), count))
        return (*known, *more)[:count]

    def reached(self) -> Mapping[str, float]:
        """Return the values of live parameters in force, in the units of their sliders.

        Where something is stale, only those that a schedule had set.
        """
        if self._run is not None and not self._stale:
            return self.settings.estimator.live_values(self._run.objective, self._placed()[1])
        return self.place.held.only_sliders(self._live_names()).sliders

    def cost(self) -> float:
        """Return the true cost of the layout in nats; ``nan`` while there is no run."""
        return self._run.cost if self._run is not None else math.nan

    # -- what it learns from labels -----------------------------------------------------------

    def lesson(self) -> Lesson | None:
        """Return what would have to be learned for the labels said last to count, if anything."""
        settings, taught = self.settings, self.place.taught
        if self.place.cold or taught is None or taught is settings.supervision:
            return None
        if settings is self._hopeless:
            return None
        if self._lesson is None or self._lesson.settings is not settings:
            self._lesson = Lesson(settings, settings.supervision)
        return None if teach_the_same(taught, settings.supervision) else self._lesson

    def accepts(self, lesson: Lesson) -> bool:
        """Return whether what came of a lesson is still of use."""
        return (
            self.lesson() is not None
            and same(dict(lesson.settings.parameters), dict(self.settings.parameters))
            and lesson.settings.kind is self.settings.kind
        )

    def give_up(self, lesson: Lesson, error: Exception) -> None:
        """Note that nothing came of a lesson; it is not tried again before something changes."""
        self.unlearned, self._hopeless = error, lesson.settings

    def hand_in(self, lesson: Lesson, affinities: Affinities) -> None:
        """Take the affinities that were learned elsewhere, to be used when they take effect."""
        self._known.put(lesson.settings, lesson.supervision, affinities)

    def _learn(self, supervision: Supervision) -> None:
        """Let affinities take effect that are learned from ``supervision``."""
        place = self.place
        if place.cold or place.taught is None:
            return
        try:
            self._known.of(self.settings, supervision)
        except Exception as error:
            # The map that there is needs no new affinities: it goes on with the old ones.
            self.unlearned, self._hopeless = error, self.settings
            return
        self.unlearned = None
        place.taught = supervision
        layout, _ = self._placed()
        rows = self.n_points + len(self.settings.estimator.center_names(supervision))
        if "layout" in self._stale or rows != layout.shape[0]:
            self._adopt()
        else:
            self._stale |= {"affinities", "objective"}

    # -- one iteration ----------------------------------------------------------------------

    def advance(self) -> Record:
        """Do one iteration and return its record.

        Raises
        ------
        Exception
            Whatever the method's parts raise. The layout is then the one before, and the next call
            tries again from it.
        """
        run = self.refresh()
        try:
            record = run.step().trace.pop()
        except Exception:
            self.restart()
            raise
        place = self.place
        place.layout = run.embedding
        place.iteration += 1
        place.steps += 1
        place.cold = False
        self._note(replace(record, iteration=place.iteration))
        for kept in run.kept:
            self._keep_path_step(kept.Y, run.objective)
        if run.kept and not run.scheduled:
            self._go_to_best()
        run.kept.clear()
        return self.trace[-1]

    def refresh(self) -> Run:
        """Redo what commands made stale and return the run."""
        if self._run is not None and not self._stale:
            return self._run
        if "layout" in self._stale:
            self._adopt()
        method = self.settings.estimator
        if self._run is None:
            if self.place.cold:
                self._start()
            tol = self.settings.parameters.get("tol")
            self._run = Run(
                self._make_objective(),
                method.make_optimizer(),
                self._placed()[0],
                self.place.schedule,
                **({} if tol is None else {"tol": tol}),
            )
            self.place.layout = self._run.embedding
        if "objective" in self._stale:
            self._hold()
            self._run.change(self._make_objective())
        if "optimizer" in self._stale:
            self._run.optimizer = method.make_optimizer()
            self._run.tol = self.settings.parameters.get("tol", self._run.tol)
        self._stale = frozenset()
        return self._run

    # -- commands ---------------------------------------------------------------------------

    def apply(self, command: str, arguments: Mapping[str, Any], settings: Settings) -> None:
        """Let a command take effect; ``settings`` are those after it.

        Raises
        ------
        Exception
            What the method's parts raise. The settings are in force nevertheless, and what could
            not be redone is tried again at the next call of :meth:`refresh` or :meth:`advance`.
        """
        old, self.settings = self.settings, settings
        if command == "reset":
            stakes = self._stakes(old)
            self.place, self._run, self._stale = Place(stakes=stakes), None, frozenset()
            self.trace, self.path = [], ()
        elif command == "restart":
            self.restart()
        elif command == "learned":
            self._learn(arguments["supervision"])
        elif command == "snapshot":
            self._keep(arguments["name"])
        elif command == "restore" and self.snapshots[arguments["name"]].embedding is not None:
            self._bring_back(self.snapshots[arguments["name"]])
        elif settings is not old:
            self._settle(old)
        if command == "move_to_path" and arguments["index"] < len(self.path):
            self._end_run()
            self.place.layout = self.path[arguments["index"]].embedding

    def _stakes(self, before: Settings) -> Stakes | None:
        """Return where the points stand that ``before`` pins."""
        layout, points = self.place.layout, before.supervision.pinned
        if layout is None or points.size == 0:
            return self.place.stakes
        return Stakes(points, layout[points].copy())

    def restart(self) -> None:
        """Forget the optimizer's memory; the layout and the place in the schedule stay."""
        self._end_run()

    def _settle(self, old: Settings) -> None:
        """Bring the map from settings ``old`` to the present ones."""
        if self.place.cold:
            self._run = None  # the start itself is made anew
            return
        parts = stale_parts(old, self.settings)
        if self.settings.kind is not old.kind:
            # What the other method's run knew means nothing to this one.
            self._run = None
            points = self._placed()[0][: self.n_points]
            self.place = replace(
                self.place, layout=points, schedule=Schedule(), steps=0, held=Held(), taught=None
            )
        self._keep_taught()
        if "layout" in self._stale:
            # An earlier change could not be carried out; it will be tried with this one.
            self._stale |= parts
            return
        self._release(old)
        if "align" in parts and "layout" not in parts:
            layout, geometry = self._placed()
            method, supervision = self.settings.estimator, self.settings.supervision
            self.place.geometry = method.realign(geometry, layout, supervision)
            directions = self.place.geometry.directions
            if directions is not None and directions.shape[1] != layout.shape[1]:
                parts |= {"layout"}
        self._stale |= parts - {"display"}
        if "layout" in parts:
            # At once: adopting twice is not the same as adopting once.
            self._adopt()

    def _keep_taught(self) -> None:
        """Note what the affinities are learned from now that the settings changed."""
        supervision, taught = self.settings.supervision, self.place.taught
        if not self.settings.estimator.learns_from_labels:
            self.place.taught = None
        elif taught is None:
            # A method that has only now begun to learn does so like from any other new labels.
            self.place.taught = untaught(supervision)
        elif teach_the_same(taught, supervision):
            self.place.taught = supervision

    def _release(self, old: Settings) -> None:
        """End the schedule of each live parameter that was set to a number."""
        if self.settings.kind is not old.kind:
            return
        self._hold()
        place = self.place
        for parameter in self.settings.kind.live_parameters:
            name = parameter.name
            value = self.settings.parameters.get(name)
            if not isinstance(value, Real) or same(value, old.parameters.get(name)):
                continue
            left = after(place.schedule, place.steps)
            place.schedule = place.schedule.without(name)
            if self._run is not None:
                self._run.release(name)
            if sets(left, name) and not any(s.parameters for s in left.without(name).stages):
                # All that was left of it was to move what a hand holds now.
                place.schedule = Schedule()
                if self._run is not None:
                    self._run.end_schedule()

    def _adopt(self) -> None:
        """Take the present layout over into the method as it is now."""
        method, supervision = self.settings.estimator, self.settings.supervision
        rng = np.random.default_rng(self.settings.seed)
        affinities = self._affinities()
        start = method.adopt(self._placed()[0], affinities, supervision, rng)
        held = self.place.held.only_sliders(self._live_names())
        # Rounded as the run will round it, so that it does not matter whether a run was made of it
        # before the next command came.
        self._leave(start.Y.astype(affinities.dtype), start.geometry, held)
        self.path = ()

    # -- snapshots and the path -------------------------------------------------------------

    def _keep(self, name: str) -> None:
        self._hold()
        place = self.place
        self.snapshots[name] = Snapshot(
            name,
            place.iteration,
            None if place.cold else place.layout,
            self.settings,
            None if place.cold else place.geometry,
            place.held,
            place.taught,
        )

    def _bring_back(self, snapshot: Snapshot) -> None:
        assert snapshot.embedding is not None
        assert snapshot.geometry is not None
        if self.place.layout is None or self.place.layout.shape != snapshot.embedding.shape:
            self.path = ()
        held = snapshot.held.only_live(self._live_names())
        self.place.taught = snapshot.taught
        self._leave(snapshot.embedding, snapshot.geometry, held)
        self._keep_taught()

    def _keep_path_step(self, Y: NDArray[Any], objective: Objective) -> None:
        _, geometry = self._placed()
        method = self.settings.estimator
        lam = method.live_values(objective, geometry).get("lam", math.nan)
        self.path = (*self.path, PathStep(lam, Y, method.path_criterion(Y, objective)))

    def _go_to_best(self) -> None:
        """Go on from the layout of a finished path that its criterion prefers, as ``fit`` does."""
        known = [step for step in self.path if math.isfinite(step.criterion)]
        best = max(known, key=lambda step: step.criterion, default=None)
        if best is None or best is self.path[-1] or self._by_hand("lam"):
            return
        self._end_run()
        place = self.place
        place.layout = best.embedding
        values = {k: v for k, v in place.held.values.items() if k != "lam"}
        place.held = Held(values, {**place.held.sliders, "lam": best.lam})
        self.refresh()

    def _by_hand(self, name: str) -> bool:
        return isinstance(self.settings.parameters.get(name), Real)

    def _note(self, record: Record) -> None:
        if self.trace and self.trace[-1].parameters == record.parameters:
            record = replace(record, parameters=self.trace[-1].parameters)  # one map for all
        self.trace.append(record)
        if len(self.trace) > TRACE_LIMIT:
            half = TRACE_LIMIT // 2
            self.trace = self.trace[:half:2] + self.trace[half:]

    # -- parts ------------------------------------------------------------------------------

    def _placed(self) -> tuple[NDArray[Any], Geometry]:
        if self.place.layout is None or self.place.geometry is None:
            raise RuntimeError("the map has no layout yet")
        return self.place.layout, self.place.geometry

    def _start(self) -> None:
        method, supervision = self.settings.estimator, self.settings.supervision
        taught = supervision if method.learns_from_labels else None
        self.unlearned = None
        try:
            affinities = self._known.of(self.settings, taught)
        except Exception as error:
            if taught is None or not supervision.labeled.size:
                raise
            # Labels that nothing can be learned from must not cost the map.
            self.unlearned, self._hopeless, taught = error, self.settings, untaught(supervision)
            affinities = self._known.of(self.settings, taught)
        rng = np.random.default_rng(self.settings.seed)
        start = method.make_start(self.X, affinities, supervision, rng)
        schedule = method.make_schedule(affinities, start.geometry)
        stakes = self.place.stakes
        self.place = Place(start.Y, start.geometry, schedule=schedule, taught=taught, stakes=stakes)
        if stakes is not None:
            self.place.layout = staked(start.Y, stakes, supervision.pinned)

    def _make_objective(self) -> Objective:
        """Return the method's objective, with what a schedule has set and no hand has changed."""
        settings, place = self.settings, self.place
        live, held = self._live_names(), place.held
        words = {k for k in live if not isinstance(settings.parameters.get(k), Real)}
        # A slider's value from before the geometry changed: the method knows its unit.
        sliders = {k: v for k, v in held.sliders.items() if k in words and k not in held.values}
        method = settings.kind(**{**settings.parameters, **sliders})
        _, geometry = self._placed()
        objective = method.objective(self._affinities(), settings.supervision, geometry)
        now = objective.parameters
        found = {k: now[k] for k in sliders if k in now}
        place.held = held = replace(held, values={**held.values, **found})
        more = {
            name: value
            for name, value in held.values.items()
            if (name in words or name not in live) and name in now and now[name] != value
        }
        return objective.with_parameters(**more) if more else objective

    def _live_names(self) -> set[str]:
        return {parameter.name for parameter in self.settings.kind.live_parameters}

    def _hold(self) -> None:
        """Remember what the schedule has set so far."""
        if self._run is None:
            return
        now = self._run.objective.parameters
        stages = begun(self.place.schedule, self.place.steps)
        names = {name for stage in stages for name in stage.parameters if name in now}
        if not names:
            return
        shown = self.settings.estimator.live_values(self._run.objective, self._placed()[1])
        held = self.place.held
        self.place.held = Held(
            {**held.values, **{name: now[name] for name in names}},
            {**held.sliders, **{name: shown[name] for name in names & shown.keys()}},
        )

    def put_by(self) -> Place:
        """Return a copy of the place, as if the run ended here; the run itself goes on."""
        if self.place.cold:
            return Place(stakes=self.place.stakes)
        self._hold()
        left = after(self.place.schedule, self.place.steps)
        return replace(self.place, schedule=left, steps=0)

    def _end_run(self) -> None:
        """Put the run away; the next one begins where this one was, with an empty memory."""
        if not self.place.cold:
            self._hold()
            self.place.schedule = after(self.place.schedule, self.place.steps)
            self.place.steps = 0
            self._stale &= {"layout"}
        self._run = None

    def _leave(self, layout: NDArray[Any], geometry: Geometry, held: Held) -> None:
        """Go on from another map, outside any schedule."""
        place = self.place
        self.place = Place(
            layout, geometry, place.iteration, cold=False, held=held, taught=place.taught
        )
        self._run, self._stale = None, frozenset()

    def _affinities(self) -> Affinities:
        return self._known.of(self.settings, self.place.taught)
