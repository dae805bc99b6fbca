"""What the linear learners share: one recipe around one eigenproblem.

    minimise  f_ℓ(A) + γ f_u(A)   subject to   Aᵀ(B + εI)A = I,   z = Aᵀ(x − mean),

f_ℓ a cost of labelled pairs, f_u one of neighboring points whether labelled or not ("A Unified
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

from nbembed.methods.base import EmbeddingMethod, Geometry, LiveParameter, Start
from nbembed.methods.starts import JITTER, fitted_to, padded, spread
from nbembed.optimizers import FixedPoint
from nbembed.schedule import Schedule
from nbembed.spectral.costs import Known, heat_kernel
from nbembed.spectral.graphs import Graph
from nbembed.spectral.points import Points
from nbembed.spectral.solve import Problem, Solution, solve
from nbembed.spectral.solved import Solved, turned
from nbembed.validation import check_choice, check_count, check_real

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from nbembed.supervision import Supervision

#: The words for B; an array (n_features, n_features) is another choice.
CONSTRAINTS = ("tabled", "identity", "variance")

GAMMA = LiveParameter(
    "gamma",
    "γ",
    1e-4,
    1e4,
    1.0,
    "How much the neighborhoods of all points count beside the labels; 0 sees labels only.",
    scale="log",
    minimum=0.0,
    needs="links",
)
POWER = LiveParameter(
    "power",
    "p",
    0.25,
    8.0,
    1.0,
    "Hadamard power of the neighborhood graph: more of it trusts the closest pairs alone.",
    step=0.05,
    minimum=1e-3,
)


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
        return Solved(Y, cost, {name: float(getattr(self, name)) for name in live}, again)

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
            Labels with −1, None or NaN for unlabelled points, or rows of class probabilities with
            NaN rows for unlabelled points.
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
            labels and fewer than two classes are labelled (a cannot-link will do as well).
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
                    "two classes at least, with −1 for unlabelled points, or a supervision"
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
        X = X.astype(np.float64, copy=False)
        if sparse.issparse(X):
            Y = X @ self.components_.T - self.components_ @ self.mean_
        else:
            Y = (X - self.mean_) @ self.components_.T
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


class GraphMethod(SpectralMethod):
    """Base of learners with a label cost, a cost of neighborhoods, and a choice of constraints.

    Parameters
    ----------
    n_components : int, default=2
    gamma : float, default=0.0
        γ ≥ 0, the weight of the cost of all neighborhoods, labelled or not. With 0 the learner is
        supervised and sees labelled points only. The two costs are sums over pairs and not means:
        what γ balances them depends on how many points there are and how many of them are labelled.
    power : float, default=1.0
        Hadamard power p > 0 of the neighborhood graph: its entries become a_ijᵖ.
    n_neighbors : int, default=7
        Neighbors of each point in that graph.
    scale_neighbor : int, default=7
        The neighbor whose distance is a point's local scale.
    constraint : {"tabled", "identity", "variance"} or array, default="tabled"
        B: what the table of the learners has, I, the diagonal of the features' variances, or a
        positive semidefinite matrix (n_features, n_features).
    epsilon : float, default=1e-12
        ε as a share of B's mean eigenvalue in the span of the data. It is small because singular
        constraints are dealt with otherwise (:mod:`nbembed.spectral.solve`); more regularises.
    n_pca : int, optional
        Work in this many leading principal components; by default in all directions in which the
        data vary.
    """

    live_parameters: ClassVar[tuple[LiveParameter, ...]] = (GAMMA, replace(POWER, needs="links"))

    def __init__(
        self,
        n_components: int = 2,
        *,
        gamma: float = 0.0,
        power: float = 1.0,
        n_neighbors: int = 7,
        scale_neighbor: int = 7,
        constraint: Any = "tabled",
        epsilon: float = 1e-12,
        n_pca: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.gamma = gamma
        self.power = power
        self.n_neighbors = n_neighbors
        self.scale_neighbor = scale_neighbor
        self.constraint = constraint
        self.epsilon = epsilon
        self.n_pca = n_pca

    @abstractmethod
    def label_cost(self, X: NDArray[Any], known: Known) -> Graph | None:
        """Return the graph of f_ℓ, or ``None`` if there is none."""

    @abstractmethod
    def tabled(self, X: NDArray[Any], known: Known) -> Graph | None:
        """Return the graph C of the table's ``B = XᵀL(C)X``; ``None`` is the identity."""

    def problem(self, points: Points, known: Known) -> Problem:
        """Return f_ℓ + γ f_u against B."""
        W = np.zeros((points.rank, points.rank))
        label = self._label_scatter(points, known, "label cost", self.label_cost)
        if label is not None:
            W = W + label
        if self.gamma > 0:
            W = W + self.gamma * self.neighborhoods(points)
        return Problem(W, self._held(points, known))

    def check_parameters(self, n_samples: int, supervision: Supervision) -> None:
        """Raise ValueError or TypeError, naming the argument, before any work starts."""
        super().check_parameters(n_samples, supervision)
        check_graph(self.n_neighbors, self.scale_neighbor)
        check_constraint(self.constraint)

    def neighborhoods(self, points: Points) -> NDArray[np.float64]:
        """Return the scatter of the neighborhood graph of all points at the present power."""
        return neighborhoods(points, self.n_neighbors, self.scale_neighbor, self.power)

    def _held(self, points: Points, known: Known) -> NDArray[np.float64]:
        fixed = fixed_constraint(self.constraint, points)
        if fixed is not None:
            return fixed
        tabled = self._label_scatter(points, known, "tabled", self.tabled)
        return np.eye(points.rank) if tabled is None else tabled

    def _label_scatter(
        self,
        points: Points,
        known: Known,
        name: str,
        graph: Callable[[NDArray[Any], Known], Graph | None],
    ) -> NDArray[np.float64] | None:
        """Return XᵀLX of a label graph; a slider of another term does not make it anew."""

        def make() -> NDArray[np.float64] | None:
            made = graph(points.Z, known)
            return None if made is None else made.scatter(points.Z)

        settings = tuple((k, v) for k, v in self.get_params(deep=False).items() if k in LABEL_KEYS)
        key = (type(self), name, settings, known.said)
        found: NDArray[np.float64] | None = points.remember(key, make)
        return found


