"""A second live map on the labels of a first one."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import nbembed as nb
from nbembed.session import Session
from nbembed.session.second_session import SecondSession
from tests.session.fake import Fake, Other, rest
from tests.waiting import GUARD, eventually, is_closed


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


def test_it_plays_and_pauses_with_the_first(start: Callable[..., Session]) -> None:
    first = start(Fake(random_state=3, tol=0.0))  # which never rests by itself
    second = SecondSession(first)
    assert second.session.state == "idle"
    first.play()
    eventually(lambda: second.session.iteration > 0)
    first.pause()
    eventually(lambda: second.session.state == "paused")
    second.close()


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
    with pytest.raises(
        ValueError, match="needs dissimilarities, but the data of the session are features"
    ):
        SecondSession(first, nb.HSSNE(metric="precomputed"))
    with pytest.raises(TypeError, match="method must be a name, an estimator"):
        SecondSession(first, 3)


def test_labels_that_its_method_cannot_have_are_told_of(
    start: Callable[..., Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, told = start(), list[str]()
    second = SecondSession(first, changed=lambda: told.append(second.problem))

    def refuse(supervision: nb.Supervision) -> None:
        raise ValueError("supervision has too many classes")

    with monkeypatch.context() as patched:
        patched.setattr(second.session, "supervise", refuse)
        first.label([0], "a")
        eventually(lambda: "supervision has too many classes" in told)
        assert first.supervision.labeled.tolist() == [0]
        assert second.session.supervision.labeled.tolist() == []
        told.clear()
    first.label([1], "a")  # it has the ones before, too
    eventually(lambda: "" in told)
    assert second.session.supervision == first.supervision
    second.close()


def test_after_its_end_nothing_comes_over(pair: tuple[Session, SecondSession]) -> None:
    first, second = pair
    second.close()
    first.label([5], "b")
    first.step(1, wait=True)
    assert second.session.supervision.labeled.tolist() == [0, 1]
    eventually(lambda: is_closed(second.session))
    with pytest.raises(RuntimeError, match="closed"):
        second.session.play()


def test_the_names_of_methods_are_those_of_the_first(start: Callable[..., Session]) -> None:
    """A method of the user's own is known to the first session alone."""
    first: Any = start(Other())
    second = SecondSession(first, "HSSNE")
    second.switch("Other")
    assert second.session.method_name == "Other"
    second.close()


def test_labels_never_come_over_in_the_wrong_order(
    pair: tuple[Session, SecondSession], monkeypatch: pytest.MonkeyPatch
) -> None:
    second = pair[1]
    supervise, inside, most = second.session.supervise, [], []
    gate = threading.Event()

    def slow(supervision: Any) -> None:
        inside.append(1)
        most.append(len(inside))
        if not gate.wait(0.2):  # somebody else may be let in meanwhile
            gate.set()
        supervise(supervision)
        inside.pop()

    monkeypatch.setattr(second.session, "supervise", slow)
    threads = [threading.Thread(target=second._follow, args=("supervision",)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(GUARD)
    assert max(most) == 1


def test_one_that_cannot_begin_leaves_nothing_behind(
    start: Callable[..., Session], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = start()
    first.step(3, wait=True)
    made: list[Session] = []

    def refuse(session: Session) -> None:
        made.append(session)
        raise RuntimeError("no thread can be started")

    subscribe, subscribed = first.subscribe, []

    def counted(callback: Callable[[str], None]) -> Callable[[], None]:
        remove = subscribe(callback)
        subscribed.append(callback)
        return lambda: (remove(), subscribed.remove(callback))[0]

    with monkeypatch.context() as patch:
        patch.setattr(Session, "play", refuse)
        patch.setattr(first, "subscribe", counted)
        with pytest.raises(RuntimeError, match="no thread"):
            SecondSession(first)
    assert made
    assert subscribed == []
    eventually(lambda: is_closed(made[0]))
