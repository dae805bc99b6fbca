"""Snapshots as values: what a page shows of them, and what a file keeps."""

from __future__ import annotations

import gc
import json
import math
import weakref
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from nbembed.session import Session, load_session
from tests.session import fake
from tests.session.fake import Fake, rest
from tests.session.redone import run_script


@pytest.fixture
def session(start: Callable[..., Session]) -> Session:
    session = start()
    session.label([1], "a")
    session.step(5, wait=True)
    session.snapshot("kept")
    rest(session)
    return session


def test_a_snapshot_has_layout_parameters_and_measures(session: Session) -> None:
    kept = session.get_snapshot("kept")
    assert (kept.name, kept.method, kept.iteration) == ("kept", "Fake", 5)
    assert kept.points is not None
    np.testing.assert_array_equal(kept.points, session.embedding)
    assert kept.supervision.labeled.tolist() == [1]
    assert kept.cost == session.cost
    assert kept.quality == session.quality
    session.label([2], "b")
    session.step(5, wait=True)
    assert session.get_snapshot("kept") is kept
    assert kept.supervision.labeled.tolist() == [1]
    assert session.taken_snapshots == (kept,)


def test_before_the_map_has_moved_there_is_no_layout(start: Callable[..., Session]) -> None:
    session = start()
    session.snapshot("cold")
    rest(session)
    assert session.get_snapshot("cold").points is None
    assert math.isnan(session.get_snapshot("cold").cost)


def test_an_unknown_snapshot_is_named(session: Session) -> None:
    with pytest.raises(ValueError, match=r"an existing snapshot \('kept'\), got 'lost'"):
        session.get_snapshot("lost")
    with pytest.raises(ValueError, match="got 3"):
        session.get_snapshot(3)  # type: ignore[arg-type]


def test_one_that_waits_for_the_steps_before_it_is_told_of(session: Session) -> None:
    fake.gate.clear()
    session.step(2)
    session.snapshot("later")
    with pytest.raises(RuntimeError, match="'later' is not taken yet"):
        session.get_snapshot("later")
    assert [kept.name for kept in session.taken_snapshots] == ["kept"]
    fake.gate.set()
    rest(session)
    assert session.get_snapshot("later").iteration == 7


def test_a_file_keeps_cost_and_quality(session: Session, tmp_path: Path) -> None:
    session.save(tmp_path / "session")
    loaded = load_session(tmp_path / "session", methods=[Fake])
    before, after = session.get_snapshot("kept"), loaded.get_snapshot("kept")
    assert (after.cost, after.quality) == (before.cost, before.quality)
    loaded.close()


def names_and_layouts(session: Session) -> list[tuple[str, bytes]]:
    taken = session.taken_snapshots
    return [(kept.name, b"" if kept.points is None else kept.points.tobytes()) for kept in taken]


def test_renaming_and_deleting_are_steps_of_the_history(session: Session) -> None:
    layout = session.embedding
    session.step(3, wait=True)
    session.snapshot("other")
    session.rename_snapshot("kept", "first")
    session.delete_snapshot("other")
    rest(session)
    assert session.snapshots == ("first",)
    assert [kept.name for kept in session.taken_snapshots] == ["first"]
    assert session.undo_text == "delete the snapshot other"
    with pytest.raises(ValueError, match=r"an existing snapshot \('first'\), got 'other'"):
        session.restore("other")
    session.undo()
    assert session.snapshots == ("first", "other")
    session.undo()
    assert session.snapshots == ("kept", "other")
    rest(session)
    assert [kept.name for kept in session.taken_snapshots] == ["kept", "other"]
    session.redo()
    session.restore("first")
    rest(session)
    np.testing.assert_array_equal(session.embedding, layout)


def test_neither_moves_the_map(session: Session) -> None:
    before, iteration = session.embedding, session.iteration
    session.rename_snapshot("kept", "first")
    session.delete_snapshot("first")
    place = session.place
    session.go_to(place - 2)
    session.go_to(place)
    rest(session)
    assert (session.iteration, session.state) == (iteration, "paused")
    np.testing.assert_array_equal(session.embedding, before)


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda s: s.rename_snapshot("lost", "b"), r"old must be an existing snapshot \('kept'\)"),
        (
            lambda s: s.rename_snapshot("kept", "other"),
            "new must be a new name, got the existing snapshot",
        ),
        (lambda s: s.rename_snapshot("kept", " "), "new must not be blank"),
        (lambda s: s.delete_snapshot("lost"), "name must be an existing snapshot"),
    ],
)
def test_bad_names_are_refused(session: Session, act: Callable[..., None], message: str) -> None:
    if "got the existing snapshot" in message:
        session.snapshot("other")
    places, names = session.place, session.snapshots
    with pytest.raises(ValueError, match=message):
        act(session)
    assert (session.place, session.snapshots) == (places, names)


