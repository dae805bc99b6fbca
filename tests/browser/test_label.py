"""Labeling by typing in a real JupyterLab: lasso, name, Enter."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.conftest import OpenCells
from tests.browser.test_explorer import DATA, SHOW, Hand, clustered


def test_groups_are_named_as_they_are_drawn(open_cells: OpenCells) -> None:
    notebook = open_cells(DATA, SHOW)
    notebook.run_all()
    hand = Hand(notebook)
    hand.map.scroll_into_view_if_needed()
    hand.settle()
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
