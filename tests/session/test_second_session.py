"""A second live map on the labels of a first one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import nbembed as nb
from nbembed.session import Session
from nbembed.session.second_session import SecondSession
from tests.session.fake import Fake, Other, rest
from tests.waiting import GUARD, eventually


@pytest.fixture
def pair(start: Callable[..., Session]) -> Iterator[tuple[Session, SecondSession]]:
    first = start()
    first.label([0, 1], "a")
    rest(first)
    second = SecondSession(first)
    yield first, second
    second.close()


def test_it_has_the_labels_and_gets_new_ones(pair: tuple[Session, SecondSession]) -> None:
    first, second = pair
    assert second.session.supervision == first.supervision
    first.label([2], "b")
    first.must_link([3, 4])
    eventually(lambda: second.session.supervision == first.supervision)
    first.undo()
    first.undo()
    eventually(lambda: second.session.supervision.labeled.tolist() == [0, 1])
    assert second.problem == ""


def test_it_has_parameters_and_a_map_of_its_own(pair: tuple[Session, SecondSession]) -> None:
    first, second = pair
    log = len(first.log)
    second.session.set(weight=2.5)
    second.session.step(5, wait=True)
    assert first.parameters["weight"] == 1.0
    assert first.iteration == 0
    assert len(first.log) == log
    second.switch(Other())
    assert (first.method_name, second.session.method_name) == ("Fake", "Other")


def test_it_plays_and_pauses_with_the_first(pair: tuple[Session, SecondSession]) -> None:
    first, second = pair
    assert second.session.state == "idle"
    first.play()
    eventually(lambda: second.session.iteration > 0)
    first.pause()
    eventually(lambda: second.session.state in ("paused", "converged"))


def test_it_begins_at_once_beside_a_map_that_rests(start: Callable[..., Session]) -> None:
    first = start()
    first.step(3, wait=True)
    second = SecondSession(first)
    eventually(lambda: second.session.iteration > 0)
    second.close()


def test_its_parameters_are_taken_over_as_one_change(pair: tuple[Session, SecondSession]) -> None:
    first, second = pair
    second.session.set(weight=2.5)
    second.session.set(tint=0.7)
    second.take_over()
    assert (first.parameters["weight"], first.parameters["tint"]) == (2.5, 0.7)
    first.undo()
    assert (first.parameters["weight"], first.parameters["tint"]) == (1.0, Fake().tint)
    second.switch(Other())
    second.take_over()
    assert first.method_name == "Other"
    first.undo()
    assert first.method_name == "Fake"


def test_what_it_changes_is_told(pair: tuple[Session, SecondSession]) -> None:
    first, _ = pair
    told = threading.Event()
    other = SecondSession(first, None, told.set)
    told.clear()
    other.session.set(weight=2.0)
    assert told.wait(GUARD)
    other.close()


def test_a_method_that_the_data_do_not_suit_is_refused(start: Callable[..., Session]) -> None:
    first = start()
    with pytest.raises(ValueError, match="an estimator, got 'no'"):
        SecondSession(first, "no")
    with pytest.raises(ValueError, match="method takes dissimilarities"):
        SecondSession(first, nb.HSSNE(metric="precomputed"))
    with pytest.raises(TypeError, match="method must be a name, an estimator"):
        SecondSession(first, 3)


def test_labels_that_its_method_cannot_have_are_told_of(X: np.ndarray) -> None:
    with nb.Session(X, nb.SNE(random_state=0)) as first:
        second = SecondSession(first, nb.Mbed(n_components=2, n_classes=3, random_state=0))
        for k in range(4):
            first.label([k], f"class {k}")
        eventually(lambda: second.problem != "" or len(second.session.supervision.classes) == 4)
        assert first.supervision.labeled.tolist() == [0, 1, 2, 3]
        second.close()


def test_after_its_end_nothing_comes_over(pair: tuple[Session, SecondSession]) -> None:
    first, second = pair
    second.close()
    first.label([5], "b")
    first.step(1, wait=True)
    assert second.session.supervision.labeled.tolist() == [0, 1]
    eventually(lambda: second.session._controller.ended)
    with pytest.raises(RuntimeError, match="closed"):
        second.session.play()


def test_the_names_of_methods_are_those_of_the_first(start: Callable[..., Session]) -> None:
    """A method of the user's own is known to the first session alone."""
    first: Any = start(Other())
    second = SecondSession(first, "HSSNE")
    second.switch("Other")
    assert second.session.method_name == "Other"
    second.close()
