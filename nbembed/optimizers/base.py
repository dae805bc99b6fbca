"""The interface of optimizers: a rule that turns a state into the next one.

``start(Y)`` returns the first state, ``step(objective, state)`` the next. A state is a value: it
holds the layout, its evaluation, and the optimizer's memory (velocities, search directions, past
gradients). The same state always leads to the same next one, so that a kept state forks a run. The
objective is passed to each step and may change between steps: evaluations of another objective are
not used.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.objectives.base import Evaluation, Objective


@dataclass(frozen=True, eq=False)
class State:
    """A layout and what an optimizer knows about it; no part of it is ever changed.

    Attributes
    ----------
    Y : ndarray of shape (n_samples, n_components)
        The layout.
    seen : Evaluation or None
        Of ``objective`` at ``Y``, if the optimizer evaluated it.
    objective : Objective or None
        The objective of the last step.
    """

    Y: NDArray[Any]
    seen: Evaluation | None = None
    objective: Objective | None = None

    def __post_init__(self) -> None:
        if not (isinstance(self.Y, np.ndarray) and self.Y.ndim == 2 and self.Y.dtype.kind == "f"):
            raise TypeError(
                "Y must be a float32 or float64 array of shape (n_samples, n_components), got "
                f"{type(self.Y).__name__} {getattr(self.Y, 'dtype', '')}".rstrip()
            )

    @property
    def cost(self) -> float:
        """The plain cost at ``Y`` (see :class:`Evaluation`); ``nan`` if not evaluated."""
        return math.nan if self.seen is None else self.seen.plain_cost

    def look(self, objective: Objective, *, cost: bool) -> Evaluation:
        """Return the evaluation of ``objective`` at ``Y``: the present one if it suffices."""
        if self.seen is None or self.objective is not objective:
            return objective.evaluate(self.Y, cost=cost)
        if cost and math.isnan(self.seen.cost):
            return objective.evaluate(self.Y)
        return self.seen


class Optimizer(ABC):
    """One step of an optimization; the loop is that of :class:`nbembed.run.Run`.

    Optimizers are compared by value: two with the same settings are equal.
    """

    @abstractmethod
    def start(self, Y: NDArray[Any]) -> State:
        """Return the state of a run that begins at ``Y``, with an empty memory."""

    @abstractmethod
    def step(self, objective: Objective, state: State, *, cost: bool = False) -> State:
        """Return the state after one iteration; ``state`` itself is not changed.

        Parameters
        ----------
        objective : Objective
            The objective to minimize.
        state : State
            Of this optimizer; the memory of another kind of state is ignored.
        cost : bool, default=False
            Whether the new state must know its cost, which not all optimizers need.
        """
