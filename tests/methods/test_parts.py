"""The small parts that methods are assembled from."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import pairwise_distances

from nbembed.methods.initialization import SMALL, best_scale, fitted_to, padded, pca_layout
from nbembed.methods.mbed.class_directions import bind, fitted_columns, turn
from nbembed.methods.principal_components import FIXED_SEED
from nbembed.methods.progress import as_callbacks
from nbembed.methods.settings import as_generator
from nbembed.objectives import circle, simplex
from nbembed.supervision import Supervision
from nbembed.supervision.classes import class_values

# -- starts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(60, 5), (40, 200), (700, 650)])
def test_pca_of_dense_and_sparse_data_and_of_distances_agree(shape, rng):
    X = rng.standard_normal(shape) * np.geomspace(5, 0.1, shape[1])
    expected = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    axes = expected[0][:, :2] * expected[1][:2]
    for given, metric in (
        (X, "euclidean"),
        (sparse.csr_array(X), "euclidean"),
        (pairwise_distances(X), "precomputed"),
    ):
        Y = pca_layout(given, 2, metric, np.random.default_rng(0))
        assert Y[:, 0].std() == pytest.approx(SMALL, rel=0.02)
        for k in range(2):
            assert abs(np.corrcoef(Y[:, k], axes[:, k])[0, 1]) > 0.995


def test_pca_fills_up_with_noise(rng):
    line = pca_layout(np.arange(30.0)[:, None], 3, "euclidean", rng)
    assert line.shape == (30, 3)
    assert line[:, 0].std() == pytest.approx(SMALL, rel=0.05)
    assert (line[:, 1:].std(axis=0) > 0).all()
    heap = pca_layout(np.full((30, 4), 0.1), 2, "euclidean", rng)
    assert (heap.std(axis=0) > 0.5 * SMALL).all()


def test_duplicates_start_apart(rng):
    Y = pca_layout(np.repeat(rng.standard_normal((5, 3)), 4, axis=0), 2, "euclidean", rng)
    assert len(np.unique(Y, axis=0)) == 20


def test_asymmetric_dissimilarities(rng):
    D = np.abs(rng.standard_normal((30, 30)))
    np.fill_diagonal(D, 0)
    assert np.isfinite(pca_layout(D, 2, "precomputed", rng)).all()


def test_best_scale_finds_the_minimum(rng):
    Y = rng.standard_normal((50, 2))
    for best in (0.02, 1.0, 70.0):
        found = best_scale(lambda Z, b=best: (np.log(Z.std()) - np.log(b)) ** 2, Y)
        assert found * Y.std() == pytest.approx(best, rel=0.05)
    assert best_scale(lambda Z: 0.0, np.zeros((5, 2))) == 1.0


def test_fitting_and_padding_dimensions(rng):
    Y = rng.standard_normal((40, 3)) * [1.0, 10.0, 5.0] + 3
    flat = fitted_to(Y, 2)
    assert flat.shape == (40, 2)
    assert np.allclose(flat.mean(axis=0), 0)
    assert flat[:, 0].std() > flat[:, 1].std() > 2
    wide = padded(fitted_to(Y, 3), 5, 0.1, rng)
    assert np.allclose(wide[:, :3], Y - Y.mean(axis=0))
    assert wide[:, 3:].std() == pytest.approx(0.1, rel=0.3)


# -- directions ------------------------------------------------------------------------------------


def test_labels_take_the_directions_that_their_points_favour(rng):
    W = simplex(4)
    Y = np.vstack([3 * W[k] + 0.1 * rng.standard_normal((10, 4)) for k in (2, 0, 3, 1)])
    told = Supervision(40)
    for c, k in enumerate("abcd"):
        told = told.label(np.arange(10 * c, 10 * c + 3), k)
    assert np.array_equal(bind(W, (), Y, told), W[[2, 0, 3, 1]])


def test_two_classes_that_want_one_direction_share_what_there_is(rng):
    W = simplex(3)
    Y = np.vstack([3 * W[1] + 0.1 * rng.standard_normal((20, 3)), np.zeros((20, 3))])
    Y[10:20] += 0.5 * W[2]
    told = Supervision(40).label([0, 1], "a").label([10, 11], "b")
    assert np.array_equal(bind(W, (), Y, told), W[[1, 2, 0]])


def test_bound_classes_stay_and_named_ones_move_only_when_taken():
    W = simplex(3)
    Y = np.tile(4 * W[0], (6, 1))
    told = Supervision(6, ["a", "b", "c"]).label([0], "a").label([1], "b")
    # a is bound to 0; b would like 0 too and gets the better of what is free.
    found = bind(W, (0,), Y, told)
    assert np.array_equal(found[0], W[0])
    told = Supervision(6, ["a", "b", "c"]).label([0], "c")
    assert np.array_equal(bind(W, (), Y, told), W[[2, 1, 0]])


def test_a_circle_turns_towards_its_labels(rng):
    W = circle(5)
    angle = 0.3
    rotation = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]])
    places = (W @ rotation)[[3, 0, 1]]
    turned = turn(W, 7 * places, (0, 1, 2), plane=True)
    assert np.allclose(turned[:3], places, atol=1e-6)
    inner = np.sort(turned @ turned.T, axis=None)
    assert np.allclose(inner, np.sort(W @ W.T, axis=None))


def test_a_turned_set_stays_in_its_plane(rng):
    W = circle(3, 4)
    turned = turn(W, rng.standard_normal((2, 4)), (0, 2), plane=True)
    assert np.allclose(turned[:, 2:], 0)
    assert np.allclose(np.linalg.norm(turned, axis=1), 1)
    assert np.array_equal(turn(W, np.empty((0, 4)), (), plane=True), W)


def test_columns_are_cut_or_padded():
    assert fitted_columns(np.ones((2, 3)), 2).tolist() == [[1, 1], [1, 1]]
    assert fitted_columns(np.ones((1, 1)), 3).tolist() == [[1, 0, 0]]


# -- classes, seeds, callbacks ---------------------------------------------------------------------


def test_values_of_classes():
    assert class_values(Supervision(3), 2, None).tolist() == [0, 1]
    named = Supervision(3, ["x", "cluster 1"])
    assert class_values(named, 4, None).tolist() == ["x", "cluster 1", "cluster 2", "cluster 3"]
    told = Supervision(3).label([2], "5")
    assert class_values(told, 3, np.array([-1, -1, 5])).tolist() == [5, 0, 1]
    assert class_values(told, 2, [None, None, 5.0]).tolist() == [5, 0]


def test_generators():
    assert as_generator(3).integers(1000) == as_generator(3).integers(1000)
    rng = np.random.default_rng(3)
    assert as_generator(rng) is rng
    old = [as_generator(np.random.RandomState(3)).integers(10**9) for _ in range(2)]
    assert old[0] == old[1]
    assert as_generator(None).integers(10**9) != as_generator(None).integers(10**9)


def test_callbacks_one_or_many():
    assert as_callbacks(None) == ()
    assert as_callbacks(print) == (print,)
    assert as_callbacks([print, len]) == (print, len)


@pytest.mark.skipif(not FIXED_SEED, reason="ARPACK cannot be seeded before SciPy 1.17")
@pytest.mark.parametrize("metric", ["euclidean", "precomputed"])
def test_a_start_of_fewer_directions_than_axes_is_the_same_each_time(metric):
    """ARPACK has no direction left to go on in, and draws one."""
    side = np.where(np.arange(700) < 350, 1.0, -1.0)
    X = np.zeros((700, 900))
    X[:, 0] = side
    if metric == "precomputed":
        X = np.abs(side[:, None] - side)
    starts = {pca_layout(X, 3, metric, np.random.default_rng(0)).tobytes() for _ in range(4)}
    assert len(starts) == 1
