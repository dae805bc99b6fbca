"""Alternating minimization of Parametric Embedding: class centers and objects.

Each iteration moves the K class centers Φ by one step of limited-memory BFGS and each object to its
optimal position among them by damped Newton steps ("Parametric Embedding for Class Visualization",
section 3). The paper's line search keeps the objects fixed; here each trial optimizes them too, so
that the function that is minimized is

    F(Φ) = min_R J(R, Φ)

itself. A trial costs a few warm-started Newton steps per object and saves most of the iterations,
whose number depends on K and not on the number of objects.

The optimization has converged when the forces on the centers balance: ‖∂F/∂Φ‖ is small relative to
the attraction 2η_φ Φ to the origin, which at a minimum equals the forces of the objects.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from nbembed.kernels.inner_product import dot
from nbembed.objectives.base import Evaluation, Objective
from nbembed.optimizers.base import Optimizer, State
from nbembed.optimizers.lbfgs import LBFGS, LBFGSState
from nbembed.validation import check_real


@runtime_checkable
class Separable(Protocol):
    """An objective whose optimal objects can be computed exactly for given centers."""

    @property
    def n_objects(self) -> int:
        """Rows of a layout before the centers."""

    def over_classes(self, objects: Any, *, held: Any = ..., solve: bool = ...) -> Any:
        """Return the cost of the centers alone, with objects computed from ``objects`` on."""


@dataclass(frozen=True, eq=False)
class AlternatingState(State):
    """A layout, and the state of the minimization over its class centers.

    * centers: of Φ, in float64; ``None`` before the first step.
    * stuck: whether the forces on the centers balance or no step lowers the cost.
    """

    centers: LBFGSState | None = None
    stuck: bool = False


@dataclass(frozen=True)
class Alternating(Optimizer):
    """Class centers by L-BFGS, objects by Newton's method.

    The cost never rises. An iteration is one line search over the centers, a little over one
    evaluation, each a few passes over the posteriors. Objectives that are not separable are
    minimized by plain L-BFGS over all rows.

    Parameters
    ----------
    tol : float, default=1e-4
        Converged when ‖∂F/∂Φ‖ ≤ tol · 2η_φ (‖Φ‖ + 1).
    memory : int, default=10
        Number of pairs of the L-BFGS steps over the centers.
    """

    tol: float = 1e-4
    memory: int = 10

    def __post_init__(self) -> None:
        check_real("tol", self.tol, low=0)
        LBFGS(self.memory)  # checks it

    def start(self, Y: NDArray[Any]) -> AlternatingState:
        """Return the state of a run that begins at ``Y``, with an empty memory."""
        return AlternatingState(Y)

    def step(self, objective: Objective, state: State, *, cost: bool = True) -> State:
        """Return the state after one step of the centers, with optimal objects."""
        if not isinstance(objective, Separable):
            return LBFGS(self.memory).step(objective, state, cost=cost)
        if not isinstance(state, AlternatingState) or state.objective is not objective:
            state = self.start(state.Y)
        if state.stuck:
            return state
        n = objective.n_objects
        held = getattr(objective, "pinned", ())
        over = objective.over_classes(state.Y[:n], held=held)
        if state.centers is None:
            # The line search starts from the optimal objects of the present centers.
            centers = LBFGSState(state.Y[n:].astype(np.float64))
            seen: Any = over.evaluate(centers.Y)
            over = objective.over_classes(seen.objects, held=held)
            centers = replace(centers, seen=seen, objective=over)
        else:
            centers = replace(state.centers, objective=over)
            seen = centers.seen
        if not self._balanced(objective, centers.Y, seen.gradient):
            centers = LBFGS(self.memory).step(over, centers)
            seen = centers.seen
        stuck = centers.stuck or self._balanced(objective, centers.Y, seen.gradient)
        Y = np.vstack([seen.objects, centers.Y.astype(state.Y.dtype)])
        found = Evaluation(seen.cost, seen.whole, rounding=seen.rounding)
        return AlternatingState(Y, found, objective, centers, stuck)

    def _balanced(self, objective: Any, centers: NDArray[Any], gradient: NDArray[Any]) -> bool:
        pull = 2 * objective.parameters["eta_classes"] * (math.sqrt(dot(centers, centers)) + 1)
        return math.sqrt(dot(gradient, gradient)) <= float(self.tol * pull)
