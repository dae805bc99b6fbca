"""What distinguishes a group, from arrays, tables, annotated matrices and counts."""

from __future__ import annotations

import datetime
from typing import Any

import anndata
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from nbembed.points.features import choose_features
from nbembed.points.groups import Description, describe
from nbembed.points.groups import variables as variables_module
from nbembed.points.groups.description import value_text
from nbembed.points.groups.numbers import compare_numbers
from nbembed.points.groups.variables import (
    Categories,
    MatrixNumbers,
    TableNumbers,
    Variables,
    variables_of,
)
from nbembed.points.point_data import PointData

RNG = np.random.default_rng(11)
N = 60
GROUP = np.arange(20)


def told(
    data: Any, *, feature_names: Any = None, group: Any = GROUP, **options: Any
) -> Description:
    """Return the description of the first points of data."""
    chosen = choose_features(data, options.pop("features", None))
    points = PointData(chosen, np.shape(chosen.matrix)[0], **options)
    X = chosen.matrix if sparse.issparse(chosen.matrix) else np.asarray(chosen.matrix, float)
    found = variables_of(points, X, feature_names)
    return describe(found, np.asarray(group), None, X.shape[0], images=points.images)


def flowers() -> dict[str, list[Any]]:
    size = RNG.normal(0, 1, N)
    size[GROUP] += 6
    return {
        "size": size.tolist(),
        "noise": RNG.normal(100, 5, N).tolist(),
        "kind": ["late"] * 20 + ["early"] * 40,
        "plot": [f"plot {i % 4}" for i in range(N)],
        "number": [f"no. {i}" for i in range(N)],
    }


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, dict])
def test_a_table_is_compared_in_its_own_units(make: Any) -> None:
    frame = flowers()
    found = told(make(frame))
    assert found.features[0].name == "size"
    assert found.features[0].effect > 4
    assert found.features[0].mean == pytest.approx(np.mean(frame["size"][:20]))
    assert found.features[1].other_mean == pytest.approx(np.mean(frame["noise"][20:]))
    assert found.n_features == 2
    assert [c.name for c in found.categories] == ["kind"]  # keys and what is alike say nothing
    assert found.categories[0].values[0].name == "late"
    assert found.categories[0].values[0].lift == pytest.approx(3.0)


def test_columns_to_look_at_are_compared_too() -> None:
    frame = pd.DataFrame(flowers())
    days = [datetime.datetime(2001, 1, 1) + datetime.timedelta(days=i) for i in range(N)]
    frame["day"] = pd.Series(days, dtype="datetime64[ns]")
    frame.loc[0, "day"] = pd.NaT
    frame["code"] = np.repeat([3, 4], [20, 40])
    frame["flag"] = np.arange(N) < 25
    frame["nullable"] = pd.array([None, *range(1000, 1000 + N - 1)], dtype="Int64")
    found = told(frame, features=["size"])
    names = {f.name: f for f in found.features}
    assert set(names) == {"size", "noise", "day", "nullable"}
    assert names["day"].is_time
    assert names["day"].mean == pytest.approx(
        np.mean([d.replace(tzinfo=datetime.UTC).timestamp() for d in days[1:20]])
    )
    assert names["nullable"].counts.sum() == 19
    assert {c.name for c in found.categories} == {"kind", "code", "flag"}
    assert "2001-01-11" in repr(found)


def test_a_color_that_is_no_column_is_compared() -> None:
    truth = np.repeat(["a", "b"], [20, 40])
    found = told(RNG.normal(size=(N, 3)), color=truth)
    assert [(c.name, c.values[0].name) for c in found.categories] == [("color", "a")]
    number = told(RNG.normal(size=(N, 3)), color=pd.Series(np.arange(float(N)), name="age"))
    assert number.features[0].name == "age"
    frame = pd.DataFrame(flowers())
    assert [c.name for c in told(frame, color="kind").categories] == ["kind"]


