"""Finding points on the page: search, filters, neighbors, saved selections; box and brush."""

from __future__ import annotations

import colorsys
import itertools
import json
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.widget.frontend.test_page import (
    lasso_around,
    run,
    screen_of,
    screens_of,
    selected,
    selection,
)
from tests.widget.page import DARK, LIGHT, act, kernel, sent

N = 80
HOSTILE = "<img src=x onerror=window.hacked=1>\u202e\x00 " + "W" * 500

#: The toy's columns: the index of the point, its cluster, a note.
ANSWERS = """
  const all = Array.from({ length: k.n }, (_, i) => i);
  const cut = (f) => (i) => {
    if (f.column === 1) return (f.low === null || i >= f.low) && (f.high === null || i <= f.high);
    if (f.column === 2) return f.categories === null || f.categories.includes(k.truth[i]);
    return (`note ${i}`).includes(f.text);
  };
  const count = (bars, of) => bars.map((_, b) => of.filter((i) => bars[b](i)).length);
  const bars = {
    1: Array.from({ length: 24 }, (_, b) => (i) => Math.min(23, Math.floor((24 * i) / (k.n - 1))) === b),
    2: Array.from({ length: k.clusters }, (_, c) => (i) => k.truth[i] === c),
    3: [],
  };
  k.answers.find_columns = () => [{ titles: ["class label", "size", "kind", title], columns: [0, 1, 2, 3], colors: [-1, 0, 1, null], numbers: [false, true, false, false], matching: 4, count: 4 }, []];
  k.answers.find = ({ text, column, filters }, [among]) => {
    if (text === "wrong") return "the text is wrong";
    const base = (among.length ? among : all).filter((i) => (`name ${i}`).includes(text));
    const charts = filters.map((f) => {
      const others = filters.filter((g) => g !== f).map(cut);
      const kind = { 1: "number", 2: "category", 3: "text" }[f.column];
      return {
        column: f.column, title: ["class label", "size", "kind", title][f.column], kind, low: 0, step: f.column === 1 ? k.step ?? 0 : 0,
        high: f.column === 1 ? k.n - 1 : 0, totals: count(bars[f.column], all), left_out: 0, missing: 0,
        counts: count(bars[f.column], base.filter((i) => others.every((passes) => passes(i)))),
        codes: f.column === 2 ? bars[2].map((_, c) => c) : [], names: f.column === 2 ? bars[2].map((_, c) => `kind ${c}`) : [],
      };
    });
    const found = base.filter((i) => filters.map(cut).every((passes) => passes(i)));
    const hits = text ? found.slice(0, 40).map((point) => ({ point, name: `name ${point}`, title, text: `a ${title} b` })) : [];
    return [{ charts, hits }, [Uint32Array.from(found)]];
  };
  k.answers.find_near = ({ k: wanted, step }, [points]) => {
    const near = points.flatMap((i) => Array.from({ length: wanted }, (_, j) => (i + k.clusters * (j + 1)) % k.n));
    if (step === "shrink") return [{}, [Uint32Array.from(points.slice(1))]];
    const found = new Set(step === "grow" ? [...points, ...near] : near.filter((i) => !points.includes(i)));
    return [{}, [Uint32Array.from(found).sort()]];
  };
  k.answers.saved_selection = ({ name }) => k.saved.has(name) ? [{}, [Uint32Array.from(k.saved.get(name))]] : "not saved";
"""  # noqa: E501


def with_answers(page: Page, title: str = "note") -> Page:
    act(page, f"const title = {title!r};{ANSWERS}")
    run(page)
    return page


@pytest.fixture
def page(open_explorer: Any) -> Page:
    return with_answers(open_explorer(n=N, clusters=4, parameters={"alpha": 2, "rho": 0.5}))


def open_find(page: Page) -> Locator:
    page.get_by_role("tab", name="Find").click()
    panel = page.get_by_role("tabpanel")
    expect(panel.get_by_role("searchbox", name="Search")).to_be_visible()
    return panel


def asked(page: Page, name: str) -> list[dict[str, Any]]:
    return list(kernel(page, f"k.sent.filter(m => m.type === 'query' && m.name === '{name}')"))


