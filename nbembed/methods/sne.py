"""SNE: matches each point's neighbor distribution on the map to that in the data.

    C = Σ_i KL(p_i ‖ q_i),  q_ij ∝ exp(−‖y_i − y_j‖²)

Hinton and Roweis (2002). The asymmetric ancestor of the family, and the first term of Mbed's cost;
see :mod:`nbembed.objectives.sne`.
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
from nbembed.objectives.link_shares import LinkForm
from nbembed.objectives.sne import SNE as RowDivergence
from nbembed.run import Run
from nbembed.supervision import Supervision


@dataclass(frozen=True, eq=False, kw_only=True)
class SNERecipe(PropagatingRecipe):
    """The recipe of SNE's maps; the parameters are those of :class:`SNE`."""

    group: ClassVar[str] = "More methods"
    summary: ClassVar[str] = "keeps neighborhoods, without pulling clusters apart"
    live_parameters: ClassVar[tuple[LiveParameter, ...]] = (RHO,)

    def make_affinities(self, X: Any, supervision: Supervision | None = None) -> Affinities:
        """Return rows of neighbor probabilities of the chosen perplexity."""
        return perplexity_affinities(
            X,
            self.perplexity,
            self._fitted_metric(X, supervision),
            n_neighbors=self.neighbors_for(X.shape[0]),
            dtype=np.float32,
            n_jobs=self.n_jobs,
        )

    def make_objective(
        self, affinities: Affinities, supervision: Supervision, geometry: Geometry
    ) -> RowDivergence:
        """Return SNE's cost."""
        return RowDivergence(
            affinities,
            supervision=self.acting(affinities, supervision),
            rho=self.rho,
            link_form=self.link_form,
            algorithm=self.algorithm_for(affinities.n_samples),
            n_jobs=self.n_jobs,
        )


class SNE(PlacesNewPoints):
    """Stochastic neighbor embedding, asymmetric, optionally semi-supervised.

    Parameters
    ----------
    n_components : int, default=2
        Dimensions of the map.
    rho : float, default=0.5
        ρ in [0, 1]: the share of a linked point's neighborhood that its links take. Without labels
        or links it means nothing.
    link_form : {"structured", "uniform"}, default="structured"
        How labels and must-links enter. "structured" keeps the inner structure of a group: half of
        a point's share goes evenly to its group, half to its nearest neighbors there, and a class
        of few labels counts less. "uniform" spreads all of it evenly.
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
        little noise where it lies on a line.
    algorithm : {"auto", "exact", "grid"}, default="auto"
        How repulsion is summed. "exact" visits all pairs of points. "grid" takes nearly linear
        time and memory: repulsion by a grid on the map, with an error below 0.1 per cent, and
        affinities of the nearest 3 · perplexity neighbors alone; for two or three dimensions.
        "auto" takes the grid from 5000 points on for two or three components; for others the
        affinities are those of nearest neighbors, too, but all pairs are summed. The pull within a
        labeled or linked group of 1000 points or more is summed by a grid, too.
    optimizer : str or Optimizer, default="auto"
        "auto", "fixed-point", "conjugate-gradient", "momentum", "l-bfgs", or an object of
        :mod:`nbembed.optimizers`. "auto" is momentum.
    max_iter : int, default=1000
        Upper bound of iterations.
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
    cost_ : float
        In nats.
    n_iter_ : int
    perplexity_ : float
    algorithm_ : {"exact", "grid"}
        How repulsion was summed.
    trace_ : list of Record
        One record an iteration.
    supervision_ : Supervision
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only where the data had column names.

    References
    ----------
    .. [1] G. Hinton and S. Roweis (2002), "Stochastic neighbor embedding".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> SNE(random_state=0, max_iter=50).fit_transform(X).shape
    (150, 2)
    """

    recipe_type = SNERecipe

    def __init__(
        self,
        n_components: int = 2,
        *,
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
        """Return KL(p‖q) with q ∝ exp(−τ): a point's own row of the cost."""
        return RowCost()
