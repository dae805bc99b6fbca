"""Coordinates whose Euclidean distances are those of other metrics."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise_distances

from nbembed.data.distances import scales_of
from nbembed.neighbors import find_neighbors, search
from nbembed.neighbors.euclidean_space import euclidean_space

METRICS = ["euclidean", "sqeuclidean", "cosine", "correlation", "seuclidean", "mahalanobis"]


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("itself", [False, True])
def test_distances_are_those_of_the_metric(rng, metric, itself):
    others = rng.normal(size=(50, 7)) @ rng.normal(size=(7, 7)) + 3
    others[:, 2] = others[:, 1]  # a covariance without an inverse
    X = others if itself else rng.normal(size=(20, 7)) + 3
    space = euclidean_space(X, others, metric)
    assert (space.queries is space.points) == itself
    d = space.in_units(cdist(space.queries, space.points, "sqeuclidean"))
    expected = pairwise_distances(X, others, metric=metric, **scales_of(others, metric))
    np.testing.assert_allclose(d, expected, rtol=1e-6, atol=1e-7)


def test_points_of_the_earth(rng):
    X = rng.uniform((-np.pi / 2, -np.pi), (np.pi / 2, np.pi), (60, 2))
    space = euclidean_space(X, X, "haversine")
    d = space.in_units(cdist(space.queries, space.points, "sqeuclidean"))
    np.testing.assert_allclose(d, pairwise_distances(X, metric="haversine"), atol=1e-7)
    assert euclidean_space(np.ones((3, 3)), np.ones((3, 3)), "haversine") is None


def test_rows_without_a_direction_have_no_coordinates(rng):
    X = rng.normal(size=(9, 5))
    for metric, row in (("cosine", 0.0), ("correlation", 2.5)):
        wrong = X.copy()
        wrong[4] = row
        assert euclidean_space(wrong, wrong, metric) is None
        assert euclidean_space(wrong, X, metric) is None
        assert euclidean_space(X, X, metric) is not None


@pytest.mark.parametrize("metric", ["cityblock", "precomputed", "jaccard", max])
def test_other_metrics_have_no_coordinates(rng, metric):
    X = rng.normal(size=(9, 9))
    assert euclidean_space(X, X, metric) is None


@pytest.mark.parametrize("metric", METRICS[3:])
def test_many_points_have_the_neighbors_of_few(rng, metric, monkeypatch):
    X, others = rng.normal(size=(300, 12)), rng.normal(size=(500, 12))
    expected = [find_neighbors(X, 7, metric, others=where) for where in (None, others)]
    monkeypatch.setattr(search, "SINGLE", 100)
    for where, plain in zip((None, others), expected, strict=True):
        found = find_neighbors(X, 7, metric, others=where)
        np.testing.assert_array_equal(found.indices, plain.indices)
        np.testing.assert_allclose(found.distances, plain.distances, rtol=1e-7)
