"""Directions of L-BFGS on a bounded map: no point is far ahead, and the map does not turn."""

from __future__ import annotations

import numpy as np
import pytest

from nbembed.objectives import HeavyTailed
from nbembed.optimizers import LBFGS
from nbembed.optimizers.lbfgs import EVEN, LBFGSState, _evened


def steps(objective, Y, count=20):
    """Yield layouts before and after each step."""
    state = LBFGS().start(Y)
    for _ in range(count):
        after = LBFGS().step(objective, state)
        # What renews the Laplacian may scale the map beforehand.
        if state.age % 25:
            yield state.Y, after.Y
        state = after


def test_no_point_is_far_ahead_of_the_others(clusters, rng):
    Y = rng.normal(size=(60, 2))
    state = LBFGSState(Y, largest=10.0)
    direction = -HeavyTailed(clusters).gradient(Y)
    direction[7] *= 1000
    size = np.sqrt(np.mean(np.sum(direction**2, axis=1)))
    found = _evened(direction, state, -direction)
    assert np.linalg.norm(found[7]) == pytest.approx(EVEN * size)
    np.testing.assert_array_equal(np.delete(found, 7, axis=0), np.delete(direction, 7, axis=0))
    # Where the map is not bounded, and where it would be no descent, it stays as it is.
    assert _evened(direction, LBFGSState(Y), -direction) is direction
    assert _evened(direction, state, direction) is direction


@pytest.mark.parametrize("alpha", [0.0, 1.0, 2.0])
def test_a_map_does_not_turn(clusters, rng, alpha):
    for before, after in steps(HeavyTailed(clusters, alpha), rng.normal(size=(60, 2))):
        away, moved = before - before.mean(axis=0), after - before
        turn = away @ [[0.0, 1.0], [-1.0, 0.0]]
        most = np.linalg.norm(turn) * np.linalg.norm(moved)
        assert abs(np.sum(turn * moved)) <= 1e-9 * most
