"""Comparing maps in an Explorer: commands, traits and answers, and the same from Python."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import nbembed as nb
from nbembed.measures.map_comparison import map_neighbors
from nbembed.widget import Explorer
from nbembed.widget.view import comparison
from nbembed.widget.view.comparison import MOST_THUMBNAILS
from tests.waiting import eventually, is_closed
from tests.widget.test_explorer import Page

N = 40


class Asking(Page):
    """A page that asks."""

    def ask(self, name: str, **arguments: Any) -> tuple[dict[str, Any], list[bytes]]:
        """Return the fields and buffers of an answer; raise ValueError with its error."""
        self.requests += 1
        number = self.requests
        self.say("query", request=number, asker=0, name=name, arguments=arguments)

        def found() -> list[Any]:
            with self.changed:
                return [
                    (m, b)
                    for m, b in self.messages
                    if m["type"] == "answer" and m["request"] == number
                ]

        eventually(lambda: bool(found()))
        [(message, buffers)] = found()
        if message["error"] is not None:
            raise ValueError(message["error"])
        return message["fields"], buffers


@pytest.fixture
def explorer() -> Iterator[Any]:
    X = np.random.default_rng(0).normal(size=(N, 5))
    explorer = Explorer(X, nb.HSSNE(random_state=0), autoplay=False)
    explorer.session.pace = None
    explorer.session.step(60, wait=True)
    yield explorer
    explorer.close()


def take(explorer: Any, name: str) -> None:
    explorer.session.snapshot(name)
    explorer.session.wait()
    eventually(lambda: any(s["name"] == name for s in explorer.snapshots))


def shown(snapshot: str, view: str, by_change: bool) -> dict[str, Any]:
    return {"snapshot": snapshot, "onto": "", "view": view, "by_change": by_change}


def places(fields: dict[str, Any], buffers: list[bytes]) -> np.ndarray:
    assert fields["range"] == []
    return np.frombuffer(buffers[0], "<f4").reshape(-1, 2)


def test_a_page_takes_snapshots_and_goes_back(explorer: Any) -> None:
    page = Asking(explorer)
    assert page.command("snapshot")["ok"]
    assert page.command("snapshot", name="before")["ok"]
    eventually(lambda: len(explorer.snapshots) == 2)
    first, second = explorer.snapshots
    assert (first["name"], second["name"]) == ("snapshot 1", "before")
    assert first["method"] == "HSSNE"
    assert first["parameters"].startswith("α 1, c 1, ρ 0.5")
    assert first["iteration"] == 60
    assert first["cost"] == pytest.approx(explorer.session.cost)
    assert first["quality"] == pytest.approx(explorer.session.quality)
    kept = explorer.embedding
    explorer.session.set(alpha=1.8)
    explorer.session.step(30, wait=True)
    assert page.command("restore", name="before")["ok"]
    explorer.session.wait()
    np.testing.assert_array_equal(explorer.embedding, kept)
    assert "an existing snapshot" in page.command("restore", name="none")["error"]


def test_a_snapshot_is_brought_onto_the_present_map(explorer: Any) -> None:
    take(explorer, "before")
    page = Asking(explorer)
    assert page.command("compare", snapshot="before")["ok"]
    assert explorer.compared == shown("before", "side", False)
    fields, buffers = page.ask("map_beside", snapshot="before")
    np.testing.assert_allclose(places(fields, buffers), explorer.embedding, rtol=1e-4, atol=1e-5)
    assert fields["disparity"] == pytest.approx(0, abs=1e-6)
    assert fields["scale"] == pytest.approx(1)
    fields, buffers = page.ask("map_change", snapshot="before", k=7)
    assert fields == {"k": 7, "mean": 0.0}
    assert buffers == [bytes(N)]
    explorer.session.set(alpha=0.2)
    explorer.session.step(60, wait=True)
    fields, buffers = page.ask("map_change", snapshot="before", k=7)
    found = nb.measures.compare_maps(
        explorer.session.get_snapshot("before").points, explorer.embedding, 7
    )
    assert fields["mean"] == pytest.approx(found.mean_change)
    np.testing.assert_allclose(
        np.frombuffer(buffers[0], np.uint8) / 255, found.change, atol=1 / 255
    )
    assert page.ask("map_change", snapshot="before", k=10**9)[0]["k"] == N - 1


def test_neighbors_of_a_snapshot_are_searched_once(explorer: Any, monkeypatch: Any) -> None:
    take(explorer, "before")
    searched = []

    def search(Y: Any, k: int) -> Any:
        searched.append(k)
        return map_neighbors(Y, k)

    monkeypatch.setattr(comparison, "map_neighbors", search)
    page = Asking(explorer)
    page.ask("map_change", snapshot="before", k=7)
    assert searched == [7, 7]
    explorer.session.step(3, wait=True)
    _, (codes,) = page.ask("map_change", snapshot="before", k=7)
    assert searched == [7, 7, 7]
    kept = explorer.session.get_snapshot("before").points
    change = nb.measures.compare_maps(kept, explorer.embedding, 7).change
    np.testing.assert_array_equal(np.frombuffer(codes, "u1"), np.rint(255 * change))
    page.ask("map_change", snapshot="before", k=5)
    assert searched[3:] == [5, 5]


def test_how_it_is_shown_is_a_trait(explorer: Any) -> None:
    take(explorer, "before")
    page = Asking(explorer)
    refused = page.command("show_comparison", view="blend", by_change=True)
    assert "there is no comparison" in refused["error"]
    page.command("compare", snapshot="before")
    assert page.command("show_comparison", view="blend", by_change=True)["ok"]
    assert explorer.compared == shown("before", "blend", True)
    assert page.command("end_comparison")["ok"]
    assert explorer.compared is None


def test_a_second_live_map_has_the_labels_and_other_parameters(explorer: Any) -> None:
    page = Asking(explorer)
    for name in ("reset_second", "take_over_second"):
        assert "there is no second map" in page.command(name)["error"]
    assert page.command("compare_live", method="HSSNE")["ok"]
    assert page.command("set_second", alpha=1.6)["ok"]
    eventually(lambda: (explorer.second or {}).get("parameters", {}).get("alpha") == 1.6)
    assert explorer.session.parameters["alpha"] == 1.0
    assert page.command("label", [1, 2], **{"class": "a", "confidence": 1.0})["ok"]
    second = explorer._comparison._live().session
    eventually(lambda: second.supervision.labeled.tolist() == [1, 2])
    eventually(lambda: page.ask("map_beside", snapshot="")[0]["iteration"] > 0)
    fields, buffers = page.ask("map_beside", snapshot="")
    Y, Z = places(fields, buffers), explorer.embedding
    np.testing.assert_allclose(Y.mean(axis=0), Z.mean(axis=0), atol=1e-4)
    assert np.std(Y - Y.mean(axis=0)) == pytest.approx(np.std(Z - Z.mean(axis=0)), rel=1e-4)
    assert page.command("take_over_second")["ok"]
    assert explorer.session.parameters["alpha"] == 1.6
    assert page.command("compare_live", method="SNE")["ok"]
    eventually(lambda: explorer.second["method"] == "SNE")
    assert "alpha" in page.command("set_second", alpha=1.0)["error"]
    assert page.command("reset_second")["ok"]
    assert page.command("end_comparison")["ok"]
    assert explorer.second is None
    eventually(lambda: is_closed(second))


def test_the_same_from_python(explorer: Any) -> None:
    take(explorer, "before")
    assert explorer.compare("before", view="blend", by_change=True) is None
    assert explorer.compared == shown("before", "blend", True)
    second = explorer.compare(nb.HSSNE(alpha=0.5, random_state=0))
    assert second.parameters["alpha"] == 0.5
    assert explorer.compared == shown("", "side", False)
    assert explorer.compare("NeRV") is second
    assert second.method_name == "NeRV"
    explorer.compare("before")
    eventually(lambda: is_closed(second))
    assert explorer.second is None
    assert explorer.compare(None) is None
    assert explorer.compared is None


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("lost",), ValueError, r"a snapshot \(none was taken yet\), a method"),
        ((3,), TypeError, "method must be a name, an estimator"),
        (("SNE", "above"), ValueError, "view must be"),
        (("SNE", "side", 1), TypeError, "by_change must be"),
    ],
)
def test_bad_input_is_named(explorer: Any, arguments: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        explorer.compare(
            arguments[0], **dict(zip(("view", "by_change"), arguments[1:], strict=False))
        )
    assert explorer.compared is None
    assert explorer.second is None


def test_a_snapshot_without_layout_is_not_compared() -> None:
    explorer = Explorer(np.random.default_rng(0).normal(size=(N, 3)), autoplay=False)
    explorer.session.snapshot("cold")
    page = Asking(explorer)
    assert "before the map had moved" in page.command("compare", snapshot="cold")["error"]
    with pytest.raises(ValueError, match="before the map had moved"):
        page.ask("map_beside", snapshot="cold")
    with pytest.raises(ValueError, match="there is no second map"):
        page.ask("map_change", snapshot="", k=5)
    fields, buffers = page.ask("thumbnails")
    assert fields == {"names": []}
    assert buffers[1] == b""
    explorer.close()


def test_thumbnails_are_brought_onto_the_present_map(explorer: Any) -> None:
    for name in ("one", "two"):
        explorer.session.snapshot(name)
        explorer.session.step(1, wait=True)
    page = Asking(explorer)
    fields, (points, raw) = page.ask("thumbnails")
    assert fields["names"] == ["one", "two"]
    sample = np.frombuffer(points, "<u4")
    assert sample.tolist() == list(range(N))
    pictures = np.frombuffer(raw, "<u2").reshape(2, N, 2).astype(float)
    assert pictures.min() == 0
    assert pictures.max() == 65535
    present = explorer.embedding - explorer.embedding.mean(axis=0)
    for picture in pictures:
        picture = picture - picture.mean(axis=0)
        cosine = (picture * present).sum() / np.linalg.norm(picture) / np.linalg.norm(present)
        assert cosine > 0.99


def test_only_the_newest_snapshots_have_thumbnails(explorer: Any) -> None:
    for k in range(MOST_THUMBNAILS + 2):
        explorer.session.snapshot(f"number {k}")
    explorer.session.wait()
    fields, (points, raw) = Asking(explorer).ask("thumbnails")
    assert fields["names"][0] == "number 2"
    assert len(fields["names"]) == MOST_THUMBNAILS
    assert len(raw) == MOST_THUMBNAILS * len(points)


def test_many_points_come_as_numbers_of_16_bits() -> None:
    X = np.random.default_rng(0).normal(size=(10_400, 2)).astype(np.float32)
    explorer = Explorer(X, nb.spectral.PCA(), autoplay=False)
    explorer.session.step(1, wait=True)
    explorer.session.snapshot("one")
    fields, buffers = Asking(explorer).ask("map_beside", snapshot="one")
    left, bottom, right, top = fields["range"]
    steps = np.frombuffer(buffers[0], "<u2").reshape(-1, 2)
    found = np.array([left, bottom]) + steps * [(right - left) / 65535, (top - bottom) / 65535]
    np.testing.assert_allclose(found, explorer.embedding, atol=(right - left) / 65535)
    explorer.close()


def test_hostile_names_and_unknown_costs_cross_the_wire() -> None:
    explorer = Explorer(np.random.default_rng(0).normal(size=(N, 3)), autoplay=False)
    take(explorer, "<b>\u202e x" * 30)
    [info] = explorer.snapshots
    assert info["name"].startswith("<b>\u202e")
    assert info["cost"] is None
    assert info["quality"] is None
    assert info["drawn"] is False
    assert math.isnan(explorer.session.get_snapshot(info["name"]).cost)
    explorer.close()


def test_closing_the_explorer_ends_the_second_map(explorer: Any) -> None:
    second = explorer.compare("SNE")
    explorer.close()
    eventually(lambda: is_closed(second))


def two_snapshots(explorer: Any) -> Asking:
    """Take two snapshots and let the map move on; return a page."""
    session = explorer.session
    take(explorer, "first")
    session.set(alpha=1.9)
    session.step(40, wait=True)
    take(explorer, "second")
    session.set(alpha=0.3)
    session.step(40, wait=True)
    return Asking(explorer)


def test_two_snapshots_are_compared(explorer: Any) -> None:
    page = two_snapshots(explorer)
    session = explorer.session
    assert page.command("compare", snapshot="second", onto="first")["ok"]
    assert explorer.compared["onto"] == "first"
    fields, buffers = page.ask("map_beside", snapshot="first", onto="first")
    first = places(fields, buffers)
    assert fields["disparity"] == pytest.approx(0, abs=1e-6)
    fields, buffers = page.ask("map_beside", snapshot="second", onto="first")
    kept = [session.get_snapshot(name).points for name in ("first", "second")]
    found = nb.measures.compare_maps(kept[1], kept[0], 7)
    assert fields["disparity"] == pytest.approx(found.disparity)
    changes, _ = page.ask("map_change", snapshot="second", onto="first", k=7)
    assert changes["mean"] == pytest.approx(found.mean_change)
    assert changes["mean"] != pytest.approx(
        page.ask("map_change", snapshot="second", k=7)[0]["mean"]
    )
    session.step(30, wait=True)  # the first one stays where it is
    fields, buffers = page.ask("map_beside", snapshot="first", onto="first")
    np.testing.assert_array_equal(places(fields, buffers), first)


def test_comparisons_follow_names(explorer: Any) -> None:
    page = two_snapshots(explorer)
    explorer.compare("second", onto="first")
    assert page.command("rename_snapshot", old="second", new="b")["ok"]
    eventually(lambda: explorer.compared["snapshot"] == "b")
    assert page.command("rename_snapshot", old="first", new="second")["ok"]
    eventually(lambda: explorer.compared["onto"] == "second")
    assert page.command("delete_snapshot", name="second")["ok"]
    eventually(lambda: explorer.compared["onto"] == "")
    assert explorer.compared["snapshot"] == "b"
    explorer.session.delete_snapshot("b")
    eventually(lambda: explorer.compared is None)
    assert page.command("undo")["ok"]
    eventually(lambda: [each["name"] for each in explorer.snapshots] == ["b"])


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"other": "first", "onto": "first"}, ValueError, "onto must differ from other"),
        ({"other": "first", "onto": "lost"}, ValueError, "must be an existing snapshot"),
        ({"other": "first", "onto": 3}, TypeError, "onto must be the name of a snapshot or None"),
        ({"other": "SNE", "onto": "first"}, ValueError, "onto must be None unless other is a snap"),
        ({"other": None, "onto": "first"}, ValueError, "onto must be None unless other is a snap"),
    ],
)
def test_bad_pairs_are_refused(
    explorer: Any, arguments: dict[str, Any], error: type[Exception], message: str
) -> None:
    take(explorer, "first")
    with pytest.raises(error, match=message):
        explorer.compare(**arguments)
    assert explorer.compared is None


def test_a_snapshot_without_a_layout_is_not_compared_with() -> None:
    explorer: Any = Explorer(np.random.default_rng(0).normal(size=(N, 5)), autoplay=False)
    explorer.session.snapshot("cold")
    explorer.session.step(3, wait=True)
    take(explorer, "warm")
    with pytest.raises(ValueError, match="onto must have a layout"):
        explorer.compare("warm", onto="cold")
    explorer.close()
