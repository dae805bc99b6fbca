"""Snapshots as values: what a page shows of them, and what a file keeps."""

from __future__ import annotations

import json
import math
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from nbembed.session import Session, load_session
from tests.session import fake
from tests.session.fake import Fake, rest


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
    assert session.get_snapshot("cold").points is None
    assert math.isnan(session.get_snapshot("cold").cost)


def test_an_unknown_snapshot_is_named(session: Session) -> None:
    with pytest.raises(ValueError, match=r"one of the snapshots \('kept'\), got 'lost'"):
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


def test_a_file_of_an_earlier_version_has_none(session: Session, tmp_path: Path) -> None:
    session.save(tmp_path / "new")
    with zipfile.ZipFile(tmp_path / "new") as new, zipfile.ZipFile(tmp_path / "old", "w") as old:
        for name in new.namelist():
            data = new.read(name)
            if name == "session.json":
                content = json.loads(data)
                for snapshot in content["snapshots"]:
                    del snapshot["cost"], snapshot["quality"]
                data = json.dumps(content).encode()
            old.writestr(name, data)
    loaded = load_session(tmp_path / "old", methods=[Fake])
    kept = loaded.get_snapshot("kept")
    assert math.isnan(kept.cost)
    assert math.isnan(kept.quality)
    loaded.restore("kept")
    rest(loaded)
    loaded.close()
