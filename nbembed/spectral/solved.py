"""Solved: the objective of methods whose answer is known in closed form.

    J(Y) = f(A*) + ½ ‖Y − Z‖²,  Z = X A*

where A* solves the learner's problem and f is its cost. The gradient is ``Y − Z`` and the curvature
one, so the fixed-point update lands on Z in a single step, whatever changed: labels, a slider, the
data. Costs and constraints of the framework do not change when the axes are turned among
themselves, so Z may be turned (orthogonal Procrustes) to a layout that people already look at.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy.linalg import orthogonal_procrustes

from nbembed.objectives.base import Evaluation, Objective

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Solved(Objective):
    """Distance to a layout that is known to be best.

    Parameters
    ----------
    target : ndarray of shape (n_samples, n_components)
        Z, the solution.
    value : float
        f(A*), the learner's own cost there.
    parameters : mapping of str to float
        What it was solved with.
    again : callable
        Takes some of the parameters by name and returns the objective solved with them.
    kernel_width : float, optional
        γ of the kernel in whose space it was solved.
    """

    def __init__(
        self,
        target: NDArray[Any],
        value: float,
        parameters: Mapping[str, float],
        again: Callable[..., Solved],
        kernel_width: float | None = None,
    ) -> None:
        self.target = np.array(target, dtype=np.float32)
        self.target.flags.writeable = False
        self.value = float(value)
        self.kernel_width = kernel_width
        self._parameters = dict(parameters)
        self._again = again

    @property
    def n_samples(self) -> int:
        """Number of points."""
        return int(self.target.shape[0])

    @property
    def dtype(self) -> np.dtype[Any]:
        """float32: a layout is looked at. The problem itself was solved in float64."""
        return self.target.dtype

    @property
    def length_scale(self) -> float:
        """Infinite: the gradient is right at any distance."""
        return math.inf

    @property
    def parameters(self) -> dict[str, float]:
        """What it was solved with."""
        return dict(self._parameters)

    def with_parameters(self, **parameters: Any) -> Self:
        """Return the objective solved anew with some parameters changed."""
        unknown = parameters.keys() - self._parameters.keys()
        if unknown:
            raise TypeError(f"Solved has no parameter {sorted(unknown)[0]!r}")
        made: Any = self._again(**parameters)
        return made  # type: ignore[no-any-return]

    def evaluate(self, Y: NDArray[Any], *, cost: bool = True) -> Evaluation:
        """Return the cost, ``Y − Z`` and a curvature of one."""
        gap = np.asarray(Y) - self.target
        off = 0.5 * float(np.sum(np.square(gap, dtype=np.float64))) if cost else math.nan
        return Evaluation(self.value + off, gap, np.ones(gap.shape[0], dtype=gap.dtype))


def turned(Z: NDArray[Any], reference: NDArray[Any] | None) -> NDArray[Any]:
    """Return ``Z`` turned and mirrored to lie as near to ``reference`` as it can.

    Both are compared about their means. Without a reference, or with one of another shape, ``Z``
    stays as it is.
    """
    if reference is None or reference.shape != Z.shape:
        return Z
    R, _ = orthogonal_procrustes(Z - Z.mean(axis=0), reference - reference.mean(axis=0))
    return np.asarray(Z @ R)
