"""Rows of a fit are known again, in any storage, and distances whatever their diagonal."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.metrics import pairwise_distances

from nbembed.data.fitted_rows import FittedRows


def data(rng):
    X = rng.standard_normal((12, 3))
    X[0] = -0.0
    X[5] = X[2]
    return X


def test_data_are_known_again(rng):
    X = data(rng)
    all_of_them = np.arange(12)
    known = FittedRows(X)
    assert np.array_equal(known.find(X.copy()), all_of_them)
    assert known.find(X[[7, 5, 2, 0]] + 0.0).tolist() == [7, 2, 2, 0]
    assert known.find(np.vstack([X[3], X[3] + 1e-15])).tolist() == [3, -1]
    narrow = X.astype(np.float32)
    assert np.array_equal(FittedRows(narrow).find(narrow.astype(float)), all_of_them)
    for kind in (sparse.csr_array, sparse.csr_matrix):
        loose = FittedRows(kind(X))
        assert np.array_equal(loose.find(kind(X)), all_of_them)
        assert loose.find(kind(X[[4, 3]])).tolist() == [4, 3]
        assert (loose.find(kind(2 * X))[1:] == -1).all()
        assert np.array_equal(loose.find(X), all_of_them)
        assert np.array_equal(known.find(kind(X)), all_of_them)


def test_distances_are_known_again_in_any_order(rng):
    X = data(rng)
    D = pairwise_distances(X)
    order = [*range(5, 12), *range(5)]
    for kind, other in ((np.asarray, sparse.csr_array), (sparse.csr_array, np.asarray)):
        known = FittedRows(kind(D), distances=True)
        assert np.array_equal(known.find(other(D)), np.arange(12))
        assert known.find(kind(D[[9, 1]])).tolist() == [9, 1]
        assert np.array_equal(known.find(other(D[order])), [2, *range(6, 12), *range(5)])
        assert (known.find(kind(2 * D)) == -1).all()


OWN = st.sampled_from([0.0, -0.0, 1.0, -1.0, 1e300, np.nan, np.inf, -np.inf])


@given(
    own=st.lists(OWN, min_size=12, max_size=12),
    kind=st.sampled_from([np.asarray, sparse.csr_array, sparse.csr_matrix]),
    hole=st.none() | st.tuples(st.integers(0, 11), st.integers(0, 11)),
    unknown=st.sampled_from([np.nan, np.inf]),
)
def test_the_distance_of_a_point_and_itself_is_not_read(own, kind, hole, unknown):
    D = pairwise_distances(data(np.random.default_rng(0)))
    known, odd = FittedRows(kind(D), distances=True), D.copy()
    np.fill_diagonal(odd, own)
    if hole is not None:
        odd[hole] = unknown
    if hole is None or hole[0] == hole[1]:
        assert np.array_equal(known.find(kind(odd)), np.arange(12))
        cleared = known.without_own(kind(odd))
        np.testing.assert_array_equal(cleared.toarray() if kind is not np.asarray else cleared, D)
        return
    with pytest.raises(ValueError, match=f"X must be finite.* at row {hole[0]}, column {hole[1]}"):
        known.find(kind(odd))


def test_a_part_of_the_rows_may_have_unknown_distances_to_themselves(rng):
    D = pairwise_distances(data(rng))
    known = FittedRows(D, distances=True)
    np.fill_diagonal(D, np.nan)
    for rows in ([7, 5, 2], [0], [*range(11, -1, -1)]):
        assert known.find(D[rows]).tolist() == rows
        assert known.find(sparse.csr_array(D[rows])).tolist() == rows
    new = D[[3]]
    new[0, 4] += 1
    with pytest.raises(ValueError, match="at row 0, column 3"):
        known.find(new)
