"""Selections that are saved by name: in the session, its log, its file and its script."""

from __future__ import annotations

import json

import numpy as np
import pytest

from nbembed.session import Session, load_session
from tests.session.fake import Fake, Other, rest
from tests.session.redone import run_script

KINDS = (Fake, Other)


@pytest.fixture
def session(start):
    session = start()
    session.save_selection("odd ones", [7, 3, 3])
    session.save_selection("七 <b>\u202e", np.arange(30) < 2)
    return session


def test_points_are_saved_by_name(session):
    assert list(session.selections) == ["odd ones", "七 <b>\u202e"]
    assert session.selections["odd ones"].tolist() == [3, 7]
    assert session.selections["七 <b>\u202e"].tolist() == [0, 1]
    with pytest.raises(ValueError, match="read-only"):
        session.selections["odd ones"][0] = 5
    session.save_selection("odd ones", [4])
    assert session.selections["odd ones"].tolist() == [4]
    assert list(session.selections) == ["odd ones", "七 <b>\u202e"]
    session.delete_selection("odd ones")
    assert list(session.selections) == ["七 <b>\u202e"]


@pytest.mark.parametrize(
    ("act", "error", "message"),
    [
        (lambda s: s.save_selection(" ", [1]), ValueError, "name must not be blank"),
        (lambda s: s.save_selection(3, [1]), TypeError, "name must be text, got 3"),
        (
            lambda s: s.save_selection("a\ud800", [1]),
            ValueError,
            "name must be text that UTF-8 can encode",
        ),
        (lambda s: s.save_selection("a", [30]), ValueError, r"points must be indices in \[0, 30\)"),
        (lambda s: s.save_selection("a", []), ValueError, "points must name at least one point"),
        (
            lambda s: s.delete_selection("even ones"),
            ValueError,
            r"name must be an existing selection \('odd ones', .*\), got 'even ones'",
        ),
    ],
)
def test_bad_input_is_refused_and_changes_nothing(session, act, error, message):
    with pytest.raises(error, match=message):
        act(session)
    assert len(session.selections) == 2


def test_saving_is_neither_undone_nor_moves_the_map(start):
    session = start()
    session.label([1], "a")
    session.save_selection("kept", [5])
    session.undo()
    assert session.selections["kept"].tolist() == [5]
    assert not session.can_undo
    assert session.state == "idle"
    rest(session)
    assert session.iteration == 0


def test_slider_moves_before_and_after_it_are_one_step_to_undo(start):
    session = start()
    session.set(weight=2.0)
    session.save_selection("kept", [5])
    session.set(weight=3.0)
    session.undo()
    assert session.parameters["weight"] == 1.0


def test_a_file_brings_them_back(session, tmp_path):
    session.step(3)
    rest(session)
    session.save(tmp_path / "x")
    loaded = load_session(tmp_path / "x", methods=KINDS)
    assert {k: v.tolist() for k, v in loaded.selections.items()} == {
        k: v.tolist() for k, v in session.selections.items()
    }
    loaded.delete_selection("odd ones")
    rest(loaded)
    loaded.save(tmp_path / "y")
    assert list(load_session(tmp_path / "y", methods=KINDS).selections) == ["七 <b>\u202e"]


def test_log_and_script_save_them_again(session):
    session.step(3)
    session.delete_selection("odd ones")
    rest(session)
    log = json.loads(json.dumps([event.to_dict() for event in session.log]))
    again = Session.replay(session.X, log, methods=KINDS, until=session.iteration)
    assert again.selections.keys() == session.selections.keys()
    assert again.embedding.tobytes() == session.embedding.tobytes()
    script = session.to_script()
    assert "session.save_selection('odd ones', [3, 7])" in script
    assert run_script(script, session.X).tobytes() == session.embedding.tobytes()


def test_subscribers_hear_of_them(session):
    heard: list[str] = []
    session.subscribe(heard.append)
    session.save_selection("new", [1])
    rest(session)
    assert "state" in heard
    assert "supervision" not in heard
