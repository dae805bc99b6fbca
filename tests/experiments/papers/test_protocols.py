"""Parts of protocols that no other test covers: the papers' own optimizers, baselines, criteria."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris

from nbembed import HSSNE, Mbed, Supervision
from nbembed.experiments.papers import hssne, mbed
from nbembed.experiments.papers.hssne import Descent, fixed_point, gradient_descent
from nbembed.experiments.papers.parametric_figures import isomap, kda
from nbembed.measures import inconsistent_pairs
from nbembed.methods import Geometry


@pytest.fixture
def objective():
    recipe = HSSNE(perplexity=10, **hssne.PAPER).recipe
    affinities = recipe.make_affinities(load_iris().data[::3])
    return recipe.make_objective(affinities, Supervision(50), Geometry())


def test_both_optimizers_descend_from_the_common_start(objective, monkeypatch):
    monkeypatch.setattr(hssne, "ITERATIONS", 200)
    start = hssne.common_start(objective, 0)
    assert start.shape == (50, 2)
    for minimize in (gradient_descent, fixed_point):
        found = minimize(objective, start)
        assert found.costs[0] == pytest.approx(objective.cost(start), rel=1e-4)
        assert objective.cost(found.Y) < 0.2 * found.costs[0]
        assert (np.diff(found.seconds) >= 0).all()


def test_when_a_cost_is_passed():
    found = Descent(np.zeros((2, 2)), np.array([3.0, 2.0, 1.0]), np.array([0.0, 0.5, 1.0]))
    assert found.passes(2.5) == (2.0, 0.5)
    assert found.passes(3.0) == (1.0, 0.0)
    assert found.passes(0.5) == (4.0, 1.0)  # never: one more than all


def test_isomap_unrolls_a_spiral_and_joins_pieces():
    turn = np.linspace(2, 12, 200)
    X = np.column_stack([turn * np.cos(turn), turn * np.sin(turn)])
    first = isomap(cdist(X, X))[:, 0]
    assert (np.diff(first) > 0).all() or (np.diff(first) < 0).all()
    apart = np.concatenate([X, X + 1000])
    Y = isomap(cdist(apart, apart))
    assert np.isfinite(Y).all()
    assert np.linalg.norm(Y[:200].mean(axis=0) - Y[200:].mean(axis=0)) > 500


def test_kda_parts_classes(rng):
    y = np.repeat([0, 1, 2], 30)
    X = 0.5 * rng.standard_normal((90, 5)) + np.eye(5)[y]
    Y = kda(X, y)
    centers = np.array([Y[y == c].mean(axis=0) for c in range(3)])
    assert (cdist(Y, centers).argmin(axis=1) == y).mean() == 1


def test_the_best_match_of_clusters_and_classes():
    y = np.array([0, 0, 0, 1, 1, 2])
    assert mbed._best_match_error(np.array([2, 2, 2, 0, 0, 1]), y) == 0
    assert mbed._best_match_error(np.array([2, 2, 0, 0, 0, 1]), y) == pytest.approx(100 / 6)
    assert mbed._best_match_error(np.zeros(6, int), y) == pytest.approx(50)


def test_the_starts_of_k_means_are_those_of_scikit_learn():
    X, y = load_iris(return_X_y=True)
    found = SimpleNamespace(X=X, y=y)
    best, criterion = max(mbed._k_means_starts(found, 3), key=lambda start: start[1])
    model = KMeans(3, n_init=mbed.RESTARTS, random_state=0).fit(X)
    assert best == pytest.approx(100 * inconsistent_pairs(model.labels_, y))
    assert criterion == pytest.approx(-model.inertia_)


def test_the_best_restart_is_that_of_the_largest_criterion():
    X = load_iris().data
    one = Mbed(n_classes=3, random_state=0).fit(X)
    J = [step.criterion for step in one.path_ if np.isfinite(step.criterion)]
    assert mbed._criterion(one) == max(J)