def test_features_of_arrays_have_the_given_names() -> None:
    X = RNG.normal(size=(N, 3))
    X[GROUP, 1] -= 9
    assert told(X).features[0].name == "feature 1"
    found = told(X, feature_names=["red", "green\n\x00", "blue"])
    assert found.features[0].name == "green ␀"
    assert found.features[0].effect < -5


def test_a_class_is_a_column() -> None:
    codes = np.repeat([0, 1, -1], [20, 20, 20])
    (column,) = describe(
        Variables((), ()), GROUP, None, N, labels=Categories("label", ("six", "nine"), codes)
    ).categories
    assert column.association == pytest.approx(1.0)
    assert column.values[0].name == "six"


def counts() -> np.ndarray[Any, Any]:
    X = (RNG.random((N, 40)) < 0.04).astype(float)
    X[GROUP, 3] = 2
    X[:, 5] = 0
    return X


@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_counts_with_names_are_words(make: Any) -> None:
    X = counts()
    names = [f"word{k}" for k in range(40)]
    found = told(make(X), feature_names=names)
    assert found.words[0].name == "word3"
    assert found.features == ()
    assert "word3" in repr(found)
    assert told(make(X)).words == ()  # without names they are numbers
    assert told(make(X)).features[0].name == "feature 3"


def test_columns_of_counts_are_words_and_others_are_numbers() -> None:
    X = counts()
    frame = pd.DataFrame(X.astype(int), columns=[f"word{k}" for k in range(40)])
    assert told(frame).words[0].name == "word3"
    frame["word0"] = RNG.random(N)
    assert told(frame).words == ()


def test_an_annotated_matrix_is_compared_by_its_variables_whatever_is_embedded() -> None:
    X = sparse.csr_matrix(counts() * 1.5)  # no counts
    data = anndata.AnnData(
        X,
        obs=pd.DataFrame({"cluster": np.repeat(["x", "y"], [20, 40])}, index=map(str, range(N))),
        var=pd.DataFrame(index=[f"gene{k}" for k in range(40)]),
    )
    data.obsm["X_pca"] = RNG.normal(size=(N, 2))
    for features in (None, "X_pca", ["gene1"]):
        found = told(data, features=features)
        assert found.features[0].name == "gene3"
        assert np.isinf(found.features[0].effect) or found.features[0].effect > 5
        assert found.categories[0].values[0].name == "x"
    data.X = None
    assert told(data, features="X_pca").features[0].name.startswith("feature")


@pytest.mark.parametrize("kind", [int, float])
def test_a_variable_that_colors_the_points_is_told_of_once(kind: type) -> None:
    X = (counts() * 1.5).astype(kind)
    names = [f"gene{k}" for k in range(40)]
    data = anndata.AnnData(X, var=pd.DataFrame(index=names))
    found = told(data, color="gene3")
    assert found.categories == ()
    assert [f.name for f in (*found.features, *found.words)].count("gene3") == 1
    # Other values of that name are another variable.
    other = told(data, color=pd.Series(X[:, 3] + 0.25, name="gene3"))
    assert [f.name for f in (*other.features, *other.words)].count("gene3") == 2


