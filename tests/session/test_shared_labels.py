"""Labels and links that a session of all points shares with one of some of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from nbembed.session import Session
from nbembed.session.shared_labels import SharedLabels
from nbembed.supervision.subset import subset
from tests.session.fake import rest
from tests.waiting import eventually

POINTS = np.array([1, 2, 4, 5])


@pytest.fixture
def pair(start: Callable[..., Session]) -> Iterator[tuple[Session, Session, SharedLabels]]:
    whole = start()
    whole.label([0, 1], "a")
    rest(whole)
    part = Session(whole.X[POINTS], whole.recipe, supervision=subset(whole.supervision, POINTS))
    shared = SharedLabels(whole, part, POINTS)
    yield whole, part, shared
    shared.close()
    part.close()


def names(session: Session) -> list[str]:
    supervision = session.supervision
    return ["" if k < 0 else supervision.classes[k] for k in supervision.top_class.tolist()]


def agree(whole: Session, part: Session) -> bool:
    return subset(whole.supervision, POINTS) == part.supervision


def test_labels_go_both_ways(pair: tuple[Session, Session, SharedLabels]) -> None:
    whole, part, _ = pair
    part.label([1, 2], "b", confidence=0.8)
    eventually(lambda: names(whole)[:6] == ["a", "a", "b", "", "b", ""])
    assert whole.supervision.confidence[4] == 0.8
    whole.label([5], "c")
    whole.must_link([1, 5])
    eventually(lambda: names(part) == ["a", "b", "b", "c"] and len(part.supervision.links) == 1)
    assert agree(whole, part)


def test_what_is_undone_on_one_is_undone_on_both(
    pair: tuple[Session, Session, SharedLabels],
) -> None:
    whole, part, _ = pair
    part.label([1], "b")
    eventually(lambda: names(whole)[2] == "b")
    part.undo()
    eventually(lambda: names(whole)[2] == "")
    part.label([1], "b")
    eventually(lambda: names(whole)[2] == "b")
    whole.undo()
    eventually(lambda: names(part)[1] == "")


def test_nothing_is_lost_where_both_are_labeled_at_once(
    pair: tuple[Session, Session, SharedLabels],
) -> None:
    whole, part, _ = pair
    for k in range(20):
        part.label([k % 2], f"part {k}")
        whole.label([4 + k % 2], f"whole {k}")
    eventually(lambda: agree(whole, part))
    assert names(part) == ["part 18", "part 19", "whole 18", "whole 19"]


def test_pins_and_parameters_are_each_session_s_own(
    pair: tuple[Session, Session, SharedLabels],
) -> None:
    whole, part, _ = pair
    part.pin([0])
    part.set(weight=2.5)
    part.label([3], "b")
    eventually(lambda: names(whole)[5] == "b")
    assert whole.supervision.pinned.size == 0
    assert whole.parameters["weight"] == 1.0
    assert part.supervision.pinned.tolist() == [0]


def test_each_goes_its_own_way_afterwards(pair: tuple[Session, Session, SharedLabels]) -> None:
    whole, part, shared = pair
    shared.close()
    part.label([3], "b")
    rest(part)
    assert names(whole)[5] == ""
