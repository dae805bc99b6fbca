"""A change redoes only what it invalidates."""

from __future__ import annotations

import numpy as np
import pytest

from nbembed.session.core.invalidation import Invalidation, invalidated
from nbembed.session.core.settings import Settings
from nbembed.supervision import Supervision
from tests.session import fake
from tests.session.fake import Fake, Other, rest


@pytest.mark.parametrize(
    ("change", "redone"),
    [
        ({"tint": 0.5}, {}),
        ({"weight": 2.0}, {}),  # the running objective takes it over
        ({"weight": 2.0, "heat": 1.0}, {}),
        ({"width": 2.0}, {"affinities": 1, "objective": 1, "optimizer": 1}),
        ({"tol": 1e-3}, {"optimizer": 1}),
        ({"n_components": 3}, {"adopt": 1, "objective": 1, "optimizer": 1}),
        ({"random_state": 9}, {}),
        ({"weight": 2.0, "width": 2.0}, {"affinities": 1, "objective": 1, "optimizer": 1}),
    ],
)
def test_a_parameter_redoes_what_it_enters(start, change, redone):
    session = start()
    session.step(3)
    rest(session)
    fake.calls.clear()
    session.set(**change)
    session.step(1)
    rest(session)
    assert fake.calls == redone


def test_supervision_redoes_the_objective_and_the_alignment(start):
    session = start()
    session.step(3)
    rest(session)
    fake.calls.clear()
    session.label([1], "a")
    session.step(1)
    rest(session)
    assert fake.calls == {"align": 1, "objective": 1}
    fake.calls.clear()
    session.rename_class("a", "b")
    session.step(1)
    rest(session)
    assert fake.calls == {}


def test_many_moves_of_a_slider_cost_one_calibration(start):
    session = start()
    session.step(3)
    rest(session)
    fake.calls.clear()
    fake.gate.clear()
    session.step(1)  # held at the gate, so that all moves below wait together
    for width in (2.0, 3.0, 4.0, 5.0):
        session.set(width=width)
    fake.gate.set()
    rest(session)
    assert fake.calls == {"affinities": 1, "objective": 1, "optimizer": 1}
    assert session.undo_text == "set σ to 5"


def test_a_live_change_is_a_warm_start(start):
    session = start()
    session.step(6)
    rest(session)
    before = session.embedding
    session.set(width=1.01)
    session.step(1)
    rest(session)
    step = np.abs(session.embedding - before).max()
    assert 0 < step < 0.5
    assert session.iteration == 7


def test_switching_keeps_labels_and_adopts_the_layout(start):
    session = start()
    session.label([1, 2], "a")
    session.must_link([5, 6, 7])
    session.step(6)
    rest(session)
    known, before = session.supervision, session.embedding
    session.switch(Other(weight=3.0))
    session.step(1)
    rest(session)
    assert fake.calls["adopt"] == 1
    assert session.method_name == "Other"
    assert session.supervision == known
    assert np.abs(session.embedding - before).max() < 1.0
    session.switch("Fake")
    assert session.parameters["weight"] == 1.0
    session.switch("Other")
    assert session.parameters["weight"] == 3.0  # as it was left
    with pytest.raises(ValueError, match="method must be one of"):
        session.switch("Nothing")
    with pytest.raises(TypeError, match="method must be a name, an estimator"):
        session.switch(Other)  # type: ignore[arg-type]


def test_switching_back_needs_no_new_affinities(start):
    session = start()
    session.step(2)
    session.switch(Other())
    session.step(2)
    session.switch("Fake")
    session.step(2)
    rest(session)
    assert fake.calls["affinities"] == 2


def test_parts_of_equal_settings_are_none():
    settings = Settings.of(Fake(), Supervision(10))
    assert invalidated(settings, settings) == Invalidation()
    swapped = settings.with_supervision(
        Supervision(10).label([1], "a").label([2], "b").rename_class("a", "c")
    )
    other = settings.with_supervision(Supervision(10).label([1], "x").label([2], "y"))
    assert invalidated(swapped, other).parts == {"display"}
    added = other.with_supervision(other.supervision.add_class("z"))
    assert invalidated(other, added).parts == {"display"}
    # With doubt in a label, one class more is another share of the doubt.
    unsure = other.with_supervision(other.supervision.label([3, 4], "x", 0.8))
    assert "alignment" in invalidated(other, unsure).parts
    more = unsure.with_supervision(unsure.supervision.add_class("z"))
    assert "alignment" in invalidated(unsure, more).parts


def test_touching_a_scheduled_parameter_ends_its_schedule(start):
    session = start()
    assert session.parameters["heat"] == 0.5  # the declared default, before there is a schedule
    session.step(7)
    rest(session)
    assert session.parameters["heat"] == 1.0  # the second stage
    assert len(session.path) == 1
    session.set(heat=3.0)
    session.step(20)
    rest(session)
    assert session.parameters["heat"] == 3.0
    assert len(session.path) == 1  # the stages that were left are over
    assert {r.stage for r in session.trace} == {"h=2.0", "h=1.0", ""}
    session.undo()
    session.step(1)
    rest(session)
    assert session.parameters["heat"] == 1.0  # what it had when it was touched


def test_another_change_leaves_the_schedule_alone(start):
    session = start()
    session.step(7)
    session.set(weight=2.0)
    session.label([1], "a")
    session.step(3)
    rest(session)
    assert session.parameters["heat"] == 1.0
    session.step(5)
    rest(session)
    assert session.parameters["heat"] == 0.5
    session.step(5)
    session.set(width=2.0)
    session.step(1)
    rest(session)
    assert session.parameters["heat"] == 0.5
    assert len(session.path) == 3


def test_the_path_can_be_walked(start):
    session = start()
    session.step(20)
    rest(session)
    path = session.path
    assert [p.embedding.shape for p in path] == [(30, 2)] * 3
    session.show_path_step(1)
    rest(session)
    assert session.state == "paused"
    assert np.array_equal(session.embedding, path[1].embedding)
    for index in (3, -1, 0.5, True):
        with pytest.raises(ValueError, match="index must be"):
            session.show_path_step(index)
