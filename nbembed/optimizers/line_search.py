"""A line search for expensive functions whose cost and gradient are computed together.

It finds a step t along a descent direction that satisfies the strong Wolfe conditions

    φ(t) ≤ φ(0) + c₁ t φ'(0)   and   |φ'(t)| ≤ c₂ |φ'(0)|

by extrapolation until a minimum is bracketed and interpolation with cubics after that. Each trial
is one evaluation of the objective (cost and gradient); the accepted one is returned, so that
nothing is evaluated twice. Late in a descent in float32, changes of the cost are smaller than its
rounding, while the gradient is still accurate: where the cost has not risen by more than its
rounding (:attr:`Evaluation.rounding`), the slopes decide, φ'(t) ≤ (2c₁ − 1) φ'(0) in place of the
first condition (the approximate Wolfe conditions of Hager and Zhang).

Why not ``scipy.optimize.line_search``: in the same conjugate gradients on Mbed's annealing it needs
more evaluations in float64 for about the same costs, and in float32 it fails on TEXT early.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.kernels.inner_product import dot
from nbembed.objectives.base import Evaluation, Objective
from nbembed.optimizers.steps import is_finite

#: Sufficient decrease c₁ and how much each extrapolation may lengthen the step.
DECREASE = 1e-4
STRETCH = 4.0


@dataclass(frozen=True)
class Trial:
    """A point on the line: step, layout, its evaluation, and the slope φ'."""

    step: float
    Y: NDArray[Any]
    seen: Evaluation
    slope: float

    @property
    def cost(self) -> float:
        """φ at this step."""
        return self.seen.cost


def line_search(
    objective: Objective,
    Y: NDArray[Any],
    seen: Evaluation,
    direction: NDArray[Any],
    first: float,
    *,
    flatness: float,
    max_evaluations: int = 20,
    longest: float = math.inf,
) -> Trial | None:
    """Return a point of sufficient decrease along ``direction``, or None if none was found.

    * objective: evaluated with its cost at every trial.
    * Y, seen: where the line starts.
    * direction like ``Y``: with ⟨direction, gradient⟩ < 0.
    * first: first step to try, positive.
    * flatness: c₂: how flat, relative to the start, the line must be at the accepted step.
    * max_evaluations: after these the best trial that lowers the cost is taken.
    * longest: largest step allowed; where the cost still falls there, it is taken.
    """
    start = Trial(0.0, Y, seen, dot(seen.gradient, direction))
    if not start.slope < 0 or not math.isfinite(start.slope):
        return None
    precision = float(np.finfo(Y.dtype).eps)
    rounding = max(seen.rounding, precision * abs(start.cost))
    # Steps that differ by less than this lead to the same numbers.
    grain = precision * float(np.abs(Y).max()) / float(np.abs(direction).max())

    def lowers(trial: Trial) -> bool:
        if trial.cost <= start.cost + DECREASE * trial.step * start.slope:
            return True
        return (
            trial.cost <= start.cost + rounding and trial.slope <= (2 * DECREASE - 1) * start.slope
        )

    low, high = start, None  # low: the best that lowers the cost; high: beyond the minimum
    step = min(first, longest)
    for _ in range(max_evaluations):
        trial = _try(objective, Y, direction, step)
        if trial is None:
            # Not finite: an upper end of the interval.
            high = Trial(step, Y, seen, math.nan)
        elif not lowers(trial) or (low.step > 0 and trial.cost >= low.cost + rounding):
            high = trial
        elif abs(trial.slope) <= -flatness * start.slope or (step >= longest and trial.slope < 0):
            return trial
        elif (trial.slope >= 0) == (high is None or high.step > low.step):
            # The minimum lies between the old low and the trial.
            high, low = low, trial
        else:
            low = trial
        if high is None:
            step = min(_beyond(start, low, trial), longest)
        elif abs(high.step - low.step) <= max(grain, precision * high.step):
            break
        else:
            step = _between(low, high, rounding)
    return low if low.step > 0 else None


def _try(
    objective: Objective, Y: NDArray[Any], direction: NDArray[Any], step: float
) -> Trial | None:
    moved = Y + Y.dtype.type(step) * direction
    if not objective.in_range(moved):
        return None
    seen = objective.evaluate(moved)
    if not is_finite(seen) or math.isnan(seen.cost):
        return None
    return Trial(step, moved, seen, dot(seen.gradient, direction))


def _beyond(start: Trial, low: Trial, trial: Trial | None) -> float:
    """Return a longer step: the zero of the slope by linear extrapolation, within bounds."""
    assert trial is not None  # a failed trial sets an upper end
    bend = (trial.slope - start.slope) / trial.step
    guess = -start.slope / bend if bend > 0 else math.inf
    return min(max(guess, 1.5 * low.step), STRETCH * low.step)


def _between(low: Trial, high: Trial, rounding: float) -> float:
    """Return the minimum of the cubic through both ends, kept a tenth of the interval off them."""
    width = high.step - low.step
    guess = math.nan
    if not math.isfinite(high.slope):
        guess = low.step + 0.1 * width
    elif abs(high.cost - low.cost) <= rounding:
        # The costs differ by rounding alone: the zero of the slope by linear interpolation.
        if high.slope != low.slope:
            guess = low.step - low.slope * width / (high.slope - low.slope)
    else:
        # Cubic through two costs and two slopes (Nocedal and Wright, equation 3.59).
        d1 = low.slope + high.slope - 3 * (high.cost - low.cost) / width
        square = d1 * d1 - low.slope * high.slope
        if square >= 0:
            d2 = math.copysign(math.sqrt(square), width)
            denominator = high.slope - low.slope + 2 * d2
            if denominator != 0:
                guess = high.step - width * (high.slope + d2 - d1) / denominator
    inner, outer = sorted((low.step + 0.1 * width, high.step - 0.1 * width))
    if not inner <= guess <= outer:
        return low.step + 0.5 * width if math.isnan(guess) else min(max(guess, inner), outer)
    return guess
