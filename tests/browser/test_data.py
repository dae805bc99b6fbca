"""The tab Data in a notebook: a table whose columns are weighed by hand, and the map that moves."""

from __future__ import annotations

import numpy as np
from playwright.sync_api import expect

from tests.browser.conftest import OpenCells
from tests.browser.places import still

DATA = """
import numpy as np
import pandas as pd
import nbembed as nb
rng = np.random.default_rng(0)
n = 300
table = pd.DataFrame({
    "income": rng.lognormal(3, 1, n),
    "age": rng.normal(40, 9, n) + 30 * (np.arange(n) % 3),
    "plan": ["basic", "pro"] * (n // 2),
    "customer_id": range(1000, 1000 + n),
})
"""
SHOW = "explorer = nb.Explorer(table, nb.HSSNE(random_state=0)); explorer"


def test_a_column_is_weighed_and_its_logarithm_embedded(open_cells: OpenCells) -> None:
    notebook = open_cells(DATA, SHOW)
    notebook.run_all()
    page = notebook.page
    own = page.get_by_role("application", name="Map")
    own.scroll_into_view_if_needed()
    notebook.rest()
    notebook.execute("explorer.session.label([0], 'first')")
    notebook.rest()

    page.get_by_role("tab", name="Data", exact=True).click()
    expect(page.get_by_role("tabpanel", name="Data")).to_contain_text("3 of 4 embedded")
    page.get_by_role("textbox", name="Weight of age, number").fill("2")
    page.keyboard.press("Enter")
    inner = page.locator(".nbe .nbe")
    weight = inner.get_by_role("textbox", name="Weight of age, number")
    expect(weight).to_be_focused()
    expect(weight).to_have_value("2.0")
    path = page.get_by_role("navigation", name="Maps")
    expect(path.get_by_role("button", name="age × 2", exact=True)).to_be_visible()
    child = "explorer.children[0]"
    assert notebook.evaluate(f"bool(({child}.session.recipe.init == explorer.embedding).all())")
    notebook.rest(child)
    notebook.wait_for(f"bool(({child}.embedding != explorer.embedding).any())")
    assert len(still(inner.get_by_role("application", name="Map"))) == 300

    log = inner.get_by_role("checkbox", name="log of income")
    log.focus()
    page.keyboard.press("Space")
    both = path.get_by_role("button", name="log income, age × 2", exact=True)
    expect(both).to_have_attribute("aria-current", "page")
    expect(log).to_be_focused()
    expect(log).to_be_checked()
    assert notebook.evaluate("len(explorer.children)") == 1
    notebook.rest(child)
    assert "Logarithms of: income" in notebook.evaluate(f"{child}.data_note")

    # Labels are shared, and the first map is as it was.
    notebook.execute(f"{child}.session.label([1], 'second')")
    notebook.wait_for("explorer.labels[1] == 'second'")
    path.get_by_role("button", name="All 300 points", exact=True).click()
    expect(inner).to_have_count(0)
    expect(page.get_by_role("textbox", name="Weight of age, number")).to_have_value("1.0")
    assert notebook.evaluate("explorer.preparation.weights") is None
    assert len(still(own)) == 300
    both.click()
    expect(inner).to_have_count(1)
    notebook.execute(f"{child}.close()")
    expect(path).to_have_count(0)
    expect(own).to_be_visible()


def test_a_table_of_2000_rows_moves_soon(open_cells: OpenCells) -> None:
    notebook = open_cells(DATA.replace("n = 300", "n = 2000"), SHOW)
    notebook.run_all()
    page = notebook.page
    page.get_by_role("application", name="Map").scroll_into_view_if_needed()
    notebook.rest()
    page.get_by_role("tab", name="Data", exact=True).click()
    slider = page.get_by_role("slider", name="Weight of age")
    slider.focus()
    slider.fill("2")
    inner = page.locator(".nbe .nbe")
    expect(inner.get_by_role("slider", name="Weight of age")).to_be_focused()
    expect(inner.get_by_role("slider", name="Weight of age")).to_have_value("2")
    assert notebook.evaluate("[c.preparation.weights for c in explorer.children]") == [{"age": 2}]
    child = "explorer.children[0]"
    notebook.wait_for(f"{child}.session.iteration > 20", timeout=120)
    start, now = (
        np.array(notebook.evaluate(f"{child}.{at}.tolist()"))
        for at in ("session.recipe.init", "embedding")
    )
    # It goes on from the map, so that points are still nearer to their own places than to others'.
    moved = np.linalg.norm(now - start, axis=1)
    assert 0 < np.median(moved) < np.median(np.linalg.norm(start - start.mean(0), axis=1))
