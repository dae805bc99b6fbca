"""Neighbors of sets, and sets grown and shrunk by them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import pairwise_distances

from nbembed.display.neighborhoods import EXACT, grown, near, neighbor_rows, shrunk


def brute(X: np.ndarray, points: np.ndarray, k: int, metric: str) -> list[list[int]]:
    D = pairwise_distances(X, metric=metric)
    np.fill_diagonal(D, np.inf)
    return [sorted(np.argsort(D[i], kind="stable")[:k].tolist()) for i in points]


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan", "seuclidean"])
@pytest.mark.parametrize("d", [3, 20])
def test_neighbors_are_those_of_all_distances(metric: str, d: int) -> None:
    X = np.random.default_rng(0).normal(size=(80, d))
    points = np.array([4, 17, 60])
    rows = neighbor_rows(X, points, 6, metric)
    assert [sorted(row) for row in rows.tolist()] == brute(X, points, 6, metric)


def test_neighbors_in_given_distances_and_sparse_data() -> None:
    X = np.random.default_rng(0).normal(size=(40, 3)).round(1)
    points = np.array([4, 17])
    expected = brute(X, points, 5, "euclidean")
    D = pairwise_distances(X)
    assert [sorted(r) for r in neighbor_rows(D, points, 5, "precomputed").tolist()] == expected
    rows = neighbor_rows(sparse.csr_array(X), points, 5, "euclidean")
    assert [sorted(row) for row in rows.tolist()] == expected


def test_duplicates_leave_out_the_point_itself() -> None:
    X = np.zeros((9, 2))
    for points in ([0], [8], [0, 4, 8]):
        rows = neighbor_rows(X, np.array(points), 3, "euclidean")
        assert rows.shape == (len(points), 3)
        assert not np.any(rows == np.array(points)[:, None])


def test_few_points_have_few_neighbors() -> None:
    X = np.arange(6.0).reshape(3, 2)
    assert neighbor_rows(X, np.array([1]), 50, "euclidean").shape == (1, 2)
    assert neighbor_rows(X, np.empty(0, np.intp), 2, "euclidean").shape == (0, 2)


def test_sets_grow_and_shrink() -> None:
    X = np.arange(20.0)[:, None] ** 1.01  # on a line, distances grow: no ties
    points = np.array([5, 6, 7, 8, 9])
    assert near(X, points, 2, "euclidean").tolist() == [4, 10]
    assert grown(X, points, 2, "euclidean").tolist() == [4, *points, 10]
    assert shrunk(X, points, 2, "euclidean").tolist() == [6, 7, 8]
    assert shrunk(X, np.arange(20), 2, "euclidean").tolist() == list(range(20))
    assert near(X, np.arange(20), 2, "euclidean").size == 0


def test_many_points_are_searched_as_well() -> None:
    X = np.random.default_rng(0).normal(size=(EXACT + 500, 2))
    points = np.arange(EXACT + 1)
    rows = neighbor_rows(X, points, 3, "euclidean")
    assert [sorted(row) for row in rows[:20].tolist()] == brute(X, points[:20], 3, "euclidean")
