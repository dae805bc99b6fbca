"""Nonlinear conjugate gradients: one line search an iteration, along conjugate directions.

    p ← −M⁻¹g + β p,   β = max(0, ⟨g, M⁻¹(g − g_old)⟩ / ⟨g_old, M⁻¹g_old⟩)     (Polak–Ribière+)

with M the objective's own diagonal curvature where it has one. This is the optimizer of "Large
Margin Non-Linear Embedding" (section 6) and of the retrieval papers; theirs had no preconditioner.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from nbembed.kernels.inner_product import dot, rms_radius
from nbembed.objectives.base import Evaluation, Objective
from nbembed.optimizers.base import Optimizer, State
from nbembed.optimizers.line_search import line_search
from nbembed.optimizers.steps import preconditioned
from nbembed.validation import check_flag, check_real


@dataclass(frozen=True, eq=False)
class ConjugateState(State):
    """A layout and the last line that was searched.

    * gradient, direction like ``Y`` or None: gradient at the start of the last line search and its
      direction p; None before the first.
    * slope: ⟨gradient, direction⟩ there.
    * stride: step length that the search accepted.
    * stuck: whether no step along the plain gradient lowered the cost: it is minimal up to
      rounding.
    """

    gradient: NDArray[Any] | None = None
    direction: NDArray[Any] | None = None
    slope: float = 0.0
    stride: float = 0.0
    stuck: bool = False


@dataclass(frozen=True)
class ConjugateGradient(Optimizer):
    """Polak–Ribière+ conjugate gradients with a strong Wolfe line search.

    The cost never rises. An iteration is one line search, about two evaluations.

    Parameters
    ----------
    precondition : bool, default=True
        Whether to scale directions by the objective's curvature, where it has one.
    flatness : float, default=0.5
        c₂ of the line search, in (0, 1): smaller searches each line more exactly.
    """

    precondition: bool = True
    flatness: float = 0.5

    def __post_init__(self) -> None:
        check_flag("precondition", self.precondition)
        if not 0 < check_real("flatness", self.flatness) < 1:
            raise ValueError(f"flatness must be in (0, 1), got {self.flatness}")

    def start(self, Y: NDArray[Any]) -> ConjugateState:
        """Return the state of a run that begins at ``Y``, with an empty memory."""
        return ConjugateState(Y)

    def step(self, objective: Objective, state: State, *, cost: bool = True) -> ConjugateState:
        """Return the state after one line search; the same layout if no step lowers the cost."""
        if not isinstance(state, ConjugateState) or state.objective is not objective:
            state = self.start(state.Y)
        if state.stuck:
            return state
        Y, seen = state.Y, state.look(objective, cost=True)
        scaled = self._scaled(seen.gradient, seen)
        direction = -scaled
        stride = first_step(Y, direction, self.precondition and seen.curvature is not None)
        lines = [(direction, stride)]
        if state.direction is not None and state.gradient is not None:
            change = seen.gradient - state.gradient
            before = dot(state.gradient, self._scaled(state.gradient, seen))
            beta = max(0.0, dot(change, scaled) / before) if before > 0 else 0.0
            direction = direction + Y.dtype.type(beta) * state.direction
            slope = dot(direction, seen.gradient)
            # A direction of hardly any descent is dropped; else it is tried first, with the step
            # that gives the same first-order decrease as the last one.
            if slope < -0.01 * dot(scaled, seen.gradient):
                lines.insert(0, (direction, state.stride * min(state.slope / slope, 10.0)))
        for direction, stride in lines:
            found = line_search(objective, Y, seen, direction, stride, flatness=self.flatness)
            if found is not None:
                slope = dot(direction, seen.gradient)
                return ConjugateState(
                    found.Y, found.seen, objective, seen.gradient, direction, slope, found.step
                )
        return ConjugateState(Y, seen, objective, stuck=True)

    def _scaled(self, gradient: NDArray[Any], seen: Evaluation) -> NDArray[Any]:
        return preconditioned(gradient, seen.curvature if self.precondition else None)


def first_step(Y: NDArray[Any], direction: NDArray[Any], scaled: bool) -> float:
    """Return a conservative first step along a new ``direction``.

    One, if the direction is scaled by curvature, but at most the step by which points move by the
    map's radius on average.
    """
    length = math.sqrt(dot(direction, direction) / direction.size)
    if length == 0:
        return 1.0
    size = rms_radius(Y)
    reach = size / length if size > 0 else 1.0 / length
    return min(1.0, reach) if scaled else min(0.1 * reach, 1.0 / length)
