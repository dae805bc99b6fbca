"""Limited-memory BFGS, one line search an iteration.

The direction is −Hg by the two-loop recursion over the last m pairs (s, y) of steps and changes of
the gradient. H starts from an inverse of part of the Hessian, scaled to the newest pair: that of
the Laplacian of the map's attractions where the objective states them
(:mod:`nbembed.optimizers.laplacian`, renewed every :data:`RENEWED` steps), else of the diagonal
curvature where it has one.

Maps of objectives with attractions are bounded: in one step no point moves farther than the map's
radius, nor much farther than the others, and the map as a whole does not grow beyond
:func:`nbembed.optimizers.size.room`; at that size it moves on the sphere of maps as large. Without
bounds, costs of heavy tails (α > 1), which hardly change with the size of a map, lead to
coordinates of 10¹¹ and more.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.kernels.inner_product import dot, rms_radius, squared_lengths
from nbembed.objectives.base import Objective
from nbembed.optimizers.base import Optimizer, State
from nbembed.optimizers.conjugate_gradient import first_step
from nbembed.optimizers.laplacian import LaplacianInverse, LaplacianPolynomial, laplacian_inverse
from nbembed.optimizers.line_search import line_search
from nbembed.optimizers.size import Scaled, centered, into_room, room, scale_step
from nbembed.optimizers.steps import preconditioned
from nbembed.validation import check_count, check_flag

#: Steps that a factored Laplacian serves.
RENEWED = 25

#: At this share of its largest radius a map no longer grows along itself; what its change of shape
#: adds may exceed the radius by as much.
FULL = 0.99

#: Most that a map grows by while a Laplacian serves: its room shrinks while clusters take shape.
GROWTH = 5.0

#: Farthest that a point may move in one step, in radii of the map.
FARTHEST = 1.0

#: Farthest that a point's part of a direction may reach, in root mean squares of the direction: a
#: point without near neighbors has nearly no attraction, and would be flung out of the map.
EVEN = 4.0


#: While a turn of the map changes the cost by less than this share of the steepest change, none is
#: made. Where class directions hold a map its turn is all that is left at last, and is made then.
TORQUE = 0.1


@dataclass(frozen=True, eq=False)
class LBFGSState(State):
    """A layout and the pairs of the last steps.

    * pairs (s, y): steps and changes of the gradient, oldest first.
    * stuck: whether no step along the plain gradient lowered the cost: it is minimal up to
      rounding.
    * inverse: of the attractions, where the objective states them.
    * largest: radius beyond which the map shall not grow.
    """

    pairs: tuple[tuple[NDArray[Any], NDArray[Any]], ...] = ()
    stuck: bool = False
    age: int = 0
    inverse: LaplacianInverse | LaplacianPolynomial | None = None
    largest: float = math.inf

    def renewed(self, objective: Objective) -> LBFGSState:
        """Return the state with its preconditioner and bound made for the present layout."""
        state = replace(self, seen=self.look(objective, cost=True), objective=objective)
        if not objective.attracts:
            return state
        state = state.scaled_by(into_room).scaled_by(scale_step)
        inverse = laplacian_inverse(objective, state.Y)
        growth = min(max(room(state.Y, objective), FULL), GROWTH)
        largest = rms_radius(state.Y) * growth
        return replace(state, inverse=inverse, largest=largest)

    def scaled_by(self, rule: Callable[..., Scaled | None]) -> LBFGSState:
        """Return the state after a rule of :mod:`nbembed.optimizers.size`; pairs scale along."""
        assert self.objective is not None
        assert self.seen is not None
        found = rule(self.objective, self.Y, self.seen)
        if found is None:
            return self
        factor = self.Y.dtype.type(found.factor)
        pairs = tuple((factor * moved, change / factor) for moved, change in self.pairs)
        return replace(self, Y=found.Y, seen=found.seen, pairs=pairs)

    def outward(self) -> NDArray[np.float64] | None:
        """Return Y − Ȳ if the map has its largest size and would grow; else None."""
        assert self.seen is not None
        if rms_radius(self.Y) < FULL * self.largest:
            return None
        away = centered(self.Y, getattr(self.objective, "pinned", ()))
        return away if dot(self.seen.gradient, away) < 0 else None

    def scaled(self, vector: NDArray[Any]) -> NDArray[Any]:
        """Return the inverse of the part of the Hessian that is known, applied to a gradient."""
        if self.inverse is not None:
            return self.inverse(vector)
        assert self.seen is not None
        return preconditioned(vector, self.seen.curvature)


@dataclass(frozen=True)
class LBFGS(Optimizer):
    """Quasi-Newton descent with a limited memory.

    The cost never rises, but where a map of more than twice its room is brought into it
    (:func:`~nbembed.optimizers.size.into_room`). An iteration is one line search, a little over one
    evaluation.

    Parameters
    ----------
    memory : int, default=10
        Number m ≥ 1 of pairs; each takes the memory of two layouts.
    laplacian : bool, default=True
        Whether to precondition with the Laplacian of the attractions, and to bound the map's size,
        where the objective states its attractions.
    """

    memory: int = 10
    laplacian: bool = True

    def __post_init__(self) -> None:
        check_count("memory", self.memory)
        check_flag("laplacian", self.laplacian)

    def start(self, Y: NDArray[Any]) -> LBFGSState:
        """Return the state of a run that begins at ``Y``, with an empty memory."""
        return LBFGSState(Y)

    def step(self, objective: Objective, state: State, *, cost: bool = True) -> LBFGSState:
        """Return the state after one line search; the same layout if no step lowers the cost."""
        if not isinstance(state, LBFGSState) or state.objective is not objective:
            state = self.start(state.Y)
        if state.stuck:
            return state
        if self.laplacian and state.age % RENEWED == 0:
            state = state.renewed(objective)
        Y, seen, pairs = state.Y, state.look(objective, cost=True), state.pairs
        state = replace(state, seen=seen, objective=objective, age=state.age + 1)
        outward = state.outward()
        gradient = _without(seen.gradient, outward)
        found = None
        if pairs:
            direction = _on_sphere(_quasi_newton(gradient, state), outward, seen.gradient)
            direction = _unturned(_evened(direction, state, seen.gradient), state)
            longest = _longest(direction, state)
            stride = min(1.0, longest)
            found = line_search(
                objective, Y, seen, direction, stride, flatness=0.9, longest=longest
            )
        if found is None:
            pairs = ()
            scaled = -state.scaled(gradient).astype(Y.dtype)
            direction = _on_sphere(scaled, outward, seen.gradient)
            direction = _unturned(_evened(direction, state, seen.gradient), state)
            longest = _longest(direction, state)
            known = state.inverse is not None or seen.curvature is not None
            stride = min(first_step(Y, direction, known), longest)
            found = line_search(
                objective, Y, seen, direction, stride, flatness=0.9, longest=longest
            )
        if found is None:
            return replace(state, pairs=(), stuck=True)
        moved = found.Y - Y
        change = found.seen.gradient - seen.gradient
        if outward is not None:
            # Where the size is held, the gradient along the sphere is what shall vanish.
            there = centered(found.Y, getattr(objective, "pinned", ()))
            change = _without(found.seen.gradient, there) - gradient
        # A pair without positive curvature would make H indefinite.
        if dot(moved, change) > 1e-10 * dot(change, change) ** 0.5 * dot(moved, moved) ** 0.5:
            pairs = (*pairs, (moved, change))[-self.memory :]
        return replace(state, Y=found.Y, seen=found.seen, pairs=pairs)


def _quasi_newton(gradient: NDArray[Any], state: LBFGSState) -> NDArray[Any]:
    """Return −Hg by the two-loop recursion, in the layout's dtype."""
    pairs = state.pairs
    bends = [dot(moved, change) for moved, change in pairs]
    q = gradient.astype(np.float64)
    weights = []
    for (moved, change), bend in zip(reversed(pairs), reversed(bends)):
        weight = dot(moved, q) / bend
        q = q - weight * change
        weights.append(weight)
    moved, change = pairs[-1]
    # One pass over the factors for both.
    scaled = state.scaled(np.hstack([q, change]))
    q, scaled_change = scaled[:, : q.shape[1]], scaled[:, q.shape[1] :]
    q = q * (bends[-1] / dot(change, scaled_change))
    for (moved, change), bend, weight in zip(pairs, bends, reversed(weights)):
        q = q + (weight - dot(change, q) / bend) * moved
    return -q.astype(gradient.dtype)


