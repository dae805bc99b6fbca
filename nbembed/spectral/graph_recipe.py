"""Recipes around neighborhood graphs: a label cost, a cost of neighborhoods, a constraint.

    W = XᵀL(C_ℓ)X + γ XᵀL(C_uᵖ)X  against  B

C_u is the heat-kernel graph of all points' nearest neighbors, p the Hadamard power. Each part is
cached with the subspace that it was made from, so that a slider recomputes only its own part.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from nbembed.methods.live_parameters import LiveParameter
from nbembed.spectral.costs import LabelGroups, check_scale_neighbor, heat_kernel
from nbembed.spectral.estimator import SpectralEstimator
from nbembed.spectral.graphs import Graph
from nbembed.spectral.recipe import SpectralRecipe
from nbembed.spectral.solve import Eigenproblem
from nbembed.spectral.subspace import Subspace
from nbembed.supervision import Supervision
from nbembed.validation import check_choice, check_count, check_numbers, shown

#: The words for B; an array (n_features, n_features) is another choice.
CONSTRAINTS = ("tabled", "identity", "variance")
#: Fields that label graphs are made with.
LABEL_FIELDS = ("scale_neighbor", "within_neighbors", "between_neighbors")

GAMMA = LiveParameter(
    "gamma",
    "γ",
    1e-4,
    1e4,
    0.01,
    "Weight of unlabeled points' neighborhoods, beside the labels; 0 sees labels only.",
    scale="log",
    minimum=0.0,
    maximum=1e15,
    needs="links",
)
POWER = LiveParameter(
    "power",
    "p",
    0.25,
    8.0,
    1.0,
    "Trust in the closest pairs alone: the Hadamard power of the neighborhood graph.",
    step=0.05,
    minimum=1e-3,
    maximum=100.0,
)


@dataclass(frozen=True, eq=False, kw_only=True)
class NeighborhoodRecipe(SpectralRecipe):
    """Base of the recipes with a graph of all points' neighborhoods."""

    n_neighbors: int = 7
    scale_neighbor: int | None = 7
    n_pca: int | Literal["auto"] | None = "auto"

    def check(self, n_samples: int, supervision: Supervision) -> None:
        """Raise ValueError or TypeError, naming the argument, before any work starts."""
        super().check(n_samples, supervision)
        check_count("n_neighbors", self.n_neighbors)
        check_scale_neighbor(self.scale_neighbor)

    def heat_graph(self, subspace: Subspace) -> Graph:
        """Return the heat-kernel graph of all points."""
        k, s = self.n_neighbors, self.scale_neighbor
        graph: Graph = subspace.cached(("heat kernel", k, s), lambda: heat_kernel(subspace.Z, k, s))
        return graph

    def neighborhoods(self, subspace: Subspace, power: float = 1.0) -> NDArray[np.float64]:
        """Return ``XᵀL(C_u)X`` of the heat-kernel graph raised to ``power``."""
        made: NDArray[np.float64] = subspace.cached(
            ("neighborhoods", self.n_neighbors, self.scale_neighbor, power),
            lambda: (self.heat_graph(subspace) ** power).scatter(subspace.Z),
        )
        return made


@dataclass(frozen=True, eq=False, kw_only=True)
class GraphRecipe(NeighborhoodRecipe):
    """Base of the recipes with label graphs, a cost of neighborhoods and a choice of constraints.

    Fields as :class:`GraphEstimator`'s parameters.
    """

    gamma: float = 0.0
    power: float = POWER.default
    constraint: Any = "tabled"
    epsilon: float | Literal["gamma"] = 1e-12

    live_parameters: ClassVar[tuple[LiveParameter, ...]] = (GAMMA, replace(POWER, needs="links"))

    @abstractmethod
    def label_cost(self, X: NDArray[Any], groups: LabelGroups) -> Graph | None:
        """Return the graph of f_ℓ, or ``None`` if there is none."""

    @abstractmethod
    def tabled(self, X: NDArray[Any], groups: LabelGroups) -> Graph | None:
        """Return the graph C of the table's ``B = XᵀL(C)X``; ``None`` is the identity."""

    def check(self, n_samples: int, supervision: Supervision) -> None:
        """Raise ValueError or TypeError, naming the argument, before any work starts."""
        super().check(n_samples, supervision)
        check_constraint(self.constraint)

    def problem(self, subspace: Subspace, groups: LabelGroups) -> Eigenproblem:
        """Return f_ℓ + γ f_u against B."""
        W = np.zeros((subspace.rank, subspace.rank))
        label = self._label_scatter(subspace, groups, "label cost", self.label_cost)
        if label is not None:
            W = W + label
        if self.gamma > 0:
            W = W + self.gamma * self.neighborhoods(subspace, self.power)
        B = fixed_constraint(self.constraint, subspace)
        if B is None:
            B = self._label_scatter(subspace, groups, "tabled", self.tabled)
        return Eigenproblem(W, np.eye(subspace.rank) if B is None else B)

    def live_defaults(self, X: Any, supervision: Supervision) -> Self:
        """Return the recipe with unlabeled points counting too.

        By hand few points are labeled, and axes that are chosen by these alone throw others far
        off the map. γ = 0.01 does that and leaves the choice to the labels where there are many:
        ``docs/decisions/0060``.
        """
        return self.replace(gamma=GAMMA.default) if self.gamma == 0 else self

    def _label_scatter(
        self,
        subspace: Subspace,
        groups: LabelGroups,
        name: str,
        graph: Callable[[NDArray[Any], LabelGroups], Graph | None],
    ) -> NDArray[np.float64] | None:
        """Return XᵀLX of a label graph, cached: a slider of another term does not recompute it."""

        def make() -> NDArray[np.float64] | None:
            made = graph(subspace.Z, groups)
            return None if made is None else made.scatter(subspace.Z)

        fields = tuple(getattr(self, field, None) for field in LABEL_FIELDS)
        key = (type(self), name, fields, groups.supervision)
        found: NDArray[np.float64] | None = subspace.cached(key, make)
        return found


