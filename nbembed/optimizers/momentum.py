"""Gradient descent with momentum and a gain for every coordinate, as t-SNE is usually optimised.

    V ← μ V − η Γ∘step,   Y ← Y + V

where a coordinate's gain Γ grows by 0.2 while its gradient keeps pushing the way it moves and
shrinks by a fifth when it pushes back (delta-bar-delta). With ``learning_rate="auto"`` the step is
the gradient divided by the objective's own curvature, the fixed-point update of HSSNE, and η = 1:
no learning rate has to be found, at any α. Objectives without curvature, and numbers given, use
the plain gradient (the gradient of the true cost, with the factor 4 of t-SNE's).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from nbembed.optimizers.base import Optimizer, State
from nbembed.optimizers.steps import preconditioned, within_reach

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nbembed.objectives.base import Objective

#: Smallest gain, as in the original t-SNE.
MIN_GAIN = 0.01


@dataclass(frozen=True, eq=False)
class MomentumState(State):
    """A layout, its velocity and the gains; shapes like ``Y``, None before the first step."""

    velocity: NDArray[Any] | None = None
    gains: NDArray[Any] | None = None


@dataclass(frozen=True)
class MomentumGradient(Optimizer):
    """Momentum gradient descent with adaptive gains.

    Parameters
    ----------
    learning_rate : float or "auto", default="auto"
        η. "auto" scales by the objective's curvature with η = 1, or without one takes
        max(n_samples / 48, 50).
    momentum : float, default=0.8
        μ in [0, 1).
    """

    learning_rate: float | Literal["auto"] = "auto"
    momentum: float = 0.8

    def __post_init__(self) -> None:
        if not 0 <= self.momentum < 1:
            raise ValueError(f"momentum must be in [0, 1), got {self.momentum}")
        if self.learning_rate != "auto" and not self.learning_rate > 0:
            raise ValueError(f'learning_rate must be positive or "auto", got {self.learning_rate}')

    def start(self, Y: NDArray[Any]) -> MomentumState:
        """Return the state of a run that begins at ``Y``, at rest."""
        return MomentumState(Y)

    def step(self, objective: Objective, state: State) -> MomentumState:
        """Return the state after one step: one evaluation, without the cost."""
        if not isinstance(state, MomentumState):
            state = self.start(state.Y)
        Y = state.Y
        real = Y.dtype.type
        seen = objective.evaluate(Y, cost=False)
        rate, push = 1.0, seen.gradient
        if self.learning_rate != "auto":
            rate = float(self.learning_rate)
        elif seen.curvature is None:
            rate = max(Y.shape[0] / 48, 50.0)
        else:
            push = preconditioned(seen.gradient, seen.curvature)
        velocity = np.zeros_like(Y) if state.velocity is None else state.velocity
        gains = np.ones_like(Y) if state.gains is None else state.gains
        agrees = velocity * push < 0
        gains = np.maximum(np.where(agrees, gains + real(0.2), gains * real(0.8)), real(MIN_GAIN))
        velocity = real(self.momentum) * velocity - real(rate) * gains * push
        velocity = within_reach(velocity, Y)
        return MomentumState(Y + velocity, velocity=velocity, gains=gains)
