"""Second formulas, pair by pair, that the tests of learners share."""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh


def pair_scatter(C, X):
    """Return ½ Σ_ij c_ij (x_i − x_j)(x_i − x_j)ᵀ, one pair at a time."""
    total = np.zeros((X.shape[1], X.shape[1]))
    for i in range(len(X)):
        for j in range(len(X)):
            gap = X[i] - X[j]
            total += 0.5 * C[i, j] * np.outer(gap, gap)
    return total


def distances(X):
    return np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))


def local_affinity(X, members, k=7):
    """Return a_ij among ``members``, scaled by the k-th neighbor there; zero elsewhere."""
    a = np.zeros((len(X), len(X)))
    D = distances(X)
    scale = {i: np.sort([D[i, j] for j in members if j != i])[:k][-1] for i in members}
    for i in members:
        for j in members:
            a[i, j] = np.exp(-(D[i, j] ** 2) / (scale[i] * scale[j]))
    return a


def heat_matrix(X, k=7, scale_neighbor=7):
    """Return the heat kernel on the graph of k nearest neighbors, either way."""
    n, D = len(X), distances(X)
    order = np.argsort(D + np.diag(np.full(n, -1.0)), axis=1)[:, 1:]
    scale = np.array([D[i, order[i, scale_neighbor - 1]] for i in range(n)])
    C = np.zeros((n, n))
    for i in range(n):
        for j in order[i, :k]:
            C[i, j] = C[j, i] = np.exp(-(D[i, j] ** 2) / (scale[i] * scale[j]))
    return C


def nearest_matrix(X, y, k, same):
    """Return 1 for pairs of labeled points of the same (other) class, near either way."""
    n, D = len(X), distances(X)
    C = np.zeros((n, n))
    for i in np.flatnonzero(y >= 0):
        others = [j for j in np.flatnonzero(y >= 0) if j != i and (y[j] == y[i]) == same]
        for j in sorted(others, key=lambda j: D[i, j])[:k]:
            C[i, j] = C[j, i] = 1.0
    return C


def fisher_matrices(y, a=None):
    """Return C_ℓ and C_b of FDA, or of LFDA with the local affinities ``a``."""
    n_all, n = len(y), int((y >= 0).sum())
    a = np.ones((n_all, n_all)) if a is None else a
    W, B = np.zeros((n_all, n_all)), np.zeros((n_all, n_all))
    for i in range(n_all):
        for j in range(n_all):
            if y[i] < 0 or y[j] < 0:
                continue
            size = int((y == y[i]).sum())
            if y[i] == y[j]:
                W[i, j] = a[i, j] / size
                B[i, j] = a[i, j] * (1 / n - 1 / size)
            else:
                B[i, j] = 1 / n
    return W, B


def smallest(W, B, d):
    """Return the d axes and eigenvalues of the pencil (W, B), B definite."""
    values, vectors = eigh(W, B)
    return vectors[:, :d], values[:d]


def same_axes(A, B, tolerance=1e-6):
    """Whether the columns of A and B are the same up to sign and length."""
    A, B = A / np.linalg.norm(A, axis=0), B / np.linalg.norm(B, axis=0)
    return bool(np.all(np.abs(np.abs((A * B).sum(axis=0)) - 1) < tolerance))
