"""The nearest-neighbor search: against all sorted distances, ties, other points."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist

from nbembed.neighbors import (
    find_neighbors,
    k_smallest,
    nearest_given,
    nearest_neighbors,
    search,
)


@pytest.mark.parametrize("k", [1, 2, 6, 29, 30])
def test_the_smallest_come_first_and_ties_by_column(rng, k):
    for values in (rng.random((40, 30)), rng.integers(0, 4, (40, 30)), np.zeros((3, 30))):
        expected = values.argsort(axis=1, kind="stable")[:, :k]
        np.testing.assert_array_equal(k_smallest(values, k), expected)


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("D", [2, 8, 9, 20])
@pytest.mark.parametrize("metric", ["euclidean", "cityblock"])
def test_neighbors_are_those_of_all_sorted_distances(rng, k, D, metric):
    X, others = rng.normal(size=(50, D)), rng.normal(size=(70, D))
    d = cdist(X, X, metric)
    np.fill_diagonal(d, np.inf)
    for data, table, where in ((X, d, None), (X, cdist(X, others, metric), others)):
        index, distances, _ = find_neighbors(data, k, metric, others=where)
        np.testing.assert_array_equal(index, table.argsort(axis=1)[:, :k])
        np.testing.assert_allclose(distances, np.sort(table, axis=1)[:, :k], rtol=1e-6)
        np.testing.assert_array_equal(nearest_neighbors(data, k, metric, others=where), index)


def test_all_others_may_be_asked_for(rng):
    X, others = rng.normal(size=(5, 3)), rng.normal(size=(2, 3))
    assert nearest_neighbors(X, 2, others=others).shape == (5, 2)
    assert nearest_neighbors(X, 1, others=others[:1]).tolist() == [[0]] * 5
    with pytest.raises(ValueError, match="k must be in"):
        nearest_neighbors(X, 3, others=others)
    with pytest.raises(ValueError, match="k must be in"):
        nearest_neighbors(X, 5)


@pytest.mark.parametrize("D", [2, 12])
def test_no_point_is_its_own_neighbor_among_duplicates(D):
    index, distances, _ = find_neighbors(np.ones((6, D)), 3)
    assert not (index == np.arange(6)[:, None]).any()
    assert not distances.any()


def test_sparse_data_and_dissimilarities(rng):
    X = rng.random((30, 12)) * (rng.random((30, 12)) < 0.5)
    expected = nearest_neighbors(X, 4)
    np.testing.assert_array_equal(nearest_neighbors(sparse.csr_array(X), 4), expected)
    np.testing.assert_array_equal(nearest_neighbors(cdist(X, X), 4, "precomputed"), expected)


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "sqeuclidean", "cityblock"])
@pytest.mark.parametrize("D", [3, 12])
def test_many_points_have_the_neighbors_of_few(rng, metric, D, monkeypatch):
    X, others = rng.normal(size=(300, D)), rng.normal(size=(500, D))
    expected = [find_neighbors(X, 7, metric, others=where) for where in (None, others)]
    monkeypatch.setattr(search, "SINGLE", 100)
    for where, plain in zip((None, others), expected):
        found = find_neighbors(X, 7, metric, others=where, n_jobs=1)
        np.testing.assert_array_equal(found.indices, plain.indices)
        np.testing.assert_allclose(found.distances, plain.distances, rtol=1e-7, atol=1e-12)
        assert found.recall == plain.recall == 1.0
    monkeypatch.setattr(search, "MANY", 200)
    for where, plain in zip((None, others), expected):
        found = find_neighbors(X, 7, metric, others=where, search="auto")
        kth = plain.distances[:, -1:] * (1 + 1e-7)
        assert (found.distances <= kth).mean() > 0.95
        assert 0.95 < found.recall <= 1


def test_rows_without_a_direction_have_cosine_distances_too(rng, monkeypatch):
    X = rng.normal(size=(50, 12))
    X[3] = 0
    expected = nearest_neighbors(X, 4, "cosine")
    monkeypatch.setattr(search, "SINGLE", 10)
    np.testing.assert_array_equal(nearest_neighbors(X, 4, "cosine"), expected)


def test_arguments_are_checked(rng):
    X = rng.normal(size=(10, 3))
    with pytest.raises(ValueError, match="search must be one of 'exact', 'auto'"):
        nearest_neighbors(X, 1, search="fast")
    with pytest.raises(ValueError, match="n_jobs must be"):
        nearest_neighbors(X, 1, n_jobs=0)


@pytest.mark.parametrize("D", [3, 12])
@pytest.mark.parametrize("search_in", ["exact", "auto"])
def test_squares_are_never_lost_without_an_error(rng, search_in, D, monkeypatch):
    """Whether few points are searched or many, by whatever search: in X, and in the others."""
    X, others = rng.normal(size=(60, D)), rng.normal(size=(80, D))
    for many in (False, True):
        if many:
            monkeypatch.setattr(search, "SINGLE", 40)
            monkeypatch.setattr(search, "MANY", 40)
        for at in (0, 59):
            far = X.copy()
            far[at] = 1e200
            for data, where in ((far, None), (far, others), (far[at : at + 1], others), (X, far)):
                with pytest.raises(ValueError, match="X must span between 1e-140 and 1e140"):
                    find_neighbors(data, 3, others=where, search=search_in)


@pytest.mark.parametrize("size", [1e200, 1e-200])
@pytest.mark.parametrize("search_in", ["exact", "auto"])
@pytest.mark.parametrize("many", [False, True])
def test_directions_do_not_depend_on_lengths(rng, many, search_in, size, monkeypatch):
    """Neither squares that overflow nor those that underflow change angles."""
    X, others = rng.normal(size=(60, 12)), rng.normal(size=(80, 12))
    if many:
        monkeypatch.setattr(search, "SINGLE", 40)
        monkeypatch.setattr(search, "MANY", 40)
    scaled = X.copy()
    scaled[::3] *= size
    for data, plain, where, known in (
        (scaled, X, None, None),
        (scaled, X, others, others),
        (others, others, scaled, X),
    ):
        found = find_neighbors(data, 3, "cosine", others=where, search=search_in)
        expected = find_neighbors(plain, 3, "cosine", others=known, search=search_in)
        np.testing.assert_array_equal(found.indices, expected.indices)
        np.testing.assert_allclose(found.distances, expected.distances, rtol=1e-9)


@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("block", [4, 2**22])
def test_given_dissimilarities_go_by_blocks(rng, store, block, monkeypatch):
    X, others = rng.normal(size=(9, 3)), rng.normal(size=(20, 3))
    monkeypatch.setattr(search, "PAIRS", block * 20)
    index, distances = nearest_given(store(cdist(X, others)), 5)
    np.testing.assert_array_equal(index, nearest_neighbors(X, 5, others=others))
    np.testing.assert_array_equal(distances, np.sort(cdist(X, others), axis=1)[:, :5])
