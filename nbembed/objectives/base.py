"""The interface of objectives: the cost of a layout and its gradient.

An objective is a value. It is made once from affinities and parameters, can be evaluated at any
layout ``Y``, and :meth:`Objective.with_parameters` returns another one that shares the affinities.
Steps are the optimizer's task; an objective can be passed to any optimizer, for example
``scipy.optimize.minimize``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from nbembed.objectives.attraction import Edges
from nbembed.objectives.cost_terms import CostTerm
from nbembed.validation import check_real


@dataclass(frozen=True)
class Evaluation:
    """Cost and gradient of an objective at one layout.

    Attributes
    ----------
    cost : float
        In nats; ``nan`` if it was not asked for.
    gradient : ndarray of shape (n_samples, n_components)
        The derivative of the cost by each coordinate, in the objective's own dtype.
    curvature : ndarray of shape (n_samples,) or None
        A positive diagonal scale per point; ``Y - gradient / curvature[:, None]`` is the
        fixed-point update of methods that have one (HSSNE: four times the row sums of P∘S).
    auxiliary_cost : float
        The part of the cost that only helps the optimization (exaggeration, compression). ``cost``
        and ``gradient`` contain it; the cost that users see does not.
    rounding : float
        Bound of the cost's rounding error, in nats. Large terms cancel in these costs, so that late
        steps in float32 change the cost by less than its rounding; the gradient is unaffected.
    """

    cost: float
    gradient: NDArray[Any]
    curvature: NDArray[Any] | None = None
    auxiliary_cost: float = 0.0
    rounding: float = 0.0

    @property
    def plain_cost(self) -> float:
        """The cost without the auxiliary cost: what a map is judged by."""
        return self.cost - self.auxiliary_cost


#: The largest norm of a layout, √Σ y², for each type: squared distances stay in its range, and so
#: do their products with widths, weights and numbers of points.
LARGEST: dict[np.dtype[Any], float] = {
    np.dtype(np.float32): 1e15,
    np.dtype(np.float64): 1e140,
}
_SQUARES = {dtype: norm * norm for dtype, norm in LARGEST.items()}


def in_range(Y: NDArray[Any], dtype: np.dtype[Any]) -> bool:
    """Return whether a layout is finite and of a norm of at most :data:`LARGEST` for ``dtype``."""
    # Not a maximum: one product is several times as fast, and this is asked at every evaluation.
    return bool(np.vdot(Y, Y) <= _SQUARES[dtype])


class Objective(ABC):
    """A cost to minimize over layouts ``Y`` of shape (n_samples, n_components)."""

    _n_threads: int = 1

    @property
    @abstractmethod
    def n_samples(self) -> int:
        """Number of points that a layout must have."""

    @property
    @abstractmethod
    def dtype(self) -> np.dtype[Any]:
        """Floating type that pairs are computed in: float32 or float64."""

    @property
    def length_scale(self) -> float:
        """Width of the embedding's kernel in coordinates: how far a gradient can be trusted."""
        return 1.0

    @property
    def n_threads(self) -> int:
        """Threads that an evaluation takes, and an optimizer may take between two of them."""
        return self._n_threads

    def far(self, near: float) -> float | None:
        """Return the distance at which the similarity is 1/n of that at the distance ``near``.

        So far away, all n points together are felt like one neighbor. None (the default) where the
        similarity of two points is not a function of their distance alone, or never so small.

        Raises
        ------
        ValueError
            If ``near`` is negative or not finite.
        """
        check_real("near", near, low=0)
        return None

    @property
    @abstractmethod
    def parameters(self) -> dict[str, float]:
        """The numbers that :meth:`with_parameters` can change, by name."""

    @abstractmethod
    def with_parameters(self, **parameters: Any) -> Self:
        """Return the same objective with some parameters changed; affinities are shared.

        Raises
        ------
        TypeError
            A name that this objective does not have.
        """

    @abstractmethod
    def evaluate(self, Y: NDArray[Any], *, cost: bool = True) -> Evaluation:
        """Return cost, gradient and curvature at ``Y``; leaving out the cost saves time.

        Raises
        ------
        ValueError
            If ``Y`` is of another shape, or not in range (:meth:`in_range`).
        """

    @property
    def attracts(self) -> bool:
        """True if :meth:`attraction` returns edges; cheap, unlike them."""
        return type(self).attraction is not Objective.attraction

    def attraction(self, Y: NDArray[Any]) -> Edges | None:
        """Return the strongest attractions at ``Y``; None (the default) if they are not known.

        Optimizers precondition with their Laplacian, and bound the size of a map that has them.
        """
        return None

    def in_range(self, Y: NDArray[Any]) -> bool:
        """Return whether the numbers of a layout are finite, as :meth:`evaluate` requires."""
        return bool(np.isfinite(Y).all())

    @property
    def hazard(self) -> str:
        """The property of the data that can drive a layout out of range, with a remedy; "" if none.

        A sentence for the error of a run that has left the range of numbers.
        """
        return ""

    @property
    def equation(self) -> str:
        """The cost as lines of text, with the terms' own symbols; "" if it does not say."""
        return ""

    def cost_terms(self, Y: NDArray[Any]) -> tuple[CostTerm, ...]:
        """Return the terms that cost and gradient at ``Y`` are the sums of; by default one.

        Raises
        ------
        ValueError
            As :meth:`evaluate`.
        """
        found = self.evaluate(Y)
        return (CostTerm.of("cost", "J", "whole", found.cost, found.gradient.T),)

    def cost_and_gradient(self, Y: NDArray[Any]) -> tuple[float, NDArray[Any]]:
        """Return the cost in nats and its gradient, shape (n_samples, n_components)."""
        evaluation = self.evaluate(Y)
        return evaluation.cost, evaluation.gradient

    def gradient(self, Y: NDArray[Any]) -> NDArray[Any]:
        """Return the gradient alone."""
        return self.evaluate(Y, cost=False).gradient

    def cost(self, Y: NDArray[Any]) -> float:
        """Return the cost in nats."""
        return self.evaluate(Y).cost


class PairObjective(Objective):
    """Base of the objectives of squared distances, which overflow before coordinates do.

    They take layouts of a norm √Σ y² of at most 1e15 in float32 and 1e140 in float64.
    """

    def in_range(self, Y: NDArray[Any]) -> bool:
        """Return whether a layout is finite and not too large for squared distances."""
        return in_range(Y, self.dtype)
