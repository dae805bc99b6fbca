"""Rows of costs of new points: against the definition, central differences and scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import logsumexp, rel_entr

from nbembed.kernels.codegen.compiling import read_only
from nbembed.kernels.placement import descend, evaluate

TETHER = 1e-3
FAMILIES = [
    pytest.param(0.0, 1.0, id="Gaussian"),
    pytest.param(0.3, 1.0, id="alpha 0.3"),
    pytest.param(1.0, 1.0, id="Student"),
    pytest.param(2.5, 1.0, id="alpha 2.5"),
    pytest.param(0.0, 0.1, id="retrieval 0.1"),
    pytest.param(0.0, 0.0, id="precision alone"),
    pytest.param(1.0, 0.5, id="heavy-tailed retrieval"),
]


def rows(rng, m=5, n=60, d=2):
    Y = 3 * rng.standard_normal((n, d))
    Y -= Y.mean(axis=0)
    # Neighbors of a hidden place, roughly: probabilities that no place could have send a point off.
    hidden = 2 * rng.standard_normal((m, 1, d))
    log_P = -np.sum((hidden - Y) ** 2, axis=2) / 4 - rng.gamma(2.0, 0.5, (m, n))
    log_P -= logsumexp(log_P, axis=1, keepdims=True)
    return Y, np.exp(log_P), log_P, rng.uniform(0.3, 2.0, m)


def definition(y, p, Y, alpha, w, tradeoff):
    """Return f from the definition: both divergences and the tether."""
    tau = w * np.sum((Y - y) ** 2, axis=1)
    e = np.log1p(alpha * tau) / alpha if alpha else tau
    q = np.exp(-e - logsumexp(-e))
    forth = rel_entr(p, q).sum() - np.sum(p * np.log(p))
    return tradeoff * forth + (1 - tradeoff) * rel_entr(q, p).sum() + TETHER * p @ e


def look(Y, P, log_P, w, alpha, tradeoff, places):
    costs, gradients = np.empty(len(P)), np.empty(places.shape)
    evaluate(
        read_only(Y.T), read_only(P), read_only(log_P), read_only(w),
        alpha, tradeoff, TETHER, places, costs, gradients,
    )  # fmt: skip
    return costs, gradients


@pytest.mark.parametrize(("alpha", "tradeoff"), FAMILIES)
@pytest.mark.parametrize("d", [1, 2, 4])
def test_the_cost_is_the_definition_and_the_gradient_its_derivative(alpha, tradeoff, d, rng):
    Y, P, log_P, w = rows(rng, d=d)
    places = 2 * rng.standard_normal((5, d))
    costs, gradients = look(Y, P, log_P, w, alpha, tradeoff, places)
    expected = [definition(places[i], P[i], Y, alpha, w[i], tradeoff) for i in range(5)]
    np.testing.assert_allclose(costs, expected, rtol=1e-12)
    step = 1e-5
    for k in range(d):
        aside = np.zeros_like(places)
        aside[:, k] = step
        up, _ = look(Y, P, log_P, w, alpha, tradeoff, places + aside)
        down, _ = look(Y, P, log_P, w, alpha, tradeoff, places - aside)
        error = (up - down) / (2 * step) - gradients[:, k]
        assert np.abs(error).max() < 1e-6 * np.abs(gradients).max()


@pytest.mark.parametrize(("alpha", "tradeoff"), FAMILIES)
@pytest.mark.parametrize("d", [1, 2, 5])
def test_places_are_minima_and_scipy_s_own(alpha, tradeoff, d, rng):
    Y, P, log_P, w = rows(rng, d=d)
    starts = np.stack([P @ Y, Y[P.argmax(axis=1)]], axis=1)
    places, costs = descend(Y.T, P, log_P, w, alpha, tradeoff, TETHER, starts, 3.0, 1)
    again, gradients = look(Y, P, log_P, w, alpha, tradeoff, places)
    np.testing.assert_allclose(again, costs, rtol=1e-12)
    assert np.abs(gradients).max() < 1e-5
    for i in range(5):
        ahead = [definition(start, P[i], Y, alpha, w[i], tradeoff) for start in starts[i]]
        assert costs[i] <= min(ahead)
        for aside in rng.standard_normal((20, d)):
            near = places[i] + 1e-2 * aside
            assert definition(near, P[i], Y, alpha, w[i], tradeoff) > costs[i]
        f = lambda y, i=i: definition(y, P[i], Y, alpha, w[i], tradeoff)  # noqa: E731
        best = minimize(f, starts[i][np.argmin(ahead)], method="BFGS", options={"gtol": 1e-8})
        # With several minima the two may end in different ones.
        if (tradeoff == 1 and alpha == 0) or np.linalg.norm(best.x - places[i]) < 0.5:
            assert costs[i] <= best.fun + 1e-9
            np.testing.assert_allclose(places[i], best.x, atol=1e-4)


def test_the_best_start_is_taken(rng):
    Y = np.vstack([rng.standard_normal((30, 2)) - 40, rng.standard_normal((30, 2)) + 40])
    P = np.full((1, 60), 0.01 / 30)
    P[0, 30:] = 0.99 / 30
    for starts in ([[-9, 9], [40, 40]], [[40, 40], [-9, 9]], [[-40, -40], [40, 40]]):
        given = np.array([starts], dtype=float)
        places, _ = descend(Y.T, P, None, np.ones(1), 1.0, 1.0, TETHER, given, 30.0, 1)
        assert np.linalg.norm(places[0] - 40) < 3


@pytest.mark.parametrize(("alpha", "tradeoff"), FAMILIES)
def test_any_start_and_any_row_end_at_a_finite_place(alpha, tradeoff, rng):
    Y, P, log_P, w = rows(rng, m=40)
    far = np.full((40, 1, 2), 1e6) * rng.standard_normal((40, 1, 2))
    places, costs = descend(Y.T, P, log_P, w, alpha, tradeoff, TETHER, far, 3.0, 1)
    assert np.isfinite(places).all()
    assert np.isfinite(costs).all()
    # All mass on one point of the rim: without the tether nothing would hold a Gaussian row.
    rim = np.full((1, 60), 1e-300)
    rim[0, np.argmax(Y[:, 0])] = 1
    places, _ = descend(
        Y.T, rim, np.log(rim), w[:1], alpha, tradeoff, TETHER, (rim @ Y)[:, None], 3.0, 1
    )
    assert np.abs(places).max() < 50


@pytest.mark.parametrize(("alpha", "tradeoff"), [(0.0, 1.0), (1.0, 1.0), (0.0, 0.3)])
def test_rows_know_nothing_of_each_other_nor_of_threads(alpha, tradeoff, rng):
    Y, P, log_P, w = rows(rng, m=75)
    starts = (P @ Y)[:, None]
    whole, _ = descend(Y.T, P, log_P, w, alpha, tradeoff, TETHER, starts, 3.0, 1)
    threads, _ = descend(Y.T, P, log_P, w, alpha, tradeoff, TETHER, starts, 3.0, 3)
    some = np.array([70, 3, 17])
    part, _ = descend(
        Y.T, P[some], log_P[some], w[some], alpha, tradeoff, TETHER, starts[some], 3.0, 1
    )
    assert np.array_equal(whole, threads)
    assert np.array_equal(part, whole[some])


def test_a_heap_and_nothing():
    heap = np.zeros((2, 5))
    places, _ = descend(
        heap, np.full((3, 5), 0.2), None, np.ones(3), 1.0, 1.0, TETHER, np.zeros((3, 1, 2)), 1.0, 1
    )
    assert np.array_equal(places, np.zeros((3, 2)))
    places, costs = descend(
        heap, np.empty((0, 5)), None, np.ones(0), 1.0, 1.0, TETHER, np.zeros((0, 1, 2)), 1.0, 1
    )
    assert places.shape == (0, 2)
    assert costs.shape == (0,)
