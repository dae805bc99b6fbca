"""The whole path by hand: watch a map form, drag α, lasso a cluster, name it, see it answer."""

from __future__ import annotations

import math

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenCells, OpenFile
from tests.browser.lab import CHECKOUT, Notebook
from tests.browser.places import still

DATA = """
import numpy as np
from sklearn.datasets import load_digits
import nbembed as nb
X, truth = load_digits(return_X_y=True)
X, truth = X[:800], truth[:800]
"""
SHOW = "explorer = nb.Explorer(X, nb.HSSNE(random_state=0), color=truth); explorer"


class Hand:
    """A person at the Explorer in a notebook: finds things by role and name, and uses the mouse."""

    def __init__(self, notebook: Notebook, view: int = 0) -> None:
        self.notebook = notebook
        self.page = notebook.page
        self.widget = self.page.get_by_role("group", name="Embedding explorer").nth(view)
        self.map = self.widget.get_by_role("application", name="Map")

    def press(self, name: str) -> None:
        self.widget.get_by_role("button", name=name, exact=True).click()

    def settle(self, *states: str) -> np.ndarray:
        """Wait until the map rests, by default converged; return its layout."""
        allowed = states or ("converged",)
        self.notebook.wait_for("explorer.session.state", lambda s: s in allowed, timeout=120)
        return self.layout()

    def layout(self) -> np.ndarray:
        return np.array(self.notebook.evaluate("explorer.embedding.tolist()"))

    def on_screen(self) -> np.ndarray:
        """Return where each point is drawn once the whole map is in view, in page pixels."""
        self.press("Fit view")
        return self.still()

    def still(self) -> np.ndarray:
        """Return where each point is drawn once a map at rest is, in page pixels."""
        version = self.notebook.evaluate("explorer.session.frame().version")
        expect(self.widget).to_have_attribute("data-version", str(version))
        return still(self.map)

    def lasso(self, around: np.ndarray, radius: float, modifier: str | None = None) -> None:
        """Draw a circle with the mouse."""
        self.press("Lasso")
        turns = np.linspace(0, 2 * math.pi, 36)
        ring = around + radius * np.c_[np.cos(turns), np.sin(turns)]
        if modifier:
            self.page.keyboard.down(modifier)
        self.page.mouse.move(*ring[0])
        self.page.mouse.down()
        for x, y in ring[1:]:
            self.page.mouse.move(x, y)
        self.page.mouse.up()
        if modifier:
            self.page.keyboard.up(modifier)

    def drag_slider(self, name: str, to: float) -> None:
        """Drag a slider's thumb to a share of its length."""
        slider = self.widget.get_by_role("slider", name=name, exact=True)
        slider.scroll_into_view_if_needed()
        box = slider.bounding_box()
        low, high, now = (
            float(slider.evaluate(f"e => +e.{what}")) for what in ("min", "max", "value")
        )
        y = box["y"] + box["height"] / 2
        thumb = 8  # half a thumb's width is left at either end
        length = box["width"] - 2 * thumb
        self.page.mouse.move(box["x"] + thumb + length * (now - low) / (high - low), y)
        self.page.mouse.down()
        self.page.mouse.move(box["x"] + thumb + length * to, y, steps=12)
        self.page.mouse.up()


@pytest.fixture
def hand(open_cells: OpenCells) -> Hand:
    notebook = open_cells(DATA, SHOW, shared=True)
    notebook.run_all()
    # Whoever uses the mouse has the widget in view.
    hand = Hand(notebook)
    hand.map.scroll_into_view_if_needed()
    hand.settle()
    return hand


def clustered(hand: Hand) -> tuple[np.ndarray, float, np.ndarray]:
    """Return the middle and radius on screen of the densest patch of points, and its members."""
    places = hand.on_screen()
    apart = np.linalg.norm(places[:, None] - places[None], axis=2)
    radius = 0.09 * np.ptp(places, axis=0).max()
    middle = places[(apart < radius).sum(axis=1).argmax()]
    members = np.flatnonzero(np.linalg.norm(places - middle, axis=1) < radius)
    return middle, radius, members


def spread(Y: np.ndarray, members: np.ndarray) -> float:
    """Return the size of a group in units of the map's."""
    return float(np.sqrt(Y[members].var(axis=0).sum() / Y.var(axis=0).sum()))


