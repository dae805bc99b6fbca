"""Pages of many points: rounded positions, densities, exact hover and lasso."""

from __future__ import annotations

import base64
import io
import re
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from tests.widget.page import act, kernel

#: More points than are drawn one by one (``MANY`` in ``raster.ts``).
MANY = 60_000


def place(page: Page, positions: np.ndarray, state: str = "paused") -> None:
    """Show a layout, and wait until it is drawn."""
    version = page.evaluate(
        """([text, state]) => {
             const k = window.kernel;
             const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
             k.positions = new Float32Array(bytes.buffer);
             k.update({ state });
             k.frame();
             return k.version; }""",
        [_base64(positions), state],
    )
    page.wait_for_function(f"window.frames.some(f => f.version >= {version})")


def _base64(positions: np.ndarray) -> str:
    return base64.b64encode(positions.astype("<f4").tobytes()).decode()


def screen(page: Page, points: list[int]) -> np.ndarray:
    """Return where on the map points are drawn, in its pixels."""
    return np.array(
        page.evaluate(
            "points => points.map(i => document.querySelector('.nbe-map').nbembedWhere(i))", points
        )
    )


def all_on_screen(page: Page, positions: np.ndarray) -> np.ndarray:
    """Return where all points are drawn, from two of them far apart: the camera does not turn."""
    low, high = int(positions[:, 0].argmin()), int(positions[:, 0].argmax())
    first, last = screen(page, [low, high])
    true = positions.astype(float)
    scale = (last[0] - first[0]) / (true[high, 0] - true[low, 0])
    return first + (true - true[low]) * [scale, -scale]


def pixel(page: Page, x: float, y: float) -> list[int]:
    """Return the color of the points' canvas at a place of the map."""
    found = page.evaluate(
        """([x, y]) => [...document.querySelector('canvas.nbe-points').getContext('2d')
                          .getImageData(Math.floor(x), Math.floor(y), 1, 1).data].slice(0, 3)""",
        [x, y],
    )
    return list(found)


def test_rounded_positions_are_right_to_half_a_pixel_and_exact_at_rest(open_explorer: Any) -> None:
    page = open_explorer(n=12_000)
    true = np.random.default_rng(0).normal(size=(12_000, 2)).astype(np.float32)
    points = list(range(0, 12_000, 60))
    place(page, true)
    exact = screen(page, points)
    place(page, true, "running")
    assert kernel(page, "k.told.at(-1).content.range.length") == 4
    assert kernel(page, "k.told.at(-1).buffers[0]") == 4 * 12_000
    rounded = screen(page, points)
    assert 0 < np.abs(rounded - exact).max() < 0.05
    place(page, true)
    assert np.array_equal(screen(page, points), exact)


def test_a_page_zoomed_in_far_asks_for_full_precision(open_explorer: Any) -> None:
    page = open_explorer(n=12_000)
    true = np.random.default_rng(0).normal(size=(12_000, 2)).astype(np.float32)
    place(page, true, "running")
    asked = "k.sent.filter(m => m.type === 'precision').map(m => m.full)"
    page.locator(".nbe-map").focus()
    for _ in range(8):
        page.keyboard.press("+")
    assert kernel(page, asked) == []
    for _ in range(20):
        page.keyboard.press("+")
    page.wait_for_function("window.kernel.precise")
    page.wait_for_function("!('range' in window.kernel.told.at(-1).content)")
    page.keyboard.press("f")
    page.wait_for_function("!window.kernel.precise")
    assert kernel(page, asked) == [True, False]


