"""Undo, redo, gestures and snapshots."""

from __future__ import annotations

import numpy as np
import pytest

from nbembed.session.core.history import LIMIT
from nbembed.supervision import Supervision
from tests.session.fake import Other, rest


def test_labels_from_the_start_are_not_to_be_undone(start, X):
    given = Supervision(len(X)).label([1, 2], "a").must_link([4, 5])
    session = start(supervision=given)
    assert (session.can_undo, session.undo_text, session.changes) == (False, "", ())
    session.label([3], "a")
    session.undo()
    assert not session.can_undo
    assert session.supervision.labeled.tolist() == [1, 2]
    assert len(session.supervision.links) == 1


def test_undo_and_redo_cover_parameters_supervision_and_method(start):
    session = start()
    session.set(weight=2.0)
    session.label([1, 2], "a", confidence=0.7)
    session.switch(Other())
    assert (session.can_undo, session.can_redo) == (True, False)
    texts = []
    while session.can_undo:
        texts.append(session.undo_text)
        session.undo()
    assert texts == ["switch to Other", "label 2 points as a", "set w to 2"]
    assert session.method_name == "Fake"
    assert session.parameters["weight"] == 1.0
    assert session.supervision.labeled.size == 0
    assert session.redo_text == "set w to 2"
    for _ in texts:
        session.redo()
    assert session.method_name == "Other"
    assert session.supervision.labeled.tolist() == [1, 2]
    assert not session.can_redo
    with pytest.raises(ValueError, match="nothing to redo"):
        session.redo()


def test_undo_leaves_the_points_where_they_are(start):
    session = start()
    session.step(3)
    session.label([1], "a")
    session.step(3)
    rest(session)
    before = session.embedding
    session.undo()
    rest(session)
    assert np.array_equal(session.embedding, before)
    with pytest.raises(ValueError, match="nothing to undo"):
        session.undo()


def test_dragging_a_slider_is_one_step(start):
    session = start()
    session.play()
    for weight in np.linspace(1.1, 3.0, 20):
        session.set(weight=weight)
    session.pause()
    session.set(weight=4.0)
    session.undo()
    assert session.parameters["weight"] == 1.0
    assert not session.can_undo
    session.redo()
    assert session.parameters["weight"] == 4.0


def test_another_change_ends_the_gesture(start):
    session = start()
    session.set(weight=2.0)
    session.set(width=2.0)
    session.set(weight=3.0)
    session.label([1], "a")
    session.set(weight=4.0)
    session.snapshot()
    session.set(weight=5.0)
    for expected in (4.0, 3.0, 3.0, 2.0, 2.0, 1.0):
        session.undo()
        assert session.parameters["weight"] == expected
    assert not session.can_undo


def test_dragged_there_and_back_leaves_nothing_to_undo(start):
    session = start()
    session.set(weight=2.0)
    session.set(weight=1.0)
    assert not session.can_undo


def test_a_change_forgets_what_was_undone(start):
    session = start()
    session.set(weight=2.0)
    session.undo()
    session.label([0], "a")
    assert not session.can_redo


def test_history_is_bounded(start):
    session = start()
    for i in range(LIMIT + 20):
        session.label([i % 30], f"class {i % 3}", confidence=0.5 + (i % 7) / 100)
    count = 0
    while session.can_undo:
        session.undo()
        count += 1
    assert count == LIMIT
    assert session.supervision.labeled.size > 0


@pytest.mark.parametrize(
    ("steer", "match"),
    [
        (lambda s: s.set(alpah=1.0), "'alpah' is not a parameter"),
        (lambda s: s.set(), "at least one parameter"),
        (lambda s: s.set(verbose=1), "'verbose' is not a parameter"),
        (lambda s: s.set(weight=-1.0), "weight must be at least"),
        (lambda s: s.set(weight=2.0, width=-1.0), "width must be at least"),
        (lambda s: s.label([30], "a"), "points must be indices in"),
        (lambda s: s.label([-1], "a"), "points must be indices in"),
        (lambda s: s.label([0.5], "a"), "points must be point indices"),
        (lambda s: s.label([], "a"), "points must name at least one"),
        (lambda s: s.label([1], " "), "class_ must not be blank"),
        (lambda s: s.label([1], "a", confidence=1.5), "confidence"),
        (lambda s: s.label([1], "a", confidence="much"), "confidence"),
        (lambda s: s.must_link([1, 99]), "points must be indices in"),
        (lambda s: s.cannot_link([1], [1, 2]), "a and b must not share points"),
        (lambda s: s.cannot_link([1], [99]), "b must be indices in"),
        (lambda s: s.rename_class("x", "y"), "old must be an existing class"),
        (lambda s: s.supervise([0, 1]), "supervision must have 30 labels"),
        (lambda s: s.restore("nothing"), "name must be an existing snapshot"),
        (lambda s: s.snapshot(3), "name must be text"),
    ],
)
def test_a_refused_command_changes_nothing(start, steer, match):
    session = start()
    known, parameters = session.supervision, session.parameters
    with pytest.raises((ValueError, TypeError), match=match):
        steer(session)
    rest(session)
    assert session.supervision == known
    assert session.parameters == parameters
    assert not session.can_undo
    assert len(session.log) == 1


def test_labels_by_mask_and_replacing_all_of_them(start):
    session = start()
    mask = np.zeros(30, dtype=bool)
    mask[[3, 8]] = True
    session.label(mask, 7)
    assert session.supervision.labeled.tolist() == [3, 8]
    assert session.supervision.classes == ("7",)
    y = np.full(30, -1)
    y[:3] = [0, 1, 1]
    session.supervise(y)
    assert session.supervision.labeled.tolist() == [0, 1, 2]
    session.undo()
    assert session.supervision.labeled.tolist() == [3, 8]
    session.forget([3])
    assert session.supervision.labeled.tolist() == [8]


def test_snapshots_keep_layout_parameters_and_labels(start):
    session = start()
    session.step(4)
    session.label([1], "a")
    assert session.snapshot() == "snapshot 1"
    assert session.snapshot("best") == "best"
    rest(session)
    kept = session.embedding
    session.step(20)
    session.set(weight=3.0)
    session.forget([1])
    session.switch(Other(n_components=3))
    session.play()
    session.pause()
    session.restore("best")
    assert session.snapshots == ("snapshot 1", "best")
    assert session.method_name == "Fake"
    assert session.parameters["weight"] == 1.0
    assert session.supervision.labeled.tolist() == [1]
    rest(session)
    assert np.array_equal(session.embedding, kept)
    assert session.state == "paused"
    session.undo()
    assert session.method_name == "Other"
    rest(session)
    assert session.embedding.shape == (30, 3)


def test_a_snapshot_of_an_idle_session_keeps_the_settings(start):
    session = start()
    session.label([1], "a")
    session.snapshot("before")
    session.undo()
    session.step(5)
    session.restore("before")
    session.step(1)
    rest(session)
    assert session.supervision.labeled.tolist() == [1]
    assert session.iteration == 6
