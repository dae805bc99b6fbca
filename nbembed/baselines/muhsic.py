"""MUHSIC: colored maximum variance unfolding.

    maximize  tr(KHLH)/s₁ − ν mean_e (K_ii + K_jj − 2K_ij − d_ij²)²/s₂²   over  K = V A Vᵀ, A ⪰ 0

with H = I − 11ᵀ/n, L a kernel on the labels, e = (i, j) the edges of the neighbor graph, and the
columns of V the m smoothest eigenvectors of the graph's Laplacian past the constant one. The first
term is the Hilbert-Schmidt independence criterion between layout and labels (Song, Smola, Borgwardt
and Gretton 2007); with L = I it is the variance, and this is maximum variance unfolding. The
factorization K = V A Vᵀ, which leaves an m × m semidefinite problem, is that of Weinberger, Sha,
Zhu and Saul (2006).

The units s₁ and s₂ make ν independent of the scale of the data: s₁ is the largest eigenvalue
of L times n times the total variance of the data, s₂ the mean of d_ij² over the edges.
"""

from __future__ import annotations

import warnings
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from nbembed.baselines.base import BaselineEstimator, all_squared, resolve_count
from nbembed.baselines.graph import neighbor_graph
from nbembed.baselines.semidefinite import load_solver
from nbembed.baselines.unfolding import (
    Unfolding,
    interpolation_weights,
    label_factor,
    smooth_functions,
)
from nbembed.data.matrix_input import check_metric
from nbembed.neighbors import k_smallest
from nbembed.supervision import Supervision
from nbembed.validation import check_count, check_real