def test_a_pixel_of_many_points_has_the_mean_of_their_colors(open_explorer: Any) -> None:
    """Three quarters of one class and one of another, the same whatever comes last."""
    n = MANY
    page = open_explorer(n=n, clusters=4)
    colors = ["#ff0000", "#ff0000", "#ff0000", "#0000ff"]
    column = {"kind": "category", "title": "", "names": list("abcd"), "colors": colors}
    act(page, f"k.update({{ color_column: {column} }})")
    positions = np.zeros((n, 2), np.float32)
    positions[:4] = [[-1, -1], [1, 1], [-1, 1], [1, -1]]
    page.evaluate("() => { window.kernel.truth.fill(0); }")
    place(page, positions)
    middle, alone = screen(page, [10, 1])
    legend = page.locator(".nbe-legend i").evaluate_all(
        "all => all.map(e => getComputedStyle(e).backgroundColor.match(/\\d+/g).map(Number))"
    )
    most, least = np.array(legend[0]), np.array(legend[3])
    mean = 0.75 * most + 0.25 * least
    assert np.abs(pixel(page, *middle.tolist()) - mean).max() < 4
    ground = pixel(page, *((middle + alone) / 2).tolist())
    lone = pixel(page, *alone.tolist())
    assert lone[0] >= most[0] - 4
    assert lone[1] < ground[1] - 60, "a lone point stays visible"


def test_denser_places_are_drawn_more_strongly(open_explorer: Any) -> None:
    page = open_explorer(n=MANY, clusters=1)
    places = np.repeat([[0, 0], [1, 0], [2, 0], [3, 0]], [MANY - 121, 100, 20, 1], axis=0)
    place(page, places.astype(np.float32))
    at = screen(page, [0, MANY - 121, MANY - 21, MANY - 1])
    ground = np.array(pixel(page, 3, 3))
    strength = [np.abs(np.array(pixel(page, x, y)) - ground).sum() for x, y in at.tolist()]
    assert strength == sorted(strength, reverse=True)
    assert len(set(strength)) == 4


def test_few_points_in_view_are_drawn_one_by_one(open_explorer: Any) -> None:
    """Zoomed in on a labeled point of a large map, its marker has its shape and its size."""
    page = open_explorer(n=MANY)
    positions = np.random.default_rng(0).uniform(-1, 1, size=(MANY, 2)).astype(np.float32)
    positions[0] = 0
    act(page, "k.addClass('one'); k.codes[0] = 0; k.confidence[0] = 1; k.supervised('')")
    place(page, positions)
    page.locator(".nbe-map").focus()
    for _ in range(12):
        page.keyboard.press("+")
    act(page, "")
    ((x, y),) = screen(page, [0])
    color = pixel(page, float(x), float(y))
    chip = page.locator(".nbe-chip path").evaluate("e => getComputedStyle(e).fill")
    assert color == [int(v) for v in re.findall(r"\d+", chip)], (
        "the color of the class, not a mean with its neighbors'"
    )


def test_hover_names_the_nearest_of_many_points(open_explorer: Any) -> None:
    page = open_explorer(n=MANY)
    positions = np.random.default_rng(1).normal(size=(MANY, 2)).astype(np.float32)
    place(page, positions)
    on_screen = all_on_screen(page, positions)
    box = page.locator(".nbe-map").bounding_box()
    assert box is not None
    for right, down in [(68.3, -29.8), (-22.0, 30.0), (78.5, -69.5)]:
        x, y = box["width"] / 2 + right, box["height"] / 2 + down
        page.mouse.move(box["x"] + x, box["y"] + y)
        distances = np.hypot(*(on_screen - [x, y]).T)
        expect(page.get_by_role("tooltip")).to_contain_text(f"#{distances.argmin()}")


def inside(points: np.ndarray, polygon: np.ndarray) -> np.ndarray:
    """Return which points are in a polygon, by the angle that it turns around each."""
    a = polygon[None] - points[:, None]
    b = np.roll(polygon, -1, axis=0)[None] - points[:, None]
    cross = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    turned = np.arctan2(cross, (a * b).sum(axis=2)).sum(axis=1)
    return np.abs(turned) > np.pi