def test_the_quickstart_runs_from_top_to_bottom(open_file: OpenFile) -> None:
    notebook = open_file(CHECKOUT / "notebooks" / "quickstart.ipynb")
    notebook.run_all()
    hand = Hand(notebook)
    hand.map.scroll_into_view_if_needed()
    for name in notebook.evaluate("list(explorer.supervision.classes)"):
        hand.widget.get_by_role("radio", name=name, exact=True).wait_for(state="attached")
    box = hand.map.bounding_box()
    middle = np.array([box["x"] + box["width"] / 2, box["y"] + box["height"] / 2])
    hand.lasso(middle, 100)
    selected = notebook.wait_for("explorer.selection.tolist()")
    assert 0 < len(selected) < 1797
    assert notebook.errors == []


def tightness(Y: np.ndarray) -> float:
    """Return the median distance of a point to its fifth neighbor, in extents of the map."""
    nearest = np.sort(np.linalg.norm(Y[:, None] - Y, axis=2), axis=1)[:, 5]
    return float(np.median(nearest) / np.ptp(Y))


def test_dragging_alpha_moves_the_map_and_the_cost_settles(hand: Hand) -> None:
    before = hand.layout()
    hand.drag_slider("α", to=0.7)
    wanted = pytest.approx(0.7 * 3, abs=0.15)
    hand.notebook.wait_for("explorer.session.parameters['alpha']", lambda alpha: alpha == wanted)
    after = hand.settle()
    assert tightness(after) < 0.5 * tightness(before), "heavier tails draw clusters together"
    costs = hand.notebook.evaluate(
        "[r.cost for r in explorer.session.trace if r.cost == r.cost][-5:]"
    )
    assert max(costs) - min(costs) < 0.02 * abs(costs[-1])
    assert hand.notebook.errors == []


def test_a_lassoed_cluster_is_named_and_gathers(hand: Hand) -> None:
    middle, radius, members = clustered(hand)
    hand.lasso(middle, radius)
    selected = hand.notebook.wait_for("explorer.selection.tolist()")
    assert len(set(members) & set(selected)) >= 0.9 * len(set(members) | set(selected))

    before = hand.layout()
    hand.press("Add class")
    hand.page.keyboard.type("mine")
    hand.page.keyboard.press("Enter")
    hand.widget.get_by_role("button", name="Label selection").click()
    labels = hand.notebook.wait_for("explorer.labels", lambda found: "mine" in found)
    assert [i for i, name in enumerate(labels) if name == "mine"] == selected
    after = hand.settle()
    assert spread(after, np.array(selected)) < spread(before, np.array(selected))

    hand.press("Undo")
    hand.notebook.wait_for("explorer.labels", lambda found: "mine" not in found)
    hand.press("Redo")
    hand.notebook.wait_for("explorer.labels", lambda found: "mine" in found)
    assert hand.notebook.errors == []


def test_groups_are_named_as_they_are_drawn(hand: Hand) -> None:
    notebook = hand.notebook
    middle, radius, _ = clustered(hand)
    hand.lasso(middle, radius)
    field = hand.widget.get_by_role("combobox", name="Class of the selection")
    expect(field).to_be_focused()
    chosen = notebook.wait_for("explorer.selection.tolist()")
    hand.page.keyboard.type("seven and like it")
    hand.page.keyboard.press("Enter")
    labels = notebook.wait_for(
        "explorer.labels", lambda found: found.count("seven and like it") == len(chosen)
    )
    assert [i for i, name in enumerate(labels) if name] == chosen
    notebook.wait_for("len(explorer.selection)", lambda n: n == 0)
    # No letter was a shortcut, neither the Explorer's nor JupyterLab's.
    said = "[e.command for e in explorer.session.log if e.command not in ('play', 'rest')]"
    assert notebook.evaluate(said) == ["start", "label"]
    hand.page.keyboard.press("Control+z")
    notebook.wait_for("explorer.selection.tolist()", lambda points: points == chosen)
    assert notebook.errors == []


