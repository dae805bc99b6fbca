"""ClosedForm: the objective of methods whose best layout is known in closed form.

    J(Y) = f(A*) + ½ ‖Y − Z‖²,  Z = X A*

A* solves the learner's problem and f is its cost. The gradient is ``Y − Z`` and the curvature one,
so the fixed-point update lands on Z in a single step, whatever changed: labels, a slider, the data.
Costs and constraints of the framework are invariant under rotations of the axes, so Z may be
aligned (orthogonal Procrustes) to the layout that is on the screen.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import orthogonal_procrustes

from nbembed.objectives.base import Evaluation, Objective
from nbembed.validation import shown


class ClosedForm(Objective):
    """Distance to the best layout.

    * target (n_samples, n_components): Z, the solution.
    * value: f(A*), the learner's cost there.
    * parameters: those that it was solved with and that :meth:`with_parameters` can change.
    * solve_again: takes some of the parameters by name and returns the objective solved with them.
    * kernel_coefficient: of the kernel in whose space it was solved.
    """

    def __init__(
        self,
        target: NDArray[Any],
        value: float,
        parameters: Mapping[str, float],
        solve_again: Callable[..., ClosedForm],
        kernel_coefficient: float | None = None,
    ) -> None:
        self.target = np.array(target, dtype=np.float32)
        self.target.flags.writeable = False
        self.value = float(value)
        self.kernel_coefficient = kernel_coefficient
        self._parameters = dict(parameters)
        self._solve_again = solve_again

    @property
    def n_samples(self) -> int:
        """Number of points."""
        return int(self.target.shape[0])

    @property
    def dtype(self) -> np.dtype[Any]:
        """float32, as for all layouts; the eigenproblem itself is solved in float64."""
        return self.target.dtype

    @property
    def length_scale(self) -> float:
        """Infinite: the gradient is right at any distance."""
        return math.inf

    @property
    def parameters(self) -> dict[str, float]:
        """The parameters that it was solved with."""
        return dict(self._parameters)

    def with_parameters(self, **parameters: Any) -> Self:
        """Return the objective solved anew with some parameters changed."""
        unknown = parameters.keys() - self._parameters.keys()
        if unknown:
            raise TypeError(f"ClosedForm has no parameter {shown(sorted(unknown)[0])}")
        return cast(Self, self._solve_again(**parameters))

    def evaluate(self, Y: NDArray[Any], *, cost: bool = True) -> Evaluation:
        """Return the cost, ``Y − Z`` and a curvature of one."""
        gap = np.asarray(Y) - self.target
        off = 0.5 * float(np.sum(np.square(gap, dtype=np.float64))) if cost else math.nan
        return Evaluation(self.value + off, gap, np.ones(gap.shape[0], dtype=gap.dtype))


def aligned(Z: NDArray[Any], reference: NDArray[Any] | None) -> NDArray[Any]:
    """Return ``Z`` rotated and mirrored to match ``reference`` best in least squares.

    Both are compared about their means. Without a reference, or with one of another shape, ``Z``
    stays as it is.
    """
    if reference is None or reference.shape != Z.shape:
        return Z
    R, _ = orthogonal_procrustes(Z - Z.mean(axis=0), reference - reference.mean(axis=0))
    return np.asarray(Z @ R)