class GraphEstimator(SpectralEstimator):
    """Base of the estimators with label graphs, neighborhoods and a choice of constraints.

    Parameters
    ----------
    n_components : int, default=2
    gamma : float, default=0.0
        γ ≥ 0, the weight of the cost of all neighborhoods, labeled or not. With 0 the learner is
        supervised and sees labeled points only. The two costs are sums over pairs and not means:
        the γ that balances them depends on the number of points and of labels.
    power : float, default=1.0
        Hadamard power p > 0 of the neighborhood graph: its entries become a_ijᵖ.
    n_neighbors : int, default=7
        Neighbors of each point in that graph.
    scale_neighbor : int or None, default=7
        The neighbor whose distance is a point's local scale. With None all points have one scale,
        the root mean square distance of the pairs: a heat kernel with one width, which ``power``
        divides by √p.
    constraint : {"tabled", "identity", "variance"} or array, default="tabled"
        B: the constraint in the table of learners, I, the diagonal of the features' variances, or a
        positive semidefinite matrix (n_features, n_features).
    epsilon : float or "gamma", default=1e-12
        ε as a share of B's mean eigenvalue in the span of the data, or "gamma" for the paper's
        ε = γ in the unit of the data. It is small because the solver
        handles singular constraints (:mod:`nbembed.spectral.solve`); more regularizes. Raise it to
        1 where a map of FDA or LFDA has nearly as many axes as there are labels: else these few
        points fit the constraint alone and lie far outside all others. On maps of two axes, or with
        many labels, a tiny ε is as good or better.
    n_pca : int, "auto" or None, default="auto"
        Work in this many leading principal components, or with None in all directions in which the
        data vary. "auto" is all of them, or 500 where they may be more than 2000 because there are
        more points and more features than that; see :mod:`nbembed.spectral.subspace`.
    """

    recipe_type = GraphRecipe

    def __init__(
        self,
        n_components: int = 2,
        *,
        gamma: float = 0.0,
        power: float = 1.0,
        n_neighbors: int = 7,
        scale_neighbor: int | None = 7,
        constraint: Any = "tabled",
        epsilon: float | Literal["gamma"] = 1e-12,
        n_pca: int | Literal["auto"] | None = "auto",
    ) -> None:
        self.n_components = n_components
        self.gamma = gamma
        self.power = power
        self.n_neighbors = n_neighbors
        self.scale_neighbor = scale_neighbor
        self.constraint = constraint
        self.epsilon = epsilon
        self.n_pca = n_pca


def check_constraint(constraint: Any, allowed: tuple[str, ...] = CONSTRAINTS) -> None:
    """Raise unless ``constraint`` is a word for B or a symmetric positive semidefinite matrix."""
    if isinstance(constraint, str):
        check_choice("constraint", constraint, allowed)
        return
    words = ", ".join(map(repr, allowed))
    try:
        B = check_numbers("constraint", constraint)
    except (TypeError, ValueError):
        raise TypeError(
            f"constraint must be one of {words} or a matrix, got {shown(constraint)}"
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


def fixed_constraint(constraint: Any, subspace: Subspace) -> NDArray[np.float64] | None:
    """Return a constraint that does not depend on labels; ``None`` for the table's."""
    if not isinstance(constraint, str):
        return subspace.restrict_matrix(np.asarray(constraint, dtype=np.float64))
    if constraint == "identity":
        return np.eye(subspace.rank)
    if constraint == "variance":
        return subspace.restrict(subspace.variances())
    return None
