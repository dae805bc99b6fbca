"""What every method is: a scikit-learn estimator that is also the recipe of a live run.

The estimator's face (``fit``, ``fit_transform``) and the live session use the same recipe::

    affinities = method.make_affinities(X)
    start      = method.make_start(X, affinities, supervision, rng)   # layout and geometry
    objective  = method.objective(affinities, supervision, start.geometry)
    run        = Run(objective, method.make_optimizer(), start.Y, method.make_schedule(...))

A method assembles; it computes nothing itself. Its live parameters are declared once, in
``live_parameters``: validation, sliders and the documentation read that one place.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import validate_data

from nbembed.kernels.threads import resolve_threads
from nbembed.learning_metric import LearningMetric
from nbembed.learning_metric.metric import check_teaches
from nbembed.methods.learned import IfMetricLearns, learned_metric, must_learn
from nbembed.methods.progress import Progress, as_callbacks
from nbembed.methods.settings import as_generator, check_algorithm, resolve_optimizer
from nbembed.objectives.pinned import Pinned
from nbembed.optimizers import MomentumGradient
from nbembed.run import Record, Run
from nbembed.supervision import Supervision, as_supervision
from nbembed.validation import (
    check_count,
    check_data,
    check_kind,
    check_metric,
    check_perplexity,
    check_real,
    matrix_of,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from nbembed.affinities import Affinities
    from nbembed.objectives.base import Objective
    from nbembed.optimizers.base import Optimizer
    from nbembed.schedule import Schedule

Invalidates = Literal["display", "objective", "affinities", "metric"]


@dataclass(frozen=True)
class LiveParameter:
    """A parameter that may be changed while the map moves.

    Attributes
    ----------
    name : str
        The estimator's keyword.
    symbol : str
        What people call it, for example "α": the slider's label and accessible name.
    low, high : float
        The slider's range. The estimator may allow more; see ``minimum`` and ``maximum``.
    default : float
        Where the slider stands when the estimator's own value is a word such as "anneal".
    description : str
        One sentence: what more of it does to the map.
    scale : {"linear", "log"}
        How the slider divides its range.
    step : float or None
        The slider's grain on a linear scale; ``None`` lets the front end choose.
    minimum, maximum : float
        What is legal for the estimator; outside is a ValueError.
    invalidates : {"display", "objective", "affinities", "metric"}
        The first thing along the data flow that a change makes stale.
    needs : {"", "links", "must-links"}
        Without labels or links ("links"), or without links whatever the labels ("must-links"), the
        parameter means nothing and its slider is disabled.
    """

    name: str
    symbol: str
    low: float
    high: float
    default: float
    description: str
    scale: Literal["linear", "log"] = "linear"
    step: float | None = None
    minimum: float = -math.inf
    maximum: float = math.inf
    invalidates: Invalidates = "objective"
    needs: Literal["", "links", "must-links"] = ""


@dataclass(frozen=True)
class Geometry:
    """What a run measures or fixes once and all its objectives share.

    Attributes
    ----------
    scale : float
        The map's natural radius in coordinates; 1.0 for methods whose parameters have no unit.
        Mbed's λ is given to users in this unit.
    directions : ndarray of shape (n_classes, n_components) or None
        Class directions in the order of the supervision's classes, free ones after them (Mbed).
    bound : tuple of int
        Classes whose direction is settled because points carry their label; the others still go
        to where their first labels find them.
    reference : ndarray of shape (n_samples, n_components) or None
        The layout that solutions known up to a rotation are turned towards, so that a slider moves
        the map steadily (spectral learners).
    """

    scale: float = 1.0
    directions: NDArray[Any] | None = None
    bound: tuple[int, ...] = ()
    reference: NDArray[Any] | None = None


@dataclass(frozen=True)
class Start:
    """Where a run begins: a layout and its geometry."""

    Y: NDArray[Any]
    geometry: Geometry


class EmbeddingMethod(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Base of the estimators that place points by minimising an objective.

    Subclasses write their constructor, declare ``live_parameters`` and give the recipe's parts.
    Sums over pairs run in float32 with the cost accumulated in float64, whatever the dtype of the
    data: a map is looked at, and float32 is twice as fast. The objectives themselves also work in
    float64 for those who build them on float64 affinities.
    """

    live_parameters: ClassVar[tuple[LiveParameter, ...]] = ()
    #: Whether :meth:`make_affinities` learns from labels, so that new labels make them stale.
    learns_from_labels: ClassVar[Any] = IfMetricLearns()
    #: What it learns, as people call it.
    learns_what: ClassVar[str] = "metric"

    perplexity: float | Literal["auto"]
    metric: Any
    n_jobs: int | None
    optimizer: Any
    algorithm: str
    max_iter: int
    tol: float
    random_state: Any
    verbose: int
    callbacks: Any

    embedding_: NDArray[np.float32]
    cost_: float
    n_iter_: int
    perplexity_: float | None
    trace_: list[Record]
    supervision_: Supervision

    # -- the recipe: what Session and fit() both use -----------------------------------------

    @abstractmethod
    def check_parameters(self, n_samples: int, supervision: Supervision) -> None:
        """Raise ValueError or TypeError, naming the argument, before any work starts."""

    @abstractmethod
    def make_affinities(
        self, X: NDArray[Any], supervision: Supervision | None = None
    ) -> Affinities:
        """Return the neighbor probabilities of checked data ``X``.

        ``supervision`` matters only where its number of classes sets a scale (Mbed).
        """

    @abstractmethod
    def make_start(
        self,
        X: NDArray[Any],
        affinities: Affinities,
        supervision: Supervision,
        rng: np.random.Generator,
    ) -> Start:
        """Return the first layout and its geometry for a cold start."""

    @abstractmethod
    def adopt(
        self,
        Y: NDArray[Any],
        affinities: Affinities,
        supervision: Supervision,
        rng: np.random.Generator,
    ) -> Start:
        """Return a warm start from another method's layout, rescaled and padded to this one's."""

    @abstractmethod
    def make_objective(
        self, affinities: Affinities, supervision: Supervision, geometry: Geometry
    ) -> Objective:
        """Return the objective at the estimator's present parameters; pins are no part of it."""

    def objective(
        self, affinities: Affinities, supervision: Supervision, geometry: Geometry
    ) -> Objective:
        """Return what a run descends: :meth:`make_objective`, with pinned points held in place.

        The one place where pins take effect, for a script and a live session alike.
        """
        made = self.make_objective(affinities, supervision, geometry)
        return Pinned(made, supervision.pinned) if supervision.pinned.size else made

    @abstractmethod
    def make_optimizer(self) -> Optimizer:
        """Return the rule used after the schedule and in live steering."""

    @abstractmethod
    def make_schedule(self, affinities: Affinities, geometry: Geometry) -> Schedule:
        """Return the stages of a cold start."""

    def realign(self, geometry: Geometry, Y: NDArray[Any], supervision: Supervision) -> Geometry:
        """Return the geometry after supervision changed (Mbed binds class directions here)."""
        return geometry

    def live_values(self, objective: Objective, geometry: Geometry) -> dict[str, float]:
        """Return the present value of each live parameter in the units of its slider."""
        values = objective.parameters
        return {p.name: values[p.name] for p in self.live_parameters if p.name in values}

    def memberships(self, Y: NDArray[Any], objective: Objective) -> NDArray[Any] | None:
        """Return class probabilities (n_samples, n_classes) to color by, if the method has any."""
        return None

    def center_names(self, supervision: Supervision) -> tuple[str, ...]:
        """Return names of the landmarks that follow the points in a layout, if there are any.

        A layout may have more rows than there are points: Parametric Embedding places the centers
        of its classes along with them.
        """
        return ()

    def path_criterion(self, Y: NDArray[Any], objective: Objective) -> float:
        """Return the criterion by which layouts of an annealing path compete (Mbed), else nan."""
        return math.nan

    # -- the estimator -----------------------------------------------------------------------

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        supervision: Supervision | None = None,
    ) -> Self:
        """Embed ``X``.

        Parameters
        ----------
        X : array, DataFrame, AnnData or sparse matrix of shape (n_samples, n_features)
            Data (of an AnnData its ``X``), or dissimilarities of shape (n_samples, n_samples) with
            ``metric="precomputed"``.
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
        X, known = self._check_input(X, y, supervision)
        rng = as_generator(self.random_state)
        affinities = self.make_affinities(X, known)
        start = self.make_start(X, affinities, known, rng)
        with self._progress(self.max_iter) as progress:
            run = self._run(affinities, known, start).until(
                self.max_iter, callbacks=self._callbacks(progress)
            )
        self._keep(run, affinities, known)
        self._remember(X, affinities)
        return self

    def fit_transform(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        supervision: Supervision | None = None,
    ) -> NDArray[np.float32]:
        """Embed ``X`` and return the layout, shape (n_samples, n_components); see :meth:`fit`."""
        return self.fit(X, y, supervision).embedding_

    @property
    def _n_features_out(self) -> int:
        return int(self.embedding_.shape[1])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = isinstance(self.metric, str) and self.metric == "precomputed"
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float32"]
        return tags

    # -- what the estimators share -----------------------------------------------------------

    def _check_shared(self, n_samples: int, supervision: Supervision) -> None:
        """Check the keywords that all methods have and that are not live."""
        if supervision.n_samples != n_samples:
            raise ValueError(
                f"supervision must be of {n_samples} samples like X, got {supervision.n_samples}"
            )
        check_metric(self.metric)
        resolve_threads(self.n_jobs)
        check_perplexity(self.perplexity, n_samples)
        resolve_optimizer(self.optimizer, MomentumGradient())
        check_algorithm(self.algorithm)
        check_count("max_iter", self.max_iter)
        check_real("tol", self.tol, low=0)
        check_real("verbose", self.verbose, low=0)
        as_generator(self.random_state)
        as_callbacks(self.callbacks)
        if isinstance(self.metric, LearningMetric):
            self.metric.check_parameters()

    def _metric_for(self, X: NDArray[Any], supervision: Supervision | None) -> Any:
        """Return the metric, fitted to the labels if it is one that learns."""
        return learned_metric(self.metric, X, supervision)

    def _check_live(self, but: tuple[str, ...] = ()) -> None:
        """Check each live parameter against its own declaration, ``but`` those named."""
        for live in self.live_parameters:
            if live.name not in but:
                check_real(live.name, getattr(self, live.name), low=live.minimum, high=live.maximum)

    def _validated(self, X: ArrayLike, **options: Any) -> Any:
        """Return ``X`` as scikit-learn validates it, its errors naming the argument.

        Their wording is kept behind the name: scikit-learn's own checks of estimators look for it.
        """
        X = matrix_of(X)
        try:
            data = validate_data(
                self, X, accept_sparse="csr", dtype=[np.float64, np.float32], **options
            )
        except (TypeError, ValueError) as error:
            kind = TypeError if isinstance(error, TypeError) else ValueError
            raise kind(f"X must be a finite matrix of numbers, one row a point: {error}") from None
        check_kind(X)
        return data

    def _check_input(
        self, X: ArrayLike, y: ArrayLike | None, supervision: Supervision | None
    ) -> tuple[NDArray[Any], Supervision]:
        """Return checked data and what is known of it; parameters are checked along with them."""
        data: NDArray[Any] = check_data(self._validated(X, ensure_min_samples=2), self.metric)
        if y is not None and supervision is not None:
            raise ValueError("y and supervision cannot both be given: y is another way to say it")
        if supervision is not None and not isinstance(supervision, Supervision):
            raise TypeError(
                f"supervision must be a Supervision, got {type(supervision).__name__}; "
                "labels and rows of probabilities go in y"
            )
        known = as_supervision(y if supervision is None else supervision, data.shape[0])
        self.check_parameters(data.shape[0], known)
        self._check_pins(known)
        if must_learn(self.metric):
            check_teaches(known)
        return data, known

    def _check_pins(self, supervision: Supervision) -> None:
        """Refuse pins where nothing says at which place the points are to be held.

        A live session has a layout to hold them in and does not ask.
        """
        if supervision.pinned.size == 0 or not isinstance(getattr(self, "init", ""), str):
            return
        name = type(self).__name__
        where = (
            f"init must be an array (n_samples, n_components), got {getattr(self, 'init', '')!r}"
            if hasattr(self, "init")
            else f"{name} begins every map anew and has no init; pin points in a live session"
        )
        raise ValueError(
            f"supervision pins {supervision.pinned.size} points, but says not where they are: "
            f"{where}"
        )

    def _run(self, affinities: Affinities, supervision: Supervision, start: Start) -> Run:
        """Return a cold run that nothing has moved yet."""
        return Run(
            self.objective(affinities, supervision, start.geometry),
            self.make_optimizer(),
            start.Y,
            self.make_schedule(affinities, start.geometry),
            tol=self.tol,
            # A cost that nobody looks at meanwhile is evaluated seldom: it is an extra pass.
            cost_every=10 if self.verbose or self.callbacks is not None else 50,
        )

    def _progress(self, total: int) -> Progress:
        return Progress(total, type(self).__name__, bool(self.verbose))

    def _callbacks(self, progress: Progress) -> Iterable[Callable[[Run], Any]]:
        return (*as_callbacks(self.callbacks), progress)

    def _keep(self, run: Run, affinities: Affinities, supervision: Supervision) -> None:
        """Set the fitted attributes from a finished run."""
        self.embedding_ = np.array(run.embedding, dtype=np.float32)
        self.cost_ = float(run.cost)
        self.n_iter_ = run.iteration
        self.perplexity_ = affinities.perplexity
        self.trace_ = run.trace
        self.supervision_ = supervision

    def _remember(self, X: Any, affinities: Affinities) -> None:
        """Keep of the data what later calls need: nothing, unless a method places new points."""
