"""Labels that are carried to the points around them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.datasets import load_digits, make_blobs

import nbembed as nb
from nbembed.affinities import Affinities, perplexity_affinities
from nbembed.propagation import carrying
from nbembed.propagation.carrying import carried
from nbembed.propagation.graph import symmetric_weights
from nbembed.supervision import Supervision

X, y = make_blobs(240, 5, centers=4, random_state=0)


@pytest.fixture(scope="module")
def affinities() -> Affinities:
    return perplexity_affinities(X, 15).joint()


def some(classes: Any, per_class: int = 2) -> Supervision:
    said = Supervision(len(y))
    for k in classes:
        said = said.label(np.flatnonzero(y == k)[:per_class], f"class {k}")
    return said


def test_labels_stay_and_their_neighbors_get_soft_ones(affinities: Affinities) -> None:
    said = some(range(4))
    found = carried(affinities, said)
    assert found.classes == said.classes
    where = said.labeled
    np.testing.assert_array_equal(found.top_class[where], said.top_class[where])
    np.testing.assert_array_equal(found.confidence[where], 1)
    others = np.setdiff1d(found.labeled, where)
    assert others.size > 200
    assert np.mean(found.top_class[others] == y[others]) > 0.99
    assert (found.confidence[others] < 1).all()


def test_a_weight_is_the_law_of_labels_times_the_root_of_the_reach(
    affinities: Affinities, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = some(range(4)).label([5], "class 1", confidence=0.7)
    W = symmetric_weights(affinities, 10.0, 1).toarray()
    P = W / W.sum(axis=1, keepdims=True)
    free = np.setdiff1d(np.arange(len(y)), said.labeled)
    T = said.targets()[said.labeled]
    F = np.linalg.solve(
        np.eye(free.size) - 0.99 * P[np.ix_(free, free)],
        0.99 * P[np.ix_(free, said.labeled)] @ T,
    )
    mass = F.sum(axis=0) + T.sum(axis=0)
    p = F * mass**-0.5
    p /= p.sum(axis=1, keepdims=True)
    expected = np.sqrt(F.sum(axis=1)) * np.maximum(0, (4 * p.max(axis=1) - 1) / 3)
    np.testing.assert_allclose(carried(affinities, said).label_weights[free], expected, atol=0.01)
    monkeypatch.setattr(carrying, "TOLERANCE", 1e-9)
    found = carried(affinities, said).label_weights[free]
    acting = expected > carrying.LEAST
    np.testing.assert_allclose(found[acting], expected[acting], atol=1e-6)


def test_groups_that_nobody_named_stay_where_they_are() -> None:
    """Two digits lassoed one after the other: the others had followed the second."""
    data, digit = load_digits(return_X_y=True)
    map_ = perplexity_affinities(data, 30).joint()
    said = Supervision(len(digit))
    for k in (0, 6):
        own = np.flatnonzero(digit == k)
        away = np.linalg.norm(data[own] - data[own].mean(axis=0), axis=1)
        said = said.label(own[away <= np.quantile(away, 0.8)], str(k))
    weights = carried(map_, said).label_weights
    free = np.setdiff1d(np.arange(len(digit)), said.labeled)
    named = np.isin(digit[free], (0, 6))
    assert weights[free][~named].mean() < 0.01
    assert weights[free][named].mean() > 0.8


def test_one_class_is_carried_nowhere(affinities: Affinities) -> None:
    for said in (Supervision(len(y)), some([1]), some([1]).must_link([0, 1, 2])):
        assert carried(affinities, said) is said


def test_a_group_that_no_label_reaches_is_left_alone(affinities: Affinities) -> None:
    found = carried(affinities, some([0, 1]))
    weights = found.label_weights
    assert np.median(weights[y == 0]) > 5 * np.median(weights[y >= 2])


def test_the_same_labels_are_carried_to_the_same_bits(affinities: Affinities) -> None:
    first = carried(affinities, some(range(4)))
    carried(affinities, some([0, 2], 5).must_link([7, 90]).cannot_link([1], [2]))
    again = carried(affinities, some(range(4)), n_jobs=2)
    assert first == again


def test_links_and_pins_are_kept(affinities: Affinities) -> None:
    said = some([0, 1]).must_link([7, 90]).cannot_link([1], [2]).pin([3])
    found = carried(affinities, said)
    assert len(found.links) == len(found.cannot_links) == 1
    np.testing.assert_array_equal(found.pinned, [3])


def error(Y: NDArray[Any], labeled: NDArray[Any], classes: NDArray[Any]) -> float:
    """Return the share of unlabeled points whose nearest labeled point is of another class."""
    others = np.setdiff1d(np.arange(len(classes)), labeled)
    nearest = np.linalg.norm(Y[others, None] - Y[labeled], axis=2).argmin(axis=1)
    return float(np.mean(classes[labeled][nearest] != classes[others]))


@pytest.mark.parametrize("method", [nb.HSSNE, nb.SNE, nb.NeRV])
def test_neighborhoods_go_with_their_labels(method: Any) -> None:
    data, classes = (part[:500] for part in load_digits(return_X_y=True))
    errors = []
    for on in (False, True):
        found = []
        for seed in range(3):
            rng = np.random.default_rng(seed)
            labeled = np.concatenate(
                [rng.permutation(np.flatnonzero(classes == k))[:3] for k in range(10)]
            )
            given = np.full(500, -1)
            given[labeled] = classes[labeled]
            made = method(random_state=0, propagate_labels=on).fit(data, given)
            assert made.supervision_.labeled.size == 30, "those said"
            found.append(error(made.embedding_, labeled, classes))
        errors.append(np.mean(found))
    assert errors[1] < 0.85 * errors[0]


def test_a_live_session_carries_labels_and_says_so() -> None:
    with nb.Session(X, nb.HSSNE(random_state=0)) as session:
        assert session.method.propagate_labels is True
        assert "propagate_labels=True" in session.to_script()
        session.label([0, 1], "a")
        session.label(np.flatnonzero(y != y[0])[-2:], "b")
        session.step(30, wait=True)
        assert session.supervision.labeled.size == 4
        np.testing.assert_array_equal(session.replayed().embedding, session.embedding)
    with nb.Session(X, nb.HSSNE(random_state=0, propagate_labels=False)) as session:
        assert session.method.propagate_labels is False


def test_a_live_map_is_colored_by_the_labels_that_are_carried() -> None:
    with nb.Session(X, nb.HSSNE(random_state=0)) as session:
        session.label([0, 1], "a")
        session.step(2, wait=True)
        assert session.membership is None
        session.label(np.flatnonzero(y != y[0])[-2:], "b")
        session.step(2, wait=True)
        shares = session.membership
        assert shares is not None
        acting = carried(perplexity_affinities(X, 30).joint(), session.supervision)
        np.testing.assert_array_equal(shares.sum(axis=1) > 0, acting.label_weights > 0)
        np.testing.assert_allclose(shares[session.supervision.labeled].max(axis=1), 1)
        there = np.flatnonzero(shares.sum(axis=1))
        assert there.size > 30
        np.testing.assert_array_equal(shares[there].argmax(axis=1), acting.top_class[there])
        session.undo()
        session.step(2, wait=True)
        assert session.membership is None
    with nb.Session(X, nb.HSSNE(random_state=0, propagate_labels=False)) as session:
        session.label([0, 1], "a")
        session.label([2], "b")
        session.step(2, wait=True)
        assert session.membership is None


@pytest.mark.parametrize("wrong", ["yes", 2, None, np.zeros(8)])
@pytest.mark.parametrize("method", [nb.HSSNE, nb.NeRV])
def test_it_is_a_flag(method: Any, wrong: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="propagate_labels"):
        method(propagate_labels=wrong).fit(X)


def test_nerv_carries_labels_where_all_pairs_are_there() -> None:
    with nb.Session(X, nb.NeRV(random_state=0)) as session:
        assert session.method.propagate_labels is True
        session.label([0, 1], "a")
        session.label(np.flatnonzero(y != y[0])[-2:], "b")
        session.step(2, wait=True)
        shares = session.membership
        assert shares is not None
        assert np.count_nonzero(shares.sum(axis=1)) > 30
    many = np.zeros((5000, 2))
    many[:, 0] = np.arange(5000)
    assert nb.NeRV().recipe.live(5000).propagate_labels is False
    assert nb.NeRV(algorithm="grid", map_width="uniform").recipe.live(90).propagate_labels is False
    with pytest.raises(ValueError, match="propagate_labels=True needs affinities of all pairs"):
        nb.NeRV(propagate_labels=True).fit(many)
    nb.NeRV(propagate_labels=True, algorithm="exact").recipe.check(5000, Supervision(5000))


def test_snerv_learns_from_labels_and_carries_none() -> None:
    with nb.Session(X, nb.SNeRV(random_state=0)) as session:
        session.label([0, 1], "a")
        session.label(np.flatnonzero(y != y[0])[-2:], "b")
        session.step(2, wait=True)
        assert session.membership is None
        assert "propagate" not in session.to_script()
