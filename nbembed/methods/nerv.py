"""NeRV: retrieves each point's neighbors from the map, with precision or with recall.

    E = t Σ_i KL(p_i‖q_i) + (1 − t) Σ_i KL(q_i‖p_i),   q_ij ∝ exp(−w_i ‖y_i − y_j‖²)

A true neighbor that the map hides costs recall, a false one that it shows costs precision; the
tradeoff t (the papers' λ) says which is worse. Equation (1) of "Supervised nonlinear dimensionality
reduction by neighbor retrieval"; see :mod:`nbembed.objectives.neighbor_retrieval`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbembed.affinities import Affinities, perplexity_affinities
from nbembed.learning_metric import LearningMetric
from nbembed.methods.algorithm import GRID_FROM, SHARED_BUT_ALGORITHM, AlgorithmChoice, GridRecipe
from nbembed.methods.learned_affinities import FLOOR, SHARPEST
from nbembed.methods.live_parameters import LiveParameter
from nbembed.methods.neighbor_base import RHO
from nbembed.methods.out_of_sample import PlacesNewPoints
from nbembed.methods.placement import FittedData, RowCost
from nbembed.methods.propagating import PropagatingRecipe
from nbembed.methods.recipe import Geometry, Part
from nbembed.methods.settings import resolve_optimizer
from nbembed.objectives.checks import Algorithm
from nbembed.objectives.link_shares import LinkForm
from nbembed.objectives.log_affinities import check_linked_pairs
from nbembed.objectives.neighbor_retrieval import NeighborRetrieval
from nbembed.optimizers import LBFGS, ConjugateGradient, MomentumGradient, Optimizer
from nbembed.run import Run
from nbembed.schedule import Schedule, Stage
from nbembed.supervision import Supervision
from nbembed.validation import check_choice

#: How many times its final width a neighborhood has at first, in how many stages it shrinks, and
#: how many iterations a stage takes at most.
WIDENING = 8.0
STAGES = 10
STAGE_STEPS = 10
#: With a sparse P: iterations at t = 1, stages in which t falls after that, and the least value to
#: which it falls before it takes its own.
RECALL_STEPS, FALLING, LEAST_TRADEOFF = 100, 4, 0.01

#: t, the same slider for NeRV and SNeRV.
TRADEOFF = LiveParameter(
    "tradeoff",
    "t",
    0.0,
    1.0,
    0.1,
    "False or missing neighbors: 0 shows no false ones (precision), 1 misses none (recall, SNE).",
    step=0.01,
    minimum=0.0,
    maximum=1.0,
)


@dataclass(frozen=True, eq=False, kw_only=True)
class RetrievalRecipe(GridRecipe):
    """Base of the recipes of NeRV and SNeRV.

    The grid has a form for one width on the map alone. With the width of each point, all pairs are
    summed for any affinities.
    """

    invalidates: ClassVar[Mapping[str, tuple[Part, ...]]] = {"map_width": ("objective",)}
    #: Rows, their logarithms, and those packed.
    dense_forms: ClassVar[int] = 3

    #: Whether points of a class count as linked; not where the labels make the distances.
    _labels_as_links: ClassVar[bool] = True

    tradeoff: float = TRADEOFF.default
    map_width: Literal["point", "uniform"] = "point"

    def check(self, n_samples: int, supervision: Supervision) -> None:
        """Raise ValueError or TypeError, naming the argument, before any work starts."""
        check_choice("map_width", self.map_width, ("point", "uniform"))
        super().check(n_samples, supervision)
        if self.algorithm == "grid" and self.map_width != "uniform":
            raise ValueError(
                "algorithm='grid' needs map_width='uniform', got 'point'; use algorithm 'exact' "
                "or 'auto'"
            )

    def check_feasible(self, X: Any, supervision: Supervision) -> None:
        """Raise ValueError also where linked pairs, each of which is stored, would not fit."""
        super().check_feasible(X, supervision)
        if self.neighbors_for(X.shape[0]) is not None:
            check_linked_pairs(np.diff(supervision.groups(labels=self._labels_as_links).indptr))

    def algorithm_for(self, n_samples: int) -> Algorithm:
        """Return the algorithm that sums the pairs of so many points."""
        return super().algorithm_for(n_samples) if self.map_width == "uniform" else "exact"

    def live_defaults(self, X: Any, supervision: Supervision) -> Self:
        """Return the recipe with one width for all points where so many are for the grid."""
        many = self.algorithm == "auto" and X.shape[0] >= GRID_FROM
        return self.replace(map_width="uniform") if many else self

    def make_affinities(self, X: Any, supervision: Supervision | None = None) -> Affinities:
        """Return rows of neighbor probabilities of the chosen perplexity."""
        metric = self._fitted_metric(X, supervision)
        affinities = perplexity_affinities(
            X,
            self.perplexity,
            metric,
            n_neighbors=self.neighbors_for(X.shape[0]),
            dtype=np.float32,
            n_jobs=self.n_jobs,
        )
        learned = isinstance(metric, LearningMetric)
        return affinities.truncated(FLOOR) if learned else affinities

    def make_objective(
        self, affinities: Affinities, supervision: Supervision, geometry: Geometry
    ) -> NeighborRetrieval:
        """Return NeRV's cost, in units of the typical width of a neighborhood."""
        width: Any = "uniform"
        if self.map_width == "point":
            width = precisions(affinities) / typical_precision(affinities)
            if affinities.floor > 0:
                width = np.minimum(width, SHARPEST)
        return NeighborRetrieval(
            affinities,
            self.tradeoff,
            width=width,
            supervision=self.acting(affinities, supervision),
            rho=self.rho,
            labels_as_links=self._labels_as_links,
            link_form=self.link_form,
            algorithm=self.algorithm_for(affinities.n_samples) if affinities.is_sparse else "exact",
            n_jobs=self.n_jobs,
        )

    def acting(self, affinities: Affinities, supervision: Supervision) -> Supervision:
        """Return the labels and links that act on the map."""
        return supervision

    def make_optimizer(self) -> Optimizer:
        """Return the optimizer of the keyword; "auto" is momentum, in a learned metric L-BFGS.

        There probabilities near zero lie beside ones near one, and the cost is far more curved.
        Momentum may circle around a minimum forever, which a line search does not (SNeRV on iris
        with two classes named: 300 iterations against no end in 25 000). In other metrics momentum
        takes no longer and ends a little lower.
        """
        learned = isinstance(self.data_metric, LearningMetric)
        return resolve_optimizer(self.optimizer, LBFGS() if learned else MomentumGradient())

    def make_schedule(self, affinities: Affinities, geometry: Geometry) -> Schedule:
        """Return shrinking neighborhoods; an array given as ``init`` is already a map: none.

        Neighborhoods cannot be widened beyond the neighbors that a sparse P stores. There recall
        comes first, t = 1, which has few local minima, and t falls from that.
        """
        if not isinstance(self.init, str):
            return Schedule()
        return self._recall_first() if affinities.is_sparse else self._shrinking()

    def _recall_first(self) -> Schedule:
        steps = min(RECALL_STEPS, self.max_iter // 4)
        fewer = steps // (FALLING + 1)
        if fewer < 1 or self.tradeoff == 1:
            return Schedule()
        optimizer = resolve_optimizer(self.optimizer, MomentumGradient())
        falling = np.geomspace(1.0, max(self.tradeoff, LEAST_TRADEOFF), FALLING + 2)[1:-1]
        stages = [Stage(steps, optimizer, {"tradeoff": 1.0}, name="recall")]
        stages += [Stage(fewer, optimizer, {"tradeoff": float(t)}, name="falling") for t in falling]
        return Schedule((*stages, Stage(1, optimizer, {"tradeoff": self.tradeoff}, name="release")))

    def _shrinking(self) -> Schedule:
        steps = min(STAGE_STEPS, self.max_iter // (2 * STAGES))
        if steps < 1:
            return Schedule()
        optimizer = resolve_optimizer(self.optimizer, ConjugateGradient())
        widenings = np.geomspace(WIDENING, 1.0, STAGES + 1)
        stages = [
            Stage(steps, optimizer, {"widening": float(s)}, name="shrinking")
            for s in widenings[:-1]
        ]
        # What a stage sets stays in force: one step at the final width.
        return Schedule((*stages, Stage(1, optimizer, {"widening": 1.0}, name="release")))


@dataclass(frozen=True, eq=False, kw_only=True)
class NeRVRecipe(PropagatingRecipe, RetrievalRecipe):
    """The recipe of NeRV's maps; the parameters are those of :class:`NeRV`."""

    summary: ClassVar[str] = "trades false neighbors for missed ones"
    live_parameters: ClassVar[tuple[LiveParameter, ...]] = (TRADEOFF, RHO)
    #: "grid" is refused with map_width="point", labels are carried to fewer points than in HSSNE.
    shared: ClassVar[tuple[str, ...]] = tuple(
        s for s in SHARED_BUT_ALGORITHM if s != "propagate_labels"
    )

    def check(self, n_samples: int, supervision: Supervision) -> None:
        """Raise ValueError or TypeError, naming the argument, before any work starts."""
        super().check(n_samples, supervision)
        if self._carries and self.neighbors_for(n_samples) is not None:
            raise ValueError(
                "propagate_labels=True needs affinities of all pairs, but "
                f"algorithm={self.algorithm!r} uses those of nearest neighbors for {n_samples} "
                "points; use propagate_labels=False, or HSSNE or SNE"
            )

    def _carries_at_once(self, n_samples: int) -> bool:
        return self.neighbors_for(n_samples) is None and super()._carries_at_once(n_samples)


class NeRV(PlacesNewPoints):
    """Neighbor retrieval visualizer, optionally semi-supervised.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions of the map.
    tradeoff : float, default=0.1
        In [0, 1]: 0 is precision alone, few false neighbors on the map; 1 is recall alone, few true
        ones missed, which is SNE. The papers call it λ.
    map_width : {"point", "uniform"}, default="point"
        Width of neighborhoods on the map: each point's own width in the data, as in the papers, or
        one for all. Costs of the two cannot be compared. With "point" a point that is about equally
        far from all others, as a text that shares few words with any, may end far outside of the
        map: "uniform" keeps it near.
    rho : float, default=0.5
        ρ in [0, 1]: the share of a linked point's neighborhood that its links take. Without labels
        or links it means nothing.
    link_form : {"structured", "uniform"}, default="structured"
        How labels and must-links enter. "structured" keeps the inner structure of a group: half of
        a point's share goes evenly to its group, half to its nearest neighbors there, and a class
        of few labels counts less. "uniform" spreads all of it evenly.
    propagate_labels : bool or "auto", default="auto"
        Carries labels to the points around them, as for :class:`~nbembed.HSSNE`, where affinities
        are those of all pairs. "auto" does so in a live session of fewer than 5000 points.
    perplexity : float or "auto", default="auto"
        Effective number of neighbors; "auto" is min(30, (n_samples − 1)/3).
    metric : str, callable or LearningMetric, default="euclidean"
        Any dissimilarity that SciPy knows, a function of two rows, "precomputed", or a metric
        learned from labels: an unfitted one learns from those that ``fit`` is given, with this
        estimator's ``random_state`` and ``n_jobs`` where it has none of its own.
    init : {"pca", "random"} or array of shape (n_samples, n_components), default="pca"
        First layout. The words give a tiny one; an array is taken as it is, with a
        little noise where it lies on a line.
    algorithm : {"auto", "exact", "grid"}, default="auto"
        How pairs of points are summed. "exact" visits all of them. "grid" takes nearly linear time
        and memory: sums by a grid on the map, with an error below 0.1 per cent, and affinities of
        the nearest 3 · perplexity neighbors alone; for two or three dimensions and
        ``map_width="uniform"``. In KL(q‖p), ε = 1e-8 then stands for p of all other points. "auto"
        takes the grid from 5000 points on; with ``map_width="point"``, or in other dimensions, the
        affinities are those of nearest neighbors, too, but all pairs are summed.
    optimizer : str or Optimizer, default="auto"
        "auto", "fixed-point", "conjugate-gradient", "momentum", "l-bfgs", or an object of
        :mod:`nbembed.optimizers`. "auto" is the papers' conjugate gradients while neighborhoods
        shrink and momentum after that, which moves a map that is steered more steadily.
    max_iter : int, default=1000
        Upper bound of iterations. In the first hundred (or half of them, if that is less)
        neighborhoods shrink from eight times their width. With affinities of nearest neighbors the
        first hundred (or a quarter) are at tradeoff 1, which falls to its value in eighty more.
    tol : float, default=1e-5
        The run has converged when twice in a row 10 iterations changed the cost by less than this
        share and moved the points by less than 3 % of the map's radius; 0 runs on.
    n_jobs : int, optional
        Threads; None or −1 uses all cores that the process may use.
    random_state : int, Generator, RandomState or None, default=None
        The same integer gives the same bits.
    verbose : int or bool, default=0
        1 shows a progress bar.
    callbacks : callable or list of callables, optional
        Called with the :class:`~nbembed.run.Run` after every iteration; one that returns True
        stops it.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_components), float32
        In units of the typical width of a neighborhood.
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

    Notes
    -----
    Costs at small tradeoffs have many local minima. Wide neighborhoods that shrink avoid most of
    them.

    References
    ----------
    .. [1] J. Peltonen, H. Aidos and S. Kaski (2009), "Supervised nonlinear dimensionality reduction
       by neighbor retrieval".
    .. [2] J. Venna and S. Kaski (2007), "Nonlinear dimensionality reduction as information
       retrieval".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> NeRV(tradeoff=0.1, random_state=0, max_iter=50).fit_transform(X).shape
    (150, 2)
    """

    recipe_type: ClassVar[type[RetrievalRecipe]] = NeRVRecipe

    _precision: float

    def __init__(
        self,
        n_components: int = 2,
        *,
        tradeoff: float = 0.1,
        map_width: Literal["point", "uniform"] = "point",
        rho: float = 0.5,
        link_form: LinkForm = "structured",
        propagate_labels: bool | Literal["auto"] = "auto",
        perplexity: float | Literal["auto"] = "auto",
        metric: str | Callable[..., float] | Any = "euclidean",
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
        self.rho = rho
        self.link_form = link_form
        self.propagate_labels = propagate_labels
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

    def row_cost(self) -> RowCost:
        """Return both divergences of one row, with the width of the point or of all."""
        if self.map_width == "uniform":
            return RowCost(tradeoff=self.tradeoff)
        return RowCost(tradeoff=self.tradeoff, precision=None, unit=self._precision)

    def _remember(self, X: Any, affinities: Affinities) -> None:
        super()._remember(X, affinities)
        if affinities.floor > 0:
            self._fitted = FittedData(np.array(X), affinities.learned_metric or "euclidean")
        self._precision = typical_precision(affinities)


def typical_precision(affinities: Affinities) -> float:
    """Return the geometric mean of the precisions β: the map's unit of length is its −½th power.

    Data come in any unit, and a map in theirs would be too small or too large for what the methods
    share: first layouts, steps, and the scale of other methods' maps.
    """
    return float(np.exp(np.mean(np.log(precisions(affinities)))))


def precisions(affinities: Affinities) -> NDArray[np.float64]:
    """Return β of each point."""
    assert affinities.beta is not None, "affinities made from data have precisions"
    return affinities.beta
