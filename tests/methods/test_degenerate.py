"""Data and supervision at the edge of meaning: they work, and nothing is NaN."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from nbembed.methods import HSSNE, Mbed
from nbembed.supervision import Supervision
from tests.methods.helpers import quick


def fitted(kind, X, y=None, supervision=None, **parameters):
    with warnings.catch_warnings():
        # Coinciding points are warned of; that is tested where the warning is made.
        warnings.simplefilter("ignore", UserWarning)
        method = quick(kind, **parameters).fit(X, y, supervision)
    assert np.isfinite(method.embedding_).all()
    assert np.isfinite(method.cost_)
    assert np.abs(method.embedding_).max() < 1e4
    return method


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_few_points(kind, n):
    X = np.random.default_rng(0).standard_normal((n, 4))
    method = fitted(kind, X)
    assert method.embedding_.shape == (n, 2)


def test_three_points_labeled(kind):
    fitted(kind, np.random.default_rng(0).standard_normal((3, 4)), [0, 1, -1])


def test_duplicate_points(kind):
    X = np.repeat(np.random.default_rng(0).standard_normal((8, 3)), 5, axis=0)
    method = fitted(kind, X, max_iter=150)
    if kind is HSSNE:
        Y = method.embedding_.reshape(8, 5, 2)
        within = np.linalg.norm(Y - Y.mean(axis=1, keepdims=True), axis=2).mean()
        between = np.linalg.norm(Y.mean(axis=1) - Y.mean(axis=(0, 1)), axis=1).mean()
        assert within < between


def test_nothing_but_duplicates(kind):
    fitted(kind, np.ones((30, 3)))


def test_constant_features_and_fewer_features_than_dimensions(kind):
    X = np.ones((30, 5))
    X[:, 2] = np.arange(30)
    fitted(kind, X)
    fitted(kind, np.arange(30.0)[:, None])


def test_a_far_outlier(kind):
    X = np.random.default_rng(0).standard_normal((40, 3))
    X[7] = 1e6
    fitted(kind, X)


def test_data_far_from_the_origin_and_of_any_scale(kind):
    X = np.random.default_rng(0).standard_normal((40, 3))
    plain = fitted(kind, X)
    for other in (1e-8 * X, 1e8 * X, X + 1e6):
        assert fitted(kind, other).cost_ == pytest.approx(plain.cost_, rel=0.1)


def test_more_features_than_points(kind):
    fitted(kind, np.random.default_rng(0).standard_normal((12, 500)))


def test_one_class_only(kind, pair):
    X, _ = pair
    fitted(kind, X, np.zeros(80))
    labels = np.where(np.arange(80) < 4, 0, -1)
    fitted(kind, X, labels)
    if kind is Mbed:
        method = fitted(kind, X, labels, n_classes=None)
        assert method.classes_.tolist() == [0]
        assert (method.labels_ == 0).all()
        assert (method.membership_ == 1).all()


def test_all_points_labeled(kind, pair):
    X, y = pair
    method = fitted(kind, X, y)
    assert method.supervision_.labeled.size == 80
    if kind is Mbed:
        assert np.mean(method.labels_ == y) > 0.95


def test_every_point_its_own_class(kind):
    X = np.random.default_rng(0).standard_normal((6, 3))
    fitted(kind, X, np.arange(6), **({"n_classes": 6} if kind is Mbed else {}))


def test_soft_labels_in_rows(kind, pair):
    X, y = pair
    T = np.full((80, 2), np.nan)
    T[:10] = 0.5
    T[10:20] = np.where(y[10:20, None] == [0, 1], 0.8, 0.2)
    fitted(kind, X, T)


@pytest.mark.parametrize("rho", [0.0, 1.0])
def test_rho_at_its_ends(kind, pair, rho):
    X, y = pair
    told = Supervision(80).must_link([0, 1, 2]).cannot_link([3], [4, 5]).label([6, 7], "a")
    fitted(kind, X, supervision=told, rho=rho)
    fitted(kind, X, y, rho=rho)
