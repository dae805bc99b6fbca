"""A host that drops what threads send, as Google Colab does: the page polls, and misses nothing.

The stand-in behaves as googlecolab/colabtools issue 3373 describes: what the kernel sends while it
handles a message arrives, everything else is lost.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page as BrowserPage
from sklearn.datasets import load_iris

import nbembed as nb
from nbembed.widget.host import hosts
from tests.waiting import GUARD
from tests.widget.contract import check_message
from tests.widget.page import act, kernel, sent


class ColabPage:
    """Hears what is sent while a message of its own is handled, in the thread that handles it."""

    def __init__(self, explorer: nb.Explorer) -> None:
        self.explorer = explorer
        self.heard: list[dict[str, Any]] = []
        self.lost: list[str] = []
        self._handling: int | None = None
        explorer._send = self._hear  # of all that goes through the comm

    def _hear(self, message: dict[str, Any], buffers: Any = None) -> None:
        if self._handling != threading.get_ident():
            self.lost.append(message["method"])
            return
        if message["method"] == "custom":
            check_message(message["content"], [len(buffer) for buffer in buffers or []])
            self.heard.append(message["content"])
        else:
            arrays = dict.fromkeys(path[0] for path in message["buffer_paths"])
            self.heard.append({"type": "update", **message["state"], **arrays})

    def say(self, kind: str, *buffers: bytes, **content: Any) -> None:
        self._handling = threading.get_ident()
        try:
            self.explorer._receive(None, {"type": kind, "client": "page", **content}, buffers)
        finally:
            self._handling = None

    def until(self, done: Callable[[list[dict[str, Any]]], bool]) -> None:
        """Poll and acknowledge until what was heard is enough."""
        end = time.monotonic() + GUARD
        while not done(self.heard):
            assert time.monotonic() < end, [m["type"] for m in self.heard][-10:]
            self.say("poll")
            for message in self.heard[-8:]:
                if message["type"] == "frame":
                    self.say("ack", seq=message["seq"])
            time.sleep(0.005)


@pytest.fixture
def in_colab(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "google.colab", ModuleType("google.colab"))


def test_other_hosts_hear_threads() -> None:
    assert hosts.hears_threads()
    explorer = nb.Explorer(np.eye(5), autoplay=False)
    assert not explorer.polled
    assert not explorer.reactive
    explorer.close()


def test_nothing_is_lost_where_threads_are_not_heard(in_colab: None) -> None:
    X, species = load_iris(return_X_y=True)
    explorer = nb.Explorer(X, nb.HSSNE(random_state=0), color=species, autoplay=False)
    assert explorer.polled
    page = ColabPage(explorer)
    page.say("hello")
    page.say("visible", visible=True)
    points = np.arange(20, dtype="<u4").tobytes()
    play = {"name": "play", "arguments": {}}
    label = {"name": "label", "arguments": {"class": "a", "confidence": 1.0}}
    page.say("command", request=1, **play)
    page.say("command", points, request=2, **label)
    page.say("inspect", point=3)
    page.until(lambda heard: any(m["type"] == "card" for m in heard))
    page.until(lambda heard: any(m["type"] == "frame" and m["applied"] for m in heard))
    page.until(lambda heard: any(m.get("state") == "converged" for m in heard))
    page.until(lambda heard: any("coordinates" in m for m in heard))  # what survives a reload

    assert page.lost == []
    replies = {m["request"]: m["ok"] for m in page.heard if m["type"] == "reply"}
    assert replies == {0: True, 1: True, 2: True}
    frames = [m["seq"] for m in page.heard if m["type"] == "frame"]
    assert frames == sorted(frames)
    assert explorer.labels[:20] == ["a"] * 20
    explorer.close()


def test_a_frame_does_not_arrive_after_what_came_after_it(in_colab: None) -> None:
    explorer = nb.Explorer(load_iris().data, nb.HSSNE(random_state=0), autoplay=False)
    page = ColabPage(explorer)
    page.say("hello")
    page.say("visible", visible=True)
    send = explorer._sender._frame

    def send_and_pause(*arguments: Any) -> bool:
        made = send(*arguments)
        if made:
            explorer.session.pause()
        return made

    def paused(_: object) -> bool:
        explorer._sender.poke("state")  # the turn that makes the frame writes the state too
        return explorer.session.state == "paused"

    explorer.session.play()
    page.until(lambda heard: any(m.get("state") == "running" for m in heard))
    explorer._sender._frame = send_and_pause
    page.until(paused)
    assert [m["state"] for m in page.heard if "state" in m][-1] == "paused"
    explorer.close()


def test_the_page_asks_often_while_the_map_moves_and_seldom_at_rest(open_explorer: Any) -> None:
    page: BrowserPage = open_explorer(polled=True)
    polls = "k.sent.filter((m) => m.type === 'poll').length"
    act(page, "k.play()")
    page.wait_for_function("window.frames.length >= 10")
    act(page, "k.pause()")
    page.get_by_role("button", name="Play").wait_for()
    page.get_by_role("button", name="Play").click()
    page.wait_for_function("window.kernel.commands('play').length === 1")
    page.wait_for_function("window.frames.length >= 20")
    assert kernel(page, polls) > 5
    assert kernel(page, "k.outbox.length") < 20, "what waits is fetched"
    assert sent(page, "play")


def test_changes_are_counted_where_cells_depend_on_them(open_explorer: Any) -> None:
    page: BrowserPage = open_explorer(reactive=True)
    act(page, "k.update({ selection: new DataView(Uint32Array.of(1, 2).buffer) })")
    page.wait_for_function("window.kernel.traits.revision === 1")
    act(page, "k.update({ selection: new DataView(Uint32Array.of(1, 2).buffer), iteration: 7 })")
    page.wait_for_timeout(400)
    assert kernel(page, "k.traits.revision") == 1, "the same selection again is no change"
    act(page, "k.update({ links: [[1, 2]] })")
    page.wait_for_function("window.kernel.traits.revision === 2")


def test_other_pages_do_not_ask(open_explorer: Any) -> None:
    page: BrowserPage = open_explorer()
    act(page, "k.play()")
    page.wait_for_function("window.frames.length >= 5")
    assert kernel(page, "k.sent.filter((m) => m.type === 'poll').length") == 0
