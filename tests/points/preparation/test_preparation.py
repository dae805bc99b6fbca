"""Preparation: what data are recognized as, what becomes of them, and scikit-learn's contract."""

from __future__ import annotations

import pickle
from typing import Any

import anndata
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.datasets import load_digits, load_iris, load_wine
from sklearn.pipeline import make_pipeline

import nbembed as nb

N = 200


def people(make: Any = pd.DataFrame) -> Any:
    """Return a table of all kinds of columns; a tenth of the incomes and a third of kids miss."""
    rng = np.random.default_rng(0)
    income = rng.lognormal(10, 1, N)
    income[:20] = np.nan
    columns = {
        "customer_id": rng.integers(1, 50, N),
        "row": np.arange(N) + 7,
        "age": rng.integers(18, 90, N),
        "income": income,
        "kids": [None, 0, 1, 2, 3, None] * 33 + [2, 1],
        "member": [True, False] * (N // 2),
        "plan": [None, *["basic", "pro", "max", "basic"] * 50][:N],
        "country": ["FI"] * N,
        "city": [f"city {k % 40}" for k in range(N)],
        "note": [f"{k} was glad to come" for k in range(N)],
    }
    return make(columns)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, dict])
def test_columns_of_a_table_are_prepared_by_their_kind(make: Any) -> None:
    fitted = nb.Preparation().fit(people(make))
    found = {column.name: (column.use, column.reason) for column in fitted.columns_}
    assert found == {
        "customer_id": ("left out", "ID or code"),
        "row": ("left out", "whole numbers that count the rows"),
        "age": ("number", ""),
        "income": ("number", ""),
        "kids": ("number", ""),
        "member": ("truth value", ""),
        "plan": ("category", ""),
        "country": ("left out", "one value in all rows"),
        "city": ("left out", "40 different values"),
        "note": ("left out", "text"),
    }
    assert fitted.kind_ == "table"
    assert "income: 20 of 200 filled by the median" in fitted.note_
    assert "plan: 1 of 200 filled by the most frequent" in fitted.note_
    assert "Left out: customer_id (ID or code)" in fitted.note_
    filled = {column.name: column.value for column in fitted.columns_ if column.filled}
    assert filled == {
        "income": f"{np.nanmedian(people()['income']):.6g}", "kids": "1.5", "plan": "basic",
    }  # fmt: skip


def test_each_column_counts_alike() -> None:
    fitted = nb.Preparation()
    prepared = fitted.fit_transform(people())
    names = fitted.get_feature_names_out().tolist()
    assert names == [
        "age", "income", "kids", "member", "plan=basic", "plan=max", "plan=pro", "kids is missing",
    ]  # fmt: skip
    variance = dict(zip(names, prepared.var(axis=0)))
    assert variance["age"] == pytest.approx(1)
    plans = sum(v for name, v in variance.items() if name.startswith("plan"))
    assert plans == pytest.approx(1, abs=0.01)


def test_ordered_categories_keep_their_order() -> None:
    sizes = pd.Categorical(list("SLMS") * 5, ["S", "M", "L"], ordered=True)
    frame = pd.DataFrame({"size": sizes})
    assert nb.Preparation(standardize=False).fit_transform(frame)[:4, 0].tolist() == [0, 2, 1, 0]


def test_infinite_values_are_missing_ones() -> None:
    frame = pd.DataFrame({"a": [1.0, np.inf, 3.0, np.nan, 8.0]})
    fitted = nb.Preparation(missing="mean", standardize=False)
    assert fitted.fit_transform(frame)[:, 0].tolist() == [1, 4, 3, 4, 8]
    assert fitted.note_.endswith("a: 2 of 5 filled by the mean; 1 of these were infinite")


def test_neighbors_fill_what_the_median_cannot_know(rng: Any) -> None:
    a = np.repeat([0.0, 10.0], 50) + rng.normal(size=100)
    frame = pd.DataFrame({"a": a, "b": a + rng.normal(size=100), "c": a})
    frame.loc[3, "c"] = np.nan
    near = nb.Preparation(missing="neighbors", standardize=False).fit_transform(frame)
    assert abs(near[3, 2] - a[3]) < 3


def test_new_rows_are_prepared_as_the_old_ones() -> None:
    frame = people()
    fitted = pickle.loads(pickle.dumps(nb.Preparation().fit(frame)))
    whole = fitted.transform(frame)
    new = frame[["plan", "kids", "member", "income", "age"]].iloc[30:40]
    np.testing.assert_array_equal(fitted.transform(new), whole[30:40])
    strange = fitted.transform(new.assign(plan="gold"))
    assert not strange[:, 4:7].any()
    with pytest.raises(ValueError, match="lacks age"):
        fitted.transform(new.drop(columns="age"))
    np.testing.assert_array_equal(fitted.transform(frame), nb.Preparation().fit_transform(frame))


@pytest.mark.parametrize("load", [load_iris, load_wine, load_digits])
def test_plain_arrays_stay_as_they_are(load: Any) -> None:
    X = load().data
    fitted = nb.Preparation().fit(X)
    np.testing.assert_array_equal(fitted.transform(X), X)
    assert fitted.kind_ == "numbers"
    assert fitted.note_ == f"{X.shape[1]} features are embedded as they are"


