"""What the page says and offers when its kernel ends, in a real browser with a stand-in for it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from nbembed.supervision import Supervision
from tests.widget.page import act, kernel, sent


@pytest.fixture
def page(open_explorer: Any) -> Page:
    page = open_explorer(n=60, clusters=3, host=True)
    act(page, "k.play()")
    expect(page.locator(".nbe-state")).to_have_text("Running")
    return page


def expect_gone(page: Page) -> None:
    expect(page.get_by_role("alert")).to_contain_text("The kernel is gone")
    expect(page.locator(".nbe-state")).to_have_text("Disconnected")


@pytest.mark.parametrize(
    ("how", "event"),
    [
        ("status", "restarting"),
        ("status", "autorestarting"),
        ("status", "dead"),
        ("status", "terminating"),
        ("event", "comm:close"),
        ("event", "comm_live_update"),
        ("given up", ""),
    ],
)
def test_the_end_of_the_kernel_is_told(page: Page, how: str, event: str) -> None:
    page.evaluate("([how, event]) => window.kernel.end(how, event)", [how, event])
    expect_gone(page)


def test_a_host_that_tells_nothing_is_found_out_by_the_next_command(open_explorer: Any) -> None:
    page = open_explorer(n=20)
    act(page, "k.end('nothing')")
    page.get_by_role("button", name="Step").click()
    expect_gone(page)


def test_a_kernel_that_answers_the_notebook_alone_does_not_know_the_widget(
    open_explorer: Any,
) -> None:
    page = open_explorer(n=60, clusters=3, host=True, fresh=True)
    act(page, "k.silent = true; clearInterval(k.timer)")
    page.clock.install(time=0)
    page.clock.pause_at(1000)
    page.get_by_role("button", name="Step").click()
    page.clock.run_for(12_000)  # of the page, however long that takes here
    expect(page.get_by_role("alert")).to_contain_text("The kernel is gone")


def test_the_answer_to_the_widget_may_come_after_that_to_the_notebook(page: Page) -> None:
    act(
        page,
        """k.silent = true; clearInterval(k.timer); k.doubted = [];
           k.host.requestKernelInfo = async () => {
             setTimeout(() => {
               k.doubted.push(document.body.innerText.includes('The kernel is gone'));
               k.silent = false; k.obey(k.commands('step').at(-1), []);
             }, 1000);
           }""",
    )
    page.get_by_role("button", name="Step").click()
    page.wait_for_function("window.kernel.doubted.length > 0")
    assert kernel(page, "k.doubted[0]") is False
    expect(page.get_by_text("The kernel is gone")).to_have_count(0)


def test_a_busy_kernel_is_waited_for(page: Page) -> None:
    act(
        page,
        """k.silent = true; clearInterval(k.timer);
           k.inCell = new Promise(end => { k.endCell = end; })""",
    )
    page.get_by_role("button", name="Step").click()
    expect(page.get_by_text("The kernel has not answered yet")).to_be_visible()
    expect(page.get_by_text("The kernel is gone")).to_have_count(0)
    act(page, "k.silent = false; k.endCell(); k.obey(k.commands('step').at(-1), [])")
    expect(page.get_by_text("The kernel has not answered yet")).to_have_count(0)
    page.wait_for_timeout(1000)
    expect(page.get_by_text("The kernel is gone")).to_have_count(0)


def test_a_slider_stays_while_the_kernel_is_busy(open_explorer: Any) -> None:
    page = open_explorer(n=60, clusters=3, fresh=True)
    page.clock.install()
    kernel(page, "k.silent = true")
    slider = page.get_by_role("slider", name="α", exact=True)
    slider.fill("1.5")
    page.clock.run_for(120_000)
    expect(slider).to_have_value("1.5")
    kernel(page, "(k.silent = false, k.obey(k.commands('set').at(-1), []))")
    page.clock.run_for(2_000)
    expect(slider).to_have_value("1.5")
    assert kernel(page, "k.traits.parameters.alpha") == 1.5


def test_an_answer_is_waited_for_while_the_kernel_is_busy(open_explorer: Any) -> None:
    page = open_explorer(n=60, clusters=3, fresh=True)
    page.get_by_role("tab", name="History").click()
    page.clock.install()
    kernel(page, "k.silent = true")
    page.get_by_role("button", name="Labels").click()
    page.clock.run_for(120_000)
    lost = page.get_by_text("There was no answer.")
    expect(lost).to_have_count(0)
    # Once it is free again, as long as ever.
    reply = "{ type: 'reply', client: k.client, request: 0, ok: true, error: null }"
    kernel(page, f"(k.silent = false, k.custom({reply}))")
    page.clock.run_for(20_000)
    expect(lost).to_have_count(0)
    page.clock.run_for(20_000)
    expect(lost).to_be_visible()


def test_a_lost_connection_comes_back(page: Page) -> None:
    act(page, "clearInterval(k.timer); k.connection('disconnected')")
    expect(page.get_by_text("The connection to the kernel is lost")).to_be_visible()
    expect(page.locator(".nbe-state")).to_have_text("Disconnected")
    greetings = kernel(page, "k.sent.filter(m => m.type === 'hello').length")
    act(page, "k.connection('connected')")
    expect(page.get_by_text("The connection to the kernel is lost")).to_have_count(0)
    expect(page.locator(".nbe-state")).to_have_text("Running")
    assert kernel(page, "k.sent.filter(m => m.type === 'hello').length") == greetings + 1


def test_without_a_kernel_the_map_can_be_looked_at_and_nothing_is_claimed(page: Page) -> None:
    act(page, "k.update({ undo: 'label 1 point as a' }); k.end('status', 'restarting')")
    expect_gone(page)
    before = len(sent(page, "undo"))
    page.locator(".nbe-map").focus()
    for key in ("Space", "s", "Control+z"):
        page.keyboard.press(key)
    expect(page.locator(".nbe-spoken")).to_have_text("Not possible: the kernel is gone")
    assert len(sent(page, "undo")) == before
    expect(page.locator(".nbe-tab-panel")).to_have_attribute("inert", "")
    page.keyboard.press("Control+a")
    expect(page.get_by_text("60 selected", exact=True)).to_be_visible()
    page.get_by_role("button", name="Fit view").click()


def test_what_was_said_can_be_saved_without_a_kernel(page: Page, tmp_path: Path) -> None:
    act(page, "k.pause(); k.end('status', 'dead')")
    expect_gone(page)
    expect(page.get_by_role("button", name="Save labels")).to_have_count(0)
    act(
        page,
        """k.addClass('a'); k.addClass('naïve'); k.codes[3] = 1; k.confidence[3] = 0.8;
           k.update({ links: [[1, 2]], cannot_links: [[[4], [5, 6]]] }); k.supervised('');
           k.update({ pinned: new DataView(Uint32Array.of(7, 8).buffer) })""",
    )
    with page.expect_download() as caught:
        page.get_by_role("button", name="Save labels").click()
    path = tmp_path / caught.value.suggested_filename
    caught.value.save_as(path)
    found = Supervision.from_dict(json.loads(path.read_text(encoding="utf-8")))
    expected = Supervision(60, ["a", "naïve"]).label([3], "naïve", 0.8).must_link([1, 2])
    assert found == expected.cannot_link([4], [5, 6]).pin([7, 8])


def test_the_kernel_hears_how_many_views_there_are(page: Page) -> None:
    def counts() -> list[int]:
        found = kernel(page, "k.sent.filter(m => m.type === 'views').map(m => m.count)")
        return list(found)

    page.evaluate("async () => window.cleanups.push(await window.addView())")
    page.wait_for_function("window.kernel.sent.filter(m => m.type === 'views').length === 2")
    # A cell that is moved drops its view and makes it again at once.
    page.evaluate(
        "async () => { window.cleanups.pop()(); window.cleanups.push(await window.addView()); }"
    )
    page.wait_for_timeout(2500)
    assert counts() == [1, 2]
    page.evaluate("() => { window.cleanups.pop()(); window.cleanups.pop()(); }")
    page.wait_for_function("window.kernel.sent.filter(m => m.type === 'views').length === 3")
    assert counts() == [1, 2, 0]


def test_a_page_that_is_left_says_so(page: Page) -> None:
    page.evaluate("window.dispatchEvent(new PageTransitionEvent('pagehide'))")
    assert kernel(page, "k.sent.filter(m => m.type === 'bye').length") == 1
