"""SpectralRecipe: how a linear learner's map is made, live and in a script.

    minimize  f_ℓ(A) + γ f_u(A)   subject to   Aᵀ(B + εI)A = I,   z = Aᵀ(x − mean),

f_ℓ is a cost of labeled pairs, f_u one of neighboring points whether labeled or not ("A Unified
Semi-Supervised Dimensionality Reduction Framework for Manifold Learning", section 2). A learner
says what f_ℓ and B are; :mod:`nbembed.spectral.costs` has the graphs, :mod:`nbembed.spectral.solve`
the solver. A live session solves again whenever a label or a slider changes, and the map reaches
the solution in one step (:mod:`nbembed.spectral.closed_form`). While neither two classes nor a
cannot-link are known, it shows principal components.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nbembed.data.sparse_format import check_sparse
from nbembed.kernels.inner_product import rms_radius
from nbembed.methods.initialization import JITTER, fitted_to, padded
from nbembed.methods.recipe import Geometry, Part, Recipe, Start
from nbembed.optimizers import FixedPoint
from nbembed.spectral.closed_form import ClosedForm, aligned
from nbembed.spectral.costs import LabelGroups
from nbembed.spectral.solve import LEAST, Eigenproblem, Eigensolution, solve
from nbembed.spectral.subspace import Subspace
from nbembed.supervision import Supervision
from nbembed.supervision.conversion import check_covers
from nbembed.system.blas import one_blas_thread
from nbembed.validation import check_choice, check_count, check_real


@dataclass(frozen=True, eq=False)
class SpectralRecipe(Recipe[Subspace]):
    """Base of the recipes that find a linear map by an eigenproblem.

    A learner gives :meth:`problem`. Its fields ``epsilon`` (ε, a share of B's mean eigenvalue, or
    "gamma" for γ in the unit of the data) and ``n_pca`` (the number of leading principal components
    to work in), where it has them, are checked and used here.
    """

    n_components: int = 2

    group: ClassVar[str] = "More methods"
    #: Graphs and constraints are made from the subspace by the objective.
    invalidates: ClassVar[Mapping[str, tuple[Part, ...]]] = dict.fromkeys(
        (
            "n_neighbors",
            "scale_neighbor",
            "within_neighbors",
            "between_neighbors",
            "label_cost",
            "unlabeled_cost",
            "constraint",
            "epsilon",
        ),
        ("objective",),
    )

    @property
    def needs_labels(self) -> bool:
        """True if the learner has no aim before some points are given as different."""
        return True

    @property
    def dimensions(self) -> int:
        """Number of axes."""
        return check_count("n_components", self.n_components)

    @abstractmethod
    def problem(self, subspace: Subspace, groups: LabelGroups) -> Eigenproblem:
        """Return cost and constraint in the coordinates of ``subspace``.

        Where the learner needs labels, it is called with ``groups.sufficient`` only.
        """

    def check(self, n_samples: int, supervision: Supervision) -> None:
        """Raise ValueError or TypeError, naming the argument, before any work starts."""
        check_covers(supervision, n_samples)
        if self.dimensions > n_samples - 1:
            raise ValueError(
                f"n_components must be less than n_samples = {n_samples}, got {self.n_components}"
            )
        self.check_live()
        if isinstance(self._epsilon, str) and hasattr(self, "gamma"):
            check_choice("epsilon", self._epsilon, ("gamma",))
        else:
            check_real("epsilon", self._epsilon, low=0, high=1e12)
        if isinstance(self._n_pca, str):
            check_choice("n_pca", self._n_pca, ("auto",))
        elif self._n_pca is not None:
            check_count("n_pca", self._n_pca, low=self.dimensions)

    # -- the parts of a run ------------------------------------------------------------------

    def make_affinities(self, X: Any, supervision: Supervision | None = None) -> Subspace:
        """Return the data in coordinates of their span; labels do not enter."""
        check_sparse(X)
        return Subspace.of(X, self._n_pca, self.dimensions)

    def make_start(
        self, X: Any, affinities: Subspace, supervision: Supervision, rng: np.random.Generator
    ) -> Start:
        """Return the solution itself, to which later solutions are aligned."""
        Y, _ = self._layout(affinities, supervision, None)
        return Start(Y, Geometry(reference=Y))

    def adopt(
        self,
        Y: NDArray[Any],
        affinities: Subspace,
        supervision: Supervision,
        rng: np.random.Generator,
    ) -> Start:
        """Return ``Y`` rescaled to the size of the solution, which is aligned to it."""
        Z, _ = self._layout(affinities, supervision, None)
        shape = fitted_to(Y, self.dimensions)
        size = rms_radius(shape)
        if not size > 0:
            return Start(Z, Geometry(reference=Z))
        shape = padded(shape, self.dimensions, JITTER * size, rng) * (rms_radius(Z) / size)
        return Start(shape, Geometry(reference=shape))

    def make_objective(
        self, affinities: Subspace, supervision: Supervision, geometry: Geometry
    ) -> ClosedForm:
        """Return the solution at the present parameters, aligned to the present map."""
        Y, cost = self._layout(affinities, supervision, geometry.reference)

        def solve_again(**parameters: Any) -> ClosedForm:
            recipe = self.replace(**parameters)
            return recipe.make_objective(affinities, supervision, geometry)

        live = [p.name for p in self.live_parameters if p.invalidates == "objective"]
        values = {name: float(getattr(self, name)) for name in live}
        return ClosedForm(Y, cost, values, solve_again, affinities.kernel_coefficient)

    def make_optimizer(self) -> FixedPoint:
        """Return the fixed point, which lands in one step."""
        return FixedPoint()

    def align(self, geometry: Geometry, Y: NDArray[Any], supervision: Supervision) -> Geometry:
        """Return a geometry by which the solution with new labels is aligned to the map ``Y``."""
        return replace(geometry, reference=np.array(Y))

    # -- the solution ------------------------------------------------------------------------

    @one_blas_thread()
    def solution(self, subspace: Subspace, groups: LabelGroups) -> Eigensolution:
        """Return the axes, each with the sign that makes its largest coordinate positive.

        Raises
        ------
        ValueError
            If all points are equal, or the data vary in fewer directions than there are axes.
        """
        if subspace.rank == 0:
            raise ValueError("X must have distinct points, but all of them coincide")
        if subspace.rank < self.dimensions:
            raise ValueError(
                f"n_components must be at most {subspace.rank}, the number of directions in which "
                f"X varies, got {self.dimensions}"
            )
        if self.needs_labels and not groups.sufficient:
            problem = principal(subspace)
        else:
            problem = self.problem(subspace, groups)
        found = solve(problem, self.dimensions, self._share_of(problem), subspace.scatter())
        Z = subspace.Z @ found.A
        largest = Z[np.abs(Z).argmax(axis=0), np.arange(Z.shape[1])]
        return replace(found, A=found.A * np.where(largest < 0, -1.0, 1.0))

    @one_blas_thread()
    def _layout(
        self, subspace: Subspace, supervision: Supervision, reference: NDArray[Any] | None
    ) -> tuple[NDArray[np.float64], float]:
        """Return the solution's layout, aligned to ``reference``, and its cost.

        A live map has as many axes as there are directions in which the data vary; along others it
        is zero. Data on a line make a line, equal points one place.
        """
        wanted, there = self.dimensions, min(self.dimensions, subspace.rank)
        Y, cost = np.zeros((subspace.n_samples, wanted)), 0.0
        if there > 0:
            recipe = self if there == wanted else self.replace(n_components=there)
            found = recipe.solution(subspace, LabelGroups.of(supervision))
            Y[:, :there], cost = subspace.Z @ found.A, found.cost
        return aligned(Y, reference), cost

    def _share_of(self, problem: Eigenproblem) -> float:
        """Return ε as a share of B's mean eigenvalue."""
        if self._epsilon != "gamma":
            return float(self._epsilon)
        size = float(np.trace(problem.B)) / len(problem.B)
        return max(LEAST, float(getattr(self, "gamma", 0.0)) / size) if size > 0 else LEAST

    @property
    def _epsilon(self) -> float | str:
        return getattr(self, "epsilon", 0.0)

    @property
    def _n_pca(self) -> int | str | None:
        return getattr(self, "n_pca", "auto")


def principal(subspace: Subspace) -> Eigenproblem:
    """Return the problem of principal components: the most scatter along orthonormal axes."""
    return Eigenproblem(-subspace.scatter(), np.eye(subspace.rank), maximizes=True)
