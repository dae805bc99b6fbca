"""The soft nearest-neighbor classifier: one Gaussian on every labeled example.

    p(x|c_k) ∝ (1/|C_k|) Σ_{m∈C_k} exp(−½ (x − x_m)ᵀ Σ⁻¹ (x − x_m))                         (eq. 19)

appendix D of "Parametric Embedding for Class Visualization": Σ is the covariance of the whole set,
labeled or not, and the same for all examples. (The paper has as many examples of each class and
need not divide by |C_k|.) Where Σ is singular (a pixel that is always black) the directions
without variance are left out.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
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

#: Pairs of a point and an example in memory at a time.
PAIRS = 2**21
#: Directions of less than this share of the largest variance count as without any.
FLAT = 1e-9


class SoftNearestNeighbor(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A mixture of equal Gaussians for each class, one on every labeled example.

    Parameters
    ----------
    class_prior : None, "empirical" or array of shape (n_classes,), default=None
        p(c_k): equal, the shares of the labels, or given.
    shrinkage : float, default=0.0
        In [0, 1]: Σ ← (1 − s) Σ + s·(tr Σ/D) I. More shrinkage gives directions of little variance
        less weight.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    examples_ : ndarray of shape (n_examples, n_directions)
        Labeled examples in coordinates of variance one, class by class.
    n_features_in_ : int

    Notes
    -----
    O(n_samples · n_examples) time for posteriors, a block at a time. Unlike most classifiers it
    learns from unlabeled data too: their share in Σ.

    Examples
    --------
    >>> X = [[0.0], [1.0], [5.0], [6.0], [2.0]]
    >>> SoftNearestNeighbor().fit(X, [0, 0, 1, 1, -1]).predict([[1.5]])
    array([0])
    """

    #: Rows labeled −1 may be given to ``fit``.
    takes_unlabeled: ClassVar[bool] = True

    def __init__(
        self, class_prior: ArrayLike | str | None = None, *, shrinkage: float = 0.0
    ) -> None:
        self.class_prior = class_prior
        self.shrinkage = shrinkage

    @one_blas_thread()
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Remember the labeled examples and measure the covariance of all.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            −1 for an unlabeled point.
        sample_weight : array-like of shape (n_samples,), optional
            How often each point counts, in its class and in the covariance.

        Raises
        ------
        ValueError
            Naming what is wrong.
        """
        data = validated_data(self, X, dtype=np.float64)
        y = validated_labels(self, y, len(data))
        check_magnitude(data)
        shrinkage = check_real("shrinkage", self.shrinkage, low=0, high=1)
        weights = validated_weights(sample_weight, data)
        labeled = y != -1 if y.dtype.kind in "iuf" else np.ones(y.size, bool)
        labeled &= weights > 0
        self.classes_, codes = np.unique(y[labeled], return_inverse=True)
        K = self.classes_.size
        if K == 0:
            raise ValueError("y must label at least one point")
        self._center = np.average(data, axis=0, weights=weights)
        self._whitening = whitening(data - self._center, weights, shrinkage)
        order = np.argsort(codes, kind="stable")
        self.examples_ = (data[labeled][order] - self._center) @ self._whitening
        self._starts = np.searchsorted(codes[order], np.arange(K))
        own = weights[labeled][order]
        sums = np.add.reduceat(own, self._starts)
        self._log_weights = np.log(own) - np.log(np.repeat(sums, self._sizes()))
        self.class_log_prior_ = np.log(self._priors(K, sums))
        return self

    def _sizes(self) -> NDArray[np.intp]:
        return np.diff(np.append(self._starts, len(self.examples_)))

    def _priors(self, K: int, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.class_prior is None:
            return np.full(K, 1 / K)
        if isinstance(self.class_prior, str):
            if self.class_prior != "empirical":
                raise ValueError(
                    'class_prior must be None, "empirical" or an array, '
                    f"got {shown(self.class_prior)}"
                )
            return np.asarray(sums / sums.sum())
        return check_class_prior(self.class_prior, K)

    @chunk_by_chunk
    @one_blas_thread()
    def predict_log_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return log p(c_k|x), shape (n_samples, n_classes), without underflow for far points."""
        check_is_fitted(self)
        data = validated_data(self, X, dtype=np.float64, reset=False)
        check_magnitude(data)
        examples = self.examples_
        squares = np.sum(examples * examples, axis=1)
        joint = np.empty((len(data), self.classes_.size))
        block = max(1, PAIRS // max(len(examples), 1))
        for first in range(0, len(data), block):
            points = (data[first : first + block] - self._center) @ self._whitening
            # ½‖point‖² is the same for all examples.
            scores = points @ examples.T - 0.5 * squares + self._log_weights
            for k, (start, size) in enumerate(zip(self._starts, self._sizes())):
                joint[first : first + block, k] = logsumexp(scores[:, start : start + size], axis=1)
        joint += self.class_log_prior_
        return np.asarray(joint - logsumexp(joint, axis=1, keepdims=True))

    @chunk_by_chunk
    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return p(c_k|x), shape (n_samples, n_classes)."""
        return np.asarray(np.exp(self.predict_log_proba(X)))

    @chunk_by_chunk
    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the most probable class of each point."""
        best = self.predict_log_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[best])


def whitening(
    X: NDArray[np.float64], weights: NDArray[np.float64], shrinkage: float
) -> NDArray[np.float64]:
    """Return W with W Wᵀ = Σ⁺ (pseudoinverse), Σ the shrunk covariance of centered data."""
    D = X.shape[1]
    covariance = (X.T * weights) @ X / weights.sum()
    mean = float(np.trace(covariance)) / D
    covariance *= 1 - shrinkage
    covariance[np.diag_indices(D)] += shrinkage * mean
    values, vectors = np.linalg.eigh(covariance)
    keep = values > FLAT * max(float(values[-1]), 1e-300)
    return np.asarray(vectors[:, keep] / np.sqrt(values[keep]))
