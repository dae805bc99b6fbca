"""The mixture of labeled Gaussians: gradient, start, fit, and what it says far away."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import logsumexp

from nbembed.learning_metric import mixture as module
from nbembed.learning_metric.mixture import Mixture, fit, k_means, loss, start


def problem(rng: Any, n: int = 40, D: int = 3, C: int = 4) -> tuple[Any, Any]:
    """Return points and rows of probabilities, some hard and some soft."""
    T = rng.dirichlet(np.ones(C), n)
    T[: n // 2] = np.eye(C)[rng.integers(C, size=n // 2)]
    return rng.normal(size=(n, D)), T


def plain_log_proba(mixture: Mixture, X: Any) -> Any:
    logs = -np.sum(np.square(X[:, None] - mixture.centroids), axis=2) / (2 * mixture.width**2)
    with np.errstate(divide="ignore"):
        joint = logsumexp(logs[:, None] + np.log(mixture.beta), axis=2)
    return joint - logsumexp(logs, axis=1)[:, None]


@pytest.mark.parametrize("K", [1, 3, 6])
@pytest.mark.parametrize("work", [1, 2**18], ids=["many blocks", "one block"])
def test_the_gradient_is_that_of_the_loss(rng, monkeypatch, K, work):
    monkeypatch.setattr(module, "WORK", work)
    X, T = problem(rng)
    theta = rng.normal(size=K * (3 + 4))
    value, gradient = loss(theta, X, T, K)
    numeric = np.empty_like(theta)
    for i in range(theta.size):
        step = np.zeros_like(theta)
        step[i] = 1e-5
        numeric[i] = (loss(theta + step, X, T, K)[0] - loss(theta - step, X, T, K)[0]) / 2e-5
    assert np.linalg.norm(gradient - numeric) < 1e-6 * np.linalg.norm(numeric)
    beta = np.exp(theta[3 * K :].reshape(4, K))
    same = Mixture(theta[: 3 * K].reshape(K, 3), beta / beta.sum(axis=0), 1.0)
    assert value == pytest.approx(-np.sum(T * plain_log_proba(same, X)) / len(X), rel=1e-12)


def test_probabilities_against_the_formula(rng):
    X, _ = problem(rng)
    mixture = Mixture(rng.normal(size=(5, 3)), rng.dirichlet(np.ones(4), 5).T, 0.7)
    logs = mixture.log_proba(X)
    np.testing.assert_allclose(logs, plain_log_proba(mixture, X), rtol=1e-11)
    np.testing.assert_allclose(np.exp(logs).sum(axis=1), 1)


def test_far_from_all_centroids_everything_is_finite(rng):
    far = rng.normal(size=(6, 3)) * 1e8
    mixture = Mixture(rng.normal(size=(5, 3)), np.eye(4)[:, [0, 1, 2, 3, 0]], 0.7)
    assert np.isfinite(mixture.log_proba(far)).all()
    assert np.isfinite(mixture.tensors(far)).all()
    np.testing.assert_allclose(mixture.weights(far).sum(axis=1), 1)


def test_the_metric_is_twice_the_divergence_to_second_order(rng):
    """The paper calls the two equivalent; there is a factor of two between them."""
    mixture = Mixture(rng.normal(size=(6, 3)), rng.dirichlet(np.ones(4), 6).T, 0.9)
    for x in rng.normal(size=(5, 3)):
        J = mixture.tensors(x[None])[0]
        np.testing.assert_allclose(J, J.T, rtol=1e-12, atol=1e-15)
        assert np.linalg.eigvalsh(J).min() > -1e-12
        errors = []
        for size in (1e-2, 1e-3):
            v = size * rng.normal(size=3)
            p, q = (np.exp(mixture.log_proba(z[None])[0]) for z in (x, x + v))
            errors.append(abs(v @ J @ v / (2 * np.sum(p * np.log(p / q))) - 1))
        assert errors[1] < 0.02
        assert errors[1] < errors[0]


def test_the_start_gives_each_class_its_share_of_centroids(rng):
    centers = np.array([[0.0, 0], [20, 0], [0, 20]])
    y = np.repeat([0, 1, 2], [60, 30, 10])
    X = centers[y] + rng.normal(size=(100, 2))
    T = np.eye(4)[y]  # nobody is of the fourth class
    own = np.argmin(
        np.linalg.norm(start(X, T, 10, rng).centroids[:, None] - centers, axis=2), axis=1
    )
    assert np.bincount(own).tolist() == [6, 3, 1]
    few = start(X, T, 2, rng)
    assert few.centroids.shape == (2, 2)
    np.testing.assert_allclose(few.frequencies, [0.6, 0.3, 0.1, 0])


def test_k_means_finds_separate_groups_and_survives_duplicates(rng):
    X = np.repeat([[0.0, 0], [9, 0], [0, 9]], 20, axis=0) + 0.1 * rng.normal(size=(60, 2))
    found = k_means(X, 3, rng)
    wanted = [X[:20].mean(0), X[20:40].mean(0), X[40:].mean(0)]
    for center in wanted:
        assert np.abs(found - center).sum(axis=1).min() < 1e-12
    assert np.array_equal(k_means(np.ones((5, 2)), 3, rng), np.ones((3, 2)))


def test_a_fit_gains_likelihood_and_finds_the_classes(rng):
    y = np.repeat([0, 1, 2], 30)
    X = np.array([[0.0, 0], [4, 0], [0, 4]])[y] + rng.normal(size=(90, 2))
    X -= X.mean(axis=0)
    T = np.eye(3)[y]
    begin = start(X, T, 3, rng)
    losses = [fit(X, T, begin, 1.5, steps)[1] for steps in (0, 3, 10, 40)]
    assert losses == sorted(losses, reverse=True)
    mixture, value = fit(X, T, begin, 1.5, 40)
    assert value == pytest.approx(-np.sum(T * mixture.log_proba(X)) / 90, rel=1e-9)
    assert (mixture.log_proba(X).argmax(axis=1) == y).mean() > 0.95
    np.testing.assert_allclose(mixture.beta.sum(axis=0), 1)
