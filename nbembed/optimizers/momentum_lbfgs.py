"""Momentum first, L-BFGS to the end: robust while a map takes shape, and then quickly at rest.

Momentum finds good optima from a heap, and moves a map that is steered steadily; but clusters that
have to travel as a whole creep for thousands of iterations under its diagonal scale. L-BFGS with
the Laplacian of the attractions (:mod:`nbembed.optimizers.laplacian`) moves them at once, and its
cost does not rise once the map is in its room. So the first :data:`MOMENTUM_STEPS` steps from a
start, a change of the objective included, are momentum's, with a scale step
(:func:`~nbembed.optimizers.size.scale_step`) after the first, and all later ones are those of
L-BFGS. Objectives that
state no attractions are minimized by momentum alone. From
:data:`~nbembed.optimizers.laplacian.FACTORED_BELOW` points on a polynomial of the Laplacian takes
the place of its factors.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from numpy.typing import NDArray

from nbembed.objectives.base import Objective
from nbembed.optimizers.base import Optimizer, State
from nbembed.optimizers.lbfgs import LBFGS, LBFGSState
from nbembed.optimizers.momentum import MomentumGradient, MomentumState
from nbembed.optimizers.size import into_room, scale_step
from nbembed.validation import check_instance

#: Steps of momentum from each start. More of them find optima that are better by a thousandth, and
#: take most of a fit's time where there are many points.
MOMENTUM_STEPS = 20


@dataclass(frozen=True)
class MomentumLBFGS(Optimizer):
    """Momentum for the first steps from a start, then preconditioned L-BFGS.

    The preconditioner is the inverse of the Laplacian of the attractions, of many points an
    approximation.

    Parameters
    ----------
    momentum : MomentumGradient
        Rule of the first steps.
    lbfgs : LBFGS
        Rule of all later ones.
    """

    momentum: MomentumGradient = field(default_factory=MomentumGradient)
    lbfgs: LBFGS = field(default_factory=LBFGS)

    def __post_init__(self) -> None:
        check_instance("momentum", self.momentum, MomentumGradient)
        check_instance("lbfgs", self.lbfgs, LBFGS)

    def start(self, Y: NDArray[Any]) -> MomentumState:
        """Return the state of a run that begins at ``Y``, at rest."""
        return self.momentum.start(Y)

    def step(self, objective: Objective, state: State, *, cost: bool = False) -> State:
        """Return the state after one step of the rule whose turn it is."""
        if isinstance(state, LBFGSState) and state.objective is objective:
            return self.lbfgs.step(objective, state, cost=cost)
        if not isinstance(state, MomentumState):
            state = self.start(state.Y)
        if state.age == 0 or not objective.attracts:
            return self.momentum.step(objective, state, cost=cost)
        if state.age >= MOMENTUM_STEPS:
            first = LBFGSState(state.Y, state.seen, state.objective)
            return self.lbfgs.step(objective, first, cost=cost)
        if state.age == 1:  # not before: from a slider to the next layout there is one pass
            state = _at_best_size(objective, state)
        return self.momentum.step(objective, state, cost=cost)


def _at_best_size(objective: Objective, state: MomentumState) -> MomentumState:
    """Return the state within its room and after a scale step; velocities are scaled, too."""
    seen = state.look(objective, cost=True)
    state = replace(state.tested(objective, seen), seen=seen, objective=objective)
    for rule in (into_room, scale_step):
        found = rule(objective, state.Y, seen)
        if found is None:
            continue
        velocity = state.velocity
        if velocity is not None:
            velocity = velocity * state.Y.dtype.type(found.factor)
        # The promise was for the map at its old size.
        promised = state.promised + found.seen.cost - seen.cost
        seen = found.seen
        state = replace(state, Y=found.Y, seen=seen, velocity=velocity, promised=promised)
    return state
