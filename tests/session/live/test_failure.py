"""An error in the worker is told, nothing is lost, and one can go on."""

from __future__ import annotations

import numpy as np
import pytest

from tests.session import fake
from tests.session.fake import Other, rest
from tests.session.redone import run_script
from tests.waiting import GUARD


@pytest.fixture
def failed(start):
    session = start()
    heard: list[str] = []
    session.subscribe(heard.append)
    session.label([1, 2], "a")
    session.step(5)
    rest(session)
    fake.trouble.append(OverflowError("too far"))
    session.play()
    rest(session)
    assert session.state == "failed"
    assert "error" in heard
    return session


def test_the_error_is_kept_and_raised(failed):
    assert isinstance(failed.error, OverflowError)
    with pytest.raises(RuntimeError, match="iteration 5: too far") as raised:
        failed.check()
    assert raised.value.__cause__ is failed.error
    for command in (failed.play, failed.step):
        with pytest.raises(RuntimeError, match="too far"):
            command()
    assert failed.log[-1].to_dict()["arguments"] == {
        "state": "failed",
        "error": "OverflowError: too far",
    }


def test_labels_are_kept_and_still_taken(failed):
    before = failed.embedding
    failed.label([3], "b")
    failed.set(weight=2.0)
    rest(failed)
    assert failed.state == "failed"
    assert failed.supervision.labeled.tolist() == [1, 2, 3]
    assert np.array_equal(failed.embedding, before)


def test_after_a_change_it_can_be_tried_again(failed):
    before = failed.embedding
    failed.set(weight=2.0)
    fake.trouble.clear()
    failed.play()
    assert failed.error is None
    assert failed.wait("converged", GUARD)
    failed.check()
    assert failed.iteration > 5
    assert np.isfinite(failed.embedding).all()
    assert not np.array_equal(failed.embedding, before)


def test_reset_recovers(failed):
    fake.trouble.clear()
    failed.reset()
    assert failed.state == "paused"
    failed.play()
    assert failed.wait("converged", GUARD)
    assert failed.supervision.labeled.tolist() == [1, 2]


def test_a_failed_session_replays(failed):
    failed.set(weight=2.0)
    fake.trouble.clear()
    failed.step(7)
    rest(failed)
    again = failed.replayed()
    assert np.array_equal(again.embedding, failed.embedding)
    assert again.iteration == failed.iteration == 12
    assert np.array_equal(run_script(failed.to_script(), failed.X), failed.embedding)


def test_an_error_in_a_part_of_the_recipe_is_no_different(start, monkeypatch):
    session = start()
    session.step(5)
    rest(session)
    before = session.embedding

    def broken(self, *args):
        raise MemoryError("no room")

    with monkeypatch.context() as patch:
        patch.setattr(Other, "adopt", broken)
        session.switch(Other())
        rest(session)
        assert session.state == "failed"
        session.label([1], "a")
        rest(session)
    assert np.array_equal(session.embedding, before)
    session.step(3)
    rest(session)
    session.check()
    assert session.method_name == "Other"
    assert session.iteration == 8
