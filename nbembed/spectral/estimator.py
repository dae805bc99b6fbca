"""SpectralEstimator: scikit-learn's face of the linear learners, which solve in closed form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from nbembed.data.estimator_input import chunk_by_chunk
from nbembed.data.matrix_input import check_magnitude
from nbembed.methods.estimator import Estimator
from nbembed.spectral.costs import LabelGroups
from nbembed.spectral.recipe import SpectralRecipe
from nbembed.spectral.solve import Eigensolution
from nbembed.supervision import Supervision
from nbembed.system.blas import one_blas_thread


class SpectralEstimator(Estimator):
    """Base of the estimators of a linear map by an eigenproblem.

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Aᵀ: the axes in the data's features, best first.
    mean_ : ndarray of shape (n_features,)
        Subtracted from the data before they are projected.
    eigenvalues_ : ndarray of shape (n_components,)
        The cost of each axis under its constraint, ascending; for learners that maximize, its gain,
        descending.
    informed_ : ndarray of bool, shape (n_components,)
        Whether the constraint sees the axis: FDA of K classes has K − 1 such axes. Further ones
        are those of least cost, scaled to the scatter of the informed ones.
    n_pca_ : int
        Number of principal directions of the data that the problem was solved in.
    cost_ : float
        ``tr Aᵀ(W)A``: f_ℓ + γ f_u, or minus the gain of a learner that maximizes.
    embedding_ : ndarray of shape (n_samples, n_components), float32
    supervision_ : Supervision
    """

    recipe_type: ClassVar[type[SpectralRecipe]]
    recipe: SpectralRecipe
    # A closed form has no iterations to report.
    verbose = 0
    callbacks = None

    components_: NDArray[np.float64]
    mean_: NDArray[np.float64]
    eigenvalues_: NDArray[np.float64]
    informed_: NDArray[np.bool_]
    n_pca_: int

    @one_blas_thread()
    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        supervision: Supervision | None = None,
    ) -> Self:
        """Find the axes.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,) or (n_samples, n_classes), optional
            Labels with −1, None or NaN for unlabeled points, or rows of class probabilities with
            NaN rows for unlabeled points.
        supervision : Supervision, optional
            Soft labels, must-links and cannot-links; instead of ``y``. For their effect see
            :mod:`nbembed.spectral.costs`.

        Returns
        -------
        self

        Raises
        ------
        ValueError, TypeError
            Naming the argument that is wrong and what is allowed. ``y``: if the learner needs
            labels, fewer than two classes are labeled and there is no cannot-link.
        """
        data, groups = self._checked(X, y, supervision)
        subspace = self.recipe.make_affinities(data)
        found = self.recipe.solution(subspace, groups)
        self._keep_solution(found, subspace.components, subspace.mean, groups)
        self.embedding_ = self._project(data)
        return self

    @chunk_by_chunk
    @one_blas_thread()
    def transform(self, X: ArrayLike) -> NDArray[np.float32]:
        """Return ``(X − mean_) components_ᵀ``.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_new, n_features)

        Returns
        -------
        ndarray of shape (n_new, n_components), float32
        """
        check_is_fitted(self)
        return self._project(self._validated(X, reset=False))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.recipe.needs_labels
        return tags

    # -- parts -------------------------------------------------------------------------------

    def _checked(
        self, X: ArrayLike, y: ArrayLike | None, supervision: Supervision | None
    ) -> tuple[Any, LabelGroups]:
        """Return checked data and the groups of points, sufficient for this learner."""
        data, checked = self._check_input(X, y, supervision)
        self._check_width(data)
        groups = LabelGroups.of(checked)
        if self.recipe.needs_labels and not groups.sufficient:
            name = type(self).__name__
            if y is None and supervision is None:
                raise ValueError(
                    f"{name} requires y to be passed, but the target y is None; supervision can "
                    "be given instead"
                )
            raise ValueError(
                "y (or supervision) must label points of at least two classes, or hold a "
                f"cannot-link, got {len(groups.classes)}"
            )
        return data, groups

    def _check_width(self, data: Any) -> None:
        dimensions = self.recipe.dimensions
        if dimensions > data.shape[1]:
            raise ValueError(
                f"n_components must be at most the number of features (n_features = "
                f"{data.shape[1]}), got {dimensions}"
            )

    def _keep_solution(
        self,
        solution: Eigensolution,
        components: Callable[[NDArray[Any]], NDArray[np.float64]],
        mean: NDArray[np.float64],
        groups: LabelGroups,
    ) -> None:
        """Set the fitted attributes, ``components`` giving axes in the data's features."""
        self.components_ = np.ascontiguousarray(components(solution.A).T)
        self.mean_ = mean
        self.eigenvalues_ = solution.eigenvalues
        self.informed_ = solution.informed
        self.n_pca_ = len(solution.A)
        self.cost_ = solution.cost
        self.supervision_ = groups.supervision
        self.n_iter_, self.trace_ = 1, []

    def _project(self, X: Any) -> NDArray[np.float32]:
        check_magnitude(X)
        X = X.astype(np.float64, copy=False)
        if sparse.issparse(X):
            Y = X @ self.components_.T - self.components_ @ self.mean_
        else:
            Y = (X - self.mean_) @ self.components_.T
        limit = np.finfo(np.float32).max
        if not (np.abs(Y) <= limit).all():
            raise ValueError(
                f"X must not project to magnitudes above {limit:.3g}, got {np.abs(Y).max():.3g}; "
                "rescale X"
            )
        return np.asarray(Y, dtype=np.float32)