class MUHSIC(BaselineEstimator):
    """Maximum unfolding by the Hilbert-Schmidt independence criterion: colored MVU.

    Needs the solver of the extra: ``pip install "nbembed[sdp]"``.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions of the layout; at most ``n_eigenvectors``.
    n_neighbors : int or "auto", default="auto"
        Neighbors of each point whose distances are preserved, and from which new points are
        interpolated; "auto" is 10, or n_samples − 1 if that is less.
    n_eigenvectors : int or "auto", default="auto"
        m, the number of smooth functions on the graph that span the coordinates; "auto" is 10, or
        n_samples − 1 if that is less. The problem has m(m + 1)/2 unknowns.
    penalty : float, default=1.0
        ν > 0: the weight of preserved distances against dependence on the labels.
    metric : str, callable or LearningMetric, default="euclidean"
        A name that scikit-learn or SciPy knows, a function of two points, or a metric learned from
        labels; an unfitted one is fitted to the labels of the fit.
    tol : float, default=1e-8
        Of the solver's duality gap.
    max_iter : int, default=200
        Bound of the solver's iterations.
    random_state, verbose, callbacks
        Accepted as by the other methods and without effect: nothing is random, and the solver
        does not report its iterations.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components), float64
        In units of the metric; the leading principal axes of K.
    eigenvalues_ : ndarray of shape (n_eigenvectors,)
        All eigenvalues of K/n, the variances along its axes, descending; the layout shows the
        first ``n_components``.
    hsic_ : float
        tr(K H L H)/(n − 1)², of the whole K.
    distortion_ : float
        Root mean square over the edges of (kept − given)/mean squared distance.
    status_ : str
        The solver's status.
    n_iter_ : int
        Of the solver.
    n_pieces_ : int
        Connected components of the neighbor graph before they were joined.
    supervision_ : Supervision
    n_features_in_ : int

    Warns
    -----
    ConvergenceWarning
        If the solver did not converge; ``embedding_`` is made from its last iterate.
    UserWarning
        If labels name one class only: nothing can depend on them, and ``embedding_`` is that of
        maximum variance unfolding. Or if the neighbor graph is not connected.

    Raises
    ------
    ImportError
        On ``fit``, if the solver is not installed.
    RuntimeError
        If the solver returned no finite matrix.

    Notes
    -----
    L_ij = ⟨t_i, t_j⟩ for rows of class probabilities: one within a class, zero between. An
    unlabeled point is a class of its own, as all points are in maximum variance unfolding: with few
    labels the method is close to that, without any it is that.

    A new point is approximated in the data by a combination of its ``n_neighbors`` nearest fitted
    points with weights that sum to one; the same weights give its place in the layout. The
    refinement of the published method, gradient steps on the layout itself after the semidefinite
    problem, is left out.

    Time is O(n² log n) for the graph and O(m⁶) at worst for the solver, memory O(n²).

    References
    ----------
    .. [1] L. Song, A. Smola, K. Borgwardt, A. Gretton (2008), "Colored maximum variance unfolding",
       NIPS 20, 1385-1392.
    .. [2] K. Weinberger, F. Sha, Q. Zhu, L. Saul (2007), "Graph Laplacian regularization for
       large-scale semidefinite programming", NIPS 19, 1489-1496.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from nbembed.baselines import MUHSIC
    >>> X, y = load_iris(return_X_y=True)
    >>> MUHSIC(n_neighbors=70).fit(X[::2], y[::2]).transform(X[1::2]).shape
    (75, 2)
    """

    eigenvalues_: NDArray[np.float64]
    hsic_: float
    distortion_: float
    status_: str
    n_iter_: int
    n_pieces_: int
    _squared: NDArray[np.float64] | None

    def __init__(
        self,
        n_components: int = 2,
        *,
        n_neighbors: int | Literal["auto"] = "auto",
        n_eigenvectors: int | Literal["auto"] = "auto",
        penalty: float = 1.0,
        metric: Any = "euclidean",
        tol: float = 1e-8,
        max_iter: int = 200,
        random_state: Any = None,
        verbose: int = 0,
        callbacks: Any = None,
    ) -> None:
        self.n_components = n_components
        self.n_neighbors = n_neighbors
        self.n_eigenvectors = n_eigenvectors
        self.penalty = penalty
        self.metric = metric
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state
        self.verbose = verbose
        self.callbacks = callbacks

    def _check_parameters(self, n_samples: int) -> None:
        self._neighbors(n_samples)
        m = self._eigenvectors(n_samples)
        if self.n_components > m:
            raise ValueError(
                f"n_components must be at most n_eigenvectors = {m}, got {self.n_components}"
            )
        check_real("penalty", self.penalty, low=0, open_low=True)
        check_metric(self.metric)
        check_real("tol", self.tol, low=0, open_low=True)
        check_count("max_iter", self.max_iter)
        load_solver()

    def _neighbors(self, n_samples: int) -> int:
        why = f"one less than the {n_samples} points"
        return resolve_count("n_neighbors", self.n_neighbors, 10, n_samples - 1, why)

    def _eigenvectors(self, n_samples: int) -> int:
        why = f"one less than the {n_samples} points"
        return resolve_count("n_eigenvectors", self.n_eigenvectors, 10, n_samples - 1, why)

    def _embed(self, X: Any, supervision: Supervision) -> NDArray[np.float64]:
        D2 = all_squared(X, self._metric)
        n = D2.shape[0]
        # New points are interpolated from given dissimilarities, which are kept for that.
        self._squared = D2 if self._precomputed else None
        graph, self.n_pieces_ = neighbor_graph(np.sqrt(D2), self._neighbors(n))
        if not D2.any():
            return self._coinciding(n)
        problem = Unfolding.make(
            smooth_functions(graph, self._eigenvectors(n)),
            label_factor(supervision),
            graph,
            D2,
            self.penalty,
        )
        A, self.status_, self.n_iter_ = problem.solve(self.tol, self.max_iter)
        if self.status_ != "Solved":
            warnings.warn(
                f"the semidefinite problem was not solved to tol = {self.tol:g} within max_iter "
                f"= {self.max_iter} iterations ({self.status_}); embedding_ is computed from the "
                "last iterate",
                ConvergenceWarning,
                stacklevel=3,
            )
        self.hsic_ = float(np.sum(A * problem.dependence)) / (n - 1) ** 2
        self.distortion_ = problem.distortion(A)
        values, vectors = np.linalg.eigh(A)
        self.eigenvalues_ = np.maximum(values[::-1], 0.0)
        d = self.n_components
        axes = problem.functions @ (vectors[:, ::-1][:, :d] * np.sqrt(self.eigenvalues_[:d]))
        # The entry of largest size is positive, so that signs do not depend on the solver.
        signs = np.sign(axes[np.abs(axes).argmax(axis=0), np.arange(d)])
        return np.asarray(axes * np.where(signs == 0, 1.0, signs))

    def _coinciding(self, n: int) -> NDArray[np.float64]:
        warnings.warn("all points of X coincide; they also coincide in embedding_", stacklevel=4)
        self.status_, self.n_iter_ = "Trivial", 0
        self.hsic_ = self.distortion_ = 0.0
        self.eigenvalues_ = np.zeros(self._eigenvectors(n))
        return np.zeros((n, self.n_components))

    def _place(self, X: Any) -> NDArray[np.float64]:
        n_neighbors = self._neighbors(self.embedding_.shape[0])
        fitted = self._squared
        if fitted is None:
            fitted = all_squared(self._fitted.X, self._metric)
        parts = [np.empty((0, self.embedding_.shape[1]))]
        for _, D2 in self._to_fitted(X):
            nearest = k_smallest(D2, n_neighbors)
            weights = interpolation_weights(
                np.take_along_axis(D2, nearest, axis=1),
                fitted[nearest[:, :, None], nearest[:, None, :]],
            )
            parts.append(np.einsum("ij,ijd->id", weights, self.embedding_[nearest]))
        return np.vstack(parts)
