from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.spatial.distance import cdist, pdist, squareform
from sklearn.manifold import Isomap
from sklearn.neighbors import KNeighborsClassifier

from nbembed.baselines import SIsomap
from nbembed.baselines.graph import neighbor_graph
from nbembed.baselines.regression import WIDTHS, best_width, regress
from nbembed.baselines.sisomap import dissimilarity


def test_the_dissimilarity_is_the_papers_formula():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((12, 3)), np.array([0, 0, 0, 1, 1, 1, 2, 2, -1, -1, 0, 1])
    d = cdist(X, X)
    beta, alpha = d.sum() / (12 * 11), 0.3
    D = dissimilarity(d**2, y, alpha, beta)
    for i in range(12):
        for j in range(12):
            ratio = d[i, j] ** 2 / beta
            if i == j:
                expected = 0.0
            elif y[i] < 0 or y[j] < 0:
                expected = d[i, j] / math.sqrt(beta)
            elif y[i] == y[j]:
                expected = math.sqrt(1 - math.exp(-ratio))
            else:
                expected = math.sqrt(math.exp(ratio)) - alpha
            assert D[i, j] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("alpha", [0.0, 0.5, 0.57])
def test_a_pair_of_unknown_classes_lies_between(alpha):
    d2 = np.linspace(0, 50, 2001)[1:]
    pairs = np.array([[0, 0], [0, -1], [0, 1]])
    square = np.zeros((d2.size, 2, 2))
    square[:, 0, 1] = square[:, 1, 0] = d2
    same, unknown, apart = (
        np.array([dissimilarity(s, pair, alpha, 1.0)[0, 1] for s in square]) for pair in pairs
    )
    assert (same <= unknown).all()
    assert (unknown <= apart).all()


def test_far_pairs_overflow_to_infinity_and_not_to_nan():
    D = dissimilarity(np.array([[0.0, 1e6], [1e6, 0.0]]), np.array([0, 1]), 0.5, 1.0)
    assert D[0, 1] == np.inf
    assert D[0, 0] == 0


def test_a_graph_that_needs_such_an_edge_is_refused():
    X = np.array([[0.0], [1.0], [2.0], [2000.0], [2001.0], [2002.0]])
    with (
        pytest.raises(ValueError, match=r"scale must be larger, got .*or scale X down"),
        pytest.warns(UserWarning, match="n_neighbors"),
    ):
        SIsomap(1, n_neighbors=2, scale=1.0).fit(X, [0, 0, 0, 1, 1, 1])


def test_without_labels_it_is_isomap(blobs):
    X, _ = blobs
    ours = SIsomap(n_neighbors=20).fit(X)
    theirs = Isomap(n_neighbors=20).fit(X)
    expected = pdist(theirs.embedding_) / math.sqrt(ours.scale_)
    assert np.allclose(pdist(ours.embedding_), expected, rtol=1e-6)
    assert ours.scale_ == pytest.approx(pdist(X).mean())
    assert ours.n_pieces_ == 1


def test_with_one_class_it_is_isomap_of_a_monotone_transform(blobs):
    X, _ = blobs
    ours = SIsomap(n_neighbors=20).fit(X, np.zeros(60, dtype=int))
    d = squareform(pdist(X))
    D = np.sqrt(1 - np.exp(-(d**2) / ours.scale_))
    theirs = Isomap(n_neighbors=20, metric="precomputed").fit(D)
    assert np.allclose(pdist(ours.embedding_), pdist(theirs.embedding_), rtol=1e-6)


def test_labels_part_the_classes(blobs):
    """The same data with and without labels: within-class against between-class distances."""
    X, y = blobs

    def ratio(Y):
        D = squareform(pdist(Y))
        same = y[:, None] == y
        return D[~same].mean() / D[same & ~np.eye(60, dtype=bool)].mean()

    plain, known = (SIsomap(n_neighbors=12).fit_transform(X, labels) for labels in (None, y))
    assert ratio(known) > 1.4 * ratio(plain)


def test_pieces_are_joined_by_their_shortest_edges():
    x = np.array([0.0, 1.0, 2.0, 10.0, 11.0, 12.0, 30.0, 31.0])
    D = np.abs(x[:, None] - x)
    with pytest.warns(
        UserWarning, match="n_neighbors = 1 nearest neighbors has 3 connected components"
    ):
        graph, pieces = neighbor_graph(D, 1)
    assert pieces == 3
    dense = graph.toarray()
    assert np.array_equal(dense, dense.T)
    assert dense[2, 3]
    assert dense[5, 6]
    assert dense[2, 6]
    assert not dense[0, 3]
    assert dense.sum() == 2 * (2 + 2 + 1 + 3)


def test_duplicates_are_linked_at_no_length():
    """An edge of length zero is an edge: duplicates stand in one place."""
    X = np.repeat(np.arange(6.0)[:, None], 2, axis=0)
    Y = SIsomap(1, n_neighbors=3).fit(X).embedding_
    assert np.allclose(Y[::2], Y[1::2], atol=1e-9)
    assert np.allclose(np.abs(np.diff(Y[::2, 0])), np.abs(np.diff(Y[::2, 0]))[0], rtol=1e-6)


def test_axes_that_do_not_exist_are_zero():
    X = np.arange(10.0)[:, None] * [[1.0, 2.0]]
    with pytest.warns(UserWarning, match="span only 1 of n_components = 3 dimensions"):
        Y = SIsomap(3).fit(X).embedding_
    assert np.ptp(Y[:, 0]) > 0
    assert (Y[:, 1:] == 0).all()


def test_the_network_is_a_kernel_weighted_mean():
    rng = np.random.default_rng(1)
    d2, Y = rng.random((5, 8)) * 4, rng.standard_normal((8, 2))
    for i, place in enumerate(regress(d2, Y, 0.7)):
        weights = [math.exp(-d2[i, j] / (2 * 0.49)) for j in range(8)]
        assert place == pytest.approx(np.average(Y, axis=0, weights=weights))
    far = regress(np.array([[1e8, 1e8 + 1, 2e8]]), Y[:3], 1e-3)
    assert np.array_equal(far[0], Y[0]), "the nearest is heard where all weights underflow"


def test_the_width_is_the_best_of_those_tried(blobs):
    X, _ = blobs
    D2, Y = cdist(X, X, "sqeuclidean"), X[:, :2]
    unit = np.median(np.sort(np.sqrt(D2), axis=1)[:, 12])
    errors = []
    for width in WIDTHS * unit:
        out = [regress(np.delete(D2[[i]], i, 1), np.delete(Y, i, 0), width)[0] for i in range(60)]
        errors.append(np.sum((np.array(out) - Y) ** 2))
    assert best_width(D2, Y, 12) == pytest.approx(unit * WIDTHS[np.argmin(errors)])
    assert best_width(np.zeros((4, 4)), np.zeros((4, 2)), 2) == 1.0


def test_held_out_points_fall_to_their_class(wine):
    X, y = wine
    train = np.arange(178) % 3 > 0
    with pytest.warns(UserWarning, match="n_neighbors"):
        method = SIsomap(n_neighbors=20).fit(X[train], y[train])
    near = KNeighborsClassifier(5).fit(method.embedding_, y[train])
    assert near.score(method.transform(X[~train]), y[~train]) > 0.9


def test_given_width_and_scale_are_kept(blobs):
    X, y = blobs
    method = SIsomap(n_neighbors=30, scale=4, bandwidth=0.5).fit(X, y)
    assert (method.scale_, method.bandwidth_) == (4.0, 0.5)
