"""How far a map may grow, and the step that gives it its best size."""

from __future__ import annotations

import numpy as np
import pytest

from nbembed.objectives import HeavyTailed, Pinned
from nbembed.optimizers import LBFGS, MomentumLBFGS, size
from nbembed.optimizers.size import WIDEST, room, scale_step
from nbembed.optimizers.steps import radius
from nbembed.run import Run


@pytest.fixture
def Y(rng):
    return rng.normal(size=(60, 2)) + 8 * np.repeat(np.eye(3, 2), 20, axis=0)


def nearest(Y):
    tau = np.square(Y[:, None] - Y[None]).sum(axis=2)
    np.fill_diagonal(tau, np.inf)
    return np.sqrt(tau.min(axis=1))


def test_room_is_what_is_left_to_the_widest_map(Y):
    found = room(Y, 2.0)
    assert np.median(nearest(found * Y)) == pytest.approx(2 * WIDEST, rel=1e-3)
    assert room(100 * Y, 2.0) == pytest.approx(found / 100)


def test_room_of_points_in_pairs_and_in_one_place(Y):
    assert 0 < room(np.vstack([Y, Y]), 1.0) < np.inf
    assert room(np.zeros((5, 2)), 1.0) == np.inf


@pytest.mark.parametrize("alpha", [0.0, 1.0])
@pytest.mark.parametrize("factor", [2.0, 30.0, 3000.0])
def test_a_map_too_large_is_brought_to_its_best_size(clusters, Y, alpha, factor):
    objective = HeavyTailed(clusters, alpha)
    costs = {s: objective.cost(s * Y) for s in np.geomspace(0.01, 5, 400)}
    best = min(costs.values())
    large = factor * Y
    found = scale_step(objective, large, objective.evaluate(large))
    assert found is not None
    assert found.factor < 1
    assert found.seen.cost < best + 0.5 * (objective.cost(large) - best)
    np.testing.assert_allclose(
        found.Y - found.Y.mean(axis=0), found.factor * (large - large.mean(axis=0)), rtol=1e-9
    )
    assert found.seen.cost == objective.cost(found.Y)


def test_a_tiny_start_is_left_alone(clusters, Y):
    objective = HeavyTailed(clusters)
    tiny = 1e-3 * Y
    assert scale_step(objective, tiny, objective.evaluate(tiny)) is None


def test_pinned_points_stay(clusters, Y):
    objective = Pinned(HeavyTailed(clusters), [0, 40])
    large = 20 * Y
    found = scale_step(objective, large, objective.evaluate(large))
    assert found is not None
    np.testing.assert_array_equal(found.Y[[0, 40]], large[[0, 40]])


@pytest.mark.parametrize("optimizer", [LBFGS(), MomentumLBFGS()], ids=repr)
@pytest.mark.parametrize("alpha", [1.25, 1.5, 2.0, 3.0])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_heavy_tails_do_not_lead_to_infinity(clusters, rng, optimizer, alpha, dtype):
    """Without bounds coordinates of 1e11 to 1e14 came back."""
    start = (1e-4 * rng.normal(size=(60, 2))).astype(dtype)
    run = Run(HeavyTailed(clusters.astype(dtype), alpha), optimizer, start).step(300)
    assert np.median(nearest(run.embedding.astype(np.float64))) < 1.5 * WIDEST
    assert radius(run.embedding) < 1e5
    early = Run(run.objective, optimizer, start).step(150)
    assert run.cost <= early.cost + 1e-5


def test_a_large_map_of_dense_clusters_has_no_more_room_than_one_spread_evenly(rng):
    centers = 100 * rng.normal(size=(50, 2))
    Y = np.repeat(centers, size.MANY // 50, axis=0) + 1e-3 * rng.normal(size=(size.MANY, 2))
    evenly = WIDEST * 2.0 * np.sqrt(size.MANY) / radius(Y)
    assert room(Y, 2.0) == pytest.approx(evenly)
    assert room(Y[1:], 2.0) > 1000 * evenly
