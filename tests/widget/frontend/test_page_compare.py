"""Comparing maps on the page: snapshots, two maps side by side or blended, a second live map."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.places import still
from tests.widget.frontend.test_page import run, selection
from tests.widget.page import act, kernel, sent

HOSTILE = "<img src=x onerror=window.hacked=1>\u202e" + "W" * 500

#: Selects the map beside.
BESIDE = ".nbe-beside .nbe-map"


@pytest.fixture
def page(open_explorer: Any) -> Page:
    page: Page = open_explorer(n=200, clusters=4, width=1000, parameters={"alpha": 2, "rho": 0.5})
    run(page)
    page.get_by_role("tab", name="Compare").click()
    return page


def ask_for(page: Page, name: str) -> None:
    page.get_by_role("textbox", name="Name of the snapshot").fill(name)
    page.get_by_role("button", name="Take a snapshot").click()


def take(page: Page, name: str = "") -> None:
    """Take a snapshot, and wait until the kernel has it: a map moved before would be kept."""
    known = int(kernel(page, "k.traits.snapshots.length"))
    ask_for(page, name)
    page.wait_for_function("known => kernel.traits.snapshots.length > known", arg=known)


def compare(page: Page, with_: str) -> None:
    page.get_by_role("combobox", name="Compare with").select_option(label=with_)
    expect(page.get_by_role("group", name="View")).to_be_visible()


def asked(page: Page, name: str) -> list[dict[str, Any]]:
    found = kernel(page, f"k.sent.filter(m => m.type === 'query' && m.name === '{name}')")
    return [message["arguments"] for message in found]


def strip(page: Page) -> Any:
    return page.get_by_role("list", name="Snapshots")


def slide(slider: Locator, value: float) -> None:
    slider.evaluate(
        "(e, v) => { e.value = v; e.dispatchEvent(new Event('input', {bubbles: true})); }", value
    )


def in_color(page: Page, selector: str) -> int:
    """Return how many pixels of a canvas are colored, and not gray."""
    return int(
        page.evaluate(
            """selector => { const canvas = document.querySelector(selector);
              const { width, height } = canvas;
              const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
              let found = 0;
              for (let i = 0; i < data.length; i += 4) {
                const [r, g, b, a] = data.subarray(i, i + 4);
                if (a > 60 && Math.max(r, g, b) - Math.min(r, g, b) > 60) found++;
              }
              return found; }""",
            selector,
        )
    )


def test_nothing_is_asked_before_maps_are_compared(page: Page) -> None:
    act(page, "k.tick(4)")
    assert kernel(page, "k.sent.filter(m => m.type === 'query').length") == 0


def test_snapshots_are_a_strip_of_thumbnails(page: Page) -> None:
    take(page, "before")
    item = strip(page).get_by_role("listitem")
    expect(item).to_contain_text("before")
    expect(item).to_contain_text("HSSNE · α 1")
    expect(item).to_contain_text("1-NN kept 50.0 %")
    page.wait_for_function("document.querySelector('.nbe-thumb canvas').width > 0")
    page.wait_for_function("window.kernel.sent.some(m => m.name === 'thumbnails')")
    act(page, "0")
    assert in_color(page, ".nbe-thumb canvas") > 300
    take(page)
    expect(strip(page).get_by_role("listitem").nth(1)).to_contain_text("snapshot 2")
    page.get_by_role("button", name="Go back to before").click()
    assert [m["arguments"] for m in sent(page, "restore")] == [{"name": "before"}]


def test_a_name_that_is_taken_is_refused(page: Page) -> None:
    take(page, "before")
    expect(strip(page).get_by_role("listitem")).to_have_count(1)
    ask_for(page, " before ")
    expect(page.locator(".nbe-spoken")).to_contain_text("There is a snapshot before already")
    assert len(sent(page, "snapshot")) == 1


def test_snapshots_are_shown_once_there_are_some(page: Page) -> None:
    page.get_by_role("tab", name="Compare").click()
    expect(page.get_by_role("textbox", name="Name of the snapshot")).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("Show|Hide"))).to_have_count(0)


def test_names_are_text(page: Page) -> None:
    told = {"name": "snapshot", "arguments": {"name": HOSTILE}, "request": 99, "client": "other"}
    act(page, f"k.obey({json.dumps(told)}, [])")
    page.get_by_role("button", name="Show 1 snapshot").click()
    expect(strip(page).get_by_role("listitem")).to_contain_text("<img src=x")
    strip(page).get_by_role("button").first.click()
    title = page.locator(".nbe-beside .nbe-map-title")
    expect(title).to_contain_text("<img src=x")
    assert page.evaluate("window.hacked") is None
    assert "\u202e" not in title.inner_text()
    width = title.bounding_box()
    assert width is not None
    assert width["width"] < 400


def test_two_maps_are_side_by_side(page: Page) -> None:
    take(page, "before")
    act(page, "k.traits.parameters = {alpha: 0, rho: 0.5}; k.tick(200)")
    strip(page).get_by_role("button", name="Compare with before").click()
    beside = page.get_by_role("img", name="Map compared with: before")
    expect(beside).to_be_visible()
    expect(page.locator(".nbe-map-title").first).to_have_text("present map: HSSNE")
    places = still(page.locator(BESIDE))
    one, two = page.locator(".nbe-map").first.bounding_box(), beside.bounding_box()
    assert one is not None
    assert two is not None
    assert abs(one["width"] - two["width"]) <= 2
    assert two["x"] >= one["x"] + one["width"]
    for point in (0, 7, 100):  # in view, under the camera of the first map
        x, y = places[point]
        assert two["x"] < x < two["x"] + two["width"]
        assert two["y"] < y < two["y"] + two["height"]
    act(page, "0")
    assert in_color(page, ".nbe-beside .nbe-points") > 200
    page.get_by_role("button", name="Compare with before").click()
    expect(beside).to_have_count(0)
    assert len(sent(page, "end_comparison")) == 1


def test_hover_and_selection_are_linked(page: Page) -> None:
    take(page, "before")
    act(page, "k.traits.parameters = {alpha: 0, rho: 0.5}; k.tick(200)")
    compare(page, "before")
    x, y = still(page.locator(BESIDE))[5]
    page.mouse.move(x, y)
    expect(page.get_by_role("tooltip")).to_contain_text("#5")
    page.get_by_role("button", name="Lasso", exact=True).click()
    corners = [(x - 6, y - 6), (x + 6, y - 6), (x + 6, y + 6), (x - 6, y + 6)]
    page.mouse.move(*corners[0])
    page.mouse.down()
    for corner in [*corners[1:], corners[0]]:
        page.mouse.move(*corner, steps=3)
    page.mouse.up()
    page.wait_for_function("window.kernel.replied.select === 1")
    assert 5 in selection(page)
    assert len(selection(page)) < 60


def loop_around(page: Page, x: float, y: float, reach: float = 6) -> None:
    """Draw a closed line around a place on the page."""
    corners = [(x - reach, y - reach), (x + reach, y - reach), (x + reach, y + reach)]
    corners.append((x - reach, y + reach))
    page.mouse.move(*corners[0])
    page.mouse.down()
    for corner in [*corners[1:], corners[0]]:
        page.mouse.move(*corner, steps=3)


@pytest.fixture
def beside(page: Page) -> Page:
    """Two maps side by side, and the lasso."""
    take(page, "before")
    act(page, "k.traits.parameters = {alpha: 0, rho: 0.5}; k.tick(200)")
    compare(page, "before")
    page.wait_for_function("document.querySelector('.nbe-beside .nbe-map').nbembedWhere(0)[0] > 0")
    act(page, "0")
    page.get_by_role("button", name="Lasso", exact=True).click()
    return page


def test_a_lasso_on_the_second_map_is_named_and_recorded(beside: Page) -> None:
    loop_around(beside, *still(beside.locator(BESIDE))[5])
    beside.mouse.up()
    beside.wait_for_function("window.kernel.replied.select === 1")
    assert sent(beside, "select")[0]["arguments"] == {"by": "lasso"}
    expect(beside.get_by_role("combobox", name="Class of the selection")).to_be_focused()


def test_escape_cancels_a_lasso_on_the_second_map(beside: Page) -> None:
    beside.locator(".nbe-map").first.focus()
    loop_around(beside, *still(beside.locator(BESIDE))[5])
    beside.keyboard.press("Escape")
    beside.mouse.up()
    act(beside, "0")
    assert sent(beside, "select") == []
    expect(beside.locator(".nbe-spoken")).to_have_text("Canceled")


def test_points_of_hidden_classes_are_not_picked_on_the_second_map(beside: Page) -> None:
    act(
        beside,
        """k.addClass('a'); k.cluster(1).forEach(p => { k.codes[p] = 0; k.confidence[p] = 1; });
           k.supervised('x');
           k.update({ classes: k.traits.classes.map(c => ({...c, hidden: true})) })""",
    )
    loop_around(beside, *still(beside.locator(BESIDE))[5], reach=30)
    beside.mouse.up()
    act(beside, "0")
    assert not set(selection(beside)) & set(kernel(beside, "k.cluster(1)"))


def test_maps_are_blended_by_a_slider(page: Page) -> None:
    take(page, "before")
    where = "document.querySelector('.nbe-map').nbembedWhere(0)"
    act(page, "k.positions = k.positions.map((v) => v + 2); k.frame()")
    compare(page, "before")
    page.get_by_role("button", name="Blended").click()
    slider = page.get_by_role("slider", name="Share of the other map")
    expect(slider).to_be_visible()
    expect(page.locator(".nbe-beside")).to_have_count(0)
    expect(page.locator(".nbe-map-title")).to_have_text("50 % before")
    found = {}
    for share in (0, 1, 0.5):
        slide(slider, share)
        act(page, "0")
        act(page, "0")
        found[share] = page.evaluate(where)
    for axis in (0, 1):
        middle = (found[0][axis] + found[1][axis]) / 2
        assert found[0.5][axis] == pytest.approx(middle, abs=1)
    assert found[1][0] < found[0][0] - 5  # the snapshot lies to the left of and below the map
    assert found[1][1] > found[0][1] + 5


def test_points_are_colored_by_change(page: Page) -> None:
    take(page, "before")
    compare(page, "before")
    assert asked(page, "map_change") == []
    page.get_by_role("checkbox", name="Color by change of neighborhoods").check()
    expect(page.get_by_text("40 % of 10 neighbors changed")).to_be_visible()
    match = "Disparity 0.125. Aligned by turning −30°, mirroring and scaling ×1.25."
    expect(page.get_by_text(match)).to_be_visible()
    act(page, "0")
    gray_first = in_color(page, ".nbe-map .nbe-points")
    page.get_by_role("checkbox", name="Color by change of neighborhoods").uncheck()
    page.wait_for_function("window.kernel.replied.show_comparison === 2")
    act(page, "0")
    assert gray_first < in_color(page, ".nbe-map .nbe-points")  # half of the points were gray
    page.get_by_role("checkbox", name="Color by change of neighborhoods").check()
    page.get_by_role("button", name="Select most changed").click()
    page.wait_for_function("window.kernel.replied.select === 1")
    assert selection(page) == list(range(180, 200))


def test_a_map_that_needs_no_motion_is_called_the_same(page: Page) -> None:
    take(page, "before")
    act(
        page,
        """const answer = k.answers.map_beside; k.answers.map_beside = (a) => {
        const [fields, buffers] = answer(a);
        return [{...fields, disparity: 1e-9, turn: -1e-5, mirrored: false, scale: 1.0001}, buffers];
      }""",
    )
    compare(page, "before")
    expect(page.get_by_text("Disparity 0.000. The maps are the same.")).to_be_visible()


def test_the_colors_of_the_change_are_explained_in_one_line(page: Page) -> None:
    take(page, "before")
    compare(page, "before")
    page.get_by_role("checkbox", name="Color by change of neighborhoods").check()
    expect(page.get_by_text("40 % of 10 neighbors changed")).to_be_visible()
    ramp = page.get_by_title("Share of the 10 nearest neighbors that are others", exact=True)
    boxes = "e => [...e.children].map(c => c.getBoundingClientRect().toJSON())"
    same, bar, others = ramp.evaluate(boxes)
    assert same["right"] <= bar["left"]
    assert bar["right"] <= others["left"]
    assert bar["width"] > 60
    assert abs(same["top"] - others["top"]) < 1
    assert "gradient" in ramp.locator("i").evaluate("e => getComputedStyle(e).backgroundImage")


def test_a_second_live_map_is_steered_beside_the_first(page: Page) -> None:
    compare(page, "a second live map")
    assert [m["arguments"] for m in sent(page, "compare_live")] == [{"method": "HSSNE"}]
    expect(page.get_by_text("iteration 77 · cost 2.500 · 1-NN kept 25.0 %")).to_be_visible()
    slider = page.get_by_role("slider", name="α of the second map")
    slide(slider, 1.5)
    page.wait_for_function("window.kernel.replied.set_second === 1")
    titles = page.locator(".nbe-map-title")
    expect(titles).to_have_text(["present map: HSSNE, α 2", "second map: HSSNE, α 1.5"])
    assert sent(page, "set_second")[0]["arguments"] == {"alpha": 1.5}
    assert sent(page, "set") == []
    page.wait_for_function("window.kernel.sent.filter(m => m.name === 'map_beside').length > 3")
    page.get_by_role("combobox", name="Method of the second map").select_option("SNE")
    page.wait_for_function("window.kernel.replied.compare_live === 2")
    page.get_by_role("button", name="Take over").click()
    page.wait_for_function("window.kernel.replied.take_over_second === 1")
    act(page, "k.update({second: {...k.traits.second, problem: 'labels: <b>four</b> classes'}})")
    expect(page.get_by_role("alert")).to_contain_text("labels: <b>four</b> classes")
    page.get_by_role("combobox", name="Compare with").select_option(label="none")
    expect(page.get_by_role("heading", name="Second map")).to_have_count(0)
    before = len(asked(page, "map_beside"))
    act(page, "k.tick(4)")
    act(page, "k.tick(4)")
    assert len(asked(page, "map_beside")) <= before + 1


def test_what_cannot_be_compared_is_said(page: Page) -> None:
    act(page, "k.update({compared: {snapshot: 'gone', onto: '', view: 'side', by_change: false}})")
    expect(page.locator(".nbe-beside .nbe-waiting")).to_have_text("gone is not there")
    expect(page.get_by_role("tabpanel")).to_contain_text("gone is not there")


def test_the_other_map_goes_with_its_view(page: Page) -> None:
    compare(page, "a second live map")
    act(page, "k.tick(4)")
    page.evaluate("window.cleanups[1]()")
    assert page.locator(".nbe").count() == 0
    page.evaluate("window.cleanups[0]()")
    assert kernel(page, "k.listening") == 0


def test_snapshots_are_renamed_in_the_strip(page: Page) -> None:
    take(page, "before")
    take(page, "after")
    strip(page).get_by_role("button", name="Rename before").click()
    field = page.get_by_role("textbox", name="New name of the snapshot")
    expect(field).to_have_value("before")
    field.fill("after")
    field.press("Enter")
    expect(page.locator(".nbe-spoken")).to_contain_text("There is a snapshot after already")
    field.fill(" first ")
    field.press("Enter")
    expect(strip(page).get_by_role("listitem").first).to_contain_text("first")
    assert [m["arguments"] for m in sent(page, "rename_snapshot")] == [
        {"old": "before", "new": "first"}
    ]
    strip(page).get_by_text("first", exact=True).dblclick()
    expect(field).to_be_focused()
    field.fill("never")
    field.press("Escape")
    expect(field).to_have_count(0)
    assert len(sent(page, "rename_snapshot")) == 1
    assert page.evaluate("document.activeElement.closest('.nbe') !== null")


def test_snapshots_are_deleted_in_the_strip(page: Page) -> None:
    take(page, "before")
    take(page, "after")
    strip(page).get_by_role("button", name="Delete before").click()
    expect(strip(page).get_by_role("listitem")).to_have_count(1)
    assert [m["arguments"] for m in sent(page, "delete_snapshot")] == [{"name": "before"}]
    assert page.evaluate("document.activeElement.closest('.nbe') !== null")


def test_two_snapshots_are_compared(page: Page) -> None:
    take(page, "before")
    act(page, "k.traits.parameters = {alpha: 0, rho: 0.5}; k.tick(200)")
    take(page, "after")
    act(page, "k.traits.parameters = {alpha: 2, rho: 0.5}; k.tick(200)")
    compare(page, "after")
    first = page.get_by_role("combobox", name="First map")
    assert first.locator("option").all_inner_texts() == ["the present map", "before"]
    first.select_option(label="before")
    expect(page.locator(".nbe-map-title").first).to_have_text("before")
    assert sent(page, "compare")[-1]["arguments"] == {"snapshot": "after", "onto": "before"}
    page.wait_for_function(
        "window.kernel.sent.some(m => m.name === 'map_beside' && m.arguments.snapshot === 'before')"
    )
    act(page, "0")
    shown = page.evaluate("document.querySelector('.nbe-map').nbembedWhere(3)")
    act(page, "k.tick(50)")  # the present map moves on, unseen
    assert page.evaluate("document.querySelector('.nbe-map').nbembedWhere(3)") == shown
    number = len(asked(page, "map_beside"))
    act(page, "k.tick(50)")
    assert len(asked(page, "map_beside")) == number
    first.select_option(label="the present map")
    expect(page.locator(".nbe-map-title").first).to_have_text("present map: HSSNE")
    page.get_by_role("button", name="Compare with after").click()
    expect(first).to_have_count(0)


#: The names on the map beside, sorted and joined.
NAMES_BESIDE = f"document.querySelector({json.dumps(BESIDE)}).nbembedNames().groups.sort().join()"


def test_names_are_on_both_maps(page: Page) -> None:
    take(page, "before")
    act(page, "k.traits.parameters = {alpha: 0, rho: 0.5}; k.tick(200)")
    compare(page, "before")
    page.wait_for_function(f"{NAMES_BESIDE} === '0,1,2,3'")  # the categories that color the points
    act(page, "k.addClass('round'); k.cluster(1).forEach(i => k.codes[i] = 0)")
    act(page, "k.supervised('x'); k.update({color_by: 'class'})")
    page.wait_for_function(f"{NAMES_BESIDE} === 'round'")
    # The first map shows the method's centers with their names, and the other one has none.
    act(page, "k.traits.centers = [[5, 5]]; k.traits.center_names = ['round']")
    act(page, "k.traits.center_colors = ['#0072B2']; k.tick(1)")
    first = "document.querySelector('.nbe-map').nbembedNames().groups.join()"
    page.wait_for_function(f"{first} === ''")
    page.wait_for_timeout(500)  # names are placed anew
    assert page.evaluate(NAMES_BESIDE) == "round"
    page.get_by_role("tab", name="Steer").click()
    page.get_by_role("checkbox", name="Names on the map").click()
    page.wait_for_function(f"{NAMES_BESIDE} === ''")


def test_names_of_points_are_where_the_points_are_on_each_map(open_explorer: Any) -> None:
    page = open_explorer(n=60, clusters=4, width=1000, named=True, color_by="class")
    run(page)
    page.get_by_role("tab", name="Compare").click()
    take(page, "before")
    compare(page, "before")
    beside = f"document.querySelector({json.dumps(BESIDE)})"
    page.wait_for_function(f"{beside}.nbembedNames().points.length > 5")
    act(page, "k.traits.parameters = {alpha: 0, rho: 0.5}; k.tick(400)")
    # A name is beside its own point, by half of its width, and off all others.
    page.wait_for_function(
        """map => { const all = Array.from({ length: 60 }, (_, i) => map.nbembedWhere(i));
             const { placed } = map.nbembedNames();
             return placed.length > 5 && placed.every(({ point, text, dx, dy, width }) => {
               const [x, y] = map.nbembedWhere(point);
               return text === `Point ${point}` && Math.hypot(dx, dy) < width / 2 + 20
                 && all.every(([u, v], i) => i === point || Math.abs(x + dx - u) >= width / 2 || Math.abs(y + dy - v) >= 6);
             }); }""",  # noqa: E501
        arg=page.query_selector(BESIDE),
    )
