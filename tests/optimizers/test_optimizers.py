"""What every optimizer does, whatever its rule."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from scipy.optimize import minimize

from nbembed.objectives import SNE, HeavyTailed, LargeMargin, simplex
from nbembed.optimizers import (
    LBFGS,
    ConjugateGradient,
    FixedPoint,
    MomentumGradient,
    MomentumLBFGS,
)
from nbembed.supervision import Supervision

OPTIMIZERS = [
    FixedPoint(),
    MomentumGradient(),
    MomentumGradient(momentum=0.8),
    MomentumGradient(learning_rate=5.0),
    ConjugateGradient(),
    ConjugateGradient(precondition=False),
    LBFGS(),
    LBFGS(memory=3),
    LBFGS(laplacian=False),
    MomentumLBFGS(),
]
SEARCHERS = [o for o in OPTIMIZERS if isinstance(o, (ConjugateGradient, LBFGS))]


@pytest.fixture(params=OPTIMIZERS, ids=repr)
def optimizer(request):
    return request.param


def descend(optimizer, objective, Y, steps):
    state = optimizer.start(Y)
    for _ in range(steps):
        state = optimizer.step(objective, state, cost=True)
    return state


def test_the_bottom_of_a_bowl_is_found(quadratic, rng, optimizer):
    if isinstance(optimizer, MomentumGradient) and optimizer.learning_rate != "auto":
        optimizer = dataclasses.replace(optimizer, learning_rate=0.02)
    Y = rng.normal(size=quadratic.center.shape)
    state = descend(optimizer, quadratic, Y, 400)
    assert state.cost < 1e-10 * quadratic.cost(Y)


@pytest.mark.parametrize("optimizer", [*SEARCHERS, MomentumGradient(learning_rate=0.02)], ids=repr)
def test_the_bottom_is_found_without_curvature(bare, rng, optimizer):
    Y = rng.normal(size=bare.center.shape)
    assert descend(optimizer, bare, Y, 400).cost < 1e-10 * bare.cost(Y)


def test_the_fixed_point_needs_curvature(bare, rng):
    with pytest.raises(TypeError, match="must provide curvature"):
        FixedPoint().step(bare, FixedPoint().start(rng.normal(size=bare.center.shape)))


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0, 1.5])
def test_what_scipy_reaches_is_reached(clusters, alpha, optimizer):
    """Both go downhill from the same place; no rule may end in a worse basin than 3 %."""
    objective = HeavyTailed(clusters, alpha)
    Y = np.random.default_rng(0).normal(size=(60, 2))

    def flat(y):
        cost, gradient = objective.cost_and_gradient(y.reshape(60, 2))
        return cost, gradient.ravel()

    best = minimize(flat, Y.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": 1000})
    state = descend(optimizer, objective, Y, 400)
    assert state.cost < best.fun + 0.03 * objective.cost(Y)


@pytest.fixture(scope="module")
def margin(rows):
    """Return a large-margin objective and a minimum of it that scipy found."""
    labels = Supervision(60).label([0, 1], "a").label([20, 21], "b").label([40], "c")
    objective = LargeMargin(rows, 0.5, simplex(3), labels)

    def flat(y):
        cost, gradient = objective.cost_and_gradient(y.reshape(60, 3))
        return cost, gradient.ravel()

    start = np.random.default_rng(1).normal(size=180)
    found = minimize(flat, start, jac=True, method="L-BFGS-B", options={"maxiter": 1000})
    return objective, found.x.reshape(60, 3), found.fun


@pytest.mark.parametrize("optimizer", [*SEARCHERS, MomentumGradient()], ids=repr)
def test_a_minimum_of_the_large_margin_is_reached(margin, rng, optimizer):
    objective, bottom, cost = margin
    Y = bottom + 0.05 * rng.normal(size=bottom.shape)
    assert objective.cost(Y) > 1.01 * cost
    assert descend(optimizer, objective, Y, 300).cost < 1.001 * cost


@pytest.mark.parametrize("optimizer", SEARCHERS, ids=repr)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_searchers_never_climb(rows, optimizer, dtype):
    objective = SNE(rows.astype(dtype))
    state = optimizer.start(np.random.default_rng(2).normal(size=(60, 2)).astype(dtype))
    costs = [objective.cost(state.Y)]
    for _ in range(100):
        state = optimizer.step(objective, state)
        costs.append(state.cost)
    rounding = np.finfo(dtype).eps * costs[0]
    assert max(np.diff(costs)) <= rounding


@pytest.mark.parametrize("optimizer", SEARCHERS, ids=repr)
def test_searchers_look_about_twice_an_iteration(clusters, optimizer):
    looks = 0

    class Counted(HeavyTailed):
        def evaluate(self, Y, *, cost=True):
            nonlocal looks
            looks += 1
            return super().evaluate(Y, cost=cost)

    descend(optimizer, Counted(clusters), np.random.default_rng(2).normal(size=(60, 2)), 100)
    assert looks < 250


@pytest.mark.parametrize("optimizer", SEARCHERS, ids=repr)
def test_searchers_rest_at_the_bottom(quadratic, optimizer):
    state = descend(optimizer, quadratic, quadratic.center.copy(), 3)
    looks = quadratic.looks
    assert optimizer.step(quadratic, state) is state
    assert quadratic.looks == looks


@pytest.mark.parametrize("optimizer", [FixedPoint(), MomentumGradient()], ids=repr)
def test_gradient_rules_look_once_an_iteration(quadratic, rng, optimizer):
    state = optimizer.step(quadratic, optimizer.start(rng.normal(size=quadratic.center.shape)))
    looks = quadratic.looks
    for _ in range(10):
        state = optimizer.step(quadratic, state)
    assert quadratic.looks == looks + 10


def test_a_state_forks(clusters, optimizer):
    """Stepping a kept state again gives the same, and the state itself has not changed."""
    objective = HeavyTailed(clusters, 0.5)
    state = descend(optimizer, objective, np.random.default_rng(5).normal(size=(60, 2)), 7)
    kept = state.Y.copy()

    def ahead(state):
        for _ in range(5):
            state = optimizer.step(objective, state)
        return state.Y

    first, second = ahead(state), ahead(state)
    np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(state.Y, kept)


def test_nothing_seen_through_another_objective_is_used(quadratic, rng, optimizer):
    """The first step on a new objective is downhill on that one."""
    if isinstance(optimizer, MomentumGradient) and optimizer.learning_rate != "auto":
        optimizer = dataclasses.replace(optimizer, learning_rate=0.02)
    state = descend(optimizer, quadratic, rng.normal(size=quadratic.center.shape), 30)
    moved = type(quadratic)(quadratic.stiffness, quadratic.center + 5, quadratic.curvature)
    before = moved.cost(state.Y)
    for _ in range(3):
        state = optimizer.step(moved, state)
    assert moved.cost(state.Y) < before


def test_float32_layouts_stay_float32(clusters, optimizer):
    objective = HeavyTailed(clusters.astype(np.float32), 0.5)
    Y = np.random.default_rng(0).normal(size=(60, 2)).astype(np.float32)
    state = descend(optimizer, objective, Y, 50)
    assert state.Y.dtype == np.float32
    assert state.cost < objective.cost(Y)


def test_the_cost_is_known_when_asked_for(clusters, optimizer):
    objective = HeavyTailed(clusters, exaggeration=4.0)
    state = optimizer.start(np.random.default_rng(0).normal(size=(60, 2)))
    state = optimizer.step(objective, state, cost=True)
    plain = HeavyTailed(clusters)
    assert state.cost == pytest.approx(plain.cost(state.Y), rel=1e-12)


def test_optimizers_are_compared_by_value():
    assert FixedPoint() == FixedPoint()
    assert MomentumGradient(momentum=0.8) == MomentumGradient(momentum=0.8)
    assert MomentumGradient() != MomentumGradient(momentum=0.8)
    assert LBFGS(5) != LBFGS(6)
    assert len({ConjugateGradient(), ConjugateGradient(), LBFGS()}) == 2


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: MomentumGradient(momentum=1.0), "momentum"),
        (lambda: MomentumGradient(learning_rate=0.0), "learning_rate"),
        (lambda: LBFGS(memory=0), "memory"),
        (lambda: ConjugateGradient(flatness=1.0), "flatness"),
    ],
)
def test_settings_out_of_range_are_named(make, name):
    with pytest.raises(ValueError, match=name):
        make()


@pytest.mark.parametrize("optimizer", SEARCHERS, ids=repr)
def test_float32_searches_waste_no_looks_on_rounding(rows, optimizer):
    """Large terms cancel in SNE's cost; the descent goes on where the cost can no longer tell."""
    looks = 0

    class Counted(SNE):
        def evaluate(self, Y, *, cost=True):
            nonlocal looks
            looks += 1
            return super().evaluate(Y, cost=cost)

    Y = np.random.default_rng(2).normal(size=(60, 2))
    fine = descend(optimizer, SNE(rows), Y, 200)
    coarse = descend(optimizer, Counted(rows.astype(np.float32)), Y.astype(np.float32), 200)
    assert looks < 600
    assert SNE(rows).cost(coarse.Y) < fine.cost + 0.02 * abs(fine.cost)
