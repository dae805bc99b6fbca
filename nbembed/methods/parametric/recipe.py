"""The recipe of Parametric Embedding: how a map of class posteriors is made.

    minimize  −Σ_n Σ_k p(c_k|x_n) log p(c_k|r_n) + η_r Σ‖r_n‖² + η_φ Σ‖φ_k‖²

"Parametric Embedding for Class Visualization"; the cost is in :mod:`nbembed.objectives.parametric`.
A layout holds the points first and the class centers after them. The posteriors p(c_k|x_n) take the
place of affinities: the data themselves, or the predictions for all points of a classifier that was
trained on the labeled ones. In a live session the classifier is trained again on new labels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from nbembed.data.class_probabilities import check_class_prior, check_posteriors
from nbembed.kernels.inner_product import rms_radius
from nbembed.methods.initialization import (
    JITTER,
    SMALL,
    best_scale,
    fitted_to,
    noise,
    padded,
    pca_layout,
    scaling_axes,
    unfolded,
)
from nbembed.methods.live_parameters import LiveParameter
from nbembed.methods.recipe import Geometry, Part, Recipe, Start
from nbembed.methods.settings import check_shared, resolve_optimizer
from nbembed.objectives import Parametric
from nbembed.objectives.base import Objective
from nbembed.objectives.checks import check_range
from nbembed.objectives.constant import Constant
from nbembed.objectives.parametric import resolve_eta
from nbembed.optimizers import LBFGS, Alternating, Optimizer
from nbembed.posteriors import Posteriors
from nbembed.posteriors.classify import (
    labeled_classes,
    learned_posteriors,
    resolve_classifier,
)
from nbembed.run import Run
from nbembed.supervision import Supervision
from nbembed.system.blas import one_blas_thread
from nbembed.validation import check_choice, check_components, check_numbers, shown

#: Steps of the centers alone when they are fitted to points that another method has placed.
FITTING_STEPS = 15
#: An adopted map keeps its size if that is off this cost's best one by less than this factor.
NEAR = 3.0
#: The classifier in a session whose data are no posteriors and that names no other.
CLASSIFIER = "soft-nearest-neighbor"


@dataclass(frozen=True, eq=False, kw_only=True)
class ParametricEmbeddingRecipe(Recipe[Posteriors]):
    """The recipe of maps of posteriors.

    The parameters are those of :class:`~nbembed.ParametricEmbedding`.
    """

    summary: ClassVar[str] = "places points by a classifier's class probabilities"
    group: ClassVar[str] = "More methods"

    live_parameters: ClassVar[tuple[LiveParameter, ...]] = (
        LiveParameter(
            "eta_objects",
            "η_r",
            0.001,
            10.0,
            0.1,
            "Pull of the points towards the middle: more of it draws doubtful points inwards.",
            scale="log",
            minimum=1e-9,
            maximum=1e9,
        ),
        LiveParameter(
            "eta_classes",
            "η_φ",
            0.01,
            10_000.0,
            10.0,
            "Pull of the class centers towards the middle: more of it makes a smaller map.",
            scale="log",
            minimum=1e-9,
            maximum=1e12,
        ),
    )
    invalidates: ClassVar[Mapping[str, tuple[Part, ...]]] = {"class_prior": ("objective",)}
    learns: ClassVar[str] = "classifier"

    n_components: int = 2
    eta_objects: float = 0.1
    eta_classes: float | str = "auto"
    class_prior: ArrayLike | None = None
    init: str | ArrayLike = "random"
    classifier: Any = None
    class_names: Sequence[str] | None = None
    optimizer: Any = "auto"
    max_iter: int = 500
    tol: float = 1e-4
    n_jobs: int | None = None
    random_state: int | np.random.Generator | np.random.RandomState | None = None

    @property
    def learns_from_labels(self) -> bool:
        """True if there is a classifier, so that new labels invalidate the posteriors."""
        return self.classifier is not None

    def check(self, n_samples: int, supervision: Supervision) -> None:
        """Raise ValueError or TypeError, naming the argument, before any work starts."""
        check_shared(self, n_samples, supervision)
        check_components(self.n_components)
        automatic = isinstance(self.eta_classes, str)
        self.check_live(but=("eta_classes",) if automatic else ())
        resolve_eta(self.eta_classes, n_samples, 2, self.eta_objects)
        names = self._names()
        if self.classifier is not None:
            resolve_classifier(self.classifier)
            if names is not None:
                raise ValueError(
                    "class_names must be None when a classifier is given: its classes are named "
                    "by the labels"
                )
            if self.class_prior is not None:
                entries, n_classes = np.size(self.class_prior), len(supervision.classes)
                check_class_prior(self.class_prior, max(entries, n_classes))
        if isinstance(self.init, str):
            check_choice("init", self.init, ("random", "mds"))

    def check_data(self, X: Any) -> None:
        """Raise ValueError where there is no classifier and ``X`` is not rows of probabilities."""
        if self.classifier is None:
            self.checked_rows(X)

    def make_affinities(self, X: Any, supervision: Supervision | None = None) -> Posteriors:
        """Return the class posteriors of checked data ``X``.

        Without ``classifier`` they are ``X``. With it, they are its predictions for all rows after
        it was trained on the labeled ones; with fewer than two labeled classes it cannot be
        trained, the posteriors are marked so (``informative`` is false), and the map stays as it
        is.

        Raises
        ------
        ValueError
            If there is no classifier and ``X`` is not rows of probabilities.
        """
        if self.classifier is None:
            return Posteriors(self.checked_rows(X), self._names() or ())
        if supervision is None:
            raise ValueError("supervision must be given with a classifier, which learns from it")
        return learned_posteriors(self.classifier, X, supervision)

    @one_blas_thread()
    def make_start(
        self,
        X: Any,
        affinities: Posteriors,
        supervision: Supervision,
        rng: np.random.Generator,
    ) -> Start:
        """Return class centers by ``init``, and each point at the mean of its classes' centers.

        While the classifier cannot be trained, the points are at their principal components.
        """
        n, K, d = affinities.n_samples, affinities.n_classes, self.n_components
        if not isinstance(self.init, str):
            return Start(self._given(affinities, supervision))
        if not affinities.informative:
            Y = pca_layout(X, d, self.data_metric, rng) / SMALL
            return Start(np.vstack([Y, _class_means(Y, supervision, K)]))
        centers = noise(K, d, 1.0, rng)
        if self.init == "mds":
            centers = class_scaling(affinities.proba, d, rng)
        return Start(_stacked(affinities.proba @ centers, centers, n))

    @one_blas_thread()
    def adopt(
        self,
        Y: NDArray[Any],
        affinities: Posteriors,
        supervision: Supervision,
        rng: np.random.Generator,
    ) -> Start:
        """Return the points of ``Y`` near the size at which this cost is least, and class centers.

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
            points = padded(points, d, JITTER * rms_radius(points), rng)
        if not affinities.informative:
            means = _class_means(points, supervision, K)
            means[: len(old)] = old
            return Start(np.vstack([points, means]))
        if not rms_radius(points) > 0:
            centers = noise(K, d, 1.0, rng)
            return Start(_stacked(affinities.proba @ centers, centers, n))
        objective = self.parametric(affinities)
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
        # Two centers draw all points onto a line, and a third one on it would never leave it.
        centers[len(old) :] += noise(K - len(old), d, JITTER * rms_radius(points), rng)
        return Start(_stacked(points, centers, n))

    def make_objective(
        self, affinities: Posteriors, supervision: Supervision, geometry: Geometry
    ) -> Objective:
        """Return the objective at the present parameters, or one that keeps the map as it is."""
        if not affinities.informative:
            return Constant(affinities.n_samples + affinities.n_classes, affinities.dtype)
        return self.parametric(affinities)

    def make_optimizer(self) -> Optimizer:
        """Return the optimizer of the parameter; "auto" solves points and steps class centers."""
        return resolve_optimizer(self.optimizer, Alternating(tol=self.tol))

    def to_objective(self, values: Mapping[str, float], geometry: Geometry) -> dict[str, Any]:
        """Return η_r and η_φ; an "auto" η_φ follows η_r."""
        found: dict[str, Any] = dict(values)
        if "eta_objects" in found and isinstance(self.eta_classes, str):
            found.setdefault("eta_classes", self.eta_classes)
        return found

    def updated_objective(
        self, objective: Objective, values: Mapping[str, float], geometry: Geometry
    ) -> Objective:
        """Return a running objective with η_r or η_φ changed; one without parameters as it is."""
        if not objective.parameters:
            return objective
        return super().updated_objective(objective, values, geometry)

    def live_values(self, objective: Objective, geometry: Geometry) -> dict[str, float]:
        """Return η_r and η_φ; where there is nothing to minimize yet, the values they will have."""
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

        Those of the supervision where a classifier learns from it; else ``class_names``, or ()
        without.
        """
        if self.classifier is not None:
            return supervision.classes
        return self._names() or ()

    def live_defaults(self, X: Any, supervision: Supervision) -> Self:
        """Return the recipe with a classifier where the data ``X`` are no posteriors."""
        if self.classifier is not None or are_posteriors(X):
            return self
        return self.replace(classifier=CLASSIFIER)

    def waits_for(self, supervision: Supervision) -> str:
        """Return the classifier's missing input: labels of at least two classes."""
        if self.classifier is None or labeled_classes(supervision).size >= 2:
            return ""
        return "two classes have labels"

    # -- parts -------------------------------------------------------------------------------

    def parametric(self, affinities: Posteriors) -> Parametric:
        """Return the objective of posteriors, informative or not, at the present parameters."""
        prior: Any = affinities.prior
        if self.class_prior is not None:
            entries, n_classes = np.size(self.class_prior), affinities.n_classes
            # While some classes of a classifier have no label, nobody knows whose entry is whose.
            if self.classifier is None or entries <= n_classes:
                prior = check_class_prior(self.class_prior, n_classes)
        return Parametric(
            affinities.proba,
            prior,
            eta_objects=self.eta_objects,
            eta_classes=self.eta_classes,
            n_jobs=self.n_jobs,
        )

    def checked_rows(self, X: Any) -> NDArray[Any]:
        """Return ``X`` as rows of probabilities with a column for each of ``class_names``."""
        try:
            rows = check_posteriors(X, "X")
        except ValueError as error:
            raise ValueError(
                f"{error}; for other data, set a classifier that learns class probabilities from "
                'labels, such as classifier="soft-nearest-neighbor"'
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
            raise TypeError(f"class_names must be a list of names, got {shown(self.class_names)}")
        names = tuple(str(name) for name in self.class_names)
        if len(set(names)) < len(names):
            raise ValueError(f"class_names must be distinct, got {list(names)}")
        return names

    def _given(self, affinities: Posteriors, supervision: Supervision) -> NDArray[np.float64]:
        """Return the layout that the array ``init`` gives."""
        n, K, d = affinities.n_samples, affinities.n_classes, self.n_components
        given = check_numbers("init", self.init)
        if given.shape not in ((K, d), (n + K, d)):
            raise ValueError(
                f"init must have shape (n_classes, n_components) = ({K}, {d}), or "
                f"(n_samples + n_classes, n_components) = ({n + K}, {d}), got {given.shape}"
            )
        with np.errstate(over="ignore"):
            check_range(given.astype(np.float32), "init")  # maps are made in float32
        if len(given) == n + K:
            return unfolded(given, supervision.pinned, K - 1)
        if supervision.pinned.size:
            raise ValueError(
                f"init must have shape (n_samples + n_classes, n_components) = ({n + K}, {d}) "
                f"when points are pinned, got {given.shape}"
            )
        given = unfolded(given, supervision.pinned)
        return _stacked(affinities.proba @ given, given, n)


def are_posteriors(X: Any) -> bool:
    """Return whether all rows of checked data are probabilities of two classes or more."""
    if sparse.issparse(X) or X.shape[1] < 2:
        return False
    return bool((X >= 0).all() and np.allclose(X.sum(axis=1), 1.0, rtol=0, atol=1e-5))


def class_scaling(
    proba: NDArray[Any], n_components: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Return class centers by classical scaling of the classes.

    The distance of two classes is that of their columns of posteriors, normalized to length one:
    classes to which the same objects may belong are near each other.
    """
    gram = np.asarray(proba.T @ proba, dtype=np.float64)
    lengths = np.sqrt(np.maximum(np.diag(gram), 1e-300))
    cosines = gram / lengths[:, None] / lengths[None, :]
    axes = scaling_axes(np.sqrt(np.maximum(2 - 2 * cosines, 0)), n_components)
    size = rms_radius(axes) if axes.size else 0.0
    axes = axes / size if size > 0 else np.empty((len(gram), 0))
    centers = padded(axes, n_components, JITTER, rng)
    return np.asarray(centers + noise(len(centers), n_components, JITTER, rng))


def _stacked(points: Any, centers: Any, n: int) -> NDArray[np.float64]:
    return np.vstack([np.asarray(points, np.float64)[:n], centers])


def _class_means(Y: NDArray[Any], supervision: Supervision, K: int) -> NDArray[np.float64]:
    """Return mean positions of labeled points, one row a class; the origin without any."""
    means = np.zeros((K, Y.shape[1]))
    for k in range(K):
        members = np.flatnonzero(supervision.top_class == k)
        if members.size:
            means[k] = Y[members].mean(axis=0)
    return means
