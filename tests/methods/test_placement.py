"""New points on fitted maps."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize
from sklearn.datasets import load_digits
from sklearn.exceptions import NotFittedError
from sklearn.metrics import pairwise_distances
from sklearn.neighbors import KNeighborsClassifier

from nbembed.learning_metric import LearningMetric
from nbembed.methods import HSSNE, SNE, Mbed, NeRV
from nbembed.methods.placement import TETHER, FittedData, RowCost, Rows, first_places, place
from nbembed.supervision import Supervision
from tests.methods.helpers import quick

KINDS = [
    pytest.param(HSSNE, {"alpha": 1.0}, id="t-SNE"),
    pytest.param(HSSNE, {"alpha": 0.0}, id="SSNE"),
    pytest.param(HSSNE, {"alpha": 1.7}, id="alpha 1.7"),
    pytest.param(SNE, {}, id="SNE"),
    pytest.param(NeRV, {"tradeoff": 0.1}, id="NeRV"),
    pytest.param(NeRV, {"tradeoff": 0.9, "map_width": "uniform"}, id="NeRV uniform"),
    pytest.param(NeRV, {"tradeoff": 0.3, "map_width": "uniform"}, id="NeRV uniform"),
    pytest.param(Mbed, {}, id="Mbed"),
    pytest.param(Mbed, {"affinity": "perplexity"}, id="Mbed perplexity"),
]


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    return X[:900] / 16, y[:900]


# -- rows ------------------------------------------------------------------------------------------


def test_rows_of_new_points(rng):
    X, new = rng.standard_normal((30, 4)), rng.standard_normal((3, 4))
    D2 = pairwise_distances(new, X) ** 2
    ((_, rows),) = FittedData(X, "euclidean").rows(new, sigma=1.5, logs=True)
    expected = np.exp(-D2 / (2 * 1.5**2))
    expected /= expected.sum(axis=1, keepdims=True)
    assert np.allclose(rows.P, expected)
    assert np.allclose(rows.log_P, np.log(expected))
    ((_, rows),) = FittedData(pairwise_distances(X), "precomputed").rows(
        np.sqrt(D2), perplexity=8.0, logs=True
    )
    perplexity = np.exp(-np.sum(rows.P * np.log(rows.P), axis=1))
    assert np.allclose(perplexity, 8.0, rtol=1e-3)
    assert np.allclose(np.exp(rows.log_P), rows.P, atol=1e-12)
    apart = rows.log_P[:, 0] - rows.log_P[:, 1]
    assert np.allclose(apart, -rows.beta * (D2[:, 0] - D2[:, 1]))


def test_logarithms_of_what_underflows(rng):
    X = np.vstack([rng.standard_normal((20, 2)), rng.standard_normal((5, 2)) + 1e4])
    ((_, rows),) = FittedData(X, "euclidean").rows(rng.standard_normal((2, 2)), sigma=1, logs=True)
    assert (rows.P[:, 20:] == 0).all()
    assert np.isfinite(rows.log_P).all()
    assert (rows.log_P[:, 20:] < -1e7).all()


def test_starts_are_mean_median_and_nearest(rng):
    Y = rng.standard_normal((9, 2))
    P = np.array([[0.3, 0.25, 0.2, 0.05, 0.05, 0.05, 0.04, 0.03, 0.03]])
    found = first_places(P, Y, RowCost(1.0))[0]
    assert np.allclose(found[0], P[0] @ Y)
    for k in range(2):
        below = P[0, Y[:, k] <= found[1, k]].sum(), P[0, Y[:, k] < found[1, k]].sum()
        assert below[0] >= 0.5 > below[1]
    assert np.array_equal(found[2:], Y[:3])
    assert first_places(P, Y, RowCost()).shape == (1, 1, 2)


def row_cost(y, p, Y):
    tau = np.sum((Y - y) ** 2, axis=1)
    return p @ tau + np.log(np.exp(-tau).sum()) + TETHER * np.sum((y - p @ Y) ** 2)


@pytest.mark.parametrize("d", [1, 2, 5])
def test_sne_s_places_are_the_only_ones(d, rng):
    Y = rng.standard_normal((40, d)) * 3 + 5
    P = rng.dirichlet(np.full(40, 0.1), 6)
    for y, p in zip(place(Rows(P, None, np.ones(6)), Y, RowCost()), P):
        best = minimize(row_cost, p @ Y, args=(p, Y), method="BFGS", options={"gtol": 1e-9})
        assert row_cost(y, p, Y) <= best.fun + 1e-9
        assert np.allclose(y, best.x, atol=1e-3)


def test_a_precision_of_its_own_makes_places_free_of_units(rng):
    Y = rng.standard_normal((30, 2)) * 2
    P = rng.dirichlet(np.full(30, 0.3), 4)
    beta = rng.uniform(0.5, 2, 4)
    own = RowCost(0.0, 0.4, None)
    small = place(Rows(P, np.log(P), beta), Y, own)
    large = place(Rows(P, np.log(P), beta / 100), 10 * Y, own)
    assert np.allclose(large, 10 * small, atol=1e-4)
    same = place(Rows(P, np.log(P), beta), Y, RowCost(0.0, 0.4, 1.0))
    assert not np.allclose(same, small, atol=1e-2)


# -- transform -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "parameters"), KINDS)
def test_any_subset_gives_the_same_places(kind, parameters, digits):
    X, _ = digits
    method = quick(kind, max_iter=150, **parameters).fit(X[:200])
    new = X[200:260]
    whole = method.transform(new)
    assert whole.shape == (60, method.embedding_.shape[1])
    assert whole.dtype == np.float32
    assert np.array_equal(method.transform(new[7:8]), whole[7:8])
    assert np.array_equal(method.transform(new[[50, 3, 3]]), whole[[50, 3, 3]])
    assert np.array_equal(method.transform(new), whole)
    assert np.array_equal(method.transform(X[:200]), method.embedding_)
    mixed = method.transform(np.vstack([X[150:152], new[5:6], X[3:4]]))
    assert np.array_equal(mixed[[0, 1, 3]], method.embedding_[[150, 151, 3]])
    assert np.array_equal(mixed[2], whole[5])
    other = method.set_params(n_jobs=2).transform(new)
    assert np.array_equal(other, whole)


@pytest.mark.parametrize(("kind", "parameters"), KINDS[:6])
def test_a_fitted_point_s_twin_lands_near_it(kind, parameters, digits):
    X, _ = digits
    method = kind(random_state=0, max_iter=400, **parameters).fit(X[:400])
    Y = method.embedding_
    twins = X[:150] * (1 + 1e-9)
    gap = np.linalg.norm(method.transform(twins) - Y[:150], axis=1)
    assert (gap > 0).mean() > 0.9, "each was placed, not looked up"
    apart = np.linalg.norm(Y[:150] - Y[200:350], axis=1)
    assert np.median(gap) < 0.1 * np.median(apart)


@pytest.mark.parametrize(("kind", "parameters"), KINDS)
def test_far_outliers_get_a_finite_place_beside_the_map(kind, parameters, digits):
    X, _ = digits
    method = quick(kind, max_iter=150, **parameters).fit(X[:200])
    for scale in (-1e3, 1e3, 1e8):
        places = method.transform(scale * X[200:205])
        assert np.isfinite(places).all()
        if getattr(method, "map_width", "") != "point":  # in units of that width
            # A row of one width that knows a single neighbor, on the rim, goes out some way.
            assert np.abs(places).max() < 4 * np.abs(method.embedding_).max() + 30


@pytest.mark.parametrize(("kind", "parameters"), KINDS[:6])
def test_held_out_digits_are_named_nearly_as_well_as_embedded_ones(kind, parameters, digits):
    X, y = digits
    method = kind(random_state=0, max_iter=400, **parameters)
    joint = method.fit_transform(X)

    def score(Y, Z):
        return KNeighborsClassifier(5).fit(Y, y[:600]).score(Z, y[600:])

    together = score(joint[:600], joint[600:])
    apart = score(method.fit_transform(X[:600]), method.transform(X[600:]))
    assert together > 0.8
    assert apart > together - 0.05


def test_other_inputs_give_the_same_places(digits):
    X, _ = digits
    X, new = X[:150], X[150:170]
    expected = quick(HSSNE).fit(X).transform(new)
    loose = quick(HSSNE).fit(sparse.csr_matrix(X))
    D, cross = pairwise_distances(X), pairwise_distances(new, X)
    given = quick(HSSNE, metric="precomputed", init=quick(HSSNE).fit(X).embedding_).fit(D)
    plain = quick(HSSNE, init=quick(HSSNE).fit(X).embedding_).fit(X)
    assert np.allclose(given.transform(cross), plain.transform(new), atol=0.2)
    assert np.array_equal(given.transform(D), given.embedding_)
    assert np.isfinite(loose.transform(sparse.csr_matrix(new))).all()
    city = quick(HSSNE, metric="cityblock").fit(X).transform(new)
    assert not np.allclose(city, expected)


def test_the_user_s_array_may_change_after_the_fit(digits):
    X = digits[0][:100].copy()
    for kind in (HSSNE, SNE, NeRV, Mbed):
        method = quick(kind).fit(X)
        expected = method.transform(digits[0][100:110])
        X *= 3
        assert np.array_equal(method.transform(digits[0][100:110]), expected)
        X /= 3


def test_labels_links_and_pins_do_not_enter(digits):
    X, _ = digits
    method = quick(HSSNE).fit(X[:100])
    init = method.embedding_
    told = Supervision(100).pin([1, 2, 3])
    held = quick(HSSNE, init=init, max_iter=1).fit(X[:100], supervision=told)
    held.embedding_ = init
    assert np.array_equal(held.transform(X[100:120]), method.transform(X[100:120]))


def test_a_learned_metric_places_points_that_have_no_label(digits):
    X, y = digits
    metric = LearningMetric(n_centroids=12, width=1.5, random_state=0)
    method = HSSNE(metric=metric, random_state=0, max_iter=200).fit(X[:300], y[:300])
    new = method.transform(X[300:400])
    assert KNeighborsClassifier(5).fit(method.embedding_, y[:300]).score(new, y[300:400]) > 0.7
    assert np.array_equal(method.transform(X[310:312]), new[10:12])


@pytest.mark.parametrize("kind", [HSSNE, SNE, NeRV, Mbed])
def test_what_cannot_be_placed(kind, digits):
    X, _ = digits
    with pytest.raises(NotFittedError):
        kind().transform(X)
    method = quick(kind).fit(X[:60])
    with pytest.raises(ValueError, match="X"):
        method.transform(X[:3, :5])
    with pytest.raises(ValueError, match="X must be a finite matrix"):
        method.transform(np.full((2, 64), np.nan))
    given = quick(kind, metric="precomputed").fit(pairwise_distances(X[:60]))
    with pytest.raises(ValueError, match="X must be non-negative"):
        given.transform(-np.ones((2, 60)))
