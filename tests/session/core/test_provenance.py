"""Who changed what: the history as a list with places to go to, and where each label came from."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from nbembed.session import Session, load_session
from nbembed.session.core.history import LIMIT
from nbembed.session.core.provenance import Provenance
from nbembed.session.core.session_state import SessionState
from nbembed.session.core.settings import Settings
from nbembed.session.live.giver import given_by_hand
from nbembed.supervision import Supervision
from tests.session.fake import Fake, Other, rest


def sources(session):
    """Return source and class of each labeled point."""
    classes = session.supervision.classes
    codes = session.supervision.top_class
    return {
        i: (None if p is None else p.source, classes[codes[i]])
        for i, p in session.label_provenance.items()
    }


def test_changes_say_who_did_what_and_how(start):
    session = start()
    session.step(5, wait=True)
    with given_by_hand("lasso"):
        session.label(range(12), "six", confidence=0.9)
    session.set(weight=2.0)
    texts = [str(change) for change in session.changes]
    assert texts == ["label 12 points as six, confidence 0.9, by lasso", "set w to 2"]
    hand, code = (change.provenance for change in session.changes)
    assert (hand.source, hand.how, hand.iteration) == ("hand", "lasso", 5)
    assert (code.source, code.how) == ("code", "")
    assert hand.time <= code.time
    assert [change.number for change in session.changes] == [1, 2]
    assert session.place == 2


def test_a_step_that_is_gone_tells_nothing_of_the_one_before():
    recipe, supervision, told = Fake(random_state=3), Supervision(30), Provenance("hand", "", "", 0)
    labeled = Settings.of(recipe, supervision.label([1], "a"))
    moved = Settings.of(recipe.replace(weight=2.0), labeled.supervision)
    begin = SessionState(Settings.of(recipe, supervision)).changed(labeled, "label")
    drag = begin.changed(moved, "set w", "w").told_by(told, begin, labels=False)
    assert [step.provenance for step in drag.history.past] == [None, told]
    back = drag.changed(labeled, "set w", "w").told_by(told, drag, labels=False)
    undone = drag.undone().told_by(told, drag, labels=False)
    for state in (back, undone):
        assert [step.provenance for step in state.history.past] == [None]


def test_each_change_is_a_place_to_go_to(start):
    session = start()
    session.label([1], "a")
    session.set(weight=2.0)
    session.switch(Other())
    session.label([2], "b")
    session.go_to(1)
    assert (session.method_name, session.parameters["weight"]) == ("Fake", 1.0)
    assert session.supervision.labeled.tolist() == [1]
    assert [change.undone for change in session.changes] == [False, True, True, True]
    session.go_to(4)
    assert session.method_name == "Other"
    assert session.supervision.labeled.tolist() == [1, 2]
    session.go_to(0)
    assert session.supervision.labeled.size == 0
    assert session.redo_text == "label 1 point as a"
    session.redo()
    assert session.place == 1
    for wrong in (-1, 5):
        with pytest.raises(ValueError, match=r"number must be a step of the history, in \[0, 4\]"):
            session.go_to(wrong)


def test_going_where_one_is_changes_nothing(start):
    session = start()
    session.label([1], "a")
    rest(session)
    count = len(session.log)
    session.go_to(1)
    rest(session)
    assert len(session.log) == count


def test_places_keep_their_numbers_when_old_ones_are_forgotten(start):
    session = start()
    for i in range(LIMIT + 3):
        session.label([i % 30], f"class {i % 3}", confidence=0.5 + (i % 7) / 100)
    made = len({c.number for c in session.changes})
    assert made == LIMIT
    assert session.changes[-1].number == session.place
    oldest = session.first_place
    assert oldest > 0
    session.go_to(oldest)
    assert not session.can_undo
    with pytest.raises(ValueError, match=r"in \[3, 203\], got 2"):
        session.go_to(oldest - 1)


def test_going_back_replays_and_prints_to_the_same_bits(start, X):
    session = start()
    session.step(4)
    session.label([1, 2], "a")
    session.step(3)
    session.set(weight=2.0)
    session.step(3)
    session.go_to(1)
    session.step(5)
    session.go_to(2)
    session.step(5)
    rest(session)
    again = session.replayed()
    assert np.array_equal(again.embedding, session.embedding)
    assert again.place == session.place == 2
    assert "session.go_to(1)" in session.to_script()


def test_a_label_knows_its_origin_through_undo_and_a_new_name(start):
    session = start()
    with given_by_hand("click"):
        session.label([0, 1], "a")
    session.label([1, 2], "b")
    assert sources(session) == {0: ("hand", "a"), 1: ("code", "b"), 2: ("code", "b")}
    session.undo()
    assert sources(session) == {0: ("hand", "a"), 1: ("hand", "a")}
    session.redo()
    session.rename_class("a", "first")
    assert sources(session)[0] == ("hand", "first")
    session.label([0], "first")  # what is said already is no new label
    assert sources(session)[0] == ("hand", "first")
    session.forget([0])
    session.label([0], "first")
    assert sources(session)[0] == ("code", "first")


def test_a_snapshot_brings_back_where_its_labels_came_from(start):
    session = start()
    with given_by_hand():
        session.label([4], "a")
    name = session.snapshot()
    session.label([4], "b")
    session.restore(name)
    assert sources(session) == {4: ("hand", "a")}


def test_labels_of_the_start_and_of_one_go_are_of_code(start):
    y = np.full(30, -1)
    y[:2] = 0
    session = start(supervision=y)
    session.supervise([*y[:2], 1, *y[3:]])
    assert sources(session) == {0: ("code", "0"), 1: ("code", "0"), 2: ("code", "1")}
    assert session.label_provenance[0].iteration == 0


def test_provenance_outlives_a_file(start, tmp_path):
    session = start()
    with given_by_hand("lasso"):
        session.label([3], "a")
    session.step(2, wait=True)
    session.label([4], "a", confidence=0.75)
    session.set(weight=3.0)
    session.undo()
    session.snapshot("here")
    session.save(tmp_path / "s.nbembed")
    found = load_session(tmp_path / "s.nbembed", methods=(Fake, Other))
    try:
        assert found.changes == session.changes
        assert found.label_provenance == session.label_provenance
        found.go_to(1)
        assert found.label_provenance == {3: session.label_provenance[3]}
        found.restore("here")
        assert found.label_provenance == session.label_provenance
    finally:
        found.close()


def test_a_log_without_provenance_replays_with_unknown_origins(start, X):
    session = start()
    session.label([1], "a")
    session.step(3)
    rest(session)
    log = [{k: v for k, v in e.to_dict().items() if k != "provenance"} for e in session.log]
    again = Session.replay(X, log, method=session.method)
    assert np.array_equal(again.embedding, session.embedding)
    assert again.label_provenance == {1: None}
    assert str(again.changes[0]) == "label 1 point as a"


@pytest.mark.parametrize(
    "travel",
    [lambda s: (s.undo(), s.redo()), lambda s: (s.go_to(0), s.go_to(2))],
    ids=["redone", "gone back to"],
)
def test_a_step_of_unknown_origin_that_is_redone_stays_unknown(start, X, travel):
    session = start()
    session.label([1], "a")
    session.set(weight=2.0)
    rest(session)
    log = [dataclasses.replace(event, provenance=None) for event in session.log]
    with Session.replay(X, log, methods=(Fake, Other)) as again, given_by_hand("click"):
        travel(again)
        again.save_selection("kept", [1])  # no step of the history
        assert [change.provenance for change in again.changes] == [None, None]
        assert again.label_provenance == {1: None}
        again.label([2], "b")
        assert [c.provenance and c.provenance.how for c in again.changes] == [None, None, "click"]
        with again.replayed() as replayed:
            assert replayed.changes == again.changes


@pytest.mark.parametrize(
    "broken",
    [None, [], {}, {"source": "spy", "how": "", "time": 0.0, "iteration": 0},
     {"source": "hand", "how": "x" * 99, "time": 0.0, "iteration": 0},
     {"source": "hand", "how": "", "time": float("nan"), "iteration": 0},
     {"source": "hand", "how": "", "time": "now", "iteration": 0},
     {"source": ["hand"], "how": "", "time": 0.0, "iteration": True}],
)  # fmt: skip
def test_what_is_no_provenance_is_not_known(broken):
    assert Provenance.from_dict(broken) is None


def test_going_back_brings_the_points_back(start):
    session = start()
    session.step(4)
    session.label([1, 2], "a")
    rest(session)
    labeled = session.embedding
    session.set(weight=2.0)
    session.step(6)
    rest(session)
    moved = session.embedding
    session.go_to(1)
    rest(session)
    assert np.array_equal(session.embedding, labeled)
    session.go_to(2)
    rest(session)
    assert np.array_equal(session.embedding, moved)
    session.undo()
    rest(session)
    assert np.array_equal(session.embedding, moved), "undo is of settings alone"


def test_the_points_stay_where_their_place_is_no_longer_kept(start, monkeypatch):
    monkeypatch.setattr("nbembed.session.map.places.MOST_BYTES", 1)
    session = start()
    session.step(4)
    session.label([1], "a")
    session.step(2)
    session.label([2], "a")
    session.step(2)
    session.label([3], "a")
    session.step(2)
    rest(session)
    before = session.embedding
    session.go_to(1)
    rest(session)
    assert np.array_equal(session.embedding, before)


def test_a_loaded_session_replays_where_its_places_are_forgotten(start, tmp_path):
    session = start()
    session.step(4)
    session.label([1], "a")
    session.step(4)
    session.set(weight=2.0)
    session.step(4)
    rest(session)
    session.save(tmp_path / "s.nbembed")
    found = load_session(tmp_path / "s.nbembed", methods=(Fake, Other))
    try:
        before = found.embedding
        found.go_to(1)
        rest(found)
        assert np.array_equal(found.embedding, before)
        found.step(5)
        rest(found)
        again = found.replayed()
        assert np.array_equal(again.embedding, found.embedding)
    finally:
        found.close()


def test_a_reset_does_not_cost_the_places_before_it(start, tmp_path):
    session = start()
    session.step(4)
    session.label([1], "a")
    session.step(4)
    rest(session)
    before = session.embedding
    session.label([2], "b")
    session.reset()
    session.save(tmp_path / "s.nbembed")
    session.go_to(1)
    rest(session)
    assert np.array_equal(session.embedding, before)
    assert np.array_equal(session.replayed().embedding, before)
    found = load_session(tmp_path / "s.nbembed", methods=(Fake, Other))
    try:
        found.go_to(1)
        found.step(3)
        rest(found)
        assert np.array_equal(found.replayed().embedding, found.embedding)
    finally:
        found.close()
