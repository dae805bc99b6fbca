"""Shared base of the recipes of HSSNE, SNE, NeRV and SNeRV: a tiny first layout, no geometry."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbembed.affinities import Affinities
from nbembed.affinities.rows import check_perplexity_of_stored
from nbembed.data.distances import fewest_stored
from nbembed.kernels.inner_product import rms_radius
from nbembed.methods.initialization import (
    JITTER,
    SMALL,
    best_scale,
    fitted_to,
    noise,
    padded,
    pca_layout,
    unfolded,
)
from nbembed.methods.learned_affinities import fitted_metric
from nbembed.methods.live_parameters import LiveParameter
from nbembed.methods.recipe import Geometry, Recipe, Start
from nbembed.methods.settings import check_init, check_shared, resolve_optimizer
from nbembed.objectives.cannot_links import check_neighbors_left
from nbembed.objectives.link_shares import LinkForm
from nbembed.optimizers import MomentumGradient, Optimizer
from nbembed.supervision import Supervision
from nbembed.validation import check_components

#: ρ, the same slider for every method that mixes links into its neighborhoods.
RHO = LiveParameter(
    "rho",
    "ρ",
    0.0,
    1.0,
    0.5,
    "Weight of labels and links, against the data: 0 ignores them, 1 sees nothing else.",
    step=0.01,
    minimum=0.0,
    maximum=1.0,
    needs="links",
)


@dataclass(frozen=True, eq=False, kw_only=True)
class NeighborRecipe(Recipe[Affinities]):
    """Base of recipes whose only geometry is the map itself."""

    group: ClassVar[str] = "Begin with"

    n_components: int = 2
    rho: float = RHO.default
    link_form: LinkForm = "structured"
    perplexity: float | Literal["auto"] = "auto"
    metric: str | Callable[..., float] | Any = "euclidean"
    init: str | ArrayLike = "pca"
    optimizer: Any = "auto"
    max_iter: int = 1000
    tol: float = 1e-5  # momentum creeps over plateaus
    n_jobs: int | None = None
    random_state: int | np.random.Generator | np.random.RandomState | None = None

    def check(self, n_samples: int, supervision: Supervision) -> None:
        """Raise ValueError or TypeError, naming the argument, before any work starts."""
        check_components(self.n_components)
        self.check_live()
        check_shared(self, n_samples, supervision)
        self._given_layout(n_samples)

    def check_data(self, X: Any) -> None:
        """Raise ValueError also where sparse dissimilarities store too few neighbors."""
        super().check_data(X)
        check_perplexity_of_stored(self.perplexity, fewest_stored(X, self.data_metric))

    def check_feasible(self, X: Any, supervision: Supervision) -> None:
        """Raise ValueError where cannot-links leave a point no neighbor."""
        super().check_feasible(X, supervision)
        check_neighbors_left(supervision)

    def make_start(
        self,
        X: Any,
        affinities: Affinities,
        supervision: Supervision,
        rng: np.random.Generator,
    ) -> Start:
        """Return principal components or noise, tiny; or the user's own layout as it is.

        One that lies on a line gets a little noise (:func:`.initialization.unfolded`).
        """
        layout = self.first_layout(X, rng)
        if layout is None:
            layout = pca_layout(X, self.n_components, self.data_metric, rng)
        return Start(layout if isinstance(self.init, str) else unfolded(layout, supervision.pinned))

    def first_layout(self, X: Any, rng: np.random.Generator) -> NDArray[Any] | None:
        """Return the first layout of a cold start, which needs no affinities."""
        given = self._given_layout(X.shape[0])
        if given is not None:
            return given
        if self.init == "random":
            return noise(X.shape[0], self.n_components, SMALL, rng)
        return super().first_layout(X, rng)

    def adopt(
        self,
        Y: NDArray[Any],
        affinities: Affinities,
        supervision: Supervision,
        rng: np.random.Generator,
    ) -> Start:
        """Return ``Y`` at the size at which this method's cost is least.

        Superfluous dimensions are dropped along the map's smallest principal axes, missing ones
        filled with a little noise.
        """
        shape = fitted_to(Y, self.n_components)
        size = rms_radius(shape)
        if not size > 0:
            return Start(noise(Y.shape[0], self.n_components, SMALL, rng))
        objective = self.make_objective(affinities, supervision, Geometry())
        shape = shape * best_scale(objective.cost, shape)
        return Start(padded(shape, self.n_components, JITTER * rms_radius(shape), rng))

    def make_optimizer(self) -> Optimizer:
        """Return the optimizer of the parameter; "auto" is momentum."""
        return resolve_optimizer(self.optimizer, MomentumGradient())

    # -- parts -------------------------------------------------------------------------------

    def _given_layout(self, n_samples: int) -> NDArray[np.float64] | None:
        """Return the layout that ``init`` gives, checked; ``None`` where it is a word."""
        return check_init(self.init, ("pca", "random"), n_samples, self.n_components)

    def _fitted_metric(self, X: Any, supervision: Supervision | None) -> Any:
        """Return the metric, fitted to the labels if it is one that learns."""
        return fitted_metric(
            self.data_metric, X, supervision, random_state=self.random_state, n_jobs=self.n_jobs
        )
