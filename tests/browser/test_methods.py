"""Every kind of method by hand in JupyterLab: its slider, its labels, its marks on the map."""

from __future__ import annotations

import re

import numpy as np
import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenCells
from tests.browser.test_explorer import Hand

DATA = """
import numpy as np
from sklearn.datasets import load_iris
import nbembed as nb
X, truth = load_iris(return_X_y=True)
NAMES = load_iris().target_names.tolist()
def label(*classes, count=12):
    for k in classes:
        explorer.session.label(np.flatnonzero(truth == k)[:count], NAMES[k])
"""
SHOW = "explorer = nb.Explorer(X, method, color=[NAMES[k] for k in truth]); explorer"


@pytest.fixture
def start(open_cells: OpenCells):
    """Return a function that opens a notebook with an Explorer of a method, at rest."""

    def start(method: str) -> Hand:
        notebook = open_cells(DATA, SHOW, shared=True)
        notebook.execute(f"import nbembed as nb; method = nb.{method}")
        notebook.run_all()
        hand = Hand(notebook)
        hand.map.scroll_into_view_if_needed()
        hand.settle()
        return hand

    return start


def drawn(hand: Hand) -> np.ndarray:
    """Return where the page draws each point of a map at rest, in pixels of the map."""
    places = hand.still()
    box = hand.map.bounding_box()
    return places - [box["x"], box["y"]]


def switch(hand: Hand, method: str) -> None:
    hand.widget.get_by_role("combobox", name="Method").select_option(method)
    hand.notebook.wait_for("explorer.session.method_name", lambda name: name == method)


def test_the_tradeoff_of_nerv_moves_the_map(start) -> None:
    hand = start("NeRV(random_state=0)")
    before = hand.layout()
    hand.drag_slider("t", to=0.9)
    hand.notebook.wait_for("explorer.session.parameters['tradeoff']", lambda t: 0.8 < t < 1)
    after = hand.settle()
    assert np.abs(after - before).max() > 0.05 * np.ptp(before)
    assert hand.notebook.errors == []


def test_class_centers_of_parametric_embedding_are_drawn_and_named(start) -> None:
    hand = start("HSSNE(random_state=0)")
    switch(hand, "ParametricEmbedding")
    status = hand.widget.get_by_role("group", name="Status")
    expect(status).to_contain_text("Label points of two classes")
    hand.notebook.execute("label(0, 1)")
    hand.notebook.wait_for("list(explorer.center_names)", lambda names: len(names) == 2)
    expect(status).not_to_contain_text("Label points")
    hand.notebook.execute("label(2)")
    hand.notebook.wait_for("list(explorer.center_names)", lambda names: len(names) == 3)
    hand.settle()
    # As the page shows them: adapted to its background.
    colors = hand.widget.locator(".nbe-chip").evaluate_all(
        "chips => chips.map((chip) => chip.style.getPropertyValue('--nbe-class'))"
    )
    assert len(colors) == 3
    hand.on_screen()
    for color in colors:
        rgb = [int(part) for part in re.findall(r"\d+", color)[:3]]
        assert ink(hand, rgb) > 60, f"a center of {color} is drawn"
    assert hand.notebook.errors == []


def test_a_spectral_learner_answers_labels_and_its_slider(start) -> None:
    hand = start("spectral.LFDA()")
    before = hand.layout()
    gamma = hand.widget.get_by_role("slider", name="γ", exact=True)
    expect(gamma).to_be_disabled()
    hand.notebook.execute("label(0, 1, 2)")
    expect(gamma).to_be_enabled()
    supervised = hand.settle()
    assert np.abs(supervised - before).max() > 0.05 * np.ptp(before)
    hand.drag_slider("γ", to=0.8)
    hand.notebook.wait_for("explorer.session.parameters['gamma']", lambda g: g > 10)
    assert np.abs(hand.settle() - supervised).max() > 0.01 * np.ptp(supervised)
    assert hand.notebook.errors == []


def test_pinned_points_keep_their_places_on_the_screen(start) -> None:
    hand = start("HSSNE(random_state=0)")
    hand.notebook.execute("explorer.selection = [3, 60, 120]")
    hand.press("Pin selection")
    hand.notebook.wait_for("explorer.supervision.pinned.tolist()", lambda p: p == [3, 60, 120])
    expect(hand.widget.get_by_role("button", name="Unpin selection")).to_be_visible()
    hand.settle()
    # The view must stay as it is for pixels to be compared.
    hand.map.click(position={"x": 30, "y": 30})
    hand.page.keyboard.press("+")
    before, where = hand.layout(), drawn(hand)
    hand.drag_slider("α", to=0.8)
    hand.notebook.wait_for("explorer.session.parameters['alpha']", lambda alpha: alpha > 2)
    after = hand.settle()
    there = drawn(hand)
    pinned = [3, 60, 120]
    assert np.array_equal(after[pinned], before[pinned])
    assert np.abs(there[pinned] - where[pinned]).max() < 0.01
    assert np.abs(after - before).max() > 0.05 * np.ptp(before)
    assert hand.notebook.errors == []


def ink(hand: Hand, rgb: list[int]) -> int:
    """Return how many pixels over the points are of a color."""
    return int(
        hand.map.evaluate(
            """(map, [r, g, b]) => {
                const canvas = map.querySelector('.nbe-overlay');
                const { data } = canvas.getContext('2d')
                    .getImageData(0, 0, canvas.width, canvas.height);
                let count = 0;
                for (let i = 0; i < data.length; i += 4)
                    count += data[i + 3] > 200 && Math.abs(data[i] - r)
                        + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b) < 12;
                return count;
            }""",
            rgb,
        )
    )


def test_lassoed_classes_are_learned_from_while_the_map_goes_on(start) -> None:
    hand = start("NeRV(random_state=0)")
    switch(hand, "SNeRV")
    hand.notebook.execute(
        "seen = []\nexplorer.observe(lambda change: seen.append(change.new), 'learning')"
    )
    status = hand.widget.get_by_role("group", name="Status")
    expect(status).to_contain_text("Label points of two classes")
    hand.notebook.execute("explorer.session.pause()")
    before = hand.settle("paused", "converged")  # a quick map may rest before it is paused
    places = hand.on_screen()
    truth = np.array(hand.notebook.evaluate("truth.tolist()"))
    for k, name in ((0, "first"), (2, "third")):
        members = places[truth == k]
        middle = np.median(members, axis=0)
        near = np.sort(np.linalg.norm(members - middle, axis=1))[15]
        hand.lasso(middle, float(near) + 2)
        hand.notebook.wait_for("explorer.selection.tolist()")
        hand.press("Add class")
        hand.page.keyboard.type(name)
        hand.page.keyboard.press("Enter")
        hand.widget.get_by_role("button", name="Label selection").click()
        hand.notebook.wait_for("list(explorer.supervision.classes)", lambda c, n=name: n in c)
        hand.notebook.wait_for(
            "int((explorer.supervision.top_class == len(explorer.supervision.classes) - 1).sum())"
        )
    hand.notebook.wait_for(
        "any(e.command == 'learn' and len(set(e.arguments['supervision'].top_class)) == 3"
        " for e in explorer.session.log)"
    )
    texts = hand.notebook.evaluate("seen")
    assert any(text.startswith("learning the metric from") for text in texts)
    expect(status).not_to_contain_text("earning")
    hand.press("Play")
    far = 0.05 * np.ptp(before)
    hand.notebook.wait_for(
        "explorer.embedding.tolist()", lambda Y: np.abs(np.array(Y) - before).max() > far
    )
    assert hand.notebook.errors == []
