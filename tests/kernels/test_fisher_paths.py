"""Lengths of paths in a Fisher metric: against J built in the space of the data; as distances."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.sparse.csgraph import floyd_warshall
from scipy.special import softmax

from nbembed.kernels.fisher_paths import CLASSES, PADDING, detours, path_lengths, shorten


def mixture(rng: np.random.Generator, n: int, D: int, K: int, C: int) -> tuple[Any, ...]:
    """Return points, centroids, β and σ of a mixture that leaves no class certain."""
    beta = rng.dirichlet(np.ones(C), K).T
    return rng.normal(size=(n, D)), rng.normal(size=(K, D)), beta, 0.8


def exponents(X: Any, m: Any, width: float) -> Any:
    return np.sum(np.square(X[:, None] - m), axis=2) / (2 * width**2)


def tensor(x: Any, m: Any, beta: Any, width: float) -> Any:
    """Return J(x) in D dimensions, by the gradients of log p(c|x)."""
    w = softmax(-exponents(x[None], m, width)[0])
    p = beta @ w
    by_class = (beta * w) @ m / p[:, None]
    b = (by_class - w @ m) / width**2
    return (p[:, None] * b).T @ b


def straight(x1: Any, x2: Any, m: Any, beta: Any, width: float, pieces: int) -> float:
    step = (x2 - x1) / pieces
    total = 0.0
    for t in range(pieces):
        J = tensor(x1 + (t + 0.5) * step, m, beta, width)
        total += np.sqrt(step @ J @ step)
    return float(total)


@pytest.mark.parametrize(
    ("K", "C"), [(1, 2), (2, 2), (7, CLASSES - 1), (9, CLASSES), (5, CLASSES + 1), (30, 26)]
)
@pytest.mark.parametrize("pieces", [1, 10])
def test_lengths_are_those_of_the_metric_in_the_space_of_the_data(rng, K, C, pieces):
    n = PADDING + 3  # more than a register, and not a multiple
    X, m, beta, width = mixture(rng, n, 5, K, C)
    A = exponents(X, m, width)
    wanted = np.array([[straight(a, b, m, beta, width, pieces) for b in X] for a in X])
    for dtype, tolerance in ((np.float64, 1e-12), (np.float32, 2e-6)):
        lengths = path_lengths(A, None, beta, pieces, dtype, 1)
        assert lengths.dtype == dtype
        np.testing.assert_allclose(lengths, wanted, rtol=tolerance, atol=tolerance)
        some = path_lengths(A[:4], A[2:9], beta, pieces, dtype, 1)
        np.testing.assert_allclose(some, wanted[:4, 2:9], rtol=tolerance, atol=tolerance)


def test_a_number_added_to_all_exponents_of_a_point_changes_nothing(rng):
    X, m, beta, width = mixture(rng, 20, 3, 6, 4)
    A = exponents(X, m, width)
    lengths = path_lengths(A, None, beta, 10, np.float64, 1)
    shifted = path_lengths(A - A.min(axis=1, keepdims=True), None, beta, 10, np.float64, 1)
    np.testing.assert_allclose(shifted, lengths, rtol=1e-12, atol=1e-14)


def test_both_directions_are_as_far_and_equal_points_at_zero(rng):
    X, m, beta, width = mixture(rng, 40, 3, 6, 4)
    X[7] = X[3]
    A = exponents(X, m, width)
    for dtype in (np.float32, np.float64):
        lengths = path_lengths(A, None, beta, 10, dtype, 1)
        assert np.array_equal(lengths, lengths.T)
        assert (np.diagonal(lengths) == 0).all()
        assert lengths[3, 7] == 0
        assert (lengths[~np.eye(40, dtype=bool)] > 0).sum() == 40 * 39 - 2
        forth, back = (path_lengths(a, b, beta, 10, dtype, 1) for a, b in ((A, A[:9]), (A[:9], A)))
        np.testing.assert_allclose(forth, back.T, rtol=1e-4, atol=1e-6)


def test_near_points_keep_their_distance_in_float32(rng):
    """The difference of their exponents is far below float32's share of the exponents."""
    X, m, beta, width = mixture(rng, 30, 4, 8, 5)
    near = X + 1e-7 * rng.normal(size=X.shape)
    A, B = exponents(X, m, width), exponents(near, m, width)
    single = np.diagonal(path_lengths(A, B, beta, 10, np.float32, 1))
    double = np.diagonal(path_lengths(A, B, beta, 10, np.float64, 1))
    np.testing.assert_allclose(single, double, rtol=1e-5)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_far_points_and_certain_classes_stay_finite(rng, dtype):
    X, m, _, width = mixture(rng, 12, 3, 5, 4)
    X[:4] *= [[1e2], [1e4], [1e6], [1e8]]
    beta = np.eye(4)[:, [0, 1, 2, 3, 0]]  # each Gaussian of one class alone
    A = exponents(X, m, width)
    A -= A.min(axis=1, keepdims=True)
    lengths = path_lengths(A, None, beta, 10, dtype, 1)
    assert np.isfinite(lengths).all()
    assert (lengths >= 0).all()


@pytest.mark.parametrize("n", [33, 400])
def test_the_number_of_threads_changes_no_bit(rng, n):
    X, m, beta, width = mixture(rng, n, 3, 12, 30)
    A = exponents(X, m, width)
    one = path_lengths(A, None, beta, 10, np.float32, 1)
    assert np.array_equal(path_lengths(A, None, beta, 10, np.float32, 3), one)
    D, E = one.copy(), one.copy()
    shorten(D, 1)
    shorten(E, 3)
    assert np.array_equal(D, E)


def test_shortest_paths_and_detours(rng):
    D = rng.uniform(1, 10, size=(30, 30)) ** 2
    D = (D + D.T) / 2
    np.fill_diagonal(D, 0)
    whole = floyd_warshall(D)
    short = D.copy()
    shorten(short, 1)
    np.testing.assert_allclose(short, whole, rtol=1e-14)
    assert (short < D).any()
    # A new point at the end: its ways lead through old ones, and never through other new points.
    old = floyd_warshall(D[:29, :29])
    found = detours(D[29:, :29], old, 1)
    np.testing.assert_allclose(found, (D[29, :29, None] + old).min(axis=0)[None], rtol=1e-14)
