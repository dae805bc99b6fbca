"""Schedule: the stages that a run goes through, and how far it has come, as a value.

Annealing (Mbed's λ), early compression and exaggeration (HSSNE), shrinking widths (NeRV) are all
the same thing: a list of (parameters of the objective, optimizer, number of steps). A run advances
through the list and records the stage it is in; nothing else in the project loops over parameters.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from nbembed.optimizers.base import Optimizer
from nbembed.validation import check_count, check_flag, check_instance, check_text


@dataclass(frozen=True)
class Stage:
    """So many steps of one optimizer with some of the objective's parameters set.

    Parameters
    ----------
    steps : int
        Number of iterations, at least 1.
    optimizer : Optimizer
        The rule for these iterations. Its memory goes on from the previous stage if that used an
        equal optimizer and this one sets no parameters; else it starts empty.
    parameters : mapping of str to float
        Passed to ``objective.with_parameters`` when the stage begins. They stay in force after it
        until a later stage (or a user) sets them again.
    keep : bool
        Whether the run keeps the layout at the end of this stage (Mbed's annealing path).
    name : str
        What the trace calls it.
    """

    steps: int
    optimizer: Optimizer
    parameters: Mapping[str, Any] = field(default_factory=dict)
    keep: bool = False
    name: str = ""

    def __post_init__(self) -> None:
        check_count("steps", self.steps)
        check_instance("optimizer", self.optimizer, Optimizer)
        check_instance("parameters", self.parameters, Mapping)
        check_flag("keep", self.keep)
        check_text("name", self.name)
        object.__setattr__(self, "parameters", MappingProxyType(dict(self.parameters)))

    def __reduce__(self) -> Any:
        return Stage, (self.steps, self.optimizer, dict(self.parameters), self.keep, self.name)


@dataclass(frozen=True)
class Schedule:
    """The stages of a run, in order, and how many of their steps are done.

    Parameters
    ----------
    stages : tuple of Stage
        May be empty: the run then uses its own optimizer from the start.
    done : int, default=0
        Steps done so far.
    """

    stages: tuple[Stage, ...] = ()
    done: int = 0

    @property
    def steps(self) -> int:
        """Number of iterations of all stages together."""
        return sum(stage.steps for stage in self.stages)

    @property
    def finished(self) -> bool:
        """True if no stage is left."""
        return self.done >= self.steps

    @property
    def current(self) -> Stage | None:
        """The stage that the next step belongs to; ``None`` once all are done."""
        for stage, start in self._with_starts():
            if self.done < start + stage.steps:
                return stage
        return None

    @property
    def at_boundary(self) -> bool:
        """True if the next step is the first of its stage."""
        return any(self.done == start for _, start in self._with_starts())

    @property
    def values(self) -> dict[str, Any]:
        """The values set by the stages begun so far, which are in force."""
        return {
            name: value
            for stage, start in self._with_starts()
            if start < self.done
            for name, value in stage.parameters.items()
        }

    @property
    def left(self) -> Schedule:
        """The remaining stages, as a schedule at its beginning.

        A stage that was begun begins again with its own parameters and fewer steps.
        """
        return Schedule(
            tuple(
                replace(stage, steps=min(stage.steps, start + stage.steps - self.done))
                for stage, start in self._with_starts()
                if self.done < start + stage.steps
            )
        )

    def advanced(self) -> Schedule:
        """Return the schedule after one more step; itself once it has finished."""
        return self if self.finished else replace(self, done=self.done + 1)

    def without(self, name: str) -> Schedule:
        """Return a schedule that leaves the parameter ``name`` alone.

        Used when a user sets that parameter; the schedule of others goes on. A stage that set
        nothing else no longer keeps its layout, because it is no longer a step of an annealing
        path. Where the remaining stages set this parameter alone, they are dropped.
        """
        left = self.left
        if any(name in stage.parameters for stage in left.stages) and not any(
            stage.parameters.keys() - {name} for stage in left.stages
        ):
            return Schedule()
        return replace(self, stages=tuple(_without(stage, name) for stage in self.stages))

    def _with_starts(self) -> zip[tuple[Stage, int]]:
        """Return each stage with the number of steps before it."""
        starts = itertools.accumulate((stage.steps for stage in self.stages), initial=0)
        return zip(self.stages, starts)


def _without(stage: Stage, name: str) -> Stage:
    if name not in stage.parameters:
        return stage
    rest = {k: v for k, v in stage.parameters.items() if k != name}
    return replace(stage, parameters=rest, keep=stage.keep and bool(rest))
