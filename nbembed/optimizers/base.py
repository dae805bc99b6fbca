"""What an optimizer is: a rule that turns a state into the next one.

``start(Y)`` makes the first state, ``step(objective, state)`` the next. A state is a value: it
holds the layout and whatever the rule remembers (velocities, search directions, past gradients),
and copying it forks a run. The objective is passed at every step, so that it may change between
steps.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nbembed.objectives.base import Objective


@dataclass(frozen=True)
class State:
    """A layout and what an optimizer remembers about it.

    Attributes
    ----------
    Y : ndarray of shape (n_samples, n_components)
        The layout. Never written to after the state is made.
    cost : float
        The objective at ``Y`` where the optimizer evaluated it there, else ``nan``.
    """

    Y: NDArray[Any]
    cost: float = math.nan


class Optimizer(ABC):
    """A rule of descent without a loop: :class:`nbembed.run.Run` owns the only loop there is."""

    @abstractmethod
    def start(self, Y: NDArray[Any]) -> State:
        """Return the state of a run that begins at ``Y``, with an empty memory."""

    @abstractmethod
    def step(self, objective: Objective, state: State) -> State:
        """Return the state after one iteration; ``state`` itself stays as it is."""