def settled(page: Page, points: list[int]) -> None:
    """Wait until the kernel has just these points as the selection."""
    page.wait_for_function(
        """wanted => JSON.stringify([...new Uint32Array(window.kernel.traits.selection.buffer)])
                     === JSON.stringify(wanted)""",
        arg=points,
    )


def add_filter(panel: Locator, title: str) -> Locator:
    panel.get_by_role("combobox", name="Add a filter").select_option(label=title)
    group = panel.get_by_role("group", name=f"Filter by {title}")
    expect(group).to_be_visible()
    return group


def test_what_was_found_is_marked_in_its_text(page: Page) -> None:
    hits = [
        {"point": 1, "name": "one", "title": "note", "text": "x <b>Name 7</b>"},
        {"point": 2, "name": "surname 7, name 7", "title": "", "text": ""},
    ]
    act(page, f"k.answers.find = () => [{{ charts: [], hits: {json.dumps(hits)} }},"
              " [Uint32Array.from([1, 2])]]")  # fmt: skip
    panel = open_find(page)
    panel.get_by_role("searchbox", name="Search").fill("NAME 7 ")
    found = panel.get_by_role("list", name="Found points")
    expect(found.locator("mark")).to_have_text(["Name 7", "name 7"])
    assert found.locator("mark").nth(1).evaluate("e => e.previousSibling.data") == "surname 7, "
    expect(found.get_by_role("button").first).to_have_text("onenote: x <b>Name 7</b>")


def test_a_column_is_offered_by_its_name(page: Page) -> None:
    act(page, "k.traits.color_columns = ['size', 'kind']")
    panel = open_find(page)
    box = panel.get_by_role("searchbox", name="Search")
    box.fill("size")
    offered = panel.get_by_role("list", name="Columns of this name").get_by_role("listitem")
    expect(offered).to_have_count(1)
    expect(offered).to_contain_text("size is a column")
    offered.get_by_role("button", name="Color by it").press("Enter")
    page.wait_for_function("window.kernel.replied.color_by_column === 1")
    assert sent(page, "color_by_column")[0]["arguments"] == {"column": 0}
    offered.get_by_role("button", name="Where it is high").press("Enter")
    settled(page, list(range(73, 80)))  # at most a tenth, in whole bars
    expect(box).to_have_value("")
    expect(panel.get_by_role("spinbutton", name="At least, size")).not_to_have_value("")
    box.fill("kind")
    expect(offered.get_by_role("button", name="Color by it")).to_have_count(1)
    offered.get_by_role("button", name="Filter by it").click()
    expect(panel.get_by_role("group", name="Filter by kind")).to_be_visible()
    box.fill("ize")  # no beginning of a word
    expect(offered).to_have_count(0)


def test_a_search_that_goes_on_says_so(page: Page) -> None:
    panel = open_find(page)
    box = panel.get_by_role("searchbox", name="Search")
    box.fill("name 7")
    expect(panel.get_by_role("status")).to_have_text("11 of 80 found")
    act(page, "k.silent = true")
    box.fill("name 77")
    expect(panel.get_by_role("status")).to_have_text("searching …")


def test_a_closed_panel_asks_nothing(page: Page) -> None:
    kernel(page, "k.addClass('a')")
    lasso = page.get_by_role("button", name="Lasso", exact=True)
    lasso.click()
    lasso_around(page, [0, 4, 8])
    selected(page, 1)
    assert kernel(page, "k.sent.filter(m => m.type === 'query').length") == 0
    panel = open_find(page)
    expect(panel.get_by_role("combobox", name="Search in")).to_be_visible()
    assert len(asked(page, "find_columns")) == 1
    assert asked(page, "find") == []


