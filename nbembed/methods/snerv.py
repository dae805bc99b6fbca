"""SNeRV: NeRV in a metric that is learned from the labeled points.

    E = t Σ_i KL(p_i‖q_i) + (1 − t) Σ_i KL(q_i‖p_i),   p_ij ∝ exp(−w_i d_L(x_i, x_j)²)

equation (1) of "Supervised nonlinear dimensionality reduction by neighbor retrieval" on distances
d_L of its section 2.1 (:class:`nbembed.LearningMetric`). The metric measures unlabeled points
too, so they are embedded together with the labeled ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbembed.affinities import Affinities, perplexity_affinities
from nbembed.learning_metric import LearningMetric
from nbembed.learning_metric.labels import name_classes
from nbembed.methods.algorithm import AlgorithmChoice
from nbembed.methods.learned_affinities import FLOOR, must_learn
from nbembed.methods.live_parameters import LiveParameter
from nbembed.methods.neighbor_base import RHO
from nbembed.methods.nerv import TRADEOFF, NeRV, RetrievalRecipe
from nbembed.methods.recipe import Part
from nbembed.objectives.link_shares import LinkForm
from nbembed.run import Run
from nbembed.supervision import Supervision
from nbembed.validation import check_real, shown

RHO_OF_LINKS = (
    "How much links count against the data: 0 ignores them, 1 sees nothing else. Labels do not act "
    "as links here: the metric is learned from them."
)


@dataclass(frozen=True, eq=False, kw_only=True)
class SNeRVRecipe(RetrievalRecipe):
    """The recipe of SNeRV's maps; the parameters are those of :class:`SNeRV`."""

    summary: ClassVar[str] = "NeRV in a metric learned from labels"
    group: ClassVar[str] = "More methods"
    live_parameters: ClassVar[tuple[LiveParameter, ...]] = (
        TRADEOFF,
        replace(RHO, description=RHO_OF_LINKS, needs="must-links"),
    )
    invalidates: ClassVar[Mapping[str, tuple[Part, ...]]] = {
        "map_width": ("objective",),
        "floor": ("affinities",),
        "metric": ("affinities",),
        "random_state": ("affinities",),
    }
    #: Without "metric": a metric that learns from labels is not one that describes the data.
    shared: ClassVar[tuple[str, ...]] = ("perplexity", "n_jobs", "random_state", "rho", "link_form")

    _labels_as_links: ClassVar[bool] = False

    map_width: Literal["uniform", "point"] = "uniform"
    floor: float = FLOOR
    metric: LearningMetric | None = None

    @property
    def data_metric(self) -> Any:
        """The metric that is learned from labels; :meth:`check` refuses any other."""
        return self.metric if isinstance(self.metric, LearningMetric) else LearningMetric()

    def check(self, n_samples: int, supervision: Supervision) -> None:
        """Raise ValueError or TypeError, naming the argument, before any work starts."""
        if not isinstance(self.metric, LearningMetric | None):
            raise TypeError(f"metric must be None or a LearningMetric, got {shown(self.metric)}")
        check_real("floor", self.floor, low=0, high=0.5)
        super().check(n_samples, supervision)

    def make_affinities(self, X: Any, supervision: Supervision | None = None) -> Affinities:
        """Return rows of neighbor probabilities in the metric that is learned from the labels.

        Where fewer than two classes have a labeled point, as when a live session begins, the
        Euclidean metric and NeRV's perplexity are used instead.
        """
        metric = self._fitted_metric(X, supervision)
        perplexity = self.perplexity
        if perplexity == "auto" and isinstance(metric, LearningMetric):
            n = X.shape[0]
            perplexity = min(max(1.0, 0.5 * n / len(metric.centroids_)), n - 1.0)
        affinities = perplexity_affinities(
            X,
            perplexity,
            metric,
            n_neighbors=self.replace(perplexity=perplexity).neighbors_for(X.shape[0]),
            dtype=np.float32,
            n_jobs=self.n_jobs,
        )
        return affinities.truncated(self.floor) if self.floor else affinities


