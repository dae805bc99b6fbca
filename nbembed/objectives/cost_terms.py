"""The terms of a cost, each with its own gradient: what pulls a point where.

    J = Σ_t J_t,   ∂J/∂y_i = Σ_t ∂J_t/∂y_i

A term's force on point i is −∂J_t/∂y_i. At a minimum the forces of all terms cancel at every point,
and their lengths say what holds it there.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

#: What a term does: it draws points to their neighbors in the data, drives points apart, says what
#: labels and links say, shapes classes without them, helps the optimizer, moves nothing, or is the
#: whole cost of an objective that does not say what it is made of.
Role = Literal["attraction", "repulsion", "labels", "classes", "aid", "constant", "whole"]
ROLES: tuple[Role, ...] = (
    "attraction", "repulsion", "labels", "classes", "aid", "constant", "whole",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class CostTerm:
    """A term of a cost at one layout.

    * formula: as one line of text.
    * role: one of :data:`ROLES`.
    * cost: in nats.
    * gradient (n_samples, n_components) float64: of the term, by each coordinate.
    """

    name: str
    formula: str
    role: Role
    cost: float
    gradient: NDArray[np.float64]

    @classmethod
    def of(
        cls, name: str, formula: str, role: Role, cost: float, gradient: NDArray[Any]
    ) -> CostTerm:
        """Return a term with a gradient of shape (n_components, n_samples), as kernels have it."""
        by_point = np.ascontiguousarray(gradient.T, dtype=np.float64)
        return cls(name, formula, role, float(cost), by_point)

    def scaled(self, factor: float, symbol: str) -> CostTerm:
        """Return the term multiplied by a number, which the formula calls ``symbol``."""
        return replace(
            self,
            formula=f"{symbol} · [{self.formula}]",
            cost=factor * self.cost,
            gradient=factor * self.gradient,
        )
