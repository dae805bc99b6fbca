"""Looks of classes, from Python and from a page."""

from __future__ import annotations

from typing import Any

import pytest

from nbembed.widget import Explorer
from tests.widget.fake_session import FakeSession


@pytest.fixture
def explorer() -> Any:
    session = FakeSession(6)
    session.label([0, 1], "one")
    session.label([2, 3], "two")
    shown = Explorer(session=session, autoplay=False)
    yield shown
    shown.close()


def classes(explorer: Any) -> dict[str, dict[str, Any]]:
    explorer._writer.write({"supervision"})
    return {style["name"]: style for style in explorer.classes}


def test_a_class_gets_another_look(explorer: Any) -> None:
    explorer.class_styles.change("one", color="#e69f00", symbol="star", hidden=True)
    found = classes(explorer)
    assert found["one"] == {
        "name": "one", "color": "#E69F00", "symbol": "star", "hidden": True, "place": 0,
    }  # fmt: skip
    assert explorer.class_styles["one"] == found["one"]
    assert not found["two"]["hidden"]
    assert list(explorer.class_styles) == ["one", "two"]
    explorer.class_styles.change("two", place=0)
    assert list(explorer.class_styles) == ["two", "one"]
    assert explorer.supervision.classes == ("one", "two"), "labels are as they were"
    assert len(explorer.class_styles) == 2
    with pytest.raises(KeyError):
        explorer.class_styles["three"]


def test_a_look_goes_with_the_name(explorer: Any) -> None:
    explorer.class_styles.change("one", symbol="wedge")
    explorer.session.rename_class("one", "eins")
    assert explorer.class_styles["eins"]["symbol"] == "wedge"
    explorer.session.remove_class("eins")
    assert list(explorer.class_styles) == ["two"]
    explorer.session.add_class("eins")
    assert explorer.class_styles["eins"]["symbol"] == "wedge"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "three"}, "name must be an existing class \\('one', 'two'\\), got 'three'"),
        ({"name": "one", "color": "red"}, "color must be text such as"),
        ({"name": "one", "color": 7}, "color must be text such as"),
        ({"name": "one", "symbol": "heart"}, "symbol must be one of circle"),
        ({"name": "one", "symbol": ["star"]}, "symbol must be one of circle"),
        ({"name": "one", "hidden": "yes"}, "hidden must be"),
        ({"name": "one", "place": 2}, "place must be in \\[0, 2\\), got 2"),
        ({"name": "one", "place": -1}, "place must be"),
        ({"name": ["one"]}, "name must be the name of a class"),
    ],
)
def test_what_is_no_look_is_refused(explorer: Any, arguments: Any, message: str) -> None:
    before = classes(explorer)
    with pytest.raises((ValueError, TypeError), match=message):
        explorer.class_styles.change(**arguments)
    assert classes(explorer) == before


def test_a_page_changes_looks(explorer: Any) -> None:
    replies: list[Any] = []
    explorer._send_message = lambda content, buffers=None: replies.append(content)
    message = {
        "type": "command", "client": "page", "request": 1, "name": "style_class",
        "arguments": {"name": "one", "hidden": True},
    }  # fmt: skip
    explorer._receive(None, message, [])
    assert explorer.class_styles["one"]["hidden"]
    message = {**message, "request": 2, "arguments": {"name": "one", "symbol": "heart"}}
    explorer._receive(None, message, [])
    assert [r["ok"] for r in replies if r["type"] == "reply"] == [True, False]
