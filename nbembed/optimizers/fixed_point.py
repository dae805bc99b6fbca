"""HSSNE's fixed-point update, which has no parameters, kept from diverging.

    y_i ← y_i − ∇_i / (4 Σ_j P_ij S_ij)

is equation (14) of "Heavy-Tailed Symmetric Stochastic Neighbor Embedding": a gradient step divided
by the objective's curvature. From small layouts it descends unaided at any α; from large ones it
can throw points out and diverge, as the paper says. Two safeguards:

* no point moves farther than the kernel's width in one step, which alone cures the divergence
  (:func:`~nbembed.optimizers.steps.within_reach`);
* steps that go on raising the cost, or swing across a valley without lowering it, are halved, and
  good ones let the step grow back to the paper's. Single rises are part of a good descent and are
  let be. What a step did to the cost is read off the gradients at its two ends,
  ΔJ ≈ ½⟨g_old + g_new, step⟩, so watching costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nbembed.optimizers.base import Optimizer, State
from nbembed.optimizers.steps import change_of_cost, dot, preconditioned, within_reach

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nbembed.objectives.base import Objective


#: A step fails that lowers the cost by less than this share of what a parabola would promise.
YIELD = 0.2

#: This many recent failures halve the step.
PATIENCE = 2


@dataclass(frozen=True, eq=False)
class FixedPointState(State):
    """A layout and how far its steps are damped.

    Attributes
    ----------
    damping : float
        Share of the full update that is taken, in (0, 1].
    failures : float
        Recent steps that hardly lowered the cost, or raised it; a good one takes half of one away.
    """

    damping: float = 1.0
    failures: float = 0.0


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
        """Return the state after one update: one evaluation."""
        if not isinstance(state, FixedPointState):
            state = self.start(state.Y)
        Y = state.Y
        before = state.look(objective, cost=False)
        if before.curvature is None:
            raise TypeError(
                f"optimizer FixedPoint needs an objective with curvature, "
                f"which {type(objective).__name__} has not"
            )
        update = -preconditioned(before.gradient, before.curvature)
        step = within_reach(Y.dtype.type(state.damping) * update, Y, objective.length_scale)
        after = objective.evaluate(Y + step, cost=cost)
        promised = 0.5 * abs(dot(before.gradient, step))
        failed = change_of_cost(before.gradient, after.gradient, step) > -YIELD * promised
        damping = state.damping
        failures = state.failures + 1 if failed else max(0.0, state.failures - 0.5)
        if failures >= PATIENCE:
            damping, failures = 0.5 * damping, 0.0
        elif failures == 0:
            damping = min(1.0, 1.05 * damping)
        return FixedPointState(Y + step, after, objective, damping, failures)
