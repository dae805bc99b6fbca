"""Neighbors of sets, and sets grown and shrunk by them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import pairwise_distances

from nbembed.affinities import perplexity_affinities
from nbembed.neighbors import known_neighbors, remember
from nbembed.points import neighborhoods
from nbembed.points.neighborhoods import EXACT, FoundRows, grown, near, neighbor_rows, shrunk


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
    rows = neighbor_rows(X, points, 2, "euclidean")
    assert near(points, rows).tolist() == [4, 10]
    assert grown(points, rows).tolist() == [4, *points, 10]
    assert shrunk(points, rows).tolist() == [6, 7, 8]
    every = np.arange(20)
    rows = neighbor_rows(X, every, 2, "euclidean")
    assert shrunk(every, rows).tolist() == every.tolist()
    assert near(every, rows).size == 0


def test_neighbors_are_found_once(monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.random.default_rng(0).normal(size=(60, 12))
    asked: list[tuple[list[int], int]] = []

    def counted(X: np.ndarray, points: np.ndarray, k: int, metric: str) -> np.ndarray:
        asked.append((points.tolist(), k))
        return neighbor_rows(X, points, k, metric)

    monkeypatch.setattr(neighborhoods, "neighbor_rows", counted)
    found = FoundRows(X)
    for points, k, metric in (
        ([3, 5, 9], 4, "euclidean"),
        ([3, 4, 9], 4, "euclidean"),  # one is new
        ([9, 5], 2, "euclidean"),  # fewer of each
        ([9], 6, "euclidean"),  # more of each: anew
        ([9], 6, "cosine"),
    ):
        rows = found.rows(np.array(points), k, metric)
        assert [sorted(row) for row in rows.tolist()] == brute(X, np.array(points), k, metric)
    assert asked == [([3, 5, 9], 4), ([4], 4), ([], 4), ([9], 6), ([9], 6)]


def test_neighbors_that_affinities_have_needed_are_not_searched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X = np.random.default_rng(0).normal(size=(300, 12))
    X.flags.writeable = False
    remember(X)
    points = np.array([7, 2, 250])
    expected = neighbor_rows(X, points, 26, "euclidean")
    perplexity_affinities(X, 5, n_neighbors=25)
    assert np.array_equal(FoundRows(X).rows(points, 26, "euclidean"), expected)  # more than known
    monkeypatch.setattr(neighborhoods, "neighbor_rows", None)
    for k in (25, 5):
        assert np.array_equal(FoundRows(X).rows(points, k, "euclidean"), expected[:, :k])
    assert known_neighbors(X, 5, "cosine") is None


def test_many_points_are_searched_as_well() -> None:
    X = np.random.default_rng(0).normal(size=(EXACT + 500, 2))
    points = np.arange(EXACT + 1)
    rows = neighbor_rows(X, points, 3, "euclidean")
    assert [sorted(row) for row in rows[:20].tolist()] == brute(X, points[:20], 3, "euclidean")
