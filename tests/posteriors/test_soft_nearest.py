"""The soft nearest-neighbor classifier: against appendix D, example by example."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.utils.estimator_checks import check_estimator

from nbembed.posteriors import SoftNearestNeighbor

EXPECTED = {
    "check_classifiers_classes": "−1 is no class here but stands for unlabeled, as in "
    "scikit-learn's semi-supervised classifiers; the check uses it as one"
}


def test_scikit_learn():
    check_estimator(SoftNearestNeighbor(), expected_failed_checks=EXPECTED, on_skip=None)


@pytest.fixture
def data(rng):
    X = rng.standard_normal((40, 3)) @ rng.standard_normal((3, 3))
    y = np.full(40, -1)
    y[:12] = np.repeat([0, 1, 2], [6, 4, 2])
    return X, y


@pytest.mark.parametrize("prior", [None, "empirical", [0.2, 0.3, 0.5]])
def test_it_is_equation_nineteen(data, prior):
    X, y = data
    found = SoftNearestNeighbor(class_prior=prior).fit(X, y).predict_proba(X)
    inverse = np.linalg.inv(np.cov(X.T, bias=True))
    shares = {None: [1, 1, 1], "empirical": [6, 4, 2]}.get(prior if prior != [0.2, 0.3, 0.5] else 0)
    shares = [0.2, 0.3, 0.5] if shares is None else shares
    expected = np.empty((40, 3))
    for n in range(40):
        for k in range(3):
            away = X[n] - X[y == k]
            kernels = np.exp(-0.5 * np.einsum("ma,ab,mb->m", away, inverse, away))
            expected[n, k] = shares[k] * kernels.mean()
    expected /= expected.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(found, expected, atol=1e-10)


def test_unlabeled_points_count_in_the_covariance_alone(data):
    X, y = data
    fitted = SoftNearestNeighbor().fit(X, y)
    assert fitted.classes_.tolist() == [0, 1, 2]
    assert fitted.examples_.shape == (12, 3)
    alone = SoftNearestNeighbor().fit(X[:12], y[:12])
    assert np.abs(alone.predict_proba(X) - fitted.predict_proba(X)).max() > 0.01


def test_directions_without_variance_say_nothing(data, rng):
    X, y = data
    wide = np.column_stack([X, np.full(40, 3.0), X[:, 0]])
    fitted = SoftNearestNeighbor().fit(wide, y)
    assert fitted.examples_.shape == (12, 3)
    np.testing.assert_allclose(
        fitted.predict_proba(wide), SoftNearestNeighbor().fit(X, y).predict_proba(X), atol=1e-8
    )


def test_weights(data):
    X, y = data
    weights = np.ones(40)
    weights[0] = 0
    fitted = SoftNearestNeighbor().fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(
        fitted.predict_proba(X), SoftNearestNeighbor().fit(X[1:], y[1:]).predict_proba(X)
    )
    doubled = SoftNearestNeighbor().fit(X, y, sample_weight=1 + (y == 0))
    twice = SoftNearestNeighbor().fit(np.vstack([X, X[:6]]), np.append(y, y[:6]))
    np.testing.assert_allclose(doubled.predict_proba(X), twice.predict_proba(X))


def test_far_points_underflow_nowhere(data):
    X, y = data
    logs = SoftNearestNeighbor().fit(X, y).predict_log_proba(1e4 * X)
    assert np.isfinite(logs).all()
    np.testing.assert_allclose(np.exp(logs).sum(axis=1), 1)


def test_digits_from_ten_labels_a_class():
    X, y = load_digits(return_X_y=True)
    rng = np.random.default_rng(0)
    known = np.full(y.size, -1)
    for c in range(10):
        known[rng.permutation(np.flatnonzero(y == c))[:10]] = c
    rest = known < 0
    right = SoftNearestNeighbor(shrinkage=0.5).fit(X, known).predict(X)[rest] == y[rest]
    assert right.mean() > 0.85


@pytest.mark.parametrize(
    ("keywords", "says"),
    [
        ({"shrinkage": -0.1}, "shrinkage"),
        ({"shrinkage": 1.5}, "shrinkage"),
        ({"class_prior": "flat"}, "class_prior"),
        ({"class_prior": [1.0]}, "class_prior"),
    ],
)
def test_bad_arguments(data, keywords, says):
    with pytest.raises(ValueError, match=says):
        SoftNearestNeighbor(**keywords).fit(*data)


def test_nothing_labeled(data):
    with pytest.raises(ValueError, match="y must label"):
        SoftNearestNeighbor().fit(data[0], np.full(40, -1))
