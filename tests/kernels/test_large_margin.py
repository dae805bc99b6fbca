"""The large margin of Mbed: against the definition and central differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nbembed.kernels.large_margin import POINTS, large_margin
from tests.kernels import helpers


def problem(rng: np.random.Generator, n: int, K: int, d: int) -> tuple[Any, Any, Any, Any]:
    """Return coordinates, directions, targets of every sort, and a prior."""
    targets = np.full((n, K), np.nan)
    targets[0] = rng.dirichlet(np.ones(K))  # soft
    targets[1] = 0
    targets[1, 0] = 1  # hard
    targets[2] = 1 / K  # says nothing
    return rng.normal(size=(d, n)), rng.normal(size=(K, d)), targets, rng.dirichlet(np.ones(K))


@pytest.mark.parametrize("balance", [0, 1])
@pytest.mark.parametrize(("K", "d"), [(2, 1), (2, 2), (3, 2), (4, 3), (5, 2), (5, 7)])
def test_values_and_gradient(rng: np.random.Generator, K: int, d: int, balance: int) -> None:
    Yt, directions, targets, prior = problem(rng, 9, K, d)
    for lam in (20.0, 0.7, 0.05):
        for weight in (1.0, 0.0, 3.5):
            terms = large_margin(Yt, directions, lam, targets, prior, balance, weight, 1)

            def cost(Yt: Any, lam: float = lam, weight: float = weight) -> float:
                given = prior if balance else None
                return float(helpers.margin(Yt, directions, lam, targets, given, weight)[0])

            expected = helpers.margin(
                Yt, directions, lam, targets, prior if balance else None, weight
            )
            for value, wanted in zip(
                (terms.cost, terms.margin, terms.balance, terms.labels, terms.membership), expected
            ):
                np.testing.assert_allclose(value, np.asarray(wanted, float), rtol=1e-11, atol=1e-13)
            numeric = helpers.central_differences(cost, Yt, 1e-5 * min(1, lam))
            assert helpers.error(terms.gradient, numeric) < 1e-6


def test_two_classes_are_the_logistic_function(rng: np.random.Generator) -> None:
    Yt = rng.normal(size=(1, 50))
    none = np.full((50, 2), np.nan)
    terms = large_margin(Yt, np.array([[1.0], [-1.0]]), 0.6, none, None, 0, 1.0, 1)
    np.testing.assert_allclose(terms.membership[:, 0], 1 / (1 + np.exp(-Yt[0] / 0.3)), rtol=1e-13)


@pytest.mark.parametrize("balance", [0, 1])
def test_hard_borders_stay_finite(rng: np.random.Generator, balance: int) -> None:
    Yt, directions, targets, prior = problem(rng, 20, 3, 2)
    directions[2] = -10 * directions[0] - 10 * directions[1]  # may end without a member
    for lam in (1e-3, 1e-6, 1e-12):
        terms = large_margin(Yt * 100, directions, lam, targets, prior, balance, 1.0, 1)
        assert np.isfinite(terms.gradient).all()
        assert np.isfinite([terms.cost, terms.margin, terms.balance, terms.labels]).all()
        np.testing.assert_allclose(terms.membership.sum(axis=1), 1)


def test_an_empty_class() -> None:
    Yt = np.full((1, 4), 5.0)
    directions = np.array([[1.0], [0.9], [-300.0]])
    none = np.full((4, 3), np.nan)
    terms = large_margin(Yt, directions, 0.1, none, np.ones(3) / 3, 1, 1.0, 1)
    assert terms.membership[0, 2] == 0
    m = terms.membership[0, :2]
    assert terms.balance == pytest.approx(-(m * np.log(3 * m)).sum())
    assert np.isfinite(terms.gradient).all()


def test_float32_and_threads(rng: np.random.Generator) -> None:
    n = 2 * POINTS + 37
    Yt, directions, targets, prior = problem(rng, n, 4, 3)
    targets[rng.random(n) < 0.2] = rng.dirichlet(np.ones(4))
    exact = large_margin(Yt, directions, 0.5, targets, prior, 1, 1.0, 1)
    first = large_margin(Yt.astype(np.float32), directions, 0.5, targets, prior, 1, 1.0, 1)
    assert first.gradient.dtype == np.float32
    assert first.gradient.shape == (3, n)
    assert helpers.error(first.gradient, exact.gradient) < 1e-5
    assert first.cost == pytest.approx(exact.cost, rel=1e-6)
    for value, expected in zip(
        large_margin(Yt.astype(np.float32), directions, 0.5, targets, prior, 1, 1.0, 2), first
    ):
        np.testing.assert_array_equal(value, expected)
