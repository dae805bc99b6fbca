"""The History tab, pictures as seen, and a page without a kernel, in a real browser."""

from __future__ import annotations

import base64
import io
import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, expect

import nbembed as nb
from nbembed.drawing.contrast import on_ground
from nbembed.drawing.picture import PNG_KEY
from nbembed.drawing.scene import picture_of
from tests.browser import places
from tests.waiting import GUARD
from tests.widget.frontend.test_page import moved, run
from tests.widget.page import DARK, LIGHT, act, kernel, sent

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "<img src=x onerror=alert(1)>\u202e\0"

ANSWER = """
  k.place = 3;
  k.answers.changes = () => [{ place: k.place, first: 0, changes: [
    { number: 1, text: 'label 120 points as six, confidence 0.9, by lasso', source: 'hand', time: 1e9, iteration: 240 },
    { number: 2, text: 'set α to 1.5', source: 'code', time: null, iteration: 300 },
    { number: 3, text: %s, source: 'suggestion', time: 1e9, iteration: null },
    { number: 4, text: 'switch to SNE', source: 'hand', time: 1e9, iteration: 310 },
  ] }, []]"""  # noqa: E501


@pytest.fixture
def page(open_explorer: Any) -> Page:
    page = open_explorer(n=300, clusters=3, parameters={"alpha": 2, "rho": 0.5})
    run(page)
    act(page, ANSWER % json.dumps(HOSTILE))
    return page


def open_history(page: Page) -> None:
    page.get_by_role("tab", name="History").click()


def test_the_history_says_who_did_what_and_goes_back(page: Page) -> None:
    assert not [m for m in kernel(page, "k.sent") if m["type"] == "query"], "the tab is closed"
    open_history(page)
    rows = page.locator(".nbe-changes li")
    expect(rows).to_have_count(5)
    expect(rows.nth(3)).to_contain_text("label 120 points as six, confidence 0.9, by lasso")
    expect(rows.nth(3)).to_contain_text("by hand")
    expect(rows.nth(3)).to_contain_text("iteration 240")
    expect(rows.nth(2)).to_contain_text("Python")
    expect(rows.nth(0)).to_contain_text("undone")
    expect(rows.nth(1)).to_contain_text("<img src=x onerror=alert(1)>")
    assert page.locator(".nbe-changes img").count() == 0
    expect(page.locator("[aria-current=step]")).to_contain_text("<img")
    rows.nth(3).locator(".nbe-change").click()
    page.wait_for_function("window.kernel.commands('go_to').length === 1")
    assert sent(page, "go_to")[0]["arguments"] == {"number": 1}
    expect(page.get_by_role("status").last).to_contain_text("Went to: label 120 points")
    rows.nth(4).get_by_role("button", name="The beginning").click()
    page.wait_for_function("window.kernel.commands('go_to').length === 2")
    assert sent(page, "go_to")[1]["arguments"] == {"number": 0}


def test_each_step_is_copied_as_code(page: Page) -> None:
    act(
        page,
        """k.answers.change_code = ({ number }) =>
        number === 3 ? "it has a lambda" : [{ text: `session.step_${number}()` }, []];
        DataTransfer.prototype.setData = (type, text) => { window.copied = text; };""",
    )
    open_history(page)
    copies = page.locator(".nbe-changes").get_by_role("button", name="Copy as code")
    expect(copies).to_have_count(4)  # none for the beginning
    page.get_by_role("button", name="Copy as code: label 120 points as six").click()
    page.wait_for_function("window.copied === 'session.step_1()'")
    expect(page.get_by_role("status").last).to_contain_text("Copied: session.step_1()")
    assert sent(page, "go_to") == []
    copies.nth(1).click()
    expect(page.get_by_role("alert")).to_contain_text("it has a lambda")
    act(page, "k.host = null; k.end('event', 'comm:close')")
    expect(copies).to_have_count(0)


def test_the_list_follows_what_happens_while_it_is_open(page: Page) -> None:
    open_history(page)
    expect(page.locator("[aria-current=step]")).to_contain_text("<img")
    act(page, "k.place = 1; k.update({undo: 'label 120 points as six'})")
    expect(page.locator("[aria-current=step]")).to_contain_text("label 120 points")
    page.get_by_role("tab", name="Steer").click()
    expect(page.locator(".nbe-changes")).to_have_count(0)
    act(page, "0")
    before = kernel(page, "k.sent.filter(m => m.type === 'query').length")
    act(page, "k.update({undo: 'something else'})")
    assert kernel(page, "k.sent.filter(m => m.type === 'query').length") == before


