"""The rows of a map prepared otherwise: where they begin, what is shared, and what is replaced."""

from __future__ import annotations

import gc
import weakref
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest

import nbembed as nb
from nbembed.session import Session
from tests.waiting import eventually
from tests.widget.test_explorer import Page

METHOD = {"perplexity": 5, "random_state": 0}
N = 42


@pytest.fixture
def explore(explore: Any) -> Any:
    """Return a function that makes Explorers whose maps have moved."""
    return partial(explore, steps=30)


def table(rng: Any) -> pd.DataFrame:
    X = rng.normal(size=(N, 2)) + 8.0 * (np.arange(N) % 3)[:, None]
    frame = pd.DataFrame(
        {
            "width": X[:, 0],
            "length": X[:, 1],
            "price": rng.lognormal(3, 1, N),
            "kind": ["a", "b", "c"] * (N // 3),
            "zip": rng.integers(10, 20, N),
        }
    )
    frame.index = [f"Stone {'abcdefghijklmnop'[k % 16]}{'x' * k}" for k in range(N)]
    return frame


def test_the_points_begin_where_they_are_and_move(explore: Any, rng: Any) -> None:
    frame = table(rng)
    explorer = explore(frame, nb.HSSNE(**METHOD, alpha=1.2), color="kind")
    explorer.session.set(alpha=1.5)
    explorer.session.wait(timeout=60)
    other = explorer.prepare(weights={"width": 3}, log=["price"])
    np.testing.assert_array_equal(other.session.recipe.init, explorer.embedding)
    assert other.session.parameters["alpha"] == 1.5
    X = nb.Preparation(weights={"width": 3}, log=["price"]).fit_transform(
        frame.drop(columns="kind")
    )
    np.testing.assert_allclose(other.session.X, X, rtol=1e-6)
    np.testing.assert_array_equal(other.preparation.transform(frame), X)
    assert other.data_note == other.preparation.note_
    assert "Weights: width × 3. Logarithms of: price" in other.data_note
    other.session.wait(timeout=60)
    assert other.session.error is None
    assert not np.array_equal(other.embedding, explorer.embedding)
    assert explorer.preparation.weights is None


def test_what_was_said_and_shown_comes_along(explore: Any, rng: Any) -> None:
    explorer = explore(table(rng), nb.HSSNE(**METHOD), color="kind")
    session = explorer.session
    session.label([0, 3], "first")
    session.cannot_link([0], [2])
    session.pin([5])
    session.save_selection("odd", [1, 3])
    explorer.selection = [4, 8]
    explorer.color("price")
    explorer.class_styles.change("first", color="#E69F00")
    other = explorer.prepare(features=["width", "price", "zip"])
    assert other.supervision == explorer.supervision
    assert other.selection.tolist() == [4, 8]
    assert other.session.selections["odd"].tolist() == [1, 3]
    assert other.color_column["title"] == "price"
    assert other.class_styles["first"]["color"] == "#E69F00"
    assert other._points.rows(2) == explorer._points.rows(2)
    assert other.to_frame().index.tolist() == explorer.to_frame().index.tolist()
    other.session.label([7], "second")
    eventually(lambda: explorer.labels[7] == "second")
    session.undo()
    eventually(lambda: other.labels[7] is None)
    other.close()
    session.label([9], "third")
    assert other.labels[9] is None
    assert explorer.children == ()


def test_a_second_change_takes_the_place_of_the_first(explore: Any, rng: Any) -> None:
    explorer = explore(table(rng), nb.HSSNE(**METHOD), color="kind")
    part = explorer._child_maps
    first = explorer.prepare(weights={"width": 2})
    second = first.prepare(weights={"width": 2, "price": 0})
    assert explorer.children == (second,)
    assert first.children == second.children == ()
    assert first.preparation.weights == {"width": 2}
    [told] = explorer.child_maps
    assert told["name"] == "width × 2, without price"
    assert (told["prepared"], told["new"]) == (True, 0)
    place = told["place"]
    second.session.label([1], "new")
    eventually(lambda: explorer.labels[1] == first.labels[1] == "new")
    beside = explorer.prepare(standardize=False)
    assert explorer.children == (second, beside)
    assert explorer.child_maps[1]["name"] == "as it is"
    assert explorer.child_maps[0]["place"] == place != explorer.child_maps[1]["place"]
    third = first.prepare(weights={"width": 0.5})
    assert part.open == (third, beside)
    assert explorer.child_maps[0]["place"] == place
    first.close()
    assert part.open == (third, beside)
    third.close()
    assert part.open == (beside,)
    last = third.prepare(weights={"width": 1.5})
    assert part.open == (beside, last)
    assert explorer.child_maps[1]["place"] not in (place, explorer.child_maps[0]["place"])
    third.close()
    assert part.open == (beside, last)


def test_without_the_first_map_the_path_begins_anew(explore: Any, rng: Any) -> None:
    explorer = explore(table(rng), nb.HSSNE(**METHOD))
    first = explorer.prepare(weights={"width": 2})
    explorer.close()
    second = first.prepare(weights={"width": 0.5})
    assert first.children == (second,)
    second.close()
    first.close()


def test_a_map_that_was_replaced_ends(explore: Any, rng: Any) -> None:
    explorer = explore(table(rng), nb.HSSNE(**METHOD))
    page = Page(explorer)
    assert page.command("prepare_column", column=0, embedded=True, weight=2.0, log=False)["ok"]
    replaced = weakref.ref(explorer.children[0].session)
    inner = Page(explorer.children[0])
    assert inner.command("standardize", on=False)["ok"]
    [now] = explorer.children
    assert now.preparation.weights == {"width": 2.0}
    assert now.preparation.standardize is False
    inner.explorer = None  # a page refers to no Explorer
    eventually(lambda: gc.collect() is not None and replaced() is None)


def test_a_change_of_what_is_embedded_keeps_the_rest(explore: Any, rng: Any) -> None:
    explorer = explore(table(rng), nb.HSSNE(**METHOD), color="kind")
    first = explorer.prepare(weights={"width": 2, "length": 0.5}, log="price", missing="mean")
    second = first.prepare(features=["width", "zip"])
    assert (
        second.preparation.get_params()
        == nb.Preparation(
            features=["width", "zip"], weights={"width": 2}, log=[], missing="mean"
        ).get_params()
    )
    back = second.prepare(weights={})
    assert back.preparation.get_feature_names_out().tolist() == ["width", "zip"]
    assert np.ptp(np.std(back.session.X, axis=0)) < 1e-6


def test_columns_to_look_at_stay_so(explore: Any, rng: Any) -> None:
    explorer = explore(table(rng), nb.HSSNE(**METHOD), color="kind")
    other = explorer.prepare(weights={"width": 2})
    assert [c.name for c in other.preparation.columns_ if not c.embedded] == ["zip", "kind"]
    assert other.prepare(weights={}).data_note == explorer.data_note


def test_numbers_as_they_are_are_weighed(explore: Any, rng: Any) -> None:
    frame = table(rng)
    explorer = explore(frame, nb.HSSNE(**METHOD), prepare=None)
    assert explorer.session.X.shape == (N, 4)
    other = explorer.prepare(weights={"zip": 0.5})
    np.testing.assert_allclose(
        other.session.X, frame[["width", "length", "price", "zip"]] * [1, 1, 1, 0.5], rtol=1e-6
    )


def test_maps_of_some_and_of_more_rows_are_prepared_otherwise(explore: Any, rng: Any) -> None:
    frame = table(rng)
    explorer = explore(frame[:36], nb.HSSNE(**METHOD), color="kind")
    part = explorer.map_of(range(20))
    other = part.prepare(weights={"width": 2})
    assert part.children == (other,)
    assert other.n_samples == 20
    more = explorer.add(frame[36:])
    whole = more.prepare(weights={"width": 2})
    assert whole.n_samples == N
    again = nb.Preparation(weights={"width": 2}).fit_transform(frame.drop(columns="kind"))
    np.testing.assert_allclose(whole.session.X, again, rtol=1e-6)
    for made in (other, part, whole, more):
        made.close()


@pytest.mark.parametrize("steps", [0, 5])
def test_methods_without_a_beginning_and_maps_that_have_not_begun(
    explore: Any, rng: Any, steps: int
) -> None:
    explorer = explore(table(rng), nb.spectral.LPP() if steps else nb.HSSNE(**METHOD), steps=steps)
    live = explorer.session.recipe.live_parameters[0]
    explorer.session.set(**{live.name: live.high})
    eventually(lambda: explorer.session.parameters[live.name] == live.high)
    other = explorer.prepare(weights={"width": 2})
    assert other.session.parameters == explorer.session.parameters
    assert getattr(other.session.recipe, "init", "pca") == "pca"
    other.session.wait(timeout=60)
    assert other.session.error is None


def test_what_is_no_table_is_refused(explore: Any, rng: Any) -> None:
    X = rng.normal(size=(30, 3))
    says = "X must be a table whose columns are embedded"
    array = explore(X, steps=0)
    D = explore(np.linalg.norm(X[:, None] - X, axis=-1), nb.HSSNE(metric="precomputed"), steps=0)
    texts = explore(["an apple and a pear", "one dog or a cat"] * 10, steps=0)
    for explorer in (array, D, texts):
        with pytest.raises(ValueError, match=says):
            explorer.prepare(weights={0: 2})
        assert explorer.children == ()
    with Session(X) as session:
        shown = nb.Explorer(session=session, columns=pd.DataFrame({"a": X[:, 0]}))
        with pytest.raises(ValueError, match=f"{says}.*where the map was made of it"):
            shown.prepare(weights={"a": 2})
        shown.close()
    from sklearn.preprocessing import RobustScaler

    own = explore(pd.DataFrame(X, columns=list("abc")), prepare=RobustScaler(), steps=0)
    with pytest.raises(ValueError, match=f"{says}.*prepared by RobustScaler"):
        own.prepare(weights={"a": 2})


@pytest.mark.parametrize(
    ("changes", "error", "said"),
    [
        ({"weights": {"width": 4}}, ValueError, r"weights\['width'\]"),
        ({"weights": [1]}, TypeError, "weights must be a mapping"),
        ({"log": "kind"}, ValueError, "log must name"),
        ({"features": ["depth"]}, ValueError, "features must be columns of X"),
        ({"standardize": "no"}, TypeError, "standardize must be True or False"),
        ({"missing": "drop"}, ValueError, "missing="),
    ],
)
def test_errors_name_the_argument(
    explore: Any, rng: Any, changes: Any, error: Any, said: str
) -> None:
    explorer = explore(table(rng), nb.HSSNE(**METHOD), steps=0)
    with pytest.raises(error, match=said):
        explorer.prepare(**changes)
    assert explorer.children == ()
