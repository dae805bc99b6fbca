"""The solver: what it promises for regular, singular and indefinite problems."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import eigh, subspace_angles

from nbembed.spectral.solve import Eigenproblem, solve


def positive(rng, r, rank=None):
    M = rng.standard_normal((r, rank or r))
    return M @ M.T


def test_a_regular_problem_is_the_plain_one(rng):
    W, B = positive(rng, 6), positive(rng, 6)
    values, vectors = eigh(W, B)
    found = solve(Eigenproblem(W, B), 3)
    assert np.allclose(found.eigenvalues, values[:3], rtol=1e-8)
    assert np.allclose(np.abs(found.A), np.abs(vectors[:, :3]), rtol=1e-6)
    assert np.allclose(found.A.T @ B @ found.A, np.eye(3), atol=1e-9)
    assert found.cost == pytest.approx(values[:3].sum())
    assert found.informed.all()


def test_epsilon_is_a_share_of_the_mean_eigenvalue(rng):
    W, B = positive(rng, 6), positive(rng, 6, 2)
    held = B + 0.3 * np.trace(B) / 6 * np.eye(6)
    values, _ = eigh(W, held)
    found = solve(Eigenproblem(W, B), 2, epsilon=0.3)
    assert np.allclose(found.eigenvalues, values[:2], rtol=1e-8)
    assert np.allclose(found.A.T @ held @ found.A, np.eye(2), atol=1e-9)


def test_a_singular_constraint_needs_no_epsilon(rng):
    W, B = positive(rng, 6), positive(rng, 6, 2)
    found = solve(Eigenproblem(W, B), 2, epsilon=0)
    # The other way round B may be singular.
    values, vectors = eigh(B, W)
    assert np.allclose(found.eigenvalues, 1 / values[::-1][:2], rtol=1e-8)
    assert subspace_angles(found.A, vectors[:, ::-1][:, :2]).max() < 1e-7


def test_axes_that_the_constraint_does_not_see(rng):
    W, B = positive(rng, 6), positive(rng, 6, 2)
    scatter = positive(rng, 6)
    found = solve(Eigenproblem(W, B), 4, epsilon=1e-12, scatter=scatter)
    assert found.informed.tolist() == [True, True, False, False]
    assert np.isfinite(found.A).all()
    spread = np.diagonal(found.A.T @ scatter @ found.A)
    assert np.allclose(spread[2:], spread[:2].min())
    off = found.A.T @ W @ found.A
    size = np.sqrt(np.outer(np.diagonal(off), np.diagonal(off)))
    assert np.abs(off - np.diag(np.diagonal(off))).max() < 1e-4 * size.max(), "conjugate"
    assert found.eigenvalues[2] > 1e6 * found.eigenvalues[1]


def test_what_neither_sees_is_left_out(rng):
    """Along such a direction the quotient would be 0/ε: the best there is, and meaningless."""
    W, B = np.zeros((6, 6)), np.zeros((6, 6))
    W[:4, :4], B[:4, :4] = positive(rng, 4), positive(rng, 4)
    found = solve(Eigenproblem(W, B), 2, epsilon=1e-6)
    assert np.abs(found.A[4:]).max() < 1e-9
    scatter = np.diag([1.0, 2, 3, 4, 50, 60])
    more = solve(Eigenproblem(W, B), 6, scatter=scatter)
    assert np.abs(more.A[:4, 4:]).max() < 1e-9, "the principal axes of what is left"
    assert np.abs(more.A[4:, 4:]).argmax(axis=0).tolist() == [1, 0]
    assert more.eigenvalues[4:].tolist() == [np.inf, np.inf]
    assert np.isfinite(more.cost)
    assert more.informed.tolist() == [True] * 4 + [False] * 2
    with pytest.raises(ValueError, match="n_components must be at most 6"):
        solve(Eigenproblem(W, B), 7)


def test_of_axes_that_cost_nothing_the_best_seen_comes_first():
    W = np.diag([0.0, 0.0, 0.0, 1.0])
    B = np.diag([1.0, 3.0, 2.0, 1.0])
    found = solve(Eigenproblem(np.zeros((4, 4)), B), 4)
    assert np.abs(found.A).argmax(axis=0).tolist() == [1, 2, 0, 3] or found.cost == 0
    found = solve(Eigenproblem(W, B), 3)
    assert np.allclose(found.eigenvalues, 0, atol=1e-9)
    assert np.abs(found.A[3]).max() < 1e-6


def test_an_indefinite_cost_and_a_maximum(rng):
    W, B = positive(rng, 5) - positive(rng, 5), positive(rng, 5)
    values, _ = eigh(W, B)
    assert np.allclose(solve(Eigenproblem(W, B), 2).eigenvalues, values[:2])
    up = solve(Eigenproblem(-W, B, maximizes=True), 2)
    assert np.allclose(up.eigenvalues, values[::-1][:2])
    assert up.cost == pytest.approx(-values[::-1][:2].sum())


def test_an_indefinite_cost_under_a_singular_constraint_is_unbounded(rng):
    W, B = positive(rng, 5) - positive(rng, 5), positive(rng, 5, 2)
    with pytest.raises(ValueError, match="epsilon must be larger than 0"):
        solve(Eigenproblem(W, B), 2)
    assert np.isfinite(solve(Eigenproblem(W, B), 2, epsilon=1e-3).A).all()


def test_no_constraint_at_all(rng):
    with pytest.raises(ValueError, match="constraint must be finite and not zero"):
        solve(Eigenproblem(positive(rng, 3), np.zeros((3, 3))), 1)


def test_features_of_very_different_sizes(rng):
    W, B = positive(rng, 5), positive(rng, 5)
    size = np.array([1e-6, 1e6, 1.0, 1e3, 1e-3])
    plain = solve(Eigenproblem(W, B), 2)
    scaled = solve(Eigenproblem(W * np.outer(size, size), B * np.outer(size, size)), 2)
    assert np.allclose(np.abs(scaled.A * size[:, None]), np.abs(plain.A), rtol=1e-5, atol=1e-8)


def test_axes_that_cost_nothing_are_ordered_by_the_constraint(rng):
    """Rounding does not order them, though the costs that it leaves differ."""
    Q = np.linalg.qr(rng.standard_normal((8, 8)))[0]
    B = Q @ np.diag([5.0, 4, 3, 2, 1, 1, 1, 1]) @ Q.T
    W = Q @ np.diag([0.0, 0, 0, 0, 1, 2, 3, 4]) @ Q.T
    found = solve(Eigenproblem(W, B), 6)
    assert np.allclose(np.abs(found.A.T @ B @ found.A), np.eye(6), atol=1e-9)
    assert found.eigenvalues[:4].tolist() == [0.0] * 4
    assert np.allclose(found.eigenvalues[4:], [1, 2])
    noise = rng.standard_normal((8, 8)) * 1e-16
    again = solve(Eigenproblem(W + noise, B), 6)
    assert np.allclose(np.abs(again.A), np.abs(found.A), atol=1e-9)