def test_shift_adds_and_alt_subtracts(hand: Hand) -> None:
    places = hand.on_screen()
    middle, radius, _ = clustered(hand)
    hand.lasso(middle, radius)
    first = set(hand.notebook.wait_for("explorer.selection.tolist()"))
    far = places[np.linalg.norm(places - middle, axis=1).argmax()]
    hand.lasso(far, 20, "Shift")
    both = set(hand.notebook.wait_for("explorer.selection.tolist()", lambda s: set(s) != first))
    assert first < both
    hand.lasso(middle, radius, "Alt")
    rest = set(hand.notebook.wait_for("explorer.selection.tolist()", lambda s: set(s) != both))
    assert rest == both - first


def test_must_link_draws_points_together(hand: Hand) -> None:
    # Sevens from all over: linked, they must come together.
    hand.notebook.execute("explorer.selection = np.flatnonzero(truth == 1)")
    chosen = np.array(hand.notebook.evaluate("explorer.selection.tolist()"))
    before = hand.layout()
    hand.press("Must-link selection")
    hand.notebook.wait_for("len(explorer.supervision.links)", lambda n: n == 1)
    after = hand.settle()
    assert spread(after, chosen) < 0.7 * spread(before, chosen)
    rho = hand.widget.get_by_role("slider", name="ρ", exact=True)
    assert rho.is_enabled()
    hand.press("Forget")
    hand.notebook.wait_for("len(explorer.supervision.links)", lambda n: n == 0)


def steered(hand: Hand) -> None:
    """Wait until the page shows the class ‘kept’ and the value 1.7 of α."""
    hand.widget.get_by_role("radio", name="kept").wait_for(state="attached")
    slider = hand.widget.get_by_role("slider", name="α", exact=True)
    hand.page.wait_for_function("e => Math.abs(e.value - 1.7) < 0.02", arg=slider.element_handle())


def test_a_reload_finds_labels_parameters_and_places(hand: Hand) -> None:
    hand.notebook.execute(
        "explorer.session.label([1, 2, 3], 'kept')\nexplorer.session.set(alpha=1.7)"
    )
    before = hand.settle()
    steered(hand)
    hand.notebook.save()
    hand.notebook.reload()
    hand.map.wait_for()
    steered(hand)
    np.testing.assert_allclose(hand.layout(), before)
    # What is drawn agrees: a lasso around the labeled points' places selects them.
    places = hand.on_screen()
    hand.lasso(places[1], 8)
    assert 1 in hand.notebook.wait_for("explorer.selection.tolist()")


def test_mbed_takes_over_points_and_labels(hand: Hand) -> None:
    for digit, name in enumerate(["zero", "one", "two"]):
        hand.notebook.execute(
            f"explorer.session.label(np.flatnonzero(truth == {digit})[:20], '{name}')"
        )
    before = hand.notebook.evaluate("explorer.labels")
    hand.widget.get_by_label("Method").select_option("Mbed")
    hand.notebook.wait_for("explorer.session.method_name", lambda name: name == "Mbed")
    hand.widget.get_by_role("slider", name="λ", exact=True).wait_for()
    hand.settle()
    assert hand.notebook.evaluate("explorer.labels") == before
    hand.drag_slider("λ", to=0.1)
    hand.notebook.wait_for("explorer.session.parameters['lam']", lambda lam: lam < 1)
    agree = hand.notebook.wait_for(
        "float(np.mean([explorer.session.membership[i].argmax() == "
        "explorer.supervision.top_class[i]"
        " for i in explorer.supervision.labeled]))",
        lambda share: share > 0.9,
    )
    assert agree > 0.9
    hand.widget.get_by_label("Method").select_option("HSSNE")
    hand.notebook.wait_for("explorer.session.method_name", lambda name: name == "HSSNE")
    assert hand.notebook.evaluate("explorer.labels") == before
    assert hand.notebook.errors == []


