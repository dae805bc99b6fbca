"""Explorers of prepared data: the map is of what was prepared, all else of the data as given."""

from __future__ import annotations

from typing import Any

import anndata
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.preprocessing import MinMaxScaler

import nbembed as nb

N = 90
METHOD = nb.HSSNE(random_state=0)


def counts(rng: Any) -> tuple[Any, list[str]]:
    """Return counts of 600 words in three topics, of which each has words of its own."""
    topics = rng.dirichlet(np.full(600, 0.5), 3)
    topics[:, :3] = 0.08 * np.eye(3)
    topics /= topics.sum(axis=1, keepdims=True)
    X = np.array([rng.multinomial(60, topics[k % 3]) for k in range(N)])
    return sparse.csr_array(X), [f"word{k}" for k in range(600)]


def table(rng: Any) -> pd.DataFrame:
    frame = pd.DataFrame(
        {
            "income": rng.lognormal(size=N),
            "age": rng.integers(18, 90, N),
            "plan": ["basic", "pro", "max"] * (N // 3),
            "kind": [None, "a", "b"] * (N // 3),
        }
    )
    frame.loc[[3, 5], "income"] = np.nan
    return frame


def test_words_describe_groups_of_counts(explore: Any, rng: Any) -> None:
    X, words = counts(rng)
    explorer = explore(X, METHOD, feature_names=words)
    assert explorer.session.X.shape[1] < X.shape[1]
    found = explorer.describe(np.arange(0, N, 3))
    assert found.words[0].name == "word0"
    assert "TF-IDF" in explorer.data_note
    explorer.color("word1")
    np.testing.assert_array_equal(explorer.find(where={"word1": (1, None)}), X[:, [1]].nonzero()[0])
    np.testing.assert_array_equal(explorer.preparation.transform(X), explorer.session.X)
    assert explorer.to_anndata().X.shape == X.shape


def test_texts_are_columns_and_words(explore: Any) -> None:
    texts = [f"the {'cat' if k % 2 else 'dog'} number {k % 7} sat" for k in range(N)]
    explorer = explore(texts, METHOD)
    found = explorer.describe(np.arange(1, N, 2))
    assert {found.features[0].name, found.features[1].name} == {"cat", "dog"}
    assert explorer.find("cat").tolist() == list(range(1, N, 2))
    explorer.color("dog")


def test_pixels_describe_groups_of_images(explore: Any, rng: Any) -> None:
    images = rng.random((N, 12, 12))
    images[:30, 2, 3] += 5
    explorer = explore(images, METHOD)
    assert explorer.session.X.shape == (N, 50)
    assert explorer.describe(range(30)).features[0].name == f"feature {2 * 12 + 3}"
    assert explorer.describe(range(30)).images is not None


def test_genes_describe_groups_of_cells(explore: Any, rng: Any) -> None:
    X = rng.poisson(0.5, (N, 150)).astype(np.float32)
    X[:30, 7] += 9
    genes = pd.DataFrame(index=[f"G{k}" for k in range(150)])
    cells = pd.DataFrame(index=[f"cell{k}" for k in range(N)])
    explorer = explore(anndata.AnnData(sparse.csr_matrix(X), obs=cells, var=genes), METHOD)
    assert explorer.session.X.shape == (N, 50)
    found = explorer.describe(range(30))
    assert "G7" in {found.features[0].name, *(word.name for word in found.words[:1])}
    assert not explorer.named
    assert explorer.find("cell17").tolist() == [17]


def test_holes_are_filled_told_of_and_shown(explore: Any, rng: Any) -> None:
    frame = table(rng)
    explorer = explore(frame, METHOD, color="kind", columns=["income", "age"])
    median = f"{frame.income.median():.6g}"
    assert "income: 2 of 90 filled by the median" in explorer.data_note
    assert explorer._points.rows(3)[0] == ("income", f"missing, embedded as {median}")
    assert explorer._points.row_block(slice(3, 4))[0] == explorer._points.rows(3)
    assert explorer.session.X.shape[1] == 5
    other = explore(frame, METHOD, color="kind", missing="neighbors")
    assert dict(other._points.rows(3))["income"] == "missing, embedded as in the nearest rows"


def test_a_column_of_labels_is_named(explore: Any, rng: Any) -> None:
    frame = table(rng)
    explorer = explore(frame, METHOD, supervision="kind")
    assert explorer.labels == [None if k is None else str(k) for k in [None, "a", "b"] * (N // 3)]
    assert "kind" not in explorer.data_note
    beside = explore(frame[["age"]].to_numpy(), METHOD, columns=frame, supervision="kind")
    assert beside.labels == explorer.labels
    with pytest.raises(ValueError, match="supervision must name a column, got 'plant'"):
        explore(frame, METHOD, supervision="plant")
    with pytest.raises(ValueError, match="supervision='kind' names a column"):
        explore(np.eye(5), METHOD, supervision="kind")


@pytest.mark.parametrize(
    "method", [nb.HSSNE(metric="jaccard"), nb.ParametricEmbedding(classifier="naive-bayes")]
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.DataConversionWarning")
def test_numbers_that_mean_something_to_the_method_stay(
    explore: Any, rng: Any, method: Any
) -> None:
    X = counts(rng)[0].toarray()
    explorer = explore(X, method, supervision=np.arange(N) % 3)
    np.testing.assert_array_equal(explorer.session.X, X)


@pytest.mark.parametrize("what", ["words", "table"])
def test_the_same_cell_finds_its_session_again(
    explore: Any, rng: Any, tmp_path: Any, what: str
) -> None:
    data = counts(rng)[0] if what == "words" else table(rng)
    path = tmp_path / "work.nbembed"
    first = explore(data, METHOD, autosave=path)
    first.session.label([1], "mine")
    if what == "table":
        first.write_labels(column="label")
    first.close()
    again = explore(data, METHOD, autosave=path)
    assert again.labels[1] == "mine"
    np.testing.assert_array_equal(again.preparation.transform(data), again.session.X)
    again.close()
    alone = explore(autosave=path)
    assert alone.preparation is None
    np.testing.assert_array_equal(alone.session.X, again.session.X)


def test_preparation_can_be_chosen(explore: Any, rng: Any) -> None:
    frame = table(rng)[["age", "plan", "kind"]]
    none = explore(frame, METHOD, prepare=None)
    np.testing.assert_array_equal(none.session.X, frame[["age"]])
    assert none.preparation is None
    scaled = explore(frame[["age"]], METHOD, prepare=MinMaxScaler())
    assert scaled.session.X.max() == 1
    assert isinstance(scaled.preparation, MinMaxScaler)
    assert scaled.data_note == "1 feature is embedded, made by MinMaxScaler"
    own = explore(frame, METHOD, prepare=nb.Preparation(features="plan", standardize=False))
    assert own.session.X.shape == (N, 3)
    X, words = counts(rng)
    raw = explore(X, METHOD, prepare=None, feature_names=words)
    assert raw.session.X.shape == X.shape
    with pytest.raises(ValueError, match='metric="precomputed"'):
        explore(1 - np.eye(5), nb.HSSNE(metric="precomputed"), missing="mean")


def test_ids_are_not_written_on_the_map_unless_given(explore: Any, rng: Any) -> None:
    codes = ["".join(rng.choice(list("ACGT"), 14)) + "-1" for _ in range(N)]
    frame = table(rng).set_axis(codes)
    assert not explore(frame, METHOD).named
    assert explore(frame, METHOD, names=codes).named
    people = table(rng).set_axis([f"{a}{b} Smith" for a in "ABCDEFGHI" for b in "abcdefghij"])
    assert explore(people, METHOD).named
