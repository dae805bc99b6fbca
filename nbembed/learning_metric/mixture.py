"""The mixture of labeled Gaussians behind the learning metric, and its maximum-likelihood fit.

    p(c|x) = Σ_k β_ck φ_k(x) / Σ_k φ_k(x),   φ_k(x) = exp(−‖x − m_k‖²/2σ²),   Σ_c β_ck = 1

("Supervised nonlinear dimensionality reduction by neighbor retrieval", section 2.1). Centroids m
and class probabilities β are fitted by conjugate gradients to maximize ``Σ_i Σ_c t_ic log
p(c|x_i)``, t the rows of class probabilities of the labeled points; β is a softmax of free numbers
η, which keeps its columns on the simplex. With w_ik = φ_k/Σφ, r_ic = t_ic/p(c|x_i) and
u_ik = w_ik (Σ_c r_ic β_ck − 1), the derivatives of the sum are

    ∂/∂m_k = σ⁻² Σ_i u_ik (x_i − m_k),   ∂/∂β_ck = Σ_i r_ic w_ik,
    ∂/∂η_ck = β_ck (∂/∂β_ck − Σ_c' β_c'k ∂/∂β_c'k)

Conjugate gradients are the paper's choice and the better one: limited-memory BFGS gains likelihood
faster, but that of held-out points stays lower (by 0.04 to 0.18 nats a point on Letter, by about
0.01 on Satellite, each stopped at its best iteration).

The fit does not go through :class:`nbembed.run.Run`: its parameters are no layout, it is not
steered, and a cross-validation runs many fits in threads, each stopped by its held-out likelihood.

Weights w are taken relative to the largest, so that p is finite however far a point is from all
centroids.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import softmax

from nbembed.kernels.distances import squared_distances

#: Lower bound of p(c|x) in logarithms: float64 cannot represent much less.
LEAST = 1e-300
#: Upper bound of the multiplications in a matrix product, which keeps it on one thread: the threads
#: of BLAS stall for milliseconds on a busy machine, and a fit has hundreds of products.
WORK = 2**18
#: Sweeps of k-means for the start.
SWEEPS = 20


@dataclass(frozen=True)
class Mixture:
    """A mixture of labeled Gaussians.

    * centroids (n_centroids, n_features): m_k.
    * beta (n_classes, n_centroids): β_ck; columns sum to one.
    * width: σ, in units of the data.
    """

    centroids: NDArray[np.float64]
    beta: NDArray[np.float64]
    width: float

    def exponents(self, X: NDArray[Any]) -> NDArray[np.float64]:
        """Return ‖x − m_k‖²/2σ² of each point, the least of each row taken out, (n, K)."""
        center = self.centroids.mean(axis=0)
        D2 = squared_distances(np.asarray(X, np.float64) - center, self.centroids - center)
        D2 -= D2.min(axis=1, keepdims=True)
        # Divided twice: the square of a tiny width would underflow. An infinite exponent is right.
        with np.errstate(over="ignore"):
            D2 /= self.width
            D2 /= 2 * self.width
        return D2

    def weights(self, X: NDArray[Any]) -> NDArray[np.float64]:
        """Return the shares φ_k/Σφ of the Gaussians at each point, (n, K)."""
        w = np.exp(-self.exponents(X))
        w /= w.sum(axis=1, keepdims=True)
        return w

    def log_proba(self, X: NDArray[Any]) -> NDArray[np.float64]:
        """Return log p(c|x), (n, C); at least log :data:`LEAST`."""
        return np.log(np.maximum(self.weights(X) @ self.beta.T, LEAST))

    def tensors(self, X: NDArray[Any]) -> NDArray[np.float64]:
        """Return J(x) = Σ_c p(c|x) b_c b_cᵀ, b_c = σ⁻² (E[m_k|x, c] − E[m_k|x]), (n, D, D)."""
        w = self.weights(X)
        p = np.maximum(w @ self.beta.T, LEAST)
        center = self.centroids - self.centroids.mean(axis=0)
        given_class = np.einsum("ck,ik,kd->icd", self.beta, w, center) / p[:, :, None]
        b = (given_class - (w @ center)[:, None]) / self.width**2
        return np.asarray(np.einsum("ic,icd,ice->ide", p, b, b))


class Start(NamedTuple):
    """Initial centroids, and the class frequencies that smooth the initial β at every width."""

    centroids: NDArray[np.float64]
    frequencies: NDArray[np.float64]


@np.errstate(over="ignore", invalid="ignore")
def loss(
    theta: NDArray[np.float64], X: NDArray[np.float64], T: NDArray[np.float64], n_centroids: int
) -> tuple[float, NDArray[np.float64]]:
    """Return minus the mean log-likelihood and its gradient.

    * theta (n_centroids · (n_features + n_classes),): m/σ, row by row, and then η, row by row.
    * X (n, n_features): points, in units of σ.
    * T (n, n_classes): rows of class probabilities.
    * returns loss: in nats a point.
    * returns gradient shaped like ``theta``: both NaN where squares are too large.
    """
    K, n_features = n_centroids, X.shape[1]
    m = theta[: K * n_features].reshape(K, n_features)
    beta = softmax(theta[m.size :].reshape(-1, K), axis=0)
    half = 0.5 * np.einsum("kd,kd->k", m, m)
    value, by_m, by_beta = 0.0, np.zeros_like(m), np.zeros_like(beta)
    rows = max(16, int(WORK / (K * max(T.shape[1], n_features))))
    for first in range(0, len(X), rows):
        x, t = X[first : first + rows], T[first : first + rows]
        w = x @ m.T  # minus half the squared distance, up to a constant of the row
        w -= half
        w -= w.max(axis=1, keepdims=True)
        np.exp(w, out=w)
        w /= w.sum(axis=1, keepdims=True)
        p = w @ beta.T
        np.maximum(p, LEAST, out=p)
        value -= float(np.sum(t * np.log(p)))
        r = np.divide(t, p, out=p)
        u = r @ beta
        u -= 1
        u *= w
        by_m += u.sum(axis=0)[:, None] * m - u.T @ x
        by_beta -= r.T @ w
    by_eta = beta * (by_beta - np.sum(beta * by_beta, axis=0))
    return value / len(X), np.concatenate([by_m.ravel(), by_eta.ravel()]) / len(X)


def start(
    X: NDArray[np.float64], T: NDArray[np.float64], n_centroids: int, rng: np.random.Generator
) -> Start:
    """Return initial centroids by k-means in each class, or over all points if K is smaller.

    * Shapes: X (n, n_features); T (n, n_classes).
    * n_centroids: at most n. Classes share them by their numbers of points, each getting one at
      least.
    """
    top = T.argmax(axis=1)
    counts = np.bincount(top, minlength=T.shape[1])
    frequencies = T.mean(axis=0)
    if n_centroids < np.count_nonzero(counts):
        return Start(k_means(X, n_centroids, rng), frequencies)
    shares = (counts > 0).astype(int)
    for _ in range(n_centroids - shares.sum()):
        # The next centroid goes to the class with the most points per centroid.
        shares[np.where(shares < counts, counts / np.maximum(shares, 1), -1.0).argmax()] += 1
    parts = [k_means(X[top == c], k, rng) for c, k in enumerate(shares) if k]
    return Start(np.vstack(parts), frequencies)


def k_means(X: NDArray[np.float64], k: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return ``k`` centers: seeds drawn far from each other, then Lloyd's sweeps.

    Plain NumPy on one thread is deterministic; scikit-learn's KMeans adds up in the order in which
    threads finish.
    """
    centers = np.empty((k, X.shape[1]))
    centers[0] = X[rng.integers(len(X))]
    nearest = np.full(len(X), np.inf)
    for i in range(1, k):
        np.minimum(nearest, np.sum(np.square(X - centers[i - 1]), axis=1), out=nearest)
        total = nearest.sum()
        chosen = rng.choice(len(X), p=nearest / total) if total > 0 else rng.integers(len(X))
        centers[i] = X[chosen]
    owner = np.full(len(X), -1)
    for _ in range(SWEEPS if k > 1 else 1):
        D2 = squared_distances(X, centers)
        before, owner = owner, D2.argmin(axis=1)
        if np.array_equal(before, owner):
            break
        sizes = np.bincount(owner, minlength=k)
        sums = np.zeros_like(centers)
        np.add.at(sums, owner, X)
        filled = sizes > 0
        centers[filled] = sums[filled] / sizes[filled, None]
    return centers