def test_the_history_without_changes_and_of_a_kernel_that_is_gone(open_explorer: Any) -> None:
    page = open_explorer(n=50)
    act(page, "k.answers.changes = () => [{ place: 0, first: 0, changes: [] }, []]")
    open_history(page)
    expect(page.get_by_role("tabpanel")).to_contain_text("appear here")
    act(page, "k.end('event', 'comm:close')")
    expect(page.get_by_role("button", name="Web page")).to_have_attribute("aria-disabled", "true")
    expect(page.get_by_role("button", name="PNG")).to_be_enabled()


#: Names are placed up to 400 ms after a frame, by a timer of the page that ends before this one.
NAMES_PLACED = """() => new Promise((done) => setTimeout(
  () => requestAnimationFrame(() => requestAnimationFrame(done)), 450))"""


@pytest.mark.parametrize("renderer", ["webgl", "raster"])
def test_a_png_shows_what_is_seen(open_explorer: Any, renderer: str, tmp_path: Path) -> None:
    page = open_explorer(n=300, clusters=3, renderer=renderer, parameters={"alpha": 2, "rho": 0.5})
    run(page)
    open_history(page)
    page.evaluate(NAMES_PLACED)
    shot = page.locator(".nbe-map").screenshot()
    with page.expect_download() as download:
        page.get_by_role("button", name="PNG").click()
    assert download.value.suggested_filename == "map.png"
    path = tmp_path / "map.png"
    download.value.save_as(path)
    seen = np.asarray(Image.open(path).convert("RGB")).astype(int)
    size = page.evaluate("(() => { const m = document.querySelector('.nbe-map');"
                         "return [m.clientWidth, m.clientHeight]; })()")  # fmt: skip
    assert seen.shape[:2] == (2 * size[1], 2 * size[0])
    shown = np.asarray(Image.open(io.BytesIO(shot)).convert("RGB")).astype(int)
    shown = shown[: size[1], : size[0]]  # a screenshot has a part of a pixel as a whole one
    seen = seen.reshape(len(shown), 2, -1, 2, 3).mean(axis=(1, 3))
    ink = np.ptp(shown, axis=-1) > 40
    assert ink.sum() > 1000, "there are colored points"
    assert np.abs(seen - shown)[ink].mean() < 25, "each color is where the page shows it"
    moved = np.roll(seen, 12, axis=1)
    assert np.abs(moved - shown)[ink].mean() > 50, "and would be missed elsewhere"
    after = page.locator(".nbe-map").screenshot()
    assert after == shot, "the page is as it was"


def test_a_picture_has_a_title_and_a_legend(page: Page, tmp_path: Path) -> None:
    page.get_by_role("button", name="Picture", exact=True).press("Enter")
    dialog = page.get_by_role("dialog", name="Picture of the map")
    expect(dialog.get_by_role("textbox")).to_be_focused()
    page.keyboard.type("A <map> & more")
    dialog.get_by_role("checkbox", name="Legend").check()
    with page.expect_download() as download:
        dialog.get_by_role("button", name="SVG").click()
    text = Path(download.value.path()).read_text()
    outer = ET.fromstring(text)
    words = [each.text for each in outer.iter() if each.tag.endswith("}text")]
    names = kernel(page, "k.traits.color_column.names")
    assert {"A <map> & more", "digit", *names} <= set(words)
    inner = next(each for each in outer if each.tag.endswith("}svg"))
    assert float(outer.get("width", 0)) > float(inner.get("width", 0))
    with page.expect_download() as download:
        dialog.get_by_role("button", name="PNG").click()
    with Image.open(download.value.path()) as image:
        assert abs(image.width - 2 * float(outer.get("width", 0))) < 2
        assert abs(image.height - 2 * float(outer.get("height", 0))) < 2
    page.evaluate("""() => {
      const write = async ([item]) => { window.copied = await item.all["image/png"]; };
      Object.defineProperty(navigator, "clipboard", { value: { write } });
      window.ClipboardItem = class { constructor(all) { this.all = all; } };
    }""")
    dialog.get_by_role("button", name="Copy").click()
    page.wait_for_function("window.copied && window.copied.size > 1000")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)


def test_an_svg_has_each_point_where_it_is_seen(page: Page, tmp_path: Path) -> None:
    act(
        page,
        "k.addClass('a & <b>'); k.obey({name: 'label', arguments: {class: 'a & <b>', confidence:"
        " 1}, request: 1, client: k.client}, [Uint32Array.from([0, 3, 6]).buffer])",
    )
    act(page, "k.update({pinned: new DataView(Uint32Array.from([0]).buffer)})")
    open_history(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="SVG").click()
    download.value.save_as(tmp_path / "map.svg")
    root = ET.parse(tmp_path / "map.svg").getroot()
    circles = root.findall(f"{SVG}circle")
    assert len(circles) == 297
    assert len(root.findall(f"{SVG}g")) == 3, "labeled points have the shape of their class"
    where = page.evaluate("document.querySelector('.nbe-map').nbembedWhere(1)")
    places = np.array([[float(c.get("cx")), float(c.get("cy"))] for c in circles])
    assert np.hypot(*(places - where).T).min() < 0.02
    assert len(root.findall(f"{SVG}path")) >= 2, "the pin"
    assert {t.text for t in root.iter(f"{SVG}text")} >= {"0", "1", "2"}, "names of the categories"


