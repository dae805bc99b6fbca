"""Graphs as values: what they do is what their matrix does, pair by pair."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from nbembed.spectral.graphs import Clique, Edges, Patch, Sum
from tests.spectral.helpers import pair_scatter

N = 12


def edges(rng):
    C = np.triu(rng.random((N, N)) * (rng.random((N, N)) < 0.4))
    return Edges(sparse.csr_array(C + C.T))


def patch(rng):
    block = rng.random((5, 5))
    return Patch(N, np.array([1, 4, 5, 8, 11]), block + block.T)


def clique(rng):
    return Clique(N, np.array([0, 2, 3, 9]), rng.random(4))


@pytest.fixture(params=[edges, patch, clique], ids=lambda make: make.__name__)
def graph(request, rng):
    return request.param(rng)


def test_scatter_cost_and_degree_are_those_of_the_matrix(graph, rng):
    X = rng.standard_normal((N, 3)) + 100
    C = graph.matrix().toarray()
    assert (np.diagonal(C) == 0).all()
    assert np.array_equal(C, C.T)
    assert np.allclose(graph.scatter(X), pair_scatter(C, X), rtol=1e-9)
    assert graph.cost(X) == pytest.approx(0.5 * sum(
        C[i, j] * ((X[i] - X[j]) ** 2).sum() for i in range(N) for j in range(N)
    ))  # fmt: skip
    assert np.allclose(graph.degree(), C.sum(axis=1))


def test_power_is_entry_by_entry(graph):
    C = graph.matrix().toarray()
    assert np.allclose((graph**2.5).matrix().toarray(), C**2.5)
    assert np.allclose(((3 * graph) ** 2).matrix().toarray(), 9 * C**2)
    with pytest.raises(ValueError, match="power must be"):
        graph**0


def test_arithmetic(rng):
    a, b, c = edges(rng), patch(rng), clique(rng)
    X = rng.standard_normal((N, 3))
    A, B, C = (g.matrix().toarray() for g in (a, b, c))
    made = 2 * a - b + c * 0.5 - (-a)
    assert np.allclose(made.matrix().toarray(), 3 * A - B + 0.5 * C)
    assert np.allclose(made.scatter(X), pair_scatter(3 * A - B + 0.5 * C, X))
    assert np.allclose(made.degree(), (3 * A - B + 0.5 * C).sum(axis=1))
    assert np.array_equal(Sum(N).scatter(X), np.zeros((3, 3)))


def test_what_has_no_meaning_is_refused(rng):
    a, b = edges(rng), clique(rng)
    with pytest.raises(TypeError, match="take the power of each term"):
        (a + b) ** 2
    with pytest.raises(ValueError, match="entries ≥ 0"):
        Edges(-a.C) ** 2
    with pytest.raises(ValueError, match="same points, got 12 and 3"):
        a + Clique(3, np.arange(2), np.ones(2))
    with pytest.raises(TypeError):
        a + 1
    with pytest.raises(ValueError, match="factor must be a finite number"):
        np.inf * a


def test_a_large_class_is_not_stored_by_pairs():
    n = 200_000
    everyone = Clique(n, np.arange(n), np.ones(n))
    X = np.random.default_rng(0).standard_normal((n, 2))
    assert np.allclose(everyone.scatter(X), n * n * np.cov(X.T, bias=True))
