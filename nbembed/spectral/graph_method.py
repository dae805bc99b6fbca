"""What the learners with a γ share: a label cost, a cost of neighborhoods, a choice of constraints.

    W = XᵀL(C_ℓ)X + γ XᵀL(C_uᵖ)X  against  B

C_u is the heat-kernel graph of all points' nearest neighbors, p the Hadamard power. Each part is
kept with the points it was made from, so that a slider makes only its own anew.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from nbembed.methods.base import LiveParameter
from nbembed.spectral.base import SpectralMethod
from nbembed.spectral.costs import heat_kernel
from nbembed.spectral.solve import Problem
from nbembed.validation import check_choice, check_count, check_numbers

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from nbembed.spectral.costs import Known
    from nbembed.spectral.graphs import Graph
    from nbembed.spectral.points import Points
    from nbembed.supervision import Supervision

#: The words for B; an array (n_features, n_features) is another choice.
CONSTRAINTS = ("tabled", "identity", "variance")

GAMMA = LiveParameter(
    "gamma",
    "γ",
    1e-4,
    1e4,
    0.1,
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


class GraphMethod(SpectralMethod):
    """Base of learners with a label cost, a cost of neighborhoods, and a choice of constraints.

    Parameters
    ----------
    n_components : int, default=2
    gamma : float, default=0.0
        γ ≥ 0, the weight of the cost of all neighborhoods, labeled or not. With 0 the learner is
        supervised and sees labeled points only. The two costs are sums over pairs and not means:
        what γ balances them depends on how many points there are and how many of them are labeled.
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
        B = check_numbers("constraint", constraint)
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