def test_an_annealing_path_can_be_walked(open_cells: OpenCells) -> None:
    notebook = open_cells(
        DATA.replace("[:800]", "[:300]"),
        "explorer = nb.Explorer(X, nb.Mbed(n_classes=3, random_state=0)); explorer",
    )
    notebook.run_all()
    hand = Hand(notebook)
    hand.settle()
    path = notebook.evaluate("[step.value for step in explorer.session.path]")
    assert path[0] == pytest.approx(20, rel=1e-3)
    assert path[-1] == pytest.approx(0.2, rel=1e-3)
    strip = hand.widget.get_by_role("slider", name="Annealing path")
    strip.scroll_into_view_if_needed()
    strip.focus()
    hand.page.keyboard.press("Home")
    lam = notebook.wait_for("explorer.session.parameters['lam']", lambda lam: lam > 10)
    assert lam == pytest.approx(path[0], rel=1e-3)
    assert notebook.errors == []


def test_two_views_agree_and_python_moves_both(open_cells: OpenCells) -> None:
    notebook = open_cells(DATA, SHOW, "explorer")
    notebook.run_all()
    first, second = Hand(notebook, 0), Hand(notebook, 1)
    first.settle()
    notebook.execute("explorer.session.label([5, 6], 'both')")
    for view in (first, second):
        view.widget.get_by_role("radio", name="both").wait_for(state="attached")
    notebook.execute("explorer.session.set(alpha=0.5)")
    for view in (first, second):
        slider = view.widget.get_by_role("slider", name="α", exact=True)
        slider.scroll_into_view_if_needed()
        notebook.page.wait_for_function(
            "e => Math.abs(e.value - 0.5) < 0.02", arg=slider.element_handle()
        )


def test_all_of_it_works_by_keyboard(hand: Hand) -> None:
    hand.map.focus()
    hand.page.keyboard.press("Control+a")
    hand.notebook.wait_for("len(explorer.selection)", lambda n: n == 800)
    hand.page.keyboard.press("Escape")
    hand.notebook.wait_for("len(explorer.selection)", lambda n: n == 0)
    slider = hand.widget.get_by_role("slider", name="α", exact=True)
    slider.focus()
    for _ in range(5):
        hand.page.keyboard.press("ArrowRight")
    last = pytest.approx(float(slider.input_value()))  # α is shown as it is, from 0 to 3
    hand.notebook.wait_for("explorer.session.parameters['alpha']", lambda a: a == last)
    hand.map.focus()
    hand.page.keyboard.press("Control+z")
    hand.notebook.wait_for("explorer.session.parameters['alpha']", lambda a: a == 1)


def test_an_error_in_the_worker_shows_and_labels_stay(hand: Hand) -> None:
    notebook = hand.notebook
    notebook.execute(
        "explorer.session.label([1, 2], '<b>kept</b>')\n"
        "import nbembed.objectives.heavy_tailed as room\n"
        "whole = room.heavy_tailed\n"
        "def broken(*a, **k): raise RuntimeError('the kernel <i>broke</i>')\n"
        "room.heavy_tailed = broken\nexplorer.session.set(alpha=0.3)"
    )
    alert = hand.widget.get_by_role("alert")
    alert.wait_for()
    assert "the kernel <i>broke</i>" in alert.inner_text(), "text is shown as text"
    assert notebook.evaluate("explorer.labels")[1] == "<b>kept</b>"
    assert "RuntimeError" in notebook.execute(
        "try:\n    explorer.session.check()\nexcept Exception as e: print(type(e).__name__, e)"
    )
    notebook.execute("room.heavy_tailed = whole")


def test_each_move_of_a_slider_is_drawn(open_cells: OpenCells) -> None:
    notebook = open_cells(
        DATA.replace("[:800]", ""), SHOW.replace("color=truth", "color=truth, height=400")
    )
    notebook.run_all()
    hand = Hand(notebook)
    hand.map.scroll_into_view_if_needed()
    hand.settle()
    notebook.page.evaluate(
        """() => {
            window.latencies = [];
            document.querySelector('.nbe').addEventListener('nbembed:frame', event => {
                for (const cause of event.detail.causes)
                    if (cause.name === 'set') window.latencies.push(cause.latency);
            });
        }"""
    )
    slider = hand.widget.get_by_role("slider", name="α", exact=True)
    slider.focus()
    for turn in range(8):
        hand.page.keyboard.press("ArrowRight" if turn < 4 else "ArrowLeft")
        notebook.page.wait_for_function("turn => window.latencies.length > turn", arg=turn)
    assert all(latency > 0 for latency in notebook.page.evaluate("window.latencies"))
