"""PCA and LPP: the learners that no label reaches.

    PCA    maximise  tr Aᵀ S_t A   subject to  AᵀA = I,   S_t the scatter of all points
    LPP    minimise  f_u           subject to  Aᵀ XᵀD_uX A = I

with f_u and ``D_u = diag(C_u 1)`` of the heat-kernel graph of all points' nearest neighbors, X
centered. LPP with a power other than one is the paper's LPP*.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from nbembed.spectral.base import SpectralMethod, principal
from nbembed.spectral.graph_method import (
    POWER,
    check_constraint,
    check_graph,
    fixed_constraint,
    heat_graph,
    neighborhoods,
)
from nbembed.spectral.solve import Problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nbembed.methods.base import LiveParameter
    from nbembed.spectral.costs import Known
    from nbembed.spectral.points import Points
    from nbembed.supervision import Supervision


class PCA(SpectralMethod):
    """Principal component analysis, as a learner of the framework.

    Parameters
    ----------
    n_components : int, default=2

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components,)
        Scatter (not variance) along each axis, descending.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> PCA().fit_transform(load_iris().data).shape
    (150, 2)
    """

    needs_labels: ClassVar[bool] = False
    epsilon: ClassVar[float] = 0.0  # type: ignore[misc]
    n_pca: ClassVar[None] = None  # type: ignore[misc]

    def __init__(self, n_components: int = 2) -> None:
        self.n_components = n_components

    def problem(self, points: Points, known: Known) -> Problem:
        """Return the scatter of all points against the identity."""
        return principal(points)


class LPP(SpectralMethod):
    """Locality preserving projections; LPP* with ``power`` other than one.

    Parameters
    ----------
    n_components : int, default=2
    power : float, default=1.0
        Hadamard power p > 0 of the neighborhood graph: its entries become a_ijᵖ.
    n_neighbors, scale_neighbor, constraint, epsilon, n_pca
        As in :class:`~nbembed.spectral.graph_method.GraphMethod`; "tabled" is XᵀD_uX.

    References
    ----------
    .. [1] X. He and P. Niyogi (2004), "Locality preserving projections".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> LPP().fit_transform(load_iris().data).shape
    (150, 2)
    """

    needs_labels: ClassVar[bool] = False
    live_parameters: ClassVar[tuple[LiveParameter, ...]] = (POWER,)

    def __init__(
        self,
        n_components: int = 2,
        *,
        power: float = 1.0,
        n_neighbors: int = 7,
        scale_neighbor: int = 7,
        constraint: Any = "tabled",
        epsilon: float = 1e-12,
        n_pca: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.power = power
        self.n_neighbors = n_neighbors
        self.scale_neighbor = scale_neighbor
        self.constraint = constraint
        self.epsilon = epsilon
        self.n_pca = n_pca

    def check_parameters(self, n_samples: int, supervision: Supervision) -> None:
        """Raise ValueError or TypeError, naming the argument, before any work starts."""
        super().check_parameters(n_samples, supervision)
        check_graph(self.n_neighbors, self.scale_neighbor)
        check_constraint(self.constraint)

    def problem(self, points: Points, known: Known) -> Problem:
        """Return f_u against XᵀD_uX."""
        W = neighborhoods(points, self.n_neighbors, self.scale_neighbor, self.power)
        B = fixed_constraint(self.constraint, points)
        return Problem(W, self._degrees(points) if B is None else B)

    def _degrees(self, points: Points) -> NDArray[np.float64]:
        graph = heat_graph(points, self.n_neighbors, self.scale_neighbor) ** self.power
        return np.asarray(points.Z.T @ (graph.degree()[:, None] * points.Z))
