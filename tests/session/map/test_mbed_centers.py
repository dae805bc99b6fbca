"""Mbed with centers in a live session: steering, undo, replay, files, and rest."""

from __future__ import annotations

import numpy as np
import pytest

import nbembed as nb
from nbembed.session import Session, load_session
from tests.session.fake import rest


@pytest.fixture
def five():
    rng = np.random.default_rng(0)
    places = 12 * rng.normal(size=(5, 10))
    y = np.arange(100) % 5
    return places[y] + rng.normal(size=(100, 10)), y


@pytest.fixture
def session(five):
    made = Session(five[0], nb.HSSNE(random_state=0))
    made.pace = None
    yield made
    made.close()


def labeled(session, y, classes=range(5), count=2):
    for k in classes:
        session.label(np.flatnonzero(y == k)[:count], f"class {k}")


def test_a_fourth_class_turns_the_circle_into_centers_and_undo_turns_it_back(session, five):
    _, y = five
    session.step(100)
    session.switch("Mbed")
    labeled(session, y, range(3))
    session.step(20, wait=True)
    assert session.directions.shape == (3, 2)
    assert session.centers.shape == (0, 2)
    labeled(session, y, [3])
    session.step(20, wait=True)
    session.check()
    assert session.directions is None
    assert session.membership.shape == (100, 4)
    # A cluster no larger than what two labels speak for belongs to some class, as a piece of it.
    assert list(dict.fromkeys(session.center_names)) == [f"class {k}" for k in range(4)]
    session.undo()
    session.step(20, wait=True)
    assert session.directions.shape == (3, 2)
    rest(session)
    session.check()
    assert session.replayed().embedding.tobytes() == session.embedding.tobytes()


def test_all_sliders_labels_and_undo_replay_to_the_bit(session, five, tmp_path):
    _, y = five
    session.step(150)
    labeled(session, y)
    session.switch("Mbed")
    session.step(30)
    session.set(lam=0.1)
    session.step(10)
    session.set(alpha=0.5)
    session.step(10)
    session.must_link([0, 5])
    session.set(rho=0.9)
    session.step(10)
    session.label([7, 12], "class 2")
    session.step(10)
    session.undo()
    session.step(10, wait=True)
    rest(session)
    session.check()
    bits = session.embedding.tobytes()
    assert session.replayed().embedding.tobytes() == bits
    session.reset_optimizer()  # its memory is no part of a file
    session.save(tmp_path / "centers.nbembed")
    again = load_session(tmp_path / "centers.nbembed")
    again.pace = None
    try:
        assert again.embedding.tobytes() == bits
        session.step(20, wait=True)
        again.step(20, wait=True)
        assert again.embedding.tobytes() == session.embedding.tobytes()
        np.testing.assert_array_equal(again.membership, session.membership)
        np.testing.assert_array_equal(again.centers, session.centers)
    finally:
        again.close()


def test_centers_follow_their_points_and_undone_labels_leave_no_trace(session, five):
    _, y = five
    session.step(150)
    labeled(session, y)
    session.switch("Mbed")
    session.step(50, wait=True)
    before, map_before = session.centers, session.embedding
    session.set(alpha=2.0)
    session.step(50, wait=True)
    moved = session.embedding
    assert np.abs(moved - map_before).max() > 1
    assert np.abs(session.centers - before).max() > 0.5
    nearest = np.linalg.norm(moved[:, None] - session.centers, axis=2).argmin(axis=1)
    frame = session.frame()
    np.testing.assert_array_equal(frame.center_classes[nearest], session.membership.argmax(axis=1))
    regions = frame.center_classes.tolist()
    session.label(np.flatnonzero(y == 1)[:8], "class 0")
    session.step(5, wait=True)
    session.undo()
    session.step(5, wait=True)
    assert session.frame().center_classes.tolist() == regions


def test_a_smaller_lambda_sharpens_the_regions(session, five):
    _, y = five
    session.step(150)
    labeled(session, y)
    session.switch("Mbed")
    certain = []
    for lam in (1.0, 0.3, 0.1):
        session.set(lam=lam)
        session.step(30, wait=True)
        certain.append(session.membership.max(axis=1).mean())
    assert certain == sorted(certain)
    assert certain[-1] > 0.99


def test_it_comes_to_rest(five):
    X, y = five
    session = Session(X, nb.Mbed(n_classes=5, directions="centers", max_iter=100, random_state=0))
    session.pace = None
    try:
        labeled(session, y)
        session.play()
        assert session.wait("converged", timeout=120)
        assert np.array_equal(session.membership.argmax(axis=1), y)
        assert len(session.path) == 10
        cost = session.cost
        session.step(500, wait=True)
        assert session.cost == pytest.approx(cost, rel=1e-3)
    finally:
        session.close()


def test_a_group_stays_gray_until_it_is_named(session, five):
    _, y = five
    session.step(100)
    session.switch("Mbed")
    labeled(session, y, range(4), count=8)
    session.step(20, wait=True)
    gray = ~session.membership.any(axis=1)
    assert gray[y == 4].mean() > 0.9
    assert gray[y != 4].mean() < 0.15
    assert sorted(session.center_names) == [f"class {k}" for k in range(4)]
    labeled(session, y, [4], count=8)
    session.step(20, wait=True)
    assert session.membership.any(axis=1).mean() > 0.95
    assert "class 4" in session.center_names
    session.undo()
    session.step(20, wait=True)
    np.testing.assert_array_equal(~session.membership.any(axis=1), gray)
    rest(session)
    assert session.replayed().embedding.tobytes() == session.embedding.tobytes()
