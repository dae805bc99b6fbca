"""Own affinities of groups, and the matrix that they make together."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from nbembed.affinities import Affinities, perplexity_affinities
from nbembed.objectives import own_affinities
from nbembed.objectives.own_affinities import (
    OwnAffinities,
    OwnPart,
    assembled,
    assembled_both_ways,
)

N = 200


@pytest.fixture(scope="module")
def affinities():
    X = np.random.default_rng(0).normal(size=(N, 4))
    return perplexity_affinities(X, 20, dtype=np.float64)


@pytest.mark.parametrize("m", [3, 20, 130])
def test_those_of_a_sparse_matrix_are_those_of_a_dense_one(affinities, rng, m, monkeypatch):
    members = np.sort(rng.choice(N, m, replace=False))
    P = np.where(np.quantile(affinities.P, 0.4) < affinities.P, affinities.P, 0)
    thin = sparse.csr_array(P)
    found = []
    for given in (P, thin):
        if given is thin:  # no block of all pairs is made
            monkeypatch.setattr(sparse.csr_array, "toarray", None)
        own = OwnAffinities.of(Affinities(given, "row"), 12.0, members)
        dense = np.zeros((m, m))
        dense[own.rows, own.parts.columns] = own.parts.values
        found.append(dense)
    assert found[0].any()
    np.testing.assert_allclose(found[1], found[0], rtol=1e-9, atol=1e-15)


def test_the_group_that_has_most_in_common_is_gone_on_from(affinities, monkeypatch):
    given = []
    real = own_affinities.own_rows
    monkeypatch.setattr(own_affinities, "own_rows", lambda *a: given.append(a[-1]) or real(*a))
    groups = (np.arange(20, 120), np.arange(100, 200), np.arange(10))
    others = [OwnAffinities.of(affinities, 12.0, members) for members in groups]
    OwnAffinities.of(affinities, 12.0, np.arange(60, 180), 1, others)
    assert given[-1][0] is groups[1]
    OwnAffinities.of(affinities, 12.0, np.arange(9), 1, others[:2])
    assert given[-1] is None, "rows of another perplexity are of no use"


def test_sums_of_a_group_that_is_the_same_are_kept(affinities, rng):
    own = OwnAffinities.of(affinities, 12.0, np.arange(50))
    values, s = rng.exponential(size=own.parts.values.size), np.ones(50)
    first = own.both_ways(values, s)
    assert own.both_ways(values.copy(), s) is first
    assert own.both_ways(values, 2 * s) is not first


def test_what_is_spread_over_a_group_sums_to_the_share_of_each_member(affinities, rng):
    own = OwnAffinities.of(affinities, 12.0, np.arange(50))
    weights, share = rng.exponential(size=50), rng.exponential(size=50)
    values, there = own.spread(weights, share)
    np.testing.assert_allclose(np.bincount(own.rows, values, 50), np.where(there, share, 0))
    of_one = own.rows == 7
    by_hand = own.parts.values[of_one] * weights[own.parts.columns[of_one]]
    np.testing.assert_allclose(values[of_one], share[7] * by_hand / by_hand.sum())
    assert own.spread(weights.copy(), share.copy())[0] is values, "kept while nothing changes"
    assert own.spread(weights, 2 * share)[0] is not values


@pytest.mark.parametrize("overlap", [0, 15])
@pytest.mark.parametrize("n_groups", [1, 4])
def test_parts_make_one_canonical_matrix(affinities, rng, overlap, n_groups):
    shuffled = rng.permutation(N)
    groups = shuffled[:40], shuffled[40 - overlap : 70], shuffled[70:130], shuffled[130:133]
    groups = groups[:n_groups]
    parts, total = [], np.zeros((N, N))
    for group in groups:
        members = np.sort(group)
        own = OwnAffinities.of(affinities, 12.0, members)
        values = rng.exponential(size=own.parts.values.size)
        parts.append(OwnPart(own, values))
        total[members[own.rows], members[own.parts.columns]] += values

    found = assembled(parts, N)
    np.testing.assert_allclose(found.toarray(), total, rtol=1e-14)

    s = rng.exponential(size=N)
    both, scaled = assembled_both_ways(parts, N), assembled_both_ways(parts, N, s)
    np.testing.assert_allclose(both.toarray(), total + total.T, rtol=1e-14)
    np.testing.assert_allclose(scaled.toarray(), s[:, None] * total + total.T * s, rtol=1e-14)
    assert found.indices.dtype == both.indices.dtype == np.int32
    for matrix in (found, both, scaled):
        again = sparse.csr_array((matrix.data, matrix.indices, matrix.indptr), shape=(N, N))
        assert again.has_canonical_format, "columns are sorted, and none occurs twice"
