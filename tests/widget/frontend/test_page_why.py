"""The panel Why in a real browser: what it asks, what it says, and what it draws on the map."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.widget.frontend.test_page import run, screen_of
from tests.widget.page import act, kernel, sent

HOSTILE = "<img src=x onerror=window.hacked=1>\u202e\x00 " + "W" * 500

#: A stand-in for the kernel's answers: point p has the neighbors p + 1 …, and simple forces.
ANSWERS = """
k.answers.neighborhood = ({ point, k: size }) => [
  { point, k: size, version: k.version, trustworthiness: 0.875, continuity: 0.5 },
  [Uint32Array.of(point + 1), Uint32Array.of(point + 2, point + 3), Uint32Array.of(point + 4),
   Uint32Array.of(22, 13), Uint32Array.of(101)],
];
k.answers.forces = ({ point }) => [
  { point, version: k.version, equation: "J = a\\nqᵢⱼ = exp(p̃)^(−1/α)", cost: 1.5, pinned: false,
    total: [0, 0], total_length: 0,
    terms: [
      { name: "entropy", formula: "h", role: "constant", cost: -2, force: [0, 0], length: 0 },
      { name: "attraction", formula: "a", role: "attraction", cost: 3, force: [2, 0], length: 2 },
      { name: "repulsion", formula: "r", role: "repulsion", cost: 0.5, force: [-2, 0], length: 2 },
    ] },
  [],
];
k.answers.measure = ({ measure: name, k: size }) => [
  { name, k: size, version: k.version, ready: true, mean: 0.5, made: 5, of: 5 },
  [Float32Array.from({ length: k.n }, (_, i) => i / (k.n - 1))],
];
k.answers.recurrence = () => [{ together: 4, ready: true, made: 5, of: 5 }, []];
k.made = true;
k.answers.unsupervised = () => (!k.made)
  ? [{ ready: false, iteration: 40, qualities: [] }, [new Float32Array(0)]]
  : [{ ready: true, iteration: 200, qualities: [
       { name: "trustworthiness", here: 0.9, unsupervised: 0.95 },
       { name: "stress", here: 0.25, unsupervised: 0.5 } ] },
     [k.positions.map((v, i) => v + (i % 2 ? 0 : 0.5))]];
