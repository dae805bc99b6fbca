"""LearningMetric: distances learned from the labels of some or all points.

    d(x, x + dx)² = dxᵀ J(x) dx,   J(x) = Σ_c p(c|x) (∇ log p(c|x)) (∇ log p(c|x))ᵀ

("Supervised nonlinear dimensionality reduction by neighbor retrieval", section 2.1, with the class
probabilities of :mod:`nbembed.learning_metric.mixture`). The length of a step measures how much it
changes the class probabilities: to second order ``dxᵀ J dx`` is twice the Kullback–Leibler
divergence between those at its two ends (the paper, which calls the two equivalent, omits the
factor). The distance of two points is the length of the straight path between them or, optionally,
of the shortest path over other points of the data.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.utils import ClassifierTags
from sklearn.utils.validation import check_is_fitted

from nbembed.data.estimator_input import chunk_by_chunk, validated_data
from nbembed.data.matrix_input import check_magnitude, matrix_of
from nbembed.kernels.fisher_paths import path_lengths
from nbembed.kernels.threads import resolve_threads
from nbembed.learning_metric.labels import check_labels_suffice, values_of_classes
from nbembed.learning_metric.lengths import nearest_by_paths, squared_lengths
from nbembed.learning_metric.mixture import Mixture, fit, start
from nbembed.learning_metric.selection import SHARES, Choice, choose, numbers_to_try, spread_of
from nbembed.supervision import Supervision, as_supervision
from nbembed.supervision.conversion import check_y_or_supervision
from nbembed.system.blas import one_blas_thread
from nbembed.system.memory import check_memory
from nbembed.system.work import warn
from nbembed.validation import (
    as_generator,
    check_choice,
    check_count,
    check_flag,
    check_numbers,
    check_real,
    check_verbose,
    shown,
)

#: Among so few points the nearest ones are those of the smallest of all distances.
FEW = 2000
#: A mixture whose likelihood is above that of the class frequencies by less, in nats a point, has
#: learned nothing.
NOTHING = 1e-3


class LearningMetric(BaseEstimator):  # type: ignore[misc]
    """Riemannian metric in which distances measure change of the class probabilities.

    Fit it and compute distances, or pass it, fitted or not, as ``metric`` to any method that takes
    one; an unfitted metric is fitted to the labels that the method is given.

    Parameters
    ----------
    n_centroids : int or "cv", default="cv"
        Number of Gaussians. "cv" tries one for each class, then two, four and eight, while the
        likelihood of held-out labels grows and there are ten labeled points to a Gaussian.
    width : float or "cv", default="cv"
        σ of the Gaussians, in units of the data. "cv" tries five shares of the spread of classes.
    n_pieces : int, default=10
        Pieces T of a straight path.
    shortest_paths : bool, default=False
        Whether :meth:`pairwise` gives the lengths of shortest paths over the complete graph of the
        points in place of straight ones; O(n³), and rarely better.
    cv : int or None, default=5
        Folds of the cross-validation, which maximizes the likelihood of held-out labels. None
        disables it and needs a number and a width.
    max_iter : int, default=100
        Upper bound of the iterations of conjugate gradients. Cross-validation chooses their number
        within it (early stopping); without cross-validation all are done.
    n_jobs : int, optional
        Threads; None or −1 uses all cores that the process may use. The result does not depend
        on it.
    random_state : int, Generator, RandomState or None, default=None
        Of folds and of the first centroids. The same number gives the same bits.
    verbose : int or bool, default=0
        1 shows the progress of the cross-validation.

    Attributes
    ----------
    centroids_ : ndarray of shape (n_centroids, n_features)
        m_k.
    class_given_centroid_ : ndarray of shape (n_classes, n_centroids)
        β_ck; columns sum to one.
    width_ : float
        σ.
    classes_ : ndarray of shape (n_classes,)
        Those that some label or row of probabilities gives a share.
    log_likelihood_ : float
        Mean log p(c|x) of the labeled points, in nats.
    n_iter_ : int
        Iterations allowed to the fit.
    cv_results_ : dict of str to ndarray
        For each candidate "n_centroids", "width", "n_iter", "mean_test_score" and "std_test_score",
        the held-out log-likelihood; empty where nothing was cross-validated.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only where the data had column names.

    Notes
    -----
    Where one class is nearly certain, the class probabilities do not change and distances are so
    small that methods may take points for duplicates.

    References
    ----------
    .. [1] J. Peltonen, H. Aidos and S. Kaski (2009), "Supervised nonlinear dimensionality reduction
       by neighbor retrieval".
    .. [2] J. Peltonen, A. Klami and S. Kaski (2004), "Improved learning of Riemannian metrics for
       exploratory analysis".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> metric = LearningMetric(n_centroids=6, width=1.0, max_iter=20, random_state=0).fit(X, y)
    >>> metric.pairwise(X).shape
    (150, 150)
    """

    centroids_: NDArray[np.float64]
    class_given_centroid_: NDArray[np.float64]
    width_: float
    classes_: NDArray[Any]
    log_likelihood_: float
    n_iter_: int
    cv_results_: dict[str, NDArray[Any]]
    n_features_in_: int

    def __init__(
        self,
        n_centroids: int | Literal["cv"] = "cv",
        *,
        width: float | Literal["cv"] = "cv",
        n_pieces: int = 10,
        shortest_paths: bool = False,
        cv: int | None = 5,
        max_iter: int = 100,
        n_jobs: int | None = None,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_centroids = n_centroids
        self.width = width
        self.n_pieces = n_pieces
        self.shortest_paths = shortest_paths
        self.cv = cv
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    # -- learning ----------------------------------------------------------------------------

    def check_parameters(self) -> None:
        """Raise ValueError or TypeError, naming the argument, before any work starts."""
        if isinstance(self.n_centroids, str):
            check_choice("n_centroids", self.n_centroids, ("cv",))
        else:
            check_count("n_centroids", self.n_centroids)
        if isinstance(self.width, str):
            check_choice("width", self.width, ("cv",))
        else:
            check_real("width", self.width, low=0, open_low=True)
        check_count("n_pieces", self.n_pieces)
        check_flag("shortest_paths", self.shortest_paths)
        if self.cv is not None:
            check_count("cv", self.cv, low=2)
        elif isinstance(self.n_centroids, str) or isinstance(self.width, str):
            raise ValueError('cv must be at least 2 when n_centroids or width is "cv", got None')
        check_count("max_iter", self.max_iter)
        check_verbose(self.verbose)
        resolve_threads(self.n_jobs)
        as_generator(self.random_state)

    def fit(
        self, X: ArrayLike, y: ArrayLike | None = None, supervision: Supervision | None = None
    ) -> Self:
        """Learn from the labeled points of ``X``.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Points that have no label are not used.
        y : array of shape (n_samples,) or (n_samples, n_classes)
            Labels with -1, None or NaN for unlabeled points, or rows of class probabilities with
            NaN rows for unlabeled points.
        supervision : Supervision, optional
            Instead of ``y``; only its labels count.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If fewer than two classes have a labeled point, all labeled points coincide, or the
            likelihood cannot be computed.

        Warns
        -----
        UserWarning
            If nothing could be held out for the cross-validation, or the mixture tells classes
            apart no better than their frequencies do.
        """
        self.check_parameters()
        if y is None and supervision is None:
            raise ValueError(
                "LearningMetric requires y to be passed, but the target y is None; supervision "
                "can be given instead"
            )
        check_y_or_supervision(y, supervision)
        data = self._validated(X, ensure_min_samples=2)
        supervision = as_supervision(y if supervision is None else supervision, data.shape[0])
        check_labels_suffice(supervision)
        labeled = supervision.labeled
        self._learn(
            data[labeled], supervision.targets()[labeled], values_of_classes(supervision, y)
        )
        return self

    def fitted_to(self, X: NDArray[Any], supervision: Supervision | None) -> LearningMetric:
        """Return itself if it is fitted, else a clone fitted to the labels in ``supervision``.

        A clone whose ``random_state`` is no number takes 0, so that the same labels always give the
        same metric.
        """
        if hasattr(self, "centroids_"):
            return self
        learner: LearningMetric = clone(self)
        if not isinstance(self.random_state, int | np.integer):
            learner.random_state = 0
        none = Supervision(X.shape[0])
        learner.fit(X, supervision=none if supervision is None else supervision)
        return learner

    @one_blas_thread()
    def _learn(self, X: NDArray[np.float64], T: NDArray[np.float64], values: NDArray[Any]) -> None:
        shares = T.sum(axis=0) > 0
        T = np.ascontiguousarray(T[:, shares])
        if not isinstance(self.n_centroids, str) and self.n_centroids > len(X):
            raise ValueError(
                f"n_centroids must be at most the number of labeled points, {len(X)}, "
                f"got {self.n_centroids}"
            )
        check_magnitude(X)
        center = X.mean(axis=0)
        X = X - center
        spread = spread_of(X, T)
        rng = as_generator(self.random_state)
        chosen = self._choose(X, T, spread, rng)
        begin = start(X, T, chosen.n_centroids, rng)
        mixture, loss = fit(X, T, begin, chosen.width, chosen.n_iter)
        if not (np.isfinite(loss) and np.isfinite(mixture.centroids).all()):
            raise ValueError(
                f"width must give the labels a finite likelihood, got {chosen.width:.4g}, so no "
                f"mixture was fitted; the spread of the classes is {spread:.4g}"
            )
        frequencies = T.mean(axis=0)
        alone = -float(np.sum(T * np.log(frequencies))) / len(T)
        if loss > alone - NOTHING:
            warn(
                f"{chosen.n_centroids} Gaussians of width {chosen.width:.4g} predict the classes "
                "no better than their frequencies do; the metric is close to zero everywhere",
                stacklevel=3,
            )
        self.classes_ = values[shares]
        self.centroids_ = mixture.centroids + center
        self.class_given_centroid_ = mixture.beta
        self.width_ = chosen.width
        self.n_iter_ = chosen.n_iter
        self.log_likelihood_ = -loss
        self.cv_results_ = chosen.results

    def _choose(
        self,
        X: NDArray[np.float64],
        T: NDArray[np.float64],
        spread: float,
        rng: np.random.Generator,
    ) -> Choice:
        free = isinstance(self.n_centroids, str), isinstance(self.width, str)
        if self.cv is None:
            return Choice(int(self.n_centroids), float(self.width), self.max_iter)
        return choose(
            X,
            T,
            numbers_to_try(T.shape[1], len(X)) if free[0] else [int(self.n_centroids)],
            [share * spread for share in SHARES] if free[1] else [float(self.width)],
            self.cv,
            self.max_iter,
            rng,
            resolve_threads(self.n_jobs),
            bool(self.verbose),
        )

    # -- distances ---------------------------------------------------------------------------

    def pairwise(self, X: ArrayLike, Y: ArrayLike | None = None) -> NDArray[np.float64]:
        """Return the distance of each point of ``X`` to each of ``Y``.

        Parameters
        ----------
        X : array of shape (n, n_features)
        Y : array of shape (m, n_features), optional
            ``X`` itself if not given; the result is then symmetric to the last bit. With
            ``shortest_paths``, paths lead over the points of ``Y``.

        Returns
        -------
        ndarray of shape (n, m)
            0 between equal points.

        Raises
        ------
        ValueError
            If the result would not fit into memory.

        Notes
        -----
        O(n m T K C) time with K Gaussians and C classes, whatever the number of features.
        """
        check_is_fitted(self, "centroids_")
        data = self._validated(X, reset=False)
        others = None if Y is None else self._validated(Y, "Y", reset=False)
        n, m = len(data), len(data if others is None else others)
        check_memory(
            20 * n * m,  # lengths in float32, their squares and the result
            f"the distances of {n} × {m} pairs",
            "nearest_neighbors(X, k, metric=metric), which holds a part of them at a time",
        )
        squares = self.squared_rows(data, others)(slice(0, data.shape[0]))
        return np.asarray(np.sqrt(squares))

    def path_length(self, x1: ArrayLike, x2: ArrayLike) -> Any:
        """Return the length of the straight path from ``x1`` to ``x2``, in float64.

        Parameters
        ----------
        x1, x2 : array of shape (n_features,) or (n, n_features)
            Two points, or rows that are paired one by one.

        Returns
        -------
        float, or ndarray of shape (n,)
        """
        check_is_fitted(self, "centroids_")
        a, b = check_numbers("x1", x1), check_numbers("x2", x2)
        if a.shape != b.shape or a.ndim not in (1, 2):
            raise ValueError(
                "x1 and x2 must be single points or have the same number of rows, got shapes "
                f"{a.shape} and {b.shape}"
            )
        A, B = (
            self._mixture.exponents(self._validated(np.atleast_2d(x), name, reset=False))
            for name, x in (("x1", a), ("x2", b))
        )
        beta = self.class_given_centroid_
        lengths = np.array(
            [
                path_lengths(A[i : i + 1], B[i : i + 1], beta, self.n_pieces, np.float64, 1)[0, 0]
                for i in range(len(A))
            ]
        )
        return float(lengths[0]) if a.ndim == 1 else lengths

    def tensor(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return J(x) at each point, shape (n, n_features, n_features); O(n n_features²) memory."""
        check_is_fitted(self, "centroids_")
        return self._mixture.tensors(self._validated(X, reset=False))

    @one_blas_thread()
    def squared_rows(self, X: Any, others: Any = None) -> Callable[[slice], NDArray[np.float64]]:
        """Return a function from a slice of the rows of ``X`` to squared distances to ``others``.

        This is what :class:`~nbembed.data.distances.Distances` asks of a metric that is an object.

        Parameters
        ----------
        X : ndarray of shape (n, n_features)
            Checked data.
        others : ndarray of shape (m, n_features), optional
            ``X`` itself if None.
        """
        check_is_fitted(self, "centroids_")
        for name, data in (("X", X), ("others", others)):
            check_dense(data, name)
            if data is not None and data.shape[1] != self.n_features_in_:
                raise ValueError(
                    f"{name} must have {self.n_features_in_} features, like the data that the "
                    f"metric was fitted to, got {data.shape[1]}"
                )
            if data is not None:
                check_magnitude(data, name)
        return squared_lengths(
            self._mixture,
            self.n_pieces,
            X,
            others,
            shortest=self.shortest_paths,
            n_threads=resolve_threads(self.n_jobs),
        )

    @one_blas_thread()
    def nearest(
        self, X: Any, k: int, others: Any = None
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]] | None:
        """Return the k nearest neighbors of each point and their distances, for many points.

        This is what :func:`nbembed.measures.nearest_neighbors` asks of a metric that is an object;
        see :mod:`nbembed.learning_metric.nearest`.

        Parameters
        ----------
        X : ndarray of shape (n, n_features)
            Checked data.
        k : int
        others : ndarray of shape (m, n_features), optional
            Where neighbors are searched; by default among the other points of ``X``.

        Returns
        -------
        (index, distances) or None
            None where all distances are to be computed: there are few points, or paths are
            shortest ones over other points.
        """
        check_is_fitted(self, "centroids_")
        among = X if others is None else others
        if self.shortest_paths or len(among) <= FEW:
            return None
        return nearest_by_paths(
            self._mixture, self.n_pieces, X, k, others, resolve_threads(self.n_jobs)
        )

    # -- class probabilities -------------------------------------------------------------------

    @chunk_by_chunk
    @one_blas_thread()
    def predict_log_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return log p(c|x), shape (n, n_classes), columns as ``classes_``; always finite."""
        check_is_fitted(self, "centroids_")
        return self._mixture.log_proba(self._validated(X, reset=False))

    @chunk_by_chunk
    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return p(c|x), shape (n, n_classes), columns as ``classes_``."""
        return np.asarray(np.exp(self.predict_log_proba(X)))

    @chunk_by_chunk
    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the most probable class of each point."""
        top = self.predict_log_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[top])

    def score(self, X: ArrayLike, y: ArrayLike) -> float:
        """Return the mean log p(c|x) of the labeled points, in nats: what cross-validation does.

        Parameters
        ----------
        X : array of shape (n, n_features)
        y : array of shape (n,)
            Labels among ``classes_``; -1, None or NaN are left out.

        Raises
        ------
        ValueError
            If there is a label that was not learned, or none at all.
        """
        logs = self.predict_log_proba(X)
        supervision = as_supervision(y, logs.shape[0])
        labeled = supervision.labeled
        if labeled.size == 0:
            raise ValueError("y must label at least one point")
        values = values_of_classes(supervision, y)
        columns = [np.flatnonzero(self.classes_ == value) for value in values]
        unknown = [value for value, found in zip(values.tolist(), columns) if found.size == 0]
        if unknown:
            raise ValueError(f"y must name classes seen during fit, got {shown(unknown[0])}")
        column = np.concatenate(columns)[supervision.top_class[labeled]]
        return float(logs[labeled, column].mean())

    # -- parts ---------------------------------------------------------------------------------

    @property
    def _mixture(self) -> Mixture:
        return Mixture(self.centroids_, self.class_given_centroid_, self.width_)

    def _validated(self, X: Any, name: str = "X", **options: Any) -> NDArray[np.float64]:
        X = matrix_of(X, name)
        check_dense(X, name)
        form = "a dense, finite matrix of numbers, one row a point"
        data = validated_data(self, X, name, form=form, dtype=np.float64, **options)
        check_magnitude(data, name)
        return np.asarray(data)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        # It has predict_proba, and scikit-learn asks every such estimator about its classes.
        tags.classifier_tags = ClassifierTags()
        return tags


def check_dense(data: Any, name: str) -> None:
    """Raise ValueError for sparse data."""
    if sparse.issparse(data):
        raise ValueError(
            f"{name} must be dense for a LearningMetric, which fits Gaussians in the space of "
            "the data, got a sparse matrix; reduce its dimensions first, for example with "
            "TruncatedSVD"
        )