def test_the_kernel_makes_table_and_page(page: Page, tmp_path: Path) -> None:
    act(page, "k.answers.labels_csv = () => [{ text: 'point,x\\r\\n' }, []]")
    open_history(page)
    with page.expect_download() as download:
        page.get_by_role("button", name="Labels").click()
    assert download.value.suggested_filename == "labels.csv"
    download.value.save_as(tmp_path / "labels.csv")
    assert (tmp_path / "labels.csv").read_bytes() == b"point,x\r\n"
    act(page, "k.answers.web_page = () => 'it cannot be made'")
    page.get_by_role("button", name="Web page").click()
    expect(page.get_by_role("alert")).to_contain_text("it cannot be made")


def test_it_says_where_it_is_saved_and_what_went_wrong(open_explorer: Any) -> None:
    page = open_explorer(n=50, saved_to="work.nbembed")
    act(page, "k.answers.changes = () => [{ place: 0, first: 0, changes: [] }, []]")
    open_history(page)
    expect(page.get_by_role("region", name="Saving")).to_contain_text("work.nbembed")
    act(page, "k.update({save_error: 'No space left on device'})")
    expect(page.get_by_role("alert")).to_contain_text("Not saved. No space left on device")
    act(page, "k.update({save_error: ''}); k.end('event', 'comm:close')")
    expect(page.get_by_role("alert")).to_contain_text("go on from work.nbembed")


def test_a_live_map_hides_the_picture_beside_it(browser: Browser, open_explorer: Any) -> None:
    page = open_explorer(n=50)
    still = picture_of(
        np.zeros((0, 2)),
        color_by="class",
        labels=np.zeros(0, int),
        classes=[],
        column={"kind": "none", "names": [], "colors": []},
        values=np.zeros(0),
    )
    page.evaluate(
        """([still, other]) => {
          const url = (png) => "data:image/png;base64," + png;
          const child = (inside) => {
            const el = document.createElement("div");
            el.className = "jp-OutputArea-child";
            el.append(inside);
            document.getElementById("cell").append(el);
            return el;
          };
          const image = (png) => {
            const el = document.createElement("div");
            el.className = "jp-RenderedImage";
            el.append(Object.assign(new Image(), { src: url(png) }));
            return el;
          };
          window.still = child(image(still));
          window.other = child(image(other));
          window.host = child(document.createElement("div"));
          window.late = () => child(image(still));
        }""",
        [base64.b64encode(png).decode() for png in (still.png(stands_in=True), still.png())],
    )
    hidden = "getComputedStyle(window.{}).display === 'none'"
    page.evaluate("""async () => { window.drop = await window.widget.render(
      { model: window.kernel.model(), el: window.host.firstChild }); }""")
    page.wait_for_function(hidden.format("still"))
    assert not page.evaluate(hidden.format("other")), "made to be looked at, as by to_png"
    page.evaluate("window.again = window.late()")
    page.wait_for_function(hidden.format("again"))
    page.evaluate("window.drop()")
    assert not page.evaluate(hidden.format("still"))
    assert PNG_KEY  # the page looks for it