#: Parameters that label graphs are made with.
LABEL_KEYS = frozenset({"scale_neighbor", "within_neighbors", "between_neighbors"})


def principal(points: Points) -> Problem:
    """Return the problem of principal components: the most scatter along orthonormal axes."""
    return Problem(-points.scatter(), np.eye(points.rank), maximizes=True)


def neighborhoods(
    points: Points, n_neighbors: int, scale_neighbor: int, power: float
) -> NDArray[np.float64]:
    """Return ``XᵀL(C_u)X`` of the heat-kernel graph of all points, raised to ``power``."""
    key = ("neighborhoods", n_neighbors, scale_neighbor, power)
    made: NDArray[np.float64] = points.remember(
        key,
        lambda: (heat_graph(points, n_neighbors, scale_neighbor) ** power).scatter(points.Z),
    )
    return made


def heat_graph(points: Points, n_neighbors: int, scale_neighbor: int) -> Graph:
    """Return the heat-kernel graph of all points."""
    graph: Graph = points.remember(
        ("heat kernel", n_neighbors, scale_neighbor),
        lambda: heat_kernel(points.Z, n_neighbors, scale_neighbor),
    )
    return graph


def check_graph(n_neighbors: Any, scale_neighbor: Any) -> None:
    """Refuse numbers of neighbors that are not positive and whole."""
    check_count("n_neighbors", n_neighbors)
    check_count("scale_neighbor", scale_neighbor)


def check_constraint(constraint: Any, allowed: tuple[str, ...] = CONSTRAINTS) -> None:
    """Refuse what is neither a word for B nor a symmetric positive semidefinite matrix."""
    if isinstance(constraint, str):
        check_choice("constraint", constraint, allowed)
        return
    words = ", ".join(map(repr, allowed))
    try:
        B = np.asarray(constraint, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(
            f"constraint must be one of {words} or a matrix, got {constraint!r}"
        ) from None
    if B.ndim != 2 or B.shape[0] != B.shape[1] or not np.isfinite(B).all():
        raise ValueError(
            f"constraint must be one of {words} or a finite square matrix, got shape {B.shape}"
        )
    size = float(np.abs(B).max(initial=0.0))
    if not np.allclose(B, B.T, rtol=0, atol=1e-10 * size):
        raise ValueError("constraint as a matrix must be symmetric")
    if not size > 0 or np.linalg.eigvalsh(B)[0] < -1e-10 * size * B.shape[0]:
        raise ValueError("constraint as a matrix must be positive semidefinite and not zero")


def fixed_constraint(constraint: Any, points: Points) -> NDArray[np.float64] | None:
    """Return a constraint that no label enters; ``None`` for the table's."""
    if not isinstance(constraint, str):
        return points.restrict_matrix(np.asarray(constraint, dtype=np.float64))
    if constraint == "identity":
        return np.eye(points.rank)
    if constraint == "variance":
        return points.restrict(points.variances())
    return None
