"""What is made in a thread of its own: the last request counts, and nobody waits for nothing."""

from __future__ import annotations

import threading

import pytest

from nbembed.session.making import Making
from tests.session.fake import GUARD


class Held:
    """Something that is made once it may be."""

    def __init__(self):
        self.begun, self.go = threading.Event(), threading.Event()
        self.times = 0

    def __call__(self):
        self.times += 1
        self.begun.set()
        assert self.go.wait(GUARD)
        return self.times


@pytest.fixture
def held():
    held = Held()
    yield held
    held.go.set()


def begun(making, held):
    """Begin to make what is held, under the key "held"."""
    making.ask("held", held)
    assert held.begun.wait(GUARD)


def test_of_what_waits_only_the_last_is_made():
    making, begun, go, made = Making(), threading.Event(), threading.Event(), []

    def slow():
        begun.set()
        assert go.wait(GUARD)
        return "slow"

    assert making.ask("slow", slow) is None
    assert begun.wait(GUARD)
    making.ask("never", lambda: made.append("never"))
    making.ask("last", lambda: "last")
    go.set()
    assert making.wait("last", lambda: "last", GUARD).value == "last"
    assert made == []


def test_what_is_canceled_is_not_kept():
    making, begun, go = Making(), threading.Event(), threading.Event()

    def slow():
        begun.set()
        assert go.wait(GUARD)

    making.ask("slow", slow)
    assert begun.wait(GUARD)
    making.cancel()
    go.set()
    assert making.wait("other", lambda: 1, GUARD).value == 1
    making.close()
    assert making.wait("more", lambda: 2, GUARD) is None
    assert making.newest.key == "other"


def test_what_was_canceled_is_made_anew_if_it_is_asked_for_again(held):
    making = Making()
    begun(making, held)
    making.cancel()
    assert making.ask("held", held) is None
    held.go.set()
    assert making.wait("held", held, GUARD).value == 2


def test_nobody_waits_for_what_is_canceled(held):
    making, results = Making(), []
    waiting = threading.Thread(target=lambda: results.append(making.wait("held", held, None)))
    waiting.start()
    assert held.begun.wait(GUARD)
    making.cancel()
    waiting.join(GUARD)
    assert results == [None]


def test_who_asks_for_what_is_being_made_wants_nothing_else(held):
    making, others = Making(), []
    begun(making, held)
    making.ask("other", lambda: others.append(1))
    making.ask("held", held)
    held.go.set()
    assert making.wait("held", held, GUARD).value == 1
    assert making.wait("last", lambda: "last", GUARD).value == "last"
    assert others == []
