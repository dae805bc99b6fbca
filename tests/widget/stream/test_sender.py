"""The pace of frames: two on their way, lost after a second, none when nobody looks."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest

from nbembed.widget.stream.frames import frames_ahead
from nbembed.widget.stream.sender import HELD, FrameWindow, Sender
from tests.waiting import GUARD


def test_nobody_watches_nothing_is_sent() -> None:
    window = FrameWindow()
    assert not window.open
    window.watch("a", True)
    assert window.open
    window.watch("a", False)
    assert not window.open


def test_two_frames_at_most_are_on_their_way() -> None:
    window = FrameWindow()
    window.watch("a", True)
    first = window.sent(1, now=0.0)
    window.sent(2, now=0.0)
    assert not window.open
    window.acknowledge(first, "a")
    assert window.open
    assert window.newest == 2


def test_a_frame_that_is_awaited_may_be_a_third() -> None:
    window = FrameWindow()
    window.watch("a", True)
    window.sent(1, now=0.0)
    window.sent(2, now=0.0)
    window.awaited = True
    assert window.open
    window.sent(3, now=0.0)
    window.awaited = True
    assert not window.open, "three are on their way"


def test_small_frames_may_be_further_ahead_than_large_ones() -> None:
    found = [frames_ahead(n) for n in (10, 2000, 8000, 20_000, 50_000, 10**6)]
    assert found == [6, 6, 6, 5, 2, 2]


def test_one_word_settles_all_frames_before_it() -> None:
    window = FrameWindow()
    window.watch("a", True)
    window.sent(1, now=0.0)
    second = window.sent(2, now=0.0)
    window.acknowledge(second, "a")
    assert window.next_expiry(0.0) is None
    assert window.newest == 2


def test_an_unacknowledged_frame_is_lost_after_a_second() -> None:
    window = FrameWindow()
    window.watch("a", True)
    window.sent(1, now=0.0)
    assert window.next_expiry(0.25) == pytest.approx(0.75)
    assert window.expire(0.9) == 0
    assert window.expire(1.0) == 1
    assert window.newest == -1, "what was lost must be sent again"
    assert window.open


def test_three_losses_in_a_row_end_the_audience_and_a_late_word_brings_it_back() -> None:
    window = FrameWindow()
    window.watch("a", True)
    for turn in range(3):
        seq = window.sent(1, now=2.0 * turn)
        window.expire(2.0 * turn + 1)
    assert not window.open
    window.acknowledge(seq, "a")
    assert window.open


def test_a_new_watcher_gets_the_present_layout_even_if_another_has_it() -> None:
    window = FrameWindow()
    window.watch("a", True)
    window.acknowledge(window.sent(5, now=0.0), "a")
    assert window.newest == 5
    window.watch("a", True)
    assert window.newest == 5
    window.watch("b", True)
    assert window.newest == -1


def test_what_a_hidden_page_still_gets_does_not_bring_it_back() -> None:
    window = FrameWindow()
    window.watch("a", True)
    seq = window.sent(1, now=0.0)
    window.watch("a", False)
    window.acknowledge(seq, "a")
    assert not window.open
    window.watch("a", True)
    assert window.open
    window.leave("a")
    assert not window.open
    assert not window.hidden


def test_a_page_is_supposed_until_one_is_heard() -> None:
    window = FrameWindow()
    window.suppose()
    assert window.open
    window.sent(1, now=0.0)
    window.watch("a", True)
    assert window.audience == {"a"}
    assert window.newest == -1, "the page that was not heard may have missed it"
    window.suppose()
    assert window.audience == {"a"}
    window.watch("a", False)
    assert not window.open


def test_losses_of_a_busy_kernel_end_no_audience() -> None:
    window = FrameWindow()
    window.suppose()
    window.heard = False
    for turn in range(10):
        window.sent(turn, now=float(turn))
        assert window.next_expiry(float(turn)) == pytest.approx(0.4)
        assert window.expire(turn + 0.5) == 1
        assert window.open
    window.heard = True
    for turn in range(3):
        window.sent(turn, now=20.0 + turn)
        window.expire(21.0 + turn)
    assert not window.open, "nobody is there"


#: Seconds at rest before it is written down.
PAUSE = 0.25


class Stage:
    """A sender with a layout and a clock that a test moves, and a page that a test lets answer."""

    def __init__(self) -> None:
        self.version = 1
        self.frames: list[tuple[int, int]] = []
        self.topics: list[set[str]] = []
        self.settled = 0
        self.changed = threading.Condition()
        self.now = 0.0
        self.sender = Sender(
            self.deliver, self.frame, self.settle, pace=0.0, pause=PAUSE, clock=lambda: self.now
        )
        self.sender.start()

    def deliver(self, topics: set[str]) -> None:
        with self.changed:
            self.topics.append(topics)
            self.changed.notify_all()
        if "bad" in topics:
            raise RuntimeError("a message that could not be sent")

    def frame(self, number: Callable[[int], int], newer_than: int) -> bool:
        with self.changed:
            if self.version <= newer_than:
                return False
            self.frames.append((number(self.version), self.version))
            self.changed.notify_all()
            return True

    def settle(self) -> None:
        with self.changed:
            self.settled += 1
            self.changed.notify_all()

    def pass_time(self, seconds: float) -> None:
        self.now += seconds
        self.sender.poke("time")

    def move(self) -> None:
        with self.changed:
            self.version += 1
        self.sender.poke("frame")

    def until(self, condition: Callable[[], bool]) -> None:
        with self.changed:
            assert self.changed.wait_for(condition, GUARD)


@pytest.fixture
def stage() -> Iterator[Stage]:
    stage = Stage()
    yield stage
    stage.sender.close()


def test_a_watcher_gets_the_present_layout_and_then_each_new_one(stage: Stage) -> None:
    stage.move()
    stage.sender.watch("a", True)
    stage.until(lambda: stage.frames == [(1, 2)])
    stage.sender.acknowledge(1, "a")
    stage.move()
    stage.until(lambda: stage.frames[-1] == (2, 3))


def test_layouts_that_come_too_fast_are_left_out(stage: Stage) -> None:
    stage.sender.watch("a", True)
    stage.until(lambda: len(stage.frames) == 1)
    stage.move()
    stage.until(lambda: len(stage.frames) == 2)
    for _ in range(20):
        stage.move()
    stage.sender.poke("mark")
    stage.until(lambda: {"mark"} in stage.topics)
    assert len(stage.frames) == 2
    stage.sender.acknowledge(2, "a")
    stage.until(lambda: stage.frames[-1][1] == 22)


class Turns:
    """A sender without a thread: a test takes its turns and moves its clock."""

    def __init__(self) -> None:
        self.now = 0.0
        self.frames = 0
        self.sender = Sender(
            lambda _: None, self.frame, lambda: None, pace=0.0, clock=lambda: self.now
        )
        self.sender.watch("a", True)

    def frame(self, number: Callable[[int], int], _: int) -> bool:
        self.frames += 1
        self.sender.acknowledge(number(self.frames), "a")
        return True

    def poke(self, *events: str) -> None:
        for event in events:
            self.sender.poke(event)
        self.sender.turn()


@pytest.mark.parametrize("effect", ["method", "parameters", "supervision"])
def test_no_older_layout_is_sent_while_the_first_of_a_command_is_computed(effect: str) -> None:
    turns = Turns()
    turns.sender.turn()
    turns.poke("frame", effect)
    assert turns.frames == 1
    turns.poke("frame")
    assert turns.frames == 2, "it shows the command"
    turns.poke("frame")
    assert turns.frames == 3


def test_a_long_iteration_holds_older_layouts_back_for_a_moment_only() -> None:
    turns = Turns()
    turns.sender.turn()
    turns.poke("frame", "parameters")
    turns.now = 0.5 * HELD
    turns.poke("parameters")
    turns.now = HELD
    turns.sender.turn()
    assert turns.frames == 2, "the first command counts, and not the last"


def test_a_layout_that_looks_different_is_sent_at_once() -> None:
    turns = Turns()
    turns.sender.turn()
    turns.poke("supervision")
    turns.sender.resend()
    turns.sender.turn()
    assert turns.frames == 2


def test_an_unseen_widget_costs_no_frame_but_news_arrive(stage: Stage) -> None:
    for _ in range(5):
        stage.move()
    stage.sender.poke("supervision")
    stage.until(lambda: {"supervision"} in stage.topics)
    assert stage.frames == []
    assert not stage.sender.watched


def test_rest_is_written_down_once_it_lasts(stage: Stage) -> None:
    stage.sender.rest(True)
    stage.sender.rest(False)
    stage.pass_time(2 * PAUSE)
    stage.until(lambda: {"time"} in stage.topics)
    assert stage.settled == 0
    stage.sender.rest(True)
    stage.sender.poke("mark")
    stage.until(lambda: {"mark"} in stage.topics)
    assert stage.settled == 0, "it has not lasted yet"
    stage.pass_time(PAUSE)
    stage.until(lambda: stage.settled == 1)


def test_a_message_that_fails_does_not_end_the_stream(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    stage.sender.poke("bad")
    stage.until(lambda: {"bad"} in stage.topics)
    stage.sender.poke("good")
    stage.until(lambda: {"good"} in stage.topics)
    assert "could not be sent" in caplog.text


def test_a_frame_that_fails_takes_nothing_else_along(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object) -> bool:
        raise RuntimeError("a layout that could not be sent")

    sender = Sender(stage.deliver, fail, stage.settle, pause=0.0)  # this thread takes the turn
    sender.watch("a", True)
    sender.poke("supervision")
    sender.rest(True)
    sender.turn()
    assert "could not be sent" in caplog.text
    assert (stage.topics, stage.settled) == ([{"supervision"}], 1)


def test_closing_ends_the_thread(stage: Stage) -> None:
    thread = stage.sender._thread
    stage.sender.close()
    assert thread is not None
    assert not thread.is_alive()
