"""What of a table is embedded, and how it is scaled."""

from __future__ import annotations

from typing import Any

import anndata
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.preprocessing import StandardScaler

from nbembed.points.features import choose_features

COLUMNS: dict[str, list[Any]] = {
    "name": ["Ann", "Bob", "Cleo", "Dan"],
    "height": [1.0, 2.0, 3.0, 6.0],
    "rings": [4, 4, 8, 8],
    "tagged": [True, False, True, True],
    "kind": ["a", "b", "a", "b"],
}
MAKERS = [pd.DataFrame, pl.DataFrame, dict]


def annotated() -> anndata.AnnData:
    counts = sparse.csr_matrix(np.array([[1.0, 0, 2], [0, 0, 3], [4, 5, 0], [0, 1, 1]]))
    cells = pd.DataFrame({"cluster": list("xyxy")}, index=["c1", "c2", "c3", "c4"])
    data = anndata.AnnData(counts, obs=cells, var=pd.DataFrame(index=["CD3", "CD4", "CD8"]))
    data.obsm["X_pca"] = np.arange(8.0).reshape(4, 2)
    return data


@pytest.mark.parametrize("make", MAKERS)
def test_columns_are_embedded_and_standardized(make: Any) -> None:
    chosen = choose_features(make(COLUMNS))
    assert chosen.names == ("height", "rings", "tagged", "kind")
    assert chosen.matrix.shape == (4, 5)
    np.testing.assert_allclose(chosen.matrix[:, :3].mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(chosen.matrix[:, :3].std(axis=0), 1)
    assert chosen.matrix[:, 3:].var(axis=0).sum() == pytest.approx(1)
    assert chosen.note == (
        "4 of 5 columns are embedded, standardized: height, rings, tagged, kind. "
        "Left out: name (4 different values)"
    )


@pytest.mark.parametrize("make", MAKERS)
def test_without_preparation_columns_of_numbers_are_as_they_are(make: Any) -> None:
    chosen = choose_features(make(COLUMNS), prepare=None)
    np.testing.assert_array_equal(chosen.matrix, [[1, 4], [2, 4], [3, 8], [6, 8]])
    assert chosen.note == "2 of 5 columns are embedded, as they are: height, rings"
    assert chosen.transformer is None


@pytest.mark.parametrize("make", MAKERS)
def test_features_and_scaling_can_be_chosen(make: Any) -> None:
    chosen = choose_features(make(COLUMNS), ["tagged", "height"], standardize=False)
    np.testing.assert_array_equal(chosen.matrix, [[1, 1], [0, 2], [1, 3], [1, 6]])
    assert chosen.note == "2 of 5 columns are embedded, as they are: tagged, height"
    one = choose_features(make(COLUMNS), "rings")
    assert one.matrix.shape == (4, 1)
    assert one.note == "1 of 5 columns is embedded, standardized: rings"


def test_what_is_for_looking_at_is_not_embedded_by_default() -> None:
    frame = pd.DataFrame(COLUMNS)
    shown = ["rings", "tagged", "kind"]
    assert choose_features(frame, apart=shown).names == ("height",)
    assert choose_features(frame, "rings", apart=["rings"]).names == ("rings",)


def test_a_constant_column_is_left_out_or_becomes_zeros() -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [5.0, 5.0]})
    np.testing.assert_array_equal(choose_features(frame).matrix, [[-1], [1]])
    named = choose_features(frame, ["a", "b"])
    np.testing.assert_array_equal(named.matrix, [[-1, 0], [1, 0]])


def test_nullable_and_decimal_columns_are_numbers() -> None:
    frame = pd.DataFrame(
        {"a": pd.array([1, 2], dtype="Int64"), "b": pd.array([0.5, 1.5], dtype="Float32")}
    )
    chosen = choose_features(frame, standardize=False)
    np.testing.assert_array_equal(chosen.matrix, [[1, 0.5], [2, 1.5]])
    decimals = pl.DataFrame({"a": pl.Series([1, 2]).cast(pl.Decimal(10, 2))})
    assert choose_features(decimals).names == ("a",)


def test_arrays_and_annotated_matrices_stay_as_they_are() -> None:
    X = np.arange(6.0).reshape(3, 2)
    assert choose_features(X).matrix is X
    assert choose_features(X).note == "2 features are embedded as they are"
    np.testing.assert_allclose(choose_features(X, standardize=True).matrix.std(axis=0), 1)
    data = annotated()
    del data.obsm["X_pca"]
    chosen = choose_features(data)
    np.testing.assert_array_equal(chosen.matrix.toarray(), data.X.toarray())
    assert chosen.note == "3 variables of X are embedded as they are"


