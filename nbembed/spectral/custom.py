"""A custom learner: any label cost, any cost of unlabeled pairs, any constraint.

    minimize  f_ℓ(A) + γ f_u(A)  subject to  Aᵀ(B + εI)A = I

with graphs made from :mod:`nbembed.spectral.costs` and :mod:`nbembed.spectral.graphs`. Learners
with a name in the paper have classes of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from nbembed.methods.live_parameters import LiveParameter
from nbembed.spectral.costs import LabelGroups, heat_kernel
from nbembed.spectral.estimator import SpectralEstimator
from nbembed.spectral.graph_recipe import GAMMA, POWER, check_constraint, fixed_constraint
from nbembed.spectral.graphs import Graph
from nbembed.spectral.recipe import SpectralRecipe
from nbembed.spectral.solve import Eigenproblem
from nbembed.spectral.subspace import Subspace
from nbembed.supervision import Supervision
from nbembed.validation import shown

LabelCost = Callable[["NDArray[Any]", LabelGroups], Graph]
UnlabeledCost = Callable[["NDArray[Any]"], Graph]


@dataclass(frozen=True, eq=False, kw_only=True)
class GraphLearnerRecipe(SpectralRecipe):
    """Recipe of :class:`GraphLearner`; fields as its parameters."""

    summary: ClassVar[str] = "linear, from costs that you choose"
    label_cost: LabelCost | None = None
    unlabeled_cost: UnlabeledCost | None = None
    constraint: Any = "degree"
    gamma: float = 1.0
    power: float = POWER.default
    epsilon: float | Literal["gamma"] = 1e-12
    n_pca: int | Literal["auto"] | None = "auto"

    live_parameters: ClassVar[tuple[LiveParameter, ...]] = (replace(GAMMA, needs=""), POWER)

    @property
    def needs_labels(self) -> bool:
        """True if the label cost, or a constraint made from labels, uses them."""
        return self.label_cost is not None or callable(self.constraint)

    def check(self, n_samples: int, supervision: Supervision) -> None:
        """Raise ValueError or TypeError, naming the argument, before any work starts."""
        super().check(n_samples, supervision)
        for name in ("label_cost", "unlabeled_cost"):
            given = getattr(self, name)
            if given is not None and not callable(given):
                raise TypeError(
                    f"{name} must be a function that returns a Graph, got {shown(given)}"
                )
        if not callable(self.constraint):
            check_constraint(self.constraint, ("degree", "identity", "variance"))

    def problem(self, subspace: Subspace, groups: LabelGroups) -> Eigenproblem:
        """Return the sum of the costs against the constraint."""
        Z = subspace.Z
        near = _graph("unlabeled_cost", self.unlabeled_cost or heat_kernel, Z) ** self.power
        W = self.gamma * near.scatter(Z)
        if self.label_cost is not None:
            W = W + _graph("label_cost", self.label_cost, Z, groups).scatter(Z)
        if callable(self.constraint):
            return Eigenproblem(W, _graph("constraint", self.constraint, Z, groups).scatter(Z))
        B = fixed_constraint(self.constraint, subspace)
        if B is None:
            B = np.asarray(Z.T @ (near.degree()[:, None] * Z))
        return Eigenproblem(W, B)


class GraphLearner(SpectralEstimator):
    """A learner made of a label cost, a cost of unlabeled pairs and a constraint.

    Parameters
    ----------
    n_components : int, default=2
    label_cost : callable, optional
        Takes points (n_samples, r) and :class:`~nbembed.spectral.costs.LabelGroups`, returns the
        graph of f_ℓ. ``None``: no label cost.
    unlabeled_cost : callable, optional
        Takes points, returns the graph of f_u, which is raised to ``power``; by default
        :func:`~nbembed.spectral.costs.heat_kernel`.
    constraint : callable, {"degree", "identity", "variance"} or array, default="degree"
        B: a callable like ``label_cost`` gives the graph C of ``B = XᵀL(C)X``; "degree" is
        ``XᵀD_uX``; the others are as in :class:`~nbembed.spectral.graph_recipe.GraphEstimator`.
    gamma : float, default=1.0
        Weight of the unlabeled cost.
    power : float, default=1.0
        Hadamard power of the unlabeled graph.
    epsilon, n_pca
        As in :class:`~nbembed.spectral.graph_recipe.GraphEstimator`.

    Examples
    --------
    LFDA's label cost against FDA's constraint, with a flatter neighborhood graph:

    >>> from sklearn.datasets import load_iris
    >>> from nbembed.spectral.costs import between, local_within
    >>> X, y = load_iris(return_X_y=True)
    >>> learner = GraphLearner(
    ...     label_cost=local_within,
    ...     constraint=lambda X, groups: between(groups),
    ...     gamma=0.1,
    ...     power=0.5,
    ... )
    >>> learner.fit_transform(X, y).shape
    (150, 2)
    """

    recipe_type = GraphLearnerRecipe

    def __init__(
        self,
        n_components: int = 2,
        *,
        label_cost: LabelCost | None = None,
        unlabeled_cost: UnlabeledCost | None = None,
        constraint: Any = "degree",
        gamma: float = 1.0,
        power: float = 1.0,
        epsilon: float | Literal["gamma"] = 1e-12,
        n_pca: int | Literal["auto"] | None = "auto",
    ) -> None:
        self.n_components = n_components
        self.label_cost = label_cost
        self.unlabeled_cost = unlabeled_cost
        self.constraint = constraint
        self.gamma = gamma
        self.power = power
        self.epsilon = epsilon
        self.n_pca = n_pca


def _graph(name: str, make: Callable[..., Any], *arguments: Any) -> Graph:
    made = make(*arguments)
    if not isinstance(made, Graph):
        raise TypeError(f"{name} must return a Graph, got {type(made).__name__}")
    return made
