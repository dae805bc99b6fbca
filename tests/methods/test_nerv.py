"""NeRV: what the tradeoff trades, how neighborhoods shrink, and what it shares with SNE."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics import pairwise_distances

from nbembed.affinities import perplexity_affinities
from nbembed.measures import continuity, trustworthiness
from nbembed.methods import SNE, NeRV
from nbembed.objectives import HeavyTailed, NeighborRetrieval
from nbembed.optimizers import ConjugateGradient, MomentumGradient
from nbembed.supervision import Supervision
from tests.methods.helpers import partly, quick


@pytest.fixture(scope="module")
def sphere():
    """Return points on a sphere, which no map in the plane can show as they are."""
    X = np.random.default_rng(0).standard_normal((300, 3))
    return X / np.linalg.norm(X, axis=1, keepdims=True)


def smoothed(X, method):
    """Return Σ KL(p‖q) and Σ KL(q‖p), from scratch."""
    beta = method.recipe.make_affinities(X).beta
    w = beta / np.exp(np.log(beta).mean()) if method.map_width == "point" else np.ones(len(X))

    def log_rows(precisions, points):
        logs = -precisions[:, None] * pairwise_distances(points, metric="sqeuclidean")
        np.fill_diagonal(logs, -np.inf)
        logs -= np.logaddexp.reduce(logs, axis=1, keepdims=True)
        return logs[~np.eye(len(X), dtype=bool)]

    log_p = log_rows(beta, X)
    log_q = log_rows(w, np.asarray(method.embedding_, np.float64))
    return np.sum(np.exp(log_p) * (log_p - log_q)), np.sum(np.exp(log_q) * (log_q - log_p))


@pytest.mark.parametrize("map_width", ["point", "uniform"])
def test_the_tradeoff_trades_precision_against_recall(sphere, map_width):
    maps = [
        NeRV(tradeoff=t, map_width=map_width, random_state=0).fit(sphere)
        for t in (0.0, 0.1, 0.5, 1.0)
    ]
    missed, false = np.array([smoothed(sphere, method) for method in maps]).T
    for method, m, f in zip(maps, missed, false):
        cost = method.tradeoff * m + (1 - method.tradeoff) * f
        assert method.cost_ == pytest.approx(cost, rel=1e-4)
    assert (np.diff(missed) < 0).all(), "recall gets better with the tradeoff"
    assert (np.diff(false) > 0).all(), "and precision worse"
    # Two measures that know nothing of NeRV say the same.
    first, last = (method.embedding_ for method in (maps[0], maps[-1]))
    assert trustworthiness(sphere, first, 20) > trustworthiness(sphere, last, 20) + 0.03
    assert continuity(sphere, last, 20) > continuity(sphere, first, 20) + 0.005


def test_iris_costs_what_was_found_elsewhere():
    """A plain run of another program ended at 20.1 with one width for all."""
    X = load_iris().data
    method = NeRV(tradeoff=0.1, map_width="uniform", perplexity=30, random_state=0).fit(X)
    assert method.cost_ == pytest.approx(20.1, rel=0.05)


def test_shrinking_finds_better_maps(sphere):
    def cost(**parameters):
        return NeRV(tradeoff=0.0, random_state=0, **parameters).fit(sphere).cost_

    X = np.asarray(sphere)
    recipe = NeRV(random_state=0).recipe
    affinities = recipe.make_affinities(X)
    Y = recipe.make_start(X, affinities, Supervision(300), np.random.default_rng(0)).Y
    # An array is taken for a map already, and nothing is widened.
    assert cost() < 0.9 * cost(init=Y, optimizer="conjugate-gradient")


def test_the_schedule_shrinks_to_the_method_s_own_width(pair):
    X, _ = pair
    method = quick(NeRV).fit(X)
    widening = [record.parameters["widening"] for record in method.trace_]
    assert widening[0] == 8.0
    assert all(a >= b for a, b in pairwise(widening))
    assert widening[31:] == [1.0] * len(widening[31:])
    assert [record.stage for record in method.trace_[29:32]] == ["shrinking", "release", ""]
    affinities = method.recipe.make_affinities(X)
    assert NeRV().recipe.make_schedule(affinities, None).steps == 101
    assert not NeRV(init=method.embedding_).recipe.make_schedule(affinities, None).stages
    assert not NeRV(max_iter=19).recipe.make_schedule(affinities, None).stages


@pytest.fixture(scope="module")
def affinities(pair):
    return NeRV().recipe.make_affinities(pair[0])


def test_conjugate_gradients_shrink_and_momentum_follows(affinities):
    stages = NeRV().recipe.make_schedule(affinities, None).stages
    assert {stage.optimizer for stage in stages} == {ConjugateGradient()}
    assert NeRV().recipe.make_optimizer() == MomentumGradient()
    chosen = NeRV(optimizer="conjugate-gradient")
    assert chosen.recipe.make_optimizer() == ConjugateGradient()
    chosen = NeRV(optimizer="momentum").recipe
    assert {stage.optimizer for stage in chosen.make_schedule(affinities, None).stages} == {
        MomentumGradient()
    }


def test_recall_alone_with_one_width_is_sne(pair):
    X, y = pair
    init = np.random.default_rng(1).standard_normal((80, 2))
    for known in (None, partly(y)):
        ours = quick(NeRV, tradeoff=1.0, map_width="uniform", init=init, max_iter=300).fit(X, known)
        theirs = quick(SNE, init=init, max_iter=300).fit(X, known)
        assert ours.cost_ == pytest.approx(theirs.cost_, rel=1e-3)


def test_units_of_the_data_do_not_matter(pair):
    X, _ = pair
    plain, scaled = (quick(NeRV, max_iter=200).fit(factor * X) for factor in (1.0, 1e6))
    assert scaled.cost_ == pytest.approx(plain.cost_, rel=0.02)
    assert np.ptp(scaled.embedding_) == pytest.approx(np.ptp(plain.embedding_), rel=0.2)


def test_a_live_change_of_the_tradeoff_moves_steadily(sphere):
    method = NeRV(tradeoff=0.1, random_state=0).fit(sphere)
    steered = NeRV(tradeoff=0.3, init=method.embedding_, random_state=0, max_iter=100, tol=0.0).fit(
        sphere
    )
    moved = np.array([record.movement for record in steered.trace_])
    assert 0.001 < moved.max() < 0.1, "no jump"
    assert moved[-10:].max() < 0.2 * moved.max(), "it comes to rest"
    assert steered.cost_ < 0.95 * np.dot(smoothed(sphere, method), [0.3, 0.7])


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("tradeoff", -0.1, ValueError),
        ("tradeoff", 1.1, ValueError),
        ("tradeoff", "all", TypeError),
        ("map_width", "wide", ValueError),
        ("map_width", 1.0, (ValueError, TypeError)),
    ],
)
def test_bad_parameters(name, value, error, pair):
    with pytest.raises(error, match=name):
        NeRV(**{name: value}).fit(pair[0])


@pytest.mark.parametrize("map_width", ["point", "uniform"])
def test_new_points_go_where_their_row_costs_least(pair, map_width):
    X, _ = pair
    method = NeRV(tradeoff=0.3, map_width=map_width, random_state=0).fit(X[:70])
    new = X[70:]
    places = method.transform(new)
    fitted = np.asarray(method.embedding_, np.float64)
    ((_, rows),) = method._fitted.rows(new, perplexity=method.perplexity_, logs=True)
    unit = np.exp(np.log(method.recipe.make_affinities(X[:70]).beta).mean())
    w = rows.beta / unit if map_width == "point" else np.ones(len(new))

    def cost(k, y):
        log_q = -w[k] * np.square(fitted - y).sum(axis=1)
        log_q -= np.logaddexp.reduce(log_q)
        L = log_q - rows.log_P[k]
        return -0.3 * rows.P[k] @ L + 0.7 * np.exp(log_q) @ L

    grid = np.linspace(fitted.min(axis=0) - 1, fitted.max(axis=0) + 1, 60)
    for k in range(len(new)):
        least = min(cost(k, np.array([a, b])) for a in grid[:, 0] for b in grid[:, 1])
        assert cost(k, places[k].astype(float)) < least + 0.05 * abs(least) + 0.02


def test_recall_comes_first_with_affinities_of_neighbors(pair):
    """Their neighborhoods cannot be widened, so t falls from 1 to its own value."""
    X, _ = pair
    method = NeRV(map_width="uniform", algorithm="grid", tradeoff=0.1, random_state=0)
    affinities = method.recipe.make_affinities(X)

    def tradeoffs(**changes):
        schedule = method.recipe.replace(**changes).make_schedule(affinities, None)
        assert all(set(stage.parameters) == {"tradeoff"} for stage in schedule.stages)
        return [stage.parameters["tradeoff"] for stage in schedule.stages]

    falling = tradeoffs()
    assert (falling[0], falling[-1]) == (1.0, 0.1)
    assert falling == sorted(falling, reverse=True)
    assert len(set(falling)) == len(falling)
    assert tradeoffs(tradeoff=0.0)[-1] == 0.0
    assert tradeoffs(tradeoff=1.0) == tradeoffs(max_iter=3) == tradeoffs(init=X[:, :2]) == []
    assert NeRV(tradeoff=0.1, max_iter=200).recipe.make_schedule(
        SNE().recipe.make_affinities(X), None
    ).stages[0].parameters == {"widening": 8.0}


# Of near duplicates, numbers overflow before the run finds that it cannot go on.
@pytest.mark.filterwarnings("ignore:overflow", "ignore:.*equally near neighbors")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_what_near_duplicates_do_is_said_and_how_to_mend_it():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5))
    X[:12] = X[0] + 1e-12 * rng.normal(size=(12, 5))
    nerv = NeRV(perplexity=5, max_iter=150, random_state=0)
    with pytest.raises(FloatingPointError, match="near duplicates") as caught:
        nerv.fit(X)
    said = str(caught.value)
    assert "12 points, such as point " in said
    assert int(said.split("such as point ")[1].split(",")[0]) < 12
    # Both remedies that it names.
    assert np.isfinite(NeRV(perplexity=16, max_iter=150, random_state=0).fit(X).cost_)
    assert np.isfinite(nerv.fit(np.delete(X, np.arange(1, 12), axis=0)).cost_)


@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_extreme_tails_end_as_documented():
    X = np.exp(50 * np.random.default_rng(0).normal(size=(60, 3)))
    with pytest.raises(FloatingPointError, match="such as point"):
        NeRV(random_state=0).fit(X)
    assert "FloatingPointError" in NeRV.fit.__doc__
    assert np.isfinite(NeRV(max_iter=150, random_state=0).fit_transform(np.log(X))).all()


def test_ordinary_data_have_no_hazard(rng):
    affinities = perplexity_affinities(rng.normal(size=(40, 3)), 5)
    assert NeighborRetrieval(affinities).hazard == ""
    assert HeavyTailed(affinities.joint()).hazard == ""
