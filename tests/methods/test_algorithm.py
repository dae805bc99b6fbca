"""The parameter ``algorithm``: what it resolves to, and that both ways give the same maps."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_digits

from nbembed.kernels.grid import size
from nbembed.learning_metric import LearningMetric
from nbembed.measures import trustworthiness
from nbembed.methods import HSSNE, SNE, Geometry, NeRV, SNeRV
from nbembed.methods.algorithm import GRID_FROM
from nbembed.supervision import Supervision

ONE_WIDTH = partial(NeRV, map_width="uniform")
KINDS: Any = pytest.mark.parametrize("kind", [HSSNE, SNE, ONE_WIDTH], ids=["HSSNE", "SNE", "NeRV"])


@KINDS
def test_auto_changes_over_at_one_number_of_points(kind: Any) -> None:
    recipe = kind().recipe
    assert recipe.algorithm_for(GRID_FROM - 1) == "exact"
    assert recipe.algorithm_for(GRID_FROM) == "grid"
    assert recipe.neighbors_for(GRID_FROM - 1) is None
    assert recipe.neighbors_for(GRID_FROM) == 90
    assert recipe.replace(perplexity=5.5).neighbors_for(GRID_FROM) == 17
    assert recipe.replace(algorithm="exact").algorithm_for(10**6) == "exact"
    assert recipe.replace(algorithm="grid", perplexity=9.0).neighbors_for(20) == 19
    # In five dimensions all pairs are summed, with the same affinities.
    deep = recipe.replace(n_components=5)
    assert deep.algorithm_for(GRID_FROM) == "exact"
    assert deep.neighbors_for(GRID_FROM) == 90


@KINDS
def test_what_is_refused(kind: Any, pair: Any) -> None:
    X, _ = pair
    with pytest.raises(ValueError, match="algorithm must be one of 'auto', 'exact', 'grid'"):
        kind(algorithm="barnes-hut").fit(X)
    with pytest.raises(ValueError, match="n_components = 2 or 3, got 4"):
        kind(algorithm="grid", n_components=4).fit(X)


@KINDS
def test_the_fitted_method_says_which_was_used(kind: Any, pair: Any) -> None:
    X, _ = pair
    assert kind(max_iter=5).fit(X).algorithm_ == "exact"
    fitted = kind(algorithm="grid", max_iter=5).fit(X)
    assert fitted.algorithm_ == "grid"
    assert fitted.transform(X[:5] + 0.01).shape == (5, 2)


@pytest.mark.parametrize(("kind", "d"), [(HSSNE, 2), (SNE, 2), (SNE, 3)])
def test_maps_by_the_grid_are_as_good(kind: Any, d: int, monkeypatch: Any) -> None:
    """Each by the cost of all pairs, with the affinities of all pairs."""
    monkeypatch.setattr(size, "pair_cost", lambda kernel: 1e9)
    X = load_digits().data[:400]
    given = {"n_components": d, "perplexity": 15.0, "random_state": 0, "max_iter": 150}
    grid, exact = (kind(algorithm=a, **given).fit(X) for a in ("grid", "exact"))
    supervision = Supervision(len(X))
    affinities = exact.recipe.make_affinities(X, supervision)
    objective = exact.recipe.make_objective(affinities, supervision, Geometry())
    assert objective.cost(grid.embedding_) < 1.05 * exact.cost_


def test_nerv_with_a_width_for_each_point_sums_all_pairs() -> None:
    recipe = NeRV().recipe
    assert recipe.algorithm_for(GRID_FROM) == "exact"
    assert recipe.neighbors_for(GRID_FROM) == 90
    with pytest.raises(ValueError, match="algorithm='grid' needs map_width='uniform'"):
        NeRV(algorithm="grid").fit(np.eye(30))
    few, many = np.zeros((GRID_FROM - 1, 1)), np.zeros((GRID_FROM, 1))
    assert recipe.live_defaults(few, Supervision(len(few))) is recipe
    assert recipe.live_defaults(many, Supervision(len(many))).map_width == "uniform"


def test_nerv_by_the_grid_is_as_good(monkeypatch: Any) -> None:
    monkeypatch.setattr(size, "pair_cost", lambda kernel: 1e9)
    X = load_digits().data[:400]
    given = {"perplexity": 15.0, "random_state": 0, "max_iter": 150}
    grid, exact = (ONE_WIDTH(algorithm=a, **given).fit(X) for a in ("grid", "exact"))
    supervision = Supervision(len(X))
    affinities = grid.recipe.make_affinities(X, supervision)
    pairs = grid.recipe.replace(algorithm="exact")
    cost = pairs.make_objective(affinities, supervision, Geometry()).cost(grid.embedding_)
    assert cost == pytest.approx(grid.cost_, rel=1e-4)
    best = trustworthiness(X, exact.embedding_, 10)
    assert trustworthiness(X, grid.embedding_, 10) > best - 0.02


def test_snerv_on_the_grid(pair: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(size, "pair_cost", lambda kernel: 1e9)
    X, y = pair
    metric = LearningMetric(n_centroids=len(X) // 10, width=1.0, cv=None, max_iter=20)
    fitted = SNeRV(algorithm="grid", metric=metric, random_state=0, max_iter=60).fit(X, y)
    assert fitted.algorithm_ == "grid"
    affinities = fitted.recipe.make_affinities(X, fitted.supervision_)
    assert affinities.perplexity == pytest.approx(5.0, rel=0.1)
    assert affinities.n_neighbors == np.ceil(3 * affinities.perplexity)
    assert affinities.learned_metric is not None


def test_labels_and_links_on_the_grid(pair: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(size, "pair_cost", lambda kernel: 1e9)
    X, y = pair
    given = {"perplexity": 10.0, "random_state": 0, "max_iter": 150}
    maps = [HSSNE(algorithm=a, **given).fit(X, y) for a in ("exact", "grid")]
    assert maps[1].cost_ == pytest.approx(maps[0].cost_, rel=0.05)


def test_the_same_bits_for_any_number_of_threads(pair: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr(size, "pair_cost", lambda kernel: 1e9)
    X, _ = pair
    given = {"algorithm": "grid", "random_state": 0, "max_iter": 30}
    one, three = (HSSNE(n_jobs=n, **given).fit(X).embedding_ for n in (1, 3))
    assert np.array_equal(one, three)
