"""The approximate search: its recall, what it reports, and the same result each time."""

from __future__ import annotations

import numpy as np
import pytest

from nbembed.neighbors import cells
from nbembed.neighbors.cells import Cells
from nbembed.neighbors.exact import all_distances


def recall(found, true):
    right = found.squared <= true.squared[:, -1:] * (1 + 1e-9)
    return float(right.mean())


@pytest.fixture
def clusters(rng):
    return rng.normal(size=(3000, 12)) + 8 * rng.normal(size=(6, 12))[rng.integers(0, 6, 3000)]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("k", [1, 15])
def test_nearly_all_neighbors_are_found_and_the_share_is_reported(clusters, k, dtype):
    points = clusters.astype(dtype)
    made = Cells(points, k, 1)
    found, reported = made.search()
    assert made.probes < len(made.centers)
    true = recall(found, all_distances(points, k))
    assert true > 0.97
    assert reported == pytest.approx(true, abs=0.015)
    assert not (found.indices == np.arange(len(points))[:, None]).any()
    D2 = np.square(points[:, None].astype(float) - points[found.indices]).sum(axis=2)
    np.testing.assert_allclose(found.squared, D2, rtol=1e-12)
    assert (np.diff(found.squared, axis=1) >= 0).all()


def test_other_points(clusters, rng):
    queries = np.r_[clusters[:40] + 0.1, clusters[:3], 1e4 * np.ones((1, 12))]
    found, reported = Cells(clusters, 5, 1).search(queries)
    true = all_distances(clusters, 5, queries)
    assert recall(found, true) > 0.9
    assert 0.9 < reported <= 1
    assert found.indices[40:43, 0].tolist() == [0, 1, 2]
    one, _ = Cells(clusters, 5, 1).search(queries[:1])
    np.testing.assert_array_equal(one.indices[:, 0], true.indices[:1, 0])


def test_neither_the_run_nor_threads_nor_blocks_change_it(clusters, monkeypatch):
    first, reported = Cells(clusters, 6, 1).search()
    for _ in range(2):
        again, also = Cells(clusters, 6, 3).search()
        np.testing.assert_array_equal(again.indices, first.indices)
        np.testing.assert_array_equal(again.squared, first.squared)
        assert also == reported


def test_cells_with_too_few_points_are_made_up_for(rng, monkeypatch):
    points = np.r_[rng.normal(size=(400, 9)), 50 + rng.normal(size=(3, 9))]
    monkeypatch.setattr(Cells, "_probes", lambda *_: 1)
    found, _ = Cells(points, 12, 1).search()
    true = all_distances(points, 12)
    np.testing.assert_array_equal(found.indices[400:], true.indices[400:])
    np.testing.assert_allclose(found.squared[400:], true.squared[400:], rtol=1e-9)


@pytest.mark.parametrize("points", [np.ones((300, 9)), np.repeat(np.eye(9), 40, axis=0)])
def test_duplicates(points):
    found, reported = Cells(points, 20, 1).search()
    assert not found.squared.any()
    assert reported == 1
    assert not (found.indices == np.arange(len(points))[:, None]).any()


def test_more_than_recall_is_searched_for_where_the_data_ask_for_it(rng):
    # Without clusters in many dimensions, neighbors are in many cells.
    points = rng.normal(size=(1500, 60))
    made = Cells(points, 10, 1)
    found, reported = made.search()
    assert made.probes > 0.5 * len(made.centers)
    assert reported > 0.97
    assert recall(found, all_distances(points, 10)) > 0.97


def test_cells_are_the_nearest_centers(rng):
    rows = rng.normal(size=(500, 4)).astype(np.float32)
    rows = np.c_[rows, np.square(rows).sum(axis=1)]
    centers = rows[:40]
    D2 = np.square(rows[:, None, :-1] - centers[None, :, :-1]).sum(axis=2)
    np.testing.assert_array_equal(cells.assigned(rows, centers, 2), D2.argmin(axis=1))