def test_what_is_typed_is_found_selected_and_listed(page: Page) -> None:
    panel = open_find(page)
    panel.get_by_role("searchbox", name="Search").press_sequentially("name 7")
    settled(page, [7, *range(70, 80)])
    expect(panel.get_by_text("11 of 80 found")).to_be_visible()
    hits = panel.get_by_role("list", name="Found points").get_by_role("button")
    expect(hits).to_have_count(11)
    hits.nth(1).click()
    page.wait_for_function("window.kernel.replied.show_cards === 1")
    assert sent(page, "show_cards")[0]["points"] == [70]
    panel.get_by_role("button", name="Clear", exact=True).click()
    settled(page, [])
    expect(panel.get_by_text("found", exact=False)).to_have_count(0)


def test_a_slash_goes_to_the_search_field(page: Page) -> None:
    page.locator(".nbe-map").click()
    page.keyboard.press("/")
    expect(page.get_by_role("searchbox", name="Search")).to_be_focused()
    page.keyboard.type("name 12")
    settled(page, [12])


def test_filters_act_together(page: Page) -> None:
    panel = open_find(page)
    size = add_filter(panel, "size")
    assert selection(page) == []  # a filter without limits selects nothing
    size.get_by_label("At least, size").fill("70")
    size.get_by_label("At least, size").press("Enter")
    settled(page, list(range(70, 80)))
    kind = add_filter(panel, "kind")
    row = kind.get_by_role("checkbox", name="kind 1")
    expect(kind.locator("label").nth(1)).to_have_text("kind 12")  # two: 73 and 77
    row.check()
    settled(page, [73, 77])
    kind.get_by_role("checkbox", name="kind 2").check()
    settled(page, [70, 73, 74, 77, 78])
    # The bars of each column count what the other leaves.
    bars = size.locator(".nbe-find-some")
    assert sum(float(b.get_attribute("height") or 0) > 0 for b in bars.all()) == 24
    panel.get_by_role("button", name="Remove the filter by size").click()
    expect(size).to_have_count(0)
    page.wait_for_function("new Uint32Array(window.kernel.traits.selection.buffer).length === 40")


def test_filters_scroll_beside_the_map(page: Page) -> None:
    area = page.get_by_role("application", name="Map")
    before = area.bounding_box()
    panel = open_find(page)
    for name in ("size", "kind", "note"):
        add_filter(panel, name)
    for tab in ("Find", "Data", "Group", "Why", "Compare", "History", "Steer"):
        page.get_by_role("tab", name=tab).click()
        assert area.bounding_box() == before, f"the map keeps its size beside {tab}"
    page.get_by_role("tab", name="Find").click()
    panel.get_by_role("button", name="Save").scroll_into_view_if_needed()
    expect(panel.get_by_role("button", name="Save")).to_be_in_viewport()


def test_a_range_is_dragged_on_the_bars(page: Page) -> None:
    panel = open_find(page)
    size = add_filter(panel, "size")
    box = size.get_by_role("img", name="Histogram of size").bounding_box()
    assert box is not None
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * 0.25, y)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.4, y, steps=4)
    page.mouse.move(box["x"] + box["width"] * 0.5, y, steps=4)
    page.mouse.up()
    low = float(size.get_by_label("At least, size").input_value())
    high = float(size.get_by_label("At most, size").input_value())
    assert abs(low - 0.25 * (N - 1)) < 1
    assert abs(high - 0.5 * (N - 1)) < 1
    settled(page, [i for i in range(N) if low <= i <= high])
    page.mouse.dblclick(box["x"] + box["width"] * 0.75, y)
    settled(page, [])
    expect(size.get_by_label("At least, size")).to_have_value("")


def test_a_range_of_whole_numbers_ends_with_its_bars(page: Page) -> None:
    act(page, "k.step = 4")  # 24 bars of four whole numbers each
    size = add_filter(open_find(page), "size")
    box = size.get_by_role("img", name="Histogram of size").bounding_box()
    assert box is not None
    bar, y = box["width"] / 24, box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 2.5 * bar, y)
    page.mouse.down()
    page.mouse.move(box["x"] + 4.5 * bar, y, steps=4)
    page.mouse.up()
    expect(size.get_by_label("At least, size")).to_have_value("8")
    expect(size.get_by_label("At most, size")).to_have_value("19")
    settled(page, list(range(8, 20)))
    shown = size.locator(".nbe-find-range")
    assert float(shown.get_attribute("x") or 0) == pytest.approx(20)
    assert float(shown.get_attribute("width") or 0) == pytest.approx(30)


