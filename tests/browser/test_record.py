"""A saved notebook has a picture of the map, or a page over it, which a live map hides."""

from __future__ import annotations

import base64

from playwright.sync_api import expect

from tests.browser.conftest import OpenCells
from tests.browser.test_kernel_end import DATA

SHOW = "explorer = nb.Explorer(X, nb.HSSNE(random_state=0), autoplay=False); explorer"
#: The pictures in the outputs of the document, and the words beside them.
PICTURES = """() => {
  const found = [];
  for (const cell of window.jupyterapp.shell.currentWidget.content.model.cells)
    if (cell.type === 'code')
      for (const { data } of cell.sharedModel.getOutputs())
        if (data?.['image/png']) found.push([data['image/png'], data['text/plain']].flat());
  return found;
}"""


def test_a_saved_notebook_shows_the_last_map_without_a_kernel(open_cells: OpenCells) -> None:
    notebook = open_cells(DATA, SHOW, shared=True)
    notebook.run_all()
    page = notebook.page
    page.locator(".nbe-map").wait_for()
    picture = page.locator(".jp-RenderedImage img")
    expect(picture).to_have_count(1)
    expect(picture).to_be_hidden()
    notebook.execute("explorer.session.step(30, wait=True)")
    page.wait_for_function(f"({PICTURES})()[0]?.[1]?.includes('iteration 30')")
    assert base64.b64decode(page.evaluate(PICTURES)[0][0])[:4] == b"\x89PNG"
    notebook.save()
    notebook.restart()
    notebook.reload()
    expect(page.locator(".nbe-map")).to_have_count(0)
    expect(page.locator(".jp-RenderedImage img")).to_be_visible()
    # What the widget manager says of the lost model is there, and hidden.
    lost = page.get_by_text("Error displaying widget")
    expect(lost).to_have_count(1)
    expect(lost).to_be_hidden()
    notebook.run_all()
    page.locator(".nbe-map").wait_for()
    expect(page.locator(".jp-RenderedImage img")).to_be_hidden()
    expect(lost).to_have_count(0)


def test_the_page_in_a_saved_notebook_zooms_without_a_kernel(open_cells: OpenCells) -> None:
    notebook = open_cells(DATA, SHOW.replace("autoplay=False", 'autoplay=False, still="page"'))
    notebook.run_all()
    page = notebook.page
    page.locator(".nbe-map").wait_for()
    frame = page.locator(".nbembed-still iframe")
    expect(frame).to_have_count(1)
    expect(frame).to_be_hidden()
    notebook.execute("explorer.session.step(30, wait=True)")
    page.wait_for_function(
        "document.querySelector('.nbembed-still img').alt.includes('iteration 30')"
    )
    notebook.save()
    notebook.restart()
    notebook.reload()
    expect(page.locator(".jp-OutputArea .nbe-map")).to_have_count(0)
    expect(frame).to_be_visible()
    map_ = page.frame_locator(".nbembed-still iframe").get_by_role("application", name="Map")
    expect(map_).to_be_visible()
    box, covered = frame.bounding_box(), page.locator(".nbembed-still img").bounding_box()
    assert box is not None
    assert covered is not None
    assert box["width"] >= covered["width"]
    assert box["height"] >= covered["height"], "the picture is not seen twice"


def test_the_table_of_labels_follows_the_kernel(open_cells: OpenCells) -> None:
    notebook = open_cells(DATA, SHOW, shared=True)
    notebook.run_all()
    widget = notebook.page.get_by_role("group", name="Embedding explorer")
    widget.get_by_role("tab", name="History").click()
    widget.get_by_role("button", name="Label table").click()
    dock = widget.get_by_role("region", name="Label table")
    expect(dock).to_contain_text("No label here yet")
    notebook.execute("explorer.session.label([3, 7], 'round', confidence=0.75)")
    grid = dock.get_by_role("grid", name="Labels of")
    expect(grid).to_have_attribute("aria-rowcount", "3")
    first = grid.locator(".nbe-table-row").first
    for text in ("round", "0.75", "Python"):
        expect(first).to_contain_text(text)
    grid.locator(".nbe-table-row").last.click()
    notebook.wait_for("explorer.selection.tolist()", lambda points: points == [7])
    notebook.execute("explorer.session.undo()")
    expect(dock).to_contain_text("No label here yet")