def word_counts(rng: Any, n_words: int = 600) -> Any:
    topics = rng.dirichlet(np.full(n_words, 0.5), 3)
    return sparse.csr_array(np.array([rng.multinomial(40, topics[k % 3]) for k in range(N)]))


@pytest.mark.parametrize("form", [sparse.csr_array.toarray, sparse.csr_array, pd.DataFrame])
def test_counts_of_words_become_tfidf_and_singular_vectors(rng: Any, form: Any) -> None:
    counts = word_counts(rng)
    X = form(counts.toarray()) if form is pd.DataFrame else form(counts)
    fitted = nb.Preparation()
    prepared = fitted.fit_transform(X)
    assert fitted.kind_ == "words"
    assert prepared.shape == (N, 100)
    np.testing.assert_allclose(np.linalg.norm(prepared, axis=1), 1)
    assert "by TF-IDF and 100 singular vectors" in fitted.note_
    assert list(fitted.pipeline_.named_steps) == ["tfidf", "svd", "length"]


def test_texts_are_embedded_by_their_words() -> None:
    texts = ["the cat sat on the mat", "a dog ran", None, "the dog sat", "cats and dogs ran off"]
    fitted = nb.Preparation().fit(texts)
    assert fitted.kind_ == "texts"
    assert fitted.transform(["a cat", "a dog"]).shape == (2, 4)
    frame = pd.DataFrame({"key": list("abcde"), "text": texts})
    of_table = nb.Preparation().fit(frame)
    np.testing.assert_array_equal(of_table.transform(frame), fitted.transform(texts))
    with pytest.raises(ValueError, match="texts with words in them"):
        nb.Preparation().fit(["", "?"])


def cells(rng: Any, n_genes: int = 150) -> anndata.AnnData:
    return anndata.AnnData(sparse.csr_matrix(rng.poisson(0.8, (N, n_genes)).astype(np.float32)))


def test_counts_of_cells_become_components_of_logarithms(rng: Any) -> None:
    data = cells(rng)
    fitted = nb.Preparation(n_components=None)
    logs = fitted.fit_transform(data).toarray()
    sizes = data.X.toarray().sum(axis=1)
    np.testing.assert_allclose(np.expm1(logs).sum(axis=1), np.median(sizes), rtol=1e-5)
    assert nb.Preparation().fit_transform(data).shape == (N, 50)
    data.obsm["X_pca"] = rng.normal(size=(N, 4))
    ready = nb.Preparation().fit(data)
    assert (ready.kind_, ready.transform(data).shape) == ("components", (N, 4))


def test_many_features_become_principal_components(rng: Any) -> None:
    images = rng.normal(size=(N, 12, 10))
    fitted = nb.Preparation()
    assert fitted.fit_transform(images).shape == (N, 50)
    assert (fitted.kind_, fitted.n_features_in_) == ("wide", 120)
    assert "120 features are embedded by 50 principal components with" in fitted.note_
    np.testing.assert_array_equal(fitted.transform(images), nb.Preparation().fit_transform(images))
    assert nb.Preparation(n_components=None).fit_transform(images).shape == (N, 120)
    assert nb.Preparation(n_components=3).fit_transform(load_iris().data).shape == (150, 3)


def test_holes_of_arrays_are_filled_and_told_of(rng: Any) -> None:
    X = rng.normal(size=(N, 4))
    X[3, 1] = np.nan
    fitted = nb.Preparation()
    filled = fitted.fit_transform(X)
    assert filled[3, 1] == np.nanmedian(X[:, 1])
    assert fitted.note_.endswith(". feature 1: 1 of 200 filled by the median")
    whole = nb.Preparation().fit(filled)
    with pytest.raises(ValueError, match="infinite of feature 1 in 1 rows"):
        whole.transform(X)
    with pytest.raises(ValueError, match="infinite of feature 1 in 1 rows"):
        nb.Preparation(missing="error").fit(X)


def test_it_stands_in_a_pipeline() -> None:
    pipeline = make_pipeline(nb.Preparation(), nb.HSSNE(random_state=0, max_iter=5, tol=0))
    assert pipeline.set_params(preparation__missing="mean").fit_transform(people()).shape == (N, 2)


@pytest.mark.parametrize(
    ("options", "data", "message"),
    [
        ({}, np.c_[np.arange(4.0), np.full(4, np.nan)], "but feature 1 has none"),
        ({}, pd.DataFrame({"a": [2, 2]}), r"Left out: a \(one value in all rows\)"),
        ({"kind": "counts"}, np.eye(3), "kind must be one of 'auto', 'numbers'"),
        ({"missing": "drop"}, np.eye(3), r"X\.dropna\(\)"),
        ({"n_components": 0}, np.eye(3), "n_components must be"),
        ({"standardize": "yes"}, np.eye(3), "standardize must be True or False"),
        ({"kind": "table"}, np.eye(3), 'kind="table" is for a table'),
        ({"kind": "words"}, -np.eye(3), 'kind="words" takes counts ≥ 0'),
        ({"kind": "words"}, ["a text"], 'kind="words" does not take texts'),
        ({"kind": "texts"}, pd.DataFrame({"a": [1.0, 2]}), "a column of texts, and X has none"),
    ],
)
def test_wrong_arguments_are_named(options: Any, data: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        nb.Preparation(**options).fit(data)
