"""What an optimizer is: a rule that turns a state into the next one.

``start(Y)`` makes the first state, ``step(objective, state)`` the next. A state is a value: it
holds the layout, what was seen there, and whatever the rule remembers (velocities, search
directions, past gradients); stepping it twice gives the same twice, so keeping it forks a run. The
objective is passed at every step and may change between steps: what was seen through another one
is not used.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nbembed.objectives.base import Evaluation, Objective


@dataclass(frozen=True, eq=False)
class State:
    """A layout and what an optimizer knows about it. Nothing in it is ever written to.

    Attributes
    ----------
    Y : ndarray of shape (n_samples, n_components)
        The layout.
    seen : Evaluation or None
        Of ``objective`` at ``Y``, where the optimizer looked.
    objective : Objective or None
        What was seen.
    """

    Y: NDArray[Any]
    seen: Evaluation | None = None
    objective: Objective | None = None

    def __post_init__(self) -> None:
        if not (isinstance(self.Y, np.ndarray) and self.Y.ndim == 2 and self.Y.dtype.kind == "f"):
            raise TypeError(
                f"Y must be an array (n_samples, n_components) of float32 or float64, got "
                f"{type(self.Y).__name__} {getattr(self.Y, 'dtype', '')}".rstrip()
            )

    @property
    def cost(self) -> float:
        """The plain cost at ``Y`` (see :class:`Evaluation`), ``nan`` where it is not known."""
        return math.nan if self.seen is None else self.seen.plain_cost

    def look(self, objective: Objective, *, cost: bool) -> Evaluation:
        """Return ``objective`` at ``Y``: what was seen before if that will do, else a new look."""
        if self.seen is None or self.objective is not objective:
            return objective.evaluate(self.Y, cost=cost)
        if cost and math.isnan(self.seen.cost):
            return objective.evaluate(self.Y)
        return self.seen


class Optimizer(ABC):
    """A rule of descent without a loop: :class:`nbembed.run.Run` owns the only loop there is.

    Optimizers are compared by value: two with the same settings are the same rule.
    """

    @abstractmethod
    def start(self, Y: NDArray[Any]) -> State:
        """Return the state of a run that begins at ``Y``, with an empty memory."""

    @abstractmethod
    def step(self, objective: Objective, state: State, *, cost: bool = False) -> State:
        """Return the state after one iteration; ``state`` itself stays as it is.

        Parameters
        ----------
        objective : Objective
            What to descend.
        state : State
            Of this optimizer; the memory of another kind of state is ignored.
        cost : bool, default=False
            Whether the new state must know its cost. Rules that need no cost save its price.
        """
