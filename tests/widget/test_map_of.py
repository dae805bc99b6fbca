"""A map of some points of an Explorer: its data, its labels, and what is not shared."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pandas as pd
import pytest

import nbembed as nb
from nbembed.widget.host.lifetime import WATCH
from tests.waiting import eventually
from tests.widget.test_explorer import Page

POINTS = [3, 5, 8, 13, 21, 34]


def table(rng: Any) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "width": rng.normal(size=40),
            "length": rng.normal(size=40),
            "depth": rng.normal(size=40),
            "kind": ["round", "square"] * 20,
        },
        index=[f"Stone {chr(65 + k)}{'x' * k}" for k in range(40)],
    )


def test_what_is_known_of_the_points_comes_along(explore: Any, rng: Any) -> None:
    frame = table(rng)
    images = rng.integers(0, 255, size=(40, 4, 4)).astype(np.uint8)
    explorer = explore(frame, nb.HSSNE(perplexity=12, random_state=0), color="kind", images=images)
    part = explorer.map_of(POINTS)
    np.testing.assert_array_equal(part.session.X, explorer.session.X[POINTS])
    assert part.preparation is explorer.preparation
    assert part.session.recipe.perplexity == "auto"
    assert part.session.parameters["alpha"] == explorer.session.parameters["alpha"]
    assert part.data_note.startswith("6 points of 40. 3 of 4 columns are embedded")
    assert part.to_frame().index.tolist() == frame.index[POINTS].tolist()
    assert part.color_column == explorer.color_column
    assert part._points.rows(2) == explorer._points.rows(POINTS[2])
    assert part._points.image(4) == explorer._points.image(POINTS[4])
    assert part._points.name(1) == frame.index[5]
    assert all(name in repr(part.describe([0, 1])) for name in ("width", "length", "depth"))
    assert part.find(where={"kind": "round"}).tolist() == [2, 5]
    part.close()


def test_labels_are_in_the_table_of_both(explore: Any, rng: Any) -> None:
    explorer = explore(table(rng), nb.HSSNE(random_state=0))
    explorer.session.label([3], "old")
    explorer.select(POINTS)
    part = explorer.map_of()
    assert part.labels == ["old", None, None, None, None, None]
    part.session.label([1, 2], "new")
    eventually(lambda: explorer.labels[8] == "new")
    assert explorer.to_frame()["label"].dropna().to_dict() == {
        explorer._points.name(k): name for k, name in ((3, "old"), (5, "new"), (8, "new"))
    }
    explorer.session.label([34], "other")
    eventually(lambda: part.labels[5] == "other")
    part.close()
    explorer.session.label([13], "later")
    assert part.labels[3] is None


def test_distances_are_those_among_the_points(explore: Any, rng: Any) -> None:
    X = rng.normal(size=(30, 4))
    D = np.sqrt(((X[:, None] - X) ** 2).sum(axis=-1))
    explorer = explore(D, nb.HSSNE(metric="precomputed", random_state=0))
    part = explorer.map_of(range(10))
    np.testing.assert_allclose(part.session.X, D[:10, :10], atol=1e-6)
    part.close()


@pytest.mark.parametrize("points", [[], [1, 2], [0, 99]])
def test_points_must_be_some_of_the_map(explore: Any, rng: Any, points: list[int]) -> None:
    explorer = explore(rng.normal(size=(20, 3)))
    with pytest.raises(ValueError, match="points"):
        explorer.map_of(points)


def test_it_ends_when_nobody_looks_at_it(explore: Any, rng: Any) -> None:
    explorer = explore(rng.normal(size=(20, 3)))
    part = explorer.map_of(range(8))
    session = weakref.ref(part.session)
    part.close()
    # A thread that answers or writes may refer to the session for a moment.
    eventually(lambda ended=part: ended.session.state != "running")
    del part
    gc.collect()
    eventually(lambda: gc.collect() is not None and session() is None)


def test_a_page_makes_and_closes_maps_that_the_explorer_holds(explore: Any, rng: Any) -> None:
    explorer = explore(rng.normal(size=(40, 3)))
    page = Page(explorer)
    assert page.command("map_of", [1, 2, 3])["error"].startswith("points must be at least 4")
    assert explorer.children == ()
    assert page.command("map_of", POINTS)["ok"]
    assert page.command("map_of", range(20))["ok"]
    first, second = explorer.children
    assert [each["name"] for each in explorer.child_maps] == ["6 points", "20 points"]
    first.session.label([0], "new")
    eventually(lambda: explorer.labels[3] == "new")
    assert page.command("close_map", widget=explorer.child_maps[1]["widget"])["ok"]
    assert explorer.children == (first,)
    second.close()
    first.close()
    assert explorer.children == ()
    assert explorer.child_maps == []


def test_a_map_of_a_page_ends_with_its_explorer_unless_it_is_needed(explore: Any, rng: Any) -> None:
    explorer = explore(rng.normal(size=(40, 3)))
    page = Page(explorer)
    page.command("map_of", POINTS)
    page.command("map_of", range(20))
    kept, other = explorer.children[0], weakref.ref(explorer.children[1])
    names = {"kept": kept}  # as a variable of a notebook
    WATCH.look()
    assert explorer.children == (kept, other())
    explorer.close()

    def ended() -> bool:
        WATCH.look()  # a thread that sends a frame may refer to it for a moment
        left = other()
        return left is None or left._closed

    eventually(ended)
    assert not names["kept"]._closed
    kept.close()
