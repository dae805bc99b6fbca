"""What SNE and HSSNE share: methods that start tiny and have no unit of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nbembed.methods.base import EmbeddingMethod, Geometry, LiveParameter, Start
from nbembed.methods.settings import resolve_optimizer
from nbembed.methods.starts import (
    JITTER,
    SMALL,
    best_scale,
    fitted_to,
    noise,
    padded,
    pca_layout,
    spread,
)
from nbembed.optimizers import MomentumGradient, Optimizer
from nbembed.validation import check_choice, check_count, check_magnitude, check_numbers

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from nbembed.affinities import Affinities
    from nbembed.supervision import Supervision

#: ρ, the same slider for every method that mixes links into its neighborhoods.
RHO = LiveParameter(
    "rho",
    "ρ",
    0.0,
    1.0,
    0.5,
    "How much labels and links count against the data: 0 ignores them, 1 sees nothing else.",
    step=0.01,
    minimum=0.0,
    maximum=1.0,
    needs="links",
)


class NeighborMethod(EmbeddingMethod):
    """Base of methods whose only geometry is the map itself."""

    n_components: int
    init: str | ArrayLike
    n_jobs: int | None

    def check_parameters(self, n_samples: int, supervision: Supervision) -> None:
        """Raise ValueError or TypeError, naming the argument, before any work starts."""
        check_count("n_components", self.n_components)
        self._check_live()
        self._check_shared(n_samples, supervision)
        self._check_init(n_samples)

    def make_start(
        self,
        X: NDArray[Any],
        affinities: Affinities,
        supervision: Supervision,
        rng: np.random.Generator,
    ) -> Start:
        """Return principal components or noise, tiny; or the user's own layout as it is."""
        if not isinstance(self.init, str):
            return Start(self._check_init(X.shape[0]), Geometry())
        if self.init == "random":
            Y = noise(X.shape[0], self.n_components, SMALL, rng)
        else:
            Y = pca_layout(X, self.n_components, self.metric, rng)
        return Start(Y, Geometry())

    def adopt(
        self,
        Y: NDArray[Any],
        affinities: Affinities,
        supervision: Supervision,
        rng: np.random.Generator,
    ) -> Start:
        """Return ``Y`` at the size that this method's cost likes best.

        Superfluous dimensions are dropped along the map's smallest principal axes, missing ones
        filled with a little noise.
        """
        shape = fitted_to(Y, self.n_components)
        size = spread(shape)
        if not size > 0:
            return Start(noise(Y.shape[0], self.n_components, SMALL, rng), Geometry())
        objective = self.make_objective(affinities, supervision, Geometry())
        shape = shape * best_scale(objective.cost, shape)
        Y = padded(shape, self.n_components, JITTER * spread(shape), rng)
        return Start(Y, Geometry())

    def make_optimizer(self) -> Optimizer:
        """Return the optimizer of the keyword; "auto" is momentum."""
        return resolve_optimizer(self.optimizer, MomentumGradient())

    def _check_init(self, n_samples: int) -> NDArray[np.float64]:
        """Check ``init``; return it as an array where it is one."""
        if isinstance(self.init, str):
            check_choice("init", self.init, ("pca", "random"))
            return np.empty((0, 0))
        Y = check_numbers("init", self.init)
        if Y.shape != (n_samples, self.n_components):
            raise ValueError(
                f"init must have shape (n_samples, n_components) = "
                f"({n_samples}, {self.n_components}), got {Y.shape}"
            )
        if not np.isfinite(Y).all():
            raise ValueError("init must be finite, got NaN or infinity")
        check_magnitude(Y, "init", high=1e30)  # squares of float32 must not overflow
        return Y
