"""MRE: multiple relational embedding, one latent space for what several relations say.

    minimize  Σ_c KL(Pᶜ‖Qᶜ),   q_ijᶜ ∝ exp(−(y_i − y_j)ᵀ Rᶜ (y_i − y_j))   over Y and the Rᶜ

with Rᶜ diagonal and non-negative: each relation weighs the axes of the common space in its own way
(Memisevic and Hinton 2005). Here one relation is neighborhood in the data, the other, among labeled
points, membership of one class. :mod:`nbembed.baselines.relations` has the gradient.

The optimization loop is SciPy's L-BFGS-B and not :class:`~nbembed.Run`, which moves layouts: here
the weights Rᶜ are unknowns too, and ``tol`` is a fall of the cost.
"""

from __future__ import annotations

import warnings
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

from nbembed.affinities import perplexity_affinities
from nbembed.baselines.base import BaselineEstimator, Iteration
from nbembed.baselines.relations import Relation, Relations
from nbembed.data.matrix_input import check_metric
from nbembed.kernels.inner_product import rms_radius
from nbembed.kernels.threads import resolve_threads
from nbembed.methods.initialization import best_scale, noise, pca_layout
from nbembed.methods.placement import RowCost, place
from nbembed.methods.progress import Progress, as_callbacks
from nbembed.methods.settings import as_generator
from nbembed.run import Record, relative_movement
from nbembed.supervision import Supervision
from nbembed.validation import check_choice, check_count, check_perplexity, check_real

#: A relation does not use an axis that it weighs by less than this share of its largest weight.
BLIND = 1e-8


