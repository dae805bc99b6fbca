"""A linear classifier of few labels: multinomial logistic regression in the data's own scale.

    minimize  Σ_i c_i (log Σ_k exp s_ik − s_i,k(i)) + ‖W‖²/(2 C),   s_i = W x_i + b

x is the data without its mean, divided by the square root of its total variance, so that C = 100
means the same for all data. Only the span of the labeled points counts, so that W has at most as
many columns as there are labels.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import log_softmax, softmax

#: C, the weight of a label against the penalty.
WEIGHT = 100.0
#: The most labels that a fit takes, as many of each class as there are, up to an equal share.
MOST = 300
MAX_ITER = 200
#: The most features: the labeled rows are dense in a fit.
WIDEST = 20_000


class LinearClassifier:
    """Logistic regression on checked data, dense or sparse, for any of its points.

    * useless: whether nothing is learned from the data: they do not vary, are wider than 20 000,
      or so large that their squares overflow, as they may be in metrics that take no squares.
    """

    def __init__(self, X: Any) -> None:
        self._X = X
        n = X.shape[0]
        self._mean = np.asarray(X.mean(axis=0), np.float64).ravel()
        with np.errstate(over="ignore", invalid="ignore"):
            squares = X.multiply(X).sum() if sparse.issparse(X) else np.einsum("ij,ij->", X, X)
            variance = float(squares) / n - float(self._mean @ self._mean)
        flat = not variance > 1e-12 * float(squares) / n
        self.useless = flat or X.shape[1] > WIDEST
        self._scale = 1.0 if flat else variance**-0.5

    def probabilities(
        self,
        points: NDArray[np.intp],
        classes: NDArray[np.intp],
        confidence: NDArray[np.float64],
        n_classes: int,
        asked: NDArray[np.intp] | None = None,
    ) -> NDArray[np.float64]:
        """Return class probabilities of the points ``asked``, of all by default.

        ``classes`` and ``confidence`` are those of the labeled ``points``; confidences are
        weights. A class without a label has probability 0.
        """
        chosen = evenly(classes, MOST)
        points, classes, confidence = points[chosen], classes[chosen], confidence[chosen]
        present, codes = np.unique(classes, return_inverse=True)
        known = self._rows(points)
        mean = known.mean(axis=0)
        basis = np.linalg.qr((known - mean).T)[0]
        weights = _fitted(known @ basis, codes, confidence, present.size)
        out = np.zeros((self._X.shape[0] if asked is None else asked.size, n_classes))
        where = self._product(basis @ weights[:-1], asked) + weights[-1]
        out[:, present] = softmax(where, axis=1)
        return out

    def _rows(self, points: NDArray[np.intp]) -> NDArray[np.float64]:
        rows = self._X[points]
        rows = rows.toarray() if sparse.issparse(rows) else np.asarray(rows)
        return np.asarray((rows - self._mean) * self._scale)

    def _product(self, W: NDArray[Any], asked: NDArray[np.intp] | None) -> NDArray[np.float64]:
        """Return the scaled data times W, without a copy of the data."""
        X = self._X if asked is None else self._X[asked]
        return np.asarray((X @ W - self._mean @ W) * self._scale)


def evenly(classes: NDArray[np.intp], most: int) -> NDArray[np.intp]:
    """Return at most so many places, as many of each class as can be, the same each time."""
    if classes.size <= most:
        return np.arange(classes.size)
    order = np.random.default_rng(0).permutation(classes.size)
    # The first of each class, then the second of each, and so on.
    by_class = order[np.argsort(classes[order], kind="stable")]
    counts = np.unique(classes, return_counts=True)[1]
    rank = np.concatenate([np.arange(count) for count in counts])
    return np.sort(by_class[np.argsort(rank, kind="stable")[:most]])


def _fitted(
    Z: NDArray[np.float64], codes: NDArray[np.intp], confidence: NDArray[np.float64], K: int
) -> NDArray[np.float64]:
    """Return weights (n_features + 1, K), the last row those without features."""
    m, d = Z.shape
    if K == 1:
        return np.zeros((d + 1, 1))
    T = np.zeros((m, K))
    T[np.arange(m), codes] = confidence
    total = T.sum(axis=1, keepdims=True)

    def cost(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        W = flat.reshape(d + 1, K)
        log_p = log_softmax(Z @ W[:-1] + W[-1], axis=1)
        error = total * np.exp(log_p) - T
        gradient = np.vstack([Z.T @ error + W[:-1] / WEIGHT, error.sum(axis=0)])
        value = -float((T * log_p).sum()) + float((W[:-1] ** 2).sum()) / (2 * WEIGHT)
        return value, gradient.ravel()

    found = minimize(
        cost,
        np.zeros((d + 1) * K),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": MAX_ITER, "ftol": 1e-6},
    )
    return np.asarray(found.x).reshape(d + 1, K)
