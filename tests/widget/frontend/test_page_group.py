"""The panel of a group and its rows on the page: asked while somebody looks, shown as text."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from tests.widget.frontend.test_page import run, screen_of, selected, selection
from tests.widget.page import DARK, act, kernel, sent

HOSTILE = "<img src=x onerror=window.hacked=1>\u202e " + "W" * 500


def png() -> list[int]:
    file = io.BytesIO()
    Image.fromarray(np.eye(8, dtype=np.uint8) * 255).save(file, "PNG")
    return list(file.getvalue())


def feature(title: str, effect: float | None = 1.5) -> dict[str, Any]:
    return {
        "title": title, "effect": effect, "larger": effect is None or effect > 0, "above": 0.93,
        "mean": "4.9", "other_mean": "2.1", "low": "1", "high": "7", "middle": 3.5,
        "middle_text": "3.5", "p_value": None if effect is None else 2e-12,
        "bars": [0, 1, 9, 2], "other_bars": [5, 8, 1, 0], "column": 3, "color": 2,
    }  # fmt: skip


def share(name: str, share: float, other: float, lift: float) -> dict[str, Any]:
    return {
        "name": name, "count": round(100 * share), "other_count": round(300 * other),
        "share": share, "other_share": other, "lift": lift, "code": 1,
    }  # fmt: skip


def described() -> dict[str, Any]:
    kinds = [share("late", 0.94, 0.02, 3.8), share(HOSTILE, 0.06, 0.5, 0.2)]
    word = {"name": "stars", "share": 0.03, "other_share": 0.001, "lift": 12.3, "z": 8.5}
    places = {"p_value": 0.04, "column": 1, "color": None}
    rare = word | {"name": "hyperparameters", "lift": 145} | places | {"p_value": 1e-310}
    kind = {"title": "kind", "association": 0.9, "values": kinds, "more": 3, **places}
    return {
        "features": [feature("petal length", 2.31), feature(HOSTILE, None), feature("sepal", -0.4)],
        "left_out": 17,
        "categories": [kind | {"color": -1}],
        "words": [word | places, rare],
        "words_left_out": 0,
        "averaged": 100,
    }


#: Answers of the fake kernel: of rows, the number of the point backwards.
ANSWERS = """
  k.answers.describe = (a, [points, against]) => [
    {size: points.length, others: against.length || k.n - points.length, ...DESCRIBED},
    [0, 1, 2].map(() => Uint8Array.from(PNG)),
  ];
  k.answers.order = ({column: c, descending}, [points]) => {
    const order = Uint32Array.from(points.length ? points : Array.from({length: k.n}, (_, i) => i));
    if (descending !== (c === 2)) order.reverse();
    const columns = [["#", "point"], ["label", "label"], ["height", "number"], ["note", "text"]]
      .map(([title, kind]) => ({title, kind}));
    return [{columns, left_out: 2, column: c, descending}, [order]];
  };
  k.answers.rows = (a, [points]) => [
    {points, cells: points.map((p) => ["", "", `${k.n - p}`, p === 3 ? HOSTILE : `note ${p}`])},
    [],
  ];
