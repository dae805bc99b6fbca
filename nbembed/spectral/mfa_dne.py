"""MFA and DNE: near points of one class together, near points of different classes apart.

    MFA    C_ℓ = C_I           B = XᵀL(C_E)X
    DNE    C_ℓ = C_I − C_E     B = I

C_I links each labeled point with its k_I nearest of the same class, C_E with its k_E nearest of
other classes; a pair is linked if one is near for the other. (Yan's own MFA counts nearest pairs of
a class for C_E instead of neighbors of a point.) With γ > 0 they are the paper's SS-MFA and SS-DNE.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from numpy.typing import NDArray

from nbembed.spectral.costs import LabelGroups, nearest_between, nearest_within
from nbembed.spectral.graph_recipe import GraphEstimator, GraphRecipe
from nbembed.spectral.graphs import Graph
from nbembed.supervision import Supervision
from nbembed.validation import check_count


@dataclass(frozen=True, eq=False, kw_only=True)
class NearestRecipe(GraphRecipe):
    """Base of MFA's and DNE's recipes; fields as :class:`NearestEstimator`'s parameters."""

    within_neighbors: int = 3
    between_neighbors: int = 3

    def check(self, n_samples: int, supervision: Supervision) -> None:
        """Raise ValueError or TypeError, naming the argument, before any work starts."""
        super().check(n_samples, supervision)
        check_count("within_neighbors", self.within_neighbors)
        check_count("between_neighbors", self.between_neighbors)


@dataclass(frozen=True, eq=False, kw_only=True)
class MFARecipe(NearestRecipe):
    """Recipe of :class:`MFA`; fields as its parameters."""

    summary: ClassVar[str] = "separates classes where they meet"

    def label_cost(self, X: NDArray[Any], groups: LabelGroups) -> Graph:
        """Return C_I."""
        return nearest_within(X, groups, self.within_neighbors)

    def tabled(self, X: NDArray[Any], groups: LabelGroups) -> Graph:
        """Return C_E."""
        return nearest_between(X, groups, self.between_neighbors)


@dataclass(frozen=True, eq=False, kw_only=True)
class DNERecipe(NearestRecipe):
    """Recipe of :class:`DNE`; fields as its parameters."""

    summary: ClassVar[str] = "near points of a class together, of others apart"

    def label_cost(self, X: NDArray[Any], groups: LabelGroups) -> Graph:
        """Return C_I − C_E."""
        near = nearest_within(X, groups, self.within_neighbors)
        return near - nearest_between(X, groups, self.between_neighbors)

    def tabled(self, X: NDArray[Any], groups: LabelGroups) -> None:
        """Return nothing: axes of length one."""


class NearestEstimator(GraphEstimator):
    """Base of MFA and DNE.

    Parameters
    ----------
    within_neighbors : int, default=3
        k_I. It should be small compared with the labeled points of a class.
    between_neighbors : int, default=3
        k_E.
    others
        As in :class:`~nbembed.spectral.graph_recipe.GraphEstimator`.
    """

    recipe_type = NearestRecipe

    def __init__(
        self,
        n_components: int = 2,
        *,
        gamma: float = 0.0,
        power: float = 1.0,
        within_neighbors: int = 3,
        between_neighbors: int = 3,
        n_neighbors: int = 7,
        scale_neighbor: int | None = 7,
        constraint: Any = "tabled",
        epsilon: float | Literal["gamma"] = 1e-12,
        n_pca: int | Literal["auto"] | None = "auto",
    ) -> None:
        self.n_components = n_components
        self.gamma = gamma
        self.power = power
        self.within_neighbors = within_neighbors
        self.between_neighbors = between_neighbors
        self.n_neighbors = n_neighbors
        self.scale_neighbor = scale_neighbor
        self.constraint = constraint
        self.epsilon = epsilon
        self.n_pca = n_pca


class MFA(NearestEstimator):
    """Marginal Fisher analysis; SS-MFA with ``gamma`` > 0.

    Parameters: :class:`NearestEstimator`; attributes:
    :class:`~nbembed.spectral.estimator.SpectralEstimator`.

    References
    ----------
    .. [1] S. Yan et al. (2007), "Graph embedding and extensions: a general framework for
       dimensionality reduction".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> MFA().fit_transform(X, y).shape
    (150, 2)
    """

    recipe_type = MFARecipe


class DNE(NearestEstimator):
    """Discriminant neighborhood embedding; SS-DNE with ``gamma`` > 0.

    Its cost is negative along axes where other classes are farther than a point's own. Parameters:
    :class:`NearestEstimator`; attributes: :class:`~nbembed.spectral.estimator.SpectralEstimator`.

    References
    ----------
    .. [1] W. Zhang et al. (2006), "Discriminant neighborhood embedding for classification".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> DNE().fit_transform(X, y).shape
    (150, 2)
    """

    recipe_type = DNERecipe
