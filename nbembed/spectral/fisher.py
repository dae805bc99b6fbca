"""FDA and LFDA: classes together, classes apart, as wholes or neighborhood by neighborhood.

    FDA    C_ℓ: 1/n_c within class c           C_b: 1/n − 1/n_c within, 1/n between
    LFDA   C_ℓ: a_ij/n_c within class c        C_b: a_ij (1/n − 1/n_c) within, 1/n between

with ``B = XᵀL(C_b)X``: the within- and between-class scatter of Fisher's discriminant analysis, and
their local forms (Sugiyama 2007), by which a class of several clusters need not become one. With
γ > 0 both also use unlabeled points; LFDA is then the paper's SS-LFDA.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from numpy.typing import NDArray

from nbembed.spectral.costs import LabelGroups, between, local_between, local_within, within
from nbembed.spectral.graph_recipe import GraphEstimator, GraphRecipe
from nbembed.spectral.graphs import Graph
from nbembed.supervision import Supervision
from nbembed.validation import check_count


@dataclass(frozen=True, eq=False, kw_only=True)
class FDARecipe(GraphRecipe):
    """Recipe of :class:`FDA`; fields as its parameters."""

    summary: ClassVar[str] = "linear; separates labeled classes"

    def label_cost(self, X: NDArray[Any], groups: LabelGroups) -> Graph:
        """Return 1/n_c within classes."""
        return within(groups)

    def tabled(self, X: NDArray[Any], groups: LabelGroups) -> Graph:
        """Return 1/n − 1/n_c within and 1/n between classes."""
        return between(groups)


@dataclass(frozen=True, eq=False, kw_only=True)
class LFDARecipe(GraphRecipe):
    """Recipe of :class:`LFDA`; fields as its parameters."""

    summary: ClassVar[str] = "FDA for classes of several clusters"
    within_neighbors: int | None = None

    def check(self, n_samples: int, supervision: Supervision) -> None:
        """Raise ValueError or TypeError, naming the argument, before any work starts."""
        super().check(n_samples, supervision)
        if self.within_neighbors is not None:
            check_count("within_neighbors", self.within_neighbors)

    def label_cost(self, X: NDArray[Any], groups: LabelGroups) -> Graph:
        """Return a_ij/n_c within classes."""
        return local_within(X, groups, self.scale_neighbor, self.within_neighbors)

    def tabled(self, X: NDArray[Any], groups: LabelGroups) -> Graph:
        """Return a_ij (1/n − 1/n_c) within and 1/n between classes."""
        return local_between(X, groups, self.scale_neighbor, self.within_neighbors)


class FDA(GraphEstimator):
    """Fisher discriminant analysis; semi-supervised with ``gamma`` > 0.

    With γ = 0 it spans the subspace of linear discriminant analysis. Of K classes K − 1 axes are
    informed; more may be asked for (see ``informed_``). Parameters:
    :class:`~nbembed.spectral.graph_recipe.GraphEstimator`; attributes:
    :class:`~nbembed.spectral.estimator.SpectralEstimator`.

    References
    ----------
    .. [1] R. A. Fisher (1936), "The use of multiple measurements in taxonomic problems".
    .. [2] R. Chatpatanasiri and B. Kijsirikul (2010), "A unified semi-supervised dimensionality
       reduction framework for manifold learning".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> y[::2] = -1
    >>> FDA(gamma=0.1).fit(X, y).transform(X).shape
    (150, 2)
    """

    recipe_type = FDARecipe


class LFDA(GraphEstimator):
    """Local Fisher discriminant analysis; SS-LFDA with ``gamma`` > 0.

    The local scale within a class of fewer than eight labeled points is the distance to its
    farthest one, so with few labels a class is hardly local and LFDA is close to FDA. Attributes:
    :class:`~nbembed.spectral.estimator.SpectralEstimator`.

    Parameters
    ----------
    within_neighbors : int or None, default=None
        With a number k, a_ij is 1 for pairs of which one is among the other's k nearest of the same
        class and 0 for other pairs, as the framework's paper introduces nearby points. None:
        Sugiyama's local scaling.
    others
        As in :class:`~nbembed.spectral.graph_recipe.GraphEstimator`.

    References
    ----------
    .. [1] M. Sugiyama (2007), "Dimensionality reduction of multimodal labeled data by local Fisher
       discriminant analysis".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> LFDA().fit_transform(X, y).shape
    (150, 2)
    """

    recipe_type = LFDARecipe

    def __init__(
        self,
        n_components: int = 2,
        *,
        gamma: float = 0.0,
        power: float = 1.0,
        within_neighbors: int | None = None,
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
        self.n_neighbors = n_neighbors
        self.scale_neighbor = scale_neighbor
        self.constraint = constraint
        self.epsilon = epsilon
        self.n_pca = n_pca
