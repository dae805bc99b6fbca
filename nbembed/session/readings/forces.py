"""The forces on a point of a map, term by term of the cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Force:
    """The effect of a term of the cost on a point.

    Attributes
    ----------
    name : str
        Of the term, such as "attraction".
    formula : str
    role : str
        One of :data:`nbembed.objectives.cost_terms.ROLES`.
    cost : float
        The value of the whole term, in nats.
    vector : ndarray of shape (n_components,)
        −∂J_t/∂y_i, in nats for each unit of the map.
    """

    name: str
    formula: str
    role: str
    cost: float
    vector: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Forces:
    """The forces on a point.

    Attributes
    ----------
    point : int
    equation : str
        The cost, as lines of text; "" where the method does not say.
    terms : tuple of Force
    pinned : bool
        Whether the point stays in place, whatever pulls it.
    """

    point: int
    equation: str
    terms: tuple[Force, ...]
    pinned: bool

    @property
    def cost(self) -> float:
        """The cost that is shown, in nats: the sum of all terms but the optimization's aids."""
        return float(sum(term.cost for term in self.terms if term.role != "aid"))

    @property
    def total(self) -> NDArray[np.float64]:
        """The sum of all forces; zero at rest."""
        total: NDArray[np.float64] = np.sum([term.vector for term in self.terms], axis=0)
        return total
