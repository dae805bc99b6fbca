"""The recipe of Parametric Embedding: how its parts are made, for a fit and a live session alike.

    minimize  −Σ_n Σ_k p(c_k|x_n) log p(c_k|r_n) + η_r Σ‖r_n‖² + η_φ Σ‖φ_k‖²

"Parametric Embedding for Class Visualization"; the cost is in :mod:`nbembed.objectives.parametric`.
A layout holds the points first and the class centers after them. The posteriors p(c_k|x_n) are what
other methods have affinities for: the data themselves, or what a classifier that was trained on the
labeled points says of all of them. In a live session new labels make the classifier learn again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from nbembed.kernels.threads import resolve_threads
from nbembed.methods.base import EmbeddingMethod, Geometry, LiveParameter, Start
from nbembed.methods.progress import as_callbacks
from nbembed.methods.settings import as_generator, check_prior, resolve_optimizer
from nbembed.methods.starts import (
    JITTER,
    SMALL,
    best_scale,
    fitted_to,
    noise,
    padded,
    pca_layout,
    scaling_axes,
    spread,
)
from nbembed.objectives import Parametric
from nbembed.objectives.constant import Constant
from nbembed.objectives.parametric import resolve_eta
from nbembed.optimizers import LBFGS, Alternating, Optimizer
from nbembed.posteriors import Posteriors
from nbembed.posteriors.classify import learned_posteriors, resolve_classifier
from nbembed.run import Run
from nbembed.schedule import Schedule
from nbembed.validation import (
    check_choice,
    check_count,
    check_numbers,
    check_posteriors,
    check_real,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from nbembed.objectives.base import Objective
    from nbembed.supervision import Supervision

#: Steps of the centers alone when they are fitted to points that another method has placed.
FITTING_STEPS = 15
#: An adopted map that is off the size this cost likes by less than this factor keeps its own.
NEAR = 3.0


class ParametricRecipe(EmbeddingMethod):
    """How a map of posteriors is made.

    The estimator is :class:`~nbembed.methods.parametric_embedding.ParametricEmbedding`.
    """

    live_parameters: ClassVar[tuple[LiveParameter, ...]] = (
        LiveParameter(
            "eta_objects",
            "η_r",
            0.001,
            10.0,
            0.1,
            "Pull of the points towards the middle: more of it draws doubtful points inwards.",
            scale="log",
            minimum=0.0,
        ),
        LiveParameter(
            "eta_classes",
            "η_φ",
            0.01,
            10_000.0,
            10.0,
            "Pull of the class centers towards the middle: more of it makes a smaller map.",
            scale="log",
            minimum=0.0,
        ),
    )
    learns_what: ClassVar[str] = "classifier"

    #: There are no distances in it; what asks for a metric looks at the data as they are.
    metric: Any = "euclidean"

    n_components: int
    eta_objects: float
    eta_classes: float | str
    class_prior: ArrayLike | None
    class_names: Sequence[str] | None
    init: str | ArrayLike
    classifier: Any
    n_jobs: int | None

    @property
    def learns_from_labels(self) -> bool:
        """Whether there is a classifier, so that new labels make the posteriors stale."""
        return self.classifier is not None

    def check_parameters(self, n_samples: int, supervision: Supervision) -> None:
        """Raise ValueError or TypeError, naming the argument, before any work starts."""
        if supervision.n_samples != n_samples:
            raise ValueError(
                f"supervision must be of {n_samples} samples like X, got {supervision.n_samples}"
            )
        check_count("n_components", self.n_components)
        resolve_threads(self.n_jobs)
        check_real("eta_objects", self.eta_objects, low=0, open_low=True)
        resolve_eta(self.eta_classes, n_samples, 2, self.eta_objects)
        names = self._names()
        if self.classifier is not None:
            resolve_classifier(self.classifier)
            if names is not None:
                raise ValueError(
                    "class_names must be None where a classifier is given: labels have names"
                )
        if isinstance(self.init, str):
            check_choice("init", self.init, ("random", "mds"))
        resolve_optimizer(self.optimizer, Alternating())
        check_count("max_iter", self.max_iter)
        check_real("tol", self.tol, low=0)
        check_real("verbose", self.verbose, low=0)
        as_generator(self.random_state)
        as_callbacks(self.callbacks)

    def make_affinities(  # type: ignore[override]
        self, X: Any, supervision: Supervision | None = None
    ) -> Posteriors:
        """Return the class posteriors of checked data ``X``.

        Without ``classifier`` they are ``X``. With it, they are what it says of all rows after it
        has learned from the labeled ones; with fewer than two labeled classes there is nothing to
        learn, and the posteriors say so (``informative`` is false): the map then stays as it is.

        Raises
        ------
        ValueError
            If there is no classifier and ``X`` is not rows of probabilities.
        """
        if self.classifier is None:
            return Posteriors(self._checked_rows(X), self._names() or ())
        if supervision is None:
            raise ValueError("supervision must be given where a classifier is to learn from it")
        return learned_posteriors(self.classifier, X, supervision)

    def make_start(  # type: ignore[override]
        self,
        X: Any,
        affinities: Posteriors,
        supervision: Supervision,
        rng: np.random.Generator,
    ) -> Start:
        """Return class centers by ``init``, and each point at the mean of its classes' centers.

        While there is nothing to learn from, the points are at their principal components.
        """
        n, K, d = affinities.n_samples, affinities.n_classes, self.n_components
        if not isinstance(self.init, str):
            return Start(self._given(affinities, supervision), Geometry())
        if not affinities.informative:
            Y = pca_layout(X, d, self.metric, rng) / SMALL
            return Start(np.vstack([Y, _class_means(Y, supervision, K)]), Geometry())
        centers = noise(K, d, 1.0, rng)
        if self.init == "mds":
            centers = class_scaling(affinities.proba, d, rng)
        return Start(_stacked(affinities.proba @ centers, centers, n), Geometry())

    def adopt(  # type: ignore[override]
        self,
        Y: NDArray[Any],
        affinities: Posteriors,
        supervision: Supervision,
        rng: np.random.Generator,
    ) -> Start:
        """Return the points of ``Y`` at a size that this cost likes, and class centers among them.

        Centers that ``Y`` has already (rows after the points) are kept; others begin at the mean
        of the points, weighted by their posteriors, and are then fitted to where the points are.
        """
        n, K, d = affinities.n_samples, affinities.n_classes, self.n_components
        old = np.asarray(Y[n:], dtype=np.float64)[:K]
        if Y.shape[1] == d:
            points = np.asarray(Y[:n], dtype=np.float64)
        else:
            old = np.empty((0, d))
            points = fitted_to(Y[:n], d)
            points = padded(points, d, JITTER * spread(points), rng)
        if not affinities.informative:
            means = _class_means(points, supervision, K)
            means[: len(old)] = old
            return Start(np.vstack([points, means]), Geometry())
        if not spread(points) > 0:
            centers = noise(K, d, 1.0, rng)
            return Start(_stacked(affinities.proba @ centers, centers, n), Geometry())
        objective = self._parametric(affinities)
        masses = affinities.proba.sum(axis=0)
        centers = affinities.proba.T @ points / np.maximum(masses, 1e-300)[:, None]
        if len(old):
            centers[: len(old)] = old
        else:
            layout = _stacked(points, centers, n)
            factor = best_scale(objective.cost, layout)
            if not 1 / NEAR < factor < NEAR:
                points, centers = points * factor, centers * factor
        alone = objective.over_classes(points, solve=False)
        centers = Run(alone, LBFGS(), centers).step(FITTING_STEPS).embedding
        return Start(_stacked(points, centers, n), Geometry())

    def make_objective(  # type: ignore[override]
        self, affinities: Posteriors, supervision: Supervision, geometry: Geometry
    ) -> Objective:
        """Return the objective at the present parameters, or one that keeps the map as it is."""
        if not affinities.informative:
            return Constant(affinities.n_samples + affinities.n_classes, affinities.dtype)
        return self._parametric(affinities)

    def make_optimizer(self) -> Optimizer:
        """Return the optimizer of the keyword; "auto" solves points and steps class centers."""
        return resolve_optimizer(self.optimizer, Alternating(tol=self.tol))

    def make_schedule(self, affinities: Any, geometry: Geometry) -> Schedule:
        """Return no stages: the descent needs none."""
        return Schedule()

    def live_values(self, objective: Objective, geometry: Geometry) -> dict[str, float]:
        """Return η_r and η_φ, those to come where there is nothing to minimize yet."""
        values = super().live_values(objective, geometry)
        if not values:
            n = objective.n_samples
            values["eta_objects"] = float(self.eta_objects)
            values["eta_classes"] = resolve_eta(self.eta_classes, n, 2, self.eta_objects)
        return values

    def memberships(self, Y: NDArray[Any], objective: Any) -> NDArray[Any] | None:
        """Return p(c_k|r_n) on the map, shape (n_samples, n_classes)."""
        if not hasattr(objective, "membership"):
            return None
        return np.asarray(objective.membership(Y))

    def center_names(self, supervision: Supervision) -> tuple[str, ...]:
        """Return the names of the class centers.

        Those of the supervision where a classifier learns from it; else ``class_names``, and ()
        where nobody said them.
        """
        if self.classifier is not None:
            return supervision.classes
        return self._names() or ()

    # -- parts -------------------------------------------------------------------------------

    def _parametric(self, affinities: Posteriors) -> Parametric:
        prior: Any = affinities.prior
        if self.class_prior is not None:
            check_prior(self.class_prior, affinities.n_classes)
            prior = self.class_prior
        return Parametric(
            affinities.proba,
            prior,
            eta_objects=self.eta_objects,
            eta_classes=self.eta_classes,
            n_jobs=self.n_jobs,
        )

    def _checked_rows(self, X: Any) -> NDArray[Any]:
        """Return ``X`` as rows of probabilities with a column for each of ``class_names``."""
        try:
            rows = check_posteriors(X, "X")
        except ValueError as error:
            raise ValueError(
                f"{error}; for other data give a classifier that learns posteriors from labels, "
                f'such as classifier="soft-nearest-neighbor"'
            ) from None
        names = self._names()
        if names is not None and len(names) != rows.shape[1]:
            raise ValueError(
                f"class_names must have a name for each of the {rows.shape[1]} columns of X, "
                f"got {len(names)}"
            )
        return rows

    def _names(self) -> tuple[str, ...] | None:
        if self.class_names is None:
            return None
        if isinstance(self.class_names, str) or not hasattr(self.class_names, "__iter__"):
            raise TypeError(f"class_names must be a list of names, got {self.class_names!r}")
        names = tuple(str(name) for name in self.class_names)
        if len(set(names)) < len(names):
            raise ValueError(f"class_names must be distinct, got {list(names)}")
        return names

    def _given(self, affinities: Posteriors, supervision: Supervision) -> NDArray[np.float64]:
        """Return the layout that ``init`` stands for."""
        n, K, d = affinities.n_samples, affinities.n_classes, self.n_components
        given = check_numbers("init", self.init)
        if given.shape not in ((K, d), (n + K, d)):
            raise ValueError(
                f"init must have shape (n_classes, n_components) = ({K}, {d}), or "
                f"(n_samples + n_classes, n_components) = ({n + K}, {d}), got {given.shape}"
            )
        if not np.isfinite(given).all():
            raise ValueError("init must be finite, got NaN or infinity")
        if len(given) == n + K:
            return given
        if supervision.pinned.size:
            raise ValueError(
                f"init must have shape (n_samples + n_classes, n_components) = ({n + K}, {d}) to "
                f"say where pinned points are, got {given.shape}"
            )
        return _stacked(affinities.proba @ given, given, n)


def class_scaling(
    proba: NDArray[Any], n_components: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return class centers by classical scaling of the classes.

    Two classes are as far apart as their columns of posteriors, each of length one: classes that
    the same objects may belong to are near each other.
    """
    gram = np.asarray(proba.T @ proba, dtype=np.float64)
    lengths = np.sqrt(np.maximum(np.diag(gram), 1e-300))
    cosines = gram / lengths[:, None] / lengths[None, :]
    axes = scaling_axes(np.sqrt(np.maximum(2 - 2 * cosines, 0)), n_components)
    size = spread(axes) if axes.size else 0.0
    axes = axes / size if size > 0 else np.empty((len(gram), 0))
    centers = padded(axes, n_components, JITTER, rng)
    return np.asarray(centers + noise(len(centers), n_components, JITTER, rng))


def _stacked(points: Any, centers: Any, n: int) -> NDArray[np.float64]:
    return np.vstack([np.asarray(points, np.float64)[:n], centers])


def _class_means(Y: NDArray[Any], supervision: Supervision, K: int) -> NDArray[np.float64]:
    """Return mean places of labeled points, one row a class; the middle where there are none."""
    means = np.zeros((K, Y.shape[1]))
    for k in range(K):
        members = np.flatnonzero(supervision.top_class == k)
        if members.size:
            means[k] = Y[members].mean(axis=0)
    return means