def test_what_is_found_joins_the_selection_as_chosen(page: Page) -> None:
    act(page, "k.update({ selection: new DataView(Uint32Array.from([1, 2, 70]).buffer) })")
    panel = open_find(page)
    search = panel.get_by_role("searchbox", name="Search")
    search.fill("name 7")
    settled(page, [7, *range(70, 80)])
    panel.get_by_role("radio", name="Add").check(force=True)
    settled(page, [1, 2, 7, *range(70, 80)])
    panel.get_by_role("radio", name="Remove").check(force=True)
    settled(page, [1, 2])
    panel.get_by_role("radio", name="Within").check(force=True)
    settled(page, [70])
    assert asked(page, "find")[-1]["points"] == [1, 2, 70]
    search.fill("")
    settled(page, [1, 2, 70])


def test_a_selection_of_the_persons_own_is_the_new_ground(page: Page) -> None:
    panel = open_find(page)
    panel.get_by_role("searchbox", name="Search").fill("name 7")
    settled(page, [7, *range(70, 80)])
    act(page, "k.update({ selection: new DataView(Uint32Array.from([3]).buffer) })")
    panel.get_by_role("radio", name="Add").check(force=True)
    settled(page, [3, 7, *range(70, 80)])
    panel.get_by_role("button", name="Selection before").click()
    settled(page, [3])


def test_errors_are_said_in_the_panel(page: Page) -> None:
    panel = open_find(page)
    panel.get_by_role("searchbox", name="Search").fill("wrong")
    expect(panel.get_by_role("alert")).to_have_text("the text is wrong")
    assert selection(page) == []


def test_neighbors_grow_shrink_and_invert(page: Page) -> None:
    panel = open_find(page)
    expect(panel.get_by_role("button", name="Grow")).to_have_attribute("aria-disabled", "true")
    panel.get_by_role("button", name="Grow").dispatch_event("click")
    assert asked(page, "find_near") == []
    act(page, "k.update({ selection: new DataView(Uint32Array.from([0, 1]).buffer) })")
    panel.get_by_label("Number of neighbors").fill("2")
    panel.get_by_label("Number of neighbors").press("Enter")
    panel.get_by_role("combobox", name="Neighbors in").select_option("map")
    panel.get_by_role("button", name="Neighbors", exact=True).click()
    settled(page, [4, 5, 8, 9])
    question = asked(page, "find_near")[0]
    assert question["arguments"] == {"k": 2, "space": "map", "step": "neighbors"}
    panel.get_by_role("button", name="Grow").click()
    settled(page, [4, 5, 8, 9, 12, 13, 16, 17])
    panel.get_by_role("button", name="Shrink").click()
    settled(page, [5, 8, 9, 12, 13, 16, 17])
    panel.get_by_role("button", name="Invert").click()
    settled(page, [i for i in range(N) if i not in (5, 8, 9, 12, 13, 16, 17)])
    for _ in range(3):
        panel.get_by_role("button", name="Selection before").click()
    settled(page, [4, 5, 8, 9])


def test_a_card_selects_its_point_with_the_neighbors(open_explorer: Any) -> None:
    near = [{"point": 7, "name": "", "distance": 0.5}]
    page = with_answers(open_explorer(n=N, clusters=4, about={"all": {"neighbors": near}}))
    page.mouse.click(*screen_of(page, 3))
    page.get_by_role("button", name="Select the neighbors of point 3").click()
    settled(page, [(3 + 4 * j) % N for j in range(11)])