def test_a_lasso_of_many_points_is_exact(open_explorer: Any) -> None:
    page = open_explorer(n=MANY)
    positions = np.random.default_rng(2).normal(size=(MANY, 2)).astype(np.float32)
    place(page, positions)
    on_screen = all_on_screen(page, positions)
    box = page.locator(".nbe-map").bounding_box()
    assert box is not None
    middle = np.array([box["width"], box["height"]]) / 2
    turns = np.linspace(0, 2 * np.pi, 60, endpoint=False)
    radius = 120 + 40 * np.sin(5 * turns)  # a star, so that edges lie in many directions
    polygon = middle + radius[:, None] * np.c_[np.cos(turns), np.sin(turns)]
    page.get_by_role("button", name="Lasso", exact=True).click()
    page.evaluate(
        """(polygon) => {
             const map = document.querySelector('.nbe-map');
             map.setPointerCapture = () => {};
             const box = map.getBoundingClientRect();
             const tell = (type, [x, y]) => map.dispatchEvent(new PointerEvent(type, {
               clientX: box.left + x, clientY: box.top + y, pointerId: 1, button: 0 }));
             tell('pointerdown', polygon[0]);
             for (const corner of polygon.slice(1)) tell('pointermove', corner);
             tell('pointerup', polygon.at(-1)); }""",
        polygon.tolist(),
    )
    page.wait_for_function("window.kernel.replied.select === 1")
    chosen = kernel(page, "k.commands('select').at(-1).points")
    expected = np.flatnonzero(inside(on_screen, polygon))
    assert 10_000 < len(expected) < MANY
    assert chosen == expected.tolist()


@pytest.mark.parametrize("command", ["must_link", "pin"])
def test_marks_that_would_cover_each_other_are_drawn_once(open_explorer: Any, command: str) -> None:
    page = open_explorer(n=MANY)
    positions = np.random.default_rng(3).normal(size=(MANY, 2)).astype(np.float32)
    place(page, positions)
    page.evaluate(
        """() => { window.lines = 0;
                   const own = CanvasRenderingContext2D.prototype.lineTo;
                   CanvasRenderingContext2D.prototype.lineTo = function (x, y) {
                     window.lines++; own.call(this, x, y); }; }"""
    )
    group = "Array.from({ length: 30000 }, (_, i) => i)"
    change = {
        "must_link": f"k.update({{ links: [{group}] }})",
        "pin": f"k.update({{ pinned: new DataView(Uint32Array.from({group}).buffer) }})",
    }[command]
    act(page, change)
    assert 300 < page.evaluate("window.lines") < 20_000


@pytest.mark.parametrize("renderer", ["webgl", "raster"])
def test_many_selected_points_keep_their_color(open_explorer: Any, renderer: str) -> None:
    n = 3000
    page = open_explorer(n=n, clusters=1, renderer=renderer, color_by="column", names_shown=False)
    rng = np.random.default_rng(0)
    positions = np.r_[0.3 * rng.normal(size=(n - 4, 2)), [[9, 9], [-9, 9], [9, -9], [-9, -9]]]
    place(page, positions)
    heap = {"x": 0.0, "y": 0.0, "width": 12, "height": 12}
    (x, y) = screen(page, [int(np.hypot(*positions.T).argmin())])[0]
    box = page.locator(".nbe-map").bounding_box()
    assert box is not None
    heap["x"], heap["y"] = box["x"] + x - 6, box["y"] + y - 6
    before = colors_of(page.screenshot(clip=heap)).mean(axis=(0, 1))
    act(page, f"k.update({{selection: new DataView(Uint32Array.from({{length: {n}}},"
              " (_, i) => i).buffer)})")  # fmt: skip
    after = colors_of(page.screenshot(clip=heap)).mean(axis=(0, 1))
    assert np.ptp(before) > 60, "the color of the category"
    assert np.abs(after - before).max() < 30, "outlines are below all bodies"
    # Around the heap there is an outline: the darkest pixels of a column are as dark as the ink.
    around = page.screenshot(
        clip={"x": heap["x"] - 60, "y": heap["y"] - 60, "width": 132, "height": 132}
    )
    assert colors_of(around).sum(axis=-1).min() < 3 * 40


def colors_of(picture: bytes) -> np.ndarray:
    """Return the pixels of a PNG, shape (height, width, 3)."""
    return np.asarray(Image.open(io.BytesIO(picture)).convert("RGB")).astype(float)
