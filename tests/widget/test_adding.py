"""New rows on a live map: where they are placed, and what comes along to the map of all rows."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import nbembed as nb
from nbembed.session import Session
from tests.waiting import eventually

METHOD = {"perplexity": 5, "random_state": 0}


@pytest.fixture
def explore(explore: Any) -> Any:
    """Return a function that makes Explorers whose maps have moved."""
    return partial(explore, steps=30)


def blobs(rng: Any, n: int) -> Any:
    return rng.normal(size=(n, 4)) + 8.0 * (np.arange(n) % 3)[:, None]


def table(rng: Any, n: int) -> pd.DataFrame:
    X = blobs(rng, n)
    frame = pd.DataFrame({"width": X[:, 0], "length": X[:, 1], "kind": ["a", "b", "c"] * (n // 3)})
    frame.index = [f"Stone {'abcdefghijklmnop'[k % 16]}{'x' * k}" for k in range(n)]
    return frame


def start_of(more: nb.Explorer) -> Any:
    return more.session.recipe.init


def marked(explorer: nb.Explorer) -> list[int]:
    found: list[int] = np.frombuffer(explorer.new_rows, dtype="<u4").tolist()
    return found


@pytest.mark.parametrize(
    "method",
    [nb.HSSNE(**METHOD), nb.SNE(**METHOD), nb.NeRV(**METHOD), nb.Mbed(n_classes=3, random_state=0)],
    ids=lambda method: type(method).__name__,
)
def test_rows_are_placed_by_their_neighbors(explore: Any, rng: Any, method: Any) -> None:
    X = blobs(rng, 72)
    explorer = explore(X[:60], method, steps=200)
    more = explorer.add(X[60:])
    start = start_of(more)
    np.testing.assert_array_equal(start[:60], explorer.embedding)
    centers = np.array([start[:60][k::3].mean(axis=0) for k in range(3)])
    distances = np.linalg.norm(start[60:, None] - centers, axis=-1)
    assert distances.argmin(axis=1).tolist() == [k % 3 for k in range(12)]
    np.testing.assert_array_equal(more.session.X, X)
    more.session.wait(timeout=60)
    assert more.session.error is None


def test_it_is_the_transform_of_the_estimator(explore: Any, rng: Any) -> None:
    X = blobs(rng, 48)
    explorer = explore(X[:42], nb.HSSNE(**METHOD), steps=0)
    explorer.session.play()
    assert explorer.session.wait("converged", timeout=60)
    start = start_of(explorer.add(X[42:]))
    fitted = nb.HSSNE(**METHOD, init=start[:42], max_iter=1, tol=1e3).fit(X[:42])
    fitted.embedding_ = explorer.embedding
    np.testing.assert_allclose(start[42:], fitted.transform(X[42:]), rtol=1e-5)


def test_what_was_said_comes_along_and_is_shared(explore: Any, rng: Any) -> None:
    X = blobs(rng, 36)
    explorer = explore(X[:30], nb.HSSNE(**METHOD, alpha=1.2))
    session = explorer.session
    session.label([0, 3], "first")
    session.must_link([1, 4])
    session.cannot_link([0], [2])
    session.pin([5])
    session.set(alpha=1.5)
    session.save_selection("odd", [1, 3])
    session.wait(timeout=60)
    more = explorer.add(X[30:])
    now = more.supervision
    assert more.labels == [*explorer.labels, *[None] * 6]
    assert [group.tolist() for group in now.links] == [[1, 4]]
    assert len(now.cannot_links) == 1
    assert now.pinned.tolist() == [5]
    assert more.session.parameters["alpha"] == 1.5
    assert more.session.selections["odd"].tolist() == [1, 3]
    assert more.session.selections["new rows"].tolist() == list(range(30, 36))
    assert more.selection.tolist() == list(range(30, 36))
    more.session.label([7, 30], "second")
    eventually(lambda: explorer.labels[7] == "second")
    session.undo()
    eventually(lambda: more.labels[7] is None)
    more.close()
    assert explorer.children == ()
    assert explorer.labels[0] == "first"


def test_new_rows_are_marked_as_long_as_they_are_saved(
    explore: Any, rng: Any, tmp_path: Any
) -> None:
    X = blobs(rng, 42)
    explorer = explore(X[:30], nb.HSSNE(**METHOD))
    assert marked(explorer) == []
    more = explorer.add(X[30:36])
    eventually(lambda: marked(more) == list(range(30, 36)))
    more.selection = [0]
    assert marked(more) == list(range(30, 36))
    more.session.wait(timeout=60)
    more.session.save(tmp_path / "all.nbe")
    again = nb.Explorer(session=nb.load_session(tmp_path / "all.nbe"))
    assert marked(again) == list(range(30, 36))
    again.close()
    latest = more.add(X[36:])
    eventually(lambda: marked(latest) == list(range(36, 42)))
    latest.close()
    more.session.delete_selection("new rows")
    eventually(lambda: marked(more) == [])


def test_a_table_goes_on(explore: Any, rng: Any) -> None:
    frame = table(rng, 42)
    images = rng.integers(0, 255, size=(36, 4, 4)).astype(np.uint8)
    explorer = explore(frame[:36], nb.HSSNE(**METHOD), color="kind", images=images)
    new = frame[36:].drop(columns="kind").assign(other=1)[["other", "length", "width"]]
    more = explorer.add(new)
    assert more.to_frame().index.tolist() == frame.index.tolist()
    np.testing.assert_allclose(
        more.session.X[36:], explorer.preparation.transform(frame[36:]), rtol=1e-6
    )
    assert more.color_column == explorer.color_column
    assert more._points.rows(0) == explorer._points.rows(0)
    assert dict(more._points.rows(36))["kind"] == ""
    assert more._points.image(3) == explorer._points.image(3)
    assert more._points.image(40) is None
    whole = explorer.add(frame[36:])
    assert whole.find(where={"kind": "a"}).tolist() == list(range(0, 42, 3))


def test_sparse_rows_and_chunks(explore: Any, rng: Any) -> None:
    X = sparse.random_array((60, 20), density=0.5, format="csr", rng=rng)
    explorer = explore(X[:40], nb.HSSNE(**METHOD), prepare=None)
    at_once = explorer.add(X[40:])
    by_chunks = explorer.add(X[k : k + 7] for k in range(40, 60, 7))
    np.testing.assert_array_equal(start_of(at_once), start_of(by_chunks))
    assert (by_chunks.session.X != X).nnz == 0


def test_texts_have_theirs_on_cards(explore: Any) -> None:
    texts = [f"{a} {b}" for a in ("apple pear", "dog cat", "sun moon") for b in "rgbywk"]
    more = explore(texts, nb.HSSNE(**METHOD)).add(["apple dog g"])
    assert more._points.rows(len(texts)) == [("text", "apple dog g")]
    assert more._points.rows(1) == [("text", "apple pear g")]


def test_dask_chunks(explore: Any, rng: Any) -> None:
    da = pytest.importorskip("dask.array")
    X = blobs(rng, 48)
    explorer = explore(X[:30], nb.HSSNE(**METHOD))
    more = explorer.add(da.from_array(X[30:], chunks=(5, 2)))
    np.testing.assert_array_equal(more.session.X, X)


def test_a_file_keeps_the_map_of_all(explore: Any, rng: Any, tmp_path: Any) -> None:
    X = blobs(rng, 36)
    more = explore(X[:30], nb.HSSNE(**METHOD)).add(X[30:])
    more.session.wait(timeout=60)
    more.session.save(tmp_path / "all.nbe")
    again = nb.load_session(tmp_path / "all.nbe")
    np.testing.assert_array_equal(again.embedding, more.embedding)
    np.testing.assert_array_equal(again.selections["new rows"], np.arange(30, 36))
    np.testing.assert_array_equal(again.replayed().embedding, more.embedding)
    # From the file, whose map has not moved since, rows can be added, too.
    explorer = nb.Explorer(session=again)
    np.testing.assert_array_equal(start_of(explorer.add(X[:1]))[-1], again.embedding[0])
    explorer.children[0].close()


def test_rows_must_be_like_those_of_the_map(explore: Any, rng: Any) -> None:
    X = blobs(rng, 30)
    explorer = explore(X, nb.HSSNE(**METHOD))
    with pytest.raises(ValueError, match=r"X .*3 features.*4"):
        explorer.add(X[:2, :3])
    with pytest.raises(ValueError, match="X must"):
        explorer.add(np.full((2, 4), np.nan))
    with pytest.raises(ValueError, match="X must have at least one row"):
        explorer.add(iter(()))
    of_table = explore(table(rng, 30), nb.HSSNE(**METHOD), color="kind")
    with pytest.raises(ValueError, match=r"X must have the columns that are embedded.*length"):
        of_table.add(pd.DataFrame({"width": [1.0]}))
    assert explorer.children == of_table.children == ()


def test_methods_and_maps_that_place_none_say_so(explore: Any, rng: Any) -> None:
    X = blobs(rng, 30)
    with pytest.raises(ValueError, match="there is no map yet"):
        explore(X, nb.HSSNE(**METHOD), steps=0).add(X[:1])
    D = np.linalg.norm(X[:, None] - X, axis=-1)
    with pytest.raises(ValueError, match='metric must not be "precomputed"'):
        explore(D, nb.HSSNE(**METHOD, metric="precomputed")).add(D[:1])
    with pytest.raises(ValueError, match="method must be able to place new rows"):
        explore(X, nb.spectral.LPP()).add(X[:1])


def test_a_session_that_is_shown_takes_rows_as_its_data_are(rng: Any) -> None:
    X = blobs(rng, 36)
    with Session(X[:30], nb.HSSNE(**METHOD)) as session:
        session.step(20, wait=True)
        more = nb.Explorer(session=session).add(X[30:])
        np.testing.assert_array_equal(more.session.X, X)
        more.close()


def test_maps_of_some_and_other_maps_begin_anew(explore: Any, rng: Any) -> None:
    X = blobs(rng, 48)
    explorer = explore(X[:42], nb.HSSNE(**METHOD))
    more = explorer.add(X[42:])
    more.session.pause()
    part = more.map_of(range(20))
    assert part.session.recipe.init == "pca"
    part.close()
    maps = more.why.resampled(timeout=60)
    assert maps is not None
    assert {one.shape for one in maps} == {(48, 2)}
