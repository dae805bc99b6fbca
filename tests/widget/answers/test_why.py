"""What a page is answered about why points lie where they do."""

from __future__ import annotations

import gc
import time
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import nbembed as nb
from nbembed.session.readings import point_measures
from nbembed.session.readings.why import Why
from nbembed.widget import Explorer
from nbembed.widget.answers import why_source
from nbembed.widget.wire import queries
from tests.waiting import GUARD, eventually
from tests.widget.test_explorer import Page

X = np.random.default_rng(0).normal(size=(60, 4))


class Asker(Page):
    """A page that asks."""

    def ask(
        self, name: str, points: Any = None, **arguments: Any
    ) -> tuple[dict[str, Any], list[Any]]:
        """Return the answer: its fields with its error, and its buffers as arrays."""
        self.requests += 1
        content = {
            "type": "query", "client": self.client, "request": self.requests, "asker": 0,
            "name": name, "arguments": arguments,
        }  # fmt: skip
        sets = [] if points is None else [np.asarray(points, "<u4").tobytes()]
        self.explorer._receive(None, content, sets)

        def answer() -> tuple[dict[str, Any], list[bytes]] | None:
            return next(
                (
                    (m, b)
                    for m, b in self.messages
                    if m["type"] == "answer" and m["request"] == self.requests
                ),
                None,
            )

        with self.changed:
            assert self.changed.wait_for(lambda: answer() is not None, GUARD)
        found = answer()
        assert found is not None
        message, buffers = found
        forms = [b.type.dtype for b in queries.QUERIES[name].buffers]
        arrays = [np.frombuffer(raw, form) for raw, form in zip(buffers, forms)]
        return {**message["fields"], "error": message["error"]}, arrays

    def until(self, name: str, ready: Callable[[dict[str, Any]], bool], **arguments: Any) -> Any:
        """Ask again until an answer is ready."""
        deadline = time.monotonic() + GUARD
        while time.monotonic() < deadline:
            found = self.ask(name, **arguments)
            if found[0]["error"] or ready(found[0]):
                return found
            time.sleep(0.02)
        raise AssertionError(f"{name} never was ready")


@pytest.fixture
def explorer() -> Iterator[Any]:
    explorer = Explorer(X, nb.HSSNE(random_state=0, n_jobs=1), autoplay=False)
    explorer.session.pace = None
    explorer.session.label([0, 1, 2], "a")
    explorer.session.step(30, wait=True)
    yield explorer
    explorer.close()


@pytest.fixture
def page(explorer: Any) -> Asker:
    return Asker(explorer)


def test_a_page_is_told_of_a_neighborhood(explorer: Any, page: Asker) -> None:
    fields, arrays = page.ask("neighborhood", point=7, k=5)
    near = explorer.why.neighborhood(7, 5)
    assert fields["error"] is None
    assert (fields["point"], fields["k"]) == (7, 5)
    assert fields["version"] == explorer.session.frame().version
    assert fields["trustworthiness"] == near.trustworthiness
    for told, known in zip(
        arrays, (near.kept, near.missing, near.false, near.missing_ranks, near.false_ranks)
    ):
        np.testing.assert_array_equal(told, known)
    assert page.ask("neighborhood", point=60, k=5)[0]["error"] == (
        "point must be in [0, 60), got 60"
    )
    assert page.ask("neighborhood", point=0, k=40)[0]["trustworthiness"] is None


def test_a_page_is_told_of_forces_on_its_plane(explorer: Any, page: Asker) -> None:
    fields, _ = page.ask("forces", point=1)
    forces = explorer.why.forces(1)
    assert [t["name"] for t in fields["terms"]] == [f.name for f in forces.terms]
    assert fields["equation"] == forces.equation
    assert fields["cost"] == pytest.approx(forces.cost)
    for told, known in zip(fields["terms"], forces.terms):
        np.testing.assert_allclose(told["force"], known.vector)
        assert told["length"] == pytest.approx(np.linalg.norm(known.vector))
    np.testing.assert_allclose(fields["total"], forces.total)


