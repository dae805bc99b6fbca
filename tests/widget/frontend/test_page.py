"""The front end in a real browser, with a stand-in for the kernel."""

from __future__ import annotations

import base64
import json
import math
import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import places
from tests.widget.page import DARK, act, kernel, sent


def run(page: Page, iterations: int = 200) -> None:
    """Let the toy map come to rest, and wait until that is drawn."""
    version = kernel(page, f"(k.tick({iterations}), k.version)")
    page.wait_for_function(f"window.frames.some(f => f.version === {version})")


def screen_of(page: Page, point: int) -> tuple[float, float]:
    """Return where on the page a point is drawn, as the map's own camera has it."""
    return places.screen_of(page.locator(".nbe-map").first, point)


def screens_of(page: Page, points: list[int]) -> list[tuple[float, float]]:
    """Return where on the page points are drawn: asked for in one go, since each time costs."""
    found = page.locator(".nbe-map").first.evaluate(
        f"(map, points) => points.map((i) => ({places.WHERE})(map, i))", points
    )
    return [(x, y) for x, y in found]


def lasso_around(page: Page, points: list[int], margin: float = 12) -> None:
    """Draw a closed loop around points with the mouse."""
    found = screens_of(page, points)
    left, right = min(x for x, _ in found), max(x for x, _ in found)
    top, bottom = min(y for _, y in found), max(y for _, y in found)
    cx, cy = (left + right) / 2, (top + bottom) / 2
    rx = (right - left) / math.sqrt(2) + margin
    ry = (bottom - top) / math.sqrt(2) + margin
    for step in range(41):
        angle = 2 * math.pi * step / 40
        page.mouse.move(cx + rx * math.cos(angle), cy + ry * math.sin(angle))
        if step == 0:
            page.mouse.down()
    page.mouse.up()


def selection(page: Page) -> list[int]:
    found = page.evaluate("[...new Uint32Array(window.kernel.traits.selection.buffer)]")
    return list(found)


def selected(page: Page, times: int) -> None:
    """Wait until the kernel has taken so many selections."""
    page.wait_for_function(f"window.kernel.replied.select === {times}")


def moved(page: Page, before: tuple[float, float], point: int = 0) -> None:
    """Wait until a point is drawn elsewhere."""
    page.wait_for_function(
        f"""([x, y, i]) => {{
          const [u, v] = ({places.WHERE})(document.querySelector('.nbe-map'), i);
          return Math.hypot(u - x, v - y) > 1; }}""",
        arg=[*before, point],
    )


@pytest.fixture
def page(open_explorer: Any) -> Page:
    """An Explorer at rest, clusters well apart."""
    page = open_explorer(n=400, clusters=4, parameters={"alpha": 2, "rho": 0.5})
    run(page)
    return page


def test_every_control_has_a_role_and_a_name(page: Page) -> None:
    kernel(page, "k.addClass('seven')")
    page.locator(".nbe-map").focus()
    page.keyboard.press("Control+a")  # brings the buttons for a selection
    for name in (
        "Play", "Step", "Reset", "Undo", "Redo", "Pan", "Lasso", "Fit view", "Help", "Add class",
        "Label 400 as ‘seven’ (label selection)", "Must-link selection", "Forget",
    ):  # fmt: skip
        expect(page.get_by_role("button", name=name, exact=True)).to_have_count(1)
    for name in ("α", "ρ", "Confidence"):
        expect(page.get_by_role("slider", name=name, exact=True)).to_have_count(1)
    for name in ("Method", "Color by"):
        expect(page.get_by_role("combobox", name=name)).to_have_count(1)
    expect(page.get_by_role("radiogroup", name="Class")).to_have_count(1)
    expect(page.get_by_role("radio", name="seven")).to_be_checked()
    nameless = page.evaluate(
        """[...document.querySelectorAll('.nbe button, .nbe input, .nbe select')]
           .filter(e => !(e.getAttribute('aria-label') || e.textContent.trim())).length"""
    )
    assert nameless == 0


def test_the_root_keeps_jupyter_shortcuts_out(page: Page) -> None:
    root = page.locator(".nbe")
    expect(root).to_have_attribute("tabindex", "0")
    expect(root).to_have_attribute("data-lm-suppress-shortcuts", "true")
    expect(root).to_have_attribute("data-jp-suppress-context-menu", "true")


SHADOW = """async () => {
  const host = document.createElement("div");
  document.getElementById("cell").append(host);
  const el = document.createElement("div");
  const root = host.attachShadow({ mode: "open" });
  for (const style of document.querySelectorAll("style")) root.append(style.cloneNode(true));
  root.append(el);
  window.cleanups.pop()();
  document.querySelector(".output").remove();
  window.cleanups.push(await window.widget.render({ model: window.kernel.model(), el }));
}"""


def test_focus_counts_inside_a_shadow_tree(page: Page) -> None:
    page.evaluate(SHADOW)
    act(page, "k.frame()")
    chart = page.get_by_role("application", name="Map")
    apart = "(e) => e.nbembedWhere(3)[0] - e.nbembedWhere(0)[0]"
    chart.click(position={"x": 10, "y": 10})
    before = chart.evaluate(apart)
    page.mouse.wheel(0, -300)
    act(page, "0")
    assert abs(chart.evaluate(apart)) > 1.1 * abs(before)
    page.get_by_role("button", name="Add class").click()
    page.keyboard.type("inside")
    page.keyboard.press("Enter")
    expect(page.get_by_role("radio", name="inside")).to_be_checked()
    expect(page.get_by_role("group", name="Embedding explorer")).to_be_focused()


