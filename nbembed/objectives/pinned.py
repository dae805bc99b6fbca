"""Pinned points: an objective whose gradient is zero in their rows.

    ∂J/∂y_i ← 0 for pinned i

The cost is unchanged: pinned points attract and repel the others, which alone are optimized.
Optimizers move a point along its own row of gradients, and leave the rows of :attr:`Pinned.pinned`
out of what couples rows, so that a pinned point keeps its coordinates to the bit.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nbembed.objectives.attraction import Edges
from nbembed.objectives.base import Evaluation, Objective
from nbembed.objectives.cost_terms import CostTerm
from nbembed.validation import check_points


class Pinned(Objective):
    """An objective in which some points stay in place.

    Other attributes (for example ``membership`` of LargeMargin) are those of ``objective``.

    Parameters
    ----------
    objective : Objective
        Shared, never changed.
    points : array-like of int, or mask of shape (n_samples,)
        Rows of the layout that stay in place; may be empty.

    Raises
    ------
    ValueError
        If a point is out of range.

    Examples
    --------
    >>> from nbembed.objectives import HeavyTailed
    >>> held = Pinned(HeavyTailed((1 - np.eye(3)) / 6), [0])
    >>> held.gradient(np.array([[0.0], [1.0], [3.0]]))[0]
    array([0.])
    """

    def __init__(self, objective: Objective, points: ArrayLike) -> None:
        if not isinstance(objective, Objective):
            raise TypeError(f"objective must be an Objective, got {type(objective).__name__}")
        n = objective.n_samples
        none = np.asarray(points).size == 0
        self._points = np.empty(0, np.intp) if none else check_points(points, n)
        self._objective = objective

    @property
    def inner(self) -> Objective:
        """The objective itself."""
        return self._objective

    @property
    def n_samples(self) -> int:
        """Number of points that a layout must have."""
        return self._objective.n_samples

    @property
    def dtype(self) -> np.dtype[Any]:
        """Floating type that pairs are computed in."""
        return self._objective.dtype

    @property
    def length_scale(self) -> float:
        """Width of the embedding's kernel in coordinates."""
        return self._objective.length_scale

    @property
    def n_threads(self) -> int:
        """Threads that an evaluation takes."""
        return self._objective.n_threads

    def far(self, near: float) -> float | None:
        """Return the distance at which the similarity is 1/n of that at the distance ``near``."""
        return self._objective.far(near)

    @property
    def parameters(self) -> dict[str, float]:
        """Those of the inner objective."""
        return self._objective.parameters

    @property
    def pinned(self) -> NDArray[np.intp]:
        """Rows that stay in place, sorted."""
        return self._points

    def with_parameters(self, **parameters: Any) -> Self:
        """Return the same with parameters of the inner objective changed.

        Another ``supervision`` replaces the pins by its own.
        """
        points = self._points
        if parameters.get("supervision") is not None:
            points = parameters["supervision"].pinned
        return type(self)(self._objective.with_parameters(**parameters), points)

    @property
    def attracts(self) -> bool:
        """True if the inner objective provides attractions."""
        return self._objective.attracts

    def attraction(self, Y: NDArray[Any]) -> Edges | None:
        """Return those of the inner objective; optimizers leave :attr:`pinned` in place."""
        return self._objective.attraction(Y)

    def in_range(self, Y: NDArray[Any]) -> bool:
        """Return whether the inner objective takes the numbers of a layout."""
        return self._objective.in_range(Y)

    @property
    def hazard(self) -> str:
        """The inner objective's hazard."""
        return self._objective.hazard

    @property
    def equation(self) -> str:
        """The inner objective's equation."""
        return self._objective.equation

    def cost_terms(self, Y: NDArray[Any]) -> tuple[CostTerm, ...]:
        """Return the terms of the inner objective: what pinned points withstand, too."""
        return self._objective.cost_terms(Y)

    def evaluate(self, Y: NDArray[Any], *, cost: bool = True) -> Evaluation:
        """Return cost, gradient and curvature at ``Y``, the gradient zero at pinned points."""
        evaluation = self._objective.evaluate(Y, cost=cost)
        gradient = evaluation.gradient.copy()
        gradient[self._points] = 0
        return replace(evaluation, gradient=gradient)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):  # during copying and unpickling there is no inner objective yet
            raise AttributeError(name)
        return getattr(self._objective, name)