def test_annotated_matrices_embed_variables_or_what_was_made_of_them() -> None:
    data = annotated()
    chosen = choose_features(data, "X_pca")
    np.testing.assert_array_equal(chosen.matrix, data.obsm["X_pca"])
    assert chosen.note == "2 columns of obsm['X_pca'] are embedded as they are"
    np.testing.assert_array_equal(choose_features(data).matrix, data.obsm["X_pca"])
    genes = choose_features(data, ["CD8", "CD3"])
    np.testing.assert_array_equal(genes.matrix.toarray(), data.X.toarray()[:, [2, 0]])
    assert genes.note == "2 variables are embedded as they are: CD8, CD3"


def test_distances_are_no_columns() -> None:
    frame = pd.DataFrame(1 - np.eye(3), index=list("abc"))
    chosen = choose_features(frame, distances=True)
    assert chosen.matrix is frame
    assert list(chosen.table.index) == ["a", "b", "c"]  # type: ignore[union-attr]
    with pytest.raises(
        ValueError, match="features, standardize, prepare and missing must not be given"
    ):
        choose_features(frame, standardize=True, distances=True)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (
            pd.DataFrame({"a": [1.0, np.nan, 2], "b": [1, 2, 3]}),
            r"missing or infinite of a in 1 rows",
        ),
        (pl.DataFrame({"a": [1, None, 2]}), "infinite of a in 1 rows"),
        (
            pd.DataFrame({"a": [np.nan, 1, 2, 3], "b": [1, 2, 2, 1], "c": [np.inf, np.nan, 2, 1]}),
            r"infinite of a in 1 rows, c in 2 rows\. missing",
        ),
    ],
)
@pytest.mark.parametrize("options", [{"prepare": None}, {"missing": "error"}], ids=str)
def test_missing_values_are_refused_on_request(data: Any, message: str, options: Any) -> None:
    with pytest.raises(ValueError, match=message):
        choose_features(data, **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"prepare": "standard"}, 'prepare must be "auto", None or a transformer'),
        (
            {"prepare": StandardScaler(), "features": ["height"]},
            "given with a transformer in prepare",
        ),
        ({"prepare": None, "missing": "mean"}, 'needs prepare="auto"'),
        ({"missing": "drop"}, r"X\.dropna\(\)"),
        ({"missing": "zero"}, "missing must be one of 'median'"),
        ({"prepare": StandardScaler()}, "prepare cannot be applied to X: "),
    ],
)
def test_wrong_preparations_are_named(options: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        choose_features(pd.DataFrame(COLUMNS), **options)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((pd.DataFrame(COLUMNS), "weight"), "features must be columns of X, got weight; X has"),
        ((pd.DataFrame({"a": [[1], [2]]}), ["a"]), "numbers or truth values, .* but a is not"),
        ((pd.DataFrame(COLUMNS), []), "at least one column, got none"),
        ((pd.DataFrame(COLUMNS), ["rings", "rings"]), "'rings' twice"),
        ((pd.DataFrame(COLUMNS), [["rings"]]), "names of columns"),
        ((pd.DataFrame({"a": ["x", "y"]}),), "X must have a column of numbers"),
        ((pd.DataFrame({"a": [np.nan, np.nan]}),), "X must have a column of numbers"),
        ((pd.DataFrame({"a": [None, np.ones(3)]}),), r"np\.stack\(df\['a'\]\) is a matrix"),
        ((pd.DataFrame([[1, 2]], columns=["a", "a"]),), "distinct"),
        ((pl.DataFrame({"a": [1]}).lazy(),), r"collect\(\) first"),
        ((np.zeros((3, 2)), "a"), "features names columns of a DataFrame"),
        ((np.zeros((3, 2)), None, "yes"), "standardize must be True or False"),
        ((sparse.csr_array(np.eye(3)), None, True), "fill a sparse matrix"),
        (
            (annotated(), "CD19"),
            "variables of X or a key of its obsm, got CD19; its obsm has X_pca",
        ),
    ],
)
def test_wrong_arguments_are_named(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        choose_features(*arguments)


def test_hostile_names_of_columns_stay_out_of_the_sentence() -> None:
    frame = pd.DataFrame({"\u202e<b>\0" + "x" * 10_000: [1.0, 2.0]})
    note = choose_features(frame).note
    assert "\u202e" not in note
    assert "\0" not in note
    assert "<b>" in note
    assert len(note) < 200
