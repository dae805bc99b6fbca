"""The strongest attractions against the dense formula and a plain search."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from nbembed.objectives import SNE, HeavyTailed, Pinned, Similarity
from nbembed.objectives.attraction import EDGES, strongest_pairs
from nbembed.objectives.heavy_tailed_margin import HeavyTailedMargin
from nbembed.objectives.regions import Centers


@pytest.fixture
def P(rng):
    rows = rng.random((12, 12)) ** 4
    np.fill_diagonal(rows, 0)
    return (rows + rows.T) / (2 * rows.sum())


def forces(edges, Y):
    """Return Σ_j w_ij (y_i − y_j)."""
    found = np.zeros(Y.shape)
    for i, j, weight in zip(*edges):
        found[i] += weight * (Y[i] - Y[j])
        found[j] -= weight * (Y[i] - Y[j])
    return found


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_the_pairs_are_the_largest_of_a_row_of_either_point(P, form):
    edges = strongest_pairs(form(P))
    largest = {
        (min(i, j), max(i, j)) for i in range(12) for j in np.argsort(-P[i])[:EDGES].tolist()
    }
    assert set(zip(edges.i.tolist(), edges.j.tolist())) == largest
    np.testing.assert_allclose(edges.weights, P[edges.i, edges.j])


def test_a_sparse_row_with_few_entries_gives_them_all():
    P = sparse.csr_array(np.array([[0, 0.3, 0], [0.3, 0, 0.2], [0, 0.2, 0]]))
    edges = strongest_pairs(P)
    assert list(zip(*edges)) == [(0, 1, 0.3), (1, 2, 0.2)]


@pytest.mark.parametrize("alpha", [0.0, 0.7, 1.0, 2.0])
def test_they_are_the_attraction_of_the_gradient(alpha, rng):
    """With so few points that no pair is left out: the gradient's part that P multiplies."""
    rows = rng.random((EDGES + 1, EDGES + 1))
    np.fill_diagonal(rows, 0)
    P = (rows + rows.T) / (2 * rows.sum())
    objective, Y = HeavyTailed(P, alpha), rng.normal(size=(EDGES + 1, 2))
    double = objective.with_parameters(exaggeration=2.0)
    expected = double.gradient(Y) - objective.gradient(Y)
    np.testing.assert_allclose(forces(objective.attraction(Y), Y), expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(forces(double.attraction(Y), Y), 2 * expected, rtol=1e-9, atol=1e-12)


def test_around_centers_they_are_those_of_the_neighborhoods(rng):
    """The gradient's part that P multiplies; that of the classes does not depend on P."""
    n = EDGES + 1
    rows = rng.random((n, n))
    np.fill_diagonal(rows, 0)
    P = (rows + rows.T) / (2 * rows.sum())
    Y, half = rng.normal(size=(n, 2)), np.arange(n) % 2
    regions = Centers(half, np.ones(n), np.arange(2), np.eye(2)[half], np.ones(n))
    repelled = np.ones((n, n)) - np.eye(n)
    whole, even = (HeavyTailedMargin(M / M.sum(), 0.7, regions, alpha=0.6) for M in (P, repelled))
    pulled = whole.gradient(Y) - even.gradient(Y)
    expected = forces(whole.attraction(Y), Y) - forces(even.attraction(Y), Y)
    np.testing.assert_allclose(pulled, expected, rtol=1e-9, atol=1e-12)


def test_a_custom_similarity_has_its_own_score(P, rng):
    def H(tau):
        return 1 / (1 + tau)

    def score(tau):
        return 1 / (1 + tau)

    Y = rng.normal(size=(12, 2))
    own = HeavyTailed(P, Similarity(H, score)).attraction(Y)
    np.testing.assert_allclose(own.weights, HeavyTailed(P, 1.0).attraction(Y).weights)


def test_pins_share_them_and_other_objectives_state_none(P, rng):
    Y, plain = rng.normal(size=(12, 2)), HeavyTailed(P)
    np.testing.assert_array_equal(
        Pinned(plain, [3]).attraction(Y).weights, plain.attraction(Y).weights
    )
    assert SNE(P / P.sum(axis=1, keepdims=True)).attraction(Y) is None
