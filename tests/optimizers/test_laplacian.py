"""The Laplacian's inverse against a dense solution."""

from __future__ import annotations

import numpy as np
import pytest

from nbembed.objectives import HeavyTailed, Pinned
from nbembed.optimizers import laplacian
from nbembed.optimizers.laplacian import RIDGE, LaplacianInverse, laplacian_inverse


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


def test_no_inverse_for_too_many_points_or_without_attractions(clusters, rng, bare, monkeypatch):
    Y = rng.normal(size=(60, 2))
    assert laplacian_inverse(bare, rng.normal(size=(12, 2))) is None
    assert laplacian_inverse(HeavyTailed(clusters), Y) is not None
    assert laplacian_inverse(HeavyTailed(clusters), np.full((60, 2), np.nan)) is None
    monkeypatch.setattr(laplacian, "MOST_POINTS", 59)
    assert laplacian_inverse(HeavyTailed(clusters), Y) is None


@pytest.mark.parametrize("alpha", [1.0, 2.0])
def test_the_same_layout_gives_the_same_bits(clusters, rng, alpha):
    Y, gradient = rng.normal(size=(60, 2)), rng.normal(size=(60, 2))
    objective = HeavyTailed(clusters, alpha)
    first = laplacian_inverse(objective, Y)(gradient)
    assert laplacian_inverse(objective, Y)(gradient).tobytes() == first.tobytes()
