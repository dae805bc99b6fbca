"""Rows of points that cannot-links leave without a neighbor."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from nbembed.affinities import Affinities, perplexity_affinities
from nbembed.objectives import cannot_links as module
from nbembed.objectives.cannot_links import allowed_points, without_cannot_links
from nbembed.supervision import Supervision

FORMS = ["row", "joint"]


@pytest.fixture
def affinities(rng):
    return perplexity_affinities(rng.normal(size=(60, 3)), 4, n_neighbors=9, n_jobs=1)


@pytest.fixture
def links(affinities):
    """Cannot-links that take all neighbors, of whatever direction, from the first four points."""
    pairs = affinities.joint().P
    supervision = Supervision(60)
    for i in range(4):
        supervision = supervision.cannot_link([i], pairs[[i]].indices)
    return supervision.cannot_links


def one_by_one(affinities, links):
    """The same with a matrix for each point."""
    n, P = affinities.n_samples, affinities.P.copy()
    for a, b in links:
        for i, j in ((a, b), (b, a)):
            across = np.zeros((n, n), bool)
            across[np.ix_(i, j)] = True
            P.data[across[np.repeat(np.arange(n), np.diff(P.indptr)), P.indices]] = 0
    before = np.asarray(affinities.P.sum(axis=1, dtype=np.float64)).ravel()
    after = np.asarray(P.sum(axis=1, dtype=np.float64)).ravel()
    for i in np.flatnonzero(after == 0):
        columns = allowed_points(int(i), n, links)
        share = np.full(columns.size, before[i] / columns.size, P.dtype)
        extra = sparse.coo_array((share, (np.full(columns.size, i), columns)), shape=P.shape)
        P = sparse.csr_array(P + (extra + extra.T if affinities.form == "joint" else extra))
    after = np.asarray(P.sum(axis=1, dtype=np.float64)).ravel()
    P.sum_duplicates()
    scale = np.full(n, 1 / after.sum()) if affinities.form == "joint" else 1 / after
    P.data *= np.repeat(scale, np.diff(P.indptr)).astype(P.dtype)
    return P


@pytest.mark.parametrize("form", FORMS)
def test_all_rows_at_once_have_the_bits_of_one_by_one(affinities, links, form):
    given = Affinities(affinities.joint().P if form == "joint" else affinities.P, form)
    cut = without_cannot_links(given, links).P
    expected = one_by_one(given, links)
    np.testing.assert_array_equal(cut.toarray(), expected.toarray())
    assert (cut[[0]] > 0).nnz == allowed_points(0, 60, links).size


@pytest.mark.parametrize("form", FORMS)
def test_rows_without_neighbors_add_one_matrix(affinities, links, form, monkeypatch):
    given = Affinities(affinities.joint().P if form == "joint" else affinities.P, form)
    made = []
    coo_array = sparse.coo_array
    monkeypatch.setattr(
        module.sparse, "coo_array", lambda *a, **options: made.append(a) or coo_array(*a, **options)
    )
    without_cannot_links(given, links)
    assert len(made) == 1


@pytest.mark.parametrize("form", FORMS)
def test_a_sparse_matrix_of_many_points_stays_sparse(affinities, links, form, monkeypatch):
    monkeypatch.setattr(module, "SAMPLED_FROM", 60)
    given = Affinities(affinities.joint().P if form == "joint" else affinities.P, form)
    width = int(np.ceil(given.P.nnz / 60))
    cut = without_cannot_links(given, links).P
    for i in range(4):
        chosen = cut[[i]].indices
        assert set(chosen) <= set(allowed_points(i, 60, links))
        assert width <= chosen.size <= (width if form == "row" else width + 3)
        if form == "row":
            np.testing.assert_allclose(cut[[i]].data, 1 / width, rtol=1e-6)
    total = cut.sum(axis=1) if form == "row" else cut.sum()
    np.testing.assert_allclose(total, 1, rtol=1e-5)
    if form == "joint":
        assert abs(cut - cut.T).max() == 0
    again = without_cannot_links(given, links).P
    np.testing.assert_array_equal(cut.toarray(), again.toarray())


def test_emptied_rows_that_may_be_near_each_other_leave_p_symmetric(affinities, links):
    """Dense and sparse alike: the first four points lose all, and are not kept apart."""
    P = affinities.joint().P
    together = [set(allowed_points(i, 60, links)) & set(range(4)) for i in range(4)]
    assert any(together)
    sparse_cut = without_cannot_links(Affinities(P, "joint"), links).P.toarray()
    dense_cut = without_cannot_links(Affinities(P.toarray(), "joint"), links).P
    np.testing.assert_array_equal(dense_cut, dense_cut.T)
    np.testing.assert_allclose(dense_cut, sparse_cut, rtol=1e-5)
    for i in range(4):
        assert (dense_cut[i] > 0).sum() == allowed_points(i, 60, links).size
    assert dense_cut.sum() == pytest.approx(1, rel=1e-6)


@pytest.mark.parametrize("form", FORMS)
def test_many_emptied_points_are_looked_at_together(rng, form, monkeypatch):
    """Points on the same sides share what is allowed, and have the bits of each by itself."""
    monkeypatch.setattr(module, "SAMPLED_FROM", 60)
    n, links = 300, []
    rows = sparse.csr_array(np.kron(np.eye(3), np.ones((100, 100)) - np.eye(100)) / 99)
    P = Affinities(rows if form == "row" else rows / n, form)
    supervision = Supervision(n)
    for first in (0, 100):
        inner = np.arange(first, first + 100)
        for half in (inner[:50], inner[50:]):
            for other in (inner[:50], inner[50:]):
                if half is not other and half[0] != other[0]:
                    supervision = supervision.cannot_link(half, other)
    # Within each half points stay near; now those of the first two halves lose these, too.
    for i in range(20):
        supervision = supervision.cannot_link([i], np.setdiff1d(np.arange(50), [i]))
    links = supervision.cannot_links
    most = int(np.ceil(P.P.nnz / n))
    calls = []
    alike = module._alike
    monkeypatch.setattr(module, "_alike", lambda *a: calls.append(a) or alike(*a))
    cut = without_cannot_links(P, links).P
    assert len(calls) == 1
    for i in range(20):
        allowed = allowed_points(i, n, links)
        chosen = np.random.default_rng(i).choice(allowed, most, replace=False)
        assert set(chosen) <= set(cut[[i]].indices)
        if form == "row":
            np.testing.assert_array_equal(cut[[i]].indices, np.sort(chosen))


def test_points_without_a_neighbor_left_are_named():
    told = Supervision(6).cannot_link([1, 2], [0, 3, 4, 5]).cannot_link([1], [2])
    with pytest.raises(ValueError, match="cannot-links separate point 1"):
        module.check_neighbors_left(told)
    module.check_neighbors_left(Supervision(6).cannot_link([1, 2], [0, 3, 4, 5]))
