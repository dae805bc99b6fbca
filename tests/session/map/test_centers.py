"""Layouts with centers after the points: centers of classes that come and go with labels."""

from __future__ import annotations

import numpy as np
import pytest

from nbembed.session import Session, load_session
from tests.session.fake import Anchored, Fake, Learning, rest
from tests.session.live.test_learning import learned
from tests.session.redone import redone

KINDS = (Fake, Learning, Anchored)


@pytest.fixture
def anchored(start) -> Session:
    session = start(Anchored(random_state=3, tol=0.0))
    session.label([0, 1, 2], "a")
    session.label([3, 4], "b")
    session.step(20)
    rest(session)
    return session


def test_centers_are_apart_from_the_points(anchored):
    assert anchored.embedding.shape == (30, 2)
    assert anchored.centers.shape == (2, 2)
    assert anchored.center_names == ("a", "b")
    frame = anchored.frame()
    assert frame.embedding.shape == (30, 2)
    assert frame.centers.dtype == np.float32
    assert np.array_equal(frame.centers, anchored.centers)
    assert frame.center_names == ("a", "b")
    assert 0 <= anchored.quality <= 1
    redone(anchored)


def test_before_the_first_layout_there_is_no_landmark(start):
    session = start(Anchored())
    assert session.centers.shape == (0, 2)
    assert session.center_names == session.frame().center_names == ()


def test_a_new_class_brings_its_landmark_once_it_is_learned(anchored):
    before = anchored.embedding
    anchored.label([7, 8], "c")
    rest(anchored)
    assert learned(anchored)
    assert anchored.center_names == ("a", "b", "c")
    assert anchored.centers.shape == (3, 2)
    assert np.abs(anchored.embedding - before).max() < 1
    anchored.rename_class("c", "see")
    rest(anchored)
    assert anchored.center_names == ("a", "b", "see")
    anchored.step(5)
    anchored.undo()
    anchored.undo()
    rest(anchored)
    assert anchored.center_names == ("a", "b")
    anchored.step(5)
    rest(anchored)
    redone(anchored)


def test_another_method_takes_the_points_alone(anchored):
    anchored.switch(Fake())
    anchored.step(3)
    rest(anchored)
    assert anchored.centers.shape == (0, 2)
    assert anchored.center_names == ()
    anchored.switch("Anchored")
    anchored.step(3)
    rest(anchored)
    assert anchored.center_names == ("a", "b")
    redone(anchored)


def test_snapshots_and_files_keep_the_centers(anchored, tmp_path):
    anchored.snapshot("two")
    kept = anchored.centers
    anchored.label([7, 8], "c")
    anchored.step(9)
    rest(anchored)
    anchored.save(tmp_path / "x")
    loaded = load_session(tmp_path / "x", methods=KINDS)
    assert loaded.center_names == ("a", "b", "c")
    assert np.array_equal(loaded.centers, anchored.centers)
    loaded.restore("two")
    rest(loaded)
    assert loaded.center_names == ("a", "b")
    assert np.array_equal(loaded.centers, kept)
    loaded.step(2)
    rest(loaded)
    redone(loaded)
    loaded.close()