def test_the_theme_is_that_of_the_host(open_explorer: Any) -> None:
    page = open_explorer(n=20)
    for mark, theme in (
        ("document.body.dataset.theme = 'dark'", "dark"),
        ("document.body.dataset.theme = 'light'", "light"),
        ("document.body.classList.add('dark')", "dark"),
        ("document.body.classList.add('vscode-dark')", "dark"),
        ("document.body.classList.add('vscode-high-contrast')", "dark"),
        (
            "document.body.classList.add('vscode-high-contrast', 'vscode-high-contrast-light')",
            "light",
        ),
        ("document.documentElement.dataset.theme = 'dark'", "dark"),
    ):
        other = "light" if theme == "dark" else "dark"
        page.emulate_media(color_scheme=other)
        expect(page.locator(".nbe")).to_have_attribute("data-theme", other)
        page.evaluate(mark)
        expect(page.locator(".nbe")).to_have_attribute("data-theme", theme)
        page.evaluate("document.body.className = ''; delete document.body.dataset.theme")


def test_frames_are_drawn_acknowledged_and_announced(page: Page) -> None:
    before = kernel(page, "k.acks")
    act(page, "k.play()")
    page.wait_for_function(f"window.kernel.acks > {before + 10}")
    act(page, "k.pause()")
    versions = page.evaluate("window.frames.map(f => f.version)")
    assert versions == sorted(versions)
    acks = [m["seq"] for m in kernel(page, "k.sent.filter(m => m.type === 'ack')")]
    assert acks == sorted(set(acks))


def test_a_page_without_a_view_acknowledges_all_the_same(page: Page) -> None:
    page.evaluate("window.cleanups.pop()()")
    expect(page.locator(".nbe")).to_have_count(0)
    last = kernel(page, "k.sent.filter(m => m.type === 'visible').pop().visible")
    assert last is False
    seq = kernel(page, "k.frame()")
    page.wait_for_function(f"window.kernel.sent.some(m => m.type === 'ack' && m.seq === {seq})")


def test_frames_that_come_together_are_acknowledged_together(page: Page) -> None:
    page.evaluate("window.cleanups.pop()()")
    first, last = page.evaluate(
        """() => {
            const seqs = [];
            for (let i = 0; i < 6; i++) seqs.push(window.kernel.frame());
            return [seqs[0], seqs[5]];
        }"""
    )
    acks = "window.kernel.sent.filter(m => m.type === 'ack').map(m => m.seq)"
    page.wait_for_function(f"{acks}.includes({last})")
    assert sum(seq >= first for seq in page.evaluate(acks)) <= 2


def test_cleaning_up_leaves_no_listener_and_says_goodbye(page: Page) -> None:
    assert kernel(page, "k.listening") > 20
    page.evaluate("window.cleanups.reverse().forEach(f => f())")
    assert kernel(page, "k.listening") == 0
    assert kernel(page, "k.sent.pop().type") == "bye"


def test_a_dragged_slider_sends_the_latest_value_and_its_effect_is_timed(page: Page) -> None:
    act(page, "k.play()")
    slider = page.get_by_role("slider", name="α")
    for value in ("0.2", "0.4", "0.6", "0.8"):
        slider.fill(value)
    page.wait_for_function("window.kernel.traits.parameters.alpha === 0.8")
    page.wait_for_function("window.frames.some(f => f.causes.some(c => c.name === 'set'))")
    causes = page.evaluate("window.frames.flatMap(f => f.causes).filter(c => c.name === 'set')")
    assert len(causes) <= 4
    assert all(c["latency"] > 0 for c in causes)
    assert page.evaluate("performance.getEntriesByType('measure').length") >= len(causes)
    expect(slider).to_have_value("0.8")


def test_sliders_answer_to_the_keyboard(page: Page) -> None:
    slider = page.get_by_role("slider", name="α")
    slider.focus()
    page.keyboard.press("ArrowLeft")
    page.wait_for_function("window.kernel.traits.parameters.alpha < 2")
    assert sent(page, "set")[-1]["arguments"]["alpha"] == pytest.approx(1.98)


def test_a_logarithmic_slider_sends_its_value_and_not_its_position(page: Page) -> None:
    act(
        page,
        """k.update({controls: [{name: 'lam', symbol: 'λ', low: 0.2, high: 20, scale: 'log',
           step: 0, usual: 2, enabled: true, description: '', needs: ''}],
           parameters: {lam: 2}})""",
    )
    slider = page.get_by_role("slider", name="λ")
    assert float(slider.input_value()) == pytest.approx(0.5, abs=0.01)
    slider.fill("1")
    page.wait_for_function("window.kernel.traits.parameters.lam === 20")
    expect(slider).to_have_attribute("aria-valuetext", "20.0")


def test_a_slider_without_effect_is_disabled_and_says_why(page: Page) -> None:
    expect(page.get_by_role("slider", name="ρ")).to_be_disabled()
    expect(page.get_by_text("Active once two points share a label or a link")).to_be_visible()
    name = page.locator(".nbe-off .nbe-control-name")
    expect(name).to_have_text("how much labels and links count")


