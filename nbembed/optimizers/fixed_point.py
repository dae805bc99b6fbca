"""HSSNE's fixed-point update, which has no parameters, with a safeguard against divergence.

    y_i ← y_i − ∇_i / (4 Σ_j P_ij S_ij)

is equation (14) of "Heavy-Tailed Symmetric Stochastic Neighbor Embedding": a gradient step divided
by the objective's curvature. From small layouts it descends unaided at any α; from large ones it
can throw points out and diverge, as the paper says. Two safeguards:

* no point moves farther than the kernel's width in one step, which alone prevents the divergence
  (:func:`~nbembed.optimizers.steps.within_reach`);
* repeated steps that raise the cost, or oscillate across a valley without lowering it, halve the
  step, and good ones let it grow back to the paper's. Single rises are part of a good descent and
  change nothing. The change of the cost is estimated from the gradients at both ends of a step,
  ΔJ ≈ ½⟨g_old + g_new, step⟩, without computing the cost.

The gradient at the new end of a step belongs to the next step, which needs it anyway. A step is
therefore judged at the beginning of the next one, and each step costs one evaluation, the first
after a restart included.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from nbembed.kernels.inner_product import dot
from nbembed.objectives.base import Evaluation, Objective
from nbembed.optimizers.base import Optimizer, State
from nbembed.optimizers.steps import change_of_cost, preconditioned, within_reach

#: A step fails that lowers the cost by less than this share of what a parabola would promise.
YIELD = 0.2

#: This many recent failures halve the step.
PATIENCE = 2


@dataclass(frozen=True, eq=False)
class FixedPointState(State):
    """A layout and how far its steps are damped.

    * damping: share of the full update that is taken, in (0, 1].
    * failures: recent steps that hardly lowered the cost, or raised it; a good step subtracts one
      half.
    * last_step, previous_gradient like ``Y`` or None: the step that led to ``Y`` and the gradient
      at its beginning while the step is not judged yet, that is until the gradient at ``Y`` is
      known.
    """

    damping: float = 1.0
    failures: float = 0.0
    last_step: NDArray[Any] | None = None
    previous_gradient: NDArray[Any] | None = None

    def judged(self, objective: Objective, seen: Evaluation) -> FixedPointState:
        """Return the state after the judgment of its last step, given ``seen`` at ``Y``."""
        if self.last_step is None or self.previous_gradient is None:
            return self
        damping, failures = self.damping, self.failures
        # Gradients of two objectives say nothing about the change of either cost.
        if self.objective is objective:
            promised = 0.5 * abs(dot(self.previous_gradient, self.last_step))
            change = change_of_cost(self.previous_gradient, seen.gradient, self.last_step)
            failures = failures + 1 if change > -YIELD * promised else max(0.0, failures - 0.5)
            if failures >= PATIENCE:
                damping, failures = 0.5 * damping, 0.0
            elif failures == 0:
                damping = min(1.0, 1.05 * damping)
        return FixedPointState(self.Y, seen, objective, damping, failures)


@dataclass(frozen=True)
class FixedPoint(Optimizer):
    """The parameter-free fixed point of HSSNE with a safeguard.

    Raises
    ------
    TypeError
        From :meth:`step`, if the objective has no curvature.
    """

    def start(self, Y: NDArray[Any]) -> FixedPointState:
        """Return the state of a run that begins at ``Y``, undamped."""
        return FixedPointState(Y)

    def step(self, objective: Objective, state: State, *, cost: bool = False) -> FixedPointState:
        """Return the state after one update: one evaluation.

        With ``cost`` the new layout is evaluated as well, which the next step then need not do.
        """
        if not isinstance(state, FixedPointState):
            state = self.start(state.Y)
        Y = state.Y
        seen = state.look(objective, cost=False)
        if seen.curvature is None:
            raise TypeError(
                "objective must provide curvature for the optimizer FixedPoint, got "
                f"{type(objective).__name__}"
            )
        state = state.judged(objective, seen)
        update = -preconditioned(seen.gradient, seen.curvature)
        step = within_reach(Y.dtype.type(state.damping) * update, Y, objective.length_scale)
        moved = FixedPointState(
            Y + step, None, objective, state.damping, state.failures, step, seen.gradient
        )
        if not cost or not objective.in_range(moved.Y):  # the caller refuses a layout out of range
            return moved
        return moved.judged(objective, objective.evaluate(moved.Y))
