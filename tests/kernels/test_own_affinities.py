"""Own affinities of a group and how they are put together, against the formulas in NumPy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import sparse

from nbembed.kernels import own_affinities as kernel
from tests.kernels import reference

N = 300


def probabilities(rng: np.random.Generator, form: str, dtype: Any) -> Any:
    P = rng.exponential(size=(N, N)) ** 3
    np.fill_diagonal(P, 0)
    if form == "sparse":
        P[np.quantile(P, 0.6) > P] = 0
        return sparse.csr_array((P / P.sum()).astype(dtype))
    return (P / P.sum()).astype(dtype)


def same(found: Any, expected: Any) -> None:
    """Both have the same entries, but for those that rounding alone keeps from being zero."""
    dense = [
        sparse.csr_array((rows.values, rows.columns, rows.bounds), shape=[rows.bounds.size - 1] * 2)
        for rows in (found, expected)
    ]
    np.testing.assert_allclose(*(rows.toarray() for rows in dense), rtol=1e-8, atol=1e-11)


@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("m", "count"), [(3, 2), (40, 39), (200, 60)])
def test_own_rows(rng, form, dtype, m, count):
    P = probabilities(rng, form, dtype)
    members = np.sort(rng.choice(N, m, replace=False)).astype(np.int64)
    perplexity = max(1.0, count / 3)
    found = kernel.own_rows(P, members, count, perplexity, 1)
    same(found, reference.own_rows(P, members, count, perplexity, 1))
    assert np.diff(found.bounds).max() <= count
    if m > 3:
        entropies = [
            -(w @ np.log(w)) for w in np.split(found.values, found.bounds[1:-1]) if w.size == count
        ]
        np.testing.assert_allclose(entropies, math.log(perplexity), rtol=1e-9)


def test_threads_do_not_change_a_bit(rng):
    P = probabilities(rng, "sparse", np.float32)
    members = np.arange(0, N, dtype=np.int64)
    one, many = (kernel.own_rows(P, members, 60, 20.0, threads) for threads in (1, 4))
    assert all(np.array_equal(a, b) for a, b in zip(one, many))


@pytest.mark.parametrize("form", ["dense", "sparse"])
def test_rows_without_that_perplexity_have_the_nearest_to_it(form):
    """Too few entries, too many ties, and none at all; of equal entries the first are taken."""
    P = np.zeros((9, 9))
    P[0, 1] = 1.0  # one entry
    P[1, [0, 2, 3, 4, 5, 6, 7]] = 0.25, *[0.5] * 6  # six tie for the largest
    P[2, [0, 1, 3]] = 0.5, 0.25, 1e-30
    given = sparse.csr_array(P) if form == "sparse" else P
    found = kernel.own_rows(given, np.arange(8), 5, 2.0, 1)
    same(found, reference.own_rows(given, np.arange(8), 5, 2.0, 1))
    bounds, columns, values = found
    assert np.diff(bounds).tolist()[:2] == [1, 5]
    assert not np.diff(bounds)[3:].any()
    assert values[0] == 1
    assert columns[1:6].tolist() == [2, 3, 4, 5, 6]
    np.testing.assert_allclose(values[1:6], 0.2)


@pytest.mark.parametrize("form", ["dense", "sparse"])
@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize(
    ("left", "joined"), [(0, 1), (0, 40), (1, 0), (30, 0), (5, 40), (150, 100), (0, 0)]
)
def test_another_group_has_the_same_bits(rng, form, ties, left, joined):
    """Rows that are kept from a group with other members are those that are made anew."""
    P = probabilities(rng, form, np.float32)
    if ties:
        values = P.data if form == "sparse" else P
        values[...] = np.round(values / values.max(), 3)
        if form == "sparse":
            P.eliminate_zeros()
    shuffled = rng.permutation(N)
    before = np.sort(shuffled[:190]).astype(np.int64)
    after = np.sort(shuffled[left : 190 + joined]).astype(np.int64)
    alone = kernel.own_rows(P, after, 60, 20.0, 1)
    known = before, kernel.own_rows(P, before, 60, 20.0, 1)
    for threads in (1, 4):
        found = kernel.own_rows(P, after, 60, 20.0, threads, known)
        assert all(np.array_equal(a, b) for a, b in zip(found, alone))


def test_rows_whose_members_are_the_same_are_kept(rng):
    """What is copied is not made anew: other values of the group before come through."""
    P = probabilities(rng, "dense", np.float32)
    P[200, :] = P[:, 200] = 0  # nobody's neighbor
    before = np.arange(200, dtype=np.int64)
    rows = kernel.own_rows(P, before, 60, 20.0, 1)
    marked = rows._replace(values=rows.values + 1)
    for given in (P, sparse.csr_array(P)):
        found = kernel.own_rows(given, np.arange(201), 60, 20.0, 1, (before, marked))
        assert np.array_equal(found.values, marked.values)


def test_both_ways(rng):
    G = sparse.random_array((60, 60), density=0.1, rng=rng, format="csr")
    G.sort_indices()
    s = rng.exponential(size=60)
    given = G.indptr.astype(np.int64), G.indices.astype(np.int32), G.data, s
    found, expected = kernel.sum_both_ways(*given), reference.sum_both_ways(*given)
    assert all(np.array_equal(a, b) for a, b in zip(found[:2], expected[:2]))
    scaled = sparse.diags_array(s) @ G
    for bounds, columns, values in (found, expected):
        S = sparse.csr_array((values, columns, bounds), shape=(60, 60))
        assert abs(S - (scaled + scaled.T)).max() < 1e-15


def test_blocks_are_placed_behind_each_other(rng):
    blocks = []
    for members in (np.array([1, 3, 4]), np.array([0, 3, 5])):
        values = rng.exponential(size=3)
        blocks.append((members, np.array([0, 2, 2, 3]), np.array([1, 2, 0], np.int32), values))
    total = np.zeros((6, 6))
    for members, _, _, values in blocks:
        a, _, c = members
        total[[a, a, c], [members[1], c, a]] += values
    counts = np.zeros(6, np.int64)
    for members, bounds, _, _ in blocks:
        counts[members] += np.diff(bounds)
    indptr = np.concatenate([[0], np.cumsum(counts)])
    for place_rows in (kernel.place_rows, reference.place_rows):
        free = indptr[:-1].copy()
        indices, data = np.empty(indptr[-1], np.int32), np.empty(indptr[-1])
        for block in blocks:
            place_rows(*block, free, indices, data)
        assert np.array_equal(free, indptr[1:])
        found = sparse.csr_array((data, indices, indptr), shape=(6, 6))
        np.testing.assert_array_equal(found.toarray(), total)
