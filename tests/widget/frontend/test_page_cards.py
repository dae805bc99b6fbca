"""Cards and names on the page: asked for when somebody looks, kept open, shown as text."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from tests.widget.frontend.test_page import run, screen_of
from tests.widget.frontend.test_page_suggestions import label_some
from tests.widget.page import act, kernel, sent

HOSTILE = "<img src=x onerror=window.hacked=1>\u202e\x00 " + "W" * 500


def png() -> list[int]:
    file = io.BytesIO()
    Image.fromarray(np.eye(8, dtype=np.uint8) * 255).save(file, "PNG")
    return list(file.getvalue())


def about() -> dict[str, Any]:
    """What the kernel knows of points; JSON, as it goes into the page."""
    rows = [{"title": f"column {k}", "text": f"value {k}"} for k in range(10)]
    near = [{"point": 5, "name": "Point 5", "distance": 0.25}]
    return {
        "all": {"rows": rows, "neighbors": near},
        "3": {"name": "Third", "rows": [{"title": "note", "text": "a b " * 40}], "image": png()},
        "7": {"name": HOSTILE, "rows": [{"title": HOSTILE, "text": HOSTILE}], "neighbors": []},
    }


@pytest.fixture
def page(open_explorer: Any) -> Page:
    page = open_explorer(n=40, clusters=4, named=True, about=about(), color_by="class", width=732)
    run(page)
    return page


def hover(page: Page, point: int) -> None:
    x, y = screen_of(page, point)
    page.mouse.move(x + 1, y + 1)


def asked(page: Page, kind: str) -> list[dict[str, Any]]:
    return list(kernel(page, f"k.sent.filter(m => m.type === '{kind}')"))


def names(page: Page) -> dict[str, list[str]]:
    return dict(page.evaluate("document.querySelector('.nbe-map').nbembedNames()"))


def open_cards(page: Page) -> list[int]:
    return list(page.evaluate("[...new Uint32Array(window.kernel.traits.cards.buffer)]"))


UNUSUAL = {
    "all": {
        "high": ["NKG7", "<b>GNLY</b>"],
        "low": ["CD3E"],
        "labeled": [{"name": "NK", "count": 8}, {"name": "T", "count": 2}],
    }
}


def test_a_card_says_what_is_unusual_but_no_labels_during_a_check(open_explorer: Any) -> None:
    page = open_explorer(n=400, clusters=4, about=UNUSUAL)
    run(page)
    act(page, "k.update({cards: new DataView(Uint32Array.of(38, 44).buffer)})")
    card = page.get_by_role("group", name="Card of point 38", exact=True)
    expect(card).to_contain_text("high: NKG7, <b>GNLY</b>")
    expect(card).to_contain_text("low: CD3E")
    expect(card).to_contain_text("Nearest labeled: 8 NK, 2 T")
    label_some(page)
    page.wait_for_function(  # labels have changed, and with them what is near
        "window.kernel.sent.filter(m => m.type === 'inspect' && m.point === 38).length === 2"
    )
    page.get_by_role("button", name="Suggestions", exact=True).click()
    page.get_by_role("button", name="check suggestions").click()
    expect(card).not_to_contain_text("Nearest labeled")  # it is among those that are checked
    expect(card).to_contain_text("high: NKG7")
    other = page.get_by_role("group", name="Card of point 44", exact=True)
    expect(other).to_contain_text("Nearest labeled")


def test_nothing_is_asked_until_a_point_is_looked_at(page: Page) -> None:
    assert asked(page, "inspect") == []
    hover(page, 3)
    card = page.get_by_role("tooltip")
    expect(card).to_contain_text("Third")
    expect(card).to_contain_text("#3")
    expect(card.locator("img")).to_have_attribute("alt", "Image of Third")
    assert card.locator("img").evaluate("e => e.naturalWidth") == 8
    assert [m["point"] for m in asked(page, "inspect")] == [3]
    page.mouse.move(2, 2)
    expect(card).to_have_count(0)
    hover(page, 3)
    expect(card).to_contain_text("Third")
    assert len(asked(page, "inspect")) == 1  # it is kept


def test_text_is_wrapped_and_cards_stay_on_the_map(page: Page) -> None:
    for point in range(8):
        hover(page, point)
        card = page.get_by_role("tooltip")
        expect(card.locator(".nbe-card-rows, bdi").first).to_be_visible()
        box, frame = card.bounding_box(), page.locator(".nbe-map").bounding_box()
        assert box is not None
        assert frame is not None
        assert box["width"] <= 250
        assert frame["x"] <= box["x"]
        assert box["x"] + box["width"] <= frame["x"] + frame["width"]
        assert frame["y"] <= box["y"]
        assert box["y"] + box["height"] <= frame["y"] + frame["height"]


def test_hostile_text_stays_text(page: Page) -> None:
    hover(page, 7)
    card = page.get_by_role("tooltip")
    expect(card).to_contain_text("<img src=x")
    x, y = screen_of(page, 7)
    page.mouse.click(x, y)
    opened = page.get_by_role("group", name="Card of <img src=x")
    expect(opened).to_be_visible()
    assert page.evaluate("window.hacked") is None
    assert "\u202e" not in opened.get_attribute("aria-label")
    assert opened.locator("img").count() == 0
    width = opened.bounding_box()
    assert width is not None
    assert width["width"] <= 250
    shown = names(page)
    assert all("\u202e" not in text and len(text) <= 30 for text in shown["points"])


def test_cards_are_kept_open_by_clicks_and_closed_again(page: Page) -> None:
    for point in (3, 16):  # neither lies under the card of the other
        page.mouse.click(*screen_of(page, point))
        page.mouse.move(2, 2)
    third = page.get_by_role("group", name="Card of Third")
    other = page.get_by_role("group", name="Card of Point 16")
    expect(third).to_be_visible()
    expect(other).to_contain_text("column 9")  # all of its rows
    page.wait_for_function("window.kernel.replied.show_cards === 2")
    assert open_cards(page) == [3, 16]
    one, two = third.bounding_box(), other.bounding_box()
    assert one is not None
    assert two is not None
    assert (one["x"], one["y"]) != (two["x"], two["y"])
    other.get_by_title("Open the card of Point 5").click()
    expect(page.get_by_role("group", name="Card of Point 5")).to_be_visible()
    third.get_by_role("button", name="Close the card of Third").click()
    expect(third).to_have_count(0)
    page.locator(".nbe-map").focus()
    page.keyboard.press("Escape")
    expect(page.locator(".nbe-card")).to_have_count(0)
    for count in (1, 0):
        page.mouse.click(*screen_of(page, 16))
        expect(page.locator(".nbe-card")).to_have_count(count)
    assert sent(page, "select") == []


def test_cards_come_again_once_the_metric_is_another(page: Page) -> None:
    page.mouse.click(*screen_of(page, 20))
    page.mouse.move(2, 2)
    card = page.get_by_role("group", name="Card of Point 20")
    expect(card).to_contain_text("0.25")
    act(page, "k.about.all.neighbors[0].distance = 0.75; k.update({quality_metric: 'cosine'})")
    expect(card).to_contain_text("0.75")


def test_cards_work_by_keyboard(page: Page) -> None:
    page.locator(".nbe-map").focus()
    page.keyboard.press("ArrowRight")
    point = page.evaluate(
        """() => { const map = document.querySelector('.nbe-map'), at = map.nbembedWhere;
             const [w, h] = [map.clientWidth / 2, map.clientHeight / 2];
             const far = (i) => Math.hypot(at(i)[0] - w, at(i)[1] - h);
             return [...Array(40).keys()].sort((i, j) => far(i) - far(j))[0]; }"""
    )
    x, y = page.evaluate(f"document.querySelector('.nbe-map').nbembedWhere({point})")
    size = page.evaluate("[...'wh'].map((_, k) => document.querySelector('.nbe-map')"
                         "[k ? 'clientHeight' : 'clientWidth'] / 2)")  # fmt: skip
    for key, distance in (("ArrowRight", x - size[0]), ("ArrowDown", y - size[1])):
        back = {"ArrowRight": "ArrowLeft", "ArrowDown": "ArrowUp"}[key]
        for _ in range(round(abs(distance) / 8)):
            page.keyboard.press(key if distance > 0 else back)
    expect(page.get_by_role("tooltip")).to_contain_text(f"#{point}")
    page.keyboard.press("i")
    card = page.locator(".nbe-card")
    expect(card).to_have_count(1)
    expect(page.locator(".nbe-spoken")).to_contain_text("Card of")
    page.keyboard.press("Tab")
    expect(card.get_by_role("button", name="Close the card")).to_be_focused()
    page.keyboard.press("Escape")
    expect(card).to_have_count(0)
    expect(page.locator(".nbe-map")).to_be_focused()
    page.keyboard.press("i")
    expect(card).to_have_count(1)
    page.keyboard.press("Escape")  # hides the cursor
    page.keyboard.press("Escape")
    expect(card).to_have_count(0)


def test_open_cards_come_from_python_and_survive_a_reload(page: Page) -> None:
    act(page, "k.update({cards: new DataView(Uint32Array.of(3).buffer)})")
    expect(page.get_by_role("group", name="Card of Third")).to_be_visible()
    page.evaluate("window.addView()")
    expect(page.get_by_role("group", name="Card of Third")).to_have_count(2)


def test_a_card_can_be_dragged_and_stays_on_the_map(page: Page) -> None:
    page.mouse.click(*screen_of(page, 3))
    card = page.get_by_role("group", name="Card of Third")
    expect(card.locator("img")).to_be_visible()
    before = card.bounding_box()
    assert before is not None
    page.mouse.move(before["x"] + 14, before["y"] + 8)
    page.mouse.down()
    page.mouse.move(before["x"] + 44, before["y"] + 28, steps=3)
    page.mouse.move(-500, -500, steps=3)
    page.mouse.up()
    frame, after = page.locator(".nbe-map").bounding_box(), card.bounding_box()
    assert frame is not None
    assert after is not None
    assert after["x"] == pytest.approx(frame["x"] + 4, abs=2)
    assert after["y"] == pytest.approx(frame["y"] + 4, abs=2)


def test_names_are_shown_where_there_is_room(page: Page) -> None:
    page.wait_for_function(
        "document.querySelector('.nbe-map').nbembedNames().points.includes('Third') ||"
        "document.querySelector('.nbe-map').nbembedNames().points.length > 3"
    )
    assert len(asked(page, "naming")) <= 3
    page.get_by_role("checkbox", name="Names on the map").click()
    page.wait_for_function("document.querySelector('.nbe-map').nbembedNames().points.length === 0")
    assert [m["arguments"] for m in sent(page, "show_names")] == [{"shown": False}]


def test_names_do_not_cover_each_other(open_explorer: Any) -> None:
    page = open_explorer(n=600, clusters=4, named=True, color_by="class")
    run(page)
    page.wait_for_function("document.querySelector('.nbe-map').nbembedNames().points.length > 9")
    places = page.evaluate(
        """() => { const map = document.querySelector('.nbe-map');
             return map.nbembedNames().placed.map(({point, dx, dy, width}) => {
               const [x, y] = map.nbembedWhere(point);
               return [point, x + dx, y + dy, width]; }); }"""
    )
    where = "i => document.querySelector('.nbe-map').nbembedWhere(i)"
    points = page.evaluate(f"Array.from({{length: 600}}, (_, i) => ({where})(i))")
    for own, x, y, width in places:
        for other, u, v, length in places:
            apart = abs(x - u) >= (width + length) / 2 or abs(y - v) >= 12
            assert own == other or apart
        for i, (u, v) in enumerate(points):
            assert i == own or abs(x - u) > width / 2 or abs(y - v) > 6


def test_classes_are_named_at_their_centers(open_explorer: Any) -> None:
    page = open_explorer(n=400, clusters=4)
    run(page)
    shown = "document.querySelector('.nbe-map').nbembedNames().groups.sort().join()"
    page.wait_for_function(f"{shown} === '0,1,2,3'")  # the column's categories
    act(page, "k.addClass('round'); k.cluster(1).forEach(i => k.codes[i] = 0)")
    act(page, "k.supervised('x'); k.update({color_by: 'class'})")
    page.wait_for_function(f"{shown} === 'round'")
    page.get_by_role("checkbox", name="Names on the map").click()
    page.wait_for_function(f"{shown} === ''")


#: Of each class, how many of its points its name covers, and whether the name is in the map.
BURIED = """map => map.nbembedNames().placedGroups.map(({text, point, dx, dy}) => {
  const own = window.kernel.cluster(Number(text));
  const seen = own.map(i => map.nbembedWhere(i));
  const [left, top] = map.nbembedWhere(point);
  const covers = ([u, v]) => Math.abs(u - left - dx) < 8 && Math.abs(v - top - dy) < 7;
  return [text, seen.filter(covers).length / own.length, dx !== 0 || dy !== 0];
})"""


def test_a_name_does_not_bury_a_class_that_is_hardly_larger(open_explorer: Any) -> None:
    page = open_explorer(n=400, clusters=4)
    run(page)
    settled = "document.querySelector('.nbe-map').nbembedNames().placedGroups"
    page.wait_for_function(f"{settled}.length === 4 && {settled}.every(g => !g.dx && !g.dy)")
    # All points of a class within a few pixels, as heavy tails leave them.
    act(
        page,
        "const middles = [0, 1, 2, 3].map(c => k.cluster(c)[0]).map(i =>"
        " [k.positions[2 * i], k.positions[2 * i + 1]]);"
        "k.positions.forEach((v, i) => { k.positions[i] ="
        " middles[k.truth[i >> 1]][i % 2] + 0.01 * (v - middles[k.truth[i >> 1]][i % 2]); });"
        "k.frame()",
    )
    page.wait_for_function(f"{settled}.length === 4 && {settled}.every(g => g.dx || g.dy)")
    page.get_by_role("button", name="Fit view", exact=True).click()
    page.wait_for_timeout(500)  # names are placed a few times a second
    found = page.locator(".nbe-map").evaluate(BURIED)
    assert sorted(text for text, _, _ in found) == ["0", "1", "2", "3"]
    for _, covered, beside in found:
        assert beside
        assert covered == 0


def test_a_name_that_a_center_or_direction_bears_is_not_written_twice(open_explorer: Any) -> None:
    page = open_explorer(n=400, clusters=4)
    run(page)
    shown = "document.querySelector('.nbe-map').nbembedNames().groups.sort().join()"
    page.wait_for_function(f"{shown} === '0,1,2,3'")
    act(page, "k.frame({centers: [[9, 0], [0, 9]], center_names: ['1', 'other']})")
    page.wait_for_function(f"{shown} === '0,2,3'")
    act(page, "k.frame({centers: [], center_names: []}); k.addClass('2'); k.addClass('3')")
    page.wait_for_function(f"{shown} === '0,1,2,3'")
    # The second direction is orthogonal to the plane and has no ray, so no name either.
    act(page, "k.update({directions: [[1, 0], [0.01, 0]]})")
    page.wait_for_function(f"{shown} === '0,1,3'")


def test_what_is_embedded_is_said(open_explorer: Any) -> None:
    note = "2 of 5 columns are embedded, standardized: height, <b>rings"
    page = open_explorer(n=20, data_note=note)
    expect(page.get_by_text(note, exact=True)).to_be_visible()
    assert page.locator(".nbe-note b").count() == 0


def test_a_kernel_that_is_gone_is_asked_nothing(open_explorer: Any) -> None:
    page = open_explorer(n=40, clusters=4, named=True, about=about())
    run(page)
    act(page, "k.end('event', 'comm:close')")
    before = len(asked(page, "inspect"))
    hover(page, 3)
    card = page.get_by_role("tooltip")
    expect(card).to_contain_text("#3")
    page.mouse.click(*screen_of(page, 3))
    expect(page.locator(".nbe-card")).to_have_count(1)
    assert len(asked(page, "inspect")) == before


def test_a_class_in_pieces_is_named_on_one_of_them(open_explorer: Any) -> None:
    page = open_explorer(n=400, clusters=4)
    run(page)
    act(
        page,
        "const own = k.cluster(2), places = [[-3, 0], [3, 0], [0, 5]];"
        "own.forEach((i, at) => { const [x, y] = places[at % 3];"
        " k.positions[2 * i] = x + 0.3 * Math.cos(at);"
        " k.positions[2 * i + 1] = y + 0.3 * Math.sin(at); });"
        "k.positions[2 * own[0]] = 0; k.positions[2 * own[0] + 1] = 0.5;"
        "k.frame()",
    )
    page.wait_for_function(
        """() => { const named = document.querySelector('.nbe-map').nbembedNames().placedGroups
             .find(({text}) => text === '2');
             if (!named) return false;
             const at = window.kernel.positions.slice(2 * named.point, 2 * named.point + 2);
             return Math.min(...[[-3, 0], [3, 0], [0, 5]]
               .map(([x, y]) => Math.hypot(at[0] - x, at[1] - y))) < 0.35; }"""
    )


def test_names_keep_off_the_centers_of_a_method_and_their_names(open_explorer: Any) -> None:
    page = open_explorer(n=60, clusters=4, named=True, color_by="class")
    run(page)
    page.wait_for_function("document.querySelector('.nbe-map').nbembedNames().points.length > 9")
    # A center on each of ten points, where the names of points would begin.
    act(
        page,
        "const at = Array.from({length: 10}, (_, i) => i);"
        "k.frame({centers: at.map(i => [k.positions[2 * i], k.positions[2 * i + 1]]),"
        " center_names: at.map(() => 'center')})",
    )
    page.wait_for_function(
        """() => { const map = document.querySelector('.nbe-map');
          const named = map.nbembedNames().placed;
          const centers = Array.from({length: 10}, (_, i) => map.nbembedWhere(i));
          return named.length > 3 && !named.some(({point, dx, dy, width}) => {
            const [x, y] = map.nbembedWhere(point);
            const left = x + dx - width / 2, right = left + width;
            return centers.some(([u, v]) =>
              Math.abs(y + dy - v) < 12 && left < u + 45 && right > u - 7);
          }); }"""
    )


def test_a_long_cell_of_an_open_card_is_cut_until_asked_for(open_explorer: Any) -> None:
    rows = [{"title": "note", "text": "long " * 2000}, {"title": "lines", "text": "a\n" * 40},
            {"title": "last", "text": "short"}]  # fmt: skip
    page = open_explorer(n=40, named=True, about={"all": {"rows": rows, "neighbors": []}})
    act(page, "k.update({ cards: new DataView(Uint32Array.of(3).buffer) })")
    card = page.get_by_role("group", name="Card of")
    cells = card.get_by_role("listitem").locator(".nbe-card-value")
    expect(cells.nth(2)).to_have_text("short")
    heights = [cells.nth(k).evaluate("e => e.offsetHeight") for k in range(2)]
    assert max(heights) < 200
    cells.first.get_by_role("button", name="more").click()
    expect(cells.first).to_contain_text("long " * 1990)
    cells.first.get_by_role("button", name="less").click()
    assert cells.first.evaluate("e => e.offsetHeight") == heights[0]
