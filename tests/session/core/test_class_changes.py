"""Merging and removing classes in a live session: undone, replayed, and written as a script."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

from nbembed import HSSNE, Mbed, ParametricEmbedding
from nbembed.session import Session
from tests.session.fake import GUARD, rest

IRIS = load_iris()


def label_iris(session, names="abc"):
    for k, name in enumerate(names):
        session.label(np.flatnonzero(IRIS.target[::3] == k)[:5], name)


def regions(session):
    """Return the direction of each class by its name."""
    return dict(zip(session.supervision.classes, session.directions))


def centers(session):
    """Return the center of each class by its name."""
    return dict(zip(session.center_names, session.centers))


def test_classes_are_merged_and_removed_and_come_back(start):
    session = start()
    session.label([0, 1], "a", 0.8)
    session.label([2], "b")
    session.label([3], "c")
    session.step(3)
    session.merge_classes("a", "b")
    assert session.undo_text == "merge a into b"
    session.remove_class("c")
    assert session.undo_text == "remove the class c"
    session.step(3)
    rest(session)
    value = session.supervision
    assert value.classes == ("b",)
    assert value.top_class[:4].tolist() == [0, 0, 0, -1]
    again = session.replayed()
    assert again.supervision == value
    assert again.embedding.tobytes() == session.embedding.tobytes()
    again.close()
    script = session.to_script()
    assert "session.merge_classes('a', 'b')" in script.replace('"', "'")
    assert "session.remove_class('c')" in script.replace('"', "'")
    session.undo()
    session.undo()
    assert session.supervision.classes == ("a", "b", "c")
    assert session.supervision.confidence[0] == 0.8
    with pytest.raises(ValueError, match="old must be an existing class"):
        session.merge_classes("z", "a")
    with pytest.raises(ValueError, match="name must be an existing class"):
        session.remove_class("z")


@pytest.mark.parametrize(
    "change",
    [lambda session: session.remove_class("a"), lambda session: session.merge_classes("a", "b")],
    ids=["removed", "merged"],
)
def test_classes_keep_their_regions_when_others_go_and_come_back(change):
    with Session(IRIS.data[::3], HSSNE(random_state=0)) as session:
        session.pace = None
        label_iris(session)
        session.switch("Mbed")
        session.step(20)
        rest(session)
        before = regions(session)
        assert list(before) == ["a", "b", "c"]
        change(session)
        session.step(5)
        rest(session)
        after = regions(session)
        assert np.array_equal(after["b"], before["b"])
        assert np.array_equal(after["c"], before["c"])
        session.undo()
        session.step(5)
        rest(session)
        again = regions(session)
        assert list(again) == list(before)
        assert all(np.array_equal(again[name], before[name]) for name in before)
        with session.replayed() as replayed:
            assert replayed.embedding.tobytes() == session.embedding.tobytes()


GIVEN = {"a": [1.0, 0.0], "b": [0.0, 1.0], "c": [-1.0, 0.0]}


@pytest.mark.parametrize("kind", [list, np.array], ids=["list", "array"])
@pytest.mark.parametrize("alpha", ["auto", 1.0])
def test_classes_keep_their_given_directions_and_priors(kind, alpha):
    method = Mbed(
        directions=kind(list(GIVEN.values())),
        class_prior=kind([0.2, 0.3, 0.5]),
        alpha=alpha,
        random_state=0,
    )
    with Session(IRIS.data[::3], method) as session:
        session.pace = None
        label_iris(session)
        session.step(5, wait=True)
        session.remove_class("a")
        session.step(5, wait=True)
        assert {name: w.tolist() for name, w in regions(session).items()} == {
            name: GIVEN[name] for name in "bc"
        }
        assert np.array_equal(session.method.class_prior, [0.3, 0.5, 0.2])
        session.label([0], "new")  # takes the direction that is free
        session.step(5, wait=True)
        assert regions(session)["new"].tolist() == GIVEN["a"]
        before = session.directions
        session.reset()
        session.step(5, wait=True)
        assert np.array_equal(session.directions, before)
        with session.replayed() as replayed:
            assert replayed.embedding.tobytes() == session.embedding.tobytes()


def test_given_directions_follow_classes_while_another_method_is_at_work():
    with Session(IRIS.data[::3], Mbed(directions=list(GIVEN.values()), random_state=0)) as session:
        label_iris(session)
        session.switch("HSSNE")
        session.remove_class("a")
        session.switch("Mbed")
        session.step(5, wait=True)
        assert {name: w.tolist() for name, w in regions(session).items()} == {
            name: GIVEN[name] for name in "bc"
        }


def test_a_class_that_goes_leaves_the_map_of_given_directions_where_it_is(monkeypatch):
    def adopted(*arguments):
        raise AssertionError("the layout was adopted anew")

    method = Mbed(directions=list(GIVEN.values()), class_prior=[0.2, 0.3, 0.5], random_state=0)
    with Session(IRIS.data[::3], method) as session:
        label_iris(session)
        session.step(5, wait=True)
        monkeypatch.setattr(method.recipe_type, "adopt", adopted)
        before = session.embedding
        session.remove_class("a")
        session.undo()
        rest(session)
        assert np.array_equal(session.embedding, before)
        session.step(5, wait=True)
        assert {name: w.tolist() for name, w in regions(session).items()} == GIVEN


def test_classes_keep_their_centers_when_others_go_and_come_back():
    recipe = ParametricEmbedding(classifier="soft-nearest-neighbor", random_state=0)
    with Session(IRIS.data[::3], recipe) as session:
        session.pace = None
        label_iris(session, "ab")
        session.play()
        assert session.wait("converged", GUARD)
        before = centers(session)
        session.remove_class("a")
        assert session.wait("converged", GUARD)
        # With one class there is nothing to learn from, and the map stays as it is.
        assert np.array_equal(centers(session)["b"], before["b"])
        session.undo()
        assert session.wait("converged", GUARD)
        again, size = centers(session), np.linalg.norm(before["a"] - before["b"])
        assert list(again) == ["a", "b"]
        assert all(np.linalg.norm(again[k] - before[k]) < size / 2 for k in "ab")