def test_lasso_selects_adds_and_subtracts(page: Page) -> None:
    page.get_by_role("button", name="Lasso").click()
    one, two = kernel(page, "k.cluster(1)"), kernel(page, "k.cluster(2)")
    lasso_around(page, one)
    selected(page, 1)
    assert set(one) <= set(selection(page))
    assert not set(selection(page)) & set(two)
    page.keyboard.down("Shift")
    lasso_around(page, two)
    page.keyboard.up("Shift")
    selected(page, 2)
    assert set(one) | set(two) <= set(selection(page))
    page.keyboard.down("Alt")
    lasso_around(page, one)
    page.keyboard.up("Alt")
    selected(page, 3)
    assert not set(selection(page)) & set(one)
    assert set(two) <= set(selection(page))
    expect(page.get_by_role("status")).to_contain_text("selected")


def test_shift_does_not_start_a_lasso_with_the_pan_tool(page: Page) -> None:
    page.keyboard.down("Shift")
    lasso_around(page, kernel(page, "k.cluster(1)"))
    page.keyboard.up("Shift")
    assert sent(page, "select") == []


def test_labeling_a_selection_by_mouse(page: Page) -> None:
    page.get_by_role("button", name="Add class").click()
    page.get_by_role("textbox", name="New class").fill("seven")
    page.keyboard.press("Enter")
    expect(page.get_by_role("radio", name="seven")).to_be_checked()
    page.get_by_role("button", name="Lasso").click()
    lasso_around(page, kernel(page, "k.cluster(3)"))
    page.get_by_role("slider", name="Confidence").fill("0.8")
    button = page.get_by_role("button", name="Label selection")
    expect(button).to_contain_text("as ‘seven’")
    button.click()
    page.wait_for_function("window.kernel.commands('label').length === 1")
    command = sent(page, "label")[0]
    assert command["arguments"] == {"class": "seven", "confidence": 0.8}
    assert set(kernel(page, "k.cluster(3)")) <= set(command["points"])
    expect(page.get_by_role("button", name="Select all of seven")).to_contain_text(
        str(len(command["points"]))
    )
    expect(page.get_by_role("slider", name="ρ")).to_be_enabled()


def test_labeling_without_a_class_asks_for_its_name(page: Page) -> None:
    page.locator(".nbe-map").focus()
    page.keyboard.press("Control+a")
    page.get_by_role("button", name="Label selection").click()
    page.keyboard.type("all")
    page.keyboard.press("Enter")
    page.wait_for_function("window.kernel.commands('label').length === 1")
    assert sent(page, "label")[0]["arguments"]["class"] == "all"
    assert len(sent(page, "label")[0]["points"]) == 400


def test_a_class_can_be_used_before_the_kernel_lists_it(page: Page) -> None:
    page.locator(".nbe-map").focus()
    page.keyboard.press("Control+a")
    page.wait_for_function("window.kernel.commands('select').length === 1")
    act(page, "k.silent = true")
    page.get_by_role("button", name="Add class").click()
    page.keyboard.type("late")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Label selection").click()
    page.wait_for_function("window.kernel.commands('label').length === 1")
    assert sent(page, "label")[0]["arguments"]["class"] == "late"
    expect(page.get_by_role("textbox", name="New class")).to_have_count(0)


