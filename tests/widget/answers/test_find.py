"""What an Explorer finds, from Python and as a page asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import anndata
import numpy as np
import pandas as pd
import polars as pl
import pytest

import nbembed as nb
from nbembed.points import neighborhoods
from nbembed.widget import Explorer
from nbembed.widget.answers import finder
from nbembed.widget.host.lifetime import held
from tests.waiting import eventually
from tests.widget.contract import check_message
from tests.widget.fake_session import FakeSession
from tests.widget.test_explorer import Page

FRAME = pd.DataFrame(
    {
        "size": [1.0, 2.0, 4.0, 8.0, np.nan, 32.0],
        "kind": ["a", "b", "a", "<b>", None, "b"],
        "note": ["red fox", "Blue whale", "x" * 10_000 + " fox\0", "Füchse", "", "whale\u202e"],
        "day": pd.to_datetime(
            ["2020-01-01", "2020-02-01", None, "2021-01-01", "2022-01-01", "2023-01-01"]
        ),
    },
    index=["Ann", "Bob", "Cleo", "Dan", "Eve", "Fox"],
)  # fmt: skip


class Asking(Page):
    """A page that asks."""

    def ask(self, query: str, /, *sets: Any, **arguments: Any) -> tuple[dict[str, Any], list[Any]]:
        self.requests += 1
        content = {
            "type": "query", "client": self.client, "request": self.requests, "asker": 0,
            "name": query, "arguments": arguments,
        }  # fmt: skip
        self.explorer._receive(None, content, [np.array(s, "<u4").tobytes() for s in sets])
        number = self.requests
        eventually(lambda: any(m.get("request") == number for m, _ in self.messages))
        message, buffers = next(m for m in self.messages if m[0].get("request") == number)
        check_message(message, [len(b) for b in buffers])
        return message, [np.frombuffer(b, "<u4").tolist() for b in buffers]


def looked_for(column: int, **limits: Any) -> dict[str, Any]:
    return {"column": column, "low": None, "high": None, "categories": None, "text": "", **limits}


@pytest.fixture
def session() -> FakeSession:
    return FakeSession(6)


@pytest.fixture
def explorer(session: FakeSession) -> Iterator[Any]:
    explorer = Explorer(session=session, columns=FRAME)  # type: ignore[arg-type]
    yield explorer
    explorer.close()


# -- from Python ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "columns", "points"),
    [
        ("FOX", None, [0, 2, 5]),  # in notes, and the name of one
        ("fox", "note", [0, 2]),
        ("whale", ["note", "kind"], [1, 5]),
        ("ü", None, [3]),
        ("#4", None, [4]),
        ("4", None, [4]),
        ("4", "size", [2]),
        ("<b>", None, [3]),
        ("nowhere", None, []),
        ("2020", "day", [0, 1]),
    ],
)
def test_text_is_found(explorer: Any, text: str, columns: Any, points: list[int]) -> None:
    assert explorer.find(text, columns=columns).tolist() == points


@pytest.mark.parametrize(
    ("where", "points"),
    [
        ({"size": (2, 8)}, [1, 2, 3]),
        ({"size": (None, 2)}, [0, 1]),
        ({"size": (3, None), "kind": ["a", "b"]}, [2, 5]),
        ({"kind": "a"}, [0, 2]),
        ({"kind": [None]}, [4]),
        ({"size": [None, 8]}, [3, 4]),
        ({"day": ("2020-01-15", "2021-06-01")}, [1, 3]),
        ({"day": (None, np.datetime64("2020-01-15"))}, [0]),
        ({"class label": ["one"]}, [3]),
        ({"class label": [None], "kind": ["b"]}, [1, 5]),
        ({}, [0, 1, 2, 3, 4, 5]),
    ],
)
def test_criteria_act_together(explorer: Any, where: Any, points: list[int]) -> None:
    explorer.session.label([3], "one")
    assert explorer.find(where=where).tolist() == points
    assert explorer.find(where=where, among=[1, 3]).tolist() == [i for i in points if i in (1, 3)]


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"text": 3}, TypeError, "text must be text, got 3"),
        (
            {"text": "a", "columns": "sort"},
            ValueError,
            "columns must name columns, got 'sort'; the",
        ),
        ({"text": "a", "columns": [[]]}, TypeError, r"columns must be names of columns, got \[\]"),
        ({"where": ["kind"]}, TypeError, "where must be a mapping of columns to values, got"),
        (
            {"where": {"kind": (1, 2)}},
            ValueError,
            r"where\['kind'\] must not be a range, got \(1, 2\): the",
        ),
        (
            {"where": {"kind": ["c"]}},
            ValueError,
            r"where\['kind'\] must be among <b>, a, b, got 'c'",
        ),
        (
            {"where": {"kind": [[]]}},
            ValueError,
            r"where\['kind'\] must be among <b>, a, b, got \[\]",
        ),
        ({"where": {"size": (1, 2, 3)}}, ValueError, r"where\['size'\] as a range must be \(low,"),
        ({"where": {"size": (2, 1)}}, ValueError, r"where\['size'\] must be .* with low ≤ high"),
        ({"where": {"size": ("x", 1)}}, ValueError, r"where\['size'\] must be a number or None"),
        ({"where": {"size": (np.nan, 1)}}, ValueError, r"where\['size'\] must be a number or None"),
        ({"where": {"day": ("noon", None)}}, ValueError, r"where\['day'\] must be a time or None"),
        ({"among": [6]}, ValueError, r"among must be indices in \[0, 6\), got 6"),
    ],
)
def test_what_cannot_be_looked_for_is_said(
    explorer: Any, arguments: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        explorer.find(**arguments)


def test_arrays_are_filtered_by_features_and_color() -> None:
    X = np.arange(12.0).reshape(6, 2)
    with nb.Session(X) as session:
        explorer = nb.Explorer(session=session, color=pd.Series(list("abcabc"), name="letter"))
        assert explorer.find(where={"feature 0": (4, None), "letter": ["a", "c"]}).tolist() == [
            2, 3, 5,
        ]  # fmt: skip
        assert explorer.find("B").tolist() == [1, 4]
        explorer.close()


def test_a_variable_of_an_annotated_matrix_is_a_column() -> None:
    anndata = pytest.importorskip("anndata")
    data = anndata.AnnData(
        np.arange(12.0).reshape(4, 3),
        obs=pd.DataFrame({"kind": list("abab")}, index=list("wxyz")),
        var=pd.DataFrame(index=["g1", "g2", "g3"]),
    )
    explorer = nb.Explorer(data, autoplay=False)
    assert explorer.find(where={"g2": (3, 8), "kind": ["a"]}).tolist() == [2]
    explorer.close()


def test_selections_are_combined(explorer: Any) -> None:
    explorer.select([0, 1, 2])
    explorer.select([2, 3], "add")
    assert explorer.selection.tolist() == [0, 1, 2, 3]
    explorer.select([0, 5], "toggle")
    assert explorer.selection.tolist() == [1, 2, 3, 5]
    explorer.select([3], "subtract")
    explorer.select([1, 3, 5], "intersect")
    assert explorer.selection.tolist() == [1, 5]
    explorer.invert()
    assert explorer.selection.tolist() == [0, 2, 3, 4]
    explorer.select(None)
    assert explorer.selection.size == 0
    with pytest.raises(ValueError, match=r"how must be one of 'replace', .*, got 'union'"):
        explorer.select([0], "union")
    with pytest.raises(ValueError, match=r"points must be indices in \[0, 6\), got 6"):
        explorer.select([6])


def test_neighbors_in_the_data_and_on_the_map(explorer: Any) -> None:
    explorer.selection = [0]
    assert explorer.neighbors(k=2).tolist() == [1, 2]
    assert explorer.neighbors([5], k=1).tolist() == [4]
    with pytest.raises(ValueError, match='space="map" needs a map, but there is no map yet'):
        explorer.grow()
    explorer.session.move()
    Y = explorer.embedding
    nearest = np.argsort(np.linalg.norm(Y - Y[0], axis=1))[1:3]
    assert explorer.neighbors(k=2, space="map").tolist() == sorted(nearest)
    explorer.grow(2)
    assert explorer.selection.tolist() == sorted([0, *nearest])
    explorer.selection = [0, 1, 2, 3]
    explorer.shrink(1, space="data")
    assert explorer.selection.tolist() == [0, 1, 2, 3]
    explorer.selection = [3]
    explorer.shrink(1, space="data")
    assert explorer.selection.size == 0
    with pytest.raises(ValueError, match="space must be one of 'data', 'map', got 'heaven'"):
        explorer.grow(space="heaven")
    with pytest.raises(TypeError, match=r"k must be an integer, got 1\.5"):
        explorer.neighbors([0], k=1.5)
    with pytest.raises(ValueError, match="k must be at least 1, got 0"):
        explorer.shrink(0)


def test_a_search_that_would_fill_the_memory_is_refused(
    explorer: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(finder, "MOST_PAIRS", 8)
    with pytest.raises(ValueError, match="k must be at most 2 for 4 points, got 3"):
        explorer.neighbors([0, 1, 2, 3], k=3)


# -- as a page asks ---------------------------------------------------------------------------


def test_a_page_is_told_the_columns(explorer: Any) -> None:
    page = Asking(explorer)
    message, _ = page.ask("find_columns", use="find", text="")
    titles = ["class label", "size", "kind", "note", "day"]
    columns = list(range(5))
    assert message["fields"] == {
        "columns": columns, "titles": titles, "matching": 5, "count": 5,
        "colors": [-1, 0, 1, 2, 3], "numbers": [False, True, False, False, False],
    }  # fmt: skip
    message, _ = page.ask("find_columns", use="color", text="IN")
    assert message["fields"] == {
        "columns": [1], "titles": ["kind"], "matching": 1, "count": 4, "colors": [], "numbers": [],
    }  # fmt: skip


def test_filters_act_together_and_each_chart_shows_what_the_others_leave(explorer: Any) -> None:
    page = Asking(explorer)
    filters = [looked_for(1, low=1.5, high=10.0), looked_for(2, categories=[1, 2])]  # a, b
    message, (found,) = page.ask("find", [], text="", column=-1, filters=filters)
    assert message["error"] is None
    assert found == [1, 2]
    size, kind = message["fields"]["charts"]
    assert (size["kind"], size["low"], size["high"], size["missing"]) == ("number", 1.0, 32.0, 1)
    assert sum(size["totals"]) == 5
    assert sum(size["counts"]) == 4  # all of a and b that have a size, whatever it is
    assert kind["names"] == ["<b>", "a", "b", ""]
    assert kind["codes"] == [0, 1, 2, -1]
    assert kind["totals"] == [1, 2, 2, 1]
    assert kind["counts"] == [1, 1, 1, 0]  # all of that size, whatever their kind
    _, (found,) = page.ask("find", [2, 5], text="", column=-1, filters=filters)
    assert found == [2]


def test_what_was_found_is_shown_as_text(explorer: Any) -> None:
    message, (found,) = Asking(explorer).ask("find", [], text="fox", column=-1, filters=[])
    assert found == [0, 2, 5]
    hits = message["fields"]["hits"]
    assert [hit["point"] for hit in hits] == found
    assert hits[0] == {"point": 0, "name": "Ann", "title": "note", "text": "red fox"}
    assert len(hits[1]["text"]) < 100
    assert "fox␀" in hits[1]["text"]
    assert (hits[2]["name"], hits[2]["title"], hits[2]["text"]) == ("Fox", "", "")


def test_whole_words_are_listed_first_and_shown(session: FakeSession) -> None:
    notes = ["selection of the election", "the selection", "no election", "a", "b", "c"]
    table = pd.DataFrame({"note": notes})
    explorer = Explorer(session=session, columns=table)  # type: ignore[arg-type]
    message, (found,) = Asking(explorer).ask("find", [], text="Election", column=-1, filters=[])
    assert found == [0, 1, 2]
    hits = [(hit["point"], hit["text"]) for hit in message["fields"]["hits"]]
    assert hits == [(0, "selection of the election"), (2, "no election"), (1, "the selection")]
    explorer.close()


def test_text_filters_and_times(explorer: Any) -> None:
    page = Asking(explorer)
    low = float(np.datetime64("2020-06-01", "s").astype(int))
    filters = [looked_for(3, text="WHALE"), looked_for(4, low=low)]
    message, (found,) = page.ask("find", [], text="", column=-1, filters=filters)
    assert found == [5]
    assert [chart["kind"] for chart in message["fields"]["charts"]] == ["category", "time"]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"filters": [looked_for(9)]}, "column must be in [0, 5), got 9"),
        ({"column": 7, "text": "a"}, "column must be in [0, 5), got 7"),
        ({"filters": [looked_for(2, low=1.0)]}, "kind must hold numbers or times for a range"),
        ({"filters": [looked_for(1, categories=[0])]}, "size has no categories"),
        ({"filters": [looked_for(2, categories=[7])]}, "categories must be in [-1, 3), got 7"),
    ],
)
def test_a_page_is_told_what_is_wrong(explorer: Any, arguments: Any, error: str) -> None:
    given = {"text": "", "column": -1, "filters": [], **arguments}
    message, buffers = Asking(explorer).ask("find", [], **given)
    assert message["error"] == error
    assert buffers == []


def test_a_page_asks_for_neighbors_and_saved_selections(explorer: Any) -> None:
    page = Asking(explorer)
    assert page.ask("find_near", [0], k=2, space="data", step="neighbors")[1] == [[1, 2]]
    assert page.ask("find_near", [0], k=2, space="data", step="grow")[1] == [[0, 1, 2]]
    assert page.ask("find_near", [3], k=1, space="data", step="shrink")[1] == [[]]
    message, _ = page.ask("find_near", [0], k=2, space="map", step="grow")
    assert "there is no map yet" in message["error"]
    assert page.command("save_selection", [4, 2], name="mine")["ok"]
    eventually(lambda: explorer.selections == [{"name": "mine", "count": 2}])
    assert page.ask("saved_selection", name="mine")[1] == [[2, 4]]
    message, _ = page.ask("saved_selection", name="other")
    assert message["error"] == "there is no saved selection 'other'"
    assert page.command("delete_selection", name="mine")["ok"]
    eventually(lambda: explorer.selections == [])


def test_a_saved_session_has_its_selections_on_the_page(tmp_path: Any) -> None:
    with nb.Session(np.random.default_rng(0).normal(size=(12, 3))) as session:
        session.save_selection("kept", [1, 5])
        session.save(tmp_path / "x")
    loaded = nb.load_session(tmp_path / "x")
    explorer = nb.Explorer(session=loaded)
    assert explorer.selections == [{"name": "kept", "count": 2}]
    explorer.selection = loaded.selections["kept"]
    assert explorer.selection.tolist() == [1, 5]
    explorer.close()
    loaded.close()


def test_neighbors_in_the_data_are_those_of_the_affinities(monkeypatch: pytest.MonkeyPatch) -> None:
    X = np.random.default_rng(0).normal(size=(400, 12))
    method = nb.HSSNE(perplexity=8, algorithm="grid", random_state=0)
    with nb.Session(X, method) as session:
        explorer = Explorer(session=session)
        before = explorer.neighbors([3, 50], k=5)
        session.step(1, wait=True)
        monkeypatch.setattr(neighborhoods, "neighbor_rows", None)
        assert np.array_equal(explorer.neighbors([3, 50], k=5), before)
        explorer.close()


def test_selected_points_are_rows_of_what_was_given() -> None:
    explorer = Explorer(FRAME.assign(more=np.arange(6.0) ** 2), autoplay=False)
    explorer.selection = [1, 3]
    assert explorer.selected.index.tolist() == ["Bob", "Dan"]
    assert explorer.selected["note"].tolist() == ["Blue whale", "Füchse"]
    explorer.close()
    adata = anndata.AnnData(np.random.default_rng(0).normal(size=(8, 3)).astype("f4"))
    explorer = Explorer(adata, autoplay=False)
    explorer.selection = [2, 5]
    assert explorer.selected.obs_names.tolist() == ["2", "5"]
    explorer.close()
    frame = pl.DataFrame({"a": np.arange(6.0), "b": [3.0, 1.0, 4.0, 1.0, 5.0, 9.0]})
    explorer = Explorer(frame, autoplay=False)
    explorer.selection = [0, 5]
    assert explorer.selected["b"].to_list() == [3.0, 9.0]
    explorer.close()
    explorer = Explorer(np.random.default_rng(0).normal(size=(8, 3)), autoplay=False)
    explorer.session.label([4], "x")
    explorer.selection = [4]
    assert explorer.selected["label"].tolist() == ["x"]
    explorer.selection = []
    assert len(explorer.selected) == 0
    explorer.close()


def test_a_function_hears_of_selections_until_it_is_ended() -> None:
    explorer = Explorer(FRAME.assign(more=np.arange(6.0) ** 2), autoplay=False)
    heard: list[list[str]] = []
    end = explorer.on_selection(lambda rows: heard.append(rows.index.tolist()))
    explorer.selection = [0, 2]
    explorer.selection = []
    end()
    explorer.selection = [1]
    assert heard == [["Ann", "Cleo"], []]
    with pytest.raises(TypeError, match="function must be callable, got 'print'"):
        explorer.on_selection("print")
    explorer.close()


def test_a_function_that_hears_of_selections_keeps_no_explorer() -> None:
    explorer = Explorer(FRAME.assign(more=np.arange(6.0) ** 2), autoplay=False)
    end = explorer.on_selection(print)
    assert not held(explorer, [explorer._writer])
    explorer.close()
    end()
