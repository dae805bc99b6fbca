"""What of a table is embedded, and how it is scaled."""

from __future__ import annotations

from typing import Any

import anndata
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

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
def test_columns_of_numbers_are_embedded_and_standardized(make: Any) -> None:
    chosen = choose_features(make(COLUMNS))
    assert chosen.names == ("height", "rings")
    np.testing.assert_allclose(chosen.matrix.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(chosen.matrix.std(axis=0), 1)
    assert chosen.note == "2 of 5 columns are embedded, standardized: height, rings"


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
    assert choose_features(frame, apart=["rings"]).names == ("height",)
    assert choose_features(frame, "rings", apart=["rings"]).names == ("rings",)


def test_a_constant_column_becomes_zeros() -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": [5.0, 5.0]})
    np.testing.assert_array_equal(choose_features(frame).matrix, [[-1, 0], [1, 0]])


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
    assert choose_features(X).note == ""
    np.testing.assert_allclose(choose_features(X, standardize=True).matrix.std(axis=0), 1)
    data = annotated()
    chosen = choose_features(data)
    np.testing.assert_array_equal(chosen.matrix.toarray(), data.X.toarray())
    assert chosen.note == "Embedded as they are: all 3 variables of X"


def test_annotated_matrices_embed_variables_or_what_was_made_of_them() -> None:
    data = annotated()
    chosen = choose_features(data, "X_pca")
    np.testing.assert_array_equal(chosen.matrix, data.obsm["X_pca"])
    assert "X_pca" in chosen.note
    genes = choose_features(data, ["CD8", "CD3"])
    np.testing.assert_array_equal(genes.matrix.toarray(), data.X.toarray()[:, [2, 0]])
    assert genes.note == "Embedded as they are: 2 columns: CD8, CD3"


def test_distances_are_no_columns() -> None:
    frame = pd.DataFrame(1 - np.eye(3), index=list("abc"))
    chosen = choose_features(frame, distances=True)
    assert chosen.matrix is frame
    assert list(chosen.table.index) == ["a", "b", "c"]  # type: ignore[union-attr]
    with pytest.raises(ValueError, match="features and standardize"):
        choose_features(frame, standardize=True, distances=True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((pd.DataFrame(COLUMNS), "weight"), "features must be columns of X, got weight; X has"),
        ((pd.DataFrame(COLUMNS), ["kind"]), "numbers or truth values, but kind is not"),
        ((pd.DataFrame(COLUMNS), []), "at least one column, got none"),
        ((pd.DataFrame(COLUMNS), ["rings", "rings"]), "'rings' twice"),
        ((pd.DataFrame(COLUMNS), [["rings"]]), "names of columns"),
        ((pd.DataFrame({"a": ["x", "y"]}),), "X must have a column of numbers"),
        ((pd.DataFrame({"a": [1.0, np.nan], "b": [1, 2]}),), "but a has 1 missing or infinite"),
        ((pl.DataFrame({"a": [1, None]}),), "but a has 1 missing"),
        (
            (pd.DataFrame({"a": [np.nan, 1], "b": [1, 2], "c": [np.inf, np.nan]}),),
            r"a, c have 3 missing or infinite values\. .*: features=\['b'\] leaves them out",
        ),
        ((pd.DataFrame([[1, 2]], columns=["a", "a"]),), "distinct"),
        ((pl.DataFrame({"a": [1]}).lazy(),), "collect it"),
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
