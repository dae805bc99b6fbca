"""Cards and names: what an Explorer answers when a page asks about points."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.metrics import pairwise_distances

import nbembed as nb
from nbembed import Supervision
from nbembed.data.distances import scales_of, squared_row
from nbembed.widget import Explorer
from nbembed.widget.answers import cards
from nbembed.widget.answers.cards import nearest
from tests.waiting import GUARD, eventually
from tests.widget.contract import check_message
from tests.widget.fake_session import FakeSession
from tests.widget.test_explorer import Page

FRAME = pd.DataFrame(
    {"size": [1.0, 2.0, 4.0, 8.0], "kind": ["a", "b", "a", "<b>"], "note": ["x" * 10_000] * 4},
    index=["Ann", "Bob", "Cleo", "\u202eDan\0"],
)


class Asking(Page):
    """A page that asks about points."""

    def ask(self, kind: str, **fields: Any) -> tuple[dict[str, Any], list[bytes]]:
        before = len(self.messages)
        self.say(kind, **fields)
        answer = {"inspect": "card", "naming": "names"}[kind]
        eventually(lambda: any(m["type"] == answer for m, _ in self.messages[before:]))
        message, buffers = next(m for m in reversed(self.messages) if m[0]["type"] == answer)
        check_message(message, [len(b) for b in buffers])
        return message, buffers


@pytest.fixture
def session() -> FakeSession:
    return FakeSession(4)


@pytest.fixture
def explorer(session: FakeSession) -> Iterator[Any]:
    images = np.arange(16.0).reshape(4, 2, 2)
    explorer = Explorer(session=session, columns=FRAME, color="kind", images=images)  # type: ignore[arg-type]
    yield explorer
    explorer.close()


def test_a_card_has_name_columns_image_and_neighbors(explorer: Any) -> None:
    message, (image,) = Asking(explorer).ask("inspect", point=1)
    assert message["name"] == "Bob"
    assert message["rows"][:2] == [{"title": "size", "text": "2"}, {"title": "kind", "text": "b"}]
    assert message["left_out"] == 0
    assert image.startswith(b"\x89PNG")
    assert [n["point"] for n in message["neighbors"]] == [0, 2, 3]
    assert [n["name"] for n in message["neighbors"]][:2] == ["Ann", "Cleo"]
    distances = [n["distance"] for n in message["neighbors"]]
    X = explorer.session.X
    np.testing.assert_allclose(distances, np.linalg.norm(X[[0, 2, 3]] - X[1], axis=1))


def test_names_come_in_one_message(explorer: Any) -> None:
    message, _ = Asking(explorer).ask("naming", points=[2, 0])
    assert message["points"] == [2, 0]
    assert message["names"] == ["Cleo", "Ann"]
    assert explorer.named


def test_hostile_cells_are_short_text(explorer: Any) -> None:
    message, _ = Asking(explorer).ask("inspect", point=3)
    assert message["name"] == "\u202eDan␀"
    texts = [row["text"] for row in message["rows"]]
    assert texts[1] == "<b>"
    assert len(texts[2]) < 1000


def test_points_that_are_not_there_are_refused(explorer: Any) -> None:
    page = Asking(explorer)
    for kind, fields in (("inspect", {"point": 4}), ("naming", {"points": [0, 9]})):
        page.say(kind, **fields)
        reply = next(m for m, _ in reversed(page.messages) if m["type"] == "reply")
        assert not reply["ok"]
        assert "points must be below 4" in reply["error"]


def test_an_image_that_cannot_be_read_is_told_on_its_card(session: FakeSession) -> None:
    images = [None, b"no image", None, None]
    explorer = Explorer(session=session, images=images)  # type: ignore[arg-type]
    message, buffers = Asking(explorer).ask("inspect", point=1)
    assert "images[1] must be an image" in message["problem"]
    assert buffers == []
    explorer.close()


def test_an_image_that_is_slow_to_read_keeps_no_command_waiting(session: FakeSession) -> None:
    go_on = threading.Event()

    class Slow(list[Any]):
        def __getitem__(self, point: Any) -> Any:
            assert not point or go_on.wait(GUARD)
            return None

    explorer = Explorer(session=session, images=Slow([None] * 4))  # type: ignore[arg-type]
    page = Asking(explorer)
    page.say("inspect", point=1)
    assert page.command("show_cards", [2])["ok"]
    assert not any(m["type"] == "card" for m, _ in page.messages)
    go_on.set()
    message, _ = page.ask("inspect", point=1)
    assert message["problem"] == ""
    explorer.close()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names")
def test_an_image_in_a_pipe_is_told_on_its_card(session: FakeSession, tmp_path: Any) -> None:
    os.mkfifo(tmp_path / "pipe")
    images = [None, str(tmp_path / "pipe"), "/dev/zero", None]
    explorer = Explorer(session=session, images=images)  # type: ignore[arg-type]
    page = Asking(explorer)
    for point in (1, 2):
        message, _ = page.ask("inspect", point=point)
        assert f"images[{point}] cannot be read: " in message["problem"]
        assert "not a regular file" in message["problem"]
    explorer.close()


def test_where_the_search_is_long_the_card_goes_first(
    explorer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cards, "AT_ONCE", 0)
    go_on = threading.Event()
    search = cards.nearest

    def slow(*arguments: Any) -> Any:
        assert go_on.wait(GUARD)
        return search(*arguments)

    monkeypatch.setattr(cards, "nearest", slow)
    page = Asking(explorer)
    message, _ = page.ask("inspect", point=0)
    assert message["neighbors"] is None
    page.say("inspect", point=2)
    go_on.set()
    found = lambda: {m["point"] for m, _ in page.messages if m.get("neighbors")}  # noqa: E731
    eventually(lambda: found() == {0, 2})


def test_an_image_is_read_once_for_a_card_that_comes_twice(
    session: FakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cards, "AT_ONCE", 0)
    read: list[int] = []

    class Images(list[Any]):
        def __getitem__(self, point: Any) -> Any:
            read.append(point)
            return np.full((2, 2), 7, np.uint8)

    explorer = Explorer(session=session, images=Images([None] * 4))  # type: ignore[arg-type]
    page = Asking(explorer)
    page.say("inspect", point=2)
    sent = lambda: [(m["neighbors"], b) for m, b in page.messages if m["type"] == "card"]  # noqa: E731
    eventually(lambda: len(sent()) == 2)
    (before, one), (after, again) = sent()
    assert before is None
    assert after
    assert one == again
    assert read.count(2) == 1
    explorer.close()


def test_cards_go_on_after_one_that_fails(explorer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cards, "AT_ONCE", 0)
    page = Asking(explorer)
    complete = lambda: {m["point"] for m, _ in page.messages if m.get("neighbors")}  # noqa: E731

    def no_thread(_: Any) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as context:
        context.setattr(threading.Thread, "start", no_thread)
        page.say("inspect", point=0)
    page.say("inspect", point=1)
    eventually(lambda: complete() == {0, 1})

    send, failed = explorer._cards._send, threading.Event()

    def broken(content: dict[str, Any], buffers: list[bytes]) -> None:
        if content["neighbors"] is not None and not failed.is_set():
            failed.set()
            raise OSError("the page is gone")
        send(content, buffers)

    monkeypatch.setattr(explorer._cards, "_send", broken)
    page.say("inspect", point=2)
    assert failed.wait(GUARD)
    page.say("inspect", point=3)
    eventually(lambda: complete() == {0, 1, 3})


def test_whatever_reading_an_image_raises_is_told_on_its_card(session: FakeSession) -> None:
    class Images(list[Any]):
        def __getitem__(self, point: Any) -> Any:
            if point:
                raise KeyError("lost")
            return None

    explorer = Explorer(session=session, images=Images([None] * 4))  # type: ignore[arg-type]
    message, buffers = Asking(explorer).ask("inspect", point=1)
    assert "lost" in message["problem"]
    assert message["neighbors"]
    assert buffers == []
    explorer.close()


@pytest.mark.parametrize(
    ("metric", "kind"),
    [
        ("euclidean", np.asarray),
        ("euclidean", sparse.csr_array),
        ("cosine", np.asarray),
        ("cityblock", np.asarray),
        ("seuclidean", np.asarray),
        ("mahalanobis", np.asarray),
        ("precomputed", np.asarray),
        ("precomputed", sparse.csr_array),
    ],
)
def test_neighbors_are_those_of_the_metric(metric: str, kind: Any, monkeypatch: Any) -> None:
    monkeypatch.setattr("nbembed.data.distances.ROW_BLOCK", 1)  # several blocks
    X = (
        np.random.default_rng(0).normal(size=(700, 3))
        * np.r_[np.ones((350, 3)), np.full((350, 3), 5)]
    )
    D = pairwise_distances(X, metric="euclidean" if metric == "precomputed" else metric)
    data = kind(D if metric == "precomputed" else X)
    found, distances = nearest(squared_row(data, 5, metric, scales_of(data, metric)), 4)
    order = np.argsort(np.where(np.arange(700) == 5, np.inf, D[5]))[:4]
    np.testing.assert_array_equal(found, order)
    np.testing.assert_allclose(distances, D[5, order], rtol=1e-9)


def test_a_card_says_what_is_unusual_and_what_is_near(session: FakeSession) -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(120, 6))
    X[:20, 2] += 9  # of a group
    X[:20, 4] -= 9
    X[0, 5] = 50  # of the point alone
    names = ["a", "b", "NKG7", "d", "GNLY", "single"]
    near = Supervision(120).label(range(1, 9), "NK").label([10, 11, 40], "T")
    explorer = nb.Explorer(X, feature_names=names, supervision=near, autoplay=False)
    page = Asking(explorer)
    card, _ = page.ask("inspect", point=0)
    assert (card["high"][0], card["low"]) == ("NKG7", ["GNLY"])
    assert card["labeled"] == [{"name": "NK", "count": 8}, {"name": "T", "count": 2}]
    explorer.session.forget([10])
    assert page.ask("inspect", point=0)[0]["labeled"][0] == {"name": "NK", "count": 8}
    explorer.close()
    unnamed = nb.Explorer(X, autoplay=False)
    assert Asking(unnamed).ask("inspect", point=0)[0]["high"] == []
    unnamed.close()


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "cityblock"])
def test_points_that_are_alike_have_no_distance(metric: str) -> None:
    X = np.random.default_rng(0).normal(size=(50, 30)) + 3
    X[7] = 3 * X[4] if metric == "cosine" else X[4]
    found, distances = nearest(squared_row(X, 4, metric, {}), 2)
    assert found[0] == 7
    assert distances[0] == 0
    assert distances[1] > 0


def test_scales_of_a_metric_are_computed_once(
    explorer: Any, session: FakeSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    session.X = np.random.default_rng(0).normal(size=(4, 2))
    session.recipe = SimpleNamespace(quality_metric="mahalanobis")  # type: ignore[assignment]
    inverses: list[Any] = []
    invert = np.linalg.pinv
    monkeypatch.setattr(
        np.linalg, "pinv", lambda *a, **k: inverses.append(invert(*a, **k)) or inverses[-1]
    )
    page = Asking(explorer)
    page.ask("inspect", point=0)
    message, _ = page.ask("inspect", point=1)
    distances = np.sort(pairwise_distances(session.X, metric="mahalanobis")[1])[1:]
    np.testing.assert_allclose([n["distance"] for n in message["neighbors"]], distances)
    assert len(inverses) == 1


def test_pages_are_told_the_metric_of_neighbors() -> None:
    X = np.random.default_rng(0).normal(size=(8, 3))
    explorer = nb.Explorer(X, nb.SNE(random_state=0), autoplay=False)
    assert explorer.quality_metric == "euclidean"
    page = Asking(explorer)
    page.say("visible", visible=True)
    explorer.session.set(metric="cosine")
    eventually(lambda: explorer.quality_metric == "cosine")
    message, _ = page.ask("inspect", point=0)
    distances = np.sort(pairwise_distances(X, metric="cosine")[0])[1:6]
    np.testing.assert_allclose([n["distance"] for n in message["neighbors"]], distances)
    explorer.session.switch("HSSNE")
    explorer.session.set(metric="cityblock")
    eventually(lambda: explorer.quality_metric == "cityblock")
    explorer.close()


def test_a_metric_that_fails_costs_only_the_neighbors(
    explorer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cards, "nearest", lambda *_: 1 / 0)
    message, _ = Asking(explorer).ask("inspect", point=0)
    assert message["neighbors"] == []


def test_open_cards_names_and_the_panel_are_set_from_both_sides(explorer: Any) -> None:
    page = Asking(explorer)
    assert page.command("show_cards", [2, 0])["ok"]
    assert explorer.cards.tolist() == [0, 2]
    explorer.cards = [1]
    assert explorer.cards.tolist() == [1]
    with pytest.raises(ValueError, match="cards must be indices"):
        explorer.cards = [4]
    assert page.command("show_names", shown=False)["ok"]
    assert explorer.names_shown is False
    assert explorer.imaged
    assert page.command("show_thumbnails", shown=False)["ok"]
    assert explorer.thumbnails_shown is False
    assert page.command("size_panel", width=260)["ok"]
    assert explorer.sidebar_width == 260
    explorer.sidebar_width = 0
    assert not page.command("size_panel", width=-1)["ok"]
    assert explorer.sidebar_width == 0


def test_a_frame_is_embedded_and_comes_back_with_its_labels() -> None:
    frame = FRAME.assign(width=[3.0, 1.0, 2.0, 5.0])
    explorer = nb.Explorer(frame, nb.SNE(random_state=0), color="kind", autoplay=False)
    assert explorer.data_note == (
        "2 of 4 columns are embedded, standardized: size, width. "
        "Left out: note (one value in all rows)"
    )
    np.testing.assert_allclose(explorer.session.X.std(axis=0), 1)
    explorer.session.label([1], "good")
    joined = frame.join(explorer.to_frame())
    assert joined.loc["Bob", "label"] == "good"
    assert joined.label.isna().sum() == 3
    assert joined.index.tolist() == frame.index.tolist()
    explorer.close()


def test_rows_with_equal_labels_are_told_of() -> None:
    frame = FRAME.assign(width=[3.0, 1.0, 2.0, 5.0]).set_axis(["a", "b", "a", "b"])
    explorer = nb.Explorer(frame, nb.SNE(random_state=0), color="kind", autoplay=False)
    with pytest.warns(UserWarning, match="row labels of the data are not unique") as caught:
        table = explorer.to_frame()
    assert caught[0].filename == __file__
    assert table.index.tolist() == frame.index.tolist()
    explorer.close()


def test_a_polars_frame_comes_back_as_one() -> None:
    frame = pl.DataFrame({"a": [1.0, 2.0, 4.0], "b": [0.0, 1.0, 0.0], "kind": ["u", "v", "u"]})
    explorer = nb.Explorer(frame, nb.SNE(random_state=0), color="kind", autoplay=False)
    table = explorer.to_frame()
    assert isinstance(table, pl.DataFrame)
    assert frame.hstack(table).columns == [
        "a", "b", "kind", "x", "y", "label", "confidence", "selected",
    ]  # fmt: skip
    explorer.close()


def test_a_session_that_was_saved_is_shown_with_its_table_again(tmp_path: Any) -> None:
    frame = FRAME.assign(width=[3.0, 1.0, 2.0, 5.0])
    first = nb.Explorer(frame, nb.SNE(random_state=0), autoplay=False)
    first.session.save(tmp_path / "s.nbembed")
    first.close()
    session = nb.load_session(tmp_path / "s.nbembed")
    again = nb.Explorer(session=session, columns=frame, color="kind")
    assert again.to_frame().index.tolist() == frame.index.tolist()
    assert again.color_column["title"] == "kind"
    again.close()
    session.close()


def test_a_frame_of_distances_is_taken_as_it_is() -> None:
    D = pd.DataFrame(1 - np.eye(4), index=FRAME.index)
    method = nb.SNE(metric="precomputed", random_state=0)
    explorer = nb.Explorer(D, method, autoplay=False)
    np.testing.assert_array_equal(explorer.session.X, D)
    assert explorer.to_frame().index.tolist() == FRAME.index.tolist()
    explorer.close()


def test_nothing_is_read_of_the_rows_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table of many rows costs no more than the column that colors the points."""
    monkeypatch.setattr("nbembed.points.table.Table.cell", lambda *_: 1 / 0)
    monkeypatch.setattr("nbembed.points.point_data.PointData.name", lambda *_: 1 / 0)
    frame = pd.DataFrame({"text": ["seldom " * 100] * 4}, index=FRAME.index)
    explorer = Explorer(session=FakeSession(4), columns=frame)  # type: ignore[arg-type]
    state = explorer.get_state()
    assert "seldom" not in repr(state)
    explorer.close()


def test_features_are_for_data_and_not_for_sessions(session: FakeSession) -> None:
    with pytest.raises(ValueError, match=r"features, .* must not be given without X"):
        Explorer(session=session, features=["a"])  # type: ignore[arg-type]
