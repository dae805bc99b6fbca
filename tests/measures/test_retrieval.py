"""Retrieval measures, each against sets, plain numpy, scikit-learn or the cost of NeRV."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from scipy.special import rel_entr
from sklearn.metrics import precision_score, recall_score

import nbembed.measures.retrieval as rooms
from nbembed import measures
from nbembed.affinities import perplexity_affinities
from nbembed.data import distances
from nbembed.measures import precision_recall, r_nx, r_nx_auc, smoothed_errors
from nbembed.objectives import SNE


@pytest.fixture
def maps(rng):
    X = rng.standard_normal((70, 5))
    return X, X[:, :2] + 0.3 * rng.standard_normal((70, 2))


def nearest(X, k):
    D = cdist(X, X)
    np.fill_diagonal(D, np.inf)
    return [set(row[:k]) for row in np.argsort(D, axis=1, kind="stable")]


# -- R_NX ------------------------------------------------------------------------------------------


def test_r_nx_by_sets(maps):
    X, Y = maps
    n = len(X)
    curve = r_nx(X, Y)
    assert curve.shape == (n - 2,)
    for k in range(1, n - 1):
        kept = np.mean([len(a & b) / k for a, b in zip(nearest(X, k), nearest(Y, k))])
        assert curve[k - 1] == pytest.approx(((n - 1) * kept - k) / (n - 1 - k))
        kept = measures.neighbor_preservation(X, Y, k)
        assert curve[k - 1] == pytest.approx(((n - 1) * kept - k) / (n - 1 - k))


def test_the_area_is_that_under_the_curve_and_the_mean_of_the_points(maps):
    X, Y = maps
    curve = r_nx(X, Y)
    k = np.arange(1, curve.size + 1)
    area = r_nx_auc(X, Y)
    assert area == pytest.approx(np.sum(curve / k) / np.sum(1 / k))
    points = r_nx_auc(X, Y, per_point=True)
    assert points.shape == (70,)
    assert points.mean() == pytest.approx(area)
    whole = [set(range(70)) - {i} for i in range(70)]
    own = [(69 * len(nearest(X, j)[3] & nearest(Y, j)[3] & whole[3]) / j - j) / (69 - j) for j in k]
    assert points[3] == pytest.approx(np.sum(own / k) / np.sum(1 / k))


def test_r_nx_of_a_perfect_a_random_and_a_collapsed_map(rng):
    X = rng.standard_normal((300, 2))
    assert np.allclose(r_nx(X, 3 * X + 1), 1)
    assert r_nx_auc(X, X) == pytest.approx(1)
    assert abs(r_nx_auc(X, rng.standard_normal((300, 2)))) < 0.03
    assert abs(r_nx_auc(X, np.zeros((300, 2)))) < 0.1


# -- precision and recall --------------------------------------------------------------------------


def test_precision_and_recall_are_scikit_learn_s(maps):
    X, Y = maps
    n, k = 70, 8
    curve = precision_recall(X, Y, k, per_point=True)
    assert curve.precision.shape == curve.recall.shape == (n, n - 1)
    relevant = nearest(X, k)
    for r in (1, 5, 8, 30, 69):
        found = nearest(Y, r)
        for i in (0, 20, 69):
            truth = np.isin(np.arange(n), list(relevant[i]))
            said = np.isin(np.arange(n), list(found[i]))
            assert curve.precision[i, r - 1] == pytest.approx(precision_score(truth, said))
            assert curve.recall[i, r - 1] == pytest.approx(recall_score(truth, said))
    mean = precision_recall(X, Y, k)
    assert np.allclose(mean.precision, curve.precision.mean(axis=0))
    assert np.allclose(mean.recall, curve.recall.mean(axis=0))
    assert mean.precision[k - 1] == pytest.approx(measures.neighbor_preservation(X, Y, k))
    assert mean.recall[-1] == 1


def test_neighbors_that_are_known_need_no_data(maps):
    X, Y = maps
    known = measures.nearest_neighbors(X, 12)
    expected = precision_recall(X, Y, 8)
    found = precision_recall(None, Y, 8, neighbors=known)
    assert np.array_equal(found.precision, expected.precision)
    perfect = precision_recall(X, X, 8)
    assert np.allclose(perfect.precision[:8], 1)
    assert np.allclose(perfect.recall[7:], 1)


# -- smoothed --------------------------------------------------------------------------------------


def plain_errors(X, Y, perplexity, width):
    given = perplexity_affinities(X, perplexity, dtype=np.float64)
    w = given.beta / np.exp(np.log(given.beta).mean()) if width == "point" else np.ones(len(X))
    Q = np.exp(-w[:, None] * cdist(Y, Y, "sqeuclidean"))
    np.fill_diagonal(Q, 0)
    Q /= Q.sum(axis=1, keepdims=True)
    return rel_entr(given.P, Q).sum(axis=1), rel_entr(Q, given.P).sum(axis=1)


@pytest.mark.parametrize("width", ["point", "uniform"])
def test_smoothed_errors_from_the_definition(maps, width):
    X, Y = maps
    missed, false = plain_errors(X, Y, 12, width)
    found = smoothed_errors(X, Y, 12, width=width, per_point=True)
    assert np.allclose(found.recall, missed, rtol=1e-6)
    assert np.allclose(found.precision, false, rtol=1e-6)
    total = smoothed_errors(X, Y, 12, width=width)
    assert total == pytest.approx((missed.sum(), false.sum()), rel=1e-6)


def test_the_smoothed_error_of_recall_is_the_cost_of_sne(maps):
    X, Y = maps
    P = perplexity_affinities(X, 9, dtype=np.float64)
    assert smoothed_errors(X, Y, 9, width="uniform").recall == pytest.approx(SNE(P).cost(Y))


def test_far_pairs_count_although_their_p_underflows(rng):
    X = np.vstack([rng.standard_normal((20, 2)), rng.standard_normal((20, 2)) + 1e4])
    Y = rng.standard_normal((40, 2))
    found = smoothed_errors(X, Y, 5)
    assert np.isfinite(found).all()
    # A map that mixes the two shows neighbors that are millions of widths away.
    assert found.precision > 1e6 > found.recall


# -- all of them -----------------------------------------------------------------------------------


def test_blocks_and_other_inputs_change_nothing(maps, monkeypatch):
    X, Y = maps
    asked = [r_nx, r_nx_auc, precision_recall, smoothed_errors]
    expected = [measure(X, Y) for measure in asked]
    D = cdist(X, X)
    for measure, value in zip(asked, expected):
        assert np.allclose(measure(D, Y, metric="precomputed"), value)
        assert np.allclose(measure(sparse.csr_array(X), Y), value)
        assert not np.allclose(measure(X, Y, metric="chebyshev"), value)
    monkeypatch.setattr(distances, "PAIRS", 70 * 32)
    assert len(list(rooms.Distances(X, "euclidean").blocks())) == 3
    for measure, value in zip(asked, expected):
        assert np.allclose(measure(X, Y), value)


@pytest.mark.parametrize("measure", [r_nx, r_nx_auc, precision_recall, smoothed_errors])
def test_bad_input(measure, maps):
    X, Y = maps
    with pytest.raises(ValueError, match="Y must have a row for each of the 70 points of X"):
        measure(X, Y[:9])
    with pytest.raises(ValueError, match="X must be finite"):
        measure(np.full((70, 2), np.nan), Y)
    with pytest.raises(ValueError, match="Y must be finite"):
        measure(X, np.full((70, 2), np.inf))
    with pytest.raises(ValueError, match="metric must be one of"):
        measure(X, Y, metric="near")


def test_bad_numbers(maps):
    X, Y = maps
    with pytest.raises(ValueError, match="X must have at least 3 points"):
        r_nx(X[:2], Y[:2])
    with pytest.raises(ValueError, match=r"k must be in \[1, 69\]"):
        precision_recall(X, Y, 70)
    known = measures.nearest_neighbors(X, 3)
    with pytest.raises(ValueError, match=r"k must be in \[1, 69\]"):
        precision_recall(None, Y, 70, neighbors=known)
    with pytest.raises(ValueError, match=r"neighbors must have shape \(70, 5\)"):
        precision_recall(None, Y, 5, neighbors=known)
    with pytest.raises(ValueError, match="perplexity must be in"):
        smoothed_errors(X, Y, 70)
    with pytest.raises(ValueError, match="width must be one of"):
        smoothed_errors(X, Y, width="wide")
