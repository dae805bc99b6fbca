"""Which column colors the points: what an Explorer offers, takes and refuses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

import nbembed as nb
from nbembed.drawing.class_palette import ClassPalette
from nbembed.points.features import choose_features
from nbembed.points.point_data import PointData
from nbembed.points.table import as_table
from nbembed.widget import Explorer
from nbembed.widget.stream.serializers import color_values
from nbembed.widget.view.view_state import view_of, view_state
from nbembed.widget.wire import schema
from tests.waiting import eventually
from tests.widget.answers.test_find import Asking
from tests.widget.contract import check_traits
from tests.widget.fake_session import FakeSession
from tests.widget.test_explorer import Page

N = 60
FRAME = pd.DataFrame(
    {
        "size": np.linspace(1, 2, N),
        "kind": ["a", "b", "c"] * (N // 3),
        "note": [f"unique {i}" for i in range(N)],
        "when": pd.Timestamp("2020-01-01") + pd.to_timedelta(np.arange(N), "D"),
        "grade": pd.Categorical(["low", "high"] * (N // 2), ["low", "high"], ordered=True),
        "huge": np.full(N, 1e300),
    }
)


@pytest.fixture
def session() -> FakeSession:
    return FakeSession(N)


@pytest.fixture
def explorer(session: FakeSession) -> Iterator[Any]:
    explorer = Explorer(session=session, columns=FRAME, color="kind")  # type: ignore[arg-type]
    yield explorer
    check_traits({name: getattr(explorer, name) for name in schema.TRAITS})
    explorer.close()


def values(explorer: Any) -> Any:
    return color_values(explorer)


def test_columns_are_offered_but_for_text_that_is_unique(explorer: Any) -> None:
    assert explorer.color_columns == ["size", "kind", "when", "grade", "huge"]


def test_a_page_chooses_a_column(explorer: Any) -> None:
    page = Page(explorer)
    assert page.command("color_by", mode="class")["ok"]
    assert page.command("color_by_column", column=0)["ok"]
    assert explorer.color_by == "column"
    assert explorer.color_column["kind"] == "number"
    assert explorer.color_column["title"] == "size"
    np.testing.assert_allclose(values(explorer), FRAME["size"], rtol=1e-6)
    assert page.command("color_by_column", column=3)["ok"]
    assert explorer.color_column["names"] == ["low", "high"]


@pytest.mark.parametrize("column", [5, 10**9, 4])
def test_what_cannot_be_shown_is_refused_and_nothing_changes(explorer: Any, column: int) -> None:
    reply = Page(explorer).command("color_by_column", column=column)
    assert not reply["ok"]
    assert explorer.color_column["title"] == "kind"


def test_python_chooses_by_name_or_gives_values(explorer: Any) -> None:
    explorer.color("size")
    assert explorer.color_column["title"] == "size"
    explorer.color(pd.Series(["u", "v"] * (N // 2), name="mine"))
    assert explorer.color_column["names"] == ["u", "v"]
    assert explorer.color_columns[-1] == "mine"
    explorer.color("class label")
    assert explorer.color_by == "class"
    assert Page(explorer).command("color_by_column", column=5)["ok"]
    assert explorer.color_column["title"] == "mine"
    explorer.color(pd.Series(range(N), name="mine"))
    assert explorer.color_columns.count("mine") == 1
    explorer.color("kind")
    assert Page(explorer).command("color_by_column", column=5)["ok"]
    assert explorer.color_column["kind"] == "number", "the newest values of that name"


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ("weight", ValueError, "column must name columns, got 'weight'"),
        ([1, 2], ValueError, "column must have one value for each of the 60 points"),
        (None, TypeError, "column must be a name or values"),
    ],
)
def test_python_is_told_what_is_wrong(
    explorer: Any, given: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        explorer.color(given)
    assert explorer.color_column["title"] == "kind"


def test_many_times_are_a_scale_and_not_categories(explorer: Any) -> None:
    explorer.color("when")
    assert explorer.color_column["kind"] == "time"
    first = np.datetime64("2020-01-01", "s").astype(np.int64)
    np.testing.assert_allclose(values(explorer)[0], first, rtol=0, atol=1e-3)


def test_values_given_to_color_by_are_offered_again(session: FakeSession) -> None:
    explorer: Any = Explorer(session=session, columns=FRAME, color=["x", "y"] * (N // 2))  # type: ignore[arg-type]
    assert explorer.color_columns[0] == ""
    explorer.color("size")
    assert Page(explorer).command("color_by_column", column=0)["ok"]
    assert explorer.color_column["names"] == ["x", "y"]
    explorer.close()


def test_polars_and_variables_of_annotated_data() -> None:
    anndata = pytest.importorskip("anndata")
    frame = pl.DataFrame({"a": np.arange(40.0), "b": np.arange(40.0) ** 2, "k": ["u", "v"] * 20})
    explorer: Any = nb.Explorer(frame, nb.HSSNE(perplexity=5), autoplay=False)
    assert explorer.color_columns == ["a", "b", "k"]
    explorer.color("k")
    assert explorer.color_column["names"] == ["u", "v"]
    explorer.close()
    X = np.random.default_rng(0).normal(size=(40, 3))
    data = anndata.AnnData(X, var=pd.DataFrame(index=["g0", "g1", "g2"]))
    explorer = nb.Explorer(data, nb.HSSNE(perplexity=5), autoplay=False)
    explorer.color("g1")
    np.testing.assert_allclose(values(explorer), X[:, 1], rtol=1e-5)
    explorer.close()


def annotated(n: int, variables: int) -> Any:
    anndata = pytest.importorskip("anndata")
    rng = np.random.default_rng(0)
    X = sparse.random(n, variables, 0.2, "csr", np.float32, rng=rng)
    names = pd.Index([f"g{k}" for k in range(variables)])
    obs = pd.DataFrame({"type": ["u", "v"] * (n // 2)}, index=[f"cell {i}" for i in range(n)])
    return anndata.AnnData(X, obs=obs, var=pd.DataFrame(index=names))


def test_variables_are_offered_and_read_one_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    data = annotated(40, 100)
    explorer: Any = nb.Explorer(data, nb.HSSNE(perplexity=5), autoplay=False)
    monkeypatch.setattr(type(data.X), "toarray", one_column(type(data.X).toarray))
    assert explorer.color_columns == [], "too many to be listed"
    assert explorer.color_column_count == 101
    page = Asking(explorer)
    found = page.ask("find_columns", use="color", text="g17")[0]["fields"]
    assert (found["titles"], found["columns"], found["matching"]) == (["g17"], [18], 1)
    assert page.command("color_by_column", column=18)["ok"]
    assert explorer.color_column["kind"] == "number"
    assert explorer.color_column["title"] == "g17"
    np.testing.assert_allclose(values(explorer), data.X[:, [17]].todense().A1, rtol=1e-6)
    number = page.ask("find_columns", use="find", text="g17")[0]["fields"]["columns"][0]
    limit = {"column": number, "low": 0.0, "high": None, "categories": None, "text": ""}
    message, (points,) = page.ask("find", [], text="", column=-1, filters=[limit])
    assert message["fields"]["charts"][0]["title"] == "g17"
    assert len(points) == 40
    there = explorer.find(where={"g17": (1e-9, None)})
    np.testing.assert_array_equal(there, np.flatnonzero(values(explorer)))
    assert not page.command("color_by_column", column=101)["ok"]
    explorer.color(pd.Series(range(40), name="g17"))
    assert explorer.color_column_count == 101, "in the place of what had the name"
    explorer.close()


def one_column(toarray: Any) -> Any:
    def of(self: Any, *args: Any, **options: Any) -> Any:
        assert self.shape[1] == 1, "the rest stays sparse"
        return toarray(self, *args, **options)

    return of


def test_thirty_thousand_titles_are_no_load_for_messages() -> None:
    session = FakeSession(N)
    names = [f"gene {k}" for k in range(30_000)]
    X = sparse.csr_array((N, 30_000))
    session.X = X  # type: ignore[assignment]
    explorer: Any = Explorer(session=session, feature_names=names, columns=FRAME)  # type: ignore[arg-type]
    assert explorer.color_columns == []
    assert explorer.color_column_count == 30_005
    assert sum(len(str(getattr(explorer, name))) for name in schema.TRAITS) < 20_000
    page = Asking(explorer)
    for use in ("find", "color"):
        message, _ = page.ask("find_columns", use=use, text="gene")
        assert len(json.dumps(message)) < 3000
        assert message["fields"]["matching"] == 30_000
    explorer.close()


def test_a_chosen_column_survives_what_the_method_would_show(explorer: Any) -> None:
    explorer.color("size")
    session = explorer.session
    session.directions = np.array([[1.0, 0.0]])
    session.membership = np.ones((session.n_samples, 1))
    session.rest()
    eventually(lambda: explorer.membership_colors)
    assert explorer.color_by == "column"


def test_names_that_agree_have_one_color_and_no_other_name_has_it() -> None:
    palette = ClassPalette(["x", "y"])
    mine, six = (style["color"] for style in palette.styles(["mine", "x"]))
    found = dict(zip("pxq", palette.adopt(["p", "x", "q"], ["#0072B2"] * 3, ordered=False)))
    assert found["x"] == six
    assert len({*found.values(), mine}) == 4
    late = palette.styles(["mine", "x", "q", "another"])
    assert [style["color"] for style in late[:3]] == [mine, six, found["q"]]
    assert late[3]["color"] not in {mine, *found.values()}


def test_ordered_categories_keep_the_order_of_their_colors() -> None:
    palette = ClassPalette(["x", "y"])
    assert palette.adopt(["x", "z"], ["#111111", "#222222"], ordered=True) == ["#111111", "#222222"]


TICKS = np.arange(N) % 50


@pytest.mark.parametrize(
    "given",
    [
        np.datetime64("2024-05-01T12:00:00") + TICKS * np.timedelta64(3, "s"),
        np.datetime64("2024-05-01T12:00:00.000") + TICKS * np.timedelta64(500, "ms"),
        1.7e9 + 3.0 * TICKS,
        4_649_776.22 + 0.05 * TICKS,
        1 + 1e-9 * TICKS,
        -1e30 + 1e20 * TICKS,
    ],
    ids=["times 3 s apart", "times .5 s apart", "Unix seconds", "UTM", "near one", "far below"],
)
def test_values_far_from_zero_stay_apart(explorer: Any, given: Any) -> None:
    explorer.color(given)
    sent = np.frombuffer(explorer.color_values, "<f4")
    place = (sent - sent.min()) / np.ptp(sent)
    np.testing.assert_allclose(place, TICKS / 49, rtol=0, atol=1e-5)
    exact = given.astype("datetime64[us]").astype(float) / 1e6 if given.dtype.kind == "M" else given
    error = np.abs(values(explorer) - exact).max()
    assert error <= max(np.ptp(exact) * 1e-6, np.abs(exact).max() * 1e-15)
    state = view_state(view_of(explorer), N)
    stored = state.color.astype(given.dtype)
    assert np.unique(stored).size == 50


def test_values_near_zero_are_sent_as_they_are(explorer: Any) -> None:
    explorer.color(np.linspace(-1, 15, N))
    assert "origin" not in explorer.color_column
    explorer.color(np.full(N, 1.7e9))
    assert explorer.color_column["origin"] == 1.7e9
    assert not np.frombuffer(explorer.color_values, "<f4").any()


@pytest.mark.parametrize("keys", [(0, 1, 2), (("a", "x"), ("a", "y"), ("b", "x"))], ids=str)
def test_names_of_columns_need_not_be_text(session: FakeSession, keys: Any) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(N, 2)), columns=pd.Index(keys[:2], tupleize_cols=False))
    frame[keys[2]] = list("uv") * (N // 2)
    frame.columns = pd.Index(keys, tupleize_cols=False)
    explorer = Explorer(  # type: ignore[arg-type]
        session=session, columns=frame, color=keys[2], names=keys[0]
    )
    assert explorer.color_column["names"] == ["u", "v"]
    explorer.color(keys[1])
    assert explorer.color_column["kind"] == "number"
    np.testing.assert_allclose(values(explorer), frame[keys[1]], rtol=1e-6)
    with pytest.raises(ValueError, match="one value for each of the 60 points"):
        explorer.color((1, 2))
    explorer.close()
    shown = choose_features(frame, apart=[*keys[1:], rng.normal(size=N), frame[keys[0]]])
    assert shown.names == keys[:1]
    assert PointData(shown, N, columns=keys[1]).shown == (keys[1],)


def test_sparse_columns_are_numbers() -> None:
    kinds = pd.Series(list("abc") * (N // 3))
    frame = pd.get_dummies(kinds, sparse=True, dtype=float)
    assert as_table(frame).is_numeric("a")  # type: ignore[union-attr]
    found = choose_features(frame, standardize=False)
    np.testing.assert_array_equal(found.matrix, pd.get_dummies(kinds, dtype=float).to_numpy())
    assert choose_features(pd.get_dummies(kinds, sparse=True), ["a", "b"]).names == ("a", "b")
