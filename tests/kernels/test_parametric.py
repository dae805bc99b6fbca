"""Objects of Parametric Embedding: against the definition, central differences and scipy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import softmax

from nbembed.kernels.parametric import CELLS, parametric
from nbembed.kernels.terms import NEVER
from tests.kernels import helpers

NONE = np.empty(0, np.intp)


def problem(rng: np.random.Generator, n: int, K: int, d: int, spread: float = 2.0) -> Any:
    """Return objects, centers, posteriors (some of them certain) and log priors."""
    proba = rng.dirichlet(np.full(K, 0.5), n)
    proba[0] = 0
    proba[0, -1] = 1
    proba[1] = 1 / K
    prior = rng.dirichlet(np.full(K, 5.0))
    objects, centers = spread * rng.normal(size=(n, d)), spread * rng.normal(size=(K, d))
    return objects, centers, proba, np.log(prior)


def formula(objects: Any, centers: Any, proba: Any, log_prior: Any, eta: float) -> float:
    """Return −Σ p log q + η Σ‖r‖² as equations (1), (2) and (6) have it."""
    distances = np.square(objects[:, None] - centers[None]).sum(axis=2)
    weights = np.exp(log_prior - 0.5 * distances)
    q = weights / weights.sum(axis=1, keepdims=True)
    return float(-(proba * np.log(q)).sum() + eta * np.square(objects).sum())


@pytest.mark.parametrize(("K", "d"), [(1, 1), (2, 1), (2, 2), (5, 2), (4, 3), (3, 7), (40, 2)])
def test_cost_and_gradients(rng: np.random.Generator, K: int, d: int) -> None:
    objects, centers, proba, log_prior = problem(rng, 7, K, d)
    terms = parametric(objects, centers, proba, log_prior, 0.3, False, NONE, 0.0, 1)
    expected = formula(objects, centers, proba, log_prior, 0.3)
    assert terms.cost == pytest.approx(expected, rel=1e-12)
    np.testing.assert_array_equal(terms.objects, objects)
    by_objects = helpers.central_differences(
        lambda R: formula(R, centers, proba, log_prior, 0.3), objects
    )
    assert helpers.error(terms.gradient, by_objects) < 1e-6
    by_centers = helpers.central_differences(
        lambda C: formula(objects, C, proba, log_prior, 0.3), centers
    )
    assert np.abs(terms.class_gradient - by_centers).max() < 1e-6 * max(1, np.abs(by_centers).max())


def hessian(function: Any, x: Any, step: float = 1e-4) -> Any:
    """Return second derivatives by central differences of central differences."""
    d = x.size
    found = np.empty((d, d))
    for a in range(d):
        for b in range(d):
            corners = 0.0
            for s in (1, -1):
                for t in (1, -1):
                    moved = x.copy()
                    moved[a] += s * step
                    moved[b] += t * step
                    corners += s * t * function(moved)
            found[a, b] = corners / (4 * step * step)
    return found


def test_one_newton_step_has_the_paper_s_hessian(rng: np.random.Generator) -> None:
    """Near the minimum a step of the kernel is −H⁻¹g with H by equation (5)."""
    objects, centers, proba, log_prior = problem(rng, 6, 4, 3)
    best = parametric(objects, centers, proba, log_prior, 0.2, True, NONE, 1e-10, 1).objects
    for n in range(6):

        def cost(r: Any, n: int = n) -> float:
            return formula(r[None], centers, proba[n : n + 1], log_prior, 0.2)

        q = np.exp(log_prior - 0.5 * np.square(best[n] - centers).sum(axis=1))
        q /= q.sum()
        away = centers - q @ centers
        stated = (away * q[:, None]).T @ away + 0.4 * np.eye(3)
        np.testing.assert_allclose(hessian(cost, best[n]), stated, atol=1e-5)
        found = parametric(
            best[n : n + 1], centers, proba[n : n + 1], log_prior, 0.2, False, NONE, 0.0, 1
        )
        assert found.curvature[0] >= np.linalg.eigvalsh(stated).max()


@pytest.mark.parametrize("eta", [0.01, 0.1, 3.0])
def test_every_object_finds_its_one_minimum(rng: np.random.Generator, eta: float) -> None:
    objects, centers, proba, log_prior = problem(rng, 8, 5, 2)
    best = parametric(objects, centers, proba, log_prior, eta, True, NONE, 1e-9, 1)
    assert best.unsolved == 0
    assert np.abs(best.gradient).max() <= 2 * eta * 1e-9 + 1e-12
    for n in range(8):
        found = minimize(
            lambda r, n=n: formula(r[None], centers, proba[n : n + 1], log_prior, eta),
            objects[n],
            method="BFGS",
            options={"gtol": 1e-8},
        )
        np.testing.assert_allclose(best.objects[n], found.x, atol=1e-5)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 30.0, 1e3, 1e6])
@pytest.mark.parametrize("spread", [0.5, 4.0, 20.0])
def test_from_wherever_it_begins(rng: np.random.Generator, scale: float, spread: float) -> None:
    """Undamped, most of these leave the range of numbers."""
    objects, centers, proba, log_prior = problem(rng, 300, 6, 2, spread)
    once = parametric(objects, centers, proba, log_prior, 0.1, True, NONE, 1e-9, 1)
    start = scale * rng.normal(size=objects.shape)
    again = parametric(start, centers, proba, log_prior, 0.1, True, NONE, 1e-9, 1)
    assert once.unsolved == again.unsolved == 0
    np.testing.assert_allclose(again.objects, once.objects, atol=1e-8)
    assert again.cost == pytest.approx(once.cost, rel=1e-12)


def test_undamped_steps_fail_where_these_do_not(rng: np.random.Generator) -> None:
    """Equation (7) as printed: the reason for the damping."""
    objects, centers, proba, log_prior = problem(rng, 200, 6, 2, 4.0)
    r = objects.copy()
    for _ in range(100):
        q = softmax(log_prior - 0.5 * np.square(r[:, None] - centers[None]).sum(axis=2), axis=1)
        gradient = q @ centers - proba @ centers + 0.2 * r
        away = centers[None] - (q @ centers)[:, None]
        H = np.einsum("nk,nka,nkb->nab", q, away, away) + 0.2 * np.eye(2)
        r = r - np.linalg.solve(H, gradient[:, :, None])[:, :, 0]
    lost = np.abs(gradient).max(axis=1) > 1e-3
    assert lost.any()
    solved = parametric(objects, centers, proba, log_prior, 0.1, True, NONE, 1e-9, 1)
    assert np.abs(solved.gradient).max() < 1e-8


@pytest.mark.parametrize("eta", [1e-3, 1e-6, 1e-9])
def test_next_to_no_regularizer(rng: np.random.Generator, eta: float) -> None:
    objects, centers, proba, log_prior = problem(rng, 200, 6, 2, 8.0)
    terms = parametric(objects, centers, proba, log_prior, eta, True, NONE, 1e-9, 1)
    assert terms.unsolved == 0
    assert np.isfinite(terms.objects).all()
    assert np.abs(terms.gradient).max() < 1e-8


def test_solved_and_held_objects_stay_to_the_bit(rng: np.random.Generator) -> None:
    objects, centers, proba, log_prior = problem(rng, 50, 4, 2)
    held = np.array([3, 17])
    once = parametric(objects, centers, proba, log_prior, 0.1, True, held, 1e-9, 1)
    np.testing.assert_array_equal(once.objects[held], objects[held])
    rest = np.setdiff1d(np.arange(50), held)
    assert (np.abs(once.objects - objects)[rest] > 1e-6).any(axis=1).all()
    twice = parametric(once.objects, centers, proba, log_prior, 0.1, True, held, 1e-9, 1)
    np.testing.assert_array_equal(twice.objects, once.objects)


def test_a_class_that_takes_no_part(rng: np.random.Generator) -> None:
    objects, centers, proba, _ = problem(rng, 20, 3, 2)
    log_prior = np.log(np.full(3, 1 / 3))
    without = parametric(objects, centers, proba, log_prior, 0.1, True, NONE, 1e-9, 1)
    more = parametric(
        objects,
        np.vstack([centers, [[0.1, 0.2]]]),
        np.column_stack([proba, np.zeros(20)]),
        np.append(log_prior, NEVER),
        0.1,
        True,
        NONE,
        1e-9,
        1,
    )
    np.testing.assert_allclose(more.objects, without.objects, atol=1e-8)
    assert more.cost == pytest.approx(without.cost, rel=1e-12)
    assert np.abs(more.class_gradient[3]).max() < 1e-300


def test_float32_and_threads(rng: np.random.Generator) -> None:
    n = 3 * CELLS // 4 + 37
    objects, centers, proba, log_prior = problem(rng, n, 4, 3)
    exact = parametric(objects, centers, proba, log_prior, 0.1, False, NONE, 0.0, 1)
    single = (objects.astype(np.float32), centers, proba.astype(np.float32), log_prior)
    first = parametric(*single, 0.1, False, NONE, 0.0, 1)
    assert first.gradient.dtype == np.float32
    assert helpers.error(first.gradient, exact.gradient) < 1e-4
    assert helpers.error(first.class_gradient, exact.class_gradient) < 1e-4
    assert first.cost == pytest.approx(exact.cost, rel=1e-6)
    for solve in (False, True):
        one = parametric(objects, centers, proba, log_prior, 0.1, solve, NONE, 1e-9, 1)
        two = parametric(objects, centers, proba, log_prior, 0.1, solve, NONE, 1e-9, 2)
        for value, expected in zip(two, one):
            np.testing.assert_array_equal(value, expected)
