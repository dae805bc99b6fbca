"""Weights of columns and logarithms of them: what they do to distances, and what is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone

import nbembed as nb


def table(make: Any = pd.DataFrame) -> Any:
    rng = np.random.default_rng(3)
    price = rng.lognormal(3, 1, 60)
    price[:3] = np.nan
    return make(
        {
            "price": price,
            "age": rng.normal(40, 9, 60),
            "kids": [None, 0.0, 1.0, 2.0] * 15,
            "plan": ["basic", "pro", "max"] * 20,
            "member": [True, False] * 30,
            "zip": rng.integers(100, 120, 60),
        }
    )


def prepared(make: Any = pd.DataFrame, **parameters: Any) -> tuple[dict[str, Any], nb.Preparation]:
    """Return the features by their names, and the transformer."""
    preparation = nb.Preparation(**parameters)
    X = preparation.fit_transform(table(make))
    return dict(zip(preparation.get_feature_names_out(), X.T)), preparation


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, dict])
@pytest.mark.parametrize("standardize", [None, False])
def test_features_are_multiplied_by_the_weight_of_their_column(
    make: Any, standardize: bool | None
) -> None:
    plain, _ = prepared(make, standardize=standardize)
    weighed, preparation = prepared(
        make, standardize=standardize, weights={"age": 2, "plan": 0.5, "kids": 3}
    )
    factors = dict.fromkeys(plain, 1.0) | {"age": 2.0, "kids": 3.0, "kids is missing": 3.0}
    factors |= {f"plan={kind}": 0.5 for kind in ("basic", "pro", "max")}
    assert weighed.keys() == plain.keys() == factors.keys()
    for name, values in weighed.items():
        np.testing.assert_allclose(values, factors[name] * plain[name], rtol=1e-12)
    assert {c.name: c.weight for c in preparation.columns_ if c.weight != 1} == {
        "age": 2.0, "plan": 0.5, "kids": 3.0,
    }  # fmt: skip
    assert ". Weights: age × 2, kids × 3, plan × 0.5" in preparation.note_


def test_a_column_of_weight_0_is_only_looked_at() -> None:
    plain, _ = prepared()
    weighed, preparation = prepared(weights={"plan": 0, "price": 1})
    assert weighed.keys() == {name for name in plain if not name.startswith("plan")}
    [plan] = [c for c in preparation.columns_ if c.name == "plan"]
    assert (plan.use, plan.reason) == ("left out", "weight 0")
    assert "plan (weight 0)" in preparation.note_
    without = table().drop(columns="plan")
    np.testing.assert_array_equal(
        preparation.transform(without), np.column_stack([*weighed.values()])
    )


def test_weights_of_1_keep_the_bits() -> None:
    plain, weighed = nb.Preparation(), nb.Preparation(weights={"age": 1.0}, log=[])
    np.testing.assert_array_equal(weighed.fit_transform(table()), plain.fit_transform(table()))
    assert weighed.note_ == plain.note_


@pytest.mark.parametrize("kind", ["auto", "numbers"])
def test_logarithms_are_taken_before_scaling(kind: str) -> None:
    logged, preparation = prepared(kind=kind, log="price", features=["price", "age"])
    price = np.log1p(table()["price"].to_numpy())
    price[:3] = np.nanmedian(price)
    if kind == "auto":  # the median fills in after scaling
        known = price[3:]
        np.testing.assert_allclose(logged["price"], (price - known.mean()) / known.std())
    else:
        np.testing.assert_allclose(logged["price"], (price - price.mean()) / price.std())
    [told, age] = preparation.columns_
    assert (told.log, age.log) == (True, False)
    assert float(told.value) == pytest.approx(np.expm1(np.nanmedian(price)), rel=1e-5)
    assert ". Logarithms of: price" in preparation.note_
    with pytest.raises(ValueError, match=r"log takes columns without negative.*-2 in price"):
        preparation.transform(pd.DataFrame({"price": [-2.0], "age": [1.0]}))


def test_new_rows_are_weighed_as_those_of_the_fit() -> None:
    preparation = nb.Preparation(weights={"age": 2.5, "plan": 0.25}, log=["price", "kids"])
    X = preparation.fit_transform(table())
    np.testing.assert_array_equal(preparation.transform(table()[10:20]), X[10:20])
    again = clone(preparation)
    assert again.get_params() == preparation.get_params()
    assert not hasattr(again, "columns_")
    np.testing.assert_array_equal(again.fit_transform(table()), X)


def test_counts_that_are_weighed_are_numbers() -> None:
    counts = pd.DataFrame(np.random.default_rng(0).poisson(0.06, size=(90, 120)))
    assert nb.Preparation().fit(counts).kind_ == "words"
    assert nb.Preparation(weights={3: 2}).fit(counts).kind_ == "table"
    with pytest.raises(ValueError, match='kind="words" takes neither weights nor log'):
        nb.Preparation(kind="words", weights={3: 2}).fit(counts)


@pytest.mark.parametrize(
    ("parameters", "error", "said"),
    [
        ({"weights": 2}, TypeError, "weights must be a mapping of columns to numbers, got 2"),
        ({"weights": {"age": -1}}, ValueError, r"weights\['age'\] must be .*0.*3.*got -1"),
        ({"weights": {"age": 3.5}}, ValueError, r"weights\['age'\] must be .*got 3.5"),
        ({"weights": {"age": np.nan}}, ValueError, r"weights\['age'\] must be .*got nan"),
        ({"weights": {"age": "much"}}, TypeError, r"weights\['age'\] must be a number"),
        ({"weights": {"aeg": 1}}, ValueError, "weights must name .* got aeg: no column of X"),
        ({"weights": {"zip": 1}}, ValueError, r"weights .*zip: left out \(ID or code\).*features="),
        ({"weights": {"age": 1}, "features": "price"}, ValueError, "weights must name.*age"),
        ({"log": "zip"}, ValueError, r"log must name columns that are embedded, got zip"),
        ({"log": ["plan"]}, ValueError, "log must name columns of numbers, got plan: category"),
        ({"log": ["price", "price"]}, ValueError, "log must be distinct"),
        ({"log": [["price"]]}, TypeError, "log must be names of columns"),
    ],
)  # fmt: skip
def test_what_cannot_be_weighed_is_named(parameters: Any, error: Any, said: str) -> None:
    with pytest.raises(error, match=said):
        nb.Preparation(**parameters).fit(table())


def test_negative_numbers_have_no_logarithm() -> None:
    frame = table().assign(age=-table()["age"])
    with pytest.raises(ValueError, match=r"log takes columns .*but X has -\d+\S* in age"):
        nb.Preparation(log=["age"]).fit(frame)


@pytest.mark.parametrize(
    "X", [np.eye(5), ["a text here", "and one there"] * 5], ids=["array", "texts"]
)
def test_only_tables_have_columns_to_weigh(X: Any) -> None:
    with pytest.raises(ValueError, match="weights names columns of a DataFrame, got X of type"):
        nb.Preparation(weights={0: 2}).fit(X)
    with pytest.raises(ValueError, match="log names columns of a DataFrame, got X of type"):
        nb.Preparation(log=[0]).fit(X)
