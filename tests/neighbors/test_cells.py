"""The approximate search: its recall, what it reports, and the same result each time."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from nbembed.neighbors import cells, exact
from nbembed.neighbors.cells import Cells
from nbembed.neighbors.exact import all_distances, in_double, products
from nbembed.system import blas


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
    for in_small_blocks in (False, True):
        for searched in (cells, exact) if in_small_blocks else ():
            monkeypatch.setattr(searched, "QUERIES", 100)
            monkeypatch.setattr(searched, "POINTS", 128)
        for n_threads in (1, 3):
            again, also = Cells(clusters, 6, n_threads).search()
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


def test_a_few_values_far_away_leave_the_recall_as_it_was(rng, monkeypatch):
    points = rng.normal(size=(3000, 10))
    points[::100, 0] = -1e6
    made = Cells(points, 15, 1)
    monkeypatch.setattr(cells, "all_distances", None)  # the search in cells is good enough
    monkeypatch.setattr(Cells, "_true", lambda self, a, own: in_double(self.points, self.k, a, own))
    found, reported = made.search()
    assert reported > 0.95
    assert recall(found, all_distances(points, 15)) > 0.95


def test_all_distances_are_computed_where_too_few_neighbors_are_found(rng):
    # Each cluster is a point in float32 seen from the other.
    points = rng.normal(size=(2000, 10))
    points[::2] += 1e6
    queries = points[:300] + 0.1
    made = Cells(points, 15, 1)
    for given, own in ((None, np.arange(2000)), (queries, None)):
        found, reported = made.search(given)
        true = in_double(points, 15, points if given is None else given, own)
        assert reported == 1
        np.testing.assert_array_equal(found.indices, true.indices)
        np.testing.assert_allclose(found.squared, true.squared, rtol=1e-9)


def test_cells_with_all_neighbors_but_few_more_are_enough(rng, monkeypatch):
    points = np.repeat(100 * rng.normal(size=(80, 9)), 14, axis=0) + rng.normal(size=(1120, 9))
    true = all_distances(points, 12)
    monkeypatch.setattr(cells, "_k_means", lambda rows, *_: rows[::14].copy())
    monkeypatch.setattr(cells, "in_double", None)
    made = Cells(points, 12, 1)
    assert made.probes == 1
    found, reported = made.search()
    assert reported == 1
    np.testing.assert_array_equal(found.indices, true.indices)


def test_helper_threads_have_one_blas_thread_too(clusters, monkeypatch):
    class OwnNumbers(threading.local):
        """A library in which each thread has its own number of threads."""

        num_threads = 4

        def set_num_threads(self, number):
            self.num_threads = number

    library, seen = OwnNumbers(), {}
    monkeypatch.setattr(blas, "_libraries", ([], [library]))
    both = threading.Barrier(2)

    def counted(*arguments):
        if threading.get_ident() not in seen:
            seen[threading.get_ident()] = library.num_threads
            both.wait(30)  # until a chunk has begun in the other thread, too
        return products(*arguments)

    made = Cells(clusters, 5, 1)
    made.n_threads = 2
    for searched, work in (
        (exact, lambda: all_distances(clusters, 5, n_threads=2)),
        (cells, lambda: made.nearest()),
    ):
        monkeypatch.setattr(searched, "products", counted)
        seen.clear()
        work()
        assert list(seen.values()) == [1, 1]
    assert library.num_threads == 4
