from __future__ import annotations

import math

import numpy as np
import pytest

from nbembed.objectives import Evaluation
from nbembed.optimizers.line_search import line_search


class Line:
    """A function of one coordinate, dressed as an objective."""

    def __init__(self, function, slope):
        self.function, self.slope, self.looks = function, slope, 0

    def in_range(self, Y):
        return bool(np.isfinite(Y).all())

    def evaluate(self, Y, *, cost=True):
        self.looks += 1
        x = float(Y[0, 0])
        return Evaluation(self.function(x), np.array([[self.slope(x)]]))


LINES = {
    "parabola": Line(lambda x: (x - 3) ** 2, lambda x: 2 * (x - 3)),
    "quartic": Line(lambda x: (x - 1) ** 4, lambda x: 4 * (x - 1) ** 3),
    "valley": Line(
        lambda x: abs(x - 2) ** 1.5, lambda x: 1.5 * math.copysign(abs(x - 2) ** 0.5, x - 2)
    ),
    "wavy": Line(lambda x: 0.1 * x * x - math.sin(3 * x), lambda x: 0.2 * x - 3 * math.cos(3 * x)),
    "log": Line(lambda x: math.log1p((x - 5) ** 2), lambda x: 2 * (x - 5) / (1 + (x - 5) ** 2)),
}


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("first", [1e-3, 0.1, 1.0, 30.0])
@pytest.mark.parametrize("flatness", [0.1, 0.9])
def test_strong_wolfe_holds_at_the_accepted_step(name, first, flatness):
    line = LINES[name]
    line.looks = 0
    Y = np.zeros((1, 1))
    seen = line.evaluate(Y)
    direction = -np.sign(seen.gradient)

    found = line_search(line, Y, seen, direction, first, flatness=flatness)

    assert found is not None
    start = float(seen.gradient[0, 0] * direction[0, 0])
    assert found.cost <= seen.cost + 1e-4 * found.step * start
    assert abs(found.slope) <= flatness * abs(start)
    assert line.looks <= 20


def test_a_good_first_step_costs_one_look():
    line = LINES["parabola"]
    Y = np.zeros((1, 1))
    seen = line.evaluate(Y)
    line.looks = 0
    assert line_search(line, Y, seen, np.ones((1, 1)), 3.0, flatness=0.3) is not None
    assert line.looks == 1


def test_no_step_is_found_uphill():
    line = LINES["parabola"]
    Y = np.zeros((1, 1))
    assert line_search(line, Y, line.evaluate(Y), -np.ones((1, 1)), 1.0, flatness=0.3) is None


def test_walls_of_infinity_are_walls():
    line = Line(lambda x: -x if x < 1 else math.inf, lambda x: -1.0 if x < 1 else math.nan)
    Y = np.zeros((1, 1))
    found = line_search(line, Y, line.evaluate(Y), np.ones((1, 1)), 100.0, flatness=0.1)
    assert found is not None
    assert 0 < found.step < 1
    assert math.isfinite(found.cost)