"""


@pytest.fixture
def page(open_explorer: Any) -> Page:
    page = open_explorer(n=60, clusters=4, color_by="class", width=1000)
    run(page)
    act(page, ANSWERS)
    return page


def asked(page: Page, name: str = "") -> list[dict[str, Any]]:
    queries = kernel(page, "k.sent.filter(m => m.type === 'query')")
    return [q for q in queries if not name or q["name"] == name]


def open_why(page: Page) -> None:
    page.get_by_role("tab", name="Why").click()


def hover(page: Page, point: int) -> None:
    x, y = screen_of(page, point)
    page.mouse.move(x, y)


def near_color(page: Page, x: float, y: float, name: str) -> float:
    """Return how near the nearest overlay pixel around a place is to a color of why.css."""
    found = page.evaluate(
        """([x, y, name]) => {
          const canvas = document.querySelector(".nbe-overlay");
          const box = canvas.getBoundingClientRect();
          const ratio = canvas.width / box.width;
          const root = document.querySelector(".nbe");
          const text = getComputedStyle(root).getPropertyValue(`--nbe-why-${name}`).trim();
          const v = parseInt(text.slice(1), 16);
          const wanted = [v >> 16, (v >> 8) & 255, v & 255];
          const [px, py] = [Math.round((x - box.left) * ratio), Math.round((y - box.top) * ratio)];
          const { data } = canvas.getContext("2d").getImageData(px - 3, py - 3, 7, 7);
          let best = 1e9;
          for (let i = 0; i < data.length; i += 4) {
            if (data[i + 3] < 128) continue;
            best = Math.min(best, Math.hypot(...wanted.map((c, j) => c - data[i + j])));
          }
          return best;
        }""",
        [x, y, name],
    )
    return float(found)


def drawn(page: Page) -> None:
    page.evaluate("() => new Promise(r => requestAnimationFrame(() => requestAnimationFrame(r)))")


def test_the_card_leaves_the_drawing_around_its_point_to_be_seen(page: Page) -> None:
    open_why(page)
    tip, area = page.get_by_role("tooltip"), page.get_by_role("application", name="Map")
    box = area.bounding_box()
    assert box is not None
    middle = box["x"] + box["width"] / 2
    hover(page, 0)
    expect(page.get_by_role("region", name="Forces")).to_contain_text("sum")
    page.wait_for_timeout(300)  # for the map, which is as high as the panel beside it
    sides = set()
    for point in range(3):  # each of another cluster
        hover(page, point)
        expect(tip).to_be_visible()
        drawn(page)
        x, _ = screen_of(page, point)
        card = tip.bounding_box()
        assert card is not None
        left, right = card["x"], card["x"] + card["width"]
        assert left > middle if x < middle else right < middle, "it is on the other side"
        assert box["x"] <= left
        assert right <= box["x"] + box["width"]
        sides.add(x < middle)
    assert len(sides) == 2


def test_neighbors_are_listed_by_their_names(page: Page) -> None:
    act(page, "k.about = { all: { name: 'Ann' } }; k.nameOf = (p) => `Point of ${p}`")
    open_why(page)
    hover(page, 3)
    section = page.get_by_role("region", name="Neighborhood")
    expect(section).to_contain_text("Point of 5 22nd")
    expect(section).to_contain_text("Point of 7 101st")


def test_nothing_is_asked_while_the_panel_is_closed(page: Page) -> None:
    hover(page, 3)
    page.wait_for_timeout(250)
    assert asked(page) == []


def test_hovering_says_what_the_map_keeps_misses_and_invents(page: Page) -> None:
    open_why(page)
    expect(page.get_by_text("Point at a point on the map")).to_be_visible()
    hover(page, 3)
    section = page.get_by_role("region", name="Neighborhood")
    expect(section).to_contain_text("Neighbors of #3")
    expect(section).to_contain_text("1 kept")
    expect(section).to_contain_text("2 missing")
    expect(section).to_contain_text("1 false")
    expect(section).to_contain_text("Trustworthiness 0.875, continuity 0.500")
    expect(section).to_contain_text("#5 22nd")
    expect(section).to_contain_text("#6 13th")
    expect(section).to_contain_text("#7 101st")
    assert asked(page, "neighborhood")[-1]["arguments"] == {"point": 3, "k": 10}
    # The point stays explained when the pointer goes to the panel, and a neighbor opens its card.
    section.get_by_role("button", name="#5").click()
    page.wait_for_function("window.kernel.replied.show_cards === 1")
    expect(section).to_contain_text("Neighbors of #3")
    kinds = section.get_by_role("list").first.get_by_role("listitem")
    expect(kinds).to_have_text(
        [re.compile("^1 kept"), re.compile("^2 missing.*#5"), re.compile("^1 false.*#7")]
    )
    section.get_by_label("Size of neighborhoods").select_option("20")
    page.wait_for_function(
        "window.kernel.sent.some(m => m.name === 'neighborhood' && m.arguments.k === 20)"
    )


def test_lines_lead_to_the_neighbors_in_their_colors(page: Page) -> None:
    open_why(page)
    page.get_by_label("Forces as arrows").uncheck()
    hover(page, 3)
    expect(page.get_by_text("1 kept")).to_be_visible()
    page.mouse.move(2, 2)
    drawn(page)
    for kind, point in (("kept", 4), ("missing", 5), ("missing", 6), ("false", 7)):
        x, y = screen_of(page, point)
        assert near_color(page, x + 4, y, kind) < 40, kind  # the ring around the neighbor
    x, y = screen_of(page, 3)
    fx, fy = screen_of(page, 4)
    middle = (x + fx) / 2, (y + fy) / 2
    assert near_color(page, *middle, "kept") < 60
    page.get_by_label("Lines to neighbors").uncheck()
    drawn(page)
    assert near_color(page, *screen_of(page, 5), "missing") > 100
    count = len(asked(page, "neighborhood"))
    hover(page, 9)
    page.wait_for_timeout(250)
    assert len(asked(page, "neighborhood")) == count


def test_forces_are_arrows_and_a_table(page: Page) -> None:
    open_why(page)
    page.get_by_label("Lines to neighbors").uncheck()
    hover(page, 3)
    table = page.get_by_role("table", name="Terms of the cost, and their force on #3")
    expect(table).to_be_visible()
    rows = [row.split("\n") for row in table.locator("tr").all_inner_texts()]
    text = " ".join(" ".join(row) for row in rows)
    for part in ("entropy", "−2", "attraction", "3", "repulsion", "0.5", "sum", "1.5"):
        assert part in text, part
    equation = page.locator(".nbe-why-equation")
    expect(equation).to_contain_text("J = a")
    expect(equation.locator("sub")).to_have_text("ij")
    expect(equation.locator("sup")).to_have_text("−1/α")
    assert equation.locator("i").all_inner_texts() == ["J", "a", "q", "ij", "p̃", "α"]
    expect(page.get_by_role("region", name="Forces")).to_contain_text("α = 1")
    page.mouse.move(2, 2)
    drawn(page)
    x, y = screen_of(page, 3)
    assert near_color(page, x + 50, y, "attraction") < 40
    assert near_color(page, x - 50, y, "repulsion") < 40
    page.get_by_label("Forces as arrows").uncheck()
    drawn(page)
    assert near_color(page, x + 50, y, "attraction") > 100


def test_the_keyboard_cursor_explains_a_point(page: Page) -> None:
    open_why(page)
    page.locator(".nbe-map").focus()
    x, y = screen_of(page, 0)
    box = page.locator(".nbe-map").bounding_box()
    assert box
    dx = x - (box["x"] + box["width"] / 2)
    dy = y - (box["y"] + box["height"] / 2)
    page.keyboard.press("ArrowRight")
    for key, distance in (("Right" if dx > 0 else "Left", dx), ("Down" if dy > 0 else "Up", dy)):
        for _ in range(math.ceil(abs(distance) / 40)):
            page.keyboard.press(f"Shift+Arrow{key}")
    page.wait_for_function("window.kernel.sent.some(m => m.name === 'forces')")


def test_a_measure_colors_all_points(page: Page) -> None:
    open_why(page)
    assert asked(page, "measure") == []
    page.get_by_label("Color by a measure").select_option("stress")
    region = page.get_by_role("region", name="Measures of each point")
    expect(region).to_contain_text("Mean 0.5")
    assert sent(page, "color_by")[-1]["arguments"] == {"mode": "stress"}
    assert asked(page, "measure")[-1]["arguments"] == {"measure": "stress", "k": 10}
    ends = region.locator(".nbe-ramp span")
    expect(ends).to_have_text(["faithful0", "higher1"])
    # The choice is that of the other panel, too, and goes back to what there was.
    page.get_by_role("tab", name="Steer").click()
    expect(page.get_by_label("Color by", exact=True)).to_have_value("stress")
    expect(page.get_by_text("Mean 0.5")).to_be_visible()
    count = len(asked(page, "measure"))
    page.get_by_label("Color by", exact=True).select_option("class")
    expect(page.get_by_text("Mean 0.5")).to_have_count(0)
    run(page, 5)
    page.wait_for_timeout(400)
    assert len(asked(page, "measure")) == count


def test_an_end_of_the_scale_has_the_word_of_the_measure_only_at_its_end(page: Page) -> None:
    act(
        page,
        """k.answers.measure = ({ measure: name, k: size }) => [
          { name, k: size, version: k.version, ready: true, mean: 0.9, made: 5, of: 5 },
          [Float32Array.from({ length: k.n }, (_, i) => 0.75 + i / (4 * k.n - 4))]]""",
    )
    open_why(page)
    page.get_by_label("Color by a measure").select_option("trustworthiness")
    ends = page.get_by_role("region", name="Measures of each point").locator(".nbe-ramp span")
    expect(ends).to_have_text(["lower0.75", "high1"])


def test_numbers_of_a_column_have_the_same_decimals(page: Page) -> None:
    act(
        page,
        """const answer = k.answers.forces; k.answers.forces = (a) => {
          const [fields] = answer(a);
          const lengths = [0, 6.6e-4, 0.00314];
          const terms = fields.terms.map((term, i) => ({ ...term, length: lengths[i] }));
          return [{ ...fields, terms, total_length: 3.2e-9 }, []];
        };
        k.answers.unsupervised = () => [{ ready: true, iteration: 200, qualities: [
          { name: "kept", here: 0.7646, unsupervised: 0.7673 }] }, [k.positions]];""",
    )
    open_why(page)
    hover(page, 3)
    table = page.get_by_role("region", name="Forces").get_by_role("table")
    expect(table.locator("tr > :nth-child(3)")).to_have_text(
        ["Force", "", "0.00066", "0.00314", "0.00000"]
    )
    expect(table.locator("tr > :nth-child(2)")).to_have_text(
        ["Nats", "−2.00", "3.00", "0.50", "1.50"]
    )
    page.get_by_role("region", name="Without labels").get_by_role("button").click()
    moved = page.get_by_role("table", name="Qualities with and without labels").locator("td")
    expect(moved).to_have_text(["0.765", "0.767", "−0.002"])


def test_a_measure_that_is_not_ready_is_asked_for_again(page: Page) -> None:
    act(
        page,
        """k.tries = 0; k.made = false; k.answers.measure = ({ measure: name, k: size }) => [
          { name, k: size, version: ++k.tries && 0, ready: k.made, mean: k.made ? 0.25 : null,
            made: 5, of: 5 },
          [new Float32Array(k.made ? k.n : 0)]]""",
    )
    open_why(page)
    page.get_by_label("Color by a measure").select_option("kept")
    expect(page.get_by_text("Measuring …")).to_be_visible()
    page.wait_for_function("window.kernel.tries > 0")
    act(page, "k.made = true")
    expect(page.get_by_text("Mean 0.25")).to_be_visible()
    assert kernel(page, "k.tries") >= 2


def test_answers_follow_a_map_in_motion_at_a_pace(page: Page) -> None:
    open_why(page)
    hover(page, 3)
    expect(page.get_by_text("1 kept")).to_be_visible()
    before = len(asked(page, "forces"))
    act(page, "k.from = k.version; k.began = performance.now(); k.play()")
    page.wait_for_function("window.kernel.version >= window.kernel.from + 60")
    elapsed = page.evaluate(
        "() => { const k = window.kernel; k.pause(); return performance.now() - k.began; }"
    )
    # The last layout is asked about, too.
    page.wait_for_function(
        """() => { const k = window.kernel;
          const last = k.told.filter((t) => t.content.name === "forces").at(-1).content;
          return last.fields.version === k.version; }"""
    )
    assert 0 < len(asked(page, "forces")) - before <= elapsed / 250 + 2


def test_the_map_without_labels_is_one_click_away(page: Page) -> None:
    open_why(page)
    assert asked(page, "unsupervised") == []
    act(page, "k.made = false")
    button = page.get_by_role("button", name="Map without labels")
    button.click()
    expect(page.get_by_text("Making it: iteration 40")).to_be_visible()
    act(page, "k.made = true")
    table = page.get_by_role("table", name="Qualities with and without labels")
    expect(table).to_contain_text("trustworthiness")
    cells = [c.inner_text() for c in table.locator("tbody tr").first.locator("td").all()]
    assert cells == ["0.900", "0.950", "−0.050"]
    better = table.locator("td[data-better]").evaluate_all("all => all.map(e => e.dataset.better)")
    assert better == ["worse", "better"]  # of stress, less is better
    drawn(page)
    ghost = page.evaluate(
        """() => { const c = document.querySelector(".nbe-overlay");
          const { data } = c.getContext("2d").getImageData(0, 0, c.width, c.height);
          let n = 0; for (let i = 3; i < data.length; i += 4) n += data[i] > 60 && data[i] < 200;
          return n; }"""
    )
    assert ghost > 60
    button.click()
    expect(table).to_have_count(0)
    assert sent(page, "cancel") == []


def test_python_opens_the_panel_at_a_point_and_shows_the_map_without_labels(page: Page) -> None:
    why = page.get_by_role("tab", name="Why")
    act(page, "k.update({ explained: 7 })")
    expect(why).to_have_attribute("aria-selected", "true")
    page.wait_for_function(
        "window.kernel.sent.some((m) => m.name === 'forces' && m.arguments.point === 7)"
    )
    page.get_by_role("tab", name="Steer").click()
    act(page, "k.made = true; k.update({ unsupervised_shown: true })")
    expect(why).to_have_attribute("aria-selected", "true")
    table = page.get_by_role("table", name="Qualities with and without labels")
    expect(table).to_contain_text("trustworthiness")
    page.get_by_role("tab", name="Steer").click()
    expect(why).to_have_attribute("aria-selected", "false")  # a page goes its own way
    act(page, "k.update({ explained: -1, unsupervised_shown: false })")
    why.click()
    expect(table).to_have_count(0)
    page.get_by_role("button", name="Map without labels").click()
    page.wait_for_function("window.kernel.traits.unsupervised_shown === true")
    assert [m["arguments"] for m in sent(page, "show_unsupervised")] == [{"shown": True}]


def test_making_it_can_be_canceled(page: Page) -> None:
    act(
        page,
        "k.answers.unsupervised = () => "
        "[{ ready: false, iteration: 7, qualities: [] }, [new Float32Array(0)]]",
    )
    open_why(page)
    button = page.get_by_role("button", name="Map without labels")
    button.click()
    expect(page.get_by_text("Making it: iteration 7")).to_be_visible()
    expect(button).to_have_text("Cancel")
    button.click()
    page.wait_for_function("window.kernel.replied.cancel === 1")
    assert sent(page, "cancel")[0]["arguments"] == {"what": "unsupervised"}
    expect(button).to_have_text("Show on the map")
    count = len(asked(page, "unsupervised"))
    page.wait_for_timeout(700)
    assert len(asked(page, "unsupervised")) == count


def test_what_cannot_be_answered_is_said_as_text(page: Page) -> None:
    act(page, f"k.answers.forces = k.answers.neighborhood = () => {HOSTILE!r}")
    open_why(page)
    hover(page, 3)
    section = page.get_by_role("region", name="Forces")
    expect(section).to_contain_text("<img src=x")
    assert not page.evaluate("window.hacked")
    assert page.locator(".nbe-panel img").count() == 0


@pytest.mark.parametrize("width", [480, 680, 1000])
def test_the_panel_fits(open_explorer: Any, width: int) -> None:
    page = open_explorer(n=60, clusters=4, width=width)
    run(page)
    act(page, ANSWERS)
    open_why(page)
    hover(page, 3)
    expect(page.get_by_text("1 kept")).to_be_visible()
    page.get_by_role("button", name="Map without labels").click()
    expect(page.get_by_role("table", name="Qualities with and without labels")).to_be_visible()
    wide = page.evaluate(
        """() => [...document.querySelectorAll(".nbe-panel *")]
          .filter(e => e.scrollWidth > e.clientWidth + 1
                       && getComputedStyle(e).overflowX === "visible"
                       && e.clientWidth > 0 && getComputedStyle(e).display !== "inline")
          .map(e => e.className || e.tagName)"""
    )
    assert wide == []


def test_the_map_keeps_its_size_under_the_pointer_that_asks(page: Page) -> None:
    open_why(page)
    area = page.get_by_role("application", name="Map")
    before = area.bounding_box()
    for point in (3, 1, 3):
        hover(page, point)
        expect(page.get_by_role("region", name="Neighborhood")).to_contain_text(f"of #{point}")
        expect(page.get_by_role("region", name="Forces")).to_contain_text("sum")
        expect(page.get_by_role("tooltip")).to_contain_text(f"#{point}")
        assert area.bounding_box() == before
    page.get_by_label("Lines to neighbors").uncheck()
    after = page.get_by_role("region", name="Neighborhood").bounding_box()
    assert after is not None
    assert after["height"] < 200, "what is switched off takes no room"


# -- other maps -----------------------------------------------------------------------------------

PENDING = """
k.answers.measure = ({ measure: name, k: size }) => [
  { name, k: size, version: 0, ready: false, mean: null, made: 2, of: 5 }, [new Float32Array(0)]];