def test_selections_are_saved_recalled_deleted_and_put_back(page: Page) -> None:
    panel = open_find(page)
    save = panel.get_by_role("button", name="Save selection")
    expect(save).to_have_attribute("aria-disabled", "true")
    act(page, "k.update({ selection: new DataView(Uint32Array.from([5, 6]).buffer) })")
    name = panel.get_by_role("textbox", name="Name of the selection")
    name.fill("  pair ")
    name.press("Enter")
    saved = panel.get_by_role("list", name="Saved selections")
    expect(saved).to_contain_text("pair")
    assert sent(page, "save_selection")[0]["arguments"] == {"name": "pair"}
    act(page, "k.update({ selection: new DataView(Uint32Array.from([9]).buffer) })")
    saved.get_by_role("button", name="Select pair (2)").click()
    settled(page, [5, 6])
    # What is saved by the same name can be put back.
    act(page, "k.update({ selection: new DataView(Uint32Array.from([9]).buffer) })")
    name.fill("pair")
    panel.get_by_role("button", name="Save selection").click()
    expect(saved).to_contain_text("1")
    expect(panel.get_by_text("was replaced.")).to_be_visible()
    panel.get_by_role("button", name="Put back").click()
    expect(saved).to_contain_text("2")
    panel.get_by_role("button", name="Delete pair").click()
    expect(saved).to_have_count(0)
    expect(panel.get_by_text("was deleted.")).to_be_visible()
    panel.get_by_role("button", name="Put back").click()
    expect(saved).to_contain_text("pair")
    assert kernel(page, "[...k.saved.get('pair')]") == [5, 6]


def test_selections_deleted_one_after_the_other_keep_their_own_points(page: Page) -> None:
    panel = open_find(page)
    act(
        page,
        """for (const [name, points] of [['a', [1, 2]], ['b', [7]]])
             k.obey({name: 'save_selection', arguments: {name}, request: 1, client: k.client},
                    [Uint32Array.from(points).buffer]);
           const answer = k.answer; k.late = [];
           k.answer = (...given) => k.late.push(() => answer.apply(k, given))""",
    )
    for name in "ab":
        panel.get_by_role("button", name=f"Delete {name}").click()
    page.wait_for_function("window.kernel.late.length > 0")
    # The kernel answers both after both were asked.
    act(page, "for (let n = 0; n < 2; n++) { k.late.splice(0).forEach(f => f()); await null; }")
    page.wait_for_function("window.kernel.replied.delete_selection >= 1")
    act(page, "k.late.splice(0).forEach(f => f())")
    page.wait_for_function("window.kernel.replied.delete_selection === 2")
    assert [m["arguments"]["name"] for m in sent(page, "delete_selection")] == ["a", "b"]
    panel.get_by_role("button", name="Put back").click()
    page.wait_for_function("window.kernel.saved.has('b')")
    assert kernel(page, "[...k.saved.get('b')]") == [7]


def test_neighbors_join_as_it_was_chosen_when_they_were_asked_for(page: Page) -> None:
    panel = open_find(page)
    act(
        page,
        """k.update({ selection: new DataView(Uint32Array.from([0]).buffer) });
           const answer = k.answer; k.late = [];
           k.answer = (...given) => k.late.push(() => answer.apply(k, given))""",
    )
    panel.get_by_label("Number of neighbors").fill("1")
    panel.get_by_label("Number of neighbors").press("Enter")
    panel.get_by_text("Add", exact=True).click()
    panel.get_by_role("button", name="Neighbors", exact=True).click()
    page.wait_for_function("window.kernel.late.length > 0")
    panel.get_by_role("button", name="Shrink").click()  # replaces the selection
    act(page, "k.late.splice(0).forEach(f => f())")
    settled(page, [0, 4])


def test_points_of_hidden_classes_are_not_selected_by_inversion(page: Page) -> None:
    panel = open_find(page)
    act(
        page,
        """k.addClass('a'); k.cluster(0).forEach(p => { k.codes[p] = 0; k.confidence[p] = 1; });
           k.supervised('x');
           k.update({ classes: k.traits.classes.map(c => ({...c, hidden: true})) });
           k.update({ selection: new DataView(Uint32Array.from([1, 2]).buffer) })""",
    )
    panel.get_by_role("button", name="Invert").click()
    settled(page, [i for i in range(N) if i % 4 and i not in (1, 2)])