@pytest.mark.parametrize("kind", ["dense", "sparse", "table"])
def test_sums_are_those_of_the_rows(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(variables_module, "BLOCK", 64)  # several blocks
    X = np.where(RNG.random((N, 5)) < 0.5, RNG.normal(50, 3, (N, 5)), 0)
    columns = [lambda k=k: X[:, k] for k in range(5)]
    numbers = {
        "dense": MatrixNumbers(X, list("abcde"), named=False),
        "sparse": MatrixNumbers(sparse.csr_array(X), list("abcde"), named=False),
        "table": TableNumbers(columns, list("abcde"), [False] * 5, countable=False),
    }[kind]
    for points in (GROUP, np.array([7])):
        sums = numbers.sums(points)
        np.testing.assert_allclose(sums.mean + numbers.center, X[points].mean(axis=0))
        np.testing.assert_allclose(
            sums.within, ((X[points] - X[points].mean(axis=0)) ** 2).sum(axis=0), atol=1e-8
        )
    np.testing.assert_allclose(numbers.whole.mean + numbers.center, X.mean(axis=0))
    np.testing.assert_array_equal(numbers.values([3, 1]), X[:, [3, 1]].T)


def test_two_groups_are_compared_with_each_other() -> None:
    X = RNG.normal(size=(N, 2))
    X[:20, 0] += 5
    X[20:40, 0] += 5
    points = PointData(None, N)
    found = variables_of(points, X, None)
    against = describe(found, GROUP, np.arange(20, 40), N)
    rest = describe(found, GROUP, None, N)
    assert rest.features[0].name == "feature 0"
    assert abs(rest.features[0].effect) > 0.7
    assert all(abs(f.effect) < 1 for f in against.features)
    assert against.others.tolist() == list(range(20, 40))
    assert not against.against_rest


def test_all_points_have_nothing_to_be_compared_with() -> None:
    with pytest.raises(ValueError, match="points must not be all points"):
        describe(Variables((), ()), np.arange(4), None, 4)


def test_objects_and_notes_are_left_out() -> None:
    frame = pd.DataFrame({"a": RNG.normal(size=N), "list": [[i] for i in range(N)]})
    frame["note"] = ["x" * i for i in range(N)]
    assert told(frame).categories == ()


def test_the_text_says_what_matters_and_stays_text() -> None:
    frame = pd.DataFrame(flowers()).rename(columns={"kind": "\u202ekind\x00"})
    text = repr(told(frame))
    assert text.startswith("20 points, compared with the other 40")
    assert "size" in text
    assert "+" in text
    assert "late" in text
    assert "100%" in text
    assert "\u202e" not in text
    assert "\x00" not in text


def test_features_are_a_frame() -> None:
    found = told(pd.DataFrame(flowers()))
    frame = found.to_frame()
    assert frame.index.tolist() == [f.name for f in found.features]
    assert frame["effect"].abs().is_monotonic_decreasing
    assert list(frame) == ["effect", "mean", "other_mean", "share_above", "p"]


def test_mean_images_are_means() -> None:
    images = RNG.integers(0, 255, (N, 6, 5), dtype=np.uint8)
    images[GROUP, 0, 0] = 255
    found = told(RNG.normal(size=(N, 2)), images=images).images
    assert found is not None
    np.testing.assert_allclose(found.mean, images[GROUP].mean(axis=0))
    np.testing.assert_allclose(found.other_mean, images[20:].mean(axis=0))
    assert (found.count, found.other_count) == (20, 40)
    mean, _, difference = found.pictures
    assert mean.shape == (6, 5)
    assert difference.shape == (6, 5, 4)
    assert difference[0, 0].tolist() == [230, 128, 0, 255]


def test_images_that_cannot_be_averaged_are_left_out() -> None:
    X = RNG.normal(size=(N, 2))
    one = np.full((4, 4), 200, np.uint8)
    other = np.zeros((3, 3), np.uint8)
    some: list[Any] = [one] * 18 + [None, b"no image"] + [other] + [one] * 39
    found = told(X, images=some).images
    assert found is not None
    assert (found.count, found.other_count) == (18, 39)
    assert told(X, images=[one] * 20 + [None] * 40).images is None
    assert told(X, images=[one] * 5 + [other] * 15 + [one] * 40).images is None


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (51_932.4, "51932"),
        (1234.56, "1235"),
        (-5e6, "-5000000"),
        (2e7, "2e+07"),
        (0.12345, "0.1235"),
    ],
)
def test_numbers_of_everyday_size_are_not_in_powers_of_ten(value: float, text: str) -> None:
    feature = compare_numbers("x", 1.0, np.zeros(2), np.ones(2))
    assert value_text(feature, value) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(400 * 86_400, "2024-06-01"), (8 * 3600, "2024-06-01 03:25"), (600, "2024-06-01 03:25:45")],
)
def test_times_are_as_fine_as_their_range(seconds: float, text: str) -> None:
    start = float(np.datetime64("2024-06-01T03:25:45", "s").astype(np.int64))
    values = start + np.array([0.0, seconds])
    feature = compare_numbers("seen", 1.0, values, values, is_time=True)
    assert value_text(feature, start) == text