def _without(vector: NDArray[Any], along: NDArray[np.float64] | None) -> NDArray[Any]:
    """Return a vector without its part along another one, in its own dtype.

    Applied to a gradient before H and to Hg after it, it leaves a direction of descent.
    """
    if along is None:
        return vector
    rest: NDArray[Any] = vector - along * (dot(vector, along) / dot(along, along))
    return rest.astype(vector.dtype)


def _on_sphere(
    direction: NDArray[Any], outward: NDArray[np.float64] | None, gradient: NDArray[Any]
) -> NDArray[Any]:
    """Return a direction of descent at whose end the map has its present size.

    Along a tangent t of the sphere the size grows with the square of the step. So a + c t is led
    back by b a, with (1 − b)² + c² ‖t‖²/‖a‖² = 1; c ≤ 1 is such that half of the descent is left.
    """
    tangent = _without(direction, outward)
    if outward is None:
        return tangent
    aa, tt = dot(outward, outward), dot(tangent, tangent)
    slope, lost = dot(gradient, tangent), -dot(gradient, outward)
    if not slope < 0:
        return tangent
    step = min(1.0, 0.5 * math.sqrt(aa / tt), aa * -slope / (tt * lost))
    back = 1 - math.sqrt(1 - step * step * tt / aa)
    led: NDArray[Any] = step * tangent - back * outward
    return led.astype(direction.dtype)


