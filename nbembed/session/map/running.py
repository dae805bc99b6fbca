"""A map in motion: its run, what it is made of, and what it lacks.

Work that a change makes necessary is put off until the next iteration (or until the map rests), so
that ten moves of a slider cost one calibration; how often it was put off changes nothing, because
what is redone is a function of settings, geometry and layout alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from nbembed.kernels.threads import interruptible
from nbembed.methods.recipe import Geometry, Part, PathStep, Recipe
from nbembed.neighbors import remember
from nbembed.objectives.base import Objective
from nbembed.run import Checkpoint, Record, Run
from nbembed.session.core.settings import Settings
from nbembed.session.map.affinity_cache import AffinityCache
from nbembed.session.map.fit_request import FitRequest, same_labels
from nbembed.session.map.run_state import PinnedPositions, RunState
from nbembed.supervision import Supervision

#: Records of the trace kept; when there are more, every second one of the older half goes.
TRACE_LIMIT = 20_000


class RunningMap:
    """A map, its settings and its state.

    * state: where to go on from; by default a cold start.
    * settings: as of the last command applied.
    * trace: one an iteration (thinned when there are very many).
    * learning_error: what kept the labels given last from being learned from, if anything did.
    * first_layout: what to show before there is a layout.
    """

    def __init__(self, X: Any, settings: Settings, state: RunState | None = None) -> None:
        self.X = X
        remember(X)
        self.settings = settings
        self.trace: list[Record] = []
        self.path: tuple[PathStep, ...] = ()
        self.learning_error: Exception | None = None
        self.first_layout: NDArray[Any] | None = None
        self._state = state if state is not None else RunState()
        self._run: Run | None = None
        self._stale: frozenset[Part] = frozenset(() if self._state.adopted else ("layout",))
        self._moved: frozenset[str] = frozenset()
        self._cache = AffinityCache(X)
        self._request: FitRequest | None = None
        self._failed_for: Settings | None = None

    # -- what it is now ---------------------------------------------------------------------

    @property
    def layout(self) -> NDArray[Any] | None:
        """The present layout, centers after the points; ``None`` before a start is prepared."""
        return self._state.layout

    @property
    def geometry(self) -> Geometry | None:
        """The present geometry; ``None`` before a start is prepared."""
        return self._state.geometry

    @property
    def iteration(self) -> int:
        """Iterations since the last cold start."""
        return self._state.iteration

    @property
    def cold(self) -> bool:
        """True before the first iteration after a cold start."""
        return self._state.cold

    @property
    def objective(self) -> Objective | None:
        """The objective in force; ``None`` while there is no run."""
        return self._run.objective if self._run is not None else None

    @property
    def converged(self) -> bool:
        """True once the map has come to rest."""
        return self._run is not None and self._run.converged

    @property
    def fresh(self) -> bool:
        """True once everything that commands invalidated has been redone."""
        return self._run is not None and not self._stale and not self._moved

    @property
    def n_points(self) -> int:
        """Rows of the layout that are points; centers follow."""
        return int(self.X.shape[0])

    def center_names(self) -> tuple[str, ...]:
        """Return the names of the centers in the layout, one each."""
        layout, state = self.layout, self._state
        count = 0 if layout is None else layout.shape[0] - self.n_points
        if count == 0:
            return ()
        supervision = self.settings.supervision
        if state.learned_from is not None:
            supervision = state.learned_from
        names = self.settings.recipe.center_names(supervision)
        more = (str(k + 1) for k in range(len(names), count))
        return (*names, *more)[:count]

    def live_values(self) -> Mapping[str, float]:
        """Return the values of live parameters in force, in the units of their sliders.

        While something waits to be redone, only those that a schedule has set.
        """
        recipe, geometry = self.settings.recipe, self.geometry
        if geometry is None:
            return {}
        if self._run is not None and self.fresh:
            return recipe.live_values(self._run.objective, geometry)
        return recipe.to_sliders(self._live(self._values()), geometry)

    def cost(self) -> float:
        """Return the true cost of the layout in nats; ``nan`` while there is no run."""
        return self._run.cost if self._run is not None else math.nan

    @property
    def learned_all(self) -> bool:
        """True where the map is made of the labels given last, or learns from none."""
        return self._state.learned_from in (None, self.settings.supervision)

    def cold_copy(self) -> Self:
        """Return a map with the same settings and affinities, before its cold start."""
        other = type(self)(self.X, self.settings)
        other._cache = self._cache
        return other

    def apart(self, settings: Settings) -> Self:
        """Return a map of other settings before its cold start, for another thread.

        Affinities that there are and that it can use it need not make.
        """
        other = type(self)(self.X, settings)
        other._cache = self._cache.apart()
        return other

    def capture(self) -> RunState:
        """Return the state of the map, as if the run ended here; the run itself goes on."""
        state = self._state
        if state.cold:
            return RunState(pinned_positions=state.pinned_positions)
        state = replace(state, adopted="layout" not in self._stale)
        if self._run is None:
            return state
        return replace(state, schedule=self._run.schedule, values=self._values())

    # -- what it learns from labels -----------------------------------------------------------

    def fit_request(self) -> FitRequest | None:
        """Return the pending fit request, or None."""
        settings, learned_from = self.settings, self._state.learned_from
        if self.cold or learned_from is None or learned_from is settings.supervision:
            return None
        if settings is self._failed_for:
            return None
        if self._request is None or self._request.settings is not settings:
            self._request = FitRequest(settings, settings.supervision)
        return None if same_labels(learned_from, settings.supervision) else self._request

    def accepts(self, request: FitRequest) -> bool:
        """Return whether the result of a request is still of use."""
        return self.fit_request() is not None and request.settings.same_recipe(self.settings)

    def note_failure(self, request: FitRequest, error: Exception) -> None:
        """Note that a request failed; it is not tried again before something changes."""
        self.learning_error, self._failed_for = error, request.settings

    def store(self, request: FitRequest, made: Any, error: Exception | None = None) -> None:
        """Take what was made elsewhere, or its error, to be used when it is needed."""
        self._cache.store(request, made, error)

    # -- what it lacks, which can be made elsewhere ---------------------------------------------

    def missing(self) -> FitRequest | None:
        """Return the request for the slow input of the next :meth:`refresh`, or None.

        Without asking, :meth:`refresh` makes it itself, to the same bits.
        """
        if self._run is not None and not self._stale & {"layout", "objective"}:
            return None
        settings, cache = self.settings, self._cache
        if not self.cold:
            return cache.lacking(settings, self._state.learned_from)
        supervision = settings.supervision
        learned_from = supervision if settings.recipe.learns_from_labels else None
        tried = learned_from is not None and cache.failed(settings, learned_from)
        if tried and supervision.labeled.size:
            learned_from = Supervision(self.n_points)  # as _start() does
        return cache.lacking(settings, learned_from, cold=True)

    # -- one iteration ----------------------------------------------------------------------

    def advance(self, overtaken: Callable[[], bool] | None = None) -> Record:
        """Do one iteration and return its record.

        ``overtaken`` is called between chunks of the optimizer's step; the step is given up where
        it returns true, and Interrupted is raised with nothing changed. After an error of the
        recipe's parts the layout is the one before, and the next call tries again from it.
        """
        run = self.refresh()
        try:
            with interruptible(overtaken) if overtaken is not None else nullcontext():
                run.step()
            record = run.trace.pop()
        except Exception:
            self.reset_optimizer()
            raise
        iteration = self._state.iteration + 1
        self._state = replace(self._state, layout=run.embedding, iteration=iteration, cold=False)
        self.trace = noted(self.trace, replace(record, iteration=iteration))
        if run.kept:
            self._keep_path_steps(run)
        return self.trace[-1]

    def refresh(self) -> Run:
        """Redo what commands invalidated and return the run."""
        if self._run is not None and self.fresh:
            return self._run
        if "layout" in self._stale:
            self._adopt()
        recipe = self.settings.recipe
        if self._run is None:
            if self.cold:
                self._start()
            layout, _ = self._placed()
            checkpoint = Checkpoint(layout, self._state.schedule, self._values_in_force())
            self._run = Run.resume(
                self._make_objective(),
                recipe.make_optimizer(),
                checkpoint,
                tol=recipe.tolerance,
            )
            self._state = replace(self._state, layout=self._run.embedding)
        elif "objective" in self._stale:
            made, values = self._make_objective(), self._values_in_force()
            known = {k: v for k, v in values.items() if k in made.parameters}
            self._run.change(made.with_parameters(**known) if known else made)
        elif self._moved:
            _, geometry = self._placed()
            moved = {name: getattr(recipe, name) for name in self._moved}
            self._run.change(recipe.updated_objective(self._run.objective, moved, geometry))
        if "optimizer" in self._stale:
            self._run.optimizer = recipe.make_optimizer()
            self._run.tol = recipe.tolerance
        self._stale, self._moved = frozenset(), frozenset()
        return self._run

    def reset_optimizer(self) -> None:
        """End the run; the next one goes on where it was, with an empty memory."""
        if not self.cold:
            self._state = self.capture()
            # What is made anew with the next run needs no other note.
            self._stale &= {"layout"}
            self._moved = frozenset()
        self._run = None

    def affinities(self) -> Any:
        """Return the affinities in force, ``None`` if there are none; from any thread."""
        return self._cache.known(self.settings, self._state.learned_from)

    def release(self) -> None:
        """End the run and drop the affinities; the map can still be read and captured."""
        self.reset_optimizer()
        self._cache = AffinityCache(self.X)

    def _adopt(self) -> None:
        """Take the present layout over into the method as it is now."""
        recipe, settings = self.settings.recipe, self.settings
        layout, geometry = self._placed()
        affinities = self._affinities()
        rng = np.random.default_rng(recipe.seed)
        sliders = recipe.to_sliders(self._live(self._values()), geometry)
        start = recipe.adopt(layout, affinities, settings.supervision, rng)
        pinned = settings.supervision.pinned
        Y = PinnedPositions(pinned, layout[pinned]).restored_in(start.Y, pinned)
        # Rounded as the run will round it, so that it does not matter whether a run was made of it
        # before the next command came.
        Y = Y.astype(getattr(affinities, "dtype", Y.dtype))
        self._go_on_from(Y, start.geometry, recipe.to_objective(sliders, start.geometry))
        self.path = ()

    def _keep_path_steps(self, run: Run) -> None:
        """Take over the layouts that the schedule has kept; at its end go on from the best."""
        recipe, (_, geometry) = self.settings.recipe, self._placed()
        steps = (path_step(recipe, kept.Y, run.objective, geometry) for kept in run.kept)
        self.path = (*self.path, *steps)
        run.kept.clear()
        best = None if run.scheduled else best_step(recipe, self.path)
        if best is not None and best is not self.path[-1]:
            self._go_to(best)

    def _go_to(self, step: PathStep) -> None:
        """Go on from a step of the path and its value, outside the schedule."""
        self.reset_optimizer()
        recipe, (_, geometry) = self.settings.recipe, self._placed()
        moved = recipe.to_objective({recipe.path_parameter: step.value}, geometry)
        self._state = replace(
            self._state, layout=step.embedding, values={**self._values(), **moved}
        )
        self.refresh()

    # -- parts ------------------------------------------------------------------------------

    def _placed(self) -> tuple[NDArray[Any], Geometry]:
        if self.layout is None or self.geometry is None:
            raise RuntimeError("there is no map yet: call play() first")
        return self.layout, self.geometry

    def _values(self) -> Mapping[str, float]:
        """Return the values that the schedule has set so far, in the objective's units."""
        return (
            self._state.values if self._run is None else {**self._state.values, **self._run.values}
        )

    def _values_in_force(self) -> dict[str, float]:
        """Return the scheduled values that no number in the settings overrides."""
        parameters, live = self.settings.recipe.parameters, self.settings.live_names
        by_hand = {name for name in live if isinstance(parameters[name], Real)}
        return {name: value for name, value in self._values().items() if name not in by_hand}

    def _live(self, values: Mapping[str, float]) -> dict[str, float]:
        """Return the values of live parameters alone."""
        names = self.settings.live_names
        return {name: value for name, value in values.items() if name in names}

    def _start(self) -> None:
        """Prepare a cold start."""
        recipe, supervision = self.settings.recipe, self.settings.supervision
        learned_from = supervision if recipe.learns_from_labels else None
        self.learning_error = None
        try:
            affinities = self._cache.get(self.settings, learned_from)
        except Exception as error:
            if learned_from is None or not supervision.labeled.size:
                raise
            # Labels that nothing can be learned from must not cost the map.
            self.learning_error, self._failed_for = error, self.settings
            learned_from = Supervision(self.n_points)
            affinities = self._cache.get(self.settings, learned_from)
        start = self._cache.start(self.settings, affinities)
        layout, pinned = start.Y, self._state.pinned_positions
        if pinned is not None:
            layout = pinned.restored_in(start.Y, supervision.pinned)
        self._state = RunState(
            layout,
            start.geometry,
            schedule=recipe.make_schedule(affinities, start.geometry),
            learned_from=learned_from,
            pinned_positions=pinned,
        )

    def _make_objective(self) -> Objective:
        _, geometry = self._placed()
        settings = self.settings
        return settings.recipe.objective(self._affinities(), settings.supervision, geometry)

    def _go_on_from(
        self, layout: NDArray[Any], geometry: Geometry, values: Mapping[str, float]
    ) -> None:
        """Go on from another map, outside any schedule."""
        state = self._state
        self._state = RunState(
            layout,
            geometry,
            state.iteration,
            cold=False,
            values=values,
            learned_from=state.learned_from,
        )
        self._run, self._stale, self._moved = None, frozenset(), frozenset()

    def _affinities(self) -> Any:
        return self._cache.get(self.settings, self._state.learned_from)


