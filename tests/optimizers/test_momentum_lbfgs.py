"""Momentum first, L-BFGS to the end."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from nbembed.objectives import SNE, HeavyTailed
from nbembed.optimizers import LBFGS, MomentumGradient, MomentumLBFGS
from nbembed.optimizers.lbfgs import LBFGSState
from nbembed.optimizers.momentum import CHECKED, MomentumState
from nbembed.optimizers.momentum_lbfgs import MOMENTUM_STEPS
from nbembed.run import Run


def test_the_rules_take_turns(clusters, rng):
    run = Run(HeavyTailed(clusters), MomentumLBFGS(), rng.normal(size=(60, 2)))
    run.step(MOMENTUM_STEPS)
    assert isinstance(run.state, MomentumState)
    before = run.cost
    run.step()
    assert isinstance(run.state, LBFGSState)
    assert run.cost <= before
    run.change(run.objective.with_parameters(alpha=0.9)).step()
    assert isinstance(run.state, MomentumState)


def test_the_cost_never_rises_after_momentum(clusters, rng):
    run = Run(HeavyTailed(clusters, 1.5), MomentumLBFGS(), rng.normal(size=(60, 2)), cost_every=1)
    run.step(MOMENTUM_STEPS + 150)
    costs = [record.cost for record in run.trace[MOMENTUM_STEPS:]]
    assert np.diff(costs).max() < 1e-12


def test_objectives_without_attractions_are_momentums(rows, rng):
    Y = rng.normal(size=(60, 2))
    both = Run(SNE(rows), MomentumLBFGS(), Y).step(MOMENTUM_STEPS + 30)
    alone = Run(SNE(rows), MomentumGradient(), Y).step(MOMENTUM_STEPS + 30)
    np.testing.assert_array_equal(both.embedding, alone.embedding)


def test_a_cost_that_is_asked_for_changes_no_bit(clusters, rng):
    Y = rng.normal(size=(60, 2))
    often = Run(HeavyTailed(clusters), MomentumLBFGS(), Y, cost_every=1).step(160)
    rarely = Run(HeavyTailed(clusters), MomentumLBFGS(), Y, cost_every=1000).step(160)
    assert often.embedding.tobytes() == rarely.embedding.tobytes()


def test_rest_comes_sooner_than_by_momentum(clusters, rng):
    """Three rigid clouds that must travel: what a diagonal scale takes thousands of steps for.

    Starts at random end in several optima, of one start in ten in a worse one.
    """
    lower = []
    for _ in range(10):
        Y = rng.normal(size=(60, 2))
        both = Run(HeavyTailed(clusters, 1.5), MomentumLBFGS(), Y).until(3000)
        assert both.converged
        momentum = Run(HeavyTailed(clusters, 1.5), MomentumGradient(), Y).step(both.iteration)
        lower.append(both.cost < momentum.cost)
    assert sum(lower) >= 8


def test_the_laplacian_saves_iterations(clusters, rng):
    Y = rng.normal(size=(60, 2))
    costs = [
        Run(HeavyTailed(clusters, 1.0), LBFGS(laplacian=on), Y).step(40).cost
        for on in (True, False)
    ]
    assert costs[0] < costs[1]


def test_a_broken_promise_halves_the_reach_and_a_kept_one_restores_it(clusters, rng):
    objective = HeavyTailed(clusters)
    Y = rng.normal(size=(60, 2))
    seen = objective.evaluate(Y)
    state = MomentumState(Y, seen, objective, np.ones_like(Y), np.ones_like(Y), calm=9)
    rises = MomentumState.checked(_promising(state, seen.cost - 0.1, -0.5))
    assert (rises.trust, rises.calm, rises.velocity) == (0.5, 0, None)
    assert (rises.gains == 0.5).all()
    short = MomentumState.checked(_promising(state, seen.cost + 0.1, -0.5))
    assert (short.trust, short.calm) == (0.5, 9)
    kept = MomentumState.checked(_promising(rises, seen.cost + 0.4, -0.5))
    assert kept.trust == 1.0
    assert kept.promised == 0.0
    assert kept.checked_cost == seen.cost


def _promising(state, checked_cost, promised):
    return replace(state, checked_cost=checked_cost, promised=promised)


def test_the_check_costs_no_evaluation(quadratic, rng):
    state = MomentumGradient().start(rng.normal(size=quadratic.center.shape))
    for k in range(1, 2 * CHECKED + 5):
        state = MomentumGradient().step(quadratic, state)
        assert quadratic.looks == k
