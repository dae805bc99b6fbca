"""PCA and LPP: the learners that use no labels.

    PCA    maximize  tr Aᵀ S_t A   subject to  AᵀA = I,   S_t the scatter of all points
    LPP    minimize  f_u           subject to  Aᵀ XᵀD_uX A = I

with f_u and ``D_u = diag(C_u 1)`` of the heat-kernel graph of all points' nearest neighbors, X
centered. LPP with a power other than one is the paper's LPP*.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from nbembed.methods.live_parameters import LiveParameter
from nbembed.spectral.costs import LabelGroups
from nbembed.spectral.estimator import SpectralEstimator
from nbembed.spectral.graph_recipe import (
    POWER,
    NeighborhoodRecipe,
    check_constraint,
    fixed_constraint,
)
from nbembed.spectral.recipe import SpectralRecipe, principal
from nbembed.spectral.solve import Eigenproblem
from nbembed.spectral.subspace import Subspace
from nbembed.supervision import Supervision


@dataclass(frozen=True, eq=False)
class PCARecipe(SpectralRecipe):
    """Recipe of :class:`PCA`; fields as its parameters."""

    summary: ClassVar[str] = "the directions of most variance"

    @property
    def needs_labels(self) -> bool:
        """No."""
        return False

    def problem(self, subspace: Subspace, groups: LabelGroups) -> Eigenproblem:
        """Return the scatter of all points against the identity."""
        return principal(subspace)


@dataclass(frozen=True, eq=False, kw_only=True)
class LPPRecipe(NeighborhoodRecipe):
    """Recipe of :class:`LPP`; fields as its parameters."""

    summary: ClassVar[str] = "linear; keeps neighbors together"
    power: float = POWER.default
    constraint: Any = "tabled"
    epsilon: float = 1e-12

    live_parameters: ClassVar[tuple[LiveParameter, ...]] = (POWER,)

    @property
    def needs_labels(self) -> bool:
        """No."""
        return False

    def check(self, n_samples: int, supervision: Supervision) -> None:
        """Raise ValueError or TypeError, naming the argument, before any work starts."""
        super().check(n_samples, supervision)
        check_constraint(self.constraint)

    def problem(self, subspace: Subspace, groups: LabelGroups) -> Eigenproblem:
        """Return f_u against XᵀD_uX."""
        B = fixed_constraint(self.constraint, subspace)
        if B is None:
            degree = (self.heat_graph(subspace) ** self.power).degree()
            B = np.asarray(subspace.Z.T @ (degree[:, None] * subspace.Z))
        return Eigenproblem(self.neighborhoods(subspace, self.power), B)


class PCA(SpectralEstimator):
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

    recipe_type = PCARecipe

    def __init__(self, n_components: int = 2) -> None:
        self.n_components = n_components


class LPP(SpectralEstimator):
    """Locality preserving projections; LPP* with ``power`` other than one.

    Parameters
    ----------
    n_components : int, default=2
    power : float, default=1.0
        Hadamard power p > 0 of the neighborhood graph: its entries become a_ijᵖ.
    n_neighbors, scale_neighbor, constraint, epsilon, n_pca
        As in :class:`~nbembed.spectral.graph_recipe.GraphEstimator`; "tabled" is XᵀD_uX.

    References
    ----------
    .. [1] X. He and P. Niyogi (2004), "Locality preserving projections".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> LPP().fit_transform(load_iris().data).shape
    (150, 2)
    """

    recipe_type = LPPRecipe

    def __init__(
        self,
        n_components: int = 2,
        *,
        power: float = 1.0,
        n_neighbors: int = 7,
        scale_neighbor: int | None = 7,
        constraint: Any = "tabled",
        epsilon: float = 1e-12,
        n_pca: int | Literal["auto"] | None = "auto",
    ) -> None:
        self.n_components = n_components
        self.power = power
        self.n_neighbors = n_neighbors
        self.scale_neighbor = scale_neighbor
        self.constraint = constraint
        self.epsilon = epsilon
        self.n_pca = n_pca
