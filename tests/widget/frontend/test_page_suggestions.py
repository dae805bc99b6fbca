"""Suggested labels in a real browser, with a stand-in for the kernel."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from nbembed.propagation import accuracy_interval
from tests.widget.frontend.test_page import run
from tests.widget.page import DARK, LIGHT, act, kernel, sent

#: How far from gray points are drawn.
CHROMA = """(points) => {
  const map = document.querySelector('.nbe-map');
  const context = map.querySelector('.nbe-points').getContext('2d');
  return points.map((i) => {
    const [x, y] = map.nbembedWhere(i);
    const [r, g, b] = context.getImageData(Math.round(x), Math.round(y), 1, 1).data;
    return Math.max(r, g, b) - Math.min(r, g, b);
  });
}"""
NAMES = ["zero", "one", "two", "a class with a rather long name"]


def told(page: Page) -> list[bool]:
    """Return what the page has said about showing suggestions."""
    return list(kernel(page, "k.sent.filter(m => m.type === 'suggesting').map(m => m.shown)"))


def label_some(page: Page) -> None:
    names = ", ".join(f"'{name}'" for name in NAMES)
    act(
        page,
        f"""for (const name of [{names}]) k.addClass(name);
            for (let i = 0; i < 8; i++) [k.codes[i], k.confidence[i]] = [i % 4, 1];
            k.supervised('label 8 points')""",
    )


def opened(page: Page) -> None:
    page.get_by_role("button", name="Suggestions", exact=True).click()
    expect(page.get_by_role("list", name="Most doubtful points")).to_be_visible()


@pytest.fixture
def page(open_explorer: Any) -> Page:
    page = open_explorer(n=400, clusters=4)
    run(page)
    label_some(page)
    page.locator(".nbe").focus()
    return page


def asked(page: Page) -> Any:
    return page.get_by_role("group", name="Class of point")


def test_they_are_asked_for_only_while_they_are_shown(page: Page) -> None:
    assert told(page) == []
    opened(page)
    assert told(page) == [True]
    act(page, "k.update({color_by: 'suggestion'})")
    page.get_by_role("button", name="Suggestions", exact=True).click()
    assert told(page) == [True]
    act(page, "k.update({color_by: 'class'})")
    assert told(page) == [True, False]


def test_a_page_that_is_back_asks_again(page: Page) -> None:
    opened(page)
    page.evaluate("dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))")
    assert told(page) == [True, True]


def test_a_graph_that_takes_long_says_how_far_it_is_and_can_be_canceled(page: Page) -> None:
    status = page.get_by_role("group", name="Status")
    opened(page)
    act(page, "k.update({color_by: 'suggestion'})")
    expect(status.get_by_role("progressbar")).to_have_count(0)
    text = "finding neighbors 40 %, about 6 s left"
    act(page, f"k.suggest({{state: 'making', making: '{text}', share: 0.4}})")
    expect(status).to_contain_text(f"for suggestions: {text}")
    expect(status.get_by_role("progressbar")).to_have_attribute("aria-valuenow", "40")
    status.get_by_role("button", name="Cancel").click()
    page.wait_for_function("window.kernel.replied.cancel === 1")
    assert sent(page, "cancel")[-1]["arguments"] == {"what": "suggestions"}
    page.wait_for_function("window.kernel.traits.color_by === 'column'")
    assert told(page)[-1] is False, "it would begin anew"
    expect(page.get_by_role("list", name="Most doubtful points")).to_have_count(0)
    act(page, "k.suggesting = true; k.suggest({state: 'failed', error: 'Canceled'})")
    expect(status.get_by_role("progressbar")).to_have_count(0)


def test_accepting_says_how_many_and_why_not(page: Page) -> None:
    opened(page)
    count = kernel(page, "k.suggestions().sureness.filter((s, i) => s >= 181 && i >= 8).length")
    button = page.get_by_role("button", name="Accept suggestions")
    page.get_by_role("slider", name="Minimum confidence").fill("0.9")
    expect(button).to_have_text(f"Accept {count}")
    page.get_by_role("slider", name="Minimum confidence").fill("1")
    expect(button).to_be_disabled()
    expect(page.get_by_text("No suggestion reaches 1.00 (highest: 0.99)")).to_be_visible()
    button.click(force=True)
    assert sent(page, "accept") == []
    page.get_by_role("slider", name="Minimum confidence").fill("0.9")
    page.locator(".nbe").focus()
    page.keyboard.press("y")
    page.wait_for_function("window.kernel.replied.accept === 1")
    assert sent(page, "accept")[-1]["arguments"] == {"confidence": 0.9}
    expect(button).to_be_disabled()


def test_the_threshold_begins_where_95_percent_are_expected_to_be_right(page: Page) -> None:
    opened(page)
    codes = kernel(page, "Array.from(k.suggestions().sureness)")
    sure = np.array([(code - 1) / 200 for i, code in enumerate(codes) if code and i >= 8])

    def expected(percent: int) -> float:
        taken = sure[sure >= percent / 100]
        return float(taken.mean()) if taken.size else 0.0

    least = min(percent for percent in range(101) if expected(percent) >= 0.95)
    slider = page.get_by_role("slider", name="Minimum confidence")
    expect(slider).to_have_value(str(least / 100))
    count = int((sure >= least / 100).sum())
    expect(page.get_by_role("button", name="Accept suggestions")).to_have_text(f"Accept {count}")
    right = int(100 * expected(least))
    # All eight labels are foretold with .9, and four of them rightly.
    line = page.locator(".nbe-line")
    expect(line).to_contain_text(f"unlabeled; {right} % right – a guess")
    slider.fill("0.9")
    low, high = accuracy_interval(4, 8)
    expect(line).to_contain_text(f"({math.floor(100 * low)}–{math.ceil(100 * high)})")
    expect(page.locator(".nbe-suggesting .nbe-histogram")).to_be_visible()


def test_what_is_all_certain_can_be_accepted(page: Page) -> None:
    act(
        page,
        """const found = k.suggestions.bind(k);
           k.suggestions = () => {
             const all = found();
             return { ...all, sureness: all.sureness.map((code) => code && 201) };
           }""",
    )
    opened(page)
    expect(page.get_by_role("slider", name="Minimum confidence")).to_have_value("0.05")
    page.get_by_role("button", name="Accept suggestions").click()
    page.wait_for_function("window.kernel.replied.accept === 1")
    assert sent(page, "accept")[-1]["arguments"] == {"confidence": 0.05}


def test_suspicious_labels_are_asked_for_one_after_the_other(page: Page) -> None:
    act(page, "k.wrong = [0, 1, 2]; for (const i of k.wrong) k.codes[i] = (k.truth[i] + 1) % 4")
    opened(page)
    act(page, "k.supervised('label 3 points')")
    rows = page.get_by_role("list", name="Suspicious labels").get_by_role("listitem")
    expect(rows).to_have_count(3)
    expect(rows.first).to_contain_text("others say")
    rows.first.get_by_role("button").click()
    expect(page.get_by_role("heading", name="Suspicious labels")).to_be_visible()
    truth, codes = kernel(page, "[Array.from(k.truth), Array.from(k.codes)]")
    # Another class is a label.
    page.get_by_role("group", name="Class of point 0").get_by_role(
        "button", name=NAMES[truth[0] % 4]
    ).click()
    page.wait_for_function("window.kernel.replied.label === 1")
    # The same class confirms, and changes nothing.
    asks = page.get_by_role("group", name="Class of point 1")
    expect(asks).to_be_visible()
    asks.get_by_role("button", name=NAMES[codes[1]]).click()
    expect(page.get_by_role("group", name="Class of point 2")).to_be_visible()
    assert len(sent(page, "label")) == 1
    page.keyboard.press("Escape")
    expect(rows).to_have_count(1)


def test_without_labels_the_panel_says_what_to_do(open_explorer: Any) -> None:
    page = open_explorer(n=60, clusters=3)
    page.get_by_role("button", name="Suggestions", exact=True).click()
    expect(page.locator(".nbe-line")).to_have_text("Label some points first")
    for name in ("Accept suggestions", "Check suggestions"):
        button = page.get_by_role("button", name=name)
        expect(button).to_be_disabled()
        expect(button).to_have_attribute("aria-description", "Label some points first")
    page.locator(".nbe").focus()
    for key in "yc":
        page.keyboard.press(key)
    assert sent(page, "accept") == sent(page, "check_suggestions") == []


def test_without_labels_no_question_comes_later_by_itself(open_explorer: Any) -> None:
    page = open_explorer(n=400, clusters=4)
    page.locator(".nbe").focus()
    page.keyboard.press("n")
    expect(page.get_by_role("status")).to_contain_text("Label some points first")
    label_some(page)
    expect(page.get_by_role("list", name="Most doubtful points")).to_be_visible()
    expect(asked(page)).to_have_count(0)


def test_a_check_begins_once_suggestions_are_there(page: Page) -> None:
    page.keyboard.press("c")  # none have been asked for yet
    expect(asked(page)).to_contain_text("1 of ")
    page.keyboard.press("Escape")
    expect(asked(page)).to_have_count(0)


def test_doubtful_points_are_stepped_through_and_answered_by_keys(page: Page) -> None:
    page.keyboard.press("2")
    expect(page.get_by_role("radio", name="one")).to_be_checked()
    assert sent(page, "label") == [], "a number chooses a class while nothing is asked"
    page.keyboard.press("n")
    expect(asked(page)).to_be_visible()
    expect(page.get_by_role("status")).to_contain_text("no class is suggested")
    first = kernel(page, "[...k.suggestions().doubtful][0]")
    expect(asked(page)).to_have_accessible_name(f"Class of point {first}")
    page.keyboard.press("3")
    page.wait_for_function("window.kernel.replied.label === 1")
    (label,) = sent(page, "label")
    assert (label["points"], label["arguments"]["class"]) == ([first], "two")
    second = kernel(page, "[...k.suggestions().doubtful][0]")
    expect(asked(page)).to_have_accessible_name(f"Class of point {second}")
    page.keyboard.press("0")
    third = kernel(page, "[...k.suggestions().doubtful][1]")
    expect(asked(page)).to_have_accessible_name(f"Class of point {third}")
    page.keyboard.press("Shift+N")
    expect(asked(page)).to_have_accessible_name(f"Class of point {second}")
    page.keyboard.press("9")
    expect(page.get_by_role("status")).to_contain_text("There is no class 9")
    page.keyboard.press("Enter")
    page.wait_for_function("window.kernel.replied.label === 2")
    assert sent(page, "label")[-1]["arguments"]["class"] == "one", "the chosen class"
    page.keyboard.press("Escape")
    expect(asked(page)).to_have_count(0)
    page.keyboard.press("1")
    expect(page.get_by_role("radio", name="zero")).to_be_checked()
    assert len(sent(page, "label")) == 2


def test_doubtful_points_are_answered_by_mouse(page: Page) -> None:
    opened(page)
    point = kernel(page, "[...k.suggestions().doubtful][12]")
    page.get_by_role("list", name="Most doubtful points").get_by_title(
        f"Ask for point {point}", exact=True
    ).click()
    expect(asked(page)).to_have_accessible_name(f"Class of point {point}")
    asked(page).get_by_role("button", name=NAMES[3]).click()
    page.wait_for_function("window.kernel.replied.label === 1")
    assert sent(page, "label")[-1]["points"] == [point]


def test_keys_go_on_after_a_click(page: Page) -> None:
    opened(page)
    page.get_by_role("list", name="Most doubtful points").get_by_role("button").nth(3).click()
    expect(asked(page)).to_be_visible()
    page.keyboard.press("1")
    page.wait_for_function("window.kernel.replied.label === 1")
    page.get_by_role("button", name="Stop").click()
    expect(asked(page)).to_have_count(0)
    page.keyboard.press("n")
    expect(asked(page)).to_be_visible()


def test_a_check_asks_for_all_and_tells_the_accuracy(page: Page) -> None:
    page.keyboard.press("n")
    expect(asked(page)).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("c")
    expect(asked(page)).to_contain_text("1 of")
    drawn = kernel(page, "k.check")
    expect(asked(page)).not_to_contain_text(" or ")
    truth = kernel(page, "k.check.map(p => k.truth[p])")
    for i, (point, k) in enumerate(zip(drawn, truth)):
        expect(asked(page)).to_have_accessible_name(f"Class of point {point}")
        expect(asked(page)).to_contain_text(f"{i + 1} of {len(drawn)}")
        page.keyboard.press(str(k + 1 if i else (k + 1) % 4 + 1))
    n = len(drawn)
    least = sent(page, "check_suggestions")[0]["arguments"]["confidence"]
    assert least == float(page.get_by_role("slider", name="Minimum confidence").input_value())
    expect(page.locator(".nbe-result")).to_have_text(
        f"{n} of {n} · accuracy {(n - 1) / n:.2f} (0.50–1.00) of those at least {least:.2f} sure"
    )
    expect(page.get_by_role("status")).to_contain_text("Check complete: accuracy")
    expect(asked(page)).to_have_count(0)
    assert len(sent(page, "label")) == n


def test_a_check_can_be_left_and_gone_on_with(page: Page) -> None:
    opened(page)
    page.get_by_role("button", name="Check suggestions").click()
    expect(asked(page)).to_be_visible()
    drawn = kernel(page, "k.check")
    page.keyboard.press("1")
    page.wait_for_function("window.kernel.replied.label === 1")
    page.keyboard.press("Escape")
    page.keyboard.press("y")  # accepting answers nothing
    page.wait_for_function("window.kernel.replied.accept === 1")
    button = page.get_by_role("button", name="Check suggestions")
    expect(button).to_have_text(f"Continue ({len(drawn) - 1} left)")
    button.click()
    expect(asked(page)).to_have_accessible_name(f"Class of point {drawn[1]}")
    assert len(sent(page, "check_suggestions")) == 1


def test_nothing_shifts_when_suggestions_change(page: Page) -> None:
    act(page, "k.update({ height: 300 })")
    opened(page)

    def height() -> float:
        return float(page.locator(".nbe").bounding_box()["height"])

    before = height()
    page.locator(".nbe").focus()
    for key in ("n", "1", "0", "Escape", "c", "1", "y"):
        page.keyboard.press(key)
        page.wait_for_timeout(30)
        assert height() == before
    act(page, "k.suggest({ state: 'failed', error: 'no graph '.repeat(40), check: null })")
    assert height() == before


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_an_unsure_point_is_gray_and_a_sure_one_is_not(open_explorer: Any, theme: Any) -> None:
    page = open_explorer(n=400, clusters=4, theme=theme, renderer="raster", color_by="suggestion")
    run(page)
    label_some(page)
    page.wait_for_function("window.kernel.told.some(t => t.content.state === 'ready')")
    act(page, "")
    unsure = page.evaluate(CHROMA, list(range(8, 28)))
    sure = page.evaluate(CHROMA, list(range(375, 395)))
    assert sorted(sure)[10] > 2 * sorted(unsure)[10]


def test_a_text_that_is_markup_is_shown_as_text(page: Page) -> None:
    act(page, "k.update({ classes: k.traits.classes.map(c => ({ ...c, name: '<b>x</b>' })) })")
    page.keyboard.press("n")
    expect(asked(page).get_by_role("button", name="<b>x</b>")).to_have_count(4)
    assert asked(page).locator("b b").count() == 0


def test_the_point_asked_for_is_shown_with_what_is_known_of_it(page: Page) -> None:
    act(page, "k.about.all = {rows: [{title: 'written by', text: 'somebody'}]}")
    opened(page)
    page.get_by_role("list", name="Most doubtful points").get_by_role("button").last.click()
    expect(asked(page)).to_be_visible()
    card = page.get_by_role("tooltip")
    point = str(asked(page).get_attribute("aria-label")).rpartition(" ")[2]
    expect(card).to_contain_text(f"#{point}")
    expect(card).to_contain_text("written by")
    expect(card).to_contain_text("suggested:")
    page.locator(".nbe").focus()
    page.keyboard.press("c")
    expect(asked(page)).to_contain_text("1 of ")
    expect(card).to_contain_text(f"#{kernel(page, 'k.check[0]')}")
    expect(card).to_contain_text("written by")
    expect(card).not_to_contain_text("suggested:")  # it would bias the check
    page.keyboard.press("Escape")
    expect(card).to_have_count(0)


def test_a_question_is_seen_beside_the_map_whatever_the_panel_showed(page: Page) -> None:
    def seen(name: str) -> bool:
        return bool(
            page.evaluate(
                """(name) => {
                  const panel = document.querySelector('.nbe-tab-panel').getBoundingClientRect();
                  const found = [...document.querySelectorAll('.nbe-ask button')]
                    .find((b) => b.textContent === name).getBoundingClientRect();
                  return found.top >= panel.top && found.bottom <= panel.bottom;
                }""",
                name,
            )
        )

    page.get_by_role("button", name="Advanced").click()
    page.get_by_role("tab", name="Why").click()
    page.locator(".nbe").focus()
    page.keyboard.press("c")
    expect(asked(page)).to_contain_text("1 of ")
    assert page.evaluate(
        "() => { const p = document.querySelector('.nbe-tab-panel');"
        " return p.scrollHeight > p.clientHeight }"
    )
    assert seen("Skip")
    # However much the panel holds, the Explorer is as high as it was asked to be.
    assert page.locator(".nbe").bounding_box()["height"] == 640


def test_classes_that_are_digits_are_answered_by_their_names(open_explorer: Any) -> None:
    page = open_explorer(n=400, clusters=4)
    run(page)
    act(
        page,
        """for (const name of ['3', '0', '7', '1']) k.addClass(name);
           for (let i = 0; i < 8; i++) [k.codes[i], k.confidence[i]] = [i % 4, 1];
           k.supervised('label 8 points')""",
    )
    opened(page)
    page.locator(".nbe").focus()
    page.keyboard.press("7")
    expect(page.get_by_role("radio", name="7")).to_be_checked()
    page.keyboard.press("n")
    for count, key in enumerate("30", start=1):
        expect(asked(page)).to_be_visible()
        expect(asked(page)).not_to_contain_text("…")
        page.keyboard.press(key)
        page.wait_for_function(f"window.kernel.replied.label === {count}")
        assert sent(page, "label")[-1]["arguments"]["class"] == key
    expect(asked(page)).not_to_contain_text("…")
    page.keyboard.press("2")
    expect(page.get_by_role("status")).to_contain_text("There is no class 2")


def test_doubtful_points_are_called_by_their_names(open_explorer: Any) -> None:
    page = open_explorer(n=400, clusters=4, named=True)
    run(page)
    label_some(page)
    opened(page)
    point = kernel(page, "[...k.suggestions().doubtful][0]")
    first = page.get_by_role("list", name="Most doubtful points").get_by_role("button").first
    expect(first).to_contain_text(f"Point {point}")
    expect(first).not_to_contain_text("#")
