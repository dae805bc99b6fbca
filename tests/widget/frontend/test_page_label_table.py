"""The labels as a table on the page: sorted, selected back on the map, up to date."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.widget.frontend.test_page import run, selected, selection
from tests.widget.page import act, kernel

HOSTILE = "<img src=x onerror=window.hacked=1>\u202e"

#: As the kernel: the labeled points alone, with whom the label came from.
ANSWERS = """
  k.answers.order = ({table, column: c, descending}, [points]) => {
    let order = Array.from({length: k.n}, (_, i) => i).filter((i) => k.codes[i] >= 0);
    if (points.length) order = order.filter((i) => points.includes(i));
    if (descending) order.reverse();
    const columns = [["#", "point"], ["label", "label"], ["confidence", "number"],
      ["source", "source"], ["how", "text"], ["time", "time"], ["iteration", "number"]]
      .map(([title, kind]) => ({title, kind}));
    return [{columns, left_out: 0, column: c, descending}, [Uint32Array.from(order)]];
  };
  k.source = "hand";
  k.answers.rows = ({table}, [points]) => [
    {points, cells: points.map((p) => ["", "", `${k.confidence[p]}`, k.source, HOSTILE,
      "2001-09-09T01:46:40+00:00", "240"])},
    [],
  ];
"""


@pytest.fixture
def page(open_explorer: Any) -> Page:
    page = open_explorer(n=400, clusters=4)
    run(page)
    act(page, ANSWERS.replace("HOSTILE", json.dumps(HOSTILE)))
    act(page, "k.answers.changes = () => [{ place: 0, first: 0, changes: [] }, []]")
    act(page, "k.addClass('round'); k.addClass('square')")
    return page


def label(page: Page, points: list[int], code: int = 0, confidence: float = 1.0) -> None:
    act(page, f"for (const p of {points}) [k.codes[p], k.confidence[p]] = [{code}, {confidence}];"
              "k.supervised('x')")  # fmt: skip


def open_labels(page: Page) -> Locator:
    page.get_by_role("tab", name="History").click()
    page.get_by_role("button", name="Label table", exact=True).click()
    return page.get_by_role("grid", name="Labels of")


def test_labels_are_rows_that_select_on_the_map(page: Page) -> None:
    label(page, [3, 5, 8])
    label(page, [9], 1, 0.5)
    grid = open_labels(page)
    expect(grid).to_have_attribute("aria-rowcount", "5")
    row = grid.locator(".nbe-table-row").last
    expect(row).to_contain_text("square")
    expect(row.locator("[data-kind=source]")).to_have_text("by hand")
    expect(row.locator("[data-kind=time]")).to_contain_text("Sep")
    cells = row.get_by_role("gridcell")
    expect(cells.nth(1)).to_have_text("square")
    expect(cells.nth(2)).to_have_text("0.5")
    expect(cells.nth(6)).to_have_text("240")
    expect(cells.nth(4)).to_contain_text("<img src=x")
    assert page.evaluate("window.hacked") is None
    assert {
        m["arguments"]["table"] for m in kernel(page, "k.sent") if m.get("name") == "order"
    } == {"labels"}
    row.click()
    selected(page, 1)
    assert selection(page) == [9]
    header = grid.get_by_role("columnheader", name="time")
    header.get_by_role("button").click()
    expect(header).to_have_attribute("aria-sort", "ascending")
    header.get_by_role("button").click()
    expect(grid.locator(".nbe-table-row").first).to_contain_text("square")


def test_the_table_follows_new_labels_and_who_gave_them(page: Page) -> None:
    label(page, [3])
    grid = open_labels(page)
    expect(grid).to_have_attribute("aria-rowcount", "2")
    label(page, [4])
    expect(grid).to_have_attribute("aria-rowcount", "3")
    expect(page.get_by_role("button", name="All 2")).to_be_visible()
    act(page, "k.source = 'suggestion'; k.update({undo: 'accept 1 suggestion'})")
    expect(grid.locator("[data-kind=source]").last).to_have_text("suggested")


def test_it_says_that_there_are_no_labels(page: Page) -> None:
    open_labels(page)
    dock = page.get_by_role("region", name="Label table")
    expect(dock).to_contain_text("No label here yet")
    dock.get_by_role("button", name="Close Label table").click()
    expect(dock).to_have_count(0)
