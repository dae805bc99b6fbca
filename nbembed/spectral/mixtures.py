"""SELF, SS-FDA and SS-MMC: earlier semi-supervised learners, restated in the framework.

    SELF     minimise tr Aᵀ((1−β)S_lw + βI)A  subject to  Aᵀ((1−β)S_lb + βS_t)A = I
    SS-FDA   minimise tr Aᵀ(S_t + αXᵀLX)A     subject to  AᵀS_bA = I
    SS-MMC   maximise tr Aᵀ(S_b − S_w − αXᵀLX)A  subject to  AᵀA = I

SELF (Sugiyama et al. 2010) is a line between LFDA (β = 0) and PCA (β = 1); its S_t is the scatter
of all points, labeled or not, and not their covariance: the scale matters. SS-FDA and SS-MMC (Song
et al. 2008) join FDA and the maximum margin criterion with the cost of neighborhoods; their S_b,
S_w and ``S_t = S_b + S_w`` are those of the labeled points. So SS-FDA has the axes of FDA with
γ = α. Neither end of these lines sees that a class may have several clusters and that labels are
few at the same time; see the toy problems of :mod:`nbembed.datasets`.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from nbembed.methods.base import LiveParameter
from nbembed.spectral.base import SpectralMethod
from nbembed.spectral.costs import between, local_between, local_within, within
from nbembed.spectral.graph_method import GAMMA, check_graph, neighborhoods
from nbembed.spectral.solve import Problem
from nbembed.validation import check_count

if TYPE_CHECKING:
    from nbembed.spectral.costs import Known
    from nbembed.spectral.points import Points
    from nbembed.supervision import Supervision

ALPHA = replace(
    GAMMA,
    name="alpha",
    symbol="α",
    description="How much the neighborhoods of all points count beside the labels.",
)


class SELF(SpectralMethod):
    """Semi-supervised local Fisher discriminant analysis: between LFDA and PCA.

    Parameters
    ----------
    n_components : int, default=2
    beta : float, default=0.5
        β in [0, 1]: 0 is LFDA, 1 is PCA (with axes of equal scatter).
    scale_neighbor, epsilon, n_pca
        As in :class:`~nbembed.spectral.graph_method.GraphMethod`.

    References
    ----------
    .. [1] M. Sugiyama, T. Idé, S. Nakajima and J. Sese (2010), "Semi-supervised local Fisher
       discriminant analysis for dimensionality reduction".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> y[::2] = -1
    >>> SELF(beta=0.3).fit_transform(X, y).shape
    (150, 2)
    """

    live_parameters: ClassVar[tuple[LiveParameter, ...]] = (
        LiveParameter(
            "beta",
            "β",
            0.0,
            1.0,
            0.5,
            "Between local Fisher discriminant analysis (0) and principal components (1).",
            step=0.01,
            minimum=0.0,
            maximum=1.0,
            needs="links",
        ),
    )

    def __init__(
        self,
        n_components: int = 2,
        *,
        beta: float = 0.5,
        scale_neighbor: int = 7,
        epsilon: float = 1e-12,
        n_pca: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.beta = beta
        self.scale_neighbor = scale_neighbor
        self.epsilon = epsilon
        self.n_pca = n_pca

    def check_parameters(self, n_samples: int, supervision: Supervision) -> None:
        """Raise ValueError or TypeError, naming the argument, before any work starts."""
        super().check_parameters(n_samples, supervision)
        check_count("scale_neighbor", self.scale_neighbor)

    def problem(self, points: Points, known: Known) -> Problem:
        """Return the mixtures of the local scatters with I and S_t."""
        Z, k, beta = points.Z, self.scale_neighbor, self.beta
        local_w, local_b = points.remember(
            ("local scatter", k, known.said),
            lambda: (local_within(Z, known, k).scatter(Z), local_between(Z, known, k).scatter(Z)),
        )
        W = (1 - beta) * local_w + beta * np.eye(points.rank)
        return Problem(W, (1 - beta) * local_b + beta * points.scatter())


class MixedMethod(SpectralMethod):
    """What SS-FDA and SS-MMC share: Fisher's scatters and a cost of neighborhoods."""

    live_parameters: ClassVar[tuple[LiveParameter, ...]] = (ALPHA,)

    alpha: float
    n_neighbors: int
    scale_neighbor: int

    def check_parameters(self, n_samples: int, supervision: Supervision) -> None:
        """Raise ValueError or TypeError, naming the argument, before any work starts."""
        super().check_parameters(n_samples, supervision)
        check_graph(self.n_neighbors, self.scale_neighbor)

    def problem(self, points: Points, known: Known) -> Problem:
        """Return the learner's problem from its three parts."""
        S_w, S_b = points.remember(
            ("scatter", known.said),
            lambda: (within(known).scatter(points.Z), between(known).scatter(points.Z)),
        )
        near = neighborhoods(points, self.n_neighbors, self.scale_neighbor, 1.0)
        return self.mixed(S_w, S_b, near)

    @abstractmethod
    def mixed(self, S_w: np.ndarray, S_b: np.ndarray, near: np.ndarray) -> Problem:
        """Return the problem; ``near`` is XᵀLX of all points' neighborhoods."""


