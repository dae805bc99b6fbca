"""SNeRV: NeRV on distances in which labels count, learned from as many points as have one.

    E = t Σ_i KL(p_i‖q_i) + (1 − t) Σ_i KL(q_i‖p_i),   p_ij ∝ exp(−w_i d_L(x_i, x_j)²)

equation (1) of "Supervised nonlinear dimensionality reduction by neighbor retrieval" on distances
d_L of its section 2.1 (:class:`nbembed.LearningMetric`). The metric needs no label of the points
that it measures, so points without one are embedded with the others and in the same way.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Literal, cast

import numpy as np

from nbembed.affinities import Affinities, perplexity_affinities
from nbembed.learning_metric import LearningMetric
from nbembed.learning_metric.metric import check_teaches
from nbembed.methods.base import LiveParameter
from nbembed.methods.learned import FLOOR, learned_metric
from nbembed.methods.neighbor import RHO
from nbembed.methods.nerv import TRADEOFF, NeRV
from nbembed.validation import check_choice

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from nbembed.run import Run
    from nbembed.supervision import Supervision


RHO_HERE = (
    "How much links count against the data: 0 ignores them, 1 sees nothing else. Labels are no "
    "links here: they make the metric."
)


class SNeRV(NeRV):
    """Supervised neighbor retrieval visualizer: neighbors are points of like class probabilities.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions of the map.
    tradeoff : float, default=0.1
        In [0, 1]: 0 is precision alone, few false neighbors on the map; 1 is recall alone, few true
        ones missed. The papers call it λ.
    n_centroids : int or "cv", default="cv"
        Number of Gaussians of the metric; see :class:`~nbembed.LearningMetric`.
    width : float or "cv", default="cv"
        Their σ, in units of the data.
    output_width : {"uniform", "point"}, default="uniform"
        Width of neighborhoods on the map: what :class:`~nbembed.NeRV` calls ``width``. The paper
        has one for each point; but in a metric that vanishes where classes are certain widths
        differ so much that one for all gives better maps.
    n_pieces : int, default=10
        Pieces of a path between two points.
    shortest_paths : bool, default=False
        Whether distances are shortest paths over all points, O(n³), in place of straight ones.
    cv : int or None, default=5
        Folds of the cross-validation of the metric; None, with n_centroids and width given, does
        without.
    rho : float, default=0.5
        ρ in [0, 1]: the share of a must-linked point's neighborhood that its links take. Labels are
        no links here: they make the metric.
    perplexity : float or "auto", default="auto"
        Effective number of neighbors; "auto" is half the number of points to a Gaussian,
        0.5·n_samples/n_centroids, as in the paper.
    init : {"pca", "random"} or array of shape (n_samples, n_components), default="pca"
        First layout. The words give a tiny one; an array is taken as it is.
    optimizer : str or Optimizer, default="auto"
        As for :class:`~nbembed.NeRV`, but that "auto" goes on with L-BFGS once neighborhoods have
        shrunk.
    algorithm : {"auto", "exact"}, default="auto"
        How sums over pairs are computed.
    max_iter : int, default=1000
        Upper bound of iterations. In the first hundred (or half of them, if that is less)
        neighborhoods shrink from eight times their width.
    tol : float, default=1e-4
        The map is at rest when its points moved by less than this share of its radius in 25
        iterations in a row.
    n_jobs : int, optional
        Threads; None or −1 uses all cores that the process may use.
    random_state : int, Generator, RandomState or None, default=None
        Of the start; the same number gives the same bits. The metric always learns with 0: the
        same labels teach the same. For another one, :class:`~nbembed.NeRV` takes a LearningMetric.
    verbose : int, default=0
        1 shows progress bars.
    callbacks : callable or list of callables, optional
        Called with the :class:`~nbembed.run.Run` after every iteration; one that returns True
        stops it.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components), float32
        In units of the typical width of a neighborhood.
    learning_metric_ : LearningMetric
        Fitted; its ``cv_results_`` tell how it was chosen.
    cost_ : float
        In nats.
    n_iter_ : int
    perplexity_ : float
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
    >>> X, y = load_iris(return_X_y=True)
    >>> y[::2] = -1  # these are embedded all the same
    >>> SNeRV(n_centroids=6, width=1.0, random_state=0, max_iter=50).fit_transform(X, y).shape
    (150, 2)
    """

    learns_from_labels: ClassVar[Any] = True
    _labels_as_links: ClassVar[bool] = False
    _is_learned: ClassVar[Any] = True

    live_parameters: ClassVar[tuple[LiveParameter, ...]] = (
        TRADEOFF,
        replace(RHO, description=RHO_HERE, needs="must-links"),
    )

    #: The metric that stands in while there are too few labels; not a keyword.
    metric: Any = "euclidean"

    learning_metric_: LearningMetric

    def __init__(
        self,
        n_components: int = 2,
        *,
        tradeoff: float = 0.1,
        n_centroids: int | Literal["cv"] = "cv",
        width: float | Literal["cv"] = "cv",
        output_width: Literal["uniform", "point"] = "uniform",
        n_pieces: int = 10,
        shortest_paths: bool = False,
        cv: int | None = 5,
        rho: float = 0.5,
        perplexity: float | Literal["auto"] = "auto",
        init: str | ArrayLike = "pca",
        optimizer: Any = "auto",
        algorithm: str = "auto",
        max_iter: int = 1000,
        tol: float = 1e-4,
        n_jobs: int | None = None,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        verbose: int = 0,
        callbacks: Callable[[Run], Any] | list[Callable[[Run], Any]] | None = None,
    ) -> None:
        self.n_components = n_components
        self.tradeoff = tradeoff
        self.n_centroids = n_centroids
        self.width = width  # type: ignore[assignment]
        self.output_width = output_width
        self.n_pieces = n_pieces
        self.shortest_paths = shortest_paths
        self.cv = cv
        self.rho = rho
        self.perplexity = perplexity
        self.init = init
        self.optimizer = optimizer
        self.algorithm = algorithm
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.callbacks = callbacks

    def check_parameters(self, n_samples: int, supervision: Supervision) -> None:
        """Raise ValueError or TypeError, naming the argument, before any work starts."""
        check_choice("output_width", self.output_width, ("uniform", "point"))
        self._learner().check_parameters()
        super(NeRV, self).check_parameters(n_samples, supervision)

    def make_affinities(
        self, X: NDArray[Any], supervision: Supervision | None = None
    ) -> Affinities:
        """Return rows of neighbor probabilities in the metric that the labels teach.

        Where fewer than two classes have a labeled point, as when a live session begins, the
        Euclidean metric and NeRV's perplexity stand in.
        """
        metric = learned_metric(self._learner(), X, supervision)
        perplexity = self.perplexity
        if perplexity == "auto" and isinstance(metric, LearningMetric):
            n = X.shape[0]
            perplexity = min(max(1.0, 0.5 * n / len(metric.centroids_)), n - 1.0)
        affinities = perplexity_affinities(
            X, perplexity, metric, dtype=np.float32, n_jobs=self.n_jobs
        )
        return affinities.truncated(FLOOR)

    def _learner(self) -> LearningMetric:
        return LearningMetric(
            self.n_centroids,
            cast("Any", self.width),  # NeRV's keyword of that name is another
            n_pieces=self.n_pieces,
            shortest_paths=self.shortest_paths,
            cv=self.cv,
            n_jobs=self.n_jobs,
            random_state=0,
            verbose=self.verbose,
        )

    def _check_input(
        self, X: ArrayLike, y: ArrayLike | None, supervision: Supervision | None
    ) -> tuple[NDArray[Any], Supervision]:
        data, known = super()._check_input(X, y, supervision)
        if y is None and supervision is None:
            raise ValueError(
                "SNeRV requires y to be passed, but the target y is None, and so is supervision"
            )
        check_teaches(known)
        return data, known

    @property
    def _map_width(self) -> str:
        return self.output_width

    def _remember(self, X: Any, affinities: Affinities) -> None:
        super()._remember(X, affinities)
        assert affinities.learned_metric is not None, "labels were checked"
        self.learning_metric_ = affinities.learned_metric

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.sparse = False
        return tags
