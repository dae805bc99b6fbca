"""Limited-memory BFGS, one line search an iteration.

The direction is −Hg by the two-loop recursion over the last m pairs (s, y) of steps and changes of
the gradient. H starts from the inverse of the objective's diagonal curvature where it has one,
scaled to the newest pair.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from nbembed.optimizers.base import Optimizer, State
from nbembed.optimizers.conjugate_gradient import first_step
from nbembed.optimizers.line_search import line_search
from nbembed.optimizers.steps import dot, preconditioned
from nbembed.validation import check_count

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nbembed.objectives.base import Evaluation, Objective


@dataclass(frozen=True, eq=False)
class LBFGSState(State):
    """A layout and the pairs of the last steps.

    Attributes
    ----------
    pairs : tuple of (s, y)
        Steps and changes of the gradient, oldest first.
    stuck : bool
        Whether no step along the plain gradient lowered the cost: it is minimal up to rounding.
    """

    pairs: tuple[tuple[NDArray[Any], NDArray[Any]], ...] = ()
    stuck: bool = False


@dataclass(frozen=True)
class LBFGS(Optimizer):
    """Quasi-Newton descent with a limited memory.

    The cost never rises. An iteration is one line search, a little over one evaluation.

    Parameters
    ----------
    memory : int, default=10
        Number m ≥ 1 of pairs; each takes the memory of two layouts.
    """

    memory: int = 10

    def __post_init__(self) -> None:
        check_count("memory", self.memory)

    def start(self, Y: NDArray[Any]) -> LBFGSState:
        """Return the state of a run that begins at ``Y``, with an empty memory."""
        return LBFGSState(Y)

    def step(self, objective: Objective, state: State, *, cost: bool = True) -> LBFGSState:
        """Return the state after one line search; the same layout if no step lowers the cost."""
        if not isinstance(state, LBFGSState) or state.objective is not objective:
            state = self.start(state.Y)
        if state.stuck:
            return state
        Y, seen, pairs = state.Y, state.look(objective, cost=True), state.pairs
        found = None
        if pairs:
            direction = _quasi_newton(seen, pairs)
            found = line_search(objective, Y, seen, direction, 1.0, flatness=0.9)
        if found is None:
            pairs = ()
            direction = -preconditioned(seen.gradient, seen.curvature)
            stride = first_step(Y, direction, seen.curvature is not None)
            found = line_search(objective, Y, seen, direction, stride, flatness=0.9)
        if found is None:
            return LBFGSState(Y, seen, objective, stuck=True)
        moved = found.Y - Y
        change = found.seen.gradient - seen.gradient
        # A pair without positive curvature would make H indefinite.
        if dot(moved, change) > 1e-10 * dot(change, change) ** 0.5 * dot(moved, moved) ** 0.5:
            pairs = (*pairs, (moved, change))[-self.memory :]
        return LBFGSState(found.Y, found.seen, objective, pairs)


def _quasi_newton(
    seen: Evaluation, pairs: tuple[tuple[NDArray[Any], NDArray[Any]], ...]
) -> NDArray[Any]:
    """Return −Hg by the two-loop recursion, in the layout's dtype."""
    q = seen.gradient.astype(np.float64)
    weights = []
    for moved, change in reversed(pairs):
        weight = dot(moved, q) / dot(moved, change)
        q = q - weight * change
        weights.append(weight)
    moved, change = pairs[-1]
    scaled = preconditioned(change, seen.curvature)
    q = preconditioned(q, seen.curvature) * (dot(moved, change) / dot(change, scaled))
    for (moved, change), weight in zip(pairs, reversed(weights)):
        q = q + (weight - dot(change, q) / dot(moved, change)) * moved
    return -q.astype(seen.gradient.dtype)
