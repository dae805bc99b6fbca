"""The k smallest entries of rows that come in blocks, against sorting; distances of pairs."""

from __future__ import annotations

import numpy as np
import pytest

from nbembed.kernels import nearest
from tests.kernels import reference


def lists_of(S, k, blocks, keep_smallest, cut_lists):
    lists = nearest.empty_shortlist(len(S), k)
    rows = np.arange(len(S))
    first = 0
    for width in blocks:
        keep_smallest(np.ascontiguousarray(S[:, first : first + width]), first, rows, lists)
        first += width
    assert first == S.shape[1]
    cut_lists(lists)
    return lists


FUNCTIONS = [
    (nearest.keep_smallest, nearest.cut_lists),
    (reference.keep_smallest, reference.cut_lists),
]


@pytest.mark.parametrize("functions", FUNCTIONS)
@pytest.mark.parametrize("k", [1, 5, 130])
@pytest.mark.parametrize("values", ["random", "ascending", "descending", "ties", "equal"])
def test_lists_hold_the_smallest_entries(rng, k, values, functions):
    S = {
        "random": rng.normal(size=(7, 1500)),
        "ascending": np.tile(np.arange(1500.0), (7, 1)),
        "descending": np.tile(-np.arange(1500.0), (7, 1)),
        "ties": rng.integers(0, 9, (7, 1500)),
        "equal": np.zeros((7, 1500)),
    }[values].astype(np.float32)
    lists = lists_of(S, k, (64, 1, 0, 435, 1000), *functions)
    assert (lists.counts == k).all()
    for i, row in enumerate(S):
        found = lists.columns[i, :k]
        assert np.unique(found).size == k
        np.testing.assert_array_equal(row[found], lists.values[i, :k])
        np.testing.assert_array_equal(np.sort(row[found]), np.sort(row)[:k])
        assert lists.bounds[i] == np.sort(row)[k - 1]


@pytest.mark.parametrize("functions", FUNCTIONS)
def test_short_rows_are_kept_whole_and_rows_may_take_turns(rng, functions):
    keep_smallest, cut_lists = functions
    S = rng.normal(size=(2, 10)).astype(np.float32)
    lists = nearest.empty_shortlist(4, 12)
    keep_smallest(S, 5, np.array([3, 1]), lists)
    cut_lists(lists)
    assert lists.counts.tolist() == [0, 10, 0, 10]
    assert np.isinf(lists.bounds).all()
    for i, row in ((3, S[0]), (1, S[1])):
        order = np.argsort(lists.columns[i, :10])
        np.testing.assert_array_equal(lists.columns[i, :10][order], np.arange(5, 15))
        np.testing.assert_array_equal(lists.values[i, :10][order], row)


@pytest.mark.parametrize("pair_distances", [nearest.pair_distances, reference.pair_distances])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_distances_of_pairs_come_sorted_and_ties_by_index(rng, dtype, pair_distances):
    A, B = rng.normal(size=(9, 5)).astype(dtype), rng.normal(size=(30, 5)).astype(dtype)
    B[20:] = B[:10]
    index = np.array([rng.permutation(30)[:17] for _ in A])
    given = index.copy()
    D2 = pair_distances(A, B, index)
    all_D2 = np.square(A[:, None].astype(float) - B[None]).sum(axis=2)
    for i in range(9):
        order = sorted(given[i], key=lambda j: (all_D2[i, j], j))
        np.testing.assert_array_equal(index[i], order)
        np.testing.assert_allclose(D2[i], all_D2[i, order], rtol=1e-14)