@pytest.fixture
def still(browser: Browser, tmp_path: Path) -> Any:
    """Return a page that was written to a file, and its errors; nothing else may be loaded."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4)) + 8 * (np.arange(60) % 2)[:, None]
    explorer = nb.Explorer(
        X, nb.HSSNE(random_state=0), autoplay=False, color=np.array(["u", "v"])[np.arange(60) % 2],
        columns={"note": [f"{HOSTILE} {i}" for i in range(60)]},
        images=rng.random((60, 4, 4)),
    )  # fmt: skip
    explorer.session.label([0, 2, 4], "first")
    explorer.session.step(60, wait=True)
    explorer.to_html(tmp_path / "map.html", title=HOSTILE)
    explorer.close()
    page = browser.new_page(viewport={"width": 900, "height": 640}, reduced_motion="reduce")
    page.set_default_timeout(1000 * GUARD)
    errors: list[str] = []
    asked: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda m: errors.append(m.text) if m.type == "error" else None)
    page.on("request", lambda request: asked.append(request.url))
    page.goto((tmp_path / "map.html").as_uri())
    expect(page.get_by_role("application")).to_be_visible()
    yield page
    assert errors == []
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    page.close()


@pytest.mark.browser
def test_a_page_that_was_made_before_the_map_says_so(browser: Browser, tmp_path: Path) -> None:
    explorer = nb.Explorer(np.random.default_rng(0).normal(size=(20, 4)), autoplay=False)
    explorer.to_html(tmp_path / "map.html")
    explorer.close()
    page = browser.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto((tmp_path / "map.html").as_uri())
    expect(page.get_by_role("application")).to_contain_text("The map had not formed yet")
    page.get_by_role("button", name="Fit view").click()
    assert errors == []
    page.close()


@pytest.mark.browser
def test_a_page_without_kernel_fills_the_window(still: Page) -> None:
    page = still
    fits = "() => document.documentElement.scrollHeight <= innerHeight"
    explorer, map_ = page.get_by_role("group", name="Embedding explorer"), page.locator(".nbe-map")
    for width, height in ((1300, 900), (680, 800)):
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate(fits)
        box = explorer.bounding_box()
        assert box is not None
        assert (box["x"] + box["width"], box["y"] + box["height"]) == (width - 12, height - 12)
        assert map_.evaluate("e => e.clientHeight") > height - 180
    page.set_viewport_size({"width": 420, "height": 700})  # the panel is below the map
    assert map_.evaluate("e => e.clientHeight") >= 460
    shape = page.get_by_role("region", name="Classes").locator("svg.nbe-shape")
    assert shape.count() == 1


@pytest.mark.browser
def test_a_page_without_kernel_zooms_hovers_and_selects(still: Page) -> None:
    page = still
    map_ = page.get_by_role("application")
    x, y = places.still(map_)[7]
    page.mouse.move(x, y)
    card = page.get_by_role("tooltip")
    expect(card).to_contain_text("<img src=x onerror=alert(1)>")
    assert card.locator("img[src^='data:image/png']").count() == 1
    page.mouse.click(x, y)
    page.keyboard.press("+")
    moved(page, (x, y), 7)
    page.get_by_role("button", name="first 3").click()
    expect(page.get_by_text("3 of 60 points selected")).to_be_visible()
    choice = page.get_by_role("combobox", name="Color by")
    # What the kernel would have to compute is not offered.
    assert choice.locator("option").evaluate_all("all => all.map(e => e.value)") == [
        "column",
        "class",
    ]
    choice.select_option("class")
    expect(choice).to_have_value("class")
    page.keyboard.press("Enter")
    assert page.get_by_role("alert").count() == 0


@pytest.mark.browser
def test_a_page_without_kernel_shows_its_measure(browser: Browser, tmp_path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(60, 4))
    explorer = nb.Explorer(X, nb.HSSNE(random_state=0), autoplay=False)
    explorer.session.step(60, wait=True)
    explorer.color_by = "trustworthiness"
    explorer.to_html(tmp_path / "map.html")
    mean = explorer.why.measure("trustworthiness").mean()
    explorer.close()
    page = browser.new_page(viewport={"width": 900, "height": 640}, reduced_motion="reduce")
    page.goto((tmp_path / "map.html").as_uri())
    choice = page.get_by_role("combobox", name="Color by")
    expect(choice).to_have_value("trustworthiness")
    expect(page.get_by_text(f"Mean {mean:.2f}"[:8])).to_be_visible()
    expect(page.locator(".nbe-ramp")).to_be_visible()
    choice.select_option("class")
    expect(page.locator(".nbe-ramp")).to_have_count(0)
    choice.select_option("trustworthiness")
    expect(page.locator(".nbe-ramp")).to_be_visible()
    page.close()


@pytest.mark.browser
def test_the_page_shows_colors_as_pictures_do(open_explorer: Any) -> None:
    for theme, ground in ((LIGHT, (253, 253, 252)), (DARK, (18, 19, 23))):
        page = open_explorer(n=50, clusters=8, theme=theme, color_by="column")
        given = kernel(page, "k.traits.color_column.colors")
        dots = page.locator(".nbe-legend i").evaluate_all("all => all.map(e => e.style.background)")
        assert len(dots) == 8
        seen = [tuple(map(int, re.findall(r"\d+", dot))) for dot in dots]
        assert seen == [on_ground(color, ground) for color in given]


@pytest.mark.browser
def test_a_page_without_kernel_asks_for_no_class(still: Page) -> None:
    page = still
    places.lasso_all(page, page)
    expect(page.get_by_text("60 of 60 points selected")).to_be_visible()
    expect(page.get_by_role("group", name="Class of the selection")).to_have_count(0)
    page.keyboard.press("Escape")  # nothing unseen is closed first
    expect(page.get_by_text("60 points", exact=True)).to_be_visible()