"""


def answering(page: Page) -> Page:
    text = ANSWERS.replace("DESCRIBED", json.dumps(described())).replace("PNG", json.dumps(png()))
    act(page, text.replace("HOSTILE", json.dumps(HOSTILE)))
    return page


@pytest.fixture
def page(open_explorer: Any) -> Page:
    page = open_explorer(n=400, clusters=4, color_by="class")
    run(page)
    return answering(page)


def asked(page: Page, name: str) -> list[dict[str, Any]]:
    return list(kernel(page, f"k.sent.filter(m => m.type === 'query' && m.name === '{name}')"))


def choose(page: Page, points: list[int]) -> None:
    """Select points as Python does."""
    act(page, f"k.update({{selection: new DataView(Uint32Array.from({points}).buffer)}})")


def open_group(page: Page) -> Any:
    page.get_by_role("tab", name="Group").click()
    return page.get_by_role("tabpanel")


def open_rows(page: Page, *, all_points: bool = True) -> Any:
    open_group(page).get_by_role("button", name="Rows").click()
    if all_points:
        page.get_by_role("button", name="All 400").click()
    return page.get_by_role("grid", name="Rows of")


def listed(page: Page) -> list[int]:
    """Return the points of the rows that are drawn."""
    texts = page.locator(".nbe-table-row > [data-kind=point]").all_inner_texts()
    return [int(text) for text in texts]


def test_nothing_is_asked_until_the_panel_is_open(page: Page) -> None:
    choose(page, [1, 2, 3])
    assert kernel(page, "k.sent.filter(m => m.type === 'query').length") == 0
    panel = open_group(page)
    expect(panel).to_contain_text("3 of 400 points")
    expect(panel).to_contain_text("petal length")
    (question,) = asked(page, "describe")
    assert question["sets"] == [[1, 2, 3], []]
    page.get_by_role("tab", name="Steer").click()
    expect(page.get_by_role("button", name="Advanced")).to_be_visible()
    choose(page, [5])
    assert len(asked(page, "describe")) == 1


CLOSE_AND_SELECT = """
  document.querySelector("[role=tab]").click();
  await new Promise(r => setTimeout(r));
  if (document.querySelector(".nbe-group")) throw new Error("The panel is still open");
  k.update({selection: new DataView(Uint32Array.from([5]).buffer)});
"""


def test_a_closed_panel_asks_nothing_even_before_the_page_is_painted(page: Page) -> None:
    choose(page, [1, 2, 3])
    expect(open_group(page)).to_contain_text("petal length")
    act(page, CLOSE_AND_SELECT)
    assert [question["sets"] for question in asked(page, "describe")] == [[[1, 2, 3], []]]


def test_the_group_is_described(page: Page) -> None:
    choose(page, list(range(100)))
    panel = open_group(page)
    features = panel.get_by_role("list", name="Features")
    expect(features.get_by_role("listitem")).to_have_count(3)
    expect(features.get_by_role("listitem").first).to_contain_text("+2.31")
    expect(features.get_by_role("listitem").first).to_contain_text("93 % · p 2e−12")
    expect(features.get_by_role("button").first).to_have_attribute(
        "title",
        "petal length: Mean 4.9, of the others 2.1. In 93 % of pairs the point of the group has "
        "the larger value. p 2e−12 (Welch's t-test, adjusted). Bars from 1 to 7, of either group "
        "in units of its highest. Click or Enter: color by petal length; with Shift: select the "
        "points with at least 3.5, halfway between the means",
    )
    expect(features.get_by_role("listitem").nth(1)).to_contain_text("+∞")
    expect(features.get_by_role("listitem").nth(2)).to_contain_text("−0.40")
    expect(panel).to_contain_text("and 17 more …")
    late = panel.get_by_role("list", name="kind").get_by_role("button").first
    expect(late).to_have_text("late94 %3.8×")
    expect(late).to_have_attribute("title", re.compile("others 2 %; lift 3.8. Click or Enter"))
    expect(panel).to_contain_text("and 3 more")
    word = panel.get_by_role("list", name="Over-represented").get_by_role("listitem").first
    expect(word).to_contain_text("12×")
    expect(word).to_contain_text("p 0.04")
    images = panel.get_by_role("img")
    expect(images).to_have_count(3)
    assert images.nth(2).evaluate("e => e.naturalWidth") == 8


ANSWER_MORE = """
  k.titles = ["size", "kind", "petal length"];
  k.answers.describe_csv = () => [{text: "feature,effect\\r\\npetal length,2.31\\r\\n"}, []];
  k.answers.find = (a) => [{charts: [], hits: []}, [Uint32Array.of(3, 5, 8)]];
  DataTransfer.prototype.setData = (type, text) => { window.copied = text; };