class SSFDA(MixedMethod):
    """Semi-supervised Fisher discriminant analysis of Song et al.

    Parameters
    ----------
    n_components : int, default=2
    alpha : float, default=1.0
        α ≥ 0, the weight of the neighborhoods of all points.
    n_neighbors, scale_neighbor, epsilon, n_pca
        As in :class:`~nbembed.spectral.graph_method.GraphMethod`.

    References
    ----------
    .. [1] Y. Song, F. Nie, C. Zhang and S. Xiang (2008), "A unified framework for semi-supervised
       dimensionality reduction".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> y[::2] = -1
    >>> SSFDA(alpha=0.1).fit_transform(X, y).shape
    (150, 2)
    """

    def __init__(
        self,
        n_components: int = 2,
        *,
        alpha: float = 1.0,
        n_neighbors: int = 7,
        scale_neighbor: int = 7,
        epsilon: float = 1e-12,
        n_pca: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.alpha = alpha
        self.n_neighbors = n_neighbors
        self.scale_neighbor = scale_neighbor
        self.epsilon = epsilon
        self.n_pca = n_pca

    def mixed(self, S_w: np.ndarray, S_b: np.ndarray, near: np.ndarray) -> Problem:
        """Return the total scatter and the neighborhoods against S_b."""
        return Problem(S_w + S_b + self.alpha * near, S_b)


class SSMMC(MixedMethod):
    """Semi-supervised maximum margin criterion of Song et al.

    Parameters
    ----------
    n_components : int, default=2
    alpha : float, default=1.0
        α ≥ 0, the weight of the neighborhoods of all points.
    n_neighbors, scale_neighbor, n_pca
        As in :class:`~nbembed.spectral.graph_method.GraphMethod`.

    Attributes
    ----------
    eigenvalues_ : ndarray of shape (n_components,)
        What each axis gains, descending.

    References
    ----------
    .. [1] Y. Song, F. Nie, C. Zhang and S. Xiang (2008), "A unified framework for semi-supervised
       dimensionality reduction".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> y[::2] = -1
    >>> SSMMC(alpha=0.1).fit_transform(X, y).shape
    (150, 2)
    """

    epsilon: ClassVar[float] = 0.0  # type: ignore[misc]

    def __init__(
        self,
        n_components: int = 2,
        *,
        alpha: float = 1.0,
        n_neighbors: int = 7,
        scale_neighbor: int = 7,
        n_pca: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.alpha = alpha
        self.n_neighbors = n_neighbors
        self.scale_neighbor = scale_neighbor
        self.n_pca = n_pca

    def mixed(self, S_w: np.ndarray, S_b: np.ndarray, near: np.ndarray) -> Problem:
        """Return the margin less the neighborhoods, to be maximised, against the identity."""
        return Problem(S_w + self.alpha * near - S_b, np.eye(len(S_b)), maximizes=True)