k.answers.recurrence = () => [{ together: 0, ready: false, made: 2, of: 5 }, []];
"""


def select(page: Page, points: list[int]) -> None:
    shown = f"Uint32Array.from({points}).buffer"
    act(page, f"k.update({{ selection: new DataView({shown}) }})")


def test_a_group_says_in_how_many_other_maps_it_is_together(open_explorer: Any) -> None:
    page = open_explorer(n=60, clusters=4, width=1000)
    run(page)
    act(page, ANSWERS)
    select(page, [1, 2, 3])
    page.get_by_role("tab", name="Group").click()
    button = page.get_by_role("button", name="In other maps")
    expect(button).to_be_visible()
    assert not asked(page, "recurrence")  # nothing is made before somebody asks
    button.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Together in 4 of 5 other maps")).to_be_visible()
    act(page, "k.answers.recurrence = () => [{ together: 0, ready: true, made: 5, of: 5 }, []]")
    select(page, [5, 6])
    expect(page.get_by_text("Together in none of 5 other maps")).to_be_visible()
    select(page, [5])
    expect(page.get_by_text("other maps")).to_have_count(0)


def test_other_maps_are_waited_for_and_canceled(page: Page) -> None:
    act(page, PENDING)
    select(page, [1, 2, 3])
    page.get_by_label("Color by", exact=True).select_option("stability")
    act(page, "k.update({ color_by: 'stability' })")
    expect(page.get_by_text("Making other maps: 2 of 5 …")).to_be_visible()
    page.get_by_role("button", name="Cancel (other maps)").click()
    assert [m["arguments"] for m in sent(page, "cancel")] == [{"what": "stability"}]
    act(page, "k.update({ color_by: 'class' })")
    expect(page.get_by_text("Making other maps")).to_have_count(0)
    page.get_by_role("tab", name="Group").click()
    page.get_by_role("button", name="In other maps").click()
    expect(page.get_by_text("Making other maps: 2 of 5 …")).to_be_visible()
    act(page, "k.answers.recurrence = () => [{ together: 5, ready: true, made: 5, of: 5 }, []]")
    expect(page.get_by_text("Together in 5 of 5 other maps")).to_be_visible()  # it was asked again
