"""Mbed: a map in which every class has a direction, with margins between the classes.

The estimator around the recipe in :mod:`nbembed.methods.mbed.recipe`: of the layouts along the
annealing path it keeps the one whose predicted classes are best separated (the Hotelling–Lawley
trace, equation 20 of "Large Margin Non-Linear Embedding"), and under heavy tails first the one that
most labeled points agree with.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax
from sklearn.utils import ClassifierTags

from nbembed.data.estimator_input import chunk_by_chunk
from nbembed.methods.algorithm import AlgorithmChoice
from nbembed.methods.mbed.annealing import Finish, StopFlag
from nbembed.methods.mbed.recipe import MbedRecipe, none_of_these
from nbembed.methods.out_of_sample import PlacesNewPoints
from nbembed.methods.placement import RowCost
from nbembed.methods.recipe import Geometry, PathStep
from nbembed.methods.settings import as_generator
from nbembed.objectives.link_shares import LinkForm
from nbembed.objectives.regions import regions_around
from nbembed.run import Run
from nbembed.supervision import Supervision, as_supervision
from nbembed.supervision.classes import class_values


class Mbed(PlacesNewPoints):
    """Large margin embedding: visual clustering or semi-supervised classification.

    Parameters
    ----------
    n_components : int, optional
        Dimensions d of the map. By default K as in the paper (but at least 2), 2 for "circle" and
        "centers", or the columns of ``directions``.
    n_classes : int, optional
        K. By default the number of classes that ``y`` or ``supervision`` name, or of the rows of
        ``directions``.
    directions : None, "circle", "centers", "plane" or array of shape (n_classes, n_components)
        What the classes' regions are. Directions at equal angles to each other (needs K − 1
        dimensions), around a circle in the plane, or given unit vectors, one row for each class in
        order: the paper's. "centers", which is ours, are the means of the points that the
        propagated labels give to a class, one or several for each; they follow their points, and
        "auto" of the other parameters means what suits them. "plane" is the circle for up to three
        classes and centers for more.
    alpha : "auto" or float, default="auto"
        α in [0, 10⁶], the heaviness of the tails of the neighborhoods, as for
        :class:`~nbembed.HSSNE`. "auto" is 0 with directions, the rows of SNE as in the paper, and 1
        with centers.
    lam : "anneal" or float, default="anneal"
        λ, the softness of the class boundaries in units of the map's radius r. A number, in
        [10⁻⁹, 10⁹], skips the annealing. Around centers less than 1/4 is steep, as their distances
        are a fraction of r.
    margin_weight : float, default=1.0
        w ≥ 0, the weight of margin and balance; 1 is the paper's.
    class_prior : array of shape (n_classes,), optional
        Expected shares of the classes, positive, summing to one. Without it classes of equal size
        are favored, or with centers those sizes that the labels suggest, as a random sample does.
    label_distance : float, default=2.0
        δ/r > 0: a certain label is as certain as a point at this distance from the origin, in the
        direction of its class and in units of the map's radius, is. 2 is the text of the paper's
        section 6, 1 its equation (21). Not used by centers.
    affinity : {"auto", "global", "perplexity"}, default="auto"
        One width for all points, the 1/K quantile of all distances (the paper's), or one for each
        point by ``perplexity``. "auto" is the latter with centers or ``algorithm="grid"`` only.
    init : {"auto", "noise", "pca"} or array of shape (n_samples, n_components), default="auto"
        First layout after the radius r has been measured. "noise" is the paper's, close to the
        origin; "auto" is the same without labels, and with labels a crude map of SNE, as small.
        "pca" is as small. Except with "noise", directions, or if they are given the map, are
        rotated towards labeled points. With
        heavy tails the words say how HSSNE's map begins, on which boundaries harden, and "auto" is
        "pca". An array is taken as it is, with a little noise where it lies on a line; pinned
        points need one.
    n_init : int, default=1
        Restarts; the one with the largest criterion is kept.
    rho : float, default=0.5
        ρ in [0, 1]: the share of a must-linked point's neighborhood that its links take. Labels
        are no links here.
    link_form : {"structured", "uniform"}, default="structured"
        How must-links enter: "structured" keeps the inner structure of a group of three points or
        more, "uniform" spreads the share evenly over it.
    perplexity : float or "auto", default="auto"
        Only for ``affinity="perplexity"``.
    metric : str, callable or LearningMetric, default="euclidean"
        Any dissimilarity that SciPy knows, a function of two rows, "precomputed", or a metric
        learned from labels: an unfitted one learns from those that ``fit`` is given, with this
        estimator's ``random_state`` and ``n_jobs`` where it has none of its own.
    algorithm : {"auto", "exact", "grid"}, default="auto"
        How repulsion is summed. "exact" visits all pairs of points. "grid" takes nearly linear
        time and memory: repulsion by a grid on the map, with an error below 0.1 per cent, and
        affinities of the nearest 3 · perplexity neighbors alone; for two or three dimensions, and a
        width for each point. "auto" takes the grid from 5000 points on where each point has a width
        and the map two or three dimensions; in others the affinities are those of nearest
        neighbors, too, but all pairs are summed. One width for all points takes all pairs.
    optimizer : str or Optimizer, default="auto"
        "auto", "fixed-point", "conjugate-gradient", "momentum", "l-bfgs", or an object of
        :mod:`nbembed.optimizers`. "auto" is conjugate gradients, as in the paper, or with heavy
        tails momentum, and after twenty iterations at one λ L-BFGS, as for HSSNE.
    max_iter : int, default=500
        Iterations of one restart, the ten crude ones included; with heavy tails the map
        that boundaries harden on takes as many before.
    tol : float, default=1e-4
        The run has converged when twice in a row, after the annealing, 10 iterations changed the
        cost by less than this share and moved the points by less than 3 % of the map's radius; 0
        runs on.
    n_jobs : int, optional
        Threads; None or −1 uses all cores that the process may use. The result does not depend
        on it.
    random_state : int, Generator, RandomState or None, default=None
        The same integer gives the same bits.
    verbose : int or bool, default=0
        1 shows a progress bar.
    callbacks : callable or list of callables, optional
        Called with the :class:`~nbembed.run.Run` after every iteration; one that returns True
        stops it, and with it all later restarts.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components), float32
    labels_ : ndarray of shape (n_samples,)
        Predicted class of each point: your own label values, names of classes, or numbers.
    membership_ : ndarray of shape (n_samples, n_classes)
        Class probabilities, columns as ``classes_``.
    none_of_these_ : ndarray of bool, shape (n_samples,)
        Points that seem to be of none of the classes that have labels, with heavy tails: they are
        drawn to no region. ``labels_`` has the likeliest of the classes there are.
    classes_ : ndarray of shape (n_classes,)
        Classes in the order of their first appearance, unnamed ones after them.
    directions_ : ndarray of shape (n_classes, n_components)
    radius_ : float
        r, the unit of λ.
    path_ : list of PathStep
        The annealing path of the best restart: ``value`` (λ in units of r), ``embedding`` and
        ``criterion`` (NaN where a class is empty). At most one layout for each of the nineteen
        stages (ten with heavy tails), of 4 · n_samples · n_components bytes, whatever ``max_iter``.
    cost_ : float
        In nats, at ``embedding_``.
    n_iter_ : int
        Iterations of the best restart, without the crude ones.
    perplexity_ : float or None
        None with the global affinity, which has no perplexity.
    algorithm_ : {"exact", "grid"}
        How repulsion was summed.
    trace_ : list of Record
        One record an iteration of the best restart.
    supervision_ : Supervision
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only where the data had column names.

    References
    ----------
    .. [1] A. Zien and J. Quiñonero Candela (2005), "Large margin non-linear embedding".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = Mbed(n_classes=3, random_state=0).fit(X)
    >>> model.membership_.shape
    (150, 3)
    """

    recipe_type = MbedRecipe
    recipe: MbedRecipe

    labels_: NDArray[Any]
    membership_: NDArray[np.float64]
    none_of_these_: NDArray[np.bool_]
    classes_: NDArray[Any]
    directions_: NDArray[np.float64] | None
    centers_: NDArray[np.float64] | None
    center_classes_: NDArray[np.intp] | None
    radius_: float
    path_: list[PathStep]

    def __init__(
        self,
        n_components: int | None = None,
        *,
        n_classes: int | None = None,
        directions: ArrayLike | str | None = None,
        alpha: float | Literal["auto"] = "auto",
        lam: float | str = "anneal",
        margin_weight: float = 1.0,
        class_prior: ArrayLike | None = None,
        label_distance: float = 2.0,
        affinity: str = "auto",
        init: str | ArrayLike = "auto",
        n_init: int = 1,
        rho: float = 0.5,
        link_form: LinkForm = "structured",
        perplexity: float | Literal["auto"] = "auto",
        metric: str | Callable[..., float] | Any = "euclidean",
        algorithm: AlgorithmChoice = "auto",
        optimizer: Any = "auto",
        max_iter: int = 500,
        tol: float = 1e-4,
        n_jobs: int | None = None,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        verbose: int = 0,
        callbacks: Callable[[Run], Any] | list[Callable[[Run], Any]] | None = None,
    ) -> None:
        self.n_components = n_components
        self.n_classes = n_classes
        self.directions = directions
        self.alpha = alpha
        self.lam = lam
        self.margin_weight = margin_weight
        self.class_prior = class_prior
        self.label_distance = label_distance
        self.affinity = affinity
        self.init = init
        self.n_init = n_init
        self.rho = rho
        self.link_form = link_form
        self.perplexity = perplexity
        self.metric = metric
        self.algorithm = algorithm
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
        """Embed ``X`` and predict the class of each of its points.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Data, or dissimilarities of shape (n_samples, n_samples) with ``metric="precomputed"``;
            with ``affinity="perplexity"`` a sparse matrix may store those of near points alone.
        y : array of shape (n_samples,) or (n_samples, n_classes), optional
            Labels with -1, None or NaN for unlabeled points, or rows of class probabilities with
            NaN rows for unlabeled points.
        supervision : Supervision, optional
            Soft labels, must-links and cannot-links; instead of ``y``. Points that it pins stay
            where ``init``, which must then be an array, has them.

        Returns
        -------
        self

        Raises
        ------
        ValueError, TypeError
            Before any work starts, naming the argument that is wrong and what is allowed.
        """
        data, supervision = self._check_input(X, y, supervision)
        recipe = self.recipe.with_room_for(supervision)
        rng = as_generator(self.random_state)
        affinities = recipe.make_affinities(data, supervision)
        budget = recipe.steps
        best: Finish | None = None
        with self._progress(self.n_init * budget) as progress:
            stop = StopFlag(self._callbacks(progress))
            for _ in range(self.n_init):
                start = recipe.make_start(data, affinities, supervision, rng)
                run = self._run(recipe, affinities, supervision, start)
                run.until(budget, callbacks=(stop,))
                found = Finish(run, start.geometry, _path(recipe, run, start.geometry))
                if best is None or found.criterion > best.criterion:
                    best = found
                if stop.stopped:
                    break
        assert best is not None  # n_init is at least 1
        self._keep(best.run, affinities, supervision)
        self._keep_best(best, recipe)
        self.classes_ = class_values(supervision, best.n_classes, y)
        self.labels_ = self.classes_[self.membership_.argmax(axis=1)]
        self._remember(data, affinities)
        objective: Any = best.run.objective
        self.algorithm_ = objective.algorithm
        return self

    def row_cost(self) -> RowCost:
        """Return SNE's row, or HSSNE's: one point adds little to margin and balance."""
        return RowCost(self.recipe.tails)

    @chunk_by_chunk
    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return class probabilities (n_new, n_classes), columns as ``classes_``."""
        Y = self.transform(X)
        if Y.shape == self.embedding_.shape and np.array_equal(Y, self.embedding_):
            return self.membership_.copy()
        if self.directions_ is not None:
            scores = Y.astype(np.float64) @ self.directions_.T / self._lam
            return np.asarray(softmax(scores, axis=1))
        return regions_around(Y, self.centers_, self.center_classes_, self._lam, len(self.classes_))

    @chunk_by_chunk
    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Return the most probable class of each point, as values of ``classes_``."""
        proba = self.predict_proba(X)
        return np.asarray(self.classes_[proba.argmax(axis=1)])

    def score(self, X: ArrayLike, y: ArrayLike) -> float:
        """Return the share of labeled points whose predicted class is the one in ``y``.

        Parameters
        ----------
        X : array of shape (n_new, n_features)
            As for :meth:`transform`.
        y : array of shape (n_new,)
            Labels like those of the fit, with -1, None or NaN for points that do not count.

        Raises
        ------
        ValueError
            If no point is labeled, or ``y`` has another length.
        """
        predicted = self.predict(X)
        truth = as_supervision(y, predicted.size)
        labeled = truth.labeled
        if labeled.size == 0:
            raise ValueError("y must label at least one point to score, got none")
        values = class_values(truth, len(truth.classes), y)[truth.top_class[labeled]]
        return float(np.mean(predicted[labeled] == values))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # It has predict_proba, and scikit-learn asks every such estimator about its classes.
        tags.classifier_tags = ClassifierTags()
        return tags

    # -- parts -------------------------------------------------------------------------------

    def _keep_best(self, best: Finish, recipe: MbedRecipe) -> None:
        """Set the fitted attributes that depend on which layout of the path is kept."""
        step, radius = best.best_step, best.geometry.scale
        objective: Any = best.run.objective.with_parameters(lam=step.value * radius)
        self.embedding_ = np.array(step.embedding)
        self.cost_ = float(objective.evaluate(step.embedding).plain_cost)
        self.membership_ = objective.membership(step.embedding)
        none = none_of_these(objective)
        self.none_of_these_ = np.zeros(len(self.embedding_), bool) if none is None else none
        self.path_ = best.path
        self.radius_ = radius
        directions = best.geometry.directions
        self.directions_ = None if directions is None else np.array(directions)
        found = recipe.region_centers(step.embedding, objective)
        self.centers_, self.center_classes_ = (None, None) if found is None else found
        self._lam = step.value * radius


def _path(recipe: MbedRecipe, run: Run, geometry: Geometry) -> list[PathStep]:
    """Return the layouts that compete: those kept, and the last if the run ended elsewhere."""
    layouts = [(kept.parameters["lam"], kept.Y) for kept in run.kept]
    if not layouts or run.scheduled:
        layouts.append((run.objective.parameters["lam"], run.embedding.copy()))
    return [
        PathStep(
            lam / geometry.scale,
            np.asarray(Y, dtype=np.float32),  # a run's own copy, and the only one
            recipe.path_criterion(Y, run.objective),
        )
        for lam, Y in layouts
    ]
