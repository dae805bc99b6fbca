"""The search in float32: the same neighbors as all distances in float64, whatever the data."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
import pytest

from nbembed.neighbors import exact
from nbembed.neighbors.exact import all_distances, in_double
from nbembed.neighbors.smallest import k_smallest


def expected(points, k, queries=None, own=None):
    if queries is None:
        queries, own = points, np.arange(len(points))
    return in_double(points, k, queries, own)


def awkward(rng):
    """Data that single precision cannot tell apart, or not without care."""
    n = 700
    yield "normal", rng.normal(size=(n, 20))
    yield "single", rng.normal(size=(n, 20)).astype(np.float32)
    yield "a grid full of ties", rng.integers(0, 3, size=(n, 9)).astype(float)
    yield "duplicates", np.repeat(rng.normal(size=(n // 10, 12)), 10, axis=0)
    yield "constant", np.ones((n, 9))
    yield "far from the origin", 1e7 + rng.normal(size=(n, 12))
    yield "an outlier", np.r_[rng.normal(size=(n - 1, 12)), np.full((1, 12), 1e9)]
    yield "two scales", rng.normal(size=(n, 12)) * 10.0 ** rng.uniform(-30, 0, size=(n, 1))
    yield "tiny units", 1e-120 * rng.normal(size=(n, 12))
    yield (
        "clumps that rounding merges",
        np.repeat(rng.normal(size=(n // 100, 12)), 100, axis=0) + 1e-7 * rng.normal(size=(n, 12)),
    )


NAMES = [name for name, _ in awkward(np.random.default_rng(0))]


@pytest.mark.parametrize("name", NAMES)
def test_neighbors_are_those_of_double_precision(rng, name, monkeypatch):
    points = dict(awkward(rng))[name]
    monkeypatch.setattr(exact, "QUERIES", 100)
    monkeypatch.setattr(exact, "POINTS", 128)
    for k in (1, 7, 60):
        found, true = all_distances(points, k), expected(points, k)
        np.testing.assert_allclose(found.squared, true.squared, rtol=1e-9)
        # Ties up to the last digits of float64 may come in another order.
        same = found.indices == true.indices
        tied = np.isclose(found.squared, true.squared[:, -1:], rtol=1e-9)
        distinct = np.diff(true.squared, axis=1, append=np.inf) > 1e-9 * true.squared
        distinct[:, 1:] &= distinct[:, :-1]
        assert (same | ~distinct | tied).all()


def test_most_rows_are_proven_in_single_precision(rng, monkeypatch):
    searched = []

    def counted(points, k, queries, own):
        searched.append(len(queries))
        return in_double(points, k, queries, own)

    monkeypatch.setattr(exact, "in_double", counted)
    all_distances(rng.normal(size=(2000, 30)), 20)
    assert sum(searched) < 20


def test_other_points_all_points_and_threads(rng):
    points, queries = rng.normal(size=(90, 11)), rng.normal(size=(40, 11))
    for k in (1, 30, 90):
        true = expected(points, k, queries)
        for n_threads in (1, 3):
            found = all_distances(points, k, queries, n_threads=n_threads)
            np.testing.assert_array_equal(found.indices, true.indices)
    np.testing.assert_array_equal(all_distances(points, 89).indices, expected(points, 89).indices)


def test_queries_far_away_are_answered(rng):
    points = rng.normal(size=(60, 10))
    queries = np.r_[1e30 * np.ones((1, 10)), points[:3], -1e19 * np.ones((1, 10))]
    found, true = all_distances(points, 5, queries), expected(points, 5, queries)
    np.testing.assert_allclose(found.squared, true.squared, rtol=1e-9)


class Watched(np.ndarray):
    """An array that remembers the length of rows that were sorted."""

    sorted_lengths: ClassVar[list[int]] = []

    def argsort(self, *args, **kwargs):
        self.sorted_lengths.append(self.shape[-1])
        return np.asarray(self).argsort(*args, **kwargs)


@pytest.mark.parametrize("k", [2, 9, 39])
def test_of_ties_the_first_are_taken_without_a_sort_of_whole_rows(k):
    rng = np.random.default_rng(0)
    few, same = rng.integers(0, 4, (30, 40)).astype(float), np.ones((3, 40))
    for values in (few, same, np.where(few > 1, np.inf, few), -few, rng.random((20, 40))):
        Watched.sorted_lengths.clear()
        found = k_smallest(values.view(Watched), k)
        np.testing.assert_array_equal(found, values.argsort(axis=1, kind="stable")[:, :k])
        assert set(Watched.sorted_lengths) == {k}
