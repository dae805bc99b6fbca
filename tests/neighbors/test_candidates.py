"""The approximate search in other metrics: against all distances, which it gives way to."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from nbembed.neighbors import candidates, find_neighbors, search
from nbembed.neighbors.candidates import by_candidates


def weighted(a, b):
    """Return a dissimilarity of the kind that a user brings."""
    return float(np.abs(a - b) @ np.linspace(1, 2, len(a)))


@pytest.fixture
def blobs(rng):
    centers = rng.normal(size=(10, 6)) * 4
    return centers[rng.integers(10, size=1500)] + rng.normal(size=(1500, 6))


METRICS = ["cityblock", "manhattan", "chebyshev", "braycurtis", weighted]


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: getattr(metric, "__name__", metric))
@pytest.mark.parametrize("among_others", [False, True])
def test_nearly_all_neighbors_are_found(blobs, metric, among_others, monkeypatch):
    if callable(metric):  # microseconds for each pair
        blobs = blobs[:500]
        monkeypatch.setattr(candidates, "SAMPLE", 100)
    X, others = (blobs[:100], blobs[100:]) if among_others else (blobs, blobs)
    X, others = (np.abs(part) for part in (X, others))  # for braycurtis
    answer = by_candidates(X if among_others else None, others, 8, metric, 2)
    name = "cityblock" if metric == "manhattan" else metric
    d = cdist(X, others, name)
    if not among_others:
        np.fill_diagonal(d, np.inf)
    expected = np.sort(d, axis=1)[:, :8]
    np.testing.assert_allclose(
        answer.distances, np.take_along_axis(d, answer.indices, axis=1), rtol=1e-12
    )
    assert (np.diff(answer.distances, axis=1) >= 0).all()
    found = (answer.distances <= expected[:, -1:] * (1 + 1e-12)).mean()
    assert found > 0.97
    assert abs(found - answer.recall) < 0.02


def test_flags_are_compared_as_flags(rng):
    X = (rng.random((600, 30)) < np.repeat(rng.random((3, 30)), 200, axis=0)).astype(float)
    answer = by_candidates(None, X, 5, "jaccard", 1)
    d = cdist(X.astype(bool), X.astype(bool), "jaccard")
    np.fill_diagonal(d, np.inf)
    np.testing.assert_array_equal(answer.distances, np.take_along_axis(d, answer.indices, axis=1))
    assert (answer.distances <= np.sort(d, axis=1)[:, 4:5]).mean() > 0.95


def test_the_result_depends_neither_on_threads_nor_on_the_run(blobs):
    one = by_candidates(None, blobs, 8, "cityblock", 1)
    two = by_candidates(None, blobs, 8, "cityblock", 2)
    np.testing.assert_array_equal(one.indices, two.indices)
    np.testing.assert_array_equal(one.distances, two.distances)


def test_duplicates_are_no_neighbors_of_themselves():
    X = np.repeat(np.arange(40.0), 20)[:, None] * np.ones(3)
    answer = by_candidates(None, X, 12, "cityblock", 1)
    assert not (answer.indices == np.arange(len(X))[:, None]).any()
    assert not answer.distances.any()
    assert all(len(set(row)) == 12 for row in answer.indices.tolist())


def words_apart(a, b):
    """Return what Euclidean distances tell nothing of."""
    return float((37 * a[0] + 101 * b[0]) ** 2 % 1)


def test_metrics_that_euclidean_distances_tell_nothing_of_are_searched_exactly(blobs, monkeypatch):
    assert by_candidates(None, blobs[:400], 5, words_apart, 1) is None
    assert by_candidates(None, blobs[:400], 5, "haversine", 1) is None
    monkeypatch.setattr(search, "MANY", 100)
    found = find_neighbors(blobs[:400], 5, words_apart, search="auto")
    np.testing.assert_array_equal(
        found.indices, find_neighbors(blobs[:400], 5, words_apart).indices
    )
    assert found.recall == 1


def test_a_low_recall_gives_way_to_all_distances(blobs, monkeypatch):
    monkeypatch.setattr(candidates, "_number_of_candidates", lambda *_: 8)
    assert by_candidates(None, blobs, 8, "chebyshev", 1) is None


@pytest.mark.parametrize("value", [-1.0, np.nan, np.inf])
def test_a_metric_that_gives_no_distances_is_refused(blobs, value):
    def metric(a, b):
        return value if a[0] == blobs[0, 0] else weighted(a, b)

    with pytest.raises(ValueError, match=r"metric must give .*distances.* 'metric' gives"):
        by_candidates(None, blobs[:300], 5, metric, 1)


def test_data_whose_squares_are_lost_are_searched_exactly(blobs):
    assert by_candidates(None, blobs * 1e200, 5, "cityblock", 1) is None
