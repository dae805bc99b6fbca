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
