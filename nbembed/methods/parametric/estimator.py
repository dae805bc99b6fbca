"""Parametric Embedding: a map of class posteriors, with a center for every class.

The estimator around the recipe in :mod:`nbembed.methods.parametric.recipe`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import ClassifierTags, get_tags
from sklearn.utils.validation import check_is_fitted

from nbembed.data.estimator_input import chunk_by_chunk
from nbembed.methods.estimator import Estimator
from nbembed.methods.parametric.recipe import ParametricEmbeddingRecipe
from nbembed.objectives import Parametric
from nbembed.posteriors import Posteriors
from nbembed.posteriors.classify import Learned, labeled_classes, resolve_classifier
from nbembed.run import Run
from nbembed.supervision import Supervision
from nbembed.supervision.classes import class_values


class ParametricEmbedding(Estimator):
    """Class posteriors as a map: the nearer a point is to a class, the more probable the class.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions of the map.
    eta_objects : float, default=0.1
        η_r > 0: pull of the points towards the origin.
    eta_classes : "auto" or float, default="auto"
        η_φ > 0: pull of the class centers towards the origin. "auto" is n_samples · min(0.01,
        eta_objects / (2 · n_classes)): the paper's 0.01 a sample, or less where there are so many
        classes that certain points would come to lie on the far side of their class's center.
    class_prior : array of shape (n_classes,), optional
        p(c_k), positive, summing to one; equal by default. Classes without labeled points take no
        part. In a live session with a classifier it counts once there are as many classes.
    init : {"random", "mds"} or array, default="random"
        First positions of the class centers, from which those of the points follow. "mds" is
        classical scaling of the classes. An array holds the centers, (n_classes, n_components), or
        points and centers, (n_samples + n_classes, n_components).
    classifier : None, "soft-nearest-neighbor", "naive-bayes" or classifier, default=None
        None: ``X`` are posteriors. Else ``X`` are data, and a clone of the classifier learns
        posteriors from the labeled points (see :mod:`nbembed.posteriors`).
    class_names : sequence of str, optional
        Names of the columns of posteriors, for a live map. With a classifier the labels are the
        names.
    optimizer : str or Optimizer, default="auto"
        "auto" solves every point exactly and steps the centers by L-BFGS
        (:class:`~nbembed.optimizers.Alternating`). Also "fixed-point", "conjugate-gradient",
        "momentum", "l-bfgs", over points and centers together, or an object of
        :mod:`nbembed.optimizers`.
    max_iter : int, default=500
        A few dozen are usual, whatever the number of points.
    tol : float, default=1e-4
        With optimizer "auto" the run has converged when the forces on the centers balance to this
        share; with any, when twice in a row 10 iterations changed the cost by less than this share
        and moved points and centers by less than 3 % of the map's radius.
    n_jobs : int, optional
        Threads; None or −1 uses all cores that the process may use. The result does not depend
        on it.
    random_state : int, Generator, RandomState or None, default=None
        The same integer gives the same bits.
    verbose : int or bool, default=0
        1 shows a progress bar.
    callbacks : callable or list of callables, optional
        Called with the :class:`~nbembed.run.Run` after every iteration; one that returns True
        stops it. The run's layout has the centers after the points.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components), float32
    class_embedding_ : ndarray of shape (n_classes, n_components), float64
        The class centers.
    classes_ : ndarray of shape (n_classes,)
        Your label values with a classifier; else ``class_names``, the data's column names, or
        numbers.
    proba_ : ndarray of shape (n_samples, n_classes)
        The posteriors p(c_k|x_n), columns as ``classes_``.
    classifier_ : estimator or None
        The fitted clone; its own classes are numbers of ``classes_``.
    eta_classes_ : float
        η_φ as used.
    cost_ : float
        J, in nats.
    n_iter_ : int
    trace_ : list of Record
        One record an iteration.
    supervision_ : Supervision
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only where the data had column names.

    Notes
    -----
    O(n_samples · n_classes) time an iteration. The points are unique given the centers; the centers
    may end in one of several arrangements, of which the one of lower cost is better.

    References
    ----------
    .. [1] T. Iwata, K. Saito, N. Ueda, S. Stromsten, T. L. Griffiths and J. B. Tenenbaum (2007),
       "Parametric embedding for class visualization", Neural Computation 19.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> proba = GaussianNB().fit(X, y).predict_proba(X)
    >>> model = ParametricEmbedding(random_state=0).fit(proba)
    >>> model.embedding_.shape, model.class_embedding_.shape
    ((150, 2), (3, 2))
    >>> learning = ParametricEmbedding(classifier=GaussianNB(), random_state=0).fit(X, y)
    >>> learning.transform(X[:2]).shape
    (2, 2)
    """

    recipe_type = ParametricEmbeddingRecipe
    recipe: ParametricEmbeddingRecipe

    class_embedding_: NDArray[np.float64]
    classes_: NDArray[Any]
    proba_: NDArray[Any]
    classifier_: Any
    eta_classes_: float

    def __init__(
        self,
        n_components: int = 2,
        *,
        eta_objects: float = 0.1,
        eta_classes: float | str = "auto",
        class_prior: ArrayLike | None = None,
        init: str | ArrayLike = "random",
        classifier: Any = None,
        class_names: Sequence[str] | None = None,
        optimizer: Any = "auto",
        max_iter: int = 500,
        tol: float = 1e-4,
        n_jobs: int | None = None,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        verbose: int = 0,
        callbacks: Callable[[Run], Any] | list[Callable[[Run], Any]] | None = None,
    ) -> None:
        self.n_components = n_components
        self.eta_objects = eta_objects
        self.eta_classes = eta_classes
        self.class_prior = class_prior
        self.init = init
        self.classifier = classifier
        self.class_names = class_names
        self.optimizer = optimizer
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.callbacks = callbacks

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        supervision: Supervision | None = None,
    ) -> Self:
        """Embed posteriors, or data whose posteriors a classifier learns from labels.

        Parameters
        ----------
        X : array of shape (n_samples, n_classes) or (n_samples, n_features)
            Posteriors, rows of probabilities; or, with ``classifier``, data.
        y : array of shape (n_samples,) or (n_samples, n_classes), optional
            With ``classifier``: labels with -1, None or NaN for unlabeled points, or rows of class
            probabilities with NaN rows for unlabeled points, of which the largest counts, weighted
            if the classifier takes weights. Ignored without it.
        supervision : Supervision, optional
            Labels, instead of ``y``. Pinned points stay where ``init`` has them.

        Returns
        -------
        self

        Raises
        ------
        ValueError, TypeError
            Before any work starts, naming the argument that is wrong and what is allowed: rows that
            are not probabilities, fewer than two labeled classes, an unknown classifier.
        """
        super().fit(X, y, supervision)
        K = len(self.class_embedding_)
        if self.classifier is not None:
            self.classes_ = class_values(self.supervision_, K, y)
        elif self.class_names is not None:
            self.classes_ = np.array(list(self.class_names))
        else:
            self.classes_ = np.asarray(getattr(self, "feature_names_in_", np.arange(K)))
        return self

    @chunk_by_chunk
    def transform(self, X: ArrayLike) -> NDArray[np.float32]:
        """Place points among the fitted class centers, which stay as they are.

        Parameters
        ----------
        X : array of shape (n_new, n_classes) or (n_new, n_features)
            Posteriors, or data with ``classifier``.

        Returns
        -------
        ndarray of shape (n_new, n_components)
            Each at its own best place, which is unique and found exactly: fitted points get their
            rows of ``embedding_`` up to rounding.
        """
        return self._place(X)[1].astype(np.float32)

    @chunk_by_chunk
    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return p(c_k|r) at the positions of ``X`` on the map, columns as ``classes_``."""
        objective, places = self._place(X)
        return objective.membership_at(places, self.class_embedding_)

    @chunk_by_chunk
    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the most probable class at the position of each point on the map."""
        best = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[best])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # It has predict_proba, and scikit-learn asks every such estimator about its classes.
        tags.classifier_tags = ClassifierTags()
        tags.target_tags.required = self.classifier is not None
        if self.classifier is not None:
            with suppress(TypeError, ValueError):  # fit raises what is wrong with it
                wanted = get_tags(resolve_classifier(self.classifier)).input_tags
                tags.input_tags.sparse = wanted.sparse
                tags.input_tags.positive_only = wanted.positive_only
        return tags

    # -- parts -------------------------------------------------------------------------------

    def _check_input(
        self, X: ArrayLike, y: ArrayLike | None, supervision: Supervision | None
    ) -> tuple[NDArray[Any], Supervision]:
        if self.classifier is None:
            data, checked = super()._check_input(X, None, supervision)
            return self.recipe.checked_rows(data), checked
        if y is None and supervision is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None; "
                "supervision can be given instead"
            )
        data, checked = super()._check_input(X, y, supervision)
        found = labeled_classes(checked).size
        if found < 2:
            raise ValueError(
                f"y (or supervision) must label points of at least two classes, got {found}"
            )
        return data, checked

    def _callbacks(self, progress: Any) -> Iterable[Callable[[Run], Any]]:
        return (*super()._callbacks(progress), _is_stuck)

    def _keep(self, run: Run, affinities: Any, supervision: Supervision) -> None:
        """Set the fitted attributes; points of other optimizers are solved for their centers."""
        posteriors: Posteriors = affinities
        super()._keep(run, affinities, supervision)
        objective = self.recipe.parametric(posteriors)
        points, centers = objective.split(run.embedding)
        free = np.setdiff1d(np.arange(len(points)), supervision.pinned)
        over = objective.over_classes(points, held=supervision.pinned)
        solved = over.evaluate(np.asarray(centers, np.float64))
        if free.size and np.abs(solved.objects - points).max() > 0:
            self.cost_ = float(solved.cost)
        self.embedding_ = np.array(solved.objects, dtype=np.float32)
        self.class_embedding_ = np.array(centers, dtype=np.float64)
        self.eta_classes_ = objective.parameters["eta_classes"]
        self.proba_ = posteriors.proba
        self._learned: Learned | None = posteriors.learned
        self.classifier_ = None if self._learned is None else self._learned.classifier
        self._prior = objective.prior

    def _place(self, X: ArrayLike) -> tuple[Parametric, NDArray[Any]]:
        """Return the objective of new points and their positions."""
        check_is_fitted(self)
        data = self._validated(X, reset=False)
        if self._learned is None:
            rows = self.recipe.checked_rows(data)
        else:
            rows = self._learned.predict_proba(data)
        objective = Parametric(
            rows,
            self._prior,
            eta_objects=self.eta_objects,
            eta_classes=self.eta_classes_,
            n_jobs=self.n_jobs,
        )
        places, unsolved = objective.solve(self.class_embedding_)
        if unsolved:
            warnings.warn(
                f"{unsolved} of {len(rows)} points did not converge with eta_objects = "
                f"{self.eta_objects}; their last positions are returned",
                ConvergenceWarning,
                stacklevel=3,
            )
        return objective, places


def _is_stuck(run: Run) -> bool:
    """Stop where no further step changes anything."""
    return bool(getattr(run.state, "stuck", False))
