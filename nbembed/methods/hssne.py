"""HSSNE: one family of maps from symmetric SNE (α = 0) over t-SNE (α = 1) and beyond.

    J = Σ P_ij log(P_ij / Q_ij),  Q = q/Σq,  q_ij = (α‖y_i − y_j‖² + 1)^(−1/α)

"Heavy-Tailed Symmetric Stochastic Neighbor Embedding"; α sets how heavy the tails of the map's
similarity are, and with it how far clusters separate. Same-class and must-linked points attract
each other with the weight ρ (its section 6.2); see :mod:`nbembed.objectives.heavy_tailed`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from nbembed.affinities import Affinities, perplexity_affinities
from nbembed.methods.algorithm import AlgorithmChoice
from nbembed.methods.live_parameters import LiveParameter
from nbembed.methods.neighbor_base import RHO
from nbembed.methods.out_of_sample import PlacesNewPoints
from nbembed.methods.placement import RowCost
from nbembed.methods.propagating import PropagatingRecipe
from nbembed.methods.recipe import Geometry
from nbembed.methods.settings import resolve_optimizer
from nbembed.objectives.heavy_tailed import HeavyTailed
from nbembed.objectives.link_shares import LinkForm
from nbembed.objectives.similarity import Similarity
from nbembed.optimizers import MomentumGradient, MomentumLBFGS, Optimizer
from nbembed.run import Run
from nbembed.schedule import Schedule, Stage
from nbembed.supervision import Supervision

#: Iterations and strengths of the early exaggeration, in which neighbors find each other. The whole
#: map is arranged while it is small and an iteration cheap, and a third is at the weaker strength
#: (``docs/decisions/0047-at-rest-when-nothing-is-seen-to-move.md``).
EXAGGERATED_STEPS, EXAGGERATIONS = 75, (4.0, 2.0)

#: The map's radius is about √n widths of the similarity at most
#: (``docs/decisions/0046-a-map-that-can-be-read.md``).
COMPACTNESS = 1.0


@dataclass(frozen=True, eq=False, kw_only=True)
class HSSNERecipe(PropagatingRecipe):
    """The recipe of HSSNE's maps; the parameters are those of :class:`HSSNE`."""

    summary: ClassVar[str] = "clusters, with tails of your choice (α = 1 is t-SNE)"
    live_parameters: ClassVar[tuple[LiveParameter, ...]] = (
        LiveParameter(
            "alpha",
            "α",
            0.0,
            3.0,
            1.0,
            "How heavy the tails are: 0 is symmetric SNE, 1 is t-SNE, more separates clusters.",
            step=0.01,
            minimum=0.0,
            maximum=1e6,
        ),
        LiveParameter(
            "compactness",
            "c",
            0.0,
            2.0,
            COMPACTNESS,
            "Compactness of the map: 0 lets groups drift apart as far as the cost asks for.",
            step=0.01,
            minimum=0.0,
        ),
        RHO,
    )

    alpha: float | Similarity = 1.0
    compactness: float = COMPACTNESS
    tol: float = 1e-3

    def check_live(self, but: tuple[str, ...] = ()) -> None:
        """Check the live parameters; a custom similarity was checked when it was made."""
        super().check_live((*but, "alpha") if isinstance(self.alpha, Similarity) else but)

    def make_affinities(self, X: Any, supervision: Supervision | None = None) -> Affinities:
        """Return symmetric neighbor probabilities that sum to one."""
        return perplexity_affinities(
            X,
            self.perplexity,
            self._fitted_metric(X, supervision),
            n_neighbors=self.neighbors_for(X.shape[0]),
            dtype=np.float32,
            n_jobs=self.n_jobs,
        ).joint()

    def make_objective(
        self, affinities: Affinities, supervision: Supervision, geometry: Geometry
    ) -> HeavyTailed:
        """Return the divergence at the present α, ρ and compactness."""
        return HeavyTailed(
            affinities,
            self.alpha,
            supervision=self.acting(affinities, supervision),
            rho=self.rho,
            link_form=self.link_form,
            algorithm=self.algorithm_for(affinities.n_samples),
            compactness=self.compactness,
            n_jobs=self.n_jobs,
        )

    def make_optimizer(self) -> Optimizer:
        """Return the optimizer of the parameter; "auto" is momentum, then L-BFGS."""
        return resolve_optimizer(self.optimizer, MomentumLBFGS())

    def make_schedule(self, affinities: Affinities, geometry: Geometry) -> Schedule:
        """Return the early exaggeration; an array given as ``init`` is already a map: none."""
        steps = min(EXAGGERATED_STEPS, self.max_iter // 4)
        if steps < 1 or not isinstance(self.init, str):
            return Schedule()
        early, weaker = MomentumGradient(), steps // 3
        lengths = steps - weaker, weaker
        stages = [
            Stage(length, early, {"exaggeration": strength}, name="exaggeration")
            for length, strength in zip(lengths, EXAGGERATIONS)
            if length
        ]
        # One step that puts the exaggeration back; what a stage sets stays in force.
        return Schedule((*stages, Stage(1, early, {"exaggeration": 1.0}, name="release")))


class HSSNE(PlacesNewPoints):
    """Heavy-tailed symmetric stochastic neighbor embedding, optionally semi-supervised.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions of the map.
    alpha : float or Similarity, default=1.0
        α in [0, 10⁶], the heaviness of the tails: 0 is symmetric SNE, 1 is t-SNE, more separates
        clusters further. Any other decreasing similarity can be given as a pair of functions,
        :class:`nbembed.objectives.Similarity`.
    compactness : float, default=1.0
        How closely groups stand. The map's radius stays near √n_samples / compactness widths of
        the similarity or below; many points share the room of 8000. Distances between groups
        without a common neighbor say nothing about the data, and the cost lets such groups drift
        apart without end; at 0 nothing holds them, and the cost is as low as it can be. ``cost_``
        is the divergence alone.
    rho : float, default=0.5
        ρ in [0, 1]: how much labels and links count against the data. Without any it means
        nothing.
    link_form : {"structured", "uniform"}, default="structured"
        How labels and must-links enter. "structured" keeps the inner structure of a group: half of
        a point's share goes evenly to its group, half to its nearest neighbors there, and a class
        of few labels counts less. "uniform" is the paper's form, in which all pairs of a group
        attract each other alike; links between two points take it in any case.
    propagate_labels : bool or "auto", default="auto"
        Carries labels to the points around them: of each unlabeled point the class that
        label propagation finds likeliest becomes a soft label, the surer and the nearer to labels
        the more it counts. Few labels then move their neighborhoods with them, while groups that no
        label reaches stay as they are. "auto" does so in a live session of up to 20 000 points.
    perplexity : float or "auto", default="auto"
        Effective number of neighbors; "auto" is min(30, (n_samples − 1)/3).
    metric : str, callable or LearningMetric, default="euclidean"
        Any dissimilarity that SciPy knows, a function of two rows, "precomputed", or a metric
        learned from labels: an unfitted one learns from those that ``fit`` is given, with this
        estimator's ``random_state`` and ``n_jobs`` where it has none of its own.
    init : {"pca", "random"} or array of shape (n_samples, n_components), default="pca"
        First layout. The words give a tiny one; an array is taken as it is, with a
        little noise where it lies on a line. With precomputed
        dissimilarities "pca" is classical scaling, or noise where sparse ones lack pairs.
    algorithm : {"auto", "exact", "grid"}, default="auto"
        How repulsion is summed. "exact" visits all pairs of points. "grid" takes nearly linear
        time and memory: repulsion by a grid on the map, with an error below 0.1 per cent, and
        affinities of the nearest 3 · perplexity neighbors alone; for two or three dimensions.
        "auto" takes the grid from 5000 points on for two or three components; for others the
        affinities are those of nearest neighbors, too, but all pairs are summed. The pull within a
        labeled or linked group of 1000 points or more is summed by a grid, too.
    optimizer : str or Optimizer, default="auto"
        "auto", "fixed-point" (the paper's parameter-free update), "conjugate-gradient",
        "momentum", "l-bfgs", or an object of :mod:`nbembed.optimizers`. "auto" is momentum for the
        first iterations and then L-BFGS with the Laplacian of the attractions, ours.
    max_iter : int, default=1000
        Upper bound of iterations; the first 75 (or a quarter, if that is less) exaggerate
        attraction. A fit that it stops says so by scikit-learn's ConvergenceWarning.
    tol : float, default=1e-3
        The run has converged when twice in a row 10 iterations changed the cost by less than this
        share and moved the points by less than 3 % of the map's radius. Then nothing is seen to
        move; for the last digit of the cost give less, and 0 to run on to ``max_iter``.
    n_jobs : int, optional
        Threads; None or −1 uses all cores that the process may use. The result does not depend
        on it.
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
        Pairs are computed in float32, with costs summed in float64; see
        :class:`~nbembed.objectives.HeavyTailed` for float64 throughout.
    cost_ : float
        Kullback–Leibler divergence in nats, of P with labels and links mixed in.
    n_iter_ : int
    perplexity_ : float
    algorithm_ : {"exact", "grid"}
        How repulsion was summed.
    trace_ : list of Record
        One record an iteration. The cost is nan where it was not evaluated: it is every 50
        iterations, every 10 with ``verbose`` or ``callbacks``.
    supervision_ : Supervision
        Labels, links and pins of the fit.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only where the data had column names.

    References
    ----------
    .. [1] Z. Yang, I. King, Z. Xu and E. Oja, "Heavy-tailed symmetric stochastic neighbor
       embedding".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> HSSNE(alpha=1.0, random_state=0, max_iter=50).fit_transform(X).shape
    (150, 2)
    """

    recipe_type = HSSNERecipe

    def __init__(
        self,
        n_components: int = 2,
        *,
        alpha: float | Similarity = 1.0,
        compactness: float = 1.0,
        rho: float = 0.5,
        link_form: LinkForm = "structured",
        propagate_labels: bool | Literal["auto"] = "auto",
        perplexity: float | Literal["auto"] = "auto",
        metric: str | Callable[..., float] | Any = "euclidean",
        init: str | ArrayLike = "pca",
        algorithm: AlgorithmChoice = "auto",
        optimizer: Any = "auto",
        max_iter: int = 1000,
        tol: float = 1e-3,
        n_jobs: int | None = None,
        random_state: int | np.random.Generator | np.random.RandomState | None = None,
        verbose: int = 0,
        callbacks: Callable[[Run], Any] | list[Callable[[Run], Any]] | None = None,
    ) -> None:
        self.n_components = n_components
        self.alpha = alpha
        self.compactness = compactness
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
        """Return KL(p‖q) with q ∝ (ατ + 1)^(−1/α), normalized over the row."""
        return RowCost(self.alpha)