class MRE(BaselineEstimator):
    """Multiple relational embedding of data and labels.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions of the latent space that both relations share.
    perplexity : float or "auto", default="auto"
        Effective number of neighbors in the data, in [1, n_samples − 1]; "auto" is
        min(30, (n_samples − 1)/3).
    metric : str, callable or LearningMetric, default="euclidean"
        A name that scikit-learn or SciPy knows, a function of two points, or a metric learned from
        labels, the fit's own if it is not fitted yet.
    init : {"pca", "random"}, default="pca"
        First layout, scaled to the least cost of the data's relation.
    max_iter : int, default=1000
        Bound of the optimizer's iterations (L-BFGS).
    tol : float, default=1e-7
        It stops when an iteration lowers the cost by less, relative to the cost.
    n_jobs : int, optional
        Threads; None is all cores, or one below 500 points. The result does not depend on it.
    random_state : int, Generator, RandomState or None
        Of a random start, and of the noise on a start by principal components.
    verbose : int or bool, default=0
        Above zero a progress bar is shown.
    callbacks : callable or sequence of callables, optional
        Called after every iteration with an :class:`~nbembed.baselines.base.Iteration`; returning
        ``True`` stops the fit.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components), float64
        Y. The weights belong to its axes, so it must not be rotated.
    relations_ : tuple of str
        ("data", "labels"), or ("data",) if labels carry no information.
    weights_ : ndarray of shape (n_relations, n_components)
        Diagonals of the Rᶜ, scaled to a mean of one over the relations on each axis: the cost
        determines only the product of an axis and its weights.
    cost_ : float
        In nats.
    costs_ : ndarray of shape (n_relations,)
        Its terms.
    trace_ : ndarray of shape (n_iterations + 1,)
        The cost at the start and after each iteration.
    n_iter_ : int
    perplexity_ : float
    supervision_ : Supervision
    n_features_in_ : int

    Warns
    -----
    ConvergenceWarning
        If ``max_iter`` was reached; ``embedding_`` is the best layout so far.
    UserWarning
        If labels name one class only, or no class has two points: there is no relation between
        classes, and ``embedding_`` is made from the data alone.

    Notes
    -----
    p_ij of the labels is ∝ ⟨t_i, t_j⟩, for certain labels uniform over the other labeled points of
    i's class; points alone in their class are left out of that relation, as are unlabeled ones.
    Without labels this is SNE.

    A new point is placed by its own row of the data's relation, the fitted points held fixed
    (:mod:`nbembed.methods.placement`). Along axes that the relation does not use it goes to the
    mean of its neighbors.

    References
    ----------
    .. [1] R. Memisevic, G. Hinton (2005), "Multiple relational embedding", NIPS 17, 913-920.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from nbembed.baselines import MRE
    >>> X, y = load_iris(return_X_y=True)
    >>> MRE(random_state=0).fit(X, y).weights_.shape
    (2, 2)
    """

    relations_: tuple[str, ...]
    weights_: NDArray[np.float64]
    cost_: float
    costs_: NDArray[np.float64]
    trace_: NDArray[np.float64]
    n_iter_: int
    perplexity_: float | None

    def __init__(
        self,
        n_components: int = 2,
        *,
        perplexity: float | Literal["auto"] = "auto",
        metric: Any = "euclidean",
        init: str = "pca",
        max_iter: int = 1000,
        tol: float = 1e-7,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        callbacks: Any = None,
    ) -> None:
        self.n_components = n_components
        self.perplexity = perplexity
        self.metric = metric
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.callbacks = callbacks

    def _check_parameters(self, n_samples: int) -> None:
        check_perplexity(self.perplexity, n_samples)
        check_metric(self.metric)
        check_choice("init", self.init, ("pca", "random"))
        check_count("max_iter", self.max_iter)
        check_real("tol", self.tol, low=0)
        resolve_threads(self.n_jobs)

    def _embed(self, X: Any, supervision: Supervision) -> NDArray[np.float64]:
        n, d = X.shape[0], self.n_components
        rows = perplexity_affinities(
            X, self.perplexity, self._metric, dtype=np.float64, n_jobs=self.n_jobs
        )
        self.perplexity_ = rows.perplexity
        # Probabilities of neighbors that sparse dissimilarities store are sparse themselves.
        P = rows.P.toarray() if sparse.issparse(rows.P) else rows.P
        relations = [Relation.make("data", np.arange(n), P)]
        labels = label_relation(supervision)
        if labels is not None:
            relations.append(labels)
        n_threads = 1 if n < 500 else resolve_threads(self.n_jobs)
        costs = Relations(tuple(relations), n, n_threads)
        Y, r = self._start(X, costs)

        def split(x: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
            return x[: n * d].reshape(n, d), x[n * d :].reshape(-1, d)

        def evaluate(x: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            cost, by_place, by_weight = costs.cost_and_gradient(*split(x))
            return cost, np.concatenate([by_place.ravel(), by_weight.ravel()])

        first = np.concatenate([Y.ravel(), r.ravel()])
        trace = [evaluate(first)[0]]
        records: list[Record] = []
        before, _ = normalized(*split(first))

        def after_iteration(intermediate_result: Any) -> None:
            nonlocal before
            trace.append(float(intermediate_result.fun))
            Y, _ = normalized(*split(intermediate_result.x))
            movement = relative_movement(before, Y)
            records.append(Record(len(records) + 1, trace[-1], movement, "", {}))
            before = Y
            now = Iteration(len(records), trace[-1], Y, records)
            # Every callback hears of every iteration, even when an earlier one asks to stop.
            answers = [callback(now) is True for callback in callbacks]
            if any(answers):
                raise StopIteration

        with Progress(self.max_iter, type(self).__name__, bool(self.verbose)) as progress:
            callbacks: tuple[Any, ...] = (*as_callbacks(self.callbacks), progress)
            found = minimize(
                evaluate,
                first,
                jac=True,
                method="L-BFGS-B",
                callback=after_iteration,
                options={"maxiter": self.max_iter, "maxfun": 20 * self.max_iter, "ftol": self.tol},
            )
        if found.status == 1:
            warnings.warn(
                f"max_iter = {self.max_iter} was reached before the cost converged; embedding_ "
                "is the best layout found. Raise max_iter to continue",
                ConvergenceWarning,
                stacklevel=3,
            )
        self.relations_ = tuple(relation.name for relation in relations)
        self.cost_ = float(found.fun)
        self.costs_ = np.array(costs.terms(*split(found.x)))
        self.trace_ = np.array(trace)
        self.n_iter_ = len(trace) - 1
        Y, self.weights_ = normalized(*split(found.x))
        return Y

    def _start(self, X: Any, costs: Relations) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return a layout scaled to the least cost of the data's relation, and equal weights."""
        rng = as_generator(self.random_state)
        n, d = X.shape[0], self.n_components
        ones = np.ones((len(costs.relations), d))
        Y = noise(n, d, 1.0, rng) if self.init == "random" else pca_layout(X, d, self.metric, rng)
        size = rms_radius(Y)
        Y = Y / (size if size > 0 else 1.0)
        return Y * best_scale(lambda Z: costs.terms(np.asarray(Z), ones)[0], Y), ones

    def _place(self, X: Any) -> NDArray[np.float64]:
        root = np.sqrt(self.weights_[0])
        seen = root > np.sqrt(BLIND) * root.max()
        parts = [np.empty((0, root.size))]
        for _, rows in self._fitted.rows(X, perplexity=self.perplexity_, n_jobs=self.n_jobs):
            places = rows.P @ self.embedding_
            if seen.any():
                scaled = self.embedding_[:, seen] * root[seen]
                places[:, seen] = place(rows, scaled, RowCost(), self.n_jobs) / root[seen]
            parts.append(places)
        return np.vstack(parts)


def normalized(
    Y: NDArray[np.float64], r: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the centered layout and the weights, with a mean weight of one on each axis.

    The cost determines only the product of an axis and its weights.
    """
    scale = np.sqrt(np.mean(r**2, axis=0))
    scale = np.where(scale > 0, scale, 1.0)
    Y = Y * scale
    return np.asarray(Y - Y.mean(axis=0)), (r / scale) ** 2


def label_relation(supervision: Supervision) -> Relation | None:
    """Return the relation of labeled points of one class, or None if it carries no information.

    Warns if there are labels without information: of one class only, or no two points of any
    class.
    """
    points = supervision.labeled
    if points.size == 0:
        return None
    T = supervision.targets()[points]
    together = T @ T.T
    np.fill_diagonal(together, 0.0)
    mass = together.sum(axis=1)
    paired = mass > 0
    if (T.max(axis=0) > 0).sum() < 2 or not paired.any():
        warnings.warn(
            "y has a single class, or no class with two labeled points, so the labels give no "
            "relations; embedding_ is computed from the data alone",
            stacklevel=4,
        )
        return None
    P = together[np.ix_(paired, paired)] / mass[paired, None]
    return Relation.make("labels", points[paired], P)
