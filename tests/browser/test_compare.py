"""Two maps in a notebook: a snapshot beside the map, and a second live map on the same labels."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.conftest import OpenCells
from tests.browser.places import still

SHOW = """
from sklearn.datasets import load_iris
import nbembed as nb
iris = load_iris()
explorer = nb.Explorer(
    iris.data, nb.HSSNE(random_state=0, n_jobs=1), color=iris.target, autoplay=False
)
explorer.session.pace = None
explorer.session.step(40, wait=True)
explorer
"""


def test_a_snapshot_and_a_second_map_stand_beside_the_map(open_cells: OpenCells) -> None:
    notebook = open_cells(SHOW)
    notebook.run_all()
    page = notebook.page
    view = page.get_by_role("group", name="Embedding explorer").first
    view.scroll_into_view_if_needed()
    view.get_by_role("tab", name="Compare").click()
    view.get_by_role("textbox", name="Name of the snapshot").fill("<b>early</b>")
    view.get_by_role("button", name="Take a snapshot").click()
    thumbnail = view.get_by_role("list", name="Snapshots").get_by_role("listitem")
    expect(thumbnail).to_contain_text("<b>early</b>")
    expect(thumbnail).to_contain_text("HSSNE · α 1")
    notebook.wait_for("explorer.session.snapshots == ('<b>early</b>',)")
    view.get_by_role("button", name="Step").click()
    thumbnail.get_by_role("button", name="Compare with").click()
    beside = page.locator(".nbe-beside .nbe-map")
    still(beside)
    view.get_by_role("checkbox", name="Color by change of neighborhoods").check()
    expect(view.get_by_text("of 10 neighbors changed")).to_be_visible()

    x, y = still(beside)[3]
    page.mouse.move(x, y)
    expect(view.get_by_role("tooltip")).to_be_visible()
    page.mouse.click(x, y)
    notebook.wait_for("explorer.cards.size == 1")

    view.get_by_role("combobox", name="Compare with").select_option(label="a second live map")
    notebook.wait_for("explorer.second is not None and explorer.second['method'] == 'HSSNE'")
    slider = view.get_by_role("slider", name="α of the second map")
    slider.focus()
    slider.press("ArrowRight")
    notebook.wait_for("explorer.second['parameters']['alpha'] > 1")
    notebook.wait_for("explorer.session.parameters['alpha'] == 1.0")
    expect(view.get_by_text("1-NN kept").nth(1)).to_be_visible()
    still(beside)
    view.get_by_role("combobox", name="Compare with").select_option(label="none")
    notebook.wait_for("explorer.second is None and explorer.compared is None")
