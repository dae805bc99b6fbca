"""PropagationClassifier: label propagation with scikit-learn's interface."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from nbembed.data.estimator_input import chunk_by_chunk, validated_data
from nbembed.data.fitted_rows import FittedRows
from nbembed.data.matrix_input import check_data, check_non_negative
from nbembed.propagation.graph import graph_perplexity, nearest_rows, neighbor_affinities
from nbembed.propagation.incremental import Propagation
from nbembed.propagation.stacking import Stacking
from nbembed.propagation.suggestions import Suggestions
from nbembed.supervision import Supervision, as_supervision
from nbembed.supervision.classes import class_values
from nbembed.supervision.conversion import check_y_or_supervision
from nbembed.supervision.reading import read_labels
from nbembed.validation import check_flag


class PropagationClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Semi-supervised classifier: labels propagate along the neighbor graph.

    Parameters
    ----------
    perplexity : float or "auto", default="auto"
        Of the graph; "auto" is 10, or (n_samples − 1)/3 if that is less.
    neighbor_share : float, default=0.99
        a in [0, 1]: how far labels reach, about 1/(1 − a) steps along the graph.
    class_prior : array-like of shape (n_classes,) or None, default=None
        Masses of the classes; None takes those found, moved halfway to equal ones.
    stacking : bool, default=True
        Mix the probabilities with those of a logistic regression and a linear discriminant, with
        the weights that make left out labels likeliest; propagation keeps all the weight where
        labels are too few to tell. Dissimilarities have no members beside propagation, whose
        weight then says how sure it may be. False is propagation as it is.
    metric : str, callable or LearningMetric, default="euclidean"
    n_jobs : int, optional
        Threads; None is all cores. The result does not depend on it.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    label_distributions_ : ndarray of shape (n_samples, n_classes)
        Class probabilities of the fitted points.
    transduction_ : ndarray of shape (n_samples,)
        The likeliest class of each fitted point.
    suggestions_ : Suggestions
    supervision_ : Supervision
        The labels and links after conversion.
    n_features_in_ : int
    """

    classes_: NDArray[Any]
    label_distributions_: NDArray[np.float64]
    transduction_: NDArray[Any]
    suggestions_: Suggestions
    supervision_: Supervision

    def __init__(
        self,
        perplexity: float | Literal["auto"] = "auto",
        *,
        neighbor_share: float = 0.99,
        class_prior: ArrayLike | None = None,
        stacking: bool = True,
        metric: Any = "euclidean",
        n_jobs: int | None = None,
    ) -> None:
        self.perplexity = perplexity
        self.neighbor_share = neighbor_share
        self.class_prior = class_prior
        self.stacking = stacking
        self.metric = metric
        self.n_jobs = n_jobs

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, supervision: Supervision | None = None
    ) -> Self:
        """Propagate the labels to all points of ``X``.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Or dissimilarities with ``metric="precomputed"``; what a sparse matrix of them does not
            store is far.
        y : array-like of shape (n_samples,) or (n_samples, n_classes), optional
            Labels with -1, None or NaN for unlabeled points, or rows of class probabilities with
            NaN rows for unlabeled points.
        supervision : Supervision, optional
            Labels and links; instead of ``y``.

        Returns
        -------
        self
        """
        if y is None and supervision is None:
            raise ValueError(
                "PropagationClassifier requires y to be passed, but the target y is None; "
                "supervision can be given instead"
            )
        check_y_or_supervision(y, supervision)
        data = check_data(self._validated(X, ensure_min_samples=2), self.metric)
        _check_no_numbers(y)
        labels = as_supervision(y if supervision is None else supervision, data.shape[0])
        # An unfitted learning metric is fitted to the labels.
        learn = getattr(self.metric, "fitted_to", None)
        self._metric = self.metric if learn is None else learn(data, labels)
        stacking = check_flag("stacking", self.stacking)
        made = Propagation(
            neighbor_affinities(data, self.perplexity, self._metric, n_jobs=self.n_jobs),
            perplexity=self.perplexity,
            neighbor_share=self.neighbor_share,
            class_prior=self.class_prior,
            n_jobs=self.n_jobs,
        )
        of = None if self._precomputed else data
        self.suggestions_ = (Stacking(made, of) if stacking else made).update(labels)
        self.supervision_ = labels
        self.classes_ = class_values(labels, len(labels.classes), y)
        self.label_distributions_ = self.suggestions_.probabilities
        self.transduction_ = self.classes_[self.suggestions_.top_class]
        # Of dissimilarities new points bring theirs, so that the fitted ones need not be kept.
        self._fitted = FittedRows(data, distances=True) if self._precomputed else data.copy()
        return self

    @chunk_by_chunk
    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return class probabilities of new points: their neighbors' rows, weighted by affinity.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_new, n_features)
            With ``metric="precomputed"`` dissimilarities to the fitted points; that of a fitted
            point and itself is ignored, as in :meth:`fit`.

        Returns
        -------
        ndarray of shape (n_new, n_classes)
            Columns as ``classes_``; rows sum to one.
        """
        check_is_fitted(self)
        data = self._validated(X, reset=False)
        if self._precomputed:
            data = self._fitted.without_own(data)
        data = check_data(data, min_samples=1)
        if self._precomputed:
            check_non_negative(data)
        perplexity = graph_perplexity(self.perplexity, len(self.label_distributions_))
        fitted = data if self._precomputed else self._fitted
        index, weights, _ = nearest_rows(
            data, perplexity, self._metric, others=fitted, n_jobs=self.n_jobs
        )
        return np.asarray(np.einsum("ik,ikc->ic", weights, self.label_distributions_[index]))

    @chunk_by_chunk
    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the likeliest class of each new point, as values of ``classes_``."""
        proba = self.predict_proba(X)
        return np.asarray(self.classes_[proba.argmax(axis=1)])

    @property
    def _precomputed(self) -> bool:
        return isinstance(self.metric, str) and self.metric == "precomputed"

    def _validated(self, X: Any, **options: Any) -> Any:
        # Dissimilarities need not be finite on their diagonal; the others are checked after this.
        return validated_data(
            self, X, accept_sparse="csr", dtype=[np.float64, np.float32],
            ensure_all_finite=not self._precomputed, **options,
        )  # fmt: skip

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._precomputed
        tags.input_tags.sparse = True
        return tags


def _check_no_numbers(y: Any) -> None:
    """Raise ValueError if y are continuous numbers, in scikit-learn's words."""
    if y is None or isinstance(y, Supervision) or not hasattr(y, "__array__"):
        return
    labels = read_labels(y)
    if labels.ndim == 1 and labels.dtype.kind == "f" and np.isfinite(labels).all():
        try:
            check_classification_targets(labels)
        except ValueError as error:
            raise ValueError(f"y must be class labels: {error}") from None
