"""Nonlinear conjugate gradients: one line search an iteration, directions that remember.

    p ← −M⁻¹g + β p,   β = max(0, ⟨g, M⁻¹(g − g_old)⟩ / ⟨g_old, M⁻¹g_old⟩)     (Polak–Ribière+)

with M the objective's own diagonal curvature where it has one. This is the optimizer of "Large
Margin Non-Linear Embedding" (section 6) and of the retrieval papers; theirs had no preconditioner.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nbembed.optimizers.base import Optimizer, State
from nbembed.optimizers.line_search import line_search
from nbembed.optimizers.steps import dot, preconditioned, radius

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nbembed.objectives.base import Evaluation, Objective


@dataclass(frozen=True, eq=False)
class ConjugateState(State):
    """A layout, what was seen there, and the last direction.

    Attributes
    ----------
    seen : Evaluation or None
        Of ``objective`` at ``Y``.
    objective : Objective or None
        The one that was seen; another one makes the memory void.
    direction : ndarray like ``Y`` or None
        Last direction p.
    slope : float
        ⟨g, p⟩ where that direction was taken.
    step : float
        How far along it the search went.
    """

    seen: Evaluation | None = None
    objective: Objective | None = None
    old_gradient: NDArray[Any] | None = None
    direction: NDArray[Any] | None = None
    slope: float = 0.0
    step: float = 0.0


@dataclass(frozen=True)
class ConjugateGradient(Optimizer):
    """Polak–Ribière+ conjugate gradients with a strong Wolfe line search.

    The cost never rises. An iteration is one line search, about two evaluations.

    Parameters
    ----------
    precondition : bool, default=True
        Whether to scale directions by the objective's curvature, where it has one.
    flatness : float, default=0.3
        c₂ of the line search, in (0, 1): smaller searches each line more exactly.
    """

    precondition: bool = True
    flatness: float = 0.3

    def __post_init__(self) -> None:
        if not 0 < self.flatness < 1:
            raise ValueError(f"flatness must be in (0, 1), got {self.flatness}")

    def start(self, Y: NDArray[Any]) -> ConjugateState:
        """Return the state of a run that begins at ``Y``, with an empty memory."""
        return ConjugateState(Y)

    def step(self, objective: Objective, state: State) -> ConjugateState:
        """Return the state after one line search; the same layout if no step lowers the cost."""
        if not isinstance(state, ConjugateState):
            state = self.start(state.Y)
        if state.seen is None or state.objective is not objective:
            state = ConjugateState(state.Y, seen=objective.evaluate(state.Y), objective=objective)
        assert state.seen is not None
        seen = state.seen
        scaled = self._scaled(seen.gradient, seen)
        steepest = -scaled
        direction, first = steepest, self._first_step(state.Y, steepest)
        fresh = True
        if state.direction is not None and state.old_gradient is not None:
            change = seen.gradient - state.old_gradient
            before = dot(state.old_gradient, self._scaled(state.old_gradient, seen))
            beta = max(0.0, dot(change, scaled) / before) if before > 0 else 0.0
            conjugate = steepest + state.Y.dtype.type(beta) * state.direction
            slope = dot(conjugate, seen.gradient)
            # Directions that hardly descend are forgotten (as are those after a bad search).
            if slope < -0.01 * dot(scaled, seen.gradient):
                direction, fresh = conjugate, beta == 0
                first = state.step * min(state.slope / slope, 10.0)
        found = line_search(objective, state.Y, seen, direction, first, flatness=self.flatness)
        if found is None and not fresh:
            direction = steepest
            found = line_search(
                objective,
                state.Y,
                seen,
                direction,
                self._first_step(state.Y, steepest),
                flatness=self.flatness,
            )
        if found is None:
            return ConjugateState(state.Y, seen.cost, seen, objective)
        return ConjugateState(
            found.Y,
            found.cost,
            found.seen,
            objective,
            seen.gradient,
            direction,
            dot(direction, seen.gradient),
            found.step,
        )

    def _scaled(self, gradient: NDArray[Any], seen: Evaluation) -> NDArray[Any]:
        return preconditioned(gradient, seen.curvature if self.precondition else None)

    def _first_step(self, Y: NDArray[Any], direction: NDArray[Any]) -> float:
        return first_step(Y, direction, self.precondition)


def first_step(Y: NDArray[Any], direction: NDArray[Any], scaled: bool) -> float:
    """Return a modest first step along ``direction`` when nothing is known of the line.

    One, if the direction is scaled by curvature, but never so long that points move by more than
    the map's radius on average.
    """
    length = math.sqrt(dot(direction, direction) / direction.size)
    if length == 0:
        return 1.0
    size = radius(Y)
    reach = size / length if size > 0 else 1.0 / length
    return min(1.0, reach) if scaled else min(0.1 * reach, 1.0 / length)
