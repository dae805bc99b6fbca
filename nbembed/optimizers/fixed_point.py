"""HSSNE's fixed-point update, which has no parameters, kept from diverging.

    y_i ← y_i − ∇_i / (4 Σ_j P_ij S_ij)

is equation (14) of "Heavy-Tailed Symmetric Stochastic Neighbor Embedding": a gradient step divided
by the objective's curvature. From small layouts it descends unaided at any α; from large ones it
can overshoot and diverge. Single rises of the cost are part of a good descent and are let be;
rises that last make the step shorter, and calm lets it grow back to the paper's. Whether the last
step raised the cost is read off the two gradients at its ends, ΔJ ≈ ½⟨g_old + g_new, step⟩, so
watching costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nbembed.optimizers.base import Optimizer, State
from nbembed.optimizers.steps import dot, preconditioned, within_reach

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nbembed.objectives.base import Objective


@dataclass(frozen=True, eq=False)
class FixedPointState(State):
    """A layout, the last step, the gradient it was taken from and how far steps are damped.

    Attributes
    ----------
    moved, gradient : ndarray like ``Y`` or None
        The step that led to ``Y`` and the gradient where it began.
    damping : float
        Share of the full update that is taken, in (0, 1].
    rises : int
        Steps in a row that raised the cost.
    """

    moved: NDArray[Any] | None = None
    gradient: NDArray[Any] | None = None
    damping: float = 1.0
    rises: int = 0


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

    def step(self, objective: Objective, state: State) -> FixedPointState:
        """Return the state after one update: one evaluation, without the cost."""
        if not isinstance(state, FixedPointState):
            state = self.start(state.Y)
        Y = state.Y
        seen = objective.evaluate(Y, cost=False)
        if seen.curvature is None:
            raise TypeError(
                f"optimizer FixedPoint needs an objective with curvature, "
                f"which {type(objective).__name__} has not"
            )
        damping, rises = state.damping, state.rises
        if state.moved is not None and state.gradient is not None:
            before, after = dot(state.gradient, state.moved), dot(seen.gradient, state.moved)
            rises = rises + 1 if before + after > 0 else 0
            if rises >= 2:
                damping, rises = 0.5 * damping, 0
            elif rises == 0:
                damping = min(1.0, 1.05 * damping)
        update = -preconditioned(seen.gradient, seen.curvature)
        moved = within_reach(Y.dtype.type(damping) * update, Y)
        return FixedPointState(
            Y + moved, moved=moved, gradient=seen.gradient, damping=damping, rises=rises
        )
