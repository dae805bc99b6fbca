"""A linear discriminant of few labels: class means and one shrunk covariance.

    log p_k(x) = const + x·Σ⁻¹m_k − ½ m_k·Σ⁻¹m_k

on the principal components of all points (:mod:`nbembed.propagation.components`). Σ is the
covariance within classes, shrunk towards a multiple of the identity as far as Ledoit and Wolf
(2004) find best, so that a few labels in 50 dimensions are enough. Classes have equal priors: how
many labels each has says nothing about its size.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.covariance import ledoit_wolf

from nbembed.propagation.components import components

#: Added to the variances within classes, as a share of the mean variance of all points: labels of
#: a class may be copies of each other.
LEAST = 1e-6


class Discriminant:
    """Linear discriminant analysis on checked data, dense or sparse, for any of its points."""

    def __init__(self, X: Any) -> None:
        self._X = X
        self._Z: NDArray[np.float64] | None = None

    def probabilities(
        self,
        points: NDArray[np.intp],
        classes: NDArray[np.intp],
        confidence: NDArray[np.float64],
        n_classes: int,
        asked: NDArray[np.intp] | None = None,
    ) -> NDArray[np.float64]:
        """Return class probabilities of the points ``asked``, of all by default.

        Arguments are those of :meth:`nbembed.propagation.linear.LinearClassifier.probabilities`.
        """
        if self._Z is None:  # when labels first tell: components of many points take a second
            Z = components(self._X)
            # In units near their spread, a power of two, so that no product of four overflows.
            self._Z = np.ldexp(Z, -np.frexp(Z.std())[1])
        Z, width = self._Z, self._Z.shape[1]
        present, codes = np.unique(classes, return_inverse=True)
        total = np.bincount(codes, confidence)
        means = np.zeros((present.size, width))
        np.add.at(means, codes, confidence[:, None] * Z[points])
        means /= total[:, None]
        variance = float(Z.var(axis=0).mean())
        free = confidence.sum() - present.size
        covariance = variance * np.eye(width)
        if free > 0:
            within = np.sqrt(confidence)[:, None] * (Z[points] - means[codes])
            shrunk, _ = ledoit_wolf(within, assume_centered=True)
            covariance = LEAST * covariance + shrunk * (points.size / free)
        slopes = np.linalg.solve(covariance, means.T)
        offsets = -0.5 * np.einsum("kj,jk->k", means, slopes)
        out = np.zeros((Z.shape[0] if asked is None else asked.size, n_classes))
        where = Z if asked is None else Z[asked]
        out[:, present] = softmax(where @ slopes + offsets, axis=1)
        return out
