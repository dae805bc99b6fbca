"""Points that labels do not reach as they reach their own are said to be of none of the classes."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import make_blobs

import nbembed as nb
from nbembed.propagation import Propagation, neighbor_affinities
from nbembed.propagation.incremental import from_zero
from nbembed.propagation.reach import (
    GROUP,
    LIMIT,
    LOST,
    RISE,
    _reach,
    first_valley,
    least_reach,
    none_of_these,
    sweep,
)
from nbembed.propagation.stacking import Stacking
from nbembed.supervision import Supervision, as_supervision


@pytest.fixture(scope="module")
def four():
    """Four clouds that touch their neighbors, and their graph."""
    centers = 5.0 * np.array([[0, 0], [1, 0], [0, 1], [1, 1]])
    X, y = make_blobs(800, centers=centers, cluster_std=1.0, random_state=0)
    return X, y, Propagation(neighbor_affinities(X))


def ten_of_each(y, classes, seed=0):
    rng = np.random.default_rng(seed)
    known = np.full(y.size, -1)
    for k in classes:
        known[rng.permutation(np.flatnonzero(y == k))[:10]] = k
    return known


def none_of(graph, known):
    supervision = as_supervision(known, known.size)
    p, reach = from_zero(graph, supervision, 1e-6)
    least = least_reach(graph, supervision, p.argmax(axis=1), reach)
    return none_of_these(graph, supervision, reach, least)


def test_a_cloud_without_labels_is_of_none_of_the_classes(four):
    _, y, graph = four
    found, lost = [], []
    for left_out in range(4):
        others = [k for k in range(4) if k != left_out]
        for seed in range(4):
            none = none_of(graph, ten_of_each(y, others, seed))
            found.append(none[y == left_out].mean())
            lost.append(none[y != left_out].mean())
    assert np.mean(found) > 0.95
    assert min(found) > 0.85
    assert np.mean(lost) < LOST


def test_where_all_classes_have_labels_few_points_are_lost(four):
    _, y, graph = four
    none = [none_of(graph, ten_of_each(y, range(4), seed)) for seed in range(4)]
    assert np.mean(none) < LOST


def test_labels_in_heaps_lose_no_more_of_their_classes(four):
    """A lasso's labels are each other's neighbors: the others are reached far less than they."""
    X, y, graph = four
    found, lost = [], []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        known = np.full(y.size, -1)
        for k in range(3):
            of_class = np.flatnonzero(y == k)
            away = np.linalg.norm(X[of_class] - X[rng.choice(of_class)], axis=1)
            known[of_class[np.argsort(away)[:30]]] = k
        none = none_of(graph, known)
        found.append(none[y == 3].mean())
        lost.append(none[y != 3].mean())
    assert np.mean(found) > 0.8
    assert np.mean(lost) < LOST


def test_large_classes_count_for_more_than_their_labels():
    """Ten labels are met less often in a large class, and most points are of it."""
    sizes = [1500, 60, 60, 300]
    centers = 6.0 * np.array([[0, 0], [1.2, 0], [0, 1.2], [1.2, 1.2]])
    X, y = make_blobs(sizes, centers=centers, cluster_std=[1.5, 0.5, 0.5, 0.8], random_state=0)
    none = none_of(Propagation(neighbor_affinities(X)), ten_of_each(y, range(3)))
    assert none[y == 0].mean() < 2 * LOST
    assert none[y == 3].mean() > 0.9


def test_lassoed_clouds_leave_the_others(four):
    """If a class is labeled nearly whole, most unlabeled points are of other classes.

    Labels carried to it drew all other groups of a map to the first two that had a name.
    """
    X, y, graph = four
    middles = np.stack([X[y == k].mean(axis=0) for k in range(4)])
    in_own = np.linalg.norm(X[:, None] - middles, axis=2).argmin(axis=1) == y
    lost = []
    for share in (0.8, 1.0):
        for first in range(4):
            known = np.full(y.size, -1)
            for k in (first, (first + 1) % 4):
                of_class = np.flatnonzero(y == k)
                away = np.linalg.norm(X[of_class] - X[of_class].mean(axis=0), axis=1)
                known[of_class[away <= np.quantile(away, share)]] = k
            none = none_of(graph, known)
            assert none[~np.isin(y, known)].mean() > 0.95
            lost.append(none[(known < 0) & np.isin(y, known) & in_own])
    assert np.concatenate(lost).mean() < 0.2, "of those that no lasso holds most are of their class"


def test_stray_points_are_no_group(four):
    _, y, graph = four
    supervision = as_supervision(ten_of_each(y, range(4)), y.size)
    least = 0.5
    reach = np.ones(y.size)
    free = np.setdiff1d(np.arange(y.size), supervision.labeled)
    nearby = np.intersect1d(free, graph._graph.S[[free[0]]].indices)[:10]
    reach[np.append(nearby, free[0])] = 0.1
    assert GROUP * free.size / supervision.labeled.size > 11
    assert not none_of_these(graph, supervision, reach, least).any()
    reach[y == 2] = 0.1
    none = none_of_these(graph, supervision, reach, least)
    assert none[free[y[free] == 2]].mean() > 0.95
    assert not none[supervision.labeled].any()


def test_the_conductance_is_that_of_its_definition(four):
    """A second formula: edges counted anew for each set."""
    _, y, graph = four
    W = graph._graph.S.toarray() * graph._graph.root[:, None] * graph._graph.root
    order = np.random.default_rng(0).permutation(y.size)
    found = sweep(graph._graph, order)
    assert found.shape == (y.size - 1,)
    for k in (1, 2, 77, 400, y.size - 1):
        inside, outside = order[:k], order[k:]
        cut = W[np.ix_(inside, outside)].sum()
        smaller = min(W[inside].sum(), W[outside].sum())
        assert found[k - 1] == pytest.approx(cut / smaller, rel=1e-9)


@pytest.mark.parametrize(
    ("conductance", "bottom"),
    [
        ([], 0),
        ([0.9, 0.5, 2 * LIMIT], 3),
        ([0.9, LIMIT, 0.9, 0.1 * LIMIT], 1),
        ([0.9, LIMIT, RISE * LIMIT, 0.1 * LIMIT, 1.0], 3),
        ([0.9, 0.5, 0.0], 2),
    ],
)
def test_the_first_valley_counts(conductance, bottom):
    assert first_valley(np.array(conductance)) == bottom


def test_nothing_is_said_where_nothing_can_be_left_out(four):
    _, y, graph = four
    known = np.full(y.size, -1)
    known[[int(np.flatnonzero(y == k)[0]) for k in range(3)]] = range(3)
    assert not none_of(graph, known).any()
    assert not none_of(graph, y).any()


def test_one_named_class_leaves_the_others(four):
    _, y, graph = four
    none = none_of(graph, ten_of_each(y, [2]))
    assert none[y == 2].mean() < 2 * LOST
    assert none[y != 2].mean() > 0.75


def test_reach_is_that_of_a_walk_that_ends_at_a_label(four):
    """A second formula: the linear system of the walk, without a symmetric root."""
    _, y, graph = four
    W = graph._graph.S.toarray() * graph._graph.root[:, None] * graph._graph.root
    P = W / W.sum(axis=1, keepdims=True)
    labeled = np.arange(0, y.size, 40)
    free = np.setdiff1d(np.arange(y.size), labeled)
    expected = np.ones(y.size)
    left = np.eye(free.size) - 0.99 * P[np.ix_(free, free)]
    expected[free] = np.linalg.solve(left, 0.99 * P[np.ix_(free, labeled)].sum(axis=1))
    supervision = Supervision(y.size).label(labeled, "a")
    np.testing.assert_allclose(_reach(graph, supervision, labeled), expected, atol=2e-3)
    found = from_zero(graph, supervision, 1e-9)[1]
    np.testing.assert_allclose(found, expected, atol=1e-7)


def test_asking_changes_no_later_suggestion(four):
    X, y, _ = four
    supervision = as_supervision(ten_of_each(y, range(3)), y.size)
    more = supervision.label(5, "3")
    asked, other = (Propagation(neighbor_affinities(X)) for _ in range(2))
    for graph in (asked, other):
        found = graph.update(supervision)
    least_reach(asked, supervision, found.top_class, found.reach)
    np.testing.assert_array_equal(
        asked.update(more).probabilities, other.update(more).probabilities
    )


def test_suggestions_know_of_none(four):
    X, y, graph = four
    known = ten_of_each(y, range(3))
    supervision = as_supervision(known, y.size)
    found = Stacking(graph, X).update(supervision)
    assert found.none_of_these[y == 3].mean() > 0.9
    assert not found.none_of_these[known >= 0].any()
    assert not np.isin(np.flatnonzero(found.none_of_these), found.above(0.0)).any()
    np.testing.assert_allclose(found.probabilities.sum(axis=1), 1)
    assert not found.none_of_these.flags.writeable
    # A label in the cloud, and it is a class like the others.
    named = ten_of_each(y, range(4))
    again = Stacking(graph, X).update(as_supervision(named, y.size))
    assert again.none_of_these.mean() < LOST
    assert (again.top_class[y == 3] == 3).mean() > 0.95


def test_the_estimator_still_answers_for_all_points(four):
    X, y, _ = four
    model = nb.PropagationClassifier().fit(X, ten_of_each(y, range(3)))
    assert model.suggestions_.none_of_these[y == 3].mean() > 0.9
    assert set(model.transduction_) <= {0, 1, 2}