"""


def test_what_a_row_says_is_seen_selected_and_taken_along(page: Page) -> None:
    act(page, ANSWER_MORE)
    choose(page, list(range(100)))
    panel = open_group(page)
    features = panel.get_by_role("list", name="Features").get_by_role("button")
    features.first.click()
    features.first.press("ArrowDown")
    expect(features.nth(1)).to_be_focused()
    features.nth(1).press("ArrowUp")
    features.first.press("Enter")
    assert [c["arguments"] for c in sent(page, "color_by_column")] == [{"column": 2}] * 2
    panel.get_by_role("list", name="kind").get_by_role("button").first.click()
    assert [c["arguments"] for c in sent(page, "color_by")] == [{"mode": "class"}]
    word = panel.get_by_role("list", name="Over-represented").get_by_role("button").first
    expect(word).to_have_attribute("aria-disabled", "true")  # no column to color by
    features.first.press("Shift+Enter")
    selected(page, 1)
    assert selection(page) == [3, 5, 8]
    limits = {"low": 3.5, "high": None, "categories": None, "text": ""}
    assert asked(page, "find")[-1]["arguments"]["filters"] == [{"column": 3, **limits}]
    expect(features.nth(2)).to_have_attribute("title", re.compile("with at most 3.5, halfway"))
    panel.get_by_role("list", name="kind").get_by_role("button").first.click(modifiers=["Shift"])
    page.wait_for_function(
        "window.kernel.sent.filter(m => m.name === 'find').at(-1).arguments.filters[0].categories"
    )
    assert asked(page, "find")[-1]["arguments"]["filters"][0]["categories"] == [1]
    panel.get_by_role("button", name="Copy the names of Features").click()
    page.wait_for_function("window.copied")
    assert page.evaluate("window.copied.split('\\n').length") == 3
    panel.get_by_role("button", name="and 17 more").click()
    panel.get_by_role("combobox", name="Sort by").select_option("p")
    page.wait_for_function(
        "window.kernel.sent.filter(m => m.name === 'describe').at(-1).arguments.sort === 'p'"
    )
    assert asked(page, "describe")[-1]["arguments"] == {
        "sort": "p", "features": 62, "words": 12, "values": 6,
    }  # fmt: skip
    with page.expect_download() as saving:
        panel.get_by_role("button", name="CSV").click()
    assert saving.value.suggested_filename == "group.csv"
    assert "petal length,2.31" in Path(saving.value.path()).read_text()


def test_text_of_the_data_stays_text(page: Page) -> None:
    choose(page, [1, 2, 3, 4])
    panel = open_group(page)
    expect(panel).to_contain_text("<img src=x")
    open_rows_again = page.get_by_role("button", name="Rows")
    open_rows_again.click()
    expect(page.get_by_role("grid")).to_contain_text("<img src=x")
    assert page.evaluate("window.hacked") is None
    labels = page.evaluate(
        "[...document.querySelectorAll('.nbe [aria-label], .nbe [title]')]"
        ".flatMap(e => [e.getAttribute('aria-label'), e.title]).filter(Boolean)"
    )
    assert all("\u202e" not in text and len(text) < 800 for text in labels)
    for inner in (".nbe-panel", ".nbe-dock"):
        wide = page.locator(inner).evaluate("e => e.scrollWidth - e.clientWidth")
        assert wide <= 0


def test_numbers_of_a_row_do_not_overlap(page: Page) -> None:
    choose(page, [1, 2, 3, 4])
    numbers = open_group(page).locator(".nbe-lift-share, .nbe-lift-factor")
    expect(numbers.get_by_text("p < 1e−300")).to_be_visible()
    assert numbers.evaluate_all("all => all.filter(e => e.scrollWidth > e.clientWidth)") == []


def test_rows_say_how_sure_a_label_is(page: Page) -> None:
    grid = open_rows(page)
    act(page, "k.addClass('round'); [k.codes[1], k.codes[2]] = [0, 0];"
              "[k.confidence[1], k.confidence[2]] = [1, 0.6]; k.supervised('x')")  # fmt: skip
    labels = grid.get_by_role("gridcell").and_(page.locator("[data-kind=label]"))
    expect(labels.nth(1)).to_have_text("round")
    expect(labels.nth(2)).to_have_text("round · 0.60")
    expect(labels.nth(3)).to_have_text("")


def test_a_new_selection_and_new_labels_ask_again(page: Page) -> None:
    choose(page, [1, 2])
    panel = open_group(page)
    expect(panel).to_contain_text("petal length")
    choose(page, [1, 2, 9])
    page.wait_for_function("window.kernel.sent.filter(m => m.name === 'describe').length === 2")
    act(page, "k.addClass('round'); k.codes[1] = 0; k.supervised('x')")
    page.wait_for_function("window.kernel.sent.filter(m => m.name === 'describe').length >= 3")
    choose(page, [])
    expect(panel).to_contain_text("No group is selected")
    expect(panel.get_by_role("list")).to_have_count(0)


def test_all_points_have_no_rest(page: Page) -> None:
    panel = open_group(page)
    choose(page, list(range(400)))
    expect(panel).to_contain_text("All points are selected: there is no rest")
    assert asked(page, "describe") == []
    choose(page, list(range(399)))
    expect(panel).to_contain_text("petal length")
    expect(panel).not_to_contain_text("All points are selected")


def test_a_second_group_is_compared_with_the_first(page: Page) -> None:
    panel = open_group(page)
    choose(page, [1, 2, 3])
    panel.get_by_role("button", name="Compare …").click()
    expect(panel).to_contain_text("Now select what you want to compare with the 3 kept")
    choose(page, [8, 9])
    expect(panel).to_contain_text("2 selected, compared with 3 kept")
    page.wait_for_function(
        "window.kernel.sent.filter(m => m.name === 'describe').at(-1).sets[1].length === 3"
    )
    assert asked(page, "describe")[-1]["sets"] == [[8, 9], [1, 2, 3]]
    expect(panel.locator(".nbe-feature-means").first).to_have_text(re.compile("kept"))
    assert [ringed(page, point) for point in (1, 2, 3, 8, 50)] == [True] * 3 + [False] * 2
    panel.get_by_role("button", name="Swap the two groups").click()
    page.wait_for_function(
        "window.kernel.sent.filter(m => m.name === 'describe').at(-1).sets[1].length === 2"
    )
    assert asked(page, "describe")[-1]["sets"] == [[1, 2, 3], [8, 9]]
    panel.get_by_role("button", name="Drop the kept group").click()
    page.wait_for_function(
        "window.kernel.sent.filter(m => m.name === 'describe').at(-1).sets[1].length === 0"
    )
    expect(panel.get_by_role("combobox", name="Compare with")).to_have_count(0)
    expect(panel.locator(".nbe-feature-means").first).to_have_text(re.compile("others"))
    assert not any(ringed(page, point) for point in (1, 8))


def ringed(page: Page, point: int) -> bool:
    """Return whether most of a ring of six pixels around a point is drawn, over the points."""
    act(page, "")
    share = page.evaluate(
        """([x, y]) => {
          const canvas = document.querySelector(".nbe-overlay");
          const box = canvas.getBoundingClientRect();
          let inked = 0;
          for (let k = 0; k < 64; k++) {
            const [dx, dy] = [6 * Math.cos(k * Math.PI / 32), 6 * Math.sin(k * Math.PI / 32)];
            const at = [Math.floor(x - box.left + dx), Math.floor(y - box.top + dy)];
            inked += canvas.getContext("2d").getImageData(...at, 1, 1).data[3] > 60;
          }
          return inked / 64;
        }""",
        screen_of(page, point),
    )
    return bool(share > 0.4)


def test_a_group_is_compared_with_a_class(page: Page) -> None:
    act(page, "k.addClass('round'); k.addClass('square')")
    act(page, "for (const p of [4, 5]) k.codes[p] = 1; k.supervised('x')")
    panel = open_group(page)
    choose(page, [1, 2, 3])
    against = panel.get_by_role("combobox", name="Compare with")
    assert against.locator("option").all_inner_texts() == ["the rest", "square"]
    against.select_option(label="square")
    page.wait_for_function(
        "window.kernel.sent.filter(m => m.name === 'describe').at(-1).sets[1].length === 2"
    )
    assert asked(page, "describe")[-1]["sets"] == [[1, 2, 3], [4, 5]]
    expect(panel.locator(".nbe-feature-means").first).to_have_text(re.compile("square"))
    act(page, "for (const p of [4, 5]) k.codes[p] = -1; k.supervised('x')")
    page.wait_for_function(
        "window.kernel.sent.filter(m => m.name === 'describe').at(-1).sets[1].length === 0"
    )


def test_an_error_is_shown(page: Page) -> None:
    act(page, "k.answers.describe = () => 'points must not be all points'")
    choose(page, [1])
    expect(open_group(page)).to_contain_text("points must not be all points")


def test_only_rows_in_view_are_drawn_and_asked_for(page: Page) -> None:
    grid = open_rows(page)
    expect(grid).to_have_attribute("aria-rowcount", "401")
    expect(grid).to_contain_text("note 5")
    assert len(listed(page)) < 30
    assert listed(page)[0] == 0
    grid.evaluate("e => e.scrollTo(0, 24 * 200)")
    expect(grid).to_contain_text("note 203")
    assert len(listed(page)) < 40
    wanted = {p for m in asked(page, "rows") for p in m["sets"][0]}
    assert len(wanted) < 200
    assert all(len(m["sets"][0]) <= 200 for m in asked(page, "rows"))


def test_rows_are_sorted_by_a_column(page: Page) -> None:
    grid = open_rows(page)
    expect(grid).to_contain_text("note 0")
    height = grid.get_by_role("columnheader", name="height")
    height.get_by_role("button").click()
    expect(height).to_have_attribute("aria-sort", "ascending")
    expect(grid).to_contain_text("note 399")
    height.get_by_role("button").click()
    expect(height).to_have_attribute("aria-sort", "descending")
    expect(grid).to_contain_text("note 0")
    questions = [m["arguments"] for m in asked(page, "order")]
    assert questions[-2:] == [
        {"table": "data", "column": 2, "descending": False},
        {"table": "data", "column": 2, "descending": True},
    ]  # fmt: skip
    height.get_by_role("button").press("ArrowRight")
    expect(grid.get_by_role("columnheader", name="note").get_by_role("button")).to_be_focused()


def test_rows_select_on_the_map_and_show_what_is_selected(page: Page) -> None:
    grid = open_rows(page)
    grid.get_by_text("note 2", exact=True).click()
    grid.get_by_text("note 5", exact=True).click(modifiers=["Shift"])
    selected(page, 2)
    assert selection(page) == [2, 3, 4, 5]
    grid.get_by_text("note 7", exact=True).click(modifiers=["ControlOrMeta"])
    selected(page, 3)
    assert selection(page) == [2, 3, 4, 5, 7]
    expect(grid.locator("[aria-selected=true]")).to_have_count(5)
    choose(page, [0])
    expect(grid.locator("[aria-selected=true]")).to_have_count(1)
    grid.get_by_text("note 6", exact=True).dblclick()
    expect(page.get_by_role("group", name="Card of point 6")).to_be_visible()


def test_selecting_among_the_selected_keeps_the_list(page: Page) -> None:
    choose(page, [10, 20, 30])
    grid = open_rows(page, all_points=False)
    expect(grid).to_contain_text("note 30")
    assert listed(page) == [10, 20, 30]
    grid.get_by_text("note 20", exact=True).click()
    selected(page, 1)
    assert selection(page) == [20]
    assert listed(page) == [10, 20, 30]
    choose(page, [40])
    expect(grid).to_contain_text("note 40")
    assert listed(page) == [40]
    choose(page, [])
    expect(page.get_by_role("region", name="Rows")).to_contain_text("Nothing is selected")


def test_rows_count_what_is_selected_now(page: Page) -> None:
    grid = open_rows(page, all_points=False)
    table = page.get_by_role("region", name="Rows")
    expect(page.get_by_role("button", name="All 400")).to_have_attribute("aria-pressed", "true")
    grid.get_by_text("note 2", exact=True).click()
    grid.get_by_text("note 5", exact=True).click(modifiers=["Shift"])
    expect(table).to_contain_text("4 selected")
    page.get_by_role("button", name="Selected", exact=True).click()
    expect(grid).to_have_attribute("aria-rowcount", "5")
    grid.get_by_text("note 4", exact=True).click()
    expect(table).to_contain_text("1 of 4 rows selected")
    page.get_by_role("button", name="Selected", exact=True).click()
    expect(grid).to_have_attribute("aria-rowcount", "2")
    expect(table).to_contain_text("1 selected")
    page.get_by_role("button", name="Rows", exact=True).click()
    page.get_by_role("button", name="Rows", exact=True).click()
    expect(page.get_by_role("button", name="Selected", exact=True)).to_have_attribute(
        "aria-pressed", "true"
    )


def test_a_double_click_on_a_row_selects_no_text(page: Page) -> None:
    grid = open_rows(page)
    grid.get_by_text("note 6", exact=True).dblclick()
    expect(page.get_by_role("group", name="Card of point 6")).to_be_visible()
    assert page.evaluate("getSelection().toString()") == ""


def test_rows_work_by_keyboard(page: Page) -> None:
    grid = open_rows(page)
    expect(grid).to_contain_text("note 0")
    grid.focus()
    for key in ("ArrowDown", "ArrowDown", "Space", "Shift+ArrowDown"):
        page.keyboard.press(key)
    selected(page, 2)
    assert selection(page) == [1, 2]
    expect(page.locator(".nbe-spoken")).to_contain_text("2 points selected")
    page.keyboard.press("End")
    expect(grid).to_contain_text("note 399")
    active = grid.get_attribute("aria-activedescendant")
    expect(page.locator(f"[id='{active}']")).to_contain_text("note 399")
    expect(page.locator(".nbe-spoken")).to_contain_text("Row 400 of 400, point 399")
    page.keyboard.press("ControlOrMeta+a")
    selected(page, 3)
    assert len(selection(page)) == 400
    assert sent(page, "play") == []


def test_a_row_under_the_pointer_is_shown_on_the_map(page: Page) -> None:
    grid = open_rows(page)
    grid.get_by_text("note 4", exact=True).hover()
    expect(page.get_by_role("tooltip")).to_contain_text("#4")
    page.mouse.move(2, 2)
    expect(page.get_by_role("tooltip")).to_have_count(0)


def test_a_hundred_thousand_rows_scroll(open_explorer: Any) -> None:
    page = answering(open_explorer(n=100_000, clusters=4))
    open_group(page).get_by_role("button", name="Rows").click()
    page.get_by_role("button", name="All 100,000").click()
    grid = page.get_by_role("grid")
    expect(grid).to_contain_text("note 5")
    grid.focus()
    page.keyboard.press("End")
    expect(grid).to_contain_text("note 99999")
    assert len(listed(page)) < 40
    grid.evaluate("e => e.scrollTo(0, 24 * 50000)")
    expect(grid).to_contain_text("note 50003")


def test_many_more_rows_fit_into_the_height_that_browsers_lay_out(open_explorer: Any) -> None:
    page = answering(open_explorer(n=400_000, clusters=4))
    open_group(page).get_by_role("button", name="Rows").click()
    page.get_by_role("button", name="All 400,000").click()
    grid = page.get_by_role("grid")
    expect(grid).to_contain_text("note 5")
    grid.focus()
    page.keyboard.press("End")
    expect(grid.get_by_text("note 399999", exact=True)).to_be_visible()
    page.keyboard.press("ArrowUp")
    expect(page.locator(".nbe-spoken")).to_contain_text("Row 399999 of 400000")
    assert page.locator(".nbe-table-body").evaluate("e => e.offsetHeight") < 10_000_000


@pytest.mark.parametrize("width", [420, 700, 1100])
def test_the_panel_does_not_stretch_the_map(open_explorer: Any, width: int) -> None:
    page = answering(open_explorer(n=400, clusters=4, width=width, theme=DARK))
    choose(page, [1, 2, 3])
    before = page.locator(".nbe-map").bounding_box()
    expect(open_group(page)).to_contain_text("petal length")
    after = page.locator(".nbe-map").bounding_box()
    assert before is not None
    assert after is not None
    assert after["height"] <= before["height"]
    over = page.locator(".nbe").evaluate("e => e.scrollWidth - e.clientWidth")
    assert over <= 0
