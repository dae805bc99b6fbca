"""An Explorer of which every panel has something to show, and the ways to open each of them.

For tests that look at the whole of the page: its roles and contrasts, its tour, its targets.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect

from tests.widget.frontend.test_page import run, screen_of
from tests.widget.frontend.test_page_find import ANSWERS as FINDING
from tests.widget.frontend.test_page_find import add_filter, open_find
from tests.widget.frontend.test_page_group import answering, png
from tests.widget.frontend.test_page_record import ANSWER as CHANGES
from tests.widget.frontend.test_page_suggestions import label_some
from tests.widget.frontend.test_page_why import ANSWERS as REASONS
from tests.widget.page import act

#: Columns of a table.
TABLE = """
const used = { embedded: true, possible: true, weight: 1.5, log: false, positive: true };
k.table = [{ column: 0, title: "size", use: "number", ...used },
  { column: 1, title: "plan", use: "category", ...used, positive: false },
  { column: 2, title: "note", use: "ID or code", ...used, embedded: false, possible: false }]
"""
TABS = ("Steer", "Data", "Group", "Find", "Why", "Compare", "History")


def filled(open_explorer: Callable[..., Page], *, n: int = 400, **options: Any) -> Page:
    """Open a page at rest with classes, labels, a selection, names, and an answer to each query."""
    row = {"title": "petal length", "text": "4.7 cm"}
    near = {"point": 5, "name": "Point 5", "distance": 0.25}
    about = {"all": {"rows": [row], "neighbors": [near], "left_out": 2, "image": png()}}
    given: dict[str, Any] = {
        "clusters": 4, "named": True, "imaged": True, "about": about, "undo": "label 8 points",
        "data_note": "4 of 5 columns are embedded, standardized: petal length (cm), …",
        "parameters": {"alpha": 2, "rho": 0.5},
    }  # fmt: skip
    page = open_explorer(n=n, **(given | options))
    run(page)
    answering(page)
    act(page, f"const title = 'note';{FINDING}")
    act(page, REASONS)
    act(page, TABLE)
    act(page, CHANGES % json.dumps("label 3 points as zero"))
    label_some(page)
    return page


def choose(page: Page, points: list[int]) -> None:
    """Select points as Python does."""
    act(page, f"k.update({{selection: new DataView(Uint32Array.from({points}).buffer)}})")


def open_tab(page: Page, name: str) -> None:
    """Open a tab of the side panel, and wait until what it asks for is there."""
    page.get_by_role("tab", name=name, exact=True).click()
    panel = page.get_by_role("tabpanel")
    if name == "Steer":
        page.get_by_role("button", name="Advanced").click()
        page.get_by_role("button", name="Suggestions", exact=True).click()
        expect(page.get_by_role("list", name="Most doubtful points")).to_be_visible()
    elif name == "Data":
        expect(panel.get_by_role("slider")).to_have_count(2)
    elif name == "Group":
        choose(page, list(range(100)))
        expect(panel).to_contain_text("petal length")
    elif name == "Find":
        open_find(page)
        panel.get_by_role("searchbox", name="Search", exact=True).fill("name 7")
        add_filter(panel, "size")
        add_filter(panel, "kind")
        expect(panel.get_by_role("list", name="Found points")).to_be_visible()
    elif name == "Why":
        act(page, "")
        x, y = screen_of(page, 3)
        page.mouse.move(x, y)
        expect(page.get_by_role("region", name="Neighborhood")).to_contain_text("1 kept")
    elif name == "Compare":
        take(page, "before")
        take(page, "after")
        page.get_by_role("combobox", name="Compare with").select_option(label="before")
        expect(page.get_by_role("group", name="View")).to_be_visible()
    else:
        expect(page.locator("[aria-current=step]")).to_contain_text("label 3 points")


def take(page: Page, name: str) -> None:
    """Take a snapshot on the tab Compare."""
    page.get_by_role("textbox", name="Name of the snapshot").fill(name)
    page.get_by_role("button", name="Take a snapshot").click()
