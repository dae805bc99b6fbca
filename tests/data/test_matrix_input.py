"""Data become a finite matrix, or are refused by a sentence that names what is wrong."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from nbembed.data.matrix_input import check_data, check_magnitude


def test_data_may_be_a_list_or_sparse():
    assert check_data(sparse.csr_array(np.eye(3))).format == "csr"
    assert check_data([[1, 2], [3, 4]]).shape == (2, 2)
    with pytest.raises(ValueError, match="X"):
        check_data([["a"], ["b"]])


def test_types_of_data():
    import pandas as pd

    assert check_data(np.ones((2, 2), np.float32)).dtype == np.float32
    for X in (np.ones((2, 2), int), np.ones((2, 2), bool), np.ones((2, 2), np.float16)):
        assert check_data(X).dtype == np.float64
    frame = pd.DataFrame({"a": [1, 2], "b": pd.array([3, 4], dtype="Int64")})
    np.testing.assert_array_equal(check_data(frame), [[1, 3], [2, 4]])
    assert check_data(np.asfortranarray(np.ones((3, 2)))).flags.c_contiguous


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[1, "2"], [3, 4]], "data must be a matrix of real numbers"),
        (np.array([[1, "2"], [3, 4]], dtype=object), "data must be a matrix of real numbers"),
        (np.ones((2, 2), complex), "data must be a matrix of real numbers"),
        (np.ones((2, 2), "datetime64[s]"), "data must be a matrix of real numbers"),
        ([[1, 2], [3]], "data must be a matrix of real numbers"),
        (None, "data must be a matrix of real numbers"),
        ("text", "data must be a matrix of real numbers"),
        (np.ones(3), r"data must have shape .*, got shape \(3,\); a single feature"),
        (np.ones((2, 2, 2)), r"data must have shape \(n_samples, n_features\)"),
        (np.ones((1, 2)), "data must have at least 2 points, got 1"),
        (np.ones((2, 0)), "data must have at least one feature"),
        ([[1, 2], [3, np.nan]], "data must be finite, but it contains NaN at row 1, column 1"),
        ([[1, np.inf], [3, 4]], "data must be finite, but it contains infinity at row 0, column 1"),
        (sparse.csr_array([[1, np.nan]] * 2), "data must be finite"),
    ],
)
def test_bad_data_is_refused_by_name(X, message):
    with pytest.raises(ValueError, match=message):
        check_data(X, name="data")


def test_huge_data_is_finite():
    assert check_data(np.full((2, 2), 1e308)).shape == (2, 2)


def test_the_diagonal_of_given_dissimilarities_is_ignored():
    d = np.array([[np.nan, 1], [2, 5]])
    np.testing.assert_array_equal(check_data(d, "precomputed"), [[0, 1], [2, 0]])
    assert np.isnan(d[0, 0])
    with pytest.raises(ValueError, match="finite"):
        check_data(d[::-1].copy(), "precomputed")


@pytest.mark.parametrize(
    ("metric", "kind", "message"),
    [
        ("eucledian", ValueError, "metric must be one of 'euclidean'.*got 'eucledian'"),
        (3, TypeError, "metric must be a name, a function"),
        (None, TypeError, "metric must be a name, a function"),
    ],
)
def test_metrics_are_names_or_functions(metric, kind, message):
    with pytest.raises(kind, match=message):
        check_data(np.ones((3, 2)), metric)


@pytest.mark.parametrize("X", [np.full((2, 2), -1e150), sparse.csr_array([[1e150, 0.0]])])
def test_magnitudes(X):
    with pytest.raises(ValueError, match=r"X must be at most 1e\+140 in magnitude.*got 1e\+150"):
        check_magnitude(X)
    check_magnitude(X * 1e-20)


def test_masks_are_refused_only_where_they_hide_something():
    with pytest.raises(ValueError, match="X must have no masked values, got 1"):
        check_data(np.ma.masked_equal([[1.0, 2.0], [3.0, 4.0]], 4.0))
    assert check_data(np.ma.masked_equal([[1.0, 2.0], [3.0, 4.0]], 5.0)).shape == (2, 2)


def test_whole_numbers_beyond_floats_are_refused():
    with pytest.raises(ValueError, match="X must be a matrix of real numbers"):
        check_data([[1.0], [2.0], [10**400]])
