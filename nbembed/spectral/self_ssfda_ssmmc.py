"""SELF, SS-FDA and SS-MMC: earlier semi-supervised learners, restated in the framework.

    SELF     minimize tr Aᵀ((1−ω)S_lw + ωI)A  subject to  Aᵀ((1−ω)S_lb + ωS_t)A = I
    SS-FDA   minimize tr Aᵀ(S_t + γXᵀLX)A     subject to  AᵀS_bA = I
    SS-MMC   maximize tr Aᵀ(S_b − S_w − γXᵀLX)A  subject to  AᵀA = I

SELF (Sugiyama et al. 2010, with β for our ω) interpolates between LFDA (ω = 0) and PCA (ω = 1); its
S_t is the scatter of all points, labeled or not, and not their covariance: the scale matters.
SS-FDA and SS-MMC (Song et al. 2008, with α for our γ) join FDA and the maximum margin criterion
with the cost of neighborhoods; their S_b, S_w and ``S_t = S_b + S_w`` are those of the labeled
points. So SS-FDA has the axes of FDA with the same γ. On the toy problems of
:mod:`nbembed.datasets`, whose classes have several clusters, neither SELF nor SS-FDA finds the axis
from few labels at any ω or γ. SS-MMC does where γ is large, although the paper says otherwise.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from nbembed.methods.live_parameters import LiveParameter
from nbembed.spectral.costs import (
    LabelGroups,
    between,
    check_scale_neighbor,
    local_between,
    local_within,
    within,
)
from nbembed.spectral.estimator import SpectralEstimator
from nbembed.spectral.graph_recipe import GAMMA, NeighborhoodRecipe
from nbembed.spectral.recipe import SpectralRecipe
from nbembed.spectral.solve import Eigenproblem
from nbembed.spectral.subspace import Subspace
from nbembed.supervision import Supervision


@dataclass(frozen=True, eq=False, kw_only=True)
class SELFRecipe(SpectralRecipe):
    """Recipe of :class:`SELFDA`; fields as its parameters."""

    summary: ClassVar[str] = "between LFDA and PCA, for few labels"
    pca_weight: float = 0.5
    scale_neighbor: int | None = 7
    epsilon: float = 1e-12
    n_pca: int | Literal["auto"] | None = "auto"

    renamed: ClassVar[Mapping[str, str]] = {"beta": "pca_weight"}
    live_parameters: ClassVar[tuple[LiveParameter, ...]] = (
        LiveParameter(
            "pca_weight",
            "ω",
            0.0,
            1.0,
            0.5,
            "Share of principal components: 0 is local Fisher discriminant analysis, 1 is PCA.",
            step=0.01,
            minimum=0.0,
            maximum=1.0,
            needs="links",
        ),
    )

    def check(self, n_samples: int, supervision: Supervision) -> None:
        """Raise ValueError or TypeError, naming the argument, before any work starts."""
        super().check(n_samples, supervision)
        check_scale_neighbor(self.scale_neighbor)

    def problem(self, subspace: Subspace, groups: LabelGroups) -> Eigenproblem:
        """Return the mixtures of the local scatters with I and S_t."""
        Z, k, share = subspace.Z, self.scale_neighbor, self.pca_weight
        local_w, local_b = subspace.cached(
            ("local scatter", k, groups.supervision),
            lambda: (local_within(Z, groups, k).scatter(Z), local_between(Z, groups, k).scatter(Z)),
        )
        W = (1 - share) * local_w + share * np.eye(subspace.rank)
        return Eigenproblem(W, (1 - share) * local_b + share * subspace.scatter())


@dataclass(frozen=True, eq=False, kw_only=True)
class FisherNeighborhoodRecipe(NeighborhoodRecipe):
    """Base of SS-FDA's and SS-MMC's recipes: Fisher's scatters and a cost of neighborhoods."""

    gamma: float = 1.0

    renamed: ClassVar[Mapping[str, str]] = {"alpha": "gamma"}
    live_parameters: ClassVar[tuple[LiveParameter, ...]] = (GAMMA,)

    def problem(self, subspace: Subspace, groups: LabelGroups) -> Eigenproblem:
        """Return the learner's problem from its three parts."""
        S_w, S_b = subspace.cached(
            ("scatter", groups.supervision),
            lambda: (within(groups).scatter(subspace.Z), between(groups).scatter(subspace.Z)),
        )
        return self.combined(S_w, S_b, self.neighborhoods(subspace))

    @abstractmethod
    def combined(
        self, S_w: NDArray[np.float64], S_b: NDArray[np.float64], near: NDArray[np.float64]
    ) -> Eigenproblem:
        """Return the problem; ``near`` is XᵀLX of all points' neighborhoods."""


