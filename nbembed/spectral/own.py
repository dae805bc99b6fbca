"""A learner of one's own: any label cost, any unlabeled cost, any constraint.

    minimise  f_ℓ(A) + γ f_u(A)  subject to  Aᵀ(B + εI)A = I

with graphs put together from :mod:`nbembed.spectral.costs` and :mod:`nbembed.spectral.graphs`. What
has a name in the paper has a class of its own; this is for what has none yet.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from nbembed.spectral.base import SpectralMethod
from nbembed.spectral.costs import Known, heat_kernel
from nbembed.spectral.graph_method import GAMMA, POWER, check_constraint, fixed_constraint
from nbembed.spectral.graphs import Graph
from nbembed.spectral.solve import Problem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nbembed.methods.base import LiveParameter
    from nbembed.spectral.points import Points
    from nbembed.supervision import Supervision

LabelCost = Callable[["NDArray[Any]", Known], Graph]
UnlabeledCost = Callable[["NDArray[Any]"], Graph]


class GraphLearner(SpectralMethod):
    """A learner made of a label cost, an unlabeled cost and a constraint.

    Parameters
    ----------
    n_components : int, default=2
    label_cost : callable, optional
        Takes points (n_samples, r) and :class:`~nbembed.spectral.costs.Known`, returns the graph of
        f_ℓ. ``None``: no label cost.
    unlabeled_cost : callable, optional
        Takes points, returns the graph of f_u, which ``power`` is applied to; by default
        :func:`~nbembed.spectral.costs.heat_kernel`.
    constraint : callable, {"degree", "identity", "variance"} or array, default="degree"
        B: a callable like ``label_cost`` gives the graph C of ``B = XᵀL(C)X``; "degree" is
        ``XᵀD_uX``; the others are as in :class:`~nbembed.spectral.graph_method.GraphMethod`.
    gamma : float, default=1.0
        Weight of the unlabeled cost.
    power : float, default=1.0
        Hadamard power of the unlabeled graph.
    epsilon, n_pca
        As in :class:`~nbembed.spectral.graph_method.GraphMethod`.

    Examples
    --------
    LFDA's label cost against FDA's constraint, with a flatter neighborhood graph:

    >>> from sklearn.datasets import load_iris
    >>> from nbembed.spectral.costs import between, local_within
    >>> X, y = load_iris(return_X_y=True)
    >>> learner = GraphLearner(
    ...     label_cost=local_within,
    ...     constraint=lambda X, known: between(known),
    ...     gamma=0.1,
    ...     power=0.5,
    ... )
    >>> learner.fit_transform(X, y).shape
    (150, 2)
    """

    live_parameters: ClassVar[tuple[LiveParameter, ...]] = (
        replace(GAMMA, needs=""),
        POWER,
    )

    def __init__(
        self,
        n_components: int = 2,
        *,
        label_cost: LabelCost | None = None,
        unlabeled_cost: UnlabeledCost | None = None,
        constraint: Any = "degree",
        gamma: float = 1.0,
        power: float = 1.0,
        epsilon: float = 1e-12,
        n_pca: int | None = None,
    ) -> None:
        self.n_components = n_components
        self.label_cost = label_cost
        self.unlabeled_cost = unlabeled_cost
        self.constraint = constraint
        self.gamma = gamma
        self.power = power
        self.epsilon = epsilon
        self.n_pca = n_pca

    @property
    def needs_labels(self) -> bool:  # type: ignore[override]
        """Whether labels enter: by the label cost, or by a constraint made from them."""
        return self.label_cost is not None or callable(self.constraint)

    def check_parameters(self, n_samples: int, supervision: Supervision) -> None:
        """Raise ValueError or TypeError, naming the argument, before any work starts."""
        super().check_parameters(n_samples, supervision)
        for name in ("label_cost", "unlabeled_cost"):
            given = getattr(self, name)
            if given is not None and not callable(given):
                raise TypeError(f"{name} must be a function that returns a Graph, got {given!r}")
        if not callable(self.constraint):
            check_constraint(self.constraint, ("degree", "identity", "variance"))

    def problem(self, points: Points, known: Known) -> Problem:
        """Return the sum of the costs against the constraint."""
        Z = points.Z
        near = self._graph("unlabeled_cost", self.unlabeled_cost or heat_kernel, Z)
        near = near**self.power
        W = self.gamma * near.scatter(Z)
        if self.label_cost is not None:
            W = W + self._graph("label_cost", self.label_cost, Z, known).scatter(Z)
        if callable(self.constraint):
            return Problem(W, self._graph("constraint", self.constraint, Z, known).scatter(Z))
        B = fixed_constraint(self.constraint, points)
        if B is None:
            B = np.asarray(Z.T @ (near.degree()[:, None] * Z))
        return Problem(W, B)

    @staticmethod
    def _graph(name: str, make: Callable[..., Any], *arguments: Any) -> Graph:
        made = make(*arguments)
        if not isinstance(made, Graph):
            raise TypeError(f"{name} must return a Graph, got {type(made).__name__}")
        return made
