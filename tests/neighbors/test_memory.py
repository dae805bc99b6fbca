"""Neighbors in data that cannot change are searched once, and are those of any other search."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import nbembed as nb
from nbembed.neighbors import find_neighbors, memory, remember, search
from nbembed.neighbors.found import Neighbors


@pytest.fixture
def searched(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list that grows by the number of neighbors of each search."""
    sizes: list[int] = []
    real = search._search

    def counted(points: object, others: object, k: int, *rest: object) -> Neighbors:
        sizes.append(k)
        return real(points, others, k, *rest)

    monkeypatch.setattr(search, "_search", counted)
    return sizes


def frozen(X: np.ndarray) -> np.ndarray:
    X.flags.writeable = False
    return X


def ties(n: int, d: int) -> np.ndarray:
    return np.random.default_rng(0).integers(0, 3, size=(n, d)).astype(float)


@pytest.mark.parametrize("n", [300, search.SINGLE + 100])
def test_fewer_neighbors_are_the_first_of_more(n, searched):
    X = frozen(ties(n, 12))
    alone = {k: find_neighbors(X, k) for k in (3, 12, 20, 30)}
    remember(X)
    searched.clear()
    for k in (12, 3, 20, 30, 12, 20):
        found = find_neighbors(X, k, search="auto")
        np.testing.assert_array_equal(found.indices, alone[k].indices)
        np.testing.assert_array_equal(found.distances, alone[k].distances)
        assert found.indices.dtype == np.intp
    assert searched == [12, 24, 48], "each as many again, so that the next is there"


def test_what_is_found_belongs_to_who_asked():
    X = frozen(ties(100, 9))
    remember(X)
    find_neighbors(X, 5).indices[:] = 0
    find_neighbors(X, 5).distances[:] = 0
    assert find_neighbors(X, 5).distances.any()
    assert find_neighbors(X, 5).indices.any()


def test_another_metric_is_searched_anew(searched):
    X = frozen(ties(100, 9))
    remember(X)
    for metric in ("euclidean", "cityblock", "cityblock", "euclidean"):
        found = find_neighbors(X, 5, metric)
        np.testing.assert_array_equal(found.indices, find_neighbors(X.copy(), 5, metric).indices)
    assert len(searched) == 3 + 4


@pytest.mark.parametrize("asked", [(90, 150, 40), (150, 90, 40)])
def test_approximate_neighbors_do_not_depend_on_what_was_asked_before(asked, searched, monkeypatch):
    monkeypatch.setattr(search, "MANY", 5000)
    X = frozen(np.random.default_rng(0).normal(size=(6000, 10)).astype(np.float32))
    alone = {k: find_neighbors(X, k, search="auto") for k in asked}
    remember(X)
    searched.clear()
    for k in asked:
        found = find_neighbors(X, k, search="auto")
        np.testing.assert_array_equal(found.indices, alone[k].indices)
        assert found.recall == alone[k].recall
    assert sorted(searched) == [96, 192]


def test_it_holds_so_many_and_goes_with_the_data(monkeypatch, searched):
    monkeypatch.setattr(memory, "MOST", 1000)
    X = frozen(ties(100, 9))
    remember(X)
    assert memory.memory_of(X) is not None
    for k in (11, 11, 5, 5):
        find_neighbors(X, k)
    assert searched == [11, 11, 5]
    key = id(X)
    del X
    gc.collect()
    assert key not in memory._memories


def test_data_that_can_change_are_searched_each_time(searched):
    X = ties(100, 9)
    remember(X)
    find_neighbors(X, 5)
    find_neighbors(X, 5)
    assert searched == [5, 5]


def test_a_perplexity_slider_searches_what_is_missing(searched):
    X = np.random.default_rng(0).normal(size=(200, 12))
    method = nb.HSSNE(perplexity=20.0, algorithm="grid", random_state=0)
    with nb.Session(X, method) as session:
        session.step(2, wait=True)
        for perplexity in (15.0, 10.0, 18.0):
            session.set(perplexity=perplexity)
            session.step(1, wait=True)
        assert of_data(searched) == [60]
        for perplexity in (25.0, 35.0, 30.0):
            session.set(perplexity=perplexity)
            session.step(1, wait=True)
        assert of_data(searched) == [60, 120]
        with session.replayed() as again:
            assert again.embedding.tobytes() == session.embedding.tobytes()


def of_data(searched: list[int]) -> list[int]:
    """Return the searches in the data; those on the map, for its quality, are of one neighbor."""
    return [k for k in searched if k > 1]
