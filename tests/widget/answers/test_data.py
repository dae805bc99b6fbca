"""The columns of a table that a page lists, and the changes of them that it asks for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

import nbembed as nb
from tests.widget.answers.test_find import Asking

N = 40


def table() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "customer_id": range(1000, 1000 + N),
            "income": [np.nan, *rng.lognormal(3, 1, N - 1)],
            "<b>change</b>": rng.normal(size=N),
            "plan": ["basic", "pro"] * (N // 2),
            "name": [f"person {'x' * k}" for k in range(N)],
            "member": [True, True, False, False] * (N // 4),
            "day": pd.date_range("2020", periods=N),
        }
    )


@pytest.fixture
def explorer() -> Iterator[nb.Explorer]:
    made = nb.Explorer(table(), nb.HSSNE(perplexity=5), color="plan", autoplay=False)
    yield made
    for child in made.children:
        child.close()
    made.close()


def listed(page: Asking, text: str = "") -> dict[str, Any]:
    fields: dict[str, Any] = page.ask("data_columns", text=text)[0]["fields"]
    return fields


def test_each_column_has_its_use_or_why_it_has_none(explorer: nb.Explorer) -> None:
    found = listed(Asking(explorer))
    assert (found["refusal"], found["standardized"], found["embedded"]) == ("", True, 3)
    assert (found["matching"], found["count"]) == (7, 7)
    rows = [(c["title"], c["use"], c["embedded"], c["possible"]) for c in found["columns"]]
    assert rows == [
        ("customer_id", "ID or code", False, True),
        ("income", "number", True, True),
        ("<b>change</b>", "number", True, True),
        ("plan", "to look at", False, True),
        ("name", "40 different values", False, False),
        ("member", "truth value", True, True),
        ("day", "times", False, False),
    ]
    positive = [c["title"] for c in found["columns"] if c["positive"]]
    assert positive == ["customer_id", "income"]
    assert {(c["weight"], c["log"]) for c in found["columns"]} == {(1.0, False)}


def test_columns_are_found_by_their_titles(explorer: nb.Explorer) -> None:
    found = listed(Asking(explorer), "ME")
    assert [c["title"] for c in found["columns"]] == ["member", "customer_id", "income", "name"]
    assert (found["embedded"], found["matching"], found["count"]) == (3, 4, 7)


def test_of_many_columns_some_are_listed() -> None:
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(N, 90))).add_prefix("gene ")
    explorer = nb.Explorer(frame, autoplay=False)
    found = listed(Asking(explorer))
    assert (len(found["columns"]), found["matching"], found["embedded"]) == (50, 90, 90)
    explorer.close()


def change(explorer: nb.Explorer, column: int, **use: Any) -> nb.Explorer:
    """Change a column as a page does, and return the map that this makes."""
    given = {"column": column, "embedded": True, "weight": 1.0, "log": False}
    reply = Asking(explorer).command("prepare_column", **(given | use))
    assert reply["ok"], reply
    made: nb.Explorer = explorer.children[-1]
    return made


def test_a_page_changes_what_a_column_is_used_for(explorer: nb.Explorer) -> None:
    weighed = change(explorer, 1, weight=2.5, log=True)
    assert "Weights: income × 2.5. Logarithms of: income" in weighed.data_note
    income = listed(Asking(weighed))["columns"][1]
    assert (income["weight"], income["log"], income["embedded"]) == (2.5, True, True)
    without = change(explorer, 2, embedded=False)
    assert without.preparation.get_feature_names_out().tolist() == ["income", "member"]
    assert listed(Asking(without))["columns"][2]["use"] == "not chosen"
    more = change(explorer, 0)
    assert more.preparation.get_feature_names_out()[0] == "customer_id"
    plan = change(explorer, 3)
    assert "plan=pro" in plan.preparation.get_feature_names_out()
    none = change(explorer, 1, weight=0.0)
    row = listed(Asking(none))["columns"][1]
    assert (row["embedded"], row["use"], row["weight"]) == (True, "weight 0", 0.0)
    assert listed(Asking(none))["embedded"] == 3


def test_a_change_that_is_not_possible_is_refused(explorer: nb.Explorer) -> None:
    page = Asking(explorer)
    given = {"embedded": True, "weight": 1.0, "log": False}
    for column, use, said in (
        (1, {"weight": 4.0}, r"weights['income'] must be"),
        (2, {"log": True}, "log takes columns without negative numbers"),
        (6, {}, "day"),
        (99, {}, "column must be in [0, 7), got 99"),
    ):
        reply = page.command("prepare_column", column=column, **(given | use))
        assert not reply["ok"]
        assert said in reply["error"]
    assert explorer.children == ()


def test_the_last_column_stays(explorer: nb.Explorer) -> None:
    one = explorer.prepare(features=["income"])
    reply = Asking(one).command("prepare_column", column=1, embedded=False, weight=1.0, log=False)
    assert "features must name at least one column" in reply["error"]


@pytest.mark.parametrize(
    ("X", "method", "said"),
    [
        (np.eye(8) + 1, None, "prepared as a whole"),
        (1 - np.eye(8), nb.HSSNE(metric="precomputed", perplexity=2), "made of it here"),
        (["an apple and a pear", "one dog or a cat"] * 5, None, "prepared as a whole"),
    ],
)
def test_data_that_are_no_table_say_so(X: Any, method: Any, said: str) -> None:
    explorer = nb.Explorer(X, method, autoplay=False)
    page = Asking(explorer)
    found = listed(page)
    assert said in found["refusal"]
    assert found["columns"] == []
    assert not page.command("standardize", on=False)["ok"]
    explorer.close()
