"""Affinities as they are made: the perplexity asked for, a second formula, awkward data."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.datasets import load_iris

from nbembed.affinities import (
    Affinities,
    auto_perplexity,
    global_affinities,
    perplexity_affinities,
)


def perplexities(P):
    P = np.asarray(P, dtype=np.float64)
    return np.exp(-np.sum(P * np.log(np.where(P > 0, P, 1)), axis=1))


@pytest.fixture
def X(rng):
    return rng.normal(size=(83, 5))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("perplexity", [1.5, 5, 30, 80])
def test_each_row_has_the_perplexity_asked_for(X, perplexity, dtype):
    made = perplexity_affinities(X, perplexity, dtype=dtype)
    tolerance = 2e-6 if dtype == np.float32 else 1e-10
    np.testing.assert_allclose(perplexities(made.P), perplexity, rtol=tolerance)
    np.testing.assert_allclose(made.P.sum(axis=1), 1, rtol=1e-5)
    assert (np.diagonal(made.P) == 0).all()
    D2 = cdist(X, X, "sqeuclidean")
    expected = np.exp(-made.beta[:, None] * D2)
    np.fill_diagonal(expected, 0)
    expected /= expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(made.P, expected, atol=2e-5 if dtype == np.float32 else 1e-12)


def test_data_far_from_the_origin_gives_the_same_neighbors(X):
    near = perplexity_affinities(X, 10)
    far = perplexity_affinities(X + 1e6, 10)
    np.testing.assert_allclose(far.P, near.P, atol=1e-6)


@pytest.mark.parametrize("unit", [1e-100, 1e-20, 1e20, 1e100])
def test_units_do_not_matter(X, unit):
    for make in (perplexity_affinities, lambda X: global_affinities(X, 4)):
        np.testing.assert_allclose(make(unit * X).P, make(X).P, atol=1e-6)


def test_pairs_do_not_come_from_one_block_alone(X, monkeypatch):
    whole = perplexity_affinities(X, 10), global_affinities(X, 3)
    monkeypatch.setattr("nbembed.data.distances.PAIRS", 1)
    parts = perplexity_affinities(X, 10), global_affinities(X, 3)
    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_allclose(one.P, other.P, rtol=1e-5)
        np.testing.assert_allclose(one.log_P, other.log_P, rtol=1e-5)
    assert parts[1].sigma == pytest.approx(whole[1].sigma)


def test_auto_is_thirty_or_a_third_of_the_others(rng):
    assert perplexity_affinities(rng.normal(size=(200, 2))).perplexity == 30
    assert perplexity_affinities(rng.normal(size=(31, 2))).perplexity == 10
    three = perplexity_affinities(rng.normal(size=(3, 2)))
    assert three.perplexity == 1
    assert np.isfinite(three.P).all()


def test_metrics_by_name_callable_and_precomputed(X):
    d = cdist(X, X, "cityblock")
    by_name = perplexity_affinities(X, 7, "cityblock")
    by_hand = perplexity_affinities(X, 7, lambda a, b: np.abs(a - b).sum())
    given = perplexity_affinities(d, 7, "precomputed")
    np.testing.assert_allclose(by_name.P, given.P, atol=1e-6)
    np.testing.assert_allclose(by_hand.P, given.P, atol=1e-6)


def test_dissimilarities_need_not_be_symmetric(rng):
    d = rng.uniform(1, 2, size=(20, 20))
    made = perplexity_affinities(d, 5, "precomputed", dtype=np.float64)
    i = 3
    row = np.exp(-made.beta[i] * d[i] ** 2)
    row[i] = 0
    np.testing.assert_allclose(made.P[i], row / row.sum(), rtol=1e-9)


def test_sparse_data_is_data_with_zeros(rng):
    X = sparse.random_array((40, 30), density=0.2, rng=rng, format="csr")
    np.testing.assert_allclose(
        perplexity_affinities(X, 8).P, perplexity_affinities(X.toarray(), 8).P, atol=1e-6
    )


def test_crowds_of_duplicates_share_uniformly_with_one_warning():
    X = np.r_[np.zeros((10, 2)), np.arange(1, 9.0)[:, None] * np.ones(2)]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = perplexity_affinities(X, 4)
    assert len(caught) == 1
    # The ten duplicates, and (1, 1): they and (2, 2) are all as near to it.
    assert "11 of 18 points" in str(caught[0].message)
    np.testing.assert_allclose(made.P[10, :10], 1 / 11)
    np.testing.assert_allclose(made.P[0, 1:10], 1 / 9)
    assert np.isfinite(made.beta).all()
    assert (made.beta > 0).all()


def test_equidistant_points_are_all_neighbors():
    with pytest.warns(UserWarning, match="40 of 40 points"):
        P = perplexity_affinities(np.eye(40), 5).P
    np.testing.assert_allclose(P[~np.eye(40, dtype=bool)], 1 / 39, rtol=1e-6)


@pytest.mark.filterwarnings("ignore:.*distance zero")
@pytest.mark.parametrize("make", [perplexity_affinities, lambda X: global_affinities(X, 2)])
def test_constant_data_is_uniform(make):
    made = make(np.ones((6, 3)))
    off = ~np.eye(6, dtype=bool)
    np.testing.assert_allclose(made.P[off], 0.2, rtol=1e-6)


def test_a_far_outlier_keeps_a_row(X):
    X[0] = 1e5
    for made in (perplexity_affinities(X, 10), global_affinities(X, 3)):
        np.testing.assert_allclose(made.P.sum(axis=1), 1, rtol=1e-5)


@pytest.mark.parametrize("K", [2, 5])
def test_the_global_width_is_the_quantile_of_all_distances(K):
    X = load_iris().data
    made = global_affinities(X, K, dtype=np.float64)
    d = cdist(X, X)
    sigma = np.quantile(d[np.triu_indices(150, 1)], 1 / K)
    assert made.sigma == pytest.approx(sigma, rel=1e-12)
    P = np.exp(-(d**2) / (2 * made.sigma**2))
    np.fill_diagonal(P, 0)
    np.testing.assert_allclose(made.P, P / P.sum(axis=1, keepdims=True), rtol=1e-8)


def test_a_zero_quantile_takes_the_smallest_distance_with_a_warning():
    X = np.r_[np.zeros((10, 1)), [[1.0], [3.0]]]
    with pytest.warns(UserWarning, match="coincide"):
        assert global_affinities(X, 4).sigma == 1


@pytest.mark.parametrize("dtype", [np.float16, int, "no type"])
def test_other_precisions_are_refused(X, dtype):
    for make in (perplexity_affinities, global_affinities):
        with pytest.raises(ValueError, match="dtype must be float32 or float64"):
            make(X, 3, dtype=dtype)


@pytest.mark.parametrize("metric", ["seuclidean", "mahalanobis"])
def test_metrics_that_need_dense_data(metric):
    with pytest.raises(ValueError, match=f"metric must be one that applies to sparse.*'{metric}'"):
        perplexity_affinities(sparse.csr_array(np.eye(5)), 2, metric)


@pytest.mark.parametrize("scale", [1e200, 1e-200])
def test_dissimilarities_whose_squares_are_lost(scale):
    d = scale * (1 - np.eye(5))
    with pytest.raises(
        ValueError, match=r"X must span between 1e-140 and 1e140, got .*: squares of dis"
    ):
        perplexity_affinities(d, 2, "precomputed")


def test_kinds_and_numbers_of_points_are_named():
    with pytest.raises(ValueError, match="form must be one of 'row', 'joint'"):
        Affinities(np.eye(3), "rows")
    for wrong in (None, 2.5, 0, True):
        with pytest.raises((TypeError, ValueError), match="n_samples must be"):
            auto_perplexity(wrong)


def test_rows_over_all_neighbors_are_the_dense_rows(X):
    for dtype, tolerance, of_beta in ((np.float32, 1e-6, 1e-4), (np.float64, 1e-12, 1e-9)):
        dense = perplexity_affinities(X, 12, dtype=dtype)
        made = perplexity_affinities(X, 12, n_neighbors=len(X) - 1, dtype=dtype)
        assert made.is_sparse
        assert made.n_neighbors == len(X) - 1
        assert made.dtype == dtype
        np.testing.assert_allclose(made.P.toarray(), dense.P, atol=tolerance)
        np.testing.assert_allclose(made.joint().P.toarray(), dense.joint().P, atol=tolerance)
        np.testing.assert_allclose(made.beta, dense.beta, rtol=of_beta)


@pytest.mark.parametrize("perplexity", [1, 4.5, 20])
def test_rows_over_nearest_neighbors_have_the_perplexity_within_them(X, perplexity):
    made = perplexity_affinities(X, perplexity, n_neighbors=20, dtype=np.float64)
    P = made.P.toarray()
    if perplexity < 20:
        np.testing.assert_allclose(perplexities(P), perplexity, rtol=1e-8)
    d = cdist(X, X)
    np.fill_diagonal(d, np.inf)
    nearest = np.argsort(d, axis=1)[:, :20]
    off = np.ones_like(P, bool)
    np.put_along_axis(off, nearest, False, axis=1)
    assert (P[off] == 0).all()
    beyond_nearest = np.where(off, np.inf, d**2 - d.min(axis=1, keepdims=True) ** 2)
    expected = np.exp(-made.beta[:, None] * beyond_nearest)
    np.testing.assert_allclose(P, expected / expected.sum(axis=1, keepdims=True), atol=1e-10)
    assert perplexity_affinities(X, n_neighbors=20).perplexity == pytest.approx(20 / 3)


def test_blocks_and_threads_do_not_change_rows_over_neighbors(rng, monkeypatch):
    X = rng.normal(size=(700, 5))
    one, two = (perplexity_affinities(X, 5, n_neighbors=15, n_jobs=k) for k in (1, 2))
    monkeypatch.setattr("nbembed.kernels.calibration.PAIRS", 1)
    parts = perplexity_affinities(X, 5, n_neighbors=15)
    for other in (two, parts):
        assert (one.P != other.P).nnz == 0


def test_numbers_of_neighbors_are_checked(X):
    for wrong, error in ((0, ValueError), (83, ValueError), (2.5, TypeError), (True, TypeError)):
        with pytest.raises(error, match="n_neighbors must be"):
            perplexity_affinities(X, 1, n_neighbors=wrong)
    for wrong in (0.5, 11):
        with pytest.raises(ValueError, match=r"perplexity must be in \[1, 10\] for n_neighbors=10"):
            perplexity_affinities(X, wrong, n_neighbors=10)


def test_the_recall_of_the_search_is_told(X, rng, monkeypatch):
    assert perplexity_affinities(X, 5).recall is None
    assert perplexity_affinities(X, 5, n_neighbors=15).joint().recall == 1.0
    exact = perplexity_affinities(X, 5, n_neighbors=15)
    monkeypatch.setattr("nbembed.neighbors.search.SINGLE", 10)
    monkeypatch.setattr("nbembed.neighbors.search.MANY", 20)
    made = perplexity_affinities(X, 5, n_neighbors=15)
    assert 0.9 < made.recall <= 1
    assert abs(made.P - exact.P).sum() < 0.1 * len(X)
