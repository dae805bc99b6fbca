"""Systems on a graph: the residual, points that are not free, threads, and where it stops."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

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
