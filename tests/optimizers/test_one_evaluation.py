"""Gradient rules evaluate each layout once and defer the test of a step to the next one.

The layouts must be, to the bit, those of the same rule that evaluates both ends of each step at
once; that rule is written out here.
"""

from __future__ import annotations

import numpy as np
import pytest

from nbembed.objectives import HeavyTailed
from nbembed.optimizers import FixedPoint, MomentumGradient
from nbembed.optimizers.fixed_point import PATIENCE, YIELD
from nbembed.optimizers.momentum import MAX_MOMENTUM, MIN_GAIN
from nbembed.optimizers.steps import change_of_cost, dot, preconditioned, within_reach
from nbembed.run import Run


def momentum_layouts(objective, Y, steps):
    """Return the layouts of momentum descent, each step tested as soon as it is made."""
    real = Y.dtype.type
    velocity, gains, calm, rises = np.zeros_like(Y), np.ones_like(Y), 0, 0
    layouts = []
    for _ in range(steps):
        seen = objective.evaluate(Y, cost=False)
        push = preconditioned(seen.gradient, seen.curvature)
        gains = np.where(velocity * push < 0, gains + real(0.2), gains * real(0.8))
        gains = np.maximum(gains, real(MIN_GAIN))
        momentum = min(MAX_MOMENTUM, 1 - 3 / (calm + 6))
        velocity = real(momentum) * velocity - real(1.0) * gains * push
        velocity = within_reach(velocity, Y, objective.length_scale)
        Y = Y + velocity
        after = objective.evaluate(Y, cost=False)
        if change_of_cost(seen.gradient, after.gradient, velocity) > 0:
            velocity, gains, calm, rises = np.zeros_like(Y), real(0.5) * gains, 0, rises + 1
        else:
            calm += 1
        layouts.append(Y)
    return layouts, rises


def fixed_point_layouts(objective, Y, steps):
    """Return the layouts of the fixed point, each step judged as soon as it is made."""
    damping, failures, halvings = 1.0, 0.0, 0
    layouts = []
    for _ in range(steps):
        seen = objective.evaluate(Y, cost=False)
        update = -preconditioned(seen.gradient, seen.curvature)
        step = within_reach(Y.dtype.type(damping) * update, Y, objective.length_scale)
        Y = Y + step
        after = objective.evaluate(Y, cost=False)
        promised = 0.5 * abs(dot(seen.gradient, step))
        failed = change_of_cost(seen.gradient, after.gradient, step) > -YIELD * promised
        failures = failures + 1 if failed else max(0.0, failures - 0.5)
        if failures >= PATIENCE:
            damping, failures, halvings = 0.5 * damping, 0.0, halvings + 1
        elif failures == 0:
            damping = min(1.0, 1.05 * damping)
        layouts.append(Y)
    return layouts, halvings


RULES = [(MomentumGradient(), momentum_layouts), (FixedPoint(), fixed_point_layouts)]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("alpha", [0.0, 1.0])
@pytest.mark.parametrize(("optimizer", "reference"), RULES, ids=["momentum", "fixed point"])
@pytest.mark.parametrize("cost_every", [0, 1, 3])
def test_layouts_are_those_of_the_rule_that_tests_at_once(
    clusters, optimizer, reference, alpha, dtype, cost_every
):
    objective = HeavyTailed(clusters.astype(dtype), alpha)
    Y = 5 * np.random.default_rng(0).normal(size=(60, 2)).astype(dtype)
    expected, interventions = reference(objective, Y, 120)
    if alpha == 0:
        assert interventions > 0, "the safeguard must have been part of it"
    state = optimizer.start(Y)
    for k, layout in enumerate(expected):
        state = optimizer.step(objective, state, cost=cost_every > 0 and k % cost_every == 0)
        np.testing.assert_array_equal(state.Y, layout)


@pytest.mark.parametrize("optimizer", [rule for rule, _ in RULES], ids=repr)
def test_a_step_is_one_evaluation_from_the_start(quadratic, rng, optimizer):
    state = optimizer.start(rng.normal(size=quadratic.center.shape))
    for k in range(1, 6):
        state = optimizer.step(quadratic, state)
        assert quadratic.looks == k


@pytest.mark.parametrize("optimizer", [rule for rule, _ in RULES], ids=repr)
def test_an_evaluation_with_cost_serves_the_next_step(quadratic, rng, optimizer):
    state = optimizer.step(
        quadratic, optimizer.start(rng.normal(size=quadratic.center.shape)), cost=True
    )
    assert quadratic.looks == 2
    assert state.cost == quadratic.cost(state.Y)
    looks = quadratic.looks
    optimizer.step(quadratic, state)
    assert quadratic.looks == looks


@pytest.mark.parametrize("optimizer", [rule for rule, _ in RULES], ids=repr)
def test_from_a_change_to_the_next_layout_is_one_evaluation(quadratic, rng, optimizer):
    run = Run(quadratic, optimizer, rng.normal(size=quadratic.center.shape)).step(5)
    other = quadratic.with_parameters(factor=2.0)
    run.change(other).step()
    assert other.looks == 1


@pytest.mark.parametrize("optimizer", [rule for rule, _ in RULES], ids=repr)
def test_a_step_on_one_objective_is_not_tested_on_another(quadratic, rng, optimizer):
    """The step before a change of objective counts as neither good nor bad."""
    Y = rng.normal(size=quadratic.center.shape)
    other = type(quadratic)(quadratic.stiffness, quadratic.center + 50, quadratic.curvature)
    state = optimizer.step(other, optimizer.step(quadratic, optimizer.start(Y)))
    assert other.looks == 1
    assert np.isfinite(state.Y).all()
