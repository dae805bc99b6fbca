"""What the linear learners share: one recipe around one eigenproblem.

    minimise  f_ℓ(A) + γ f_u(A)   subject to   Aᵀ(B + εI)A = I,   z = Aᵀ(x − mean),

f_ℓ a cost of labeled pairs, f_u one of neighboring points whether labeled or not ("A Unified
Semi-Supervised Dimensionality Reduction Framework for Manifold Learning", section 2). A learner
says what f_ℓ and B are; :mod:`nbembed.spectral.costs` has the graphs, :mod:`nbembed.spectral.solve`
the solver. An estimator solves once. A live session solves again whenever a label or a slider
changes, and the map goes there in one step (:mod:`nbembed.spectral.solved`); with no two classes
and no cannot-link to tell apart, it shows principal components until there are.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from nbembed.methods.base import EmbeddingMethod, Geometry, Start
from nbembed.methods.starts import JITTER, fitted_to, padded, spread
from nbembed.optimizers import FixedPoint
from nbembed.schedule import Schedule
from nbembed.spectral.costs import Known
from nbembed.spectral.points import Points
from nbembed.spectral.solve import Problem, Solution, solve
from nbembed.spectral.solved import Solved, turned
from nbembed.validation import check_count, check_magnitude, check_real

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from nbembed.supervision import Supervision


class SpectralMethod(EmbeddingMethod):
    """Base of learners of a linear map by an eigenproblem.

    Subclasses give :meth:`problem`. Fitted, they have

    Attributes
    ----------
    components_ : ndarray of shape (n_components, n_features)
        Aᵀ: the axes in the data's features, best first.
    mean_ : ndarray of shape (n_features,)
        Subtracted from the data before they are projected.
    eigenvalues_ : ndarray of shape (n_components,)
        What each axis costs under its constraint: ascending, or, of learners that maximise, what it
        gains, descending.
    informed_ : ndarray of bool, shape (n_components,)
        Whether the constraint sees the axis: FDA of K classes has K − 1 such axes. Further ones
        are those of least cost, scaled to the scatter of the informed ones.
    cost_ : float
        ``tr Aᵀ(W)A``: f_ℓ + γ f_u, or what a learner that maximises gains with its sign turned.
    embedding_ : ndarray of shape (n_samples, n_components), float32
    supervision_ : Supervision
    """

    #: Not choices of these methods: a linear map belongs to Euclidean distances.
    metric: ClassVar[str] = "euclidean"  # type: ignore[misc]
    #: Whether ``fit`` refuses data of which nothing is known to be apart.
    needs_labels: ClassVar[bool] = True

    n_components: int
    epsilon: float
    n_pca: int | None

    components_: NDArray[np.float64]
    mean_: NDArray[np.float64]
    eigenvalues_: NDArray[np.float64]
    informed_: NDArray[np.bool_]

    @abstractmethod
    def problem(self, points: Points, known: Known) -> Problem:
        """Return cost and constraint in the coordinates of ``points``.

        Called with ``known.enough`` only, where the learner needs labels.
        """

    # -- the recipe ----------------------------------------------------------------------------

    def check_parameters(self, n_samples: int, supervision: Supervision) -> None:
        """Raise ValueError or TypeError, naming the argument, before any work starts."""
        if supervision.n_samples != n_samples:
            raise ValueError(
                f"supervision must be of {n_samples} samples like X, got {supervision.n_samples}"
            )
        d = check_count("n_components", self._dimensions)
        if d > n_samples - 1:
            raise ValueError(
                f"n_components must be at most {n_samples - 1}, one less than the number of points "
                f"(n_samples = {n_samples}), got {d}"
            )
        self._check_live()
        check_real("epsilon", self.epsilon, low=0)
        if self.n_pca is not None:
            check_count("n_pca", self.n_pca, low=d)

    def make_affinities(  # type: ignore[override]
        self, X: NDArray[Any], supervision: Supervision | None = None
    ) -> Points:
        """Return the data in coordinates of their span; labels do not enter."""
        return Points.of(X, self.n_pca)

    def make_start(  # type: ignore[override]
        self, X: NDArray[Any], affinities: Points, supervision: Supervision, rng: Any
    ) -> Start:
        """Return the solution itself, which later ones are turned to."""
        Y = self._layout(affinities, supervision, None)[0]
        return Start(Y, Geometry(reference=Y))

    def adopt(  # type: ignore[override]
        self, Y: NDArray[Any], affinities: Points, supervision: Supervision, rng: Any
    ) -> Start:
        """Return ``Y`` at the size of the solution, which is turned to it."""
        Z = self._layout(affinities, supervision, None)[0]
        shape = fitted_to(Y, self._dimensions)
        size = spread(shape)
        if not size > 0:
            return Start(Z, Geometry(reference=Z))
        shape = padded(shape, self._dimensions, JITTER * size, rng) * (spread(Z) / size)
        return Start(shape, Geometry(reference=shape))

    def make_objective(  # type: ignore[override]
        self, affinities: Points, supervision: Supervision, geometry: Geometry
    ) -> Solved:
        """Return the solution at the present parameters, turned to the map that there is."""
        Y, cost = self._layout(affinities, supervision, geometry.reference)

        def again(**parameters: Any) -> Solved:
            other = clone(self).set_params(**parameters)
            made: Solved = other.make_objective(affinities, supervision, geometry)
            return made

        live = [p.name for p in self.live_parameters if p.invalidates == "objective"]
        values = {name: float(getattr(self, name)) for name in live}
        return Solved(Y, cost, values, again, affinities.kernel_width)

    def make_optimizer(self) -> FixedPoint:
        """Return the fixed point, which lands in one step."""
        return FixedPoint()

    def make_schedule(self, affinities: Points, geometry: Geometry) -> Schedule:  # type: ignore[override]
        """Return no stages: there is nothing to descend."""
        return Schedule()

    def realign(self, geometry: Geometry, Y: NDArray[Any], supervision: Supervision) -> Geometry:
        """Return a geometry by which what the new labels give is turned to the present map."""
        return replace(geometry, reference=np.array(Y))

    # -- the estimator -------------------------------------------------------------------------

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike | None = None,
        supervision: Supervision | None = None,
    ) -> Self:
        """Find the axes.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,) or (n_samples, n_classes), optional
            Labels with −1, None or NaN for unlabeled points, or rows of class probabilities with
            NaN rows for unlabeled points.
        supervision : Supervision, optional
            Soft labels, must-links and cannot-links; instead of ``y``. What they do:
            :mod:`nbembed.spectral.costs`.

        Returns
        -------
        self

        Raises
        ------
        ValueError, TypeError
            Naming the argument that is wrong and what is allowed. ``y``: if the learner needs
            labels and fewer than two classes are labeled (a cannot-link will do as well).
        """
        data, known = self._checked(X, y, supervision)
        points = self.make_affinities(data)
        self._keep_solution(self._solve(points, known), points.components, points.mean, known)
        self.embedding_ = self._project(data)
        return self

    def transform(self, X: ArrayLike) -> NDArray[np.float32]:
        """Return ``(X − mean_) components_ᵀ``.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_new, n_features)

        Returns
        -------
        ndarray of shape (n_new, n_components), float32
        """
        check_is_fitted(self)
        return self._project(self._validated(X, reset=False))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.needs_labels
        return tags

    # -- parts ---------------------------------------------------------------------------------

    @property
    def _dimensions(self) -> int:
        return self.n_components

    def _checked(
        self, X: ArrayLike, y: ArrayLike | None, supervision: Supervision | None
    ) -> tuple[Any, Known]:
        """Return checked data and what is known of them, enough of it for this learner."""
        data, said = self._check_input(X, y, supervision)
        self._check_width(data)
        known = Known.of(said)
        if self.needs_labels and not known.enough:
            name = type(self).__name__
            if y is None and supervision is None:
                raise ValueError(
                    f"{name} requires y to be passed, but the target y is None: it needs labels of "
                    "two classes at least, with −1 for unlabeled points, or a supervision"
                )
            raise ValueError(
                f"y must label points of two classes at least for {name} (or supervision hold a "
                f"cannot-link), got {len(known.classes)} class(es)"
            )
        return data, known

    def _check_width(self, data: Any) -> None:
        if self._dimensions > data.shape[1]:
            raise ValueError(
                f"n_components must be at most the number of features (n_features = "
                f"{data.shape[1]}), got {self._dimensions}"
            )

    def _keep_solution(
        self,
        solution: Solution,
        components: Callable[[NDArray[Any]], NDArray[np.float64]],
        mean: NDArray[np.float64],
        known: Known,
    ) -> None:
        """Set the fitted attributes, ``components`` giving axes in the data's features."""
        self.components_ = np.ascontiguousarray(components(solution.A).T)
        self.mean_ = mean
        self.eigenvalues_ = solution.eigenvalues
        self.informed_ = solution.informed
        self.cost_ = solution.cost
        self.supervision_ = known.said
        self.n_iter_, self.perplexity_, self.trace_ = 1, None, []

    def _project(self, X: Any) -> NDArray[np.float32]:
        check_magnitude(X)
        X = X.astype(np.float64, copy=False)
        if sparse.issparse(X):
            Y = X @ self.components_.T - self.components_ @ self.mean_
        else:
            Y = (X - self.mean_) @ self.components_.T
        limit = np.finfo(np.float32).max
        if not (np.abs(Y) <= limit).all():
            raise ValueError(
                f"X must be projected to numbers of at most {limit:.3g}, got "
                f"{np.abs(Y).max():.3g}: rescale it"
            )
        return np.asarray(Y, dtype=np.float32)

    def _solve(self, points: Points, known: Known) -> Solution:
        """Return the axes, each with the sign that makes its largest coordinate positive."""
        if points.rank < self._dimensions:
            raise ValueError(
                f"n_components must be at most {points.rank}, the number of directions in which X "
                f"varies, got {self._dimensions}"
            )
        if self.needs_labels and not known.enough:
            problem = principal(points)
        else:
            problem = self.problem(points, known)
        found = solve(problem, self._dimensions, self.epsilon, points.scatter())
        Z = points.Z @ found.A
        largest = Z[np.abs(Z).argmax(axis=0), np.arange(Z.shape[1])]
        return replace(found, A=found.A * np.where(largest < 0, -1.0, 1.0))

    def _layout(
        self, points: Points, supervision: Supervision, reference: NDArray[Any] | None
    ) -> tuple[NDArray[np.float64], float]:
        """Return the solved layout, turned to ``reference``, and its cost."""
        found = self._solve(points, Known.of(supervision))
        return turned(points.Z @ found.A, reference), found.cost


def principal(points: Points) -> Problem:
    """Return the problem of principal components: the most scatter along orthonormal axes."""
    return Problem(-points.scatter(), np.eye(points.rank), maximizes=True)
