"""Systems on a graph: the residual, points that are not free, threads, and where it stops."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.neighbors import kneighbors_graph

from nbembed.kernels.graph_factor import factorize
from nbembed.kernels.graph_solve import COLUMNS, solve_on_graph


def graph(n: int = 300, seed: int = 0) -> sparse.csr_array:
    """Return D^(−½) W D^(−½) of a ring with random chords."""
    rng = np.random.default_rng(seed)
    ring = np.arange(n), (np.arange(n) + 1) % n
    chords = rng.integers(0, n, (2, 2 * n))
    rows, columns = np.hstack([ring, chords[:, chords[0] != chords[1]]])
    W = sparse.csr_array((rng.random(rows.size) + 0.1, (rows, columns)), shape=(n, n))
    W = W + W.T
    root = sparse.diags_array(1 / np.sqrt(W.sum(axis=1)))
    S = sparse.csr_array(root @ W @ root)
    S.sort_indices()
    return S


def parts(S):
    return S.indptr, S.indices, S.data


@pytest.mark.parametrize("m", [1, 2, COLUMNS, COLUMNS + 3])
@pytest.mark.parametrize("scale", [0.5, 0.99, 1.0])
def test_the_equations_hold(rng, m, scale):
    S, n = graph(), 300
    free = rng.random(n) < 0.9
    B = rng.normal(size=(n, m))
    X, n_iter = solve_on_graph(parts(S), scale, free, B, 1e-13, 1000, 1)
    assert (X[~free] == 0).all()
    assert 0 < n_iter < 300
    residual = (B - X + scale * (S @ X))[free]
    assert np.abs(residual).max() < 1e-11


def test_the_bits_do_not_depend_on_the_number_of_threads(rng):
    S = graph()
    free, B = rng.random(300) < 0.9, rng.normal(size=(300, 11))
    one = solve_on_graph(parts(S), 0.99, free, B, 1e-10, 1000, 1)[0]
    for n_threads in (2, 3, 8):
        many = solve_on_graph(parts(S), 0.99, free, B, 1e-10, 1000, n_threads)[0]
        np.testing.assert_array_equal(one, many)


def test_it_says_that_it_was_not_enough(rng):
    B = rng.normal(size=(300, 2))
    free = np.ones(300, bool)
    assert solve_on_graph(parts(graph()), 0.99, free, B, 1e-10, 5, 1)[1] > 5


def test_nothing_to_solve():
    S, free = graph(), np.ones(300, bool)
    X, n_iter = solve_on_graph(parts(S), 0.99, free, np.zeros((300, 3)), 1e-10, 100, 1)
    assert n_iter == 0
    assert (X == 0).all()
    assert solve_on_graph(parts(S), 0.99, free, np.zeros((300, 0)), 1e-10, 100, 1)[0].shape == (
        300,
        0,
    )


@pytest.mark.parametrize("scale", [0.5, 0.99, 1.0])
@pytest.mark.parametrize("n", [300, 301, 7])
def test_a_factor_solves_the_same(rng, scale, n):
    S = graph(n)
    root = np.linalg.eigh(S.toarray())[1][:, -1]
    free, B = rng.random(n) < 0.9, rng.normal(size=(n, 1))
    free[0] = False
    factor = factorize(parts(S), scale, np.abs(root))
    X, n_iter = solve_on_graph(parts(S), scale, free, B, 1e-13, 1000, 1, factor)
    assert (X[~free] == 0).all()
    residual = (B - X + scale * (S @ X))[free]
    assert np.abs(residual).max() < 1e-11
    assert n_iter < 60
    plain, _ = solve_on_graph(parts(S), scale, free, B, 1e-13, 1000, 1)
    np.testing.assert_allclose(X, plain, atol=1e-10)
    again = solve_on_graph(parts(S), scale, free, B, 1e-13, 1000, 3, factor)[0]
    np.testing.assert_array_equal(X, again)


def test_a_factor_of_points_that_are_all_connected_or_not_at_all(rng):
    """No two points can share a block, or there is nothing to sum."""
    n = 150
    every = sparse.csr_array((np.ones((n, n)) - np.eye(n)) / (n - 1))
    none = sparse.csr_array((n, n))
    B, free = rng.normal(size=(n, 1)), np.ones(n, bool)
    for S in (every, none):
        factor = factorize(parts(S), 0.9, np.ones(n))
        X, _ = solve_on_graph(parts(S), 0.9, free, B, 1e-13, 1000, 1, factor)
        np.testing.assert_allclose(B - X + 0.9 * (S @ X), 0, atol=1e-11)
    assert factor.slots.tolist() == list(range(n))
    zero, n_iter = solve_on_graph(parts(every), 0.9, free, 0 * B, 1e-13, 1000, 1, factor)
    assert n_iter == 0
    assert not zero.any()


@pytest.mark.parametrize("held", [[0, 2, 6], [1, 4, 6], [0, 3, 6]])
def test_a_factor_of_trees(rng, held):
    """A pair of points, a path of three and a ring: the factor of a tree is exact."""
    W = np.zeros((12, 12))
    for i, j in [(0, 1), (2, 3), (3, 4), *((k, k + 1) for k in range(5, 11)), (11, 5)]:
        W[i, j] = W[j, i] = 1.0
    root = np.sqrt(W.sum(axis=1))
    S = sparse.csr_array(W / np.outer(root, root))
    B, free = rng.normal(size=(12, 1)), np.ones(12, bool)
    free[held] = False
    X, n_iter = solve_on_graph(
        parts(S), 1.0, free, B, 1e-13, 1000, 1, factorize(parts(S), 1.0, root)
    )
    assert n_iter > 0
    np.testing.assert_allclose((B - X + S @ X)[free], 0, atol=1e-11)


def test_a_factor_takes_fewer_iterations_on_a_graph_of_neighbors(rng):
    W = kneighbors_graph(rng.random((1500, 2)), 10)
    W = sparse.csr_array(W + W.T)
    root = np.sqrt(W.sum(axis=1))
    S = sparse.csr_array(sparse.diags_array(1 / root) @ W @ sparse.diags_array(1 / root))
    S.sort_indices()
    free, B = rng.random(1500) < 0.99, rng.normal(size=(1500, 1))
    for scale in (0.99, 1.0):
        plain = solve_on_graph(parts(S), scale, free, B, 1e-9, 1000, 1)
        found = solve_on_graph(
            parts(S), scale, free, B, 1e-9, 1000, 1, factorize(parts(S), scale, root)
        )
        right = solve_on_graph(parts(S), scale, free, B, 1e-14, 1000, 1)[0]
        assert found[1] < 0.9 * plain[1]
        assert np.abs(found[0] - right).max() < 2 * np.abs(plain[0] - right).max()
    few = rng.random(1500) < 0.5  # here the other way is shorter, and taken
    plain = solve_on_graph(parts(S), 0.99, few, B, 1e-9, 1000, 1)
    found = solve_on_graph(parts(S), 0.99, few, B, 1e-9, 1000, 1, factorize(parts(S), 0.99, root))
    np.testing.assert_array_equal(found[0], plain[0])
