"""Multinomial naive Bayes for counts, its smoothing chosen by leaving documents out.

    p(x|c_k) ∝ Π_j θ_kj^{x_j}                                                              (eq. 17)
    θ_kj = (Σ_{n∈C_k} x_nj + λ_k) / (T_k + λ_k V)                                          (eq. 18)

appendix C of "Parametric Embedding for Class Visualization": T_k is the number of tokens of class k
(the paper says pages, with which θ_k would not sum to one), V the number of word types. λ_k is the
smoothing under which the class's documents are most probable when each is judged by the others:

    max_λ Σ_{n∈C_k} Σ_j x_nj log [(S_kj − x_nj + λ) / (T_k − t_n + λV)]

with S_kj = Σ_n x_nj the class's count of word j and t_n = Σ_j x_nj the length of a document.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from nbembed.data.class_probabilities import check_class_prior
from nbembed.data.estimator_input import (
    chunk_by_chunk,
    validated_data,
    validated_labels,
    validated_weights,
)
from nbembed.data.matrix_input import check_magnitude
from nbembed.system.blas import one_blas_thread
from nbembed.validation import check_real, shown

#: Bounds of log λ and size of the grid from which the search starts.
LOW, HIGH, GRID = np.log(1e-6), np.log(1e4), 24


class NaiveBayes(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Multinomial naive Bayes with a smoothing for each class.

    Parameters
    ----------
    smoothing : "leave-one-out" or float, default="leave-one-out"
        λ_k > 0, one for all classes, or for each class the one that maximizes the leave-one-out
        likelihood of its documents. A class of one document takes λ = 1.
    class_prior : array of shape (n_classes,), optional
        p(c_k), positive, summing to one; by default the shares of the documents.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    smoothing_ : ndarray of shape (n_classes,)
        λ_k.
    log_theta_ : ndarray of shape (n_classes, n_features)
        log θ_kj.
    class_log_prior_ : ndarray of shape (n_classes,)
    n_features_in_ : int

    Notes
    -----
    O(number of counts) time and memory for a fit, dense θ aside.

    Examples
    --------
    >>> X = [[3, 0, 1], [2, 0, 0], [0, 4, 1], [0, 2, 2]]
    >>> NaiveBayes().fit(X, [0, 0, 1, 1]).predict([[1, 0, 0]])
    array([0])
    """

    def __init__(
        self,
        smoothing: float | str = "leave-one-out",
        *,
        class_prior: ArrayLike | None = None,
    ) -> None:
        self.smoothing = smoothing
        self.class_prior = class_prior

    @one_blas_thread()
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from counts.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Counts, or any weights of words ≥ 0.
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            How often each document counts.

        Raises
        ------
        ValueError
            Naming what is wrong.
        """
        data = self._validated(X)
        y = validated_labels(self, y, data.shape[0])
        check_magnitude(data)
        counts = _counts(data)
        weights = validated_weights(sample_weight, data)
        self.classes_, codes = np.unique(y, return_inverse=True)
        K, V = self.classes_.size, counts.shape[1]
        own = sparse.csr_array((weights, (codes, np.arange(codes.size))), shape=(K, codes.size))
        self._tokens = np.asarray((own @ counts).toarray())
        self._documents = np.bincount(codes, weights, minlength=K)
        if (self._documents == 0).any():
            empty = self.classes_[self._documents == 0][0]
            raise ValueError(f"sample_weight must not be zero for all points of class {empty!r}")
        if isinstance(self.smoothing, str):
            if self.smoothing != "leave-one-out":
                raise ValueError(
                    'smoothing must be "leave-one-out" or a number above 0, '
                    f"got {shown(self.smoothing)}"
                )
            self.smoothing_ = np.array(
                [
                    best_smoothing(counts[codes == k], weights[codes == k], self._tokens[k])
                    for k in range(K)
                ]
            )
        else:
            value = check_real("smoothing", self.smoothing, low=0, open_low=True)
            self.smoothing_ = np.full(K, value)
        smoothed = self._tokens + self.smoothing_[:, None]
        self.log_theta_ = np.log(smoothed) - np.log(smoothed.sum(axis=1, keepdims=True))
        self.class_log_prior_ = np.log(self._priors(K))
        self._V = V
        return self

    def _priors(self, K: int) -> NDArray[np.float64]:
        if self.class_prior is None:
            return np.asarray(self._documents / self._documents.sum())
        return check_class_prior(self.class_prior, K)

    def _validated(self, X: Any, **options: Any) -> Any:
        return validated_data(self, X, accept_sparse="csr", dtype=np.float64, **options)

    def _joint(self, X: Any) -> NDArray[np.float64]:
        check_is_fitted(self)
        counts = _counts(self._validated(X, reset=False))
        return np.asarray(counts @ self.log_theta_.T + self.class_log_prior_)

    @chunk_by_chunk
    @one_blas_thread()
    def predict_log_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return log p(c_k|x), shape (n_samples, n_classes); never computed from p itself."""
        return _normalized(self._joint(X))

    @chunk_by_chunk
    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return p(c_k|x), shape (n_samples, n_classes)."""
        return np.asarray(np.exp(self.predict_log_proba(X)))

    @chunk_by_chunk
    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the most probable class of each document."""
        best = self._joint(X).argmax(axis=1)
        return np.asarray(self.classes_[best])

    def leave_one_out_proba(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> NDArray[np.float64]:
        """Return leave-one-out posteriors p(c_k|x_n) of the training documents.

        Parameters
        ----------
        X, y, sample_weight
            As given to :meth:`fit`. The smoothing is not chosen anew.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            The only document of a class has probability zero of it.
        """
        joint = self._joint(X)
        counts = _counts(self._validated(X, reset=False))
        weights = validated_weights(sample_weight, counts)
        codes = np.searchsorted(self.classes_, np.asarray(y))
        if codes.shape != (counts.shape[0],) or (codes == self.classes_.size).any():
            raise ValueError(
                f"y must have a label among classes_ for each of the {counts.shape[0]} documents"
            )
        n = np.arange(codes.size)
        # Of a document that counts several times, one is left out.
        weights = np.minimum(weights, 1)
        rows = np.repeat(n, np.diff(counts.indptr))
        own = codes[rows]
        rest = self._tokens[own, counts.indices] - weights[rows] * counts.data
        smoothing = self.smoothing_
        each = counts.data * np.log(np.maximum(rest, 0) + smoothing[own])
        lengths = np.bincount(rows, counts.data, minlength=codes.size)
        tokens = self._tokens.sum(axis=1)[codes] - weights * lengths
        words = np.bincount(rows, each, minlength=codes.size)
        words -= lengths * np.log(np.maximum(tokens, 0) + smoothing[codes] * self._V)
        with np.errstate(divide="ignore"):
            if self.class_prior is None:
                left = self._documents[codes] - weights
                all_but_one = self._documents.sum() - weights
                others = np.log(self._documents)[None] - np.log(all_but_one)[:, None]
                joint += others - self.class_log_prior_
                prior = np.log(np.maximum(left, 0)) - np.log(all_but_one)
            else:
                prior = np.where(
                    self._documents[codes] - weights > 0, self.class_log_prior_[codes], -np.inf
                )
        joint[n, codes] = words + prior
        return np.asarray(np.exp(_normalized(joint)))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True  # on data other than counts
        return tags


def best_smoothing(counts: Any, weights: NDArray[Any], tokens: NDArray[Any]) -> float:
    """Return λ of a class by the likelihood of its documents, each left out in turn.

    * Shapes: weights (n_documents,).
    * counts (n_documents, n_words): the class's own documents.
    * tokens (n_words,): weighted sum of ``counts``.
    """
    lengths = np.asarray(counts.sum(axis=1)).ravel()
    total, V = float(tokens.sum()), tokens.size
    # A weight of several is several documents, of which one is left out.
    once = np.minimum(weights, 1)
    left = np.maximum(total - once * lengths, 0)
    if weights.sum() <= 1 or not (left[weights > 0] > 0).any():
        return 1.0
    rows = np.repeat(np.arange(lengths.size), np.diff(counts.indptr))
    rest = np.maximum(tokens[counts.indices] - once[rows] * counts.data, 0)
    exponents = weights[rows] * counts.data
    lengths = weights * lengths

    def loss(log_smoothing: float) -> float:
        smoothing = np.exp(log_smoothing)
        gained = exponents @ np.log(rest + smoothing)
        return float(lengths @ np.log(left + smoothing * V) - gained)

    grid = np.linspace(LOW, HIGH, GRID)
    best = int(np.argmin([loss(point) for point in grid]))
    bounds = grid[max(best - 1, 0)], grid[min(best + 1, GRID - 1)]
    found = minimize_scalar(loss, bounds=bounds, method="bounded", options={"xatol": 1e-4})
    return float(np.exp(found.x))


def _counts(X: Any) -> Any:
    counts = sparse.csr_array(X)
    if counts.nnz and counts.data.min() < 0:
        raise ValueError(
            "Negative values in data passed to NaiveBayes: X must be non-negative counts, got "
            f"{counts.data.min()}"
        )
    return counts


def _normalized(joint: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(joint - logsumexp(joint, axis=1, keepdims=True))
