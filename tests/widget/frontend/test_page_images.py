"""Small images of points on the page: in the gallery of a group, and on the map."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

import nbembed as nb
from tests.widget.frontend.test_page import run, screen_of
from tests.widget.frontend.test_page_group import answering, asked, choose, open_group, png
from tests.widget.page import act, kernel, sent

IMAGES = np.random.default_rng(0).integers(0, 256, (60, 8, 8), np.uint8)
PLACED = "document.querySelector('.nbe-map').nbembedNames().images"
IN_VIEW = """() => { const map = document.querySelector('.nbe-map');
  const inside = ([x, y]) => x > 0 && y > 0 && x < map.clientWidth && y < map.clientHeight;
  const points = Array.from({ length: window.kernel.n }, (_, i) => i);
  return points.map((i) => map.nbembedWhere(i)).filter(inside).length; }"""


def open_images(open_explorer: Any, n: int, **options: Any) -> Page:
    """Open a page whose points have images, but for the first one."""
    about = {"all": {"image": png()}, "0": {}}
    page = open_explorer(n=n, clusters=4, imaged=True, about=about, color_by="class", **options)
    run(page)
    return answering(page)


def zoom_in(page: Page, point: int) -> None:
    """Zoom in on a point until few points beside it are in view."""
    page.get_by_role("application", name="Map").focus()
    while page.evaluate(IN_VIEW) > 80:
        page.mouse.move(*screen_of(page, point))
        page.mouse.wheel(0, -100)
        act(page, "")


def test_the_images_of_a_group_are_shown_in_its_panel(open_explorer: Any) -> None:
    page = open_images(open_explorer, 500)
    choose(page, list(range(100)))
    assert asked(page, "images") == []
    panel = open_group(page)
    gallery = panel.get_by_role("list", name="Images")
    tiles = gallery.get_by_role("button")
    expect(tiles).to_have_count(15)
    expect(panel.get_by_text("15 of 100, evenly spaced")).to_be_visible()
    expect(gallery.locator("img")).to_have_count(14)
    expect(tiles.first).to_have_text("#0")
    (first,) = asked(page, "images")
    assert sorted(first["points"]) == [100 * k // 15 for k in range(15)]
    panel.get_by_role("button", name="Show 60").click()
    expect(gallery.locator("img")).to_have_count(59)
    assert max(len(question["points"]) for question in asked(page, "images")) == 16
    points = [point for question in asked(page, "images") for point in question["points"]]
    assert len(points) == len(set(points)), "an image is asked for once"
    choose(page, [3, 5])
    expect(gallery.locator("img")).to_have_count(2)
    expect(panel.get_by_text("evenly spaced")).to_have_count(0)
    choose(page, [])
    expect(gallery).to_have_count(0)


def test_an_image_of_the_gallery_shows_its_point(open_explorer: Any) -> None:
    page = open_images(open_explorer, 500, named=True)
    choose(page, [3, 5, 7])
    tile = open_group(page).get_by_role("button", name="Open the card of Point 5")
    tile.hover()
    expect(page.get_by_role("tooltip")).to_contain_text("Point 5")
    page.get_by_role("button", name="Open the card of Point 3").focus()
    page.keyboard.press("ArrowRight")
    expect(tile).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("group", name="Card of Point 5")).to_be_visible()


def test_without_images_there_is_no_gallery(open_explorer: Any) -> None:
    page = open_explorer(n=400, clusters=4)
    run(page)
    choose(answering(page), [3, 5, 7])
    expect(open_group(page)).to_contain_text("petal length")
    assert asked(page, "images") == []
    expect(page.get_by_role("list", name="Images")).to_have_count(0)
    page.get_by_role("tab", name="Steer").click()
    expect(page.get_by_role("checkbox", name="Images on the map")).to_have_count(0)


def test_images_are_on_the_map_where_few_points_are_in_view(open_explorer: Any) -> None:
    page = open_images(open_explorer, 600)
    assert asked(page, "images") == [], "a whole map has too many points"
    zoom_in(page, 8)
    page.wait_for_function(f"{PLACED}.length > 3")
    zoomed = page.evaluate(
        f"""() => {{ const map = document.querySelector('.nbe-map');
             return {PLACED}.map(({{point, dx, dy, width, height}}) => {{
               const [x, y] = map.nbembedWhere(point);
               return [point, x + dx, y + dy, width / 2, height / 2]; }}); }}"""
    )
    where = "i => document.querySelector('.nbe-map').nbembedWhere(i)"
    points = page.evaluate(f"Array.from({{length: 600}}, (_, i) => ({where})(i))")
    assert [point for point, *_ in zoomed if point == 0] == []
    for own, x, y, across, down in zoomed:
        assert max(across, down) == pytest.approx(20)
        for other, u, v, wide, high in zoomed:
            assert own == other or abs(x - u) >= across + wide or abs(y - v) >= down + high
        assert not [1 for u, v in points if abs(x - u) < across and abs(y - v) < down]


def test_images_whose_answer_was_lost_are_asked_for_again(open_explorer: Any) -> None:
    page = open_images(open_explorer, 600)
    page.evaluate(
        """() => { const { answers } = window.kernel, { images } = answers;
          answers.images = (given, sets) => {
            if (window.lost) return images(given, sets);
            window.lost = [...sets[0]];
            return "lost"; }; }"""
    )
    zoom_in(page, 8)
    page.wait_for_function("window.lost")
    zoom_in(page, 8)
    page.wait_for_function(f"{PLACED}.some(({{point}}) => window.lost.includes(point))")


def test_the_pointer_sees_points_and_no_images(open_explorer: Any) -> None:
    page = open_images(open_explorer, 600)
    zoom_in(page, 8)
    page.wait_for_function(f"{PLACED}.length > 3")
    # Of a point that is inside the map, as its image is.
    point, x, y = page.evaluate(
        f"""() => {{ const map = document.querySelector('.nbe-map');
             const box = map.getBoundingClientRect();
             const {{ point, dx, dy }} = {PLACED}.find(({{ point }}) => {{
               const [x, y] = map.nbembedWhere(point);
               return Math.min(x, y, box.width - x, box.height - y) > 20; }});
             const [x, y] = map.nbembedWhere(point);
             return [point, box.left + x + dx, box.top + y + dy]; }}"""
    )
    page.mouse.move(x, y)
    act(page, "")
    expect(page.get_by_role("tooltip")).to_have_count(0)
    page.mouse.move(*screen_of(page, point))
    expect(page.get_by_role("tooltip")).to_contain_text(f"#{point}")


def test_images_on_the_map_can_be_hidden(open_explorer: Any) -> None:
    page = open_images(open_explorer, 60, names_shown=False)
    page.wait_for_function(f"{PLACED}.length > 3")
    page.get_by_role("checkbox", name="Images on the map").click()
    page.wait_for_function(f"{PLACED}.length === 0")
    assert [m["arguments"] for m in sent(page, "show_thumbnails")] == [{"shown": False}]
    assert kernel(page, "k.traits.thumbnails_shown") is False
    act(page, "k.update({ thumbnails_shown: true })")
    page.wait_for_function(f"{PLACED}.length > 3")


def test_a_picture_as_svg_has_the_images_that_are_on_the_map(
    open_explorer: Any, tmp_path: Path
) -> None:
    page = open_images(open_explorer, 60)
    page.wait_for_function(f"{PLACED}.length > 3")
    page.get_by_role("button", name="Picture", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("button", name="SVG").click()
    download.value.save_as(tmp_path / "map.svg")
    images = list(ET.parse(tmp_path / "map.svg").iter("{http://www.w3.org/2000/svg}image"))
    assert len(images) == page.evaluate(f"{PLACED}.length")
    assert {image.get("width") for image in images} == {"40"}
    assert all(image.get("href", "").startswith("data:image/png;base64,") for image in images)


@pytest.mark.browser
def test_a_page_without_a_kernel_has_the_images_of_its_cards(
    explore: Any, browser: Browser, tmp_path: Path
) -> None:
    rng = np.random.default_rng(0)
    explorer = explore(rng.normal(size=(60, 4)), nb.HSSNE(random_state=0), images=IMAGES, steps=40)
    explorer.to_html(tmp_path / "map.html")
    page = browser.new_page(viewport={"width": 900, "height": 640})
    page.goto((tmp_path / "map.html").as_uri())
    page.wait_for_function(f"() => {PLACED}.length > 3")
    page.get_by_role("checkbox", name="Images on the map").uncheck()
    page.wait_for_function(f"() => {PLACED}.length === 0")
    page.close()
