"""Images in a notebook: on the map where few points are in view, and in the panel of a group."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.conftest import OpenCells

DATA = """
import numpy as np
from sklearn.datasets import load_digits
import nbembed as nb
digits = load_digits().images[:300]
"""
SHOW = """
explorer = nb.Explorer(digits, nb.HSSNE(random_state=0, n_jobs=1), autoplay=False)
explorer.session.step(30, wait=True)
explorer
"""
SHOWN = "map => map.nbembedNames().images.length"


def test_images_are_on_the_map_and_in_a_gallery(open_cells: OpenCells) -> None:
    notebook = open_cells(DATA, SHOW)
    notebook.run_all()
    view = notebook.page.get_by_role("group", name="Embedding explorer").first
    view.scroll_into_view_if_needed()
    chart = view.get_by_role("application", name="Map")
    there = notebook.page.wait_for_function
    there(f"map => ({SHOWN})(map) > 0", arg=chart.element_handle())
    toggle = view.get_by_role("checkbox", name="Images on the map")
    toggle.uncheck()
    notebook.wait_for("explorer.thumbnails_shown is False")
    there(f"map => ({SHOWN})(map) === 0", arg=chart.element_handle())
    notebook.execute("explorer.thumbnails_shown = True")
    expect(toggle).to_be_checked()

    notebook.execute("explorer.selection = range(0, 200, 2)")
    view.get_by_role("tab", name="Group", exact=True).click()
    gallery = view.get_by_role("list", name="Images")
    expect(gallery.locator("img")).to_have_count(15)
    view.get_by_role("button", name="Show 60").click()
    expect(gallery.locator("img")).to_have_count(60)
    gallery.get_by_role("button").nth(1).focus()
    notebook.page.keyboard.press("Enter")
    notebook.wait_for("explorer.cards.tolist() == [2]")
    expect(view.get_by_role("group", name="Card of point 2").locator("img")).to_be_visible()
    assert notebook.errors == []


def test_a_figure_is_docked_and_follows_the_selection(open_cells: OpenCells) -> None:
    notebook = open_cells(DATA, SHOW)
    notebook.run_all()
    notebook.execute(
        "from PIL import Image\n"
        "end = explorer.on_selection(lambda rows: explorer.dock(Image.new('L', (len(rows), 9))))\n"
        "explorer.selection = range(20)"
    )
    view = notebook.page.get_by_role("group", name="Embedding explorer").first
    view.get_by_role("tab", name="Mine", exact=True).click()
    figure = view.get_by_role("img", name="The figure that the notebook has docked")
    expect(figure).to_have_js_property("naturalWidth", 20)
    view.focus()
    notebook.page.keyboard.press("Control+a")
    expect(figure).to_have_js_property("naturalWidth", 300)
    notebook.execute("explorer.dock(None)")
    expect(figure).to_have_count(0)
    assert notebook.errors == []