def descend(
    X: NDArray[np.float64],
    T: NDArray[np.float64],
    begin: Start,
    width: float,
    max_iter: int,
    watch: Callable[[NDArray[np.float64]], bool] = lambda theta: False,
) -> NDArray[np.float64]:
    """Return the parameters (see :func:`loss`) at the end of conjugate gradients.

    ``X`` (n, n_features) are labeled points, centered, and ``T`` (n, n_classes) their class
    probabilities. ``watch`` is called with the parameters at the start and after each iteration;
    True ends the fit.
    """
    K = len(begin.centroids)
    theta = np.concatenate([(begin.centroids / width).ravel(), _eta(X, T, begin, width).ravel()])
    if max_iter < 1 or watch(theta):
        return theta

    def after(theta: NDArray[np.float64]) -> None:
        if watch(theta):
            raise StopIteration

    found: Any = minimize(
        loss,
        theta,
        args=(X / width, T, K),
        jac=True,
        method="CG",
        callback=after,
        options={"maxiter": max_iter, "gtol": 1e-6},
    )
    return np.asarray(found.x)


def fit(
    X: NDArray[np.float64],
    T: NDArray[np.float64],
    begin: Start,
    width: float,
    max_iter: int,
) -> tuple[Mixture, float]:
    """Return the mixture fitted by :func:`descend` and its loss in nats a point."""
    K, D = begin.centroids.shape
    theta = descend(X, T, begin, width, max_iter)
    beta = softmax(theta[K * D :].reshape(-1, K), axis=0)
    mixture = Mixture(theta[: K * D].reshape(K, D) * width, beta, width)
    return mixture, loss(theta, X / width, T, K)[0]


def _eta(
    X: NDArray[np.float64], T: NDArray[np.float64], begin: Start, width: float
) -> NDArray[np.float64]:
    """Return the initial η: the classes of the points that each Gaussian is responsible for.

    One more point, split over the classes by their frequencies, is added to each Gaussian: a
    probability of zero would have a zero gradient and stay there.
    """
    flat = np.full((T.shape[1], len(begin.centroids)), 1 / T.shape[1])
    w = Mixture(begin.centroids, flat, width).weights(X)
    counts = T.T @ w + np.maximum(begin.frequencies, 1e-6)[:, None]
    return np.asarray(np.log(counts / counts.sum(axis=0)))