def test_everything_by_keyboard(page: Page) -> None:
    act(page, "k.addClass('a')")
    act(page, "k.addClass('b')")
    page.locator(".nbe").focus()
    page.keyboard.press("2")
    expect(page.get_by_role("radio", name="b")).to_be_checked()
    page.keyboard.press("ArrowRight")
    x, y = screen_of(page, 5)
    box = page.locator(".nbe-map").bounding_box()
    assert box is not None
    across = round((x - box["x"] - box["width"] / 2) / 8)
    down = round((y - box["y"] - box["height"] / 2) / 8)
    for _ in range(abs(across)):
        page.keyboard.press("ArrowRight" if across > 0 else "ArrowLeft")
    for _ in range(abs(down)):
        page.keyboard.press("ArrowDown" if down > 0 else "ArrowUp")
    expect(page.locator(".nbe-spoken")).to_contain_text("Point")
    page.keyboard.press("Space")
    page.wait_for_function("window.kernel.commands('select').length === 1")
    assert len(sent(page, "select")[0]["points"]) == 1
    page.keyboard.press("Enter")
    page.wait_for_function("window.kernel.traits.undo === 'label 1 point as b'")
    page.keyboard.press("Control+z")
    page.wait_for_function("window.kernel.commands('undo').length === 1")
    page.wait_for_function("window.kernel.traits.redo !== ''")
    page.keyboard.press("Control+Shift+z")
    page.wait_for_function("window.kernel.commands('redo').length === 1")
    # Labeled points make room; undo selects them again, and redo makes room once more.
    page.wait_for_function("window.kernel.commands('select').length === 4")
    assert [len(m["points"]) for m in sent(page, "select")] == [1, 0, 1, 0]
    page.keyboard.press("Escape")  # the cursor
    page.keyboard.press("Space")
    page.wait_for_function("window.kernel.commands('play').length === 1")
    page.keyboard.press("Control+a")
    page.keyboard.press("Escape")  # the selection
    page.wait_for_function("window.kernel.commands('select').length === 6")
    assert sent(page, "select")[5]["points"] == []
    page.keyboard.press("s")
    page.wait_for_function("window.kernel.commands('step').length === 1")
    page.keyboard.press("l")
    expect(page.get_by_role("button", name="Lasso")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("p")
    expect(page.get_by_role("button", name="Pan")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("F2")
    page.get_by_role("textbox", name="Class name").fill("bee")
    page.keyboard.press("Enter")
    expect(page.get_by_role("radio", name="bee")).to_be_checked()


def test_keys_do_nothing_while_the_widget_has_no_focus(page: Page) -> None:
    page.locator("#below").click()
    before = len(kernel(page, "k.sent"))
    for key in ("Space", "s", "l", "Control+z", "Control+a", "Enter", "1"):
        page.keyboard.press(key)
    assert len(kernel(page, "k.sent")) == before


def test_must_link_and_forget(page: Page) -> None:
    page.locator(".nbe-map").focus()
    page.keyboard.press("Control+a")
    page.get_by_role("button", name="Must-link selection").click()
    page.wait_for_function("window.kernel.traits.links.length === 1")
    page.get_by_role("button", name="Forget").click()
    page.wait_for_function("window.kernel.traits.links.length === 0")


def test_the_wheel_scrolls_the_page_until_the_map_has_the_focus(page: Page) -> None:
    box = page.locator(".nbe-map").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 200, box["y"] + 200)
    before = screen_of(page, 0)
    page.mouse.wheel(0, -300)
    expect(page.get_by_text("Click the map")).to_be_visible()
    assert screen_of(page, 0) == before
    page.mouse.click(box["x"] + 200, box["y"] + 200)
    page.mouse.wheel(0, -300)
    moved(page, before)
    zoomed = screen_of(page, 0)
    act(page, "k.frame()")
    assert screen_of(page, 0) == zoomed, "the view stays where the person put it"
    page.get_by_role("button", name="Fit view").click()
    moved(page, zoomed)
    assert screen_of(page, 0) == pytest.approx(before)


def test_a_view_without_points_says_so_and_leads_back(page: Page) -> None:
    before = screen_of(page, 0)
    box = page.locator(".nbe-map").bounding_box()
    assert box is not None
    for _ in range(2):
        page.mouse.move(box["x"] + 10, box["y"] + 100)
        page.mouse.down()
        page.mouse.move(box["x"] + box["width"] - 10, box["y"] + 100, steps=3)
        page.mouse.up()
    empty = page.get_by_text("No points here")
    expect(empty).to_be_visible()
    page.get_by_text("Fit view", exact=True).click()
    expect(empty).to_have_count(0)
    assert screen_of(page, 0) == pytest.approx(before)
    expect(page.get_by_role("application")).to_be_focused()


def test_dragging_pans(page: Page) -> None:
    x, y = screen_of(page, 0)
    box = page.locator(".nbe-map").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 100, box["y"] + 100)
    page.mouse.down()
    page.mouse.move(box["x"] + 160, box["y"] + 80, steps=4)
    page.mouse.up()
    moved(page, (x, y))
    assert screen_of(page, 0) == pytest.approx((x + 60, y - 20), abs=2)


def test_hover_tells_the_point_as_text(open_explorer: Any) -> None:
    page = open_explorer(n=40, clusters=4)
    act(page, "k.addClass('<img src=x onerror=window.hacked=1>')")
    act(page, "k.codes.fill(0)")
    act(page, "k.supervised('x')")
    run(page)
    x, y = screen_of(page, 7)
    page.mouse.move(x + 1, y + 1)
    tip = page.get_by_role("tooltip")
    expect(tip).to_contain_text("#7")
    expect(tip).to_contain_text("<img src=x")
    expect(tip).to_contain_text("digit: 3")
    assert page.evaluate("window.hacked") is None


def test_two_views_agree_and_keep_their_own_zoom(page: Page) -> None:
    page.evaluate("window.addView()")
    views = page.locator(".nbe")
    expect(views).to_have_count(2)
    first, second = views.nth(0), views.nth(1)
    first.locator(".nbe-map").focus()
    page.keyboard.press("Control+a")
    expect(second.get_by_text("400 selected")).to_be_visible()
    act(page, "k.addClass('both')")
    expect(first.get_by_role("radio", name="both")).to_have_count(1)
    expect(second.get_by_role("radio", name="both")).to_have_count(1)
    first.locator(".nbe-map").focus()
    before = screen_of(page, 0)
    page.keyboard.press("+")
    moved(page, before)
    where = page.evaluate(
        "[...document.querySelectorAll('.nbe-map')].map(m => m.nbembedWhere(0).join())"
    )
    assert where[0] != where[1]


def test_a_refused_command_and_a_failed_run_are_told(page: Page) -> None:
    act(page, "(k.refuse = 'alpha must be at least 0', 0)")
    page.get_by_role("slider", name="α").fill("0.5")
    alert = page.get_by_role("alert")
    expect(alert).to_have_text("alpha must be at least 0")
    page.get_by_role("button", name="Dismiss").click()
    expect(alert).to_have_count(0)
    act(page, "k.update({state: 'failed', error: 'MemoryError: too much'})")
    expect(alert).to_contain_text("MemoryError: too much")
    expect(alert).to_contain_text("kept")