@pytest.mark.parametrize("query", ["neighborhood", "forces"])
def test_an_answer_is_of_the_layout_that_it_names(
    explorer: Any, page: Asker, query: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    session, read, seen = explorer.session, Why.seen, []

    def moving(why: Why) -> Any:
        seen.append(read(why))
        session.step(1, wait=True)  # the map goes on as soon as it was looked at
        return seen[-1]

    monkeypatch.setattr(Why, "seen", moving)
    fields, _ = page.ask(query, point=1, **({"k": 5} if query == "neighborhood" else {}))
    assert [fields["version"]] == [frame.version for frame in seen]


def test_forces_of_a_map_in_space_are_projected(page: Asker) -> None:
    explorer = Explorer(X, nb.HSSNE(n_components=3, random_state=0, n_jobs=1), autoplay=False)
    try:
        explorer.session.step(5, wait=True)
        asker = Asker(explorer)
        explorer._artist.draw(explorer.session.frame())
        vector = explorer.why.forces(1).terms[1].vector

        def projected() -> bool:  # the sender may still draw the steps, which turns the basis
            shown = asker.ask("forces", point=1)[0]["terms"][1]["force"]
            basis = explorer._artist._projection.basis
            return np.allclose(shown, vector @ basis, rtol=1e-7, atol=1e-12)

        eventually(projected)
    finally:
        explorer.close()


def test_a_measure_colors_by_its_name(explorer: Any, page: Asker) -> None:
    assert page.command("color_by", mode="stress")["ok"]
    assert explorer.color_by == "stress"
    explorer.color_by = "trustworthiness"
    fields, (values,) = page.ask("measure", measure="trustworthiness", k=5)
    np.testing.assert_allclose(values, explorer.why.measure("trustworthiness", 5), rtol=1e-6)
    assert fields["ready"] is True
    assert fields["mean"] == pytest.approx(values.mean(), rel=1e-6)
    error = page.ask("measure", measure="trustworthiness", k=30)[0]["error"]
    assert error == "k must be below half of the 60 points, got 30"


def test_measures_of_many_points_come_later(
    explorer: Any, page: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(why_source, "MANY", 10)
    for name in point_measures.MEASURES:
        fields, (values,) = page.until("measure", lambda f: bool(f["ready"]), measure=name, k=5)
        assert fields["error"] is None
        np.testing.assert_allclose(values, explorer.why.measure(name, 5), rtol=1e-5, atol=1e-7)
    found, _ = page.until("unsupervised", lambda f: bool(f["ready"]), k=5)
    assert len(found["qualities"]) == 4


def test_what_goes_wrong_with_a_measure_is_said(
    explorer: Any, page: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(why_source, "MANY", 10)
    monkeypatch.setattr(explorer.why._measures, "measured", lambda *_: 1 / 0)
    fields, _ = page.until("measure", lambda f: False, measure="stress", k=5)
    assert fields["error"] == "division by zero"


def test_stability_comes_once_other_maps_are_made(explorer: Any, page: Asker) -> None:
    fields, (values,) = page.until("measure", lambda f: bool(f["ready"]), measure="stability", k=5)
    assert (fields["made"], fields["of"]) == (5, 5)
    expected = explorer.why.measure("stability", 5)
    np.testing.assert_allclose(values, expected, rtol=1e-5, atol=1e-7)
    assert fields["mean"] == pytest.approx(np.nanmean(expected))


def test_a_page_is_told_in_how_many_other_maps_a_group_is_together(
    explorer: Any, page: Asker
) -> None:
    group = range(20)
    found, _ = page.until("recurrence", lambda f: bool(f["ready"]), points=group)
    together = explorer.why.recurrence(group, timeout=GUARD)
    assert (found["together"], found["of"]) == (np.count_nonzero(together), len(together))
    fields, _ = page.ask("recurrence", points=range(60))
    assert fields["error"] == "points must be at least 2 and fewer than all 60, got 60"


def test_other_maps_that_a_page_cancels_end(explorer: Any, page: Asker) -> None:
    page.ask("recurrence", points=range(20))
    assert page.command("cancel", what="stability")["ok"]
    eventually(lambda: not explorer.why.other_maps.task.busy)


def test_a_page_is_shown_the_map_without_labels(explorer: Any, page: Asker) -> None:
    fields, (places,) = page.until("unsupervised", lambda f: bool(f["ready"]), k=5)
    other = explorer.why.unsupervised(timeout=GUARD)
    assert fields["iteration"] == other.iteration
    known = explorer.why.qualities(5)
    assert {q["name"]: q["here"] for q in fields["qualities"]} == {
        name: pytest.approx(q.here) for name, q in known.items()
    }
    # It is laid on the present map.
    here, there = explorer.embedding, places.reshape(-1, 2)
    np.testing.assert_allclose(there.mean(axis=0), here.mean(axis=0), atol=1e-4)


def test_python_and_the_page_show_what_is_explained(explorer: Any, page: Asker) -> None:
    assert explorer.explained is None
    explorer.explained = np.int64(3)
    assert explorer.explained == 3
    assert explorer.get_state("explained") == {"explained": 3}
    explorer.explained = None
    assert explorer.get_state("explained") == {"explained": -1}
    assert page.command("show_unsupervised", shown=True)["ok"]
    assert explorer.unsupervised_shown is True


@pytest.mark.parametrize("wrong", [60, -1, 1.0, True, "3", [3]])
def test_only_a_point_of_the_map_is_explained(explorer: Any, wrong: Any) -> None:
    with pytest.raises(ValueError, match="explained must be"):
        explorer.explained = wrong
    assert explorer.explained is None


def test_making_it_can_be_given_up(explorer: Any, page: Asker) -> None:
    page.ask("unsupervised", k=5)
    assert page.command("cancel", what="unsupervised")["ok"]


def test_before_there_is_a_map_the_page_is_told_so() -> None:
    explorer = Explorer(X, nb.HSSNE(random_state=0), autoplay=False)
    try:
        fields, _ = Asker(explorer).ask("forces", point=1)
        assert "there is no map yet" in fields["error"]
    finally:
        explorer.close()


def test_looking_keeps_no_explorer_alive() -> None:
    explorer = Explorer(X, nb.HSSNE(random_state=0, n_jobs=1), autoplay=False)
    explorer.session.step(2, wait=True)
    session = explorer.session
    assert explorer.why.unsupervised(timeout=GUARD) is not None
    page = Asker(explorer)
    page.ask("forces", point=0)
    gone = weakref.ref(session)
    explorer.close()
    del session, explorer, page
    gc.collect()
    assert gone() is None