def _evened(direction: NDArray[Any], state: LBFGSState, gradient: NDArray[Any]) -> NDArray[Any]:
    """Return a direction of descent in which no point is far ahead of all others.

    Only where the map is bounded. Of many digits of MNIST the farthest point of a fit lay far
    outside without this.
    """
    if math.isinf(state.largest):
        return direction
    squares = squared_lengths(direction)
    most = EVEN**2 * float(squares.mean())
    if not float(squares.max()) > most > 0:
        return direction
    share = np.sqrt(most / np.maximum(squares, most))
    shortened: NDArray[Any] = direction * share[:, None].astype(direction.dtype)
    return shortened if dot(gradient, shortened) < 0 else direction


def _unturned(direction: NDArray[Any], state: LBFGSState) -> NDArray[Any]:
    """Return a direction without its turn about the middle of a plane map.

    Most costs do not change when a map is turned: their gradient has next to no torque, but Hg may
    turn the map by half a circle while somebody looks at it.
    """
    assert state.seen is not None
    if state.Y.shape[1] != 2 or len(getattr(state.objective, "pinned", ())):
        return direction
    gradient, away = state.seen.gradient, centered(state.Y)
    turn = np.stack([-away[:, 1], away[:, 0]], axis=1)
    torque = dot(gradient, turn)
    if torque**2 > TORQUE**2 * dot(gradient, gradient) * dot(turn, turn):
        return direction
    return _without(direction, turn)


def _longest(direction: NDArray[Any], state: LBFGSState) -> float:
    """Return the longest step along a direction that keeps points and map within bounds."""
    size = rms_radius(state.Y)
    if math.isinf(state.largest) or not size > 0:
        return math.inf
    moves = math.sqrt(float(np.max(squared_lengths(direction))))
    longest = FARTHEST * size / moves if moves > 0 else math.inf
    # ‖a + t d‖² ≤ ‖a‖² + free, with a and d centered.
    a, d = centered(state.Y), centered(direction)
    aa, ad, dd = dot(a, a), dot(a, d), dot(d, d)
    most = (state.largest / FULL) ** 2 * a.size
    free = max(most, (1 + 1e-6) * aa) - aa
    if dd > 0:
        longest = min(longest, (math.sqrt(ad * ad + dd * free) - ad) / dd)
    return longest