def test_hostile_names_and_columns_are_text(open_explorer: Any) -> None:
    page = with_answers(open_explorer(n=40, clusters=4), HOSTILE)
    panel = open_find(page)
    panel.get_by_role("searchbox", name="Search").fill("name 3")
    expect(panel.get_by_role("list", name="Found points")).to_contain_text("<img src=x")
    panel.get_by_role("combobox", name="Add a filter").select_option("3")
    name = panel.get_by_role("textbox", name="Name of the selection")
    name.fill(HOSTILE[:80].replace("\x00", ""))
    name.press("Enter")
    saved = panel.get_by_role("list", name="Saved selections")
    expect(saved).to_contain_text("<img src=x")
    for label in panel.locator("[aria-label]").all():
        assert "\u202e" not in (label.get_attribute("aria-label") or "")
    assert page.evaluate("window.hacked") is None
    assert page.locator(".nbe-panel img").count() == 0
    width = page.evaluate(
        """(() => { const p = document.querySelector('.nbe-tab-panel');
                   return p.scrollWidth - p.clientWidth; })()"""
    )
    assert width <= 0


def test_everything_in_the_panel_has_a_name(page: Page) -> None:
    panel = open_find(page)
    add_filter(panel, "size")
    add_filter(panel, "kind")
    add_filter(panel, "note")
    nameless = page.evaluate(
        """[...document.querySelectorAll('.nbe button, .nbe input, .nbe select')]
           .filter(e => !(e.getAttribute('aria-label') || e.textContent.trim())).length"""
    )
    assert nameless == 0


# -- box and brush ----------------------------------------------------------------------------


def drag(page: Page, *places: tuple[float, float]) -> None:
    page.mouse.move(*places[0])
    page.mouse.down()
    for place in places[1:]:
        page.mouse.move(*place, steps=6)
    page.mouse.up()


def corners(page: Page, points: list[int], margin: float) -> tuple[float, float, float, float]:
    places = screens_of(page, points)
    xs, ys = [x for x, _ in places], [y for _, y in places]
    return min(xs) - margin, min(ys) - margin, max(xs) + margin, max(ys) + margin


def inside(page: Page, left: float, top: float, right: float, bottom: float) -> list[int]:
    places = screens_of(page, list(range(N)))
    return [i for i, (x, y) in enumerate(places) if left <= x <= right and top <= y <= bottom]


def test_a_box_selects_what_is_inside(page: Page) -> None:
    page.get_by_role("button", name="Box", exact=True).click()
    cluster = kernel(page, "k.cluster(1)")
    left, top, right, bottom = corners(page, cluster, 3)
    wanted = inside(page, left, top, right, bottom)
    assert set(cluster) <= set(wanted)
    drag(page, (right, bottom), (left, top))  # from any corner
    settled(page, wanted)
    page.keyboard.down("Alt")
    drag(page, (left, top), (right, bottom))
    page.keyboard.up("Alt")
    settled(page, [])


def test_shift_and_alt_together_intersect(page: Page) -> None:
    page.keyboard.press("Tab")
    page.get_by_role("button", name="Box", exact=True).click()
    act(page, "k.update({ selection: new DataView(Uint32Array.from([1, 2, 3]).buffer) })")
    left, top, right, bottom = corners(page, kernel(page, "k.cluster(1)"), 3)
    wanted = [i for i in inside(page, left, top, right, bottom) if i in (1, 2, 3)]
    assert wanted == [1]
    page.keyboard.down("Shift")
    page.keyboard.down("Alt")
    drag(page, (left, top), (right, bottom))
    page.keyboard.up("Alt")
    page.keyboard.up("Shift")
    settled(page, wanted)


def test_the_brush_selects_along_its_way(page: Page) -> None:
    page.get_by_role("button", name="Brush", exact=True).click()
    expect(page.locator(".nbe-map")).to_have_attribute("data-tool", "brush")
    ends = [screen_of(page, 1), screen_of(page, 5), screen_of(page, 9)]
    radius = 16

    def distance(point: int) -> float:
        x, y = screen_of(page, point)
        return min(to_segment(x, y, *a, *b) for a, b in itertools.pairwise(ends))

    near = [distance(i) for i in range(N)]
    drag(page, *ends)
    page.wait_for_function("window.kernel.replied.select === 1")
    chosen = selection(page)
    assert {1, 5, 9} <= set(chosen)
    assert set(chosen) >= {i for i in range(N) if near[i] < radius - 1.5}
    assert set(chosen) <= {i for i in range(N) if near[i] < radius + 1.5}
    page.keyboard.down("Alt")
    page.mouse.click(*ends[0])  # a dab
    page.keyboard.up("Alt")
    page.wait_for_function("window.kernel.replied.select === 2")
    assert 1 not in selection(page)


