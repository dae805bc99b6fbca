"""Suggested groups: communities of the neighbor graph, largest first."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.metrics import adjusted_rand_score

from nbembed.propagation.groups import find_groups, group_graph
from nbembed.session import Session
from tests.session.fake import Fake

#: Three clusters of different sizes that share no neighbors.
TRUTH = np.repeat([0, 1, 2], [60, 50, 40])
X = np.random.default_rng(1).normal(size=(150, 3)) + 40.0 * TRUTH[:, None]


@pytest.fixture(scope="module")
def digits() -> Any:
    data, truth = load_digits(return_X_y=True)
    return group_graph(data, "euclidean"), truth


def test_groups_of_digits_are_the_digits(digits: Any) -> None:
    graph, truth = digits
    found = find_groups(graph)
    assert 10 <= len(found) <= 14
    assert adjusted_rand_score(truth, found.codes) > 0.85  # .90
    assert (np.diff(found.sizes) <= 0).all()
    assert found.sizes.tolist() == np.bincount(found.codes).tolist()


def test_the_same_seed_comes_to_the_same_groups(digits: Any) -> None:
    graph, _ = digits
    first, second = find_groups(graph, 1.0, 7), find_groups(graph, 1.0, 7)
    assert np.array_equal(first.codes, second.codes)
    assert len(find_groups(graph, 3.0)) > len(first) > len(find_groups(graph, 0.05))


def test_typical_points_lie_inside_and_those_at_the_border_do_not(digits: Any) -> None:
    graph, truth = digits
    found = find_groups(graph)
    for k in range(len(found)):
        assert set(found.typical(k)) <= set(found.points(k))
        assert set(found.border(k)) <= set(found.points(k))
        if found.border(k).size:
            assert found.share[found.typical(k)].mean() > found.share[found.border(k)].mean()
        assert k not in found.nearest(k)
    main = [np.bincount(truth[found.points(k)]).argmax() for k in range(len(found))]
    large = [k for k in range(len(found)) if found.sizes[k] > 100]
    assert all((truth[found.typical(k)] == main[k]).all() for k in large)


def test_clusters_without_common_neighbors_are_groups_of_their_own() -> None:
    with Session(X, Fake(random_state=3)) as session:
        found = session.suggest_groups(0.1)
        assert np.array_equal(found.codes, TRUTH)
        assert found.border(0).size == found.nearest(0).size == 0
        assert session.log[1:] == []  # neither map nor log has changed


def test_some_points_alone_are_divided() -> None:
    with Session(X, Fake(random_state=3)) as session:
        found = session.suggest_groups(0.05, points=np.flatnonzero(TRUTH > 0))
        assert np.array_equal(found.codes, TRUTH - 1)
        assert len(session.suggest_groups(2.0, points=np.arange(60))) > 1


def test_an_accepted_group_is_a_label_that_undo_takes_back() -> None:
    with Session(X, Fake(random_state=3)) as session:
        session.label([0, 1], "known")
        found = session.suggest_groups(0.1)
        rest = found.points(0)[session.supervision.top_class[found.points(0)] < 0]
        session.label(rest, "first")
        assert (session.supervision.top_class[:60] >= 0).all()
        assert session.supervision.top_class[0] == 0
        session.undo()
        assert session.supervision.labeled.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"resolution": 0}, "resolution"),
        ({"resolution": float("nan")}, "resolution"),
        ({"points": [999]}, "points"),
        ({"points": []}, "points"),
        ({"random_state": "x"}, "random_state"),
    ],
)
def test_what_is_not_legal_is_named(arguments: Any, named: str) -> None:
    with Session(X, Fake(random_state=3)) as session, pytest.raises((ValueError, TypeError)) as e:
        session.suggest_groups(**arguments)
    assert named in str(e.value)
