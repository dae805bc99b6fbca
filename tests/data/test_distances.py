"""Distances: any metric, by blocks, against SciPy."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn.metrics.pairwise import cosine_distances

from nbembed.data import distances
from nbembed.data.distances import Distances, largest_magnitude
from nbembed.data.matrix_input import METRICS, check_data


def whole(X, metric, others=None):
    return np.vstack([D2 for _, D2 in Distances(X, metric, others).blocks()])


@pytest.fixture
def X(rng):
    return rng.normal(size=(83, 4))


@pytest.mark.parametrize(
    "metric",
    ["euclidean", "l2", "minkowski", "cityblock", "cosine", "correlation", "chebyshev", "canberra",
     "braycurtis", "seuclidean", "mahalanobis", "sqeuclidean"],
)  # fmt: skip
@pytest.mark.parametrize("pairs", [1, 10**6])
def test_squares_of_what_scipy_says(X, metric, pairs, monkeypatch):
    monkeypatch.setattr(distances, "PAIRS", pairs)
    X = np.abs(X)
    d = squareform(pdist(X, {"l2": "euclidean"}.get(metric, metric)))
    D2 = whole(X, metric)
    np.testing.assert_allclose(D2, d**2, rtol=1e-9, atol=1e-14)
    assert (np.diagonal(D2) == 0).all()


@pytest.mark.parametrize("metric", sorted(set(METRICS) - {"precomputed"}))
def test_every_metric_that_is_allowed_is_there(rng, metric):
    X = rng.uniform(0.1, 1, size=(12, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        D2 = whole(check_data(X, metric), metric)
    assert D2.shape == (12, 12)
    assert np.isfinite(D2).all()


@pytest.mark.parametrize("size", [1e200, 1e-200])
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_angles_do_not_depend_on_lengths(X, store, size):
    expected = whole(store(X), "cosine")
    X[::2] *= size
    np.testing.assert_allclose(whole(store(X), "cosine"), expected, rtol=1e-9, atol=1e-28)
    part = whole(store(X[:5]), "cosine", store(X[5:]))
    np.testing.assert_allclose(part, expected[:5, 5:], rtol=1e-9, atol=1e-28)


def test_lengths_that_are_no_hazard_leave_angles_to_the_bit(X):
    for kind in (np.float64, np.float32):
        points = X.astype(kind)
        expected = np.square(cosine_distances(points, points.copy()), dtype=np.float64)
        np.fill_diagonal(expected, 0)
        assert np.array_equal(whole(points, "cosine"), expected)


@pytest.mark.parametrize(
    ("values", "largest"),
    [
        ([True, False], 1.0),
        (np.array([-128, 3], np.int8), 128.0),
        (np.array([200], np.uint8), 200.0),
        (np.array([-2.5, 1.0]), 2.5),
        ([], 0.0),
    ],
)
@pytest.mark.parametrize("store", [np.atleast_2d, sparse.csr_array])
def test_the_largest_magnitude_of_any_type(values, largest, store):
    assert largest_magnitude(store(np.atleast_2d(values))) == largest


@pytest.mark.parametrize("metric", ["seuclidean", "mahalanobis"])
def test_a_constant_feature_adds_nothing(X, metric):
    np.testing.assert_allclose(whole(np.c_[X, np.ones(83)], metric), whole(X, metric), rtol=1e-8)


def test_a_function_need_not_be_symmetric(X):
    D2 = whole(X[:9], lambda a, b: max(b[0] - a[0], 0.0))
    x = X[:9, 0]
    np.testing.assert_allclose(D2, np.maximum(x - x[:, None], 0) ** 2)


def test_sparse_data_is_data_with_zeros(rng):
    X = sparse.random_array((60, 30), density=0.2, rng=rng, format="csr")
    X = sparse.vstack([X, X[:5]], format="csr")
    for metric in ("euclidean", "cosine", "cityblock"):
        np.testing.assert_allclose(whole(X, metric), whole(X.toarray(), metric), atol=1e-12)
    assert (whole(X, "euclidean")[range(5), range(60, 65)] == 0).all()
    others = sparse.csr_array(X.toarray()[:7])
    np.testing.assert_allclose(whole(X, "euclidean", others), whole(X, "euclidean")[:, :7])


def test_others_have_no_diagonal(X):
    D2 = whole(X[:7], "euclidean", X[3:20])
    np.testing.assert_allclose(D2, cdist(X[:7], X[3:20], "sqeuclidean"), atol=1e-12)


def test_given_dissimilarities_are_squared_and_left_alone(rng):
    d = rng.uniform(size=(6, 6))
    before = d.copy()
    D2 = whole(d, "precomputed")
    off = ~np.eye(6, dtype=bool)
    np.testing.assert_allclose(D2[off], d[off] ** 2)
    np.testing.assert_array_equal(d, before)


def test_pairs_are_counted_once_if_they_are_one(X):
    d = cdist(X, X)
    upper = np.sort(d[np.triu_indices(83, 1)])
    of_pairs = np.sort(Distances(X, "euclidean").of_pairs())
    np.testing.assert_allclose(of_pairs, upper)
    d[0, 1] = 9
    both = Distances(d, "precomputed").of_pairs()
    np.testing.assert_allclose(np.sort(both), np.sort(d[~np.eye(83, dtype=bool)]))


@pytest.mark.parametrize(
    ("X", "metric", "message"),
    [
        (np.eye(3), lambda a, b: np.nan, "metric must give finite distances"),
        (np.eye(3), lambda a, b: -1.0, "metric must give distances ≥ 0"),
        (np.ones((3, 4)), "correlation", "'correlation' gives nan between points 0 and 1"),
        (np.ones((3, 4)), "haversine", "metric must be one that applies to this X"),
        (sparse.csr_array(np.eye(3)), "canberra", "metric must be one that applies"),
    ],
)
def test_metrics_that_fail_are_named(X, metric, message):
    with pytest.raises(ValueError, match=message):
        whole(X, metric)


def test_scales_of_the_fitted_points_are_taken_for_new_ones(X):
    new = X[:5] + 3
    D2 = whole(new, "seuclidean", X)
    expected = cdist(new, X, "seuclidean", V=np.var(X, axis=0, ddof=1)) ** 2
    np.testing.assert_allclose(D2, expected)
