"""Nearest neighbors in a learning metric: those of all paths, by few of them."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from sklearn.datasets import load_digits

import nbembed as nb
from nbembed.data.distances import Distances
from nbembed.learning_metric import nearest
from nbembed.learning_metric.nearest import nearest_by_length
from nbembed.neighbors import find_neighbors, k_smallest


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    metric = nb.LearningMetric(20, width=12.0, cv=None, max_iter=15, random_state=0, n_jobs=1)
    return X[:900], metric.fit(X, y)


def by_all_paths(X, metric, k, others=None):
    (_, D2), *rest = Distances(X, metric, others).blocks()
    assert not rest
    if others is None:
        np.fill_diagonal(D2, np.inf)
    index = k_smallest(D2, k)
    return index, np.sqrt(np.take_along_axis(D2, index, axis=1))


@pytest.mark.parametrize("k", [1, 10, 40, 300])
def test_they_are_those_of_all_paths(digits, monkeypatch, k):
    X, metric = digits
    expected = by_all_paths(X, metric, k)
    monkeypatch.setattr("nbembed.learning_metric.metric.FEW", 100)
    found = find_neighbors(X, k, metric)
    # The length there and that back may differ in rounding.
    assert np.allclose(found[1], expected[1], rtol=1e-5)
    assert np.mean(found[0] == expected[0]) > 0.99


def test_among_other_points(digits, monkeypatch):
    X, metric = digits
    expected = by_all_paths(X[:70], metric, 12, X[70:])
    monkeypatch.setattr("nbembed.learning_metric.metric.FEW", 100)
    found = find_neighbors(X[:70], 12, metric, others=X[70:])
    assert np.array_equal(found[0], expected[0])
    assert np.allclose(found[1], expected[1], rtol=1e-6)


def test_few_paths_are_computed_and_threads_do_not_matter(digits, monkeypatch):
    X, metric = digits
    roots = np.sqrt(metric.predict_proba(X))
    D = metric.pairwise(X)
    computed = []

    def lengths(i, near):
        computed.append(len(D) if near is None else len(near))
        return D[i] if near is None else D[i, near]

    one = nearest_by_length(lengths, roots, 5)
    assert sum(computed) < 0.2 * D.size
    monkeypatch.setattr(nearest, "HELD", 1600)
    monkeypatch.setattr(nearest, "CHUNK", 3)
    searched = []

    def noted(X, k, **options):
        searched.append((len(X) * k, options["n_jobs"]))
        return find_neighbors(X, k, **options)

    monkeypatch.setattr(nearest, "find_neighbors", noted)
    for n_threads in (1, 3):
        searched.clear()
        again = nearest_by_length(lengths, roots, 5, n_threads=n_threads)
        assert np.array_equal(one[0], again[0])
        assert np.array_equal(one[1], again[1])
        assert len(searched) >= 9
        assert all(held <= 1600 and n_jobs == n_threads for held, n_jobs in searched)


def test_the_chord_is_never_longer_than_the_path(digits):
    X, metric = digits
    roots = np.sqrt(metric.predict_proba(X))
    chords = np.sqrt(((roots[:, None] - roots) ** 2).sum(axis=2))
    few, many = metric.pairwise(X), copy.copy(metric).set_params(n_pieces=40).pairwise(X)
    assert (2 * chords <= many + 1e-4).all()  # in float32
    assert (2 * chords <= few * (1 + nearest.MARGIN)).all()


def test_equal_points_and_certain_classes(monkeypatch):
    """Where all candidates are equally near, the bound excludes nothing and all paths are taken."""
    monkeypatch.setattr("nbembed.learning_metric.metric.FEW", 10)
    rng = np.random.default_rng(0)
    places = rng.standard_normal((6, 2)) * 20
    X = np.repeat(places, 50, axis=0)
    y = np.repeat(np.arange(6) % 3, 50)
    metric = nb.LearningMetric(6, width=1.0, cv=None, max_iter=5, random_state=0).fit(X, y)
    index, distances, _ = find_neighbors(X, 4, metric)
    expected = by_all_paths(X, metric, 4)
    assert np.array_equal(index, expected[0])
    assert np.array_equal(distances, expected[1])


def test_shortest_paths_and_few_points_take_all_distances(digits):
    X, metric = digits
    assert metric.nearest(X, 3) is None
    longer = nb.LearningMetric(3, width=20.0, cv=None, max_iter=2, shortest_paths=True)
    longer.set_params(random_state=0).fit(X[:50], np.arange(50) % 3)
    assert longer.nearest(np.tile(X, (3, 1)), 3) is None
