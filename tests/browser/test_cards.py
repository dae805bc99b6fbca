"""A table in a notebook: its columns on cards, its names on the map, its index in the result."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.conftest import OpenCells
from tests.browser.places import still

DATA = """
import numpy as np, pandas as pd
from sklearn.datasets import load_digits
import nbembed as nb
digits = load_digits()
few = slice(0, 300)
frame = pd.DataFrame(digits.data[few], columns=digits.feature_names)
frame["digit"] = [f"<i>{k}</i>" for k in digits.target[few]]
frame.index = [f"scan {k}" for k in range(300)]
"""
SHOW = """
explorer = nb.Explorer(
    frame, nb.HSSNE(random_state=0, n_jobs=1), color="digit", images=digits.images[few],
    autoplay=False,
)
explorer.session.step(30, wait=True)
explorer
"""


def test_a_table_shows_its_cards_and_gets_its_labels_back(open_cells: OpenCells) -> None:
    notebook = open_cells(DATA, SHOW, shared=True)
    notebook.run_all()
    page = notebook.page
    view = page.get_by_role("group", name="Embedding explorer").first
    view.scroll_into_view_if_needed()
    expect(view.get_by_text("55 of 65 columns are embedded, standardized")).to_be_visible()

    x, y = still(page.locator(".nbe-map"))[17]
    page.mouse.move(x, y)
    card = view.get_by_role("tooltip")
    expect(card.locator("img")).to_be_visible()
    expect(card).to_contain_text("<i>")
    point = int(card.locator(".nbe-card-head").inner_text().rpartition("#")[2])
    expect(card).to_contain_text(f"scan {point}")
    titles, cells = card.locator(".nbe-card-title").all(), card.locator(".nbe-card-value").all()
    places = [(title.bounding_box(), cell.bounding_box()) for title, cell in zip(titles, cells)]
    # In columns, whatever styles the notebook has.
    assert len({title["x"] for title, _ in places if title}) == 1
    assert all(title["y"] == cell["y"] for title, cell in places if title and cell)

    page.mouse.click(x, y)
    opened = view.get_by_role("group", name=f"Card of scan {point}")
    expect(opened.locator(".nbe-near").get_by_role("listitem")).to_have_count(5)
    notebook.wait_for(f"explorer.cards.tolist() == [{point}]")
    neighbor = opened.get_by_title("Open the card of scan").first
    neighbor.click()
    expect(view.locator(".nbe-card")).to_have_count(2)
    notebook.wait_for("explorer.cards.size == 2")

    notebook.evaluate(f"explorer.session.label([{point}], 'mine')")
    joined = notebook.evaluate("frame.join(explorer.to_frame()).label.dropna().to_dict()")
    assert joined == {f"scan {point}": "mine"}


def test_the_page_colors_by_another_column(open_cells: OpenCells) -> None:
    notebook = open_cells(DATA, SHOW, shared=True)
    notebook.run_all()
    view = notebook.page.get_by_role("group", name="Embedding explorer").first
    menu = view.get_by_role("combobox", name="Color by", exact=True)
    menu.scroll_into_view_if_needed()
    menu.fill("pixel_2_3")
    view.get_by_role("option", name="pixel_2_3", exact=True).click()
    notebook.wait_for("explorer.color_column['title'] == 'pixel_2_3'")
    menu.fill("digit")
    menu.press("Enter")
    view.get_by_role("list", name="Colors").get_by_role("button", name="<i>3</i>").click()
    expected = "np.flatnonzero(digits.target[few] == 3).tolist()"
    notebook.wait_for(f"explorer.selection.tolist() == {expected}")
    assert notebook.errors == []