class SNeRV(NeRV):
    """Supervised neighbor retrieval visualizer: neighbors have similar class probabilities.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions of the map.
    tradeoff : float, default=0.1
        In [0, 1]: 0 is precision alone, few false neighbors on the map; 1 is recall alone, few true
        ones missed. The papers call it λ.
    map_width : {"uniform", "point"}, default="uniform"
        Width of neighborhoods on the map: one for all, or each point's own width in the metric. The
        paper has one for each point; but in a metric that vanishes where classes are certain,
        widths differ so much that one for all gives better maps.
    floor : float, default=1e-8
        ε in [0, 0.5]: probabilities of the data below it count as ε in KL(q‖p), and no neighborhood
        on the map is narrower than a tenth of the typical one. With 0 there is no such bound, and
        ``map_width="point", floor=0`` is the paper's cost.
    rho : float, default=0.5
        ρ in [0, 1]: the share of a must-linked point's neighborhood that its links take. Labels do
        not act as links here: the metric is learned from them.
    link_form : {"structured", "uniform"}, default="structured"
        How must-links enter: "structured" keeps the inner structure of a group of three points or
        more, "uniform" spreads the share evenly over it.
    perplexity : float or "auto", default="auto"
        Effective number of neighbors; "auto" is half the number of points to a Gaussian,
        0.5·n_samples/n_centroids, as in the paper.
    metric : LearningMetric or None, default=None
        The metric. An unfitted one is cloned and fitted to the labels, with this estimator's
        ``random_state`` (0 if that is no integer) and ``n_jobs`` where it has none of its own. None
        is ``LearningMetric()``.
    init : {"pca", "random"} or array of shape (n_samples, n_components), default="pca"
        First layout. The words give a tiny one; an array is taken as it is, with a
        little noise where it lies on a line.
    algorithm : {"auto", "exact", "grid"}, default="auto"
        As for :class:`~nbembed.NeRV`: from 5000 points on "auto" takes the grid, with affinities of
        the nearest 3 · perplexity neighbors alone. Their number grows with that of the points
        unless a perplexity is given.
    optimizer : str or Optimizer, default="auto"
        As for :class:`~nbembed.NeRV`, except that "auto" continues with L-BFGS once neighborhoods
        have shrunk.
    max_iter : int, default=1000
        Upper bound of iterations. In the first hundred (or half of them, if that is less)
        neighborhoods shrink from eight times their width; with affinities of nearest neighbors the
        tradeoff falls from 1 instead, as for :class:`~nbembed.NeRV`.
    tol : float, default=1e-5
        The run has converged when twice in a row 10 iterations changed the cost by less than this
        share and moved the points by less than 3 % of the map's radius; 0 runs on.
    n_jobs : int, optional
        Threads; None or −1 uses all cores that the process may use.
    random_state : int, Generator, RandomState or None, default=None
        Of the first layout and of the metric. The same integer gives the same bits.
    verbose : int or bool, default=0
        1 shows a progress bar. ``LearningMetric(verbose=1)`` shows that of the cross-validation.
    callbacks : callable or list of callables, optional
        Called with the :class:`~nbembed.run.Run` after every iteration; one that returns True
        stops it.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components), float32
        In units of the typical width of a neighborhood.
    learning_metric_ : LearningMetric
        The fitted metric; its ``cv_results_`` show how it was chosen. Where it was learned from
        ``y``, it predicts labels as they are in ``y``.
    cost_ : float
        In nats.
    n_iter_ : int
    perplexity_ : float
    algorithm_ : {"exact", "grid"}
        How pairs were summed.
    trace_ : list of Record
        One record an iteration.
    supervision_ : Supervision
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only where the data had column names.

    References
    ----------
    .. [1] J. Peltonen, H. Aidos and S. Kaski (2009), "Supervised nonlinear dimensionality reduction
       by neighbor retrieval".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from nbembed import LearningMetric
    >>> X, y = load_iris(return_X_y=True)
    >>> y[::2] = -1  # unlabeled points are embedded too
    >>> metric = LearningMetric(n_centroids=6, width=1.0)
    >>> SNeRV(metric=metric, random_state=0, max_iter=50).fit_transform(X, y).shape
    (150, 2)
    """

    recipe_type = SNeRVRecipe

    learning_metric_: LearningMetric

    def __init__(
        self,
        n_components: int = 2,
        *,
        tradeoff: float = 0.1,
        map_width: Literal["uniform", "point"] = "uniform",
        floor: float = 1e-8,
        rho: float = 0.5,
        link_form: LinkForm = "structured",
        perplexity: float | Literal["auto"] = "auto",
        metric: LearningMetric | None = None,
        init: str | ArrayLike = "pca",
        algorithm: AlgorithmChoice = "auto",
        optimizer: Any = "auto",
        max_iter: int = 1000,
        tol: float = 1e-5,
        n_jobs: int | None = None,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        verbose: int = 0,
        callbacks: Callable[[Run], Any] | list[Callable[[Run], Any]] | None = None,
    ) -> None:
        self.n_components = n_components
        self.tradeoff = tradeoff
        self.map_width = map_width
        self.floor = floor
        self.rho = rho
        self.link_form = link_form
        self.perplexity = perplexity
        self.metric = metric
        self.init = init
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
        """Learn the metric from the labels and embed ``X``.

        Parameters and errors: as in :meth:`NeRV.fit`; labels of two classes are needed unless
        ``metric`` is fitted.
        """
        super().fit(X, y, supervision)
        if y is not None and self.learning_metric_ is not self.metric:
            name_classes(self.learning_metric_, self.supervision_, y)
        return self

    def _check_input(
        self, X: ArrayLike, y: ArrayLike | None, supervision: Supervision | None
    ) -> tuple[NDArray[Any], Supervision]:
        if y is None and supervision is None and must_learn(self.recipe.data_metric):
            raise ValueError(
                "SNeRV requires y to be passed, but the target y is None; supervision can be "
                "given instead"
            )
        return super()._check_input(X, y, supervision)

    def _remember(self, X: Any, affinities: Any) -> None:
        super()._remember(X, affinities)
        assert affinities.learned_metric is not None, "labels were checked"
        self.learning_metric_ = affinities.learned_metric

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = must_learn(self.recipe.data_metric)
        tags.input_tags.sparse = False
        return tags