def test_no_notice_moves_the_map(page: Page) -> None:
    map_ = page.get_by_role("application", name="Map")
    before = map_.bounding_box()
    act(page, "(k.refuse = 'alpha must be at least 0', 0)")
    page.get_by_role("slider", name="α").fill("0.5")
    expect(page.get_by_role("alert")).to_have_count(1)
    act(page, "k.update({remark: 'Duplicates', save_error: 'The disk is full'})")
    expect(page.locator(".nbe-notice")).to_have_count(3)
    assert map_.bounding_box() == before


def test_a_worse_optimum_is_told_and_a_new_start_offered(page: Page) -> None:
    act(page, "k.update({worse_optimum: 'A new start reaches 0.6; this map rests at <b>0.7</b>'})")
    notice = page.locator(".nbe-notice")
    expect(notice).to_contain_text("this map rests at <b>0.7</b>.")
    page.get_by_role("button", name="Start over").click()
    page.wait_for_function("window.kernel.commands('play').length === 1")
    assert len(sent(page, "reset")) == 1
    act(page, "k.update({worse_optimum: ''})")
    expect(notice).to_have_count(0)


def test_the_annealing_path_is_scrubbed_by_keys_and_pointer(page: Page) -> None:
    act(
        page,
        "k.update({path_symbol: 'λ', path: [0, 1, 2, 3]"
        ".map(i => ({value: 8 / 2 ** i, criterion: i ? i : null}))})",
    )
    strip = page.get_by_role("slider", name="Annealing path")
    expect(page.locator(".nbe-path .nbe-value")).to_have_text("best 1.000")
    expect(strip).to_have_attribute("aria-valuetext", "the best, λ 1.000")
    strip.focus()
    page.keyboard.press("Home")
    page.wait_for_function("window.kernel.traits.chosen_step === 0")
    page.keyboard.press("ArrowRight")
    page.wait_for_function("window.kernel.traits.chosen_step === 1")
    expect(strip).to_have_attribute("aria-valuetext", "λ 4.000, criterion 1.000")
    expect(page.locator(".nbe-path .nbe-value")).to_have_text("4.000")
    box = strip.bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] - 3, box["y"] + 10)
    page.wait_for_function("window.kernel.traits.chosen_step === 3")


def test_bars_of_the_path_differ_where_criteria_differ_by_little(page: Page) -> None:
    act(
        page,
        "k.update({path_symbol: 'λ', path: [1795.5, 1797.5, null, 1796.5]"
        ".map((criterion, i) => ({value: 8 / 2 ** i, criterion}))})",
    )
    heights = page.locator(".nbe-bar i").evaluate_all("all => all.map(e => e.style.height)")
    assert [round(float(h.rstrip("%"))) for h in heights] == [16, 100, 6, 58]


def test_a_slider_says_what_its_parameter_is(page: Page) -> None:
    names = page.locator(".nbe-control-name")
    expect(names.first).to_have_text("how heavy the tails are")
    control = page.locator(".nbe-control").first
    expect(control).to_have_attribute("title", re.compile("In Python: alpha[.] Double-click"))
    slider = page.get_by_role("slider", name="α", exact=True)
    expect(slider).to_have_attribute("aria-description", re.compile("0 is SSNE, 1 is t-SNE"))


def test_the_number_of_classes_is_set_where_it_is_a_parameter(page: Page) -> None:
    count = page.get_by_role("spinbutton", name="Number of classes")
    expect(count).to_have_count(0)
    act(page, "k.update({class_count: {name: 'classes', value: 4, low: 3}})")
    expect(count).to_have_value("4")
    count.fill("2")
    count.blur()
    expect(count).to_have_value("4")
    count.fill("5")
    count.blur()
    page.wait_for_function("window.kernel.commands('set').length === 1")
    assert sent(page, "set")[0]["arguments"] == {"classes": 5}


def test_method_and_color_are_chosen_from_lists(page: Page) -> None:
    page.get_by_role("combobox", name="Method").select_option("Mbed")
    page.wait_for_function("window.kernel.traits.method === 'Mbed'")
    page.get_by_role("combobox", name="Color by").select_option("class")
    page.wait_for_function("window.kernel.traits.color_by === 'class'")


def test_status_tells_state_iteration_cost_and_quality(page: Page) -> None:
    status = page.get_by_role("group", name="Status")
    expect(status.get_by_text("Nearest neighbors kept: most")).to_be_visible()
    iteration, kept = status.get_by_text("Iteration 200"), status.get_by_text("1-NN kept 74.9 %")
    expect(kept).to_be_hidden()
    status.get_by_role("button").hover()
    expect(iteration).to_be_visible()
    expect(kept).to_be_visible()
    page.locator(".nbe-map").hover()
    expect(kept).to_be_hidden()
    page.locator(".nbe").focus()
    status.get_by_role("button").press("Enter")  # for those who want them in view
    page.locator(".nbe").focus()
    expect(kept).to_be_visible()
    for share, word in ((0.3, "many"), (0.15, "some"), (0.05, "few")):
        act(page, f"k.update({{quality: {share}}})")
        expect(status).to_contain_text(f"Nearest neighbors kept: {word}")
    act(page, "k.tick(100)")
    curve = page.get_by_role("img", name="Cost curve")
    expect(curve).to_have_attribute(
        "aria-label", "Cost curve: from 0.9601 at iteration 200 to 0.7856 at iteration 300"
    )


