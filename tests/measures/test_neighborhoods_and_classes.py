"""Measures: each against scikit-learn or a second formula."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn.datasets import load_iris
from sklearn.manifold import trustworthiness as their_trustworthiness
from sklearn.metrics import rand_score
from sklearn.model_selection import LeaveOneOut, cross_val_score
from sklearn.neighbors import KNeighborsClassifier

from nbembed import measures


@pytest.fixture
def map_of_iris(rng):
    X, y = load_iris(return_X_y=True)
    X = X + rng.normal(0, 1e-4, X.shape)  # no ties: formulas may break them differently
    return X, X[:, 1:3] + rng.normal(0, 0.2, (150, 2)), y


@pytest.mark.parametrize("k", [1, 5])
def test_neighbors_are_those_of_all_distances(map_of_iris, k):
    X, Y, _ = map_of_iris
    for points in (X, Y):
        d = cdist(points, points)
        np.fill_diagonal(d, np.inf)
        expected = np.argsort(d, axis=1)[:, :k]
        np.testing.assert_array_equal(measures.nearest_neighbors(points, k), expected)
        np.testing.assert_array_equal(
            measures.nearest_neighbors(d.clip(max=9), k, "precomputed"), expected
        )


def test_neighbors_of_duplicates_never_include_the_point_itself():
    index = measures.nearest_neighbors(np.zeros((9, 2)), 3)
    assert index.shape == (9, 3)
    assert (index != np.arange(9)[:, None]).all()


@pytest.mark.parametrize("k", [1, 5])
def test_knn_error_agrees_with_scikit_learn(map_of_iris, k):
    _, Y, y = map_of_iris
    scores = cross_val_score(KNeighborsClassifier(k), Y, y, cv=LeaveOneOut())
    assert measures.knn_error(Y, y, k) == pytest.approx(1 - scores.mean())
    if k == 1:
        assert measures.homogeneity(Y, y) == pytest.approx(scores.mean())


@pytest.mark.parametrize("k", [1, 7, 30])
def test_trustworthiness_and_continuity(map_of_iris, k):
    X, Y, _ = map_of_iris
    theirs = their_trustworthiness(X, Y, n_neighbors=k)
    assert measures.trustworthiness(X, Y, k) == pytest.approx(theirs)
    assert measures.continuity(X, Y, k) == pytest.approx(their_trustworthiness(Y, X, n_neighbors=k))


@pytest.mark.parametrize("k", [1, 4])
def test_neighbor_preservation_counts_common_neighbors(map_of_iris, k):
    X, Y, _ = map_of_iris
    a, b = measures.nearest_neighbors(X, k), measures.nearest_neighbors(Y, k)
    expected = np.mean([len(set(p) & set(q)) / k for p, q in zip(a, b, strict=True)])
    assert measures.neighbor_preservation(X, Y, k) == pytest.approx(expected)
    more = measures.nearest_neighbors(X, k + 2)
    for neighbors in (a, more):
        found = measures.neighbor_preservation(None, Y, k, neighbors=neighbors)
        assert found == pytest.approx(expected)
    assert measures.neighbor_preservation(Y, Y, k) == 1


def test_per_point_forms_average_to_the_measure(map_of_iris):
    X, Y, y = map_of_iris
    for measure, arguments in [
        (measures.homogeneity, (Y, y)),
        (measures.knn_error, (Y, y, 3)),
        (measures.trustworthiness, (X, Y, 5)),
        (measures.continuity, (X, Y, 5)),
        (measures.neighbor_preservation, (X, Y, 5)),
    ]:
        points = measure(*arguments, per_point=True)
        assert points.shape == (150,)
        assert points.mean() == pytest.approx(measure(*arguments))


def test_inconsistent_pairs_by_counting(rng):
    a, b = rng.integers(0, 3, 40), rng.integers(0, 4, 40)
    pairs = [(a[i] == a[j]) != (b[i] == b[j]) for i in range(40) for j in range(i)]
    assert measures.inconsistent_pairs(a, b) == pytest.approx(np.mean(pairs))
    assert measures.inconsistent_pairs(a, b) == pytest.approx(1 - rand_score(a, b))


def test_the_trace_is_fishers_criterion_on_one_axis(rng):
    y = np.r_[np.zeros(30), np.ones(20)]
    Y = rng.normal(size=(50, 1)) + 3 * y[:, None]
    m0, m1, m = Y[:30].mean(), Y[30:].mean(), Y.mean()
    between = 0.6 * (m0 - m) ** 2 + 0.4 * (m1 - m) ** 2
    within = 0.6 * Y[:30].var() + 0.4 * Y[30:].var()
    assert measures.hotelling_lawley(Y, y) == pytest.approx(between / within)


def test_the_trace_by_inverse_and_in_flat_directions(rng):
    y = rng.integers(0, 3, 60)
    Y = rng.normal(size=(60, 3)) + y[:, None]
    mean = Y.mean(axis=0)
    B = sum(
        (y == k).mean() * np.outer(Y[y == k].mean(0) - mean, Y[y == k].mean(0) - mean)
        for k in range(3)
    )
    W = sum((y == k).mean() * np.cov(Y[y == k].T, bias=True) for k in range(3))
    expected = np.trace(B @ np.linalg.inv(W))
    assert measures.hotelling_lawley(Y, y) == pytest.approx(expected)
    flat = np.c_[Y, np.zeros(60)]
    assert measures.hotelling_lawley(flat, y) == pytest.approx(expected)
    assert measures.hotelling_lawley(np.c_[Y, y], y) == np.inf
    assert measures.hotelling_lawley(Y, np.zeros(60)) == pytest.approx(0)


@pytest.mark.parametrize("metric", ["cityblock", "cosine", "seuclidean"])
def test_data_may_have_any_metric(map_of_iris, metric):
    X, Y, _ = map_of_iris
    d = squareform(pdist(X, metric))
    index = measures.nearest_neighbors(X, 4, metric)
    np.testing.assert_array_equal(index, measures.nearest_neighbors(d, 4, "precomputed"))
    for measure in (measures.trustworthiness, measures.continuity, measures.neighbor_preservation):
        given = measure(d, Y, 4, metric="precomputed")
        assert measure(X, Y, 4, metric=metric) == pytest.approx(given)


def test_sparse_data_has_neighbors_too(map_of_iris):
    X, _, _ = map_of_iris
    expected = measures.nearest_neighbors(X, 3)
    np.testing.assert_array_equal(measures.nearest_neighbors(sparse.csr_array(X), 3), expected)


def test_many_dimensions_and_small_blocks(rng, monkeypatch):
    monkeypatch.setattr("nbembed.data.distances.PAIRS", 1)
    X, Y = rng.normal(size=(90, 40)) + 1e6, rng.normal(size=(90, 2))
    d = cdist(X, X)
    np.fill_diagonal(d, np.inf)
    np.testing.assert_array_equal(measures.nearest_neighbors(X, 3), np.argsort(d, axis=1)[:, :3])
    theirs = their_trustworthiness(X - 1e6, Y, n_neighbors=3)
    assert measures.trustworthiness(X, Y, 3) == pytest.approx(theirs)


def test_labels_may_be_names(rng):
    Y, y = rng.normal(size=(30, 2)), rng.integers(0, 3, 30)
    names = np.array(["one", "two", "three"])[y]
    assert measures.homogeneity(Y, names) == measures.homogeneity(Y, y)
    assert measures.hotelling_lawley(Y, names) == pytest.approx(measures.hotelling_lawley(Y, y))
    assert measures.inconsistent_pairs(names, y) == 0


def test_perfect_maps_are_perfect(rng):
    X = rng.normal(size=(40, 2))
    for measure in (measures.trustworthiness, measures.continuity, measures.neighbor_preservation):
        assert measure(X, 3 * X, 4) == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda Y: measures.homogeneity(Y, [0, 1]), "y must have one label for each of 6 points"),
        (lambda Y: measures.homogeneity(Y * np.nan, np.zeros(6)), "Y must be finite"),
        (lambda Y: measures.knn_error(Y[0], np.zeros(2)), "Y must have shape"),
        (lambda Y: measures.trustworthiness(Y, Y[:5], 2), "Y must have a row for each of the 6"),
        (lambda Y: measures.neighbor_preservation(Y, Y[:5]), "Y must have a row for each of the 6"),
        (lambda Y: measures.neighbor_preservation(None, Y), "X must be the data"),
        (
            lambda Y: measures.neighbor_preservation(None, Y, 2, neighbors=np.zeros((6, 1), int)),
            r"neighbors must have shape \(6, 2\)",
        ),
        (lambda Y: measures.inconsistent_pairs([0, 1], [0]), "b must have one label"),
        (lambda Y: measures.hotelling_lawley(Y, [0]), "labels must have one label"),
    ],
)
def test_bad_input_is_refused_by_name(rng, call, message):
    with pytest.raises(ValueError, match=message):
        call(rng.normal(size=(6, 2)))


def test_k_out_of_range_is_refused(rng):
    Y = rng.normal(size=(6, 2))
    with pytest.raises(ValueError, match=r"k must be in \[1, 5\]"):
        measures.nearest_neighbors(Y, 6)
    with pytest.raises(ValueError, match="below n_samples / 2"):
        measures.trustworthiness(Y, Y, 3)
