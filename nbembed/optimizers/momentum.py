"""Gradient descent with momentum and a gain for each coordinate, as t-SNE is usually optimized.

    V ← μ V − η Γ∘s,   Y ← Y + V

A coordinate's gain Γ grows by 0.2 while the step and the descent direction agree in sign and
shrinks by a fifth while they do not (delta-bar-delta). Two choices remove the free parameters:

* s is the gradient divided by the objective's curvature, HSSNE's fixed-point update, and η = 1, so
  that no learning rate has to be tuned at any α. No point moves farther than the kernel's width in
  one step (:func:`~nbembed.optimizers.steps.within_reach`).
* The momentum μ = min(0.97, 1 − 3/(k + 6)) grows with the number k of steps since the cost last
  rose, as Nesterov's does between restarts. A rise resets the velocity and k and halves all gains.
  The change of the cost is estimated from the gradients at both ends of a step,
  ΔJ ≈ ½⟨g_old + g_new, V⟩, so that no cost has to be computed.

That estimate is good for steps within the kernel's width. On a map that is spread out, two per cent
of its radius are more; the estimate can then promise a fall at every step while the cost rises, and
the map boils. Every :data:`CHECKED` steps the cost itself is therefore compared with what the
estimates since the last time promised, as trust regions do: where it fell by less than
:data:`KEPT_PROMISE` of that, the longest step of a point is halved and the map brought to rest;
where it did not, the longest step is doubled again, up to the full one. This takes no evaluation of
its own, only the cost along with a gradient.

The gradient at the new end of a step belongs to the next step, which needs it anyway. The test for
a rise is therefore deferred to the beginning of the next step, and each step costs one evaluation,
the first after a restart included.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from nbembed.objectives.base import Evaluation, Objective
from nbembed.optimizers.base import Optimizer, State
from nbembed.optimizers.steps import change_of_cost, preconditioned, within_reach
from nbembed.validation import check_choice, check_real

#: Smallest gain, as in the original t-SNE.
MIN_GAIN = 0.01

#: Largest momentum that calm steps build up to.
MAX_MOMENTUM = 0.97

#: Steps after which the cost is compared with the promise.
CHECKED = 50

#: Share of the promised fall that the cost must keep.
KEPT_PROMISE = 0.25

#: Smallest share of the full reach that steps are cut to.
MIN_TRUST = 2.0**-10


@dataclass(frozen=True, eq=False)
class MomentumState(State):
    """A layout and its motion.

    * velocity like ``Y`` or None: the step that led to ``Y``; None at rest.
    * gains like ``Y`` or None: of each coordinate; None for one everywhere.
    * calm: steps since the cost last rose, without a step that is still untested.
    * previous_gradient like ``Y`` or None: the gradient at the beginning of the last step while
      that step is untested, that is until the gradient at ``Y`` is known.
    * age: steps since the start.
    * trust: share of the full reach that a point may move in a step, in (0, 1].
    * promised: sum of the estimated changes of the cost since it was last compared with them.
    * checked_cost: the cost then; ``nan`` before.
    """

    velocity: NDArray[Any] | None = None
    gains: NDArray[Any] | None = None
    calm: int = 0
    previous_gradient: NDArray[Any] | None = None
    age: int = 0
    trust: float = 1.0
    promised: float = 0.0
    checked_cost: float = math.nan

    def tested(self, objective: Objective, seen: Evaluation) -> MomentumState:
        """Return the state after the test of its last step, given ``seen`` at ``Y``."""
        if self.velocity is None or self.previous_gradient is None:
            return self
        after = replace(self, seen=seen, objective=objective, previous_gradient=None)
        # Gradients of two objectives say nothing about the change of either cost.
        if self.objective is not objective:
            return replace(after, calm=self.calm + 1, promised=0.0, checked_cost=math.nan)
        change = change_of_cost(self.previous_gradient, seen.gradient, self.velocity)
        after = replace(after, promised=self.promised + change)
        return after.halved() if change > 0 else replace(after, calm=self.calm + 1)

    def halved(self) -> MomentumState:
        """Return the state at rest with all gains halved."""
        halved = None if self.gains is None else self.Y.dtype.type(0.5) * self.gains
        return replace(self, velocity=None, gains=halved, calm=0)

    def checked(self) -> MomentumState:
        """Return the state after the comparison of its cost, which is known, with the promise."""
        assert self.seen is not None
        state, cost = self, self.seen.cost
        if not math.isnan(self.checked_cost):
            change = cost - self.checked_cost
            if change > KEPT_PROMISE * self.promised + self.seen.rounding:
                state = self.halved() if change > 0 else self
                state = replace(state, trust=max(MIN_TRUST, 0.5 * self.trust))
            else:
                state = replace(state, trust=min(1.0, 2 * self.trust))
        return replace(state, promised=0.0, checked_cost=cost)


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
        """Return the state after one step: one evaluation.

        With ``cost`` the new layout is evaluated as well, which the next step then need not do.
        """
        if not isinstance(state, MomentumState):
            state = self.start(state.Y)
        Y = state.Y
        real = Y.dtype.type
        due = state.age % CHECKED == 0 and state.age > 0
        seen = state.look(objective, cost=due)
        state = state.tested(objective, seen)
        if due:
            state = replace(state, seen=seen).checked()
        rate, push = self._push(seen)
        velocity = np.zeros_like(Y) if state.velocity is None else state.velocity
        gains = np.ones_like(Y) if state.gains is None else state.gains
        agrees = velocity * push < 0
        gains = np.where(agrees, gains + real(0.2), gains * real(0.8))
        gains = np.maximum(gains, real(MIN_GAIN))
        momentum = self.momentum
        if momentum == "auto":
            momentum = min(MAX_MOMENTUM, 1 - 3 / (state.calm + 6))
        velocity = real(momentum) * velocity - real(rate) * gains * push
        velocity = within_reach(velocity, Y, objective.length_scale, state.trust)
        moved = replace(
            state,
            Y=Y + velocity,
            seen=None,
            objective=objective,
            velocity=velocity,
            gains=gains,
            previous_gradient=seen.gradient,
            age=state.age + 1,
        )
        if not cost or not objective.in_range(moved.Y):  # the caller refuses a layout out of range
            return moved
        return moved.tested(objective, objective.evaluate(moved.Y))

    def _push(self, seen: Evaluation) -> tuple[float, NDArray[Any]]:
        """Return η and s."""
        if self.learning_rate != "auto":
            return float(self.learning_rate), seen.gradient
        if seen.curvature is None:
            return max(seen.gradient.shape[0] / 48, 50.0), seen.gradient
        return 1.0, preconditioned(seen.gradient, seen.curvature)