def test_the_name_it_has_already_is_no_step(session: Session) -> None:
    place = session.place
    session.rename_snapshot("kept", "kept")
    assert session.place == place


def test_a_name_that_was_taken_meanwhile_gets_a_number(session: Session) -> None:
    session.delete_snapshot("kept")
    session.step(2, wait=True)
    session.snapshot("kept")
    session.undo()
    assert session.snapshots == ("kept (2)", "kept")
    rest(session)
    assert [kept.iteration for kept in session.taken_snapshots] == [5, 7]
    session.redo()
    assert session.snapshots == ("kept",)
    assert session.get_snapshot("kept").iteration == 7


def test_a_snapshot_that_cannot_come_back_is_dropped(session: Session) -> None:
    layout = weakref.ref(session.get_snapshot("kept").embedding)
    session.delete_snapshot("kept")
    session.step(1, wait=True)
    assert layout() is not None
    session.undo()
    session.label([2], "b")  # the deletion cannot be done again, and the snapshot is there
    session.delete_snapshot("kept")
    for i in range(200):
        session.label([i % 5], "ab"[i % 2])
    session.step(1, wait=True)
    gc.collect()
    assert layout() is None


def test_a_renaming_that_waits_is_told_at_once(session: Session) -> None:
    fake.gate.clear()
    session.step(2)
    session.rename_snapshot("kept", "first")
    assert session.snapshots == ("first",)
    assert session.get_snapshot("first").iteration == 5
    assert [each.name for each in session.taken_snapshots] == ["first"]
    session.delete_snapshot("first")
    assert session.taken_snapshots == ()
    fake.gate.set()
    rest(session)


def test_a_file_brings_back_what_undo_can_bring_back(session: Session, tmp_path: Path) -> None:
    before = names_and_layouts(session)
    session.rename_snapshot("kept", "first")
    session.step(2, wait=True)
    session.snapshot("second")
    session.delete_snapshot("first")
    rest(session)
    after = names_and_layouts(session)
    session.save(tmp_path / "session")
    loaded = load_session(tmp_path / "session", methods=[Fake])
    assert names_and_layouts(loaded) == after
    loaded.undo()
    loaded.undo()
    rest(loaded)
    assert names_and_layouts(loaded)[:1] == before
    loaded.save(tmp_path / "again")
    again = load_session(tmp_path / "again", methods=[Fake])
    again.redo()
    again.redo()
    rest(again)
    assert names_and_layouts(again) == after
    for each in (loaded, again):
        each.close()


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content["snapshots"][0].update(number=0),
        lambda content: content["snapshots"][1].update(number=1),
        lambda content: content["snapshots"].pop(),
        lambda content: content["snapshots"].append(content["snapshots"][0]),
    ],
)
def test_a_damaged_file_is_refused(
    session: Session, tmp_path: Path, damage: Callable[..., None]
) -> None:
    session.snapshot("second")
    session.delete_snapshot("kept")
    rest(session)
    session.save(tmp_path / "whole")
    with zipfile.ZipFile(tmp_path / "whole") as new, zipfile.ZipFile(tmp_path / "bad", "w") as bad:
        for name in new.namelist():
            data = new.read(name)
            if name == "session.json":
                content = json.loads(data)
                damage(content)
                data = json.dumps(content).encode()
            bad.writestr(name, data)
    with pytest.raises(ValueError, match="damaged"):
        load_session(tmp_path / "bad", methods=[Fake])


def test_log_and_script_do_it_again(session: Session) -> None:
    session.rename_snapshot("kept", "first")
    session.step(4, wait=True)
    session.snapshot("second")
    session.delete_snapshot("first")
    session.undo()
    session.restore("first")
    session.step(2, wait=True)
    rest(session)
    log = json.loads(json.dumps([event.to_dict() for event in session.log]))
    again = Session.replay(session.X, log, methods=[Fake], until=session.iteration)
    assert names_and_layouts(again) == names_and_layouts(session)
    assert again.embedding.tobytes() == session.embedding.tobytes()
    script = session.to_script()
    assert "session.rename_snapshot('kept', 'first')" in script
    assert "session.delete_snapshot('first')" in script
    assert run_script(script, session.X).tobytes() == session.embedding.tobytes()
    again.close()
