"""Pinned points stay where they are, whatever happens to the others."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris

import nbembed as nb
from nbembed.session import Session, load_session
from tests.session.fake import Fake, rest
from tests.session.redone import redone

POINTS = [3, 8, 11]


@pytest.mark.parametrize(
    "method",
    [
        nb.HSSNE(random_state=0),
        nb.SNE(random_state=0),
        nb.Mbed(n_classes=3, lam=1.0, random_state=0),
    ],
    ids=lambda m: type(m).__name__,
)
def test_pinned_points_stay_to_the_bit_and_others_move(method):
    with Session(load_iris().data[::3], method) as session:
        session.step(60)
        session.pin(POINTS)
        rest(session)
        before = session.embedding
        session.label([20, 30], "a")
        session.set(rho=0.9)
        session.step(20)
        rest(session)
        after = session.embedding
        assert np.array_equal(before[POINTS], after[POINTS])
        assert np.abs(after - before).max() > 1e-4
        session.unpin([8])
        session.step(20)
        rest(session)
        moved = np.flatnonzero(np.abs(session.embedding - before).max(axis=1))
        assert 8 in moved
        assert not {3, 11} & set(moved)
        redone(session)


def test_pins_are_undone_forgotten_and_named(start):
    session = start()
    session.step(3)
    session.pin(POINTS)
    assert session.undo_text == "pin 3 points"
    assert session.supervision.pinned.tolist() == POINTS
    session.undo()
    assert session.supervision.pinned.size == 0
    session.redo()
    session.forget([8])
    session.unpin([3, 4])
    assert session.undo_text == "unpin 2 points"
    assert session.supervision.pinned.tolist() == [11]
    with pytest.raises(ValueError, match="points"):
        session.pin([30])
    session.step(2)
    rest(session)
    redone(session)


@pytest.mark.parametrize("name", ["SNE", "NeRV", "ParametricEmbedding", "LFDA"])
def test_a_switch_leaves_pinned_points_where_they_are(name):
    with Session(load_iris().data[::3], nb.HSSNE(random_state=0)) as session:
        session.step(30)
        session.label([0, 1], "a")
        session.label([40, 41], "b")
        session.pin(POINTS)
        rest(session)
        before = session.embedding[POINTS]
        session.switch(name)
        session.step(10)
        rest(session)
        assert np.array_equal(session.embedding[POINTS], before)
        session.undo()
        session.step(5)
        rest(session)
        assert np.array_equal(session.embedding[POINTS], before)
        session.set(n_components=3)
        session.step(5)
        rest(session)
        assert np.array_equal(session.embedding[POINTS, :2], before)
        redone(session)


def test_a_reset_keeps_pinned_points_where_they_stand(start, tmp_path):
    session = start(Fake(random_state=3, heat=0.0))
    session.step(30)
    rest(session)
    session.pin(POINTS)
    rest(session)
    before = session.embedding
    session.reset()
    rest(session)
    session.save(tmp_path / "x")  # cold: the file must tell where they are held
    session.unpin([8])
    session.step(5)
    rest(session)
    after = session.embedding
    assert np.array_equal(after[[3, 11]], before[[3, 11]])
    assert not np.array_equal(after[8], before[8])
    redone(session)
    loaded = load_session(tmp_path / "x", methods=(Fake,))
    loaded.unpin([8])
    loaded.step(5)
    rest(loaded)
    assert np.array_equal(loaded.embedding, after)
    redone(loaded)
    loaded.close()