def noted(trace: list[Record], record: Record) -> list[Record]:
    """Return ``trace`` with a record at its end: the same list, or a shorter new one."""
    if trace and trace[-1].parameters == record.parameters:
        record = replace(record, parameters=trace[-1].parameters)  # one map for all
    trace.append(record)
    if len(trace) > TRACE_LIMIT:
        half = TRACE_LIMIT // 2
        return trace[:half:2] + trace[half:]
    return trace


def path_step(
    recipe: Recipe[Any], Y: NDArray[Any], objective: Objective, geometry: Geometry
) -> PathStep:
    """Return a kept layout with the value it was reached at and the criterion it competes by."""
    value = recipe.live_values(objective, geometry).get(recipe.path_parameter, math.nan)
    return PathStep(value, Y, recipe.path_criterion(Y, objective))


def best_step(recipe: Recipe[Any], path: Sequence[PathStep]) -> PathStep | None:
    """Return the layout of a finished path that ``fit`` would choose, of the largest criterion.

    ``None`` if none competes, or if a person has set the path's parameter and so chosen by hand.
    """
    if isinstance(recipe.parameters.get(recipe.path_parameter), Real):
        return None
    competing = [step for step in path if math.isfinite(step.criterion)]
    return max(competing, key=lambda step: step.criterion, default=None)
