"""Gradient descent with momentum and a gain for every coordinate, as t-SNE is usually optimized.

    V ← μ V − η Γ∘s,   Y ← Y + V

A coordinate's gain Γ grows by 0.2 while its gradient keeps pushing the way it moves and shrinks by
a fifth when it pushes back (delta-bar-delta). Two choices make it free of parameters:

* The push s is the gradient divided by the objective's curvature, HSSNE's fixed-point update, and
  η = 1: no learning rate has to be found, at any α. No point moves farther than the kernel's width
  in one step (:func:`~nbembed.optimizers.steps.within_reach`).
* The momentum μ = min(0.97, 1 − 3/(k + 6)) grows with the number k of steps since the cost last
  rose, as Nesterov's does between restarts. A rise ends the motion, halves all gains and starts k
  again. Whether a step raised the cost is read off the gradients at its two ends,
  ΔJ ≈ ½⟨g_old + g_new, V⟩, so no cost need be computed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from nbembed.optimizers.base import Optimizer, State
from nbembed.optimizers.steps import change_of_cost, preconditioned, within_reach
from nbembed.validation import check_choice, check_real

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nbembed.objectives.base import Evaluation, Objective

#: Smallest gain, as in the original t-SNE.
MIN_GAIN = 0.01

#: Largest momentum that calm steps build up to.
MAX_MOMENTUM = 0.97


@dataclass(frozen=True, eq=False)
class MomentumState(State):
    """A layout and its motion.

    Attributes
    ----------
    velocity : ndarray like ``Y`` or None
        The step that led to ``Y``; None at rest.
    gains : ndarray like ``Y`` or None
        Of each coordinate; None for one everywhere.
    calm : int
        Steps since the cost last rose.
    """

    velocity: NDArray[Any] | None = None
    gains: NDArray[Any] | None = None
    calm: int = 0


@dataclass(frozen=True)
class MomentumGradient(Optimizer):
    """Momentum gradient descent with adaptive gains, restarted when the cost rises.

    Parameters
    ----------
    learning_rate : float or "auto", default="auto"
        η. "auto" divides the gradient by the objective's curvature and takes η = 1, or, without
        curvature, max(n_samples / 48, 50). A number multiplies the plain gradient.
    momentum : float or "auto", default="auto"
        μ in [0, 1). "auto" grows it while the cost falls.
    """

    learning_rate: float | Literal["auto"] = "auto"
    momentum: float | Literal["auto"] = "auto"

    def __post_init__(self) -> None:
        if isinstance(self.momentum, str):
            check_choice("momentum", self.momentum, ("auto",))
        elif check_real("momentum", self.momentum, low=0) >= 1:
            raise ValueError(f'momentum must be in [0, 1) or "auto", got {self.momentum}')
        if isinstance(self.learning_rate, str):
            check_choice("learning_rate", self.learning_rate, ("auto",))
        else:
            check_real("learning_rate", self.learning_rate, low=0, open_low=True)

    def start(self, Y: NDArray[Any]) -> MomentumState:
        """Return the state of a run that begins at ``Y``, at rest."""
        return MomentumState(Y)

    def step(self, objective: Objective, state: State, *, cost: bool = False) -> MomentumState:
        """Return the state after one step: one evaluation."""
        if not isinstance(state, MomentumState):
            state = self.start(state.Y)
        Y = state.Y
        real = Y.dtype.type
        before = state.look(objective, cost=False)
        rate, push = self._push(before)
        velocity = np.zeros_like(Y) if state.velocity is None else state.velocity
        gains = np.ones_like(Y) if state.gains is None else state.gains
        agrees = velocity * push < 0
        gains = np.where(agrees, gains + real(0.2), gains * real(0.8))
        gains = np.maximum(gains, real(MIN_GAIN))
        momentum = self.momentum
        if momentum == "auto":
            momentum = min(MAX_MOMENTUM, 1 - 3 / (state.calm + 6))
        velocity = real(momentum) * velocity - real(rate) * gains * push
        velocity = within_reach(velocity, Y, objective.length_scale)
        after = objective.evaluate(Y + velocity, cost=cost)
        if change_of_cost(before.gradient, after.gradient, velocity) > 0:
            return MomentumState(Y + velocity, after, objective, None, real(0.5) * gains)
        return MomentumState(Y + velocity, after, objective, velocity, gains, state.calm + 1)

    def _push(self, seen: Evaluation) -> tuple[float, NDArray[Any]]:
        """Return η and s."""
        if self.learning_rate != "auto":
            return float(self.learning_rate), seen.gradient
        if seen.curvature is None:
            return max(seen.gradient.shape[0] / 48, 50.0), seen.gradient
        return 1.0, preconditioned(seen.gradient, seen.curvature)