def to_segment(x: float, y: float, ax: float, ay: float, bx: float, by: float) -> float:
    """Return the distance of a place from a segment."""
    dx, dy = bx - ax, by - ay
    t = max(0.0, min(1.0, ((x - ax) * dx + (y - ay) * dy) / ((dx * dx + dy * dy) or 1.0)))
    return float(((x - ax - t * dx) ** 2 + (y - ay - t * dy) ** 2) ** 0.5)


def test_the_brush_has_a_size(page: Page) -> None:
    page.locator(".nbe-map").click()
    page.keyboard.press("r")
    panel = open_find(page)
    panel.get_by_role("slider", name="Radius of the brush").fill("60")
    x, y = screen_of(page, 1)
    near = [
        i for i in range(N)
        if ((screen_of(page, i)[0] - x) ** 2 + (screen_of(page, i)[1] - y) ** 2) ** 0.5 < 58
    ]  # fmt: skip
    page.mouse.click(x, y)
    page.wait_for_function("window.kernel.replied.select === 1")
    assert set(selection(page)) >= set(near)
    assert len(near) > 1


@pytest.mark.parametrize("tool", ["Lasso", "Box", "Brush"])
def test_escape_cancels_what_is_being_drawn(page: Page, tool: str) -> None:
    page.get_by_role("button", name=tool, exact=True).click()
    left, top, right, bottom = corners(page, kernel(page, "k.cluster(1)"), 3)
    page.mouse.move(left, top)
    page.mouse.down()
    page.mouse.move(right, top, steps=3)
    page.mouse.move(right, bottom, steps=3)
    before = screen_of(page, 0)
    page.keyboard.press("Escape")
    page.mouse.move(left, bottom, steps=3)
    page.mouse.up()
    act(page, "")
    assert sent(page, "select") == []
    assert screen_of(page, 0) == before  # and nothing is panned
    drag(page, (left, top), (right, top), (right, bottom), (left + 1, bottom), (right, bottom))
    page.wait_for_function("window.kernel.replied.select === 1")
    assert selection(page)


# -- faint context -----------------------------------------------------------------------------

COLOR_AT = """i => {
  const map = document.querySelector('.nbe-map');
  const [x, y] = map.nbembedWhere(i);
  return [...map.querySelector('.nbe-points').getContext('2d').getImageData(Math.round(x), Math.round(y), 1, 1).data].slice(0, 3);
}"""  # noqa: E501


@pytest.mark.parametrize(
    ("theme", "n"), [(LIGHT, 40), (DARK, 60_000)], ids=["light", "dark, many points"]
)
def test_unselected_points_are_faint_and_keep_their_hue(
    open_explorer: Any, theme: Any, n: int
) -> None:
    page = open_explorer(n=n, clusters=4, theme=theme, renderer="raster", names_shown=False)
    run(page)

    def vividness(point: int) -> int:
        color = page.evaluate(COLOR_AT, point)
        return int(max(color) - min(color))

    def hue(point: int) -> float:
        return colorsys.rgb_to_hsv(*(c / 255 for c in page.evaluate(COLOR_AT, point)))[0]

    assert min(vividness(i) for i in (1, 2)) > 40
    before, vivid = hue(2), vividness(2)
    act(page, "k.update({ selection: new DataView(Uint32Array.from(k.cluster(1)).buffer) })")
    assert vividness(1) > 40
    assert 0.15 * vivid < vividness(2) < 0.45 * vivid
    assert hue(2) == pytest.approx(before, abs=0.05)
    act(page, "k.update({ selection: new DataView(new Uint32Array(0).buffer) })")
    assert min(vividness(i) for i in (1, 2)) > 40
