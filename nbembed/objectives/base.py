"""The interface of objectives: the cost of a layout and its gradient.

An objective is a value. It is made once from affinities and parameters, can be evaluated at any
layout ``Y``, and :meth:`Objective.with_parameters` returns another one that shares the affinities.
Steps are the optimizer's task; an objective can be passed to any optimizer, for example
``scipy.optimize.minimize``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


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


class Objective(ABC):
    """A cost to minimize over layouts ``Y`` of shape (n_samples, n_components)."""

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
        """Return cost, gradient and curvature at ``Y``; leaving out the cost saves time."""

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
