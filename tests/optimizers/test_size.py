"""How far a map may grow, and the step that gives it its best size."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from nbembed import HSSNE
from nbembed.affinities import perplexity_affinities
from nbembed.kernels.inner_product import rms_radius
from nbembed.objectives import HeavyTailed, Objective, Pinned
from nbembed.optimizers import LBFGS, MomentumLBFGS, size
from nbembed.optimizers.size import FULL_ROOM, SPREAD, WIDEST, centered, into_room, room, scale_step
from nbembed.run import Run


@pytest.fixture
def Y(rng):
    return rng.normal(size=(60, 2)) + 8 * np.repeat(np.eye(3, 2), 20, axis=0)


def nearest(Y):
    tau = np.square(Y[:, None] - Y[None]).sum(axis=2)
    np.fill_diagonal(tau, np.inf)
    return np.sqrt(tau.min(axis=1))


def wide(length):
    """Return an objective of that width whose similarity is not known."""
    return SimpleNamespace(length_scale=length, far=lambda near: None)


def blobs(rng, apart):
    """Return three clusters of 20 points, as far apart."""
    return rng.normal(size=(60, 2)) + apart * np.repeat(np.eye(3, 2), 20, axis=0)


def test_room_is_what_is_left_to_the_widest_map(Y):
    found = room(Y, wide(2.0))
    assert np.median(nearest(found * Y)) == pytest.approx(2 * WIDEST, rel=1e-3)
    assert room(100 * Y, wide(2.0)) == pytest.approx(found / 100)


def test_room_of_points_in_pairs_and_in_one_place(Y):
    assert 0 < room(np.vstack([Y, Y]), wide(1.0)) < np.inf
    assert room(np.zeros((5, 2)), wide(1.0)) == np.inf


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
def test_clusters_have_room_until_all_points_are_felt_like_one_neighbor(clusters, rng, alpha):
    objective = HeavyTailed(clusters, alpha)
    Y = 0.01 * blobs(rng, apart=30.0)
    found = room(Y, objective)
    assert found > 1
    near = float(np.median(nearest(found * Y)))
    assert rms_radius(found * Y) == pytest.approx(SPREAD * objective.far(near), rel=0.01)


def test_clusters_that_have_drifted_apart_have_less_room_than_their_neighbors_allow(clusters, rng):
    objective = HeavyTailed(clusters)
    apart = blobs(rng, apart=300.0)
    near = float(np.median(nearest(apart)))
    assert room(apart, objective) == pytest.approx(SPREAD * objective.far(near) / rms_radius(apart))
    assert room(apart, wide(1.0)) > 1


def test_a_map_is_brought_into_its_room(clusters, rng):
    objective = HeavyTailed(clusters)
    apart = blobs(rng, apart=300.0)
    found = into_room(objective, apart, objective.evaluate(apart))
    assert found is not None
    assert found.factor < FULL_ROOM
    np.testing.assert_allclose(
        found.Y - found.Y.mean(axis=0), found.factor * (apart - apart.mean(axis=0)), rtol=1e-9
    )
    near = blobs(rng, apart=5.0)
    assert into_room(objective, near, objective.evaluate(near)) is None


@pytest.mark.parametrize("alpha", [0.5, 1.0, 1.5, 2.0])
def test_clusters_without_a_common_neighbor_do_not_become_dots(monkeypatch, alpha):
    X, classes = make_blobs(300, 10, centers=3, random_state=0)
    objective = HeavyTailed(perplexity_affinities(X), alpha)

    def width():
        """Return how many times as wide as its clusters the map is, and its cost."""
        found = HSSNE(alpha=alpha, compactness=0.0, tol=1e-5, random_state=0).fit(X)
        Y = found.embedding_
        within = np.mean([rms_radius(Y[classes == k]) for k in range(3)])
        return found, rms_radius(Y) / within

    found, wide = width()
    assert found.n_iter_ < 1000
    assert room(found.embedding_, objective) > FULL_ROOM
    monkeypatch.setattr(HeavyTailed, "far", Objective.far)
    unbounded, wider = width()
    assert wide < 0.5 * wider
    assert found.cost_ < 1.03 * unbounded.cost_


@pytest.mark.parametrize("alpha", [1.5, 2.0])
def test_at_its_largest_size_a_map_comes_to_rest(clusters, rng, alpha):
    """Steps that left the sphere were a thousandth of the map: some runs took 3000."""
    objective = HeavyTailed(clusters, alpha)
    for _ in range(5):
        run = Run(objective, MomentumLBFGS(), rng.normal(size=(60, 2)), tol=1e-8).until(700)
        assert run.converged
        gradient, away = objective.evaluate(run.embedding).gradient, centered(run.embedding)
        along = gradient - np.sum(gradient * away) / np.sum(away * away) * away
        assert np.linalg.norm(along) < 1e-5


@pytest.mark.parametrize("alpha", [0.0, 1.0])
@pytest.mark.parametrize("factor", [2.0, 30.0, 3000.0])
def test_a_map_too_large_is_brought_to_its_best_size(clusters, Y, alpha, factor):
    objective = HeavyTailed(clusters, alpha)
    costs = {s: objective.cost(s * Y) for s in np.geomspace(0.01, 5, 400)}
    best = min(costs.values())
    large = factor * Y
    inside = into_room(objective, large, objective.evaluate(large))
    within, seen = (large, objective.evaluate(large)) if inside is None else inside[:2]
    found = scale_step(objective, within, seen) or inside
    assert found is not None
    assert found.factor < 1
    assert found.seen.cost < best + 0.5 * (objective.cost(large) - best)
    np.testing.assert_allclose(
        found.Y - found.Y.mean(axis=0), found.factor * (within - within.mean(axis=0)), rtol=1e-9
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
    assert rms_radius(run.embedding) < 1e5
    early = Run(run.objective, optimizer, start).step(150)
    assert run.cost <= early.cost + 1e-5


def test_a_large_map_of_dense_clusters_has_no_more_room_than_one_spread_evenly(rng):
    centers = 100 * rng.normal(size=(50, 2))
    Y = np.repeat(centers, size.MANY // 50, axis=0) + 1e-3 * rng.normal(size=(size.MANY, 2))
    evenly = WIDEST * 2.0 * np.sqrt(size.MANY) / rms_radius(Y)
    assert room(Y, wide(2.0)) == pytest.approx(evenly)
    assert room(Y[1:], wide(2.0)) > 1000 * evenly
