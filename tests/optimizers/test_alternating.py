"""Objects and class centers in turn: the optimizer of Parametric Embedding."""

from __future__ import annotations

import numpy as np
import pytest

from nbembed.objectives import Parametric, Pinned
from nbembed.objectives.constant import Constant
from nbembed.optimizers import LBFGS, Alternating, ConjugateGradient, FixedPoint, MomentumGradient
from nbembed.run import Run
from tests.optimizers.conftest import Quadratic


@pytest.fixture
def proba(rng):
    rows = rng.dirichlet(np.full(4, 0.4), 12)
    rows[0] = [1, 0, 0, 0]
    return rows


def test_every_optimizer_descends_and_none_gets_below_the_alternating_one(proba, rng):
    objective = Parametric(proba)
    Y = rng.standard_normal((16, 2))
    best = Run(objective, Alternating(tol=1e-9), Y).step(60).cost
    for optimizer in (LBFGS(), ConjugateGradient(), FixedPoint(), MomentumGradient()):
        run = Run(objective, optimizer, Y).step(300)
        assert run.cost < objective.cost(Y)
        assert run.cost > best - 1e-6


@pytest.mark.parametrize("seed", range(20))
def test_the_cost_never_rises_from_any_start(seed):
    rng = np.random.default_rng(seed)
    proba = rng.dirichlet(np.full(5, 0.2), 60)
    objective = Parametric(proba, n_jobs=1)
    run = Run(
        objective, Alternating(tol=1e-7), rng.standard_normal((65, 2)) * 10 ** rng.uniform(-3, 2)
    )
    costs = [run.step().cost for _ in range(80)]
    assert (np.diff(costs) <= 1e-9 * np.abs(costs[:-1])).all()
    gradient = objective.gradient(run.embedding)
    assert np.linalg.norm(gradient) < 1e-5


def test_pinned_objects_stay_and_the_others_are_solved(proba, rng):
    objective = Parametric(proba)
    Y = rng.standard_normal((16, 2))
    held = Pinned(objective, [2, 5])
    run = Run(held, Alternating(tol=1e-8), Y).step(60)
    np.testing.assert_array_equal(run.embedding[[2, 5]], Y[[2, 5]])
    assert np.abs(held.gradient(run.embedding)).max() < 1e-5


def test_states_are_values(proba, rng):
    objective = Parametric(proba)
    rule = Alternating()
    first = rule.step(objective, rule.start(rng.standard_normal((16, 2))))
    np.testing.assert_array_equal(rule.step(objective, first).Y, rule.step(objective, first).Y)
    with pytest.raises(ValueError, match="tol"):
        Alternating(tol=-1.0)
    with pytest.raises(ValueError, match="memory"):
        Alternating(memory=0)


def test_at_rest_nothing_moves_any_more(proba, rng):
    objective = Parametric(proba)
    rule = Alternating(tol=1e-3)
    state = rule.start(rng.standard_normal((16, 2)))
    for _ in range(200):
        state = rule.step(objective, state)
        if state.stuck:
            break
    assert state.stuck
    assert rule.step(objective, state) is state
    changed = rule.step(objective.with_parameters(eta_classes=3.0), state)
    assert np.abs(changed.Y - state.Y).max() > 1e-3


def test_other_objectives_are_descended_by_l_bfgs(rng):
    bowl = Quadratic(np.geomspace(0.1, 30, 12), rng.normal(size=(12, 2)), None)
    Y = rng.normal(size=(12, 2))
    np.testing.assert_array_equal(
        Run(bowl, Alternating(), Y).step(30).embedding, Run(bowl, LBFGS(), Y).step(30).embedding
    )


def test_where_there_is_nothing_to_minimize_nothing_moves(rng):
    Y = rng.standard_normal((7, 2))
    run = Run(Constant(7), Alternating(), Y).until(100)
    assert run.converged
    np.testing.assert_array_equal(run.embedding, Y)
