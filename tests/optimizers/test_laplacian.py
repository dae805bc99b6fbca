"""The Laplacian's inverse against a dense solution."""

from __future__ import annotations

import numpy as np
import pytest

from nbembed.objectives import HeavyTailed, Pinned
from nbembed.optimizers import laplacian
from nbembed.optimizers.laplacian import (
    MANY,
    RIDGE,
    SMOOTHEST,
    LaplacianInverse,
    LaplacianPolynomial,
    laplacian_inverse,
)


def dense(edges, n):
    L = np.zeros((n, n))
    for i, j, weight in zip(*edges):
        L[[i, j], [i, j]] += weight
        L[i, j] -= weight
        L[j, i] -= weight
    return L + RIDGE * np.diag(L).mean() * np.eye(n)


def test_it_solves_the_dense_system(clusters, rng):
    Y = rng.normal(size=(60, 2))
    objective = HeavyTailed(clusters, 1.5)
    gradient = rng.normal(size=(60, 2))
    found = laplacian_inverse(objective, Y)(gradient)
    expected = np.linalg.solve(dense(objective.attraction(Y), 60), gradient)
    np.testing.assert_allclose(found, expected, rtol=1e-8)


def test_held_points_give_and_get_nothing(clusters, rng):
    Y, held = rng.normal(size=(60, 2)), np.array([4, 30])
    plain = HeavyTailed(clusters)
    gradient = rng.normal(size=(60, 2))
    gradient[held] = 0
    found = laplacian_inverse(Pinned(plain, held), Y)(gradient)
    assert not found[held].any()
    free = np.setdiff1d(np.arange(60), held)
    matrix = dense(plain.attraction(Y), 60)[np.ix_(free, free)]
    np.testing.assert_allclose(found[free], np.linalg.solve(matrix, gradient[free]), rtol=1e-8)


def test_points_without_any_attraction_are_solved_for():
    none = np.zeros(0, np.int64)
    inverse = LaplacianInverse(none, none, np.zeros(0), 3)
    np.testing.assert_array_equal(inverse(np.ones((3, 2))), np.ones((3, 2)))


def test_no_inverse_without_attractions_or_out_of_range(clusters, rng, bare):
    assert laplacian_inverse(bare, rng.normal(size=(12, 2))) is None
    assert laplacian_inverse(HeavyTailed(clusters), np.full((60, 2), np.nan)) is None


def scaled(edges, n):
    """Return d^(−½) of the diagonal of B, and d^(−½) B d^(−½)."""
    B = dense(edges, n)
    scale = 1 / np.sqrt(np.diag(B))
    return scale, B * np.outer(scale, scale)


def test_of_many_points_the_inverse_is_a_polynomial(clusters, rng, monkeypatch):
    Y = rng.normal(size=(60, 2))
    objective = HeavyTailed(clusters, 1.5)
    monkeypatch.setattr(laplacian, "FACTORED_BELOW", 60)
    found = laplacian_inverse(objective, Y)(np.eye(60))
    assert isinstance(laplacian_inverse(objective, Y), LaplacianPolynomial)
    scale, A = scaled(objective.attraction(Y), 60)
    eigenvalues, vectors = np.linalg.eigh(A)
    p = vectors.T @ (found / np.outer(scale, scale)) @ vectors
    inverse = np.diag(p)
    np.testing.assert_allclose(p, np.diag(inverse), atol=1e-5 * inverse.max())
    # Well above the smoothest, positive and not too small below: what descends, descends.
    well = eigenvalues >= SMOOTHEST
    assert well.any()
    assert (~well).any()
    np.testing.assert_allclose(eigenvalues[well] * inverse[well], 1, atol=0.05)
    assert (inverse[~well] > 0.6 / SMOOTHEST).all()
    assert (inverse[~well] * eigenvalues[~well] < 1.05).all()


def test_the_polynomial_gives_held_points_nothing_and_knows_no_units(clusters, rng, monkeypatch):
    Y, held = rng.normal(size=(60, 2)), np.array([4, 30])
    monkeypatch.setattr(laplacian, "FACTORED_BELOW", 0)
    inverse = laplacian_inverse(Pinned(HeavyTailed(clusters), held), Y)
    gradient = rng.normal(size=(60, 2))
    gradient[held] = 0
    found = inverse(gradient)
    assert not found[held].any()
    np.testing.assert_allclose(inverse(1e-60 * gradient), 1e-60 * found, rtol=1e-4)
    assert not inverse(0 * gradient).any()
    none = np.zeros(0, np.int64)
    alone = LaplacianPolynomial(none, none, np.zeros(0), 3)
    np.testing.assert_allclose(alone(np.ones((3, 2))), np.ones((3, 2)), atol=0.05)


@pytest.mark.parametrize("n_components", [1, 2, 3, 5])
def test_many_points_in_any_order_on_any_threads_have_the_same_polynomial(rng, n_components):
    n = MANY  # several chunks of rows
    i = np.repeat(np.arange(n), 3)
    j = rng.integers(n, size=i.size)
    kept = i != j
    i, j, weights = i[kept], j[kept], rng.random(int(kept.sum()))
    gradient = rng.normal(size=(n, n_components))
    found = LaplacianPolynomial(i, j, weights, n, [5])(gradient)
    on_two = LaplacianPolynomial(i, j, weights, n, [5], n_threads=2)(gradient)
    assert on_two.tobytes() == found.tobytes()
    place = rng.permutation(n)
    elsewhere = np.empty_like(gradient)
    elsewhere[place] = gradient
    moved = LaplacianPolynomial(place[i], place[j], weights, n, [place[5]])(elsewhere)[place]
    np.testing.assert_allclose(moved, found, atol=1e-5 * np.abs(found).max())


@pytest.mark.parametrize("alpha", [1.0, 2.0])
def test_the_same_layout_gives_the_same_bits(clusters, rng, alpha):
    Y, gradient = rng.normal(size=(60, 2)), rng.normal(size=(60, 2))
    objective = HeavyTailed(clusters, alpha)
    first = laplacian_inverse(objective, Y)(gradient)
    assert laplacian_inverse(objective, Y)(gradient).tobytes() == first.tobytes()
