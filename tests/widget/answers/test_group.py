"""What is this group: what an Explorer answers, in Python and to pages."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import nbembed as nb
from nbembed.supervision import Supervision
from nbembed.widget import Explorer
from nbembed.widget.answers import group_source
from tests.waiting import eventually
from tests.widget.fake_session import FakeSession
from tests.widget.test_explorer import Page

RNG = np.random.default_rng(5)
N = 30
GROUP = list(range(10))
ALL = {"sort": "effect", "features": 12, "words": 12, "values": 6}


def frame() -> pd.DataFrame:
    size = RNG.normal(size=N)
    size[GROUP] += 5
    kinds = ["<b>late</b>"] * 10 + ["early"] * 20
    return pd.DataFrame({"size": size, "kind": kinds}, index=[f"row {i}" for i in range(N)])


class Asking(Page):
    """A page that asks queries."""

    def ask(self, name: str, *sets: Any, **arguments: Any) -> tuple[dict[str, Any], list[bytes]]:
        self.requests += 1
        content = {
            "type": "query",
            "client": self.client,
            "request": self.requests,
            "asker": 0,
            "name": name,
            "arguments": arguments,
        }
        buffers = [np.array(points, "<u4").tobytes() for points in sets]
        self.explorer._receive(None, content, buffers)
        mine = lambda: [  # noqa: E731
            (m, b) for m, b in self.messages
            if m["type"] == "answer" and m["request"] == self.requests
        ]  # fmt: skip
        eventually(mine)
        return mine()[0]


@pytest.fixture
def session() -> FakeSession:
    return FakeSession(N)


@pytest.fixture
def explorer(session: FakeSession) -> Iterator[Any]:
    images = RNG.integers(0, 255, (N, 4, 4), dtype=np.uint8)
    explorer = Explorer(session=session, columns=frame(), images=images)  # type: ignore[arg-type]
    yield explorer
    explorer.close()


def test_a_page_gets_features_categories_and_images(explorer: Any) -> None:
    message, buffers = Asking(explorer).ask("describe", GROUP, [], **ALL)
    assert message["error"] is None
    fields = message["fields"]
    assert (fields["size"], fields["others"], fields["averaged"]) == (10, 20, 10)
    size = next(f for f in fields["features"] if f["title"] == "size")
    assert size["effect"] > 3
    assert size["larger"]
    assert size["above"] > 0.9
    assert sum(size["bars"]) == 10
    assert sum(size["other_bars"]) == 20
    assert float(size["mean"]) > float(size["other_mean"])
    assert size["p_value"] < 1e-3
    (kind,) = fields["categories"]
    assert kind["title"] == "kind"
    assert kind["values"][0] == {
        "name": "<b>late</b>", "count": 10, "other_count": 0, "share": 1.0, "other_share": 0.0,
        "lift": 3.0, "code": 0,
    }  # fmt: skip
    assert all(bytes(picture).startswith(b"\x89PNG") for picture in buffers)


def test_a_row_leads_to_its_column_and_points(explorer: Any, session: FakeSession) -> None:
    page = Asking(explorer)
    session.supervision = Supervision(N).label(GROUP, "six")
    fields = page.ask("describe", GROUP, [], **ALL)[0]["fields"]
    titles = lambda use: page.ask("find_columns", use=use, text="")[0]["fields"]["titles"]  # noqa: E731
    rows = {row["title"]: row for row in (*fields["features"], *fields["categories"])}
    for title in ("size", "kind"):
        assert titles("find")[rows[title]["column"]] == title
        assert titles("color")[rows[title]["color"]] == title
    nothing = {"column": None, "color": None}  # no column where a table is beside the features
    assert rows["feature 0"] == rows["feature 0"] | nothing
    label = rows["label"]
    assert (label["column"], label["color"]) == (0, -1)
    assert {v["name"]: v["code"] for v in label["values"]} == {"six": 0, "unlabeled": -1}
    size = rows["size"]
    middle = {"low": size["middle"], "high": None, "categories": None, "text": ""}
    found = page.ask(
        "find", [], text="", column=-1, filters=[{"column": size["column"], **middle}]
    )[1]
    assert np.frombuffer(found[0], "<u4").tolist() == GROUP


def test_a_page_gets_all_rows_in_order_and_as_a_file() -> None:
    X = np.random.default_rng(1).normal(size=(60, 40))
    X[:20] += np.linspace(-3, 3, 40)
    explorer = nb.Explorer(X, autoplay=False)
    page = Asking(explorer)
    for sort, key, sign in [("effect", "effect", -1), ("share", "above", -1), ("p", "p_value", 1)]:
        how = ALL | {"sort": sort, "features": 39}
        fields = page.ask("describe", range(20), [], **how)[0]["fields"]
        size = abs if sort == "effect" else float
        values = [sign * size(f[key]) for f in fields["features"]]
        assert (values == sorted(values), len(values), fields["left_out"]) == (True, 39, 1)
    text = page.ask("describe_csv", range(20), [], sort="p")[0]["fields"]["text"]
    frame = pd.read_csv(io.StringIO(text), index_col="feature")
    found = explorer.describe(range(20), most=40).to_frame()
    pd.testing.assert_frame_equal(frame.sort_index(), found.sort_index())
    p = stats.ttest_ind(X[:20], X[20:], equal_var=False).pvalue
    adjusted = dict(zip([f"feature {k}" for k in range(40)], stats.false_discovery_control(p)))
    np.testing.assert_allclose(found["p"], [adjusted[name] for name in found.index])
    explorer.close()


def test_a_page_compares_with_other_points(explorer: Any) -> None:
    message, _ = Asking(explorer).ask("describe", GROUP, [20, 21, 22], **ALL)
    assert (message["fields"]["size"], message["fields"]["others"]) == (10, 3)


def test_what_cannot_be_described_is_an_error_in_words(explorer: Any) -> None:
    page = Asking(explorer)
    message, buffers = page.ask("describe", range(N), [], **ALL)
    assert "points must not be all points" in message["error"]
    assert buffers == []
    assert "at least one point" in page.ask("describe", [], [], **ALL)[0]["error"]


def test_infinite_effects_cross_the_wire(session: FakeSession) -> None:
    session.X = np.repeat([[0.0], [1.0]], [10, 20], axis=0)
    explorer = Explorer(session=session)  # type: ignore[arg-type]
    message, _ = Asking(explorer).ask("describe", GROUP, [], **ALL)
    (feature,) = message["fields"]["features"]
    assert feature["effect"] is None
    assert not feature["larger"]
    explorer.close()


def test_rows_come_in_order_and_their_cells_when_asked(explorer: Any) -> None:
    page = Asking(explorer)
    message, (order,) = page.ask("order", [], table="data", column=0, descending=False)
    titles = [column["title"] for column in message["fields"]["columns"]]
    assert titles == ["#", "name", "label", "size", "kind"]
    assert np.frombuffer(order, "<u4").tolist() == list(range(N))
    _, (order,) = page.ask("order", [3, 9, 20, 25], table="data", column=4, descending=True)
    assert np.frombuffer(order, "<u4").tolist() == [20, 25, 3, 9]
    message, _ = page.ask("rows", [25, 3], table="data")
    assert message["fields"]["points"] == [3, 25]
    assert [row[1] for row in message["fields"]["cells"]] == ["row 3", "row 25"]
    assert message["fields"]["cells"][0][4] == "<b>late</b>"
    assert (
        "column must be below 5"
        in page.ask("order", [], table="data", column=9, descending=False)[0]["error"]
    )


def test_rows_are_read_some_at_a_time(explorer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(group_source, "MOST_ROWS", 5)
    assert "at most 5 at a time" in Asking(explorer).ask("rows", range(6), table="data")[0]["error"]


def test_rows_are_sorted_by_the_labels_of_now(explorer: Any, session: FakeSession) -> None:
    page = Asking(explorer)
    session.supervision = Supervision(N).label([4], "b").label([7], "a")
    _, (order,) = page.ask("order", [], table="data", column=2, descending=False)
    assert np.frombuffer(order, "<u4")[:3].tolist() == [4, 7, 0]


def test_python_describes_the_selection(explorer: Any, session: FakeSession) -> None:
    with pytest.raises(ValueError, match="points must be given when no points are selected"):
        explorer.describe()
    explorer.selection = GROUP
    found = explorer.describe()
    assert found.points.tolist() == GROUP
    assert found.against_rest
    assert "size" in repr(found)
    mask = np.zeros(N, dtype=bool)
    mask[20:] = True
    against = explorer.describe([1, 2], against=mask, most=1)
    assert against.others.tolist() == list(range(20, N))
    assert len(against.features) <= 1
    session.supervision = Supervision(N).label(GROUP, "six")
    label = next(c for c in explorer.describe().categories if c.name == "label")
    assert [v.name for v in label.values] == ["six", "unlabeled"]


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"points": [N]}, ValueError, r"points must be indices in \[0, 30\), got 30"),
        ({"points": "ab"}, TypeError, "points must be point indices or a mask"),
        ({"points": [1], "against": []}, ValueError, "against must name at least one point"),
        ({"points": [1], "against": [0.5]}, TypeError, "against must be point indices or a mask"),
        ({"points": [1], "most": 0}, ValueError, "most must be"),
        ({"points": range(N)}, ValueError, "points must not be all points"),
    ],
)
def test_bad_arguments_are_named(
    explorer: Any, arguments: dict[str, Any], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        explorer.describe(**arguments)


@pytest.mark.parametrize(
    ("names", "error", "text"),
    [
        ("abc", TypeError, "feature_names must be a sequence of names, got str"),
        (7, TypeError, "feature_names must be a sequence of names, got int"),
        (["a", "b"], ValueError, "one name for each of the 3 features, got 2"),
    ],
)
def test_names_of_features_are_checked(
    session: FakeSession, names: Any, error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        Explorer(session=session, feature_names=names)  # type: ignore[arg-type]


def test_columns_have_names_already() -> None:
    with pytest.raises(ValueError, match=re.escape("feature_names must be None for a table")):
        nb.Explorer(frame(), feature_names=["a"], autoplay=False)


def test_names_of_features_are_used(session: FakeSession) -> None:
    explorer = Explorer(session=session, feature_names=np.array(["red", "green", "blue"]))  # type: ignore[arg-type]
    assert {f.name for f in explorer.describe(GROUP).features} == {"red", "green", "blue"}
    explorer.close()


def test_distances_are_no_features() -> None:
    D = np.abs(np.arange(12.0)[:, None] - np.arange(12.0))
    explorer = nb.Explorer(
        D, nb.SNE(metric="precomputed"), color=["a"] * 6 + ["b"] * 6, autoplay=False
    )
    found = explorer.describe(range(6))
    assert found.features == ()
    assert found.categories[0].name == "color"
    explorer.close()