def test_it_follows_the_theme(open_explorer: Any) -> None:
    page = open_explorer(theme=DARK)
    expect(page.locator(".nbe")).to_have_attribute("data-theme", "dark")
    page.evaluate("document.body.style.setProperty('--jp-layout-color1', 'white')")
    expect(page.locator(".nbe")).to_have_attribute("data-theme", "light")
    system = open_explorer(scheme="dark")
    expect(system.locator(".nbe")).to_have_attribute("data-theme", "dark")


#: The most that a pixel of an element differs from the one in its corner, 0 to 255.
CONTRAST = """async ([data]) => {
  const file = await fetch(`data:image/png;base64,${data}`);
  const image = await createImageBitmap(await file.blob());
  const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
  context.drawImage(image, 0, 0);
  const pixels = context.getImageData(0, 0, image.width, image.height).data;
  const apart = (value, i) => Math.abs(value - pixels[i % 4]);
  return pixels.reduce((most, value, i) => Math.max(most, apart(value, i)), 0);
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_is_drawn_by_color_alone_is_seen_in_forced_colors(
    open_explorer: Any, scheme: Any
) -> None:
    page = open_explorer(
        making="finding neighbors 40 %", making_share=0.4, path_symbol="λ", chosen_step=1,
        path=[{"value": 8 / 2**k, "criterion": 1 + k} for k in range(4)],
        color_columns=["size"], color_column_count=200, color_by="column",
        color_column={"kind": "number", "title": "size", "names": [], "colors": []},
    )  # fmt: skip
    page.emulate_media(forced_colors="active", color_scheme=scheme)
    act(page, "k.update({selection: new DataView(Uint32Array.of(1).buffer)})")
    seen = [
        page.get_by_role("slider", name="α", exact=True),
        page.get_by_role("slider", name="Confidence"),
        page.get_by_role("progressbar"),
        page.get_by_role("slider", name="Annealing path"),
        page.locator(".nbe-state i"),
        page.locator(".nbe-ramp i"),
        page.locator(".nbe-picker > .nbe-icon"),  # the arrow of Color by
    ]
    for element in seen:
        picture = base64.b64encode(element.screenshot()).decode("ascii")
        assert page.evaluate(CONTRAST, [picture]) > 100, element
    underline = "e => getComputedStyle(e).borderBottomColor"
    chosen = page.get_by_role("tab", name="Steer", exact=True).evaluate(underline)
    other = page.get_by_role("tab", name="Find", exact=True)
    assert other.evaluate(underline) != chosen
    assert other.evaluate(underline) == page.locator(".nbe-panel").evaluate(
        "e => { e.style.color = 'Canvas'; return getComputedStyle(e).color; }"
    ), "in the color of the ground: a transparent border would be drawn"


@pytest.mark.parametrize("width", [320, 460, 700, 1000])
def test_it_fits_its_cell(open_explorer: Any, width: int) -> None:
    page = open_explorer(width=width)
    for name in ("seven", "a rather long name of a class", "x"):
        act(page, f"k.addClass('{name}')")
    over = page.evaluate(
        """() => { const root = document.querySelector('.nbe');
                   const right = root.getBoundingClientRect().right;
                   return [...root.querySelectorAll('button, input, select, svg, output')]
                     .filter(e => e.getBoundingClientRect().right > right + 0.5)
                     .map(e => e.outerHTML.slice(0, 80)); }"""
    )
    assert over == []
    map_box = page.locator(".nbe-map").bounding_box()
    panel = page.locator(".nbe-panel").bounding_box()
    assert map_box is not None
    assert panel is not None
    beside = panel["x"] >= map_box["x"] + map_box["width"] - 1
    assert beside == (width >= 700)


def ink(page: Page) -> int:
    """Return how many pixels of the map are neither ground nor transparent."""
    return int(
        page.evaluate(
            """async () => { const source = document.querySelector('.nbe-points');
              const copy = document.createElement('canvas');
              copy.width = source.width; copy.height = source.height;
              const g = copy.getContext('2d');
              await new Promise(r => { window.kernel.frame(); requestAnimationFrame(() => {
                g.drawImage(source, 0, 0); r(); }); });
              const d = g.getImageData(0, 0, copy.width, copy.height).data;
              let n = 0;
              for (let i = 0; i < d.length; i += 4)
                if (d[i + 3] > 128 && Math.max(d[i], d[i + 1], d[i + 2])
                    - Math.min(d[i], d[i + 1], d[i + 2]) > 40) n++;
              return n; }"""
        )
    )


def test_both_renderers_draw_the_same_amount_of_color(
    open_explorer: Any, browser_without_webgl: Browser
) -> None:
    pages = [
        open_explorer(n=400, renderer="webgl"),
        open_explorer(n=400, renderer="raster"),
        open_explorer(n=400, browser=browser_without_webgl),
    ]
    kinds, amounts = [], []
    for page in pages:
        run(page)
        kinds.append(page.locator(".nbe").get_attribute("data-renderer"))
        amounts.append(ink(page))
    assert kinds == ["webgl", "raster", "raster"]
    assert amounts[0] > 1500
    assert amounts[1] == pytest.approx(amounts[0], rel=0.25)
    assert amounts[2] == amounts[1]


def test_a_lost_context_comes_back(open_explorer: Any) -> None:
    page = open_explorer(n=400, renderer="webgl")
    run(page)
    before = ink(page)
    # In one go, because a context that stays lost for some seconds is given up.
    page.evaluate(
        """async () => { const canvas = document.querySelector('.nbe-points');
             const heard = (name) =>
               new Promise((r) => canvas.addEventListener(name, r, { once: true }));
             const context = canvas.getContext('webgl2').getExtension('WEBGL_lose_context');
             const lost = heard('webglcontextlost');
             context.loseContext();
             await lost;
             await new Promise((r) => setTimeout(r));  // not while it is being told
             window.kernel.tick(10);
             const restored = heard('webglcontextrestored');
             context.restoreContext();
             await restored; }"""
    )
    run(page, 1)
    assert ink(page) == pytest.approx(before, rel=0.2)
    assert page.locator(".nbe").get_attribute("data-renderer") == "webgl"


@pytest.mark.parametrize("width", [564, 640, 960])
def test_the_map_is_never_a_narrow_strip(open_explorer: Any, width: int) -> None:
    """Beside the panel while there is room for both, else above it: 564 px is a window of 680."""
    page = open_explorer(width=width)
    box = page.get_by_role("application", name="Map").bounding_box()
    panel = page.get_by_role("tabpanel").bounding_box()
    assert box is not None
    assert panel is not None
    assert box["width"] >= 340
    assert panel["y"] >= box["y"] + box["height"] or panel["x"] >= box["x"] + box["width"]


@pytest.mark.parametrize("width", [564, 700])
def test_the_tools_are_one_row(open_explorer: Any, width: int) -> None:
    page = open_explorer(n=20_000, width=width)
    everything = "Uint32Array.from({length: 20_000}, (_, i) => i)"
    act(page, f"k.update({{selection: new DataView({everything}.buffer)}})")
    expect(page.get_by_role("toolbar")).to_contain_text("20,000 selected")
    box = page.get_by_role("toolbar").bounding_box()
    assert box is not None
    assert box["height"] < 48


def test_a_context_lost_for_good_is_replaced(open_explorer: Any) -> None:
    page = open_explorer(n=400, renderer="webgl")
    run(page)
    page.evaluate(
        """document.querySelector('.nbe-points').getContext('webgl2')
           .getExtension('WEBGL_lose_context').loseContext()"""
    )
    expect(page.locator(".nbe")).to_have_attribute("data-renderer", "raster")
    assert ink(page) > 1500


def test_the_tooltip_goes_with_its_point(page: Page) -> None:
    x, y = screen_of(page, 0)
    page.mouse.move(x + 1, y + 1)
    tip = page.get_by_role("tooltip")
    before = tip.bounding_box()
    act(page, "(k.positions[0] = 0, k.positions[1] = 0, k.frame())")
    assert tip.bounding_box() != before


def test_a_kernel_that_does_not_answer_is_told(page: Page) -> None:
    act(page, "(k.obey = () => {}, 0)")
    page.get_by_role("button", name="Step").click()
    expect(page.get_by_text("has not answered")).to_be_visible()
    kernel(page, "k.custom({type: 'reply', request: 1, client: k.client, ok: true, error: null})")
    expect(page.get_by_text("has not answered")).to_have_count(0)


@pytest.mark.parametrize("n", [2_000, 20_000])
def test_each_layout_is_drawn_once_in_software(open_explorer: Any, n: int) -> None:
    """What drawing takes is measured by ``benchmarks/drawing.py``."""
    page = open_explorer(n=n, interval=1)
    assert page.locator(".nbe").get_attribute("data-renderer") == "raster"
    kernel(page, "k.play()")
    page.wait_for_function("window.frames.length >= 30")
    act(page, "k.pause()")
    versions = page.evaluate("window.frames.map(f => f.version)")
    assert versions == sorted(set(versions))


def test_contexts_are_given_back(open_explorer: Any) -> None:
    page = open_explorer(n=40, renderer="webgl")
    lost = page.evaluate(
        """async () => { const lost = [];
             for (let i = 0; i < 20; i++) { const cleanup = await window.addView();
               await new Promise(r => setTimeout(r, 60));
               const gl = [...document.querySelectorAll('.nbe-points')].pop().getContext('webgl2');
               cleanup(); lost.push(gl.isContextLost()); }
             const first = document.querySelector('.nbe-points').getContext('webgl2');
             return [lost.every(Boolean), first.isContextLost()]; }"""
    )
    assert lost == [True, False]


@pytest.mark.parametrize("width", [1280, 900])
def test_nothing_that_is_opened_moves_the_map(open_explorer: Any, width: int) -> None:
    page = open_explorer(
        width=width, clusters=4, parameters={"alpha": 2, "rho": 0.5}, color_columns=["size"]
    )
    run(page)
    place = """() => [document.querySelector('.nbe-map').getBoundingClientRect().toJSON(),
      document.querySelector('.nbe-map').nbembedWhere(7)]"""
    before = page.evaluate(place)
    assert before[0]["width"] > 2 / 3 * width
    assert page.locator(".nbe").bounding_box()["height"] == 640

    def still() -> None:
        act(page, "")
        assert page.evaluate(place) == before

    for name in ("Advanced", "Suggestions"):
        page.get_by_role("button", name=name, exact=True).click()
        still()
    act(page, "for (let c = 0; c < 30; c++) k.addClass(`class ${c}`)")
    still()
    act(page, "k.update({color_by: 'class'})")
    still()
    for name in ("Data", "Group", "Find", "Why", "Compare", "History", "Steer"):
        page.get_by_role("tab", name=name).click()
        still()
    page.locator(".nbe-map").focus()
    page.keyboard.press("Control+a")
    page.get_by_role("tab", name="Group").click()
    page.get_by_role("button", name="Rows").click()
    expect(page.get_by_role("region", name="Rows")).to_be_visible()
    still()
    act(page, "k.update({error: 'a notice', path_symbol: 'λ', path: [{value: 1, criterion: 1}]})")
    expect(page.get_by_role("slider", name="Annealing path")).to_be_visible()
    still()


def test_the_panel_has_colors_first_and_the_selection_at_its_foot(open_explorer: Any) -> None:
    page = open_explorer(n=80, clusters=4, width=900)
    panel = page.get_by_role("tabpanel")
    assert panel.evaluate("e => e.scrollHeight <= e.clientHeight"), "nothing to scroll at first"
    act(page, "for (let c = 0; c < 12; c++) k.addClass(`class ${c}`)")
    parts = [
        page.get_by_role("combobox", name="Color by"),
        page.get_by_role("radiogroup", name="Class"),
        page.get_by_role("button", name="Suggestions", exact=True),
        page.get_by_role("combobox", name="Method"),
        page.get_by_role("slider", name="α", exact=True),
    ]
    before = [part.bounding_box() for part in parts]
    tops = [box["y"] for box in before if box is not None]
    assert tops == sorted(tops)
    foot = page.get_by_role("region", name="Selection", exact=True)
    expect(foot).to_have_count(0)
    page.locator(".nbe-map").focus()
    page.keyboard.press("Control+a")
    expect(foot).to_be_visible()
    assert [part.bounding_box() for part in parts] == before
    frame, box = panel.bounding_box(), foot.bounding_box()
    assert box["y"] + box["height"] == frame["y"] + frame["height"]
    forget = page.get_by_role("button", name="Forget")
    forget.focus()
    page.keyboard.press("Escape")
    expect(foot).to_have_count(0)
    expect(page.locator(".nbe")).to_be_focused()


@pytest.mark.parametrize("height", [200, 400, 900])
def test_the_height_is_that_of_the_whole(open_explorer: Any, height: int) -> None:
    page = open_explorer(height=height)
    assert page.locator(".nbe").bounding_box()["height"] == height
    assert page.locator(".nbe-map").bounding_box()["height"] == height - 79


def test_the_panel_folds_away(open_explorer: Any) -> None:
    page = open_explorer(width=900)
    button = page.get_by_role("button", name="Sidebar", exact=True)
    panel = page.get_by_role("tabpanel")
    map_ = page.locator(".nbe-map")
    page.get_by_role("tab", name="Find").click()
    expect(button).to_have_attribute("aria-expanded", "true")
    before = map_.bounding_box()
    button.click()
    expect(panel).to_have_count(0)
    expect(button).to_have_attribute("aria-expanded", "false")
    expect(button).to_be_focused()
    assert map_.bounding_box()["width"] == 898
    assert map_.bounding_box()["height"] == before["height"]
    page.keyboard.press("o")
    expect(page.get_by_role("tab", name="Find")).to_have_attribute("aria-selected", "true")
    assert map_.bounding_box() == before
    page.get_by_role("tab", name="Find").focus()
    page.keyboard.press("o")
    expect(panel).to_have_count(0)
    expect(page.locator(".nbe")).to_be_focused()
    page.keyboard.press("/")  # what is asked for is shown
    expect(page.get_by_role("searchbox", name="Search", exact=True)).to_be_focused()


def test_nothing_moves_when_a_slider_comes_to_have_an_effect(open_explorer):
    page = open_explorer(parameters={"alpha": 1, "rho": 0.5})
    rho = {"name": "rho", "symbol": "ρ", "low": 0, "high": 1, "scale": "linear", "step": 0.01,
           "usual": 0.5, "enabled": False, "description": "How much labels count.",
           "needs": "Active once two points share a label or a link."}  # fmt: skip
    act(page, f"k.update({{controls: [{json.dumps(rho)}]}})")
    where = (
        "() => [...document.querySelectorAll('.nbe-map, .nbe-panel button')]"
        ".map(e => e.getBoundingClientRect()).map(r => [r.top, r.height].join()).join()"
    )
    expect(page.get_by_text("Active once two points share a label or a link.")).to_be_visible()
    before = page.evaluate(where)
    rho |= {"enabled": True, "needs": ""}
    act(page, f"k.update({{controls: [{json.dumps(rho)}]}})")
    expect(page.get_by_text("Active once two points share a label or a link.")).to_be_hidden()
    assert page.evaluate(where) == before
