"""Run: objective + optimizer + schedule + layout; the only optimization loop in the project.

A script calls :meth:`Run.until`; a live session calls :meth:`Run.step` between commands. Both
advance the same thing, so what one sees on the screen is what ``fit`` computes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from nbembed.kernels.inner_product import rms_radius
from nbembed.kernels.threads import Interrupted
from nbembed.objectives.base import Objective
from nbembed.optimizers.base import Optimizer, State
from nbembed.schedule import Schedule
from nbembed.validation import check_count, check_instance, check_numbers, check_real, shown

#: Iterations over which a change of cost and layout is measured, and how many such windows in a row
#: must be steady: descents go by fits and starts, and one may be chance.
WINDOW = 10
STEADY = 2

#: The most that the points of a map at rest move in a window, root mean square, as a share of the
#: map's radius: three or four pixels of a picture 500 pixels wide.
MOVED = 0.03

#: An optimizer that moves nothing but the last digit for a window is stuck.
STILL = 1e-8


@dataclass(frozen=True)
class Record:
    """One line of a trace.

    Attributes
    ----------
    iteration : int
        Counted from 1 over the whole run.
    cost : float
        The plain cost in nats, or ``nan`` where it was not evaluated.
    movement : float
        Root mean square step of the points in this iteration, in units of the map's own radius.
    stage : str
        Name of the schedule's stage, ``""`` after its end.
    parameters : dict of str to float
        The objective's parameters at this iteration.
    """

    iteration: int
    cost: float
    movement: float
    stage: str
    parameters: dict[str, float]


@dataclass(frozen=True)
class Kept:
    """A layout kept at the end of a stage, with the parameters it was reached at."""

    iteration: int
    parameters: dict[str, float]
    Y: NDArray[Any]


@dataclass(frozen=True)
class Checkpoint:
    """A run between two iterations: all that another run needs to go on from there.

    What the optimizer remembers (a velocity, search directions) is not part of it.

    Attributes
    ----------
    Y : ndarray of shape (n_samples, n_components)
        Read only.
    schedule : Schedule
        With the number of its steps that are done.
    values : mapping of str to float
        Parameters of the objective that stages have set, as they are now in force.
    """

    Y: NDArray[Any]
    schedule: Schedule = field(default_factory=Schedule)
    values: Mapping[str, float] = field(default_factory=dict)


class Run:
    """An embedding being optimized.

    Parameters
    ----------
    objective : Objective
        What to minimize.
    optimizer : Optimizer
        The rule used once the schedule has ended.
    Y : ndarray of shape (n_samples, n_components)
        The first layout; copied, in the objective's dtype.
    schedule : Schedule, optional
        Stages to go through first.
    tol : float, default=1e-4
        The run has converged when, after the schedule, each of the last two windows of
        :data:`WINDOW` iterations changed the cost by less than this share of it and moved the
        points by less than :data:`MOVED` of the map's radius (root mean square). 0 runs on.
    cost_every : int, default=10
        Record the cost at least this often; it is free where the optimizer needs it anyway.

    Attributes
    ----------
    trace : list of Record
        One record an iteration.
    kept : list of Kept
        Layouts kept by stages that ask for it (Mbed's annealing path).
    """

    def __init__(
        self,
        objective: Objective,
        optimizer: Optimizer,
        Y: NDArray[Any],
        schedule: Schedule | None = None,
        *,
        tol: float = 1e-4,
        cost_every: int = 10,
    ) -> None:
        check_instance("objective", objective, Objective)
        check_instance("optimizer", optimizer, Optimizer)
        if schedule is not None:
            check_instance("schedule", schedule, Schedule)
        if not (isinstance(tol, float) and tol == math.inf):  # then every iteration is calm
            check_real("tol", tol, low=0)
        check_count("cost_every", cost_every)
        Y = _layout(Y, objective)
        self.objective = objective
        self.optimizer = optimizer
        #: The stages and how many of their steps are done.
        self.schedule = schedule if schedule is not None else Schedule()
        self.tol = tol
        self.cost_every = cost_every
        self.iteration = 0
        self.trace: list[Record] = []
        self.kept: list[Kept] = []
        self._values: dict[str, float] = {}
        self._acting = optimizer  # the optimizer that made the present state
        self._restart(Y)

    @classmethod
    def resume(
        cls,
        objective: Objective,
        optimizer: Optimizer,
        checkpoint: Checkpoint,
        *,
        tol: float = 1e-4,
        cost_every: int = 10,
    ) -> Self:
        """Return a run that goes on from a checkpoint, with an empty optimizer memory.

        The values in force are set in ``objective`` where it has such parameters.
        """
        check_instance("objective", objective, Objective)
        check_instance("checkpoint", checkpoint, Checkpoint)
        names = objective.parameters
        values = {name: value for name, value in checkpoint.values.items() if name in names}
        if any(names[name] != value for name, value in values.items()):
            objective = objective.with_parameters(**values)
        run = cls(
            objective,
            optimizer,
            checkpoint.Y,
            checkpoint.schedule,
            tol=tol,
            cost_every=cost_every,
        )
        run._values = values
        return run

    def checkpoint(self) -> Checkpoint:
        """Return the present state of the run; the run itself goes on."""
        return Checkpoint(self.embedding, self.schedule, self.values)

    # -- what it is now ---------------------------------------------------------------------

    @property
    def embedding(self) -> NDArray[Any]:
        """The present layout, shape (n_samples, n_components); treat it as read only."""
        return self._state.Y

    @property
    def state(self) -> State:
        """The optimizer's present state: a value that a fork can start from."""
        return self._state

    @property
    def cost(self) -> float:
        """The plain cost of the present layout, in nats; evaluated now if it was not yet.

        Exaggeration and compression are left out: they are aids of the optimization and say nothing
        about the quality of a map.
        """
        if self._state.objective is not self.objective or math.isnan(self._state.cost):
            return self.objective.evaluate(self._state.Y).plain_cost
        return self._state.cost

    @property
    def scheduled(self) -> bool:
        """True if stages of the schedule are still to come."""
        return not self.schedule.finished

    @property
    def values(self) -> dict[str, float]:
        """The parameters that stages have set so far, as they are in force; see :meth:`release`."""
        now = self.objective.parameters
        names = self._values.keys() | self.schedule.values.keys()
        return {name: now[name] for name in now if name in names}

    @property
    def converged(self) -> bool:
        """True if the map has come to rest (see ``tol``)."""
        return self._still >= WINDOW or self._steady >= STEADY

    # -- moving on --------------------------------------------------------------------------

    def step(self, k: int = 1) -> Run:
        """Advance ``k`` iterations and return the run itself."""
        for _ in range(check_count("k", k, low=0)):
            self._step()
        return self

    def until(
        self,
        max_iter: int,
        *,
        callbacks: Iterable[Callable[[Run], bool | None]] = (),
    ) -> Run:
        """Advance to convergence, until a callback stops it, or to ``max_iter`` iterations in all.

        Parameters
        ----------
        max_iter : int
            Upper bound of :attr:`iteration`. The schedule's stages count.
        callbacks : iterable of callables
            Each is called with the run after every iteration; returning ``True`` stops it.
        """
        check_count("max_iter", max_iter, low=0)
        called = tuple(callbacks) if isinstance(callbacks, Iterable) else ()
        if not (isinstance(callbacks, Iterable) and all(map(callable, called))):
            raise TypeError(f"callbacks must be functions of a Run, got {shown(callbacks)}")
        while self.iteration < max_iter and not self.converged:
            self._step()
            # Every callback is called after every iteration, even when an earlier one asks to stop.
            answers = [callback(self) is True for callback in called]
            if any(answers):
                break
        return self

    def change(self, objective: Objective) -> Run:
        """Go on with another objective from the present layout.

        The layout stays, the optimizer's memory restarts (a velocity or search direction of the old
        cost would mislead the new one), and so does the count of steady windows. While the
        schedule lasts, the parameters that its stages have set so far are set in ``objective``
        too; call :meth:`release` first for a parameter that the schedule shall no longer set.
        """
        check_instance("objective", objective, Objective)
        if objective.n_samples != self.objective.n_samples:
            raise ValueError(
                f"objective must have {self.objective.n_samples} points, got {objective.n_samples}"
            )
        set_so_far = {} if self.schedule.finished else self.schedule.values
        in_force = {k: v for k, v in set_so_far.items() if k in objective.parameters}
        self.objective = objective.with_parameters(**in_force) if in_force else objective
        self._restart(self._state.Y.astype(objective.dtype, copy=False))
        return self

    def move(self, Y: NDArray[Any]) -> Run:
        """Go on from another layout (a point of the annealing path, an adopted map)."""
        self._restart(_layout(Y, self.objective))
        return self

    def release(self, name: str) -> Run:
        """End the schedule of the parameter ``name``, because a user has set it."""
        self._values = {k: value for k, value in self.values.items() if k != name}
        self.schedule = self.schedule.without(name)
        return self

    def end_schedule(self) -> Run:
        """Skip the stages that are left."""
        self._values = self.values
        self.schedule = Schedule()
        return self

    # -- the loop's body --------------------------------------------------------------------

    def _restart(self, Y: NDArray[Any]) -> None:
        self._state: State = self._acting.start(Y)
        self._age = 0  # steps from the present start with the present objective
        self._still = 0  # iterations in a row that did not move the points at all
        self._steady = 0  # windows in a row in which cost and layout hardly changed
        self._window = State(self._state.Y)  # at whose end the last window was

    def _step(self) -> None:
        stage = self.schedule.current
        objective = self.objective
        if stage is not None and stage.parameters and self.schedule.at_boundary:
            self.objective = self.objective.with_parameters(**stage.parameters)
            self._restart(self._state.Y)
        acting = stage.optimizer if stage is not None else self.optimizer
        if acting != self._acting:
            self._acting = acting
            self._restart(self._state.Y)

        before = self._state
        # A cost in the first step from somewhere new would keep the next layout waiting.
        ends_window = (self._age + 1) % WINDOW == 0
        due = ends_window or ((self.iteration + 1) % self.cost_every == 0 and self._age > 0)
        try:
            state = acting.step(self.objective, before, cost=due)
        except Interrupted:
            self.objective = objective  # a stage that was to begin will begin with the next step
            raise
        if not self.objective.in_range(state.Y):
            # The state is not updated, so that the layout stays the one before this step.
            raise FloatingPointError(
                f"the layout became too large or NaN under {type(acting).__name__} at iteration "
                f"{self.iteration + 1}"
                + (f": {hazard}" if (hazard := self.objective.hazard) else "")
            )
        self._state = state
        self._age += 1
        self.iteration += 1
        movement = relative_movement(before.Y, state.Y)
        self.trace.append(
            Record(
                self.iteration,
                state.cost,
                movement,
                stage.name if stage is not None else "",
                self.objective.parameters,
            )
        )
        if stage is None:
            # A solution in closed form, whose tolerance is infinite, is there at once.
            still = movement < STILL or self.tol == math.inf
            self._still = self._still + 1 if still and self.tol > 0 else 0
            if ends_window:
                self._note_window(state)
            return
        self.schedule = self.schedule.advanced()
        if stage.keep and (self.schedule.finished or self.schedule.at_boundary):
            self.kept.append(Kept(self.iteration, self.objective.parameters, self._state.Y.copy()))

    def _note_window(self, state: State) -> None:
        """Note whether cost and layout were steady over the window that ends now."""
        # Without the optimizer's memory, which may be many layouts and a factored matrix.
        before, self._window = self._window, State(state.Y, state.seen)
        steady = False
        if before.seen is not None and state.seen is not None:
            # The cost that is minimized, auxiliary terms included.
            change, cost = abs(state.seen.cost - before.seen.cost), abs(state.seen.cost)
            steady = change < self.tol * cost and relative_movement(before.Y, state.Y) < MOVED
        self._steady = self._steady + 1 if steady else 0


def _layout(Y: Any, objective: Objective) -> NDArray[Any]:
    """Return a copy of a layout in the objective's dtype; raise unless it is one of its points."""
    with np.errstate(over="ignore"):  # infinite in float32, and refused
        layout = np.array(check_numbers("Y", Y), dtype=objective.dtype, order="C")
    if layout.ndim != 2 or layout.shape[0] != objective.n_samples:
        raise ValueError(
            f"Y must have shape (n_samples, n_components) with n_samples = "
            f"{objective.n_samples}, got {layout.shape}"
        )
    if not np.isfinite(layout).all():
        raise ValueError("Y must be finite, got NaN or infinity")
    if not objective.in_range(layout):
        raise ValueError(
            "Y must be small enough for the objective not to overflow, got magnitudes up to "
            f"{np.abs(layout).max():.3g}"
        )
    return layout


def relative_movement(before: NDArray[Any], after: NDArray[Any]) -> float:
    """Return the root mean square step of the points over the map's radius (both in map units)."""
    size = rms_radius(after)
    step = float(np.sqrt(np.mean(np.square(after - before, dtype=np.float64))))
    return step / size if size > 0 else step