@dataclass(frozen=True, eq=False, kw_only=True)
class SSFDARecipe(FisherNeighborhoodRecipe):
    """Recipe of :class:`SSFDA`; fields as its parameters."""

    summary: ClassVar[str] = "FDA that keeps neighborhoods, for few labels"
    epsilon: float | Literal["gamma"] = 1e-12

    def combined(
        self, S_w: NDArray[np.float64], S_b: NDArray[np.float64], near: NDArray[np.float64]
    ) -> Eigenproblem:
        """Return the total scatter and the neighborhoods against S_b."""
        return Eigenproblem(S_w + S_b + self.gamma * near, S_b)


@dataclass(frozen=True, eq=False, kw_only=True)
class SSMMCRecipe(FisherNeighborhoodRecipe):
    """Recipe of :class:`SSMMC`; fields as its parameters."""

    summary: ClassVar[str] = "widest margin between class means, for few labels"

    def combined(
        self, S_w: NDArray[np.float64], S_b: NDArray[np.float64], near: NDArray[np.float64]
    ) -> Eigenproblem:
        """Return the margin less the neighborhoods, maximized, against the identity."""
        return Eigenproblem(S_w + self.gamma * near - S_b, np.eye(len(S_b)), maximizes=True)


class SELFDA(SpectralEstimator):
    """SELF, semi-supervised local Fisher discriminant analysis: between LFDA and PCA.

    ``SELF`` is another name of the class. Pipelines call their steps by the class, and scikit-learn
    cannot take one that is called "self".

    Parameters
    ----------
    n_components : int, default=2
    pca_weight : float, default=0.5
        ω in [0, 1]: 0 is LFDA, 1 is PCA (with axes of equal scatter).
    scale_neighbor, epsilon, n_pca
        As in :class:`~nbembed.spectral.graph_recipe.GraphEstimator`.

    References
    ----------
    .. [1] M. Sugiyama, T. Idé, S. Nakajima and J. Sese (2010), "Semi-supervised local Fisher
       discriminant analysis for dimensionality reduction".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> y[::2] = -1
    >>> SELFDA(pca_weight=0.3).fit_transform(X, y).shape
    (150, 2)
    """

    recipe_type = SELFRecipe

    def __init__(
        self,
        n_components: int = 2,
        *,
        pca_weight: float = 0.5,
        scale_neighbor: int | None = 7,
        epsilon: float = 1e-12,
        n_pca: int | Literal["auto"] | None = "auto",
    ) -> None:
        self.n_components = n_components
        self.pca_weight = pca_weight
        self.scale_neighbor = scale_neighbor
        self.epsilon = epsilon
        self.n_pca = n_pca


#: The name of the paper.
SELF = SELFDA


class SSFDA(SpectralEstimator):
    """Semi-supervised Fisher discriminant analysis of Song et al.

    Parameters
    ----------
    n_components : int, default=2
    gamma : float, default=1.0
        γ ≥ 0, the weight of the neighborhoods of all points.
    n_neighbors, scale_neighbor, epsilon, n_pca
        As in :class:`~nbembed.spectral.graph_recipe.GraphEstimator`.

    References
    ----------
    .. [1] Y. Song, F. Nie, C. Zhang and S. Xiang (2008), "A unified framework for semi-supervised
       dimensionality reduction".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> y[::2] = -1
    >>> SSFDA(gamma=0.1).fit_transform(X, y).shape
    (150, 2)
    """

    recipe_type = SSFDARecipe

    def __init__(
        self,
        n_components: int = 2,
        *,
        gamma: float = 1.0,
        n_neighbors: int = 7,
        scale_neighbor: int | None = 7,
        epsilon: float | Literal["gamma"] = 1e-12,
        n_pca: int | Literal["auto"] | None = "auto",
    ) -> None:
        self.n_components = n_components
        self.gamma = gamma
        self.n_neighbors = n_neighbors
        self.scale_neighbor = scale_neighbor
        self.epsilon = epsilon
        self.n_pca = n_pca


class SSMMC(SpectralEstimator):
    """Semi-supervised maximum margin criterion of Song et al.

    Parameters and reference: :class:`SSFDA`, without ``epsilon``: the constraint is never singular.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components,)
        The gain of each axis, descending.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> y[::2] = -1
    >>> SSMMC(gamma=0.1).fit_transform(X, y).shape
    (150, 2)
    """

    recipe_type = SSMMCRecipe

    def __init__(
        self,
        n_components: int = 2,
        *,
        gamma: float = 1.0,
        n_neighbors: int = 7,
        scale_neighbor: int | None = 7,
        n_pca: int | Literal["auto"] | None = "auto",
    ) -> None:
        self.n_components = n_components
        self.gamma = gamma
        self.n_neighbors = n_neighbors
        self.scale_neighbor = scale_neighbor
        self.n_pca = n_pca
