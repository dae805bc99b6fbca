"""What the gradient rules survive: maps too wide, sudden changes, points that nothing holds."""

from __future__ import annotations

import numpy as np
import pytest

from nbembed.kernels.inner_product import rms_radius
from nbembed.objectives import HeavyTailed
from nbembed.optimizers import FixedPoint, MomentumGradient
from nbembed.optimizers.steps import change_of_cost, preconditioned, within_reach
from nbembed.supervision import Supervision

RULES = [FixedPoint(), MomentumGradient()]


@pytest.fixture(params=RULES, ids=repr)
def optimizer(request):
    return request.param


def descend(optimizer, objective, Y, steps):
    state = optimizer.start(Y)
    for _ in range(steps):
        state = optimizer.step(objective, state, cost=True)
        assert np.isfinite(state.Y).all()
    return state


@pytest.mark.parametrize("alpha", [0.0, 0.2, 0.5, 1.0, 2.0])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_wide_starts_are_drawn_in(clusters, optimizer, alpha, dtype):
    """Thirty times too wide: the cost falls. Five times: it falls to what a good start reaches."""
    P = clusters.astype(dtype)
    Y = np.random.default_rng(0).normal(size=(60, 2)).astype(dtype)
    objective = HeavyTailed(P, alpha)
    assert descend(optimizer, objective, 30 * Y, 100).cost < 0.6 * objective.cost(30 * Y)
    near = descend(optimizer, objective, Y, 300).cost
    assert descend(optimizer, objective, 5 * Y, 300).cost < near + 0.3


def test_the_fixed_point_descends_unaided_from_a_small_start(clusters):
    for alpha in (0.5, 1.0, 2.0):
        objective = HeavyTailed(clusters, alpha)
        state = FixedPoint().start(1e-2 * np.random.default_rng(0).normal(size=(60, 2)))
        costs = []
        for _ in range(200):
            state = FixedPoint().step(objective, state, cost=True)
            costs.append(state.cost)
        assert np.mean(np.diff(costs) > 1e-12) < 0.05
        assert state.damping == 1.0


@pytest.mark.parametrize("alpha", [0.0, 0.2])
def test_tails_may_become_light_at_once(clusters, optimizer, alpha):
    """α from 1 to nearly 0 on a map that t-SNE has spread out."""
    heavy = HeavyTailed(clusters, 1.0)
    spread = descend(optimizer, heavy, np.random.default_rng(0).normal(size=(60, 2)), 150).Y
    light = heavy.with_parameters(alpha=alpha)
    fresh = descend(optimizer, light, np.random.default_rng(0).normal(size=(60, 2)), 300)
    assert descend(optimizer, light, spread, 300).cost < fresh.cost + 0.1


def test_labels_may_come_and_go(clusters, optimizer):
    plain = HeavyTailed(clusters, 1.0)
    Y = descend(optimizer, plain, np.random.default_rng(0).normal(size=(60, 2)), 150).Y
    across = Supervision(60).must_link(list(range(0, 60, 3)))
    linked = plain.with_parameters(supervision=across)
    drawn = descend(optimizer, linked, Y, 150)
    assert drawn.cost < linked.cost(Y)
    back = descend(optimizer, plain, drawn.Y, 150)
    assert back.cost < plain.cost(Y) + 0.1


def test_a_point_that_nothing_holds_stays_finite(optimizer):
    P = np.zeros((20, 20))
    P[:19, :19] = (1 - np.eye(19)) / (19 * 18)
    Y = np.random.default_rng(0).normal(size=(20, 2))
    for alpha in (0.0, 1.0):
        descend(optimizer, HeavyTailed(P, alpha), Y, 100)


@pytest.mark.parametrize("Y", [np.zeros((60, 2)), np.full((60, 2), 7.0)], ids=["zero", "equal"])
def test_points_in_one_place_stay_finite(clusters, optimizer, Y):
    descend(optimizer, HeavyTailed(clusters), Y, 20)


def test_rises_that_last_damp_the_fixed_point(quadratic, rng):
    """With a curvature four times too small the plain update diverges."""
    stiff = type(quadratic)(quadratic.stiffness, quadratic.center, quadratic.curvature / 4)
    Y = rng.normal(size=stiff.center.shape)
    assert descend(FixedPoint(), stiff, Y, 8).damping < 1
    assert descend(FixedPoint(), stiff, Y, 200).cost < 1e-3 * stiff.cost(Y)


def test_momentum_survives_a_learning_rate_that_is_too_large(quadratic, rng):
    Y = rng.normal(size=quadratic.center.shape)
    state = descend(MomentumGradient(learning_rate=1.0), quadratic, Y, 300)
    assert state.cost < quadratic.cost(Y)


def test_no_point_moves_farther_than_the_kernel(clusters, optimizer):
    objective = HeavyTailed(clusters)
    state = optimizer.start(np.random.default_rng(0).normal(size=(60, 2)))
    for _ in range(50):
        ahead = optimizer.step(objective, state)
        moved = np.linalg.norm(ahead.Y - state.Y, axis=1).max()
        assert moved <= max(objective.length_scale, 0.02 * rms_radius(state.Y)) * (1 + 1e-9)
        state = ahead


def test_the_change_of_a_quadratic_cost_is_exact(quadratic, rng):
    Y, step = rng.normal(size=(2, *quadratic.center.shape))
    change = change_of_cost(quadratic.gradient(Y), quadratic.gradient(Y + step), step)
    assert change == pytest.approx(quadratic.cost(Y + step) - quadratic.cost(Y))


def test_a_gradient_that_is_no_number_counts_as_a_rise():
    nan = np.full((3, 2), np.nan)
    assert change_of_cost(nan, nan, np.ones((3, 2))) > 0


def test_no_curvature_divides_by_zero():
    gradient = np.ones((3, 2))
    assert np.isfinite(preconditioned(gradient, np.array([0.0, 1.0, 1.0]))).all()
    np.testing.assert_array_equal(preconditioned(gradient, np.zeros(3)), gradient)


def test_reach_keeps_directions():
    step = np.array([[30.0, 40.0], [0.3, 0.4]])
    short = within_reach(step, np.zeros((2, 2)), 1.0)
    np.testing.assert_allclose(short, [[0.6, 0.8], [0.3, 0.4]])
