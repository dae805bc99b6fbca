"""The Explorer's Python side over a session that a test moves by hand."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import ipywidgets
import numpy as np
import pandas as pd
import pytest
import traitlets

from nbembed.methods import HSSNE, SNE, SNeRV
from nbembed.methods.recipe import PathStep
from nbembed.methods.registry import registered
from nbembed.session.live.progress import Progress
from nbembed.supervision import Supervision
from nbembed.widget import Explorer
from nbembed.widget.host.opening import in_plane
from nbembed.widget.stream import serializers
from nbembed.widget.stream.dispatcher import CommandDispatcher
from nbembed.widget.wire import page_commands, schema
from nbembed.widget.wire.protocol import CommandMessage
from tests.waiting import GUARD, eventually
from tests.widget.contract import check_message, check_traits
from tests.widget.fake_session import FakeMargin, FakeRecipe, FakeSession


class Page:
    """The far end of the wire: what was sent to it, and what it says."""

    def __init__(self, explorer: Any, client: str = "page") -> None:
        self.explorer = explorer
        self.client = client
        self.messages: list[tuple[dict[str, Any], list[bytes]]] = []
        self.changed = threading.Condition()
        self.requests = 0
        explorer.send = self.take

    def take(self, content: dict[str, Any], buffers: list[bytes] | None = None) -> None:
        check_message(content, [len(buffer) for buffer in buffers or []])
        with self.changed:
            self.messages.append((content, buffers or []))
            self.changed.notify_all()

    def say(self, kind: str, **content: Any) -> None:
        self.explorer._receive(None, {"type": kind, "client": self.client, **content}, [])

    def command(
        self, name: str, points: Any = None, /, *more: Any, **arguments: Any
    ) -> dict[str, Any]:
        """Give a command and return its reply; ``points`` and ``more`` go as buffers."""
        self.requests += 1
        content = {
            "type": "command",
            "client": self.client,
            "request": self.requests,
            "name": name,
            "arguments": arguments,
        }
        sides = [] if points is None else [points, *more]
        buffers = [np.array(side, "<u4").tobytes() for side in sides]
        self.explorer._receive(None, content, buffers)
        replies = [m for m, _ in self.messages if m["type"] == "reply"]
        assert replies[-1]["request"] == self.requests
        return replies[-1]

    def frames(self) -> list[tuple[dict[str, Any], list[bytes]]]:
        return [(m, b) for m, b in self.messages if m["type"] == "frame"]

    def frame(self, condition: Callable[[dict[str, Any]], bool]) -> tuple[dict[str, Any], Any]:
        """Wait for a frame, acknowledging those before it as a page does."""
        deadline = time.monotonic() + GUARD
        seen = 0
        while time.monotonic() < deadline:
            with self.changed:
                if len(self.frames()) == seen:
                    self.changed.wait(timeout=1)
                known = self.frames()
            for message, buffers in known[seen:]:
                if condition(message):
                    return message, [np.frombuffer(b, "<f4" if i == 0 else "u1")
                                     for i, b in enumerate(buffers)]  # fmt: skip
                self.say("ack", seq=message["seq"])
            seen = len(known)
        raise AssertionError("no such frame")


@pytest.fixture
def session() -> FakeSession:
    return FakeSession(6)


@pytest.fixture
def explorer(session: FakeSession) -> Iterator[Any]:
    explorer = Explorer(session=session, color=["a", "b", "a", "b", "a", None])  # type: ignore[arg-type]
    yield explorer
    check_traits({name: getattr(explorer, name) for name in schema.TRAITS})
    explorer.close()


@pytest.fixture
def page(explorer: Any) -> Page:
    return Page(explorer)


def test_the_first_state_tells_everything_that_a_page_needs(explorer: Any) -> None:
    assert explorer.n_samples == 6
    assert explorer.methods == ["HSSNE", "Mbed"]
    assert explorer.method == "HSSNE"
    assert [c["symbol"] for c in explorer.controls] == ["α", "ρ"]
    assert explorer.parameters == {"alpha": 1.0, "rho": 0.5}
    assert explorer.color_by == "column"
    assert explorer.color_column["names"] == ["a", "b"]
    assert explorer.coordinates == b"", "there is no layout yet"
    assert explorer.state == "idle"


def test_a_given_session_is_left_as_it_is(explorer: Any, session: FakeSession) -> None:
    assert session.given == []


def test_a_page_that_looks_gets_frames_and_one_that_does_not_gets_none(
    page: Page, session: FakeSession
) -> None:
    session.move()
    page.explorer._sender.poke("supervision")
    eventually(lambda: not page.explorer._sender._events)
    assert page.frames() == []
    page.say("hello")
    frame = session.move()
    message, (coordinates,) = page.frame(lambda m: m["version"] == frame.version)
    np.testing.assert_array_equal(coordinates.reshape(-1, 2), frame.embedding)
    assert message["cost"] == frame.cost
    page.say("visible", visible=False)
    count = len(page.frames())
    session.move()
    session.tell("parameters")
    eventually(lambda: not page.explorer._sender._events)
    assert len(page.frames()) == count


def test_at_rest_the_traits_hold_what_a_reload_needs(
    page: Page, explorer: Any, session: FakeSession
) -> None:
    session.play()
    for _ in range(3):
        frame = session.move()
    assert explorer.coordinates == b""
    session.rest()
    eventually(lambda: explorer.coordinates)
    np.testing.assert_array_equal(
        np.frombuffer(explorer.coordinates, "<f4").reshape(-1, 2), frame.embedding
    )
    assert (explorer.iteration, explorer.cost, explorer.quality) == (3, 1 / 3, 0.5)
    assert explorer.state == "converged"
    curve = np.frombuffer(explorer.history, "<f4").reshape(-1, 2)
    np.testing.assert_allclose(curve, [[1, 1], [2, 1 / 2], [3, 1 / 3]], rtol=1e-6)


def test_the_cost_curve_is_thinned(explorer: Any, session: FakeSession) -> None:
    for _ in range(1000):
        session.move()
    session.rest()
    eventually(lambda: explorer.history)
    curve = np.frombuffer(explorer.history, "<f4").reshape(-1, 2)
    assert len(curve) == 400
    assert (curve[0, 0], curve[-1, 0]) == (1, 1000)


def test_commands_reach_the_session(page: Page, session: FakeSession) -> None:
    session.path = [PathStep(2.0, np.zeros((6, 2)), 1.0)]
    label = {"class": "a", "confidence": 0.8}
    labeled = {"points": [0, 2], "class_": "a", "confidence": 0.8}
    rename = {"old": "a", "new": "b"}
    cases: list[tuple[str, Any, dict[str, Any], dict[str, Any]]] = [
        ("play", None, {}, {}),
        ("pause", None, {}, {}),
        ("step", None, {}, {"k": 1}),
        ("reset", None, {}, {}),
        ("set", None, {"alpha": 1.5}, {"alpha": 1.5}),
        ("add_class", None, {"name": "a"}, {"name": "a"}),
        ("label", [0, 2], label, labeled),
        ("rename_class", None, rename, rename),
        ("add_class", None, {"name": "c"}, {"name": "c"}),
        ("merge_classes", None, {"old": "b", "into": "c"}, {"old": "b", "into": "c"}),
        ("remove_class", None, {"name": "c"}, {"name": "c"}),
        ("must_link", [1, 3], {}, {"points": [1, 3]}),
        ("pin", [2, 4], {}, {"points": [2, 4]}),
        ("unpin", [2], {}, {"points": [2]}),
        ("forget", [1], {}, {"points": [1]}),
        ("undo", None, {}, {}),
        ("redo", None, {}, {}),
        ("go_to", None, {"number": 0}, {"number": 0}),
        ("show_path_step", None, {"index": 0}, {"index": 0}),
        ("cancel", None, {"what": "learning"}, {"what": "learning"}),
        ("save_selection", [4, 1], {"name": "s"}, {"name": "s", "points": [1, 4]}),
        ("delete_selection", None, {"name": "s"}, {"name": "s"}),
        ("snapshot", None, {"name": "one"}, {"name": "one"}),
        ("restore", None, {"name": "one"}, {"name": "one"}),
        ("rename_snapshot", None, {"old": "one", "new": "two"}, {"old": "one", "new": "two"}),
        ("delete_snapshot", None, {"name": "two"}, {"name": "two"}),
    ]
    for name, points, arguments, given in cases:
        assert page.command(name, points, **arguments)["ok"]
        assert session.given[-1] == (name, given)
    assert len(session.given) == len(cases)
    assert page.command("cannot_link", [3, 0], [1, 2])["ok"]
    assert session.given[-1] == ("cannot_link", {"a": [0, 3], "b": [1, 2]})
    elsewhere = {"select", "color_by", "switch", "cannot_link"}
    elsewhere |= {"accept", "check_suggestions", "end_check", "show_cards", "show_names"}
    elsewhere |= {"size_panel", "show_thumbnails"}
    elsewhere |= {"compare", "compare_live", "show_comparison", "end_comparison"}
    elsewhere |= {"set_second", "reset_second", "take_over_second"}
    elsewhere |= {"map_of", "close_map", "prepare_column", "standardize"}
    elsewhere |= {"style_class", "set_word", "color_by_column", "show_unsupervised"}
    assert {case[0] for case in cases} | elsewhere == set(page_commands.COMMANDS)


@pytest.mark.parametrize("error", [ValueError, TypeError, RuntimeError])
def test_what_the_session_refuses_is_a_reply(
    page: Page, session: FakeSession, error: type[Exception]
) -> None:
    session.refuse = error("alpha must be at least 0, got -1")
    reply = page.command("set", alpha=-1)
    assert not reply["ok"]
    assert reply["error"] == "alpha must be at least 0, got -1"
    assert reply["client"] == "page"


def test_nonsense_is_a_reply_too(page: Page, explorer: Any) -> None:
    page.requests = 6
    reply = page.command("explode")
    assert "unknown command 'explode'" in reply["error"]
    explorer._receive(None, "what?", [])
    assert page.messages[-1][0]["error"].startswith("a message must be an object")


def test_a_label_shows_in_the_traits(page: Page, explorer: Any, session: FakeSession) -> None:
    page.command("label", [0, 2], **{"class": "a", "confidence": 0.75})
    eventually(lambda: explorer.undo)
    assert explorer.undo == "label 2 points as a"
    assert np.frombuffer(explorer.label_codes, "<i4").tolist() == [0, -1, 0, -1, -1, -1]
    assert np.frombuffer(explorer.label_confidence, "<f4")[0] == 0.75
    (style,) = explorer.classes
    assert style["name"] == "a"
    assert style["color"] == explorer.color_column["colors"][0], "the color of the category 'a'"
    assert explorer.controls[1]["enabled"]
    assert explorer.labels == ["a", None, "a", None, None, None]


def test_links_show_in_the_traits(page: Page, explorer: Any) -> None:
    page.command("must_link", [4, 1])
    eventually(lambda: explorer.links)
    assert explorer.links == [[1, 4]]


def test_a_slider_without_links_says_what_it_needs(explorer: Any) -> None:
    rho = explorer.controls[1]
    assert not rho["enabled"]
    assert rho["description"] == "Links."
    assert rho["needs"] == "Active once two points share a label or a link."


def test_one_label_of_each_class_is_not_asked_for_labels():
    (rho,) = (p for p in HSSNE.recipe_type.live_parameters if p.name == "rho")
    one_each = Supervision(9).label([0], "a").label([3], "b")
    single, double = (serializers.control(rho, s) for s in (one_each, one_each.label([4], "b")))
    assert not single["enabled"]
    assert single["needs"] == "Active once two points share a label or a link."
    assert double["enabled"]


def test_labels_alone_do_not_enable_the_weight_of_links():
    (rho,) = (p for p in SNeRV.recipe_type.live_parameters if p.name == "rho")
    known = Supervision(9).label([0, 1, 2], "a").label([3, 4], "b")
    enabled = [serializers.control(rho, s)["enabled"] for s in (known, known.must_link([5, 6]))]
    assert enabled == [False, True]


def test_a_frame_tells_which_request_it_shows(page: Page, session: FakeSession) -> None:
    page.say("hello")
    session.move()
    assert page.frame(lambda m: True)[0]["applied"] == {}
    page.command("set", alpha=2.0)
    frame = session.move()
    shown, _ = page.frame(lambda m: m["version"] >= frame.version)
    assert shown["applied"] == {"page": 1}
    assert shown["parameters"]["alpha"] == 2.0


@pytest.mark.parametrize(("state", "again"), [("running", []), ("paused", ["again"])])
def test_labels_send_the_layout_again_only_where_no_other_follows(
    explorer: Any,
    session: FakeSession,
    monkeypatch: pytest.MonkeyPatch,
    state: str,
    again: list[str],
) -> None:
    calls: list[str] = []
    monkeypatch.setattr(explorer._sender, "resend", lambda: calls.append("again"))
    session.state = state
    explorer._write({"supervision"})
    assert calls == again


def test_a_layout_from_before_a_command_does_not_claim_to_show_it(
    page: Page, session: FakeSession
) -> None:
    dispatcher = CommandDispatcher(session)  # type: ignore[arg-type]
    session._subscribers.append(dispatcher.notify)
    assert dispatcher.dispatch(CommandMessage("c", 5, "set", {"alpha": 1.2})) is None
    assert dispatcher.applied == {}, "in force, and no layout since"
    session.move()
    assert dispatcher.applied == {"c": 5}


def test_selection_from_the_page(page: Page, explorer: Any) -> None:
    seen: list[Any] = []
    explorer.observe(lambda change: seen.append(change.new.tolist()), "selection")
    assert page.command("select", [3, 1])["ok"]
    assert explorer.selection.tolist() == [1, 3]
    assert page.command("select", [1, 3])["ok"]
    assert seen == [[1, 3]]


def test_selection_from_python(explorer: Any) -> None:
    explorer.selection = np.array([True, False, True, False, False, False])
    assert explorer.selection.tolist() == [0, 2]
    assert explorer.get_state("selection")["selection"] == np.array([0, 2], "<u4").tobytes()
    with pytest.raises(ValueError, match="read-only"):
        explorer.selection[0] = 5
    explorer.selection = None
    assert explorer.selection.size == 0
    for wrong in ([6], [-1], [0.5], [[0, 1]], [True, False]):
        with pytest.raises(ValueError, match="selection"):
            explorer.selection = wrong


def test_color_by_from_the_page(page: Page, explorer: Any) -> None:
    assert page.command("color_by", mode="class")["ok"]
    assert explorer.color_by == "class"
    assert not page.command("color_by", mode="taste")["ok"]
    with pytest.raises(traitlets.TraitError):
        explorer.color_by = "taste"


def test_labels_from_python_keep_links_and_class_order(explorer: Any, session: FakeSession) -> None:
    session.add_class("z")
    session.must_link([0, 1])
    explorer.labels = ["a", None, "z", "a", -1, float("nan")]
    supervision = explorer.supervision
    assert supervision.classes == ("z", "a")
    assert explorer.labels == ["a", None, "z", "a", None, None]
    assert [list(g) for g in supervision.links] == [[0, 1]]
    explorer.labels = np.array([3, -1, -1, 1, -1, -1])
    assert explorer.labels == ["3", None, None, "1", None, None]
    explorer.labels = None
    assert explorer.labels == [None] * 6


def test_supervision_from_python(explorer: Any) -> None:
    explorer.supervision = Supervision(6).label([1], "one")
    assert explorer.labels[1] == "one"
    explorer.supervision = None
    assert explorer.supervision == Supervision(explorer.supervision.n_samples)
    with pytest.raises(ValueError):
        explorer.supervision = [0, 1]


def test_to_frame(explorer: Any, session: FakeSession) -> None:
    frame = session.move()
    session.label([2], "two", 0.6)
    explorer.selection = [5]
    table = explorer.to_frame()
    assert list(table.columns) == ["x", "y", "label", "confidence", "selected", "color"]
    np.testing.assert_array_equal(table[["x", "y"]], frame.embedding)
    assert table.label[2] == "two"
    assert table.label.isna().sum() == 5
    assert table.confidence[2] == 0.6
    assert table.selected.tolist() == [False] * 5 + [True]
    assert table.color[0] == "a"


def test_to_frame_names_columns_and_dimensions() -> None:
    session = FakeSession(3, d=3)
    with_title = pd.Series([1, 2, 1], name="batch")
    explorer = Explorer(session=session, color=with_title)  # type: ignore[arg-type]
    assert list(explorer.to_frame().columns)[:3] == ["x", "y", "z"]
    assert "batch" in explorer.to_frame()
    explorer.close()


def test_without_pandas_to_frame_says_what_to_install(
    explorer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match='pip install "pandas"'):
        explorer.to_frame()


def test_an_error_of_the_worker_shows(explorer: Any, session: FakeSession) -> None:
    session.label([0], "a")
    session.error, session.state = MemoryError("too much"), "failed"
    session.tell("error", "state")
    eventually(lambda: explorer.error)
    assert explorer.error == "MemoryError: too much"
    assert explorer.state == "failed"
    assert explorer.labels[0] == "a"


def test_a_method_with_classes_sends_directions_and_colors(
    page: Page, explorer: Any, session: FakeSession
) -> None:
    session.directions = np.array([[1.0, 0.0], [-1.0, 0.0]])
    session.membership = np.tile([1.0, 0.0], (6, 1))
    session.recipe = FakeMargin(softness=1.5, classes=2)
    session.tell("method", "parameters")
    page.say("hello")
    frame = session.move()
    message, (_, rgba) = page.frame(lambda m: m["version"] == frame.version)
    assert message["directions"] == [[1, 0], [-1, 0]]
    assert len(set(message["direction_colors"])) == 2
    assert rgba.reshape(6, 4)[0].tolist()[3] == 255
    assert message["parameters"] == {"softness": 1.5, "rho": 0.5}
    assert explorer.class_count == {"name": "classes", "value": 2, "low": 2}
    assert page.command("set", classes=3)["ok"]
    eventually(lambda: explorer.class_count["value"] == 3)


def test_points_are_colored_by_probability_while_there_is_any_until_someone_chooses(
    page: Page, explorer: Any, session: FakeSession
) -> None:
    page.say("hello")
    session.membership = np.tile([1.0, 0.0], (6, 1))
    session.rest()
    eventually(lambda: explorer.membership_colors)
    assert explorer.color_by == "column", "labels are carried: the map has no regions of classes"
    session.directions = np.array([[1.0, 0.0], [-1.0, 0.0]])
    session.move()
    eventually(lambda: explorer.color_by == "probability")
    session.directions, session.membership = None, None
    session.rest()
    eventually(lambda: explorer.color_by == "column")
    assert page.command("color_by", mode="class")["ok"]
    session.membership = np.tile([1.0, 0.0], (6, 1))
    session.rest()
    eventually(lambda: explorer.membership_colors)
    assert explorer.color_by == "class"


def test_the_cost_curve_begins_where_the_present_method_took_over(
    explorer: Any, session: FakeSession
) -> None:
    for _ in range(4):
        session.move()
    session.switch("Mbed")
    session.move()
    session.rest()
    eventually(lambda: explorer.history)
    assert np.frombuffer(explorer.history, "<f4").reshape(-1, 2)[:, 0].tolist() == [5]


def test_a_map_of_many_dimensions_is_sent_as_a_plane() -> None:
    session = FakeSession(8, d=5)
    explorer = Explorer(session=session)  # type: ignore[arg-type]
    page = Page(explorer)
    session.directions = np.eye(5)
    page.say("hello")
    session.move()
    message, (plane,) = page.frame(lambda m: True)
    assert plane.size == 16
    assert np.shape(message["directions"]) == (5, 2)
    assert explorer.embedding.shape == (8, 5)
    explorer.close()


def test_the_path_grows_while_it_runs_and_the_chosen_step_is_told(
    page: Page, explorer: Any, session: FakeSession
) -> None:
    page.say("hello")
    session.path = [PathStep(4.0, np.zeros((6, 2)), float("nan"))]
    session.move()
    eventually(lambda: explorer.path)
    assert explorer.path == [{"value": 4.0, "criterion": None}]
    page.command("show_path_step", index=0)
    eventually(lambda: explorer.chosen_step == 0)
    page.command("rename_snapshot", old="a", new="b")  # as other records, it moves no map
    explorer._writer.write()
    assert explorer.chosen_step == 0
    page.command("set", alpha=1.0)
    eventually(lambda: explorer.chosen_step == -1)


def test_a_switch_is_left_to_the_session(page: Page, explorer: Any, session: FakeSession) -> None:
    assert page.command("switch", method="Mbed")["ok"]
    assert session.given[-1] == ("switch", {"method": "Mbed"})
    eventually(lambda: explorer.path_symbol == "λ")
    assert explorer.method == "Mbed"


def test_a_method_that_leaves_its_dimensions_open_is_laid_out_on_the_plane() -> None:
    open_, said = FakeMargin(), FakeMargin(plane=False)
    assert in_plane(open_).plane is True
    assert open_.plane is None, "the user's own is untouched"
    assert in_plane(said) is said
    holder = SimpleNamespace(recipe=said)
    assert in_plane(holder) is holder
    assert in_plane(SimpleNamespace(recipe=open_)).plane is True
    assert in_plane(FakeMargin) is FakeMargin, "the session says what is wrong with it"


def test_closing_loses_nothing(explorer: Any, session: FakeSession) -> None:
    session.label([0], "a")
    explorer.close()
    explorer.close()
    assert session._subscribers == []
    assert not explorer._sender._thread.is_alive()
    assert explorer.session is session
    assert explorer.labels[0] == "a"


def test_two_explorers_of_one_session_agree(session: FakeSession) -> None:
    one, two = Explorer(session=session), Explorer(session=session)  # type: ignore[arg-type]
    one.labels = ["a"] * 6
    eventually(lambda: two.label_codes == one.label_codes and two.classes)
    assert two.labels == ["a"] * 6
    one.close()
    two.close()


def test_commands_may_come_from_several_threads(page: Page, session: FakeSession) -> None:
    def steer(k: int) -> None:
        own = Page(page.explorer, f"page {k}")
        page.explorer.send = page.take
        for i in range(30):
            own.requests += 1
            content = {"type": "command", "client": own.client, "request": own.requests}
            page.explorer._receive(None, {**content, "name": "select"}, [np.uint32([i % 6])])
            page.explorer._receive(
                None, {**content, "name": "set", "arguments": {"alpha": 0.1 * i}}, []
            )

    threads = [threading.Thread(target=steer, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(GUARD)
    replies = [m for m, _ in page.messages if m["type"] == "reply"]
    assert len(replies) == 240
    assert all(m["ok"] for m in replies)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "X, session or autosave"),
        ({"X": np.zeros((3, 2)), "session": FakeSession()}, "X and session must not both"),
        ({"session": FakeSession(), "supervision": [0]}, "must not be given without X"),
        ({"session": FakeSession(), "height": 10}, "height must be"),
        ({"session": FakeSession(), "color": [1]}, "color must have"),
        ({"session": FakeSession(), "color": [[1], [2, 3]]}, "color must have"),
        ({"session": FakeSession(), "autoplay": "yes"}, "autoplay must be True or False"),
        ({"session": np.zeros((3, 2))}, "session must be a Session, got ndarray"),
        ({"X": np.zeros((3, 2)), "method": FakeRecipe}, "method must be .*an estimator"),
    ],
)
def test_wrong_arguments_are_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        Explorer(**arguments)


def test_a_selection_of_a_wrong_kind_names_the_argument(explorer: Any) -> None:
    with pytest.raises(ValueError, match=r"selection must be indices in \[0, 6\), got 9"):
        explorer.selection = [9]


def test_the_state_that_a_notebook_keeps_is_small_and_plain(explorer: Any) -> None:
    state = explorer.get_state()
    for name, value in state.items():
        assert isinstance(value, str | int | float | list | tuple | dict | bytes | None), name
    assert "log" not in explorer.trait_names() or not explorer.traits()["log"].metadata.get("sync")


def test_landmarks_go_with_frames_and_stay_for_a_reload(
    page: Page, explorer: Any, session: FakeSession
) -> None:
    session.supervision = session.supervision.add_class("b")
    page.say("hello")
    session.play()
    frame = session.move()
    eventually(lambda: page.frames())
    assert page.frames()[-1][0]["centers"] == []
    centers = np.array([[1.0, 2.0], [3.0, 4.0]], dtype=np.float32)
    session._frame = replace(frame, version=9, centers=centers, center_names=("a", "b"))
    session.tell("frame")
    page.say("ack", seq=page.frames()[-1][0]["seq"])
    eventually(lambda: page.frames()[-1][0]["version"] == 9)
    content = page.frames()[-1][0]
    assert content["centers"] == [[1.0, 2.0], [3.0, 4.0]]
    assert content["center_names"] == ["a", "b"]
    style = explorer._frames._artist.class_styles(session.supervision.classes)[0]
    assert content["center_colors"][1] == style["color"]
    session.rest()
    eventually(lambda: explorer.centers == [[1.0, 2.0], [3.0, 4.0]])
    assert explorer.center_names == ["a", "b"]


def test_what_is_being_made_is_told(explorer: Any, session: FakeSession) -> None:
    session.progress = Progress("finding neighbors", 4, 10, "The map begins then", 0.0, 4.0)
    session.tell("progress")
    eventually(lambda: explorer.making == "finding neighbors 40 %, about 6 s left")
    assert explorer.making_share == 0.4
    assert explorer.meanwhile == "The map begins then"
    session.progress, session.remark = None, "3 of 30 points coincide"
    session.tell("progress", "state")
    eventually(lambda: explorer.remark == session.remark)
    assert (explorer.making, explorer.making_share, explorer.meanwhile) == ("", None, "")


def test_what_waits_is_shown_though_no_frame_has_it(page: Page, session: FakeSession) -> None:
    session.supervision = session.supervision.label([1], "a")
    session.tell("waiting")
    eventually(lambda: [c["name"] for c in page.explorer.classes] == ["a"])
    assert page.explorer._dispatcher.applied == {}
    session.tell = lambda *events: None  # a command waits: nothing tells that it is in force
    assert page.command("set", alpha=1.5)["ok"]
    del session.tell
    session.tell("progress", "waiting", "frame")
    assert page.explorer._dispatcher.applied == {}


def test_what_is_being_learned_is_told(explorer: Any, session: FakeSession) -> None:
    session.learning = "learning the metric from 34 labels"
    session.tell("learning")
    eventually(lambda: explorer.learning == session.learning)
    session.learning = ""
    session.learning_error = ValueError("labels must be of two classes")
    session.tell("learning")
    eventually(lambda: explorer.learning_error == "labels must be of two classes")
    assert explorer.learning == ""


def test_pins_and_cannot_links_are_told(page: Page, explorer: Any, session: FakeSession) -> None:
    page.command("pin", [4, 1])
    page.command("cannot_link", [0], [2, 3])
    eventually(lambda: explorer.cannot_links)
    assert explorer.cannot_links == [[[0], [2, 3]]]
    assert np.frombuffer(explorer.pinned, "<u4").tolist() == [1, 4]
    explorer.labels = ["a", None, None, None, None, None]
    assert session.supervision.pinned.tolist() == [1, 4]
    assert session.supervision.cannot_links


def test_methods_are_told_in_groups(explorer: Any) -> None:
    first = {"title": "Begin with", "names": ["HSSNE"], "sentences": ["tails"]}
    others = {"title": "Others", "names": ["Mbed"], "sentences": ["tails"]}
    assert explorer.method_groups == [first, others]
    kinds: Any = {**registered(), "FakeMargin": FakeMargin}
    groups = {g["title"]: g["names"] for g in serializers.method_groups(kinds)}
    assert list(groups) == ["Begin with", "More methods", "Others"]
    assert groups["Begin with"] == ["HSSNE", "Mbed", "NeRV"]
    assert {"SNE", "ParametricEmbedding", "LPP", "LFDA", "PCA"} <= set(groups["More methods"])
    assert groups["Others"] == ["FakeMargin"]
    for name, recipe in registered().items():
        assert 10 < len(recipe.summary) < 60, name


def test_a_method_of_ones_own_is_listed_once_it_is_switched_to(
    page: Page, explorer: Any, session: FakeSession
) -> None:
    class Own(FakeRecipe):
        group = "My methods"

    session.methods["Own"] = Own
    session.switch("Own")
    eventually(lambda: explorer.method == "Own")
    assert explorer.methods[-1] == "Own"
    assert explorer.method_groups[-1] == {
        "title": "My methods", "names": ["Own"], "sentences": ["tails"],
    }  # fmt: skip


def test_what_a_method_needs_from_the_person_is_told(explorer: Any, session: FakeSession) -> None:
    assert explorer.request == ""
    session.request = "Label points of two classes: the metric is learned from them"
    session.tell("method")
    eventually(lambda: explorer.request == session.request)


def test_the_labels_given_back_change_nothing(explorer: Any, session: FakeSession) -> None:
    session.supervision = session.supervision.label([0, 1], "a", 0.6).label([2], "b")
    before = session.supervision
    explorer.labels = explorer.labels
    assert session.supervision is before
    assert session.given == []
    with pytest.raises(ValueError, match=r"^labels must have 6 labels"):
        explorer.labels = ["a"]
    with pytest.raises(ValueError, match=r"^supervision must have 6 labels"):
        explorer.supervision = ["a"]


def test_a_page_writes_no_trait_but_those_meant_for_it(
    page: Page, explorer: Any, caplog: pytest.LogCaptureFixture
) -> None:
    page.command("label", [0], **{"class": "a", "confidence": 1})
    eventually(lambda: explorer.undo)
    before = explorer.get_state()
    assert set(before) & schema.WRITABLE_BY_PAGE == {"revision"}, "the page asks otherwise"
    corrected: list[Any] = []
    explorer.send_state = corrected.append
    explorer._handle_msg(
        {
            "content": {"data": {"method": "update", "state": dict.fromkeys(before, 0)}},
            "buffers": [],
        }
    )
    assert explorer.get_state() == before
    refused = [name for name in before if name != "revision"]
    assert corrected == [refused], "the page is told what Python has"
    assert "traits that it may not set: n_samples" in caplog.text.replace(
        ", ".join(refused), "n_samples"
    )
    assert not page.command("set", alpha=10**400)["ok"]
    assert page.command("pin", [5])["ok"], "points are still checked against all six"


def test_text_of_an_exception_that_no_page_can_show_stops_no_update(
    page: Page, explorer: Any, session: FakeSession
) -> None:
    session.refuse = ValueError("no \ud800")
    assert page.command("play")["error"] == "no ?"
    session.error, session.state = ValueError("broken \udfff"), "failed"
    session.tell("error", "state")
    eventually(lambda: explorer.error)
    assert explorer.error == "ValueError: broken ?"


def test_numbers_that_no_page_can_draw_are_refused_before_anything_is_made() -> None:
    widgets = dict(ipywidgets.widgets.widget._instances)
    session: Any = FakeSession(3)
    for value in (1e300, -4e38):
        with pytest.raises(ValueError, match=r"color must be at most 3\.4e\+38 in magnitude"):
            Explorer(session=session, color=[0.0, value, np.nan])
    assert session._subscribers == []
    assert ipywidgets.widgets.widget._instances == widgets
    drawn = Explorer(session=session, color=[np.nan, 3e38, np.inf])
    assert serializers.color_values(drawn)[1] == 3e38
    drawn.close()


def test_more_classes_than_16_bits_can_number(explorer: Any, session: FakeSession) -> None:
    n = 40_000
    many = Supervision(n, [f"class {k}" for k in range(n)])
    many = many._with(_class=np.arange(n), _confidence=np.ones(n))
    traits = serializers.supervision_traits(many)
    assert np.array_equal(np.frombuffer(traits["label_codes"], "<i4"), np.arange(n))


def test_all_of_a_drawing_is_of_its_frames_moment(explorer: Any, session: FakeSession) -> None:
    session.directions = np.array([[1.0, 0.0], [-1.0, 0.0]])
    session.membership = np.tile([1.0, 0.0], (6, 1))
    session.move()
    frame = session.frame()
    session.directions, session.membership = np.zeros((3, 2)), None
    drawing = explorer._frames._artist.draw(frame)
    assert drawing.directions == [[1, 0], [-1, 0]]
    assert drawing.colors is not None


@pytest.mark.parametrize("value", [np.arange(2), np.array("class"), 3, None, ["class"], "shape"])
def test_a_coloring_that_is_none_of_the_words_is_refused(explorer: Any, value: Any) -> None:
    with pytest.raises(traitlets.TraitError, match="color_by"):
        explorer.color_by = value
    assert explorer.color_by == "column"


def test_what_a_map_is_prepared_with_is_told_and_changed() -> None:
    rng = np.random.default_rng(0)
    explorer = Explorer(rng.random((30, 3)), SNE(perplexity=5, random_state=3), autoplay=False)
    found = {each["name"]: each for each in explorer.prepared}
    assert list(found) == ["perplexity", "metric", "propagate_labels", "random_state"]
    assert [each["value"] for each in explorer.prepared] == ["5", "euclidean", "carried", "3"]
    assert found["perplexity"]["cost"].startswith("Recomputes neighbors (30 points)")
    assert found["random_state"]["cost"] == "Takes effect at the next reset."
    words = [("metric", "cosine", "cosine"), ("propagate_labels", "not carried", False)]
    for request, (name, word, value) in enumerate(words, 1):
        message = {"type": "command", "client": "page", "request": request, "name": "set_word",
                   "arguments": {"name": name, "word": word}}  # fmt: skip
        explorer._receive(None, message, [])
        explorer.session.step(1, wait=True)
        assert explorer.session.parameters[name] == value
    eventually(lambda: [each["value"] for each in explorer.prepared][2] == "not carried")
    explorer.close()


@pytest.mark.parametrize("error", [ZeroDivisionError, ValueError])
def test_an_observer_that_fails_is_logged_and_refuses_nothing(
    explorer: Any, page: Page, caplog: pytest.LogCaptureFixture, error: type[Exception]
) -> None:
    def fail(change: Any) -> None:
        raise error("from the observer")

    explorer.observe(fail, ["selection", "undo"])
    assert page.command("select", [1, 2], by="lasso")["ok"]
    assert explorer.selection.tolist() == [1, 2]
    assert "from the observer" in caplog.text
    explorer._writer.update({"undo": "Label", "redo": "Pin"})
    assert (explorer.undo, explorer.redo) == ("Label", "Pin")
    with pytest.raises(error):
        explorer.selection = [3]


def test_a_page_is_answered_whatever_a_users_code_raises(
    explorer: Any, page: Page, session: FakeSession, caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    def fail(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError("of a recipe")

    monkeypatch.setattr(session, "set", fail, raising=False)
    assert page.command("set", alpha=2.0)["error"] == "ZeroDivisionError: of a recipe"
    monkeypatch.setattr(explorer._cards, "names", fail)
    page.say("naming", points=[1])
    assert page.messages[-1][0]["error"] == "of a recipe"
    assert caplog.text.count("Traceback") == 2


@pytest.mark.parametrize("trait", ["selection", "cards"])
def test_explorers_can_be_linked(explorer: Any, session: FakeSession, trait: str) -> None:
    other: Any = Explorer(session=session)  # type: ignore[arg-type]
    link = traitlets.link((explorer, trait), (other, trait))
    setattr(explorer, trait, [1, 2])
    assert getattr(other, trait).tolist() == [1, 2]
    setattr(other, trait, [4])
    assert getattr(explorer, trait).tolist() == [4]
    setattr(other, trait, None)
    assert getattr(explorer, trait).size == 0
    assert repr(getattr(explorer, trait)) == "array([], dtype=int64)"
    link.unlink()
    other.close()


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("set", {"n_components": 1000}),
        ("set", {"alpha": 1.2, "tol": 0.5}),
        ("set_word", {"name": "optimizer", "word": "lbfgs"}),
    ],
)
def test_a_page_sets_only_what_it_shows(
    page: Page, session: FakeSession, name: str, arguments: dict[str, Any]
) -> None:
    reply = page.command(name, **arguments)
    assert "parameter must be one that the page shows ('alpha'" in reply["error"]
    assert page.command("set", alpha=1.2)["ok"]
