"""Figures in a real page: text stays text, selection is linked, light and dark, no network."""

from __future__ import annotations

import io

import numpy as np
import pytest
from bokeh.embed import file_html
from bokeh.resources import INLINE

from nbembed import plots

NAMES = ["<b>x</b>", "<img src=x onerror='window.hurt = true'>", "$$\\alpha$$"]


@pytest.fixture
def open_figure(browser):
    """Return a function that shows a figure in a page and watches what the page asks for."""
    contexts = []

    def open_figure(figure, scheme="light"):
        context = browser.new_context(color_scheme=scheme, viewport={"width": 1000, "height": 500})
        contexts.append(context)
        page = context.new_page()
        asked: list[str] = []
        page.on("request", lambda r: asked.append(r.url) if r.url.startswith("http") else None)
        page.on("pageerror", lambda error: asked.append(str(error)))
        page.asked = asked
        page.set_content(file_html(figure, INLINE, "figure"))
        page.wait_for_function(
            "window.Bokeh && Bokeh.documents.length && Bokeh.documents[0].is_idle"
        )
        return page

    yield open_figure
    for context in contexts:
        context.close()


def test_names_are_never_read_as_html(open_figure):
    Y = np.array([[0.0, 0], [1, 0], [0, 1]])
    figure = plots.scatter(
        Y, NAMES, hover={"<u>note</u>": NAMES}, title=NAMES[1], size=300, centers=Y,
        center_names=NAMES,
    )  # fmt: skip
    page = open_figure(figure)
    seen = set()
    x_range, y_range = figure.x_range, figure.y_range
    inner = page.evaluate(
        """() => { const view = Bokeh.index.roots[0];
                   const box = view.frame.bbox, own = view.el.getBoundingClientRect();
                   return [own.left + box.left, own.top + box.top, box.width, box.height] }"""
    )
    for x, y in Y:
        page.mouse.move(
            inner[0] + inner[2] * (x - x_range.start) / (x_range.end - x_range.start),
            inner[1] + inner[3] * (1 - (y - y_range.start) / (y_range.end - y_range.start)),
        )
        page.locator(".bk-tooltip-content").first.wait_for()
        seen.update(page.locator(".bk-tooltip-content").all_inner_texts())
        page.mouse.move(900, 450)
        page.locator(".bk-tooltip-content").first.wait_for(state="hidden")
    said = "\n".join(seen)
    for name in NAMES:
        assert name in said
    assert "<u>note</u>" in said
    assert page.locator("b, u, img[src='x']").count() == 0
    assert page.evaluate("window.hurt") is None
    assert page.asked == [], "nothing is fetched, TeX's typesetter included"


def test_selecting_in_one_map_selects_in_all(open_figure, rng):
    Y = rng.normal(size=(20, 2))
    page = open_figure(plots.comparison_grid({"one": Y, "two": -Y}, np.arange(20) % 2))
    chosen = page.evaluate(
        """() => {
            const models = [...Bokeh.documents[0]._all_models.values()];
            const sources = models.filter((m) => m.type == "ColumnDataSource");
            const renderers = models.filter(
                (m) => m.type == "GlyphRenderer" && m.glyph.type == "Scatter");
            sources[0].selected.indices = [3, 5];
            return renderers.map((r) => r.data_source.selected.indices);
        }"""
    )
    assert chosen == [[3, 5]] * 3, "two maps and the legend"


@pytest.mark.parametrize(("scheme", "dark"), [("light", False), ("dark", True)])
def test_the_ground_follows_light_and_dark(open_figure, scheme, dark):
    from PIL import Image

    page = open_figure(plots.scatter(np.eye(2), size=300), scheme)
    page.wait_for_timeout(100)
    picture = Image.open(io.BytesIO(page.screenshot())).convert("L")
    # The middle of the map, where there is no point.
    assert (picture.getpixel((100, 100)) < 60) is dark


def scales(page):
    """Return (units per pixel on x and on y, width of the frame) of each map in the page."""
    return page.evaluate(
        """() => [...Bokeh.documents[0]._all_models.values()]
            .filter((m) => m.type == "Figure" && m.renderers.length && m.tags.includes("fitted"))
            .map((p) => [(p.x_range.end - p.x_range.start) / p.inner_width,
                         (p.y_range.end - p.y_range.start) / p.inner_height, p.inner_width])"""
    )


def test_a_map_as_wide_as_the_page_has_one_scale(open_figure, rng):
    Y = rng.normal(size=(20, 2)) * [1, 3]
    page = open_figure(plots.scatter(Y, np.arange(20) % 2))
    for width in (1000, 600):
        page.set_viewport_size({"width": width, "height": 500})
        page.wait_for_timeout(200)
        ((across, up, frame),) = scales(page)
        assert across == pytest.approx(up)
        assert width - 150 < frame < width


def test_the_maps_of_a_grid_share_the_width(open_figure, rng):
    Y = rng.normal(size=(20, 2))
    page = open_figure(plots.comparison_grid(dict.fromkeys("abcd", Y), np.arange(20) % 2))
    page.wait_for_timeout(200)
    found = scales(page)
    assert len(found) == 4
    assert [up for _, up, _ in found] == pytest.approx([across for across, _, _ in found])
    widths = [frame for _, _, frame in found]
    assert max(widths) - min(widths) < 2, "the legend takes no room from one of them"
    assert 800 < sum(widths[:3]) < 1000


def test_what_was_zoomed_stays_when_the_width_changes(open_figure, rng):
    page = open_figure(plots.scatter(rng.normal(size=(20, 2))))
    page.wait_for_timeout(200)
    page.evaluate("Bokeh.documents[0].roots()[0].y_range.setv({start: 0.25, end: 0.75})")
    page.evaluate("Bokeh.documents[0].roots()[0].x_range.setv({start: 1, end: 2})")
    page.set_viewport_size({"width": 700, "height": 500})
    page.wait_for_timeout(200)
    ((across, up, _),) = scales(page)
    assert across == pytest.approx(up)
    seen = page.evaluate(
        "(() => { const p = Bokeh.documents[0].roots()[0];"
        " return [p.y_range.start, p.y_range.end, (p.x_range.start + p.x_range.end) / 2] })()"
    )
    assert seen == pytest.approx([0.25, 0.75, 1.5])


def test_titles_of_a_grid_are_broken_on_a_narrow_page_alone(open_figure, rng):
    names = ("one", "t-SNE, α = 1", "three", "four")
    metrics = {name: {"homogeneity": 0.771, "cost": 2.78} for name in names}
    Y = rng.normal(size=(20, 2))
    page = open_figure(plots.comparison_grid(dict.fromkeys(names, Y), metrics=metrics, columns=4))

    def written(first, height=None):
        """Return titles and heights, once the first title begins so and the maps are level."""
        found = page.wait_for_function(
            """([first, height]) => {
              const maps = [...Bokeh.documents[0]._all_models.values()]
                .filter((m) => m.type == "Figure" && m.renderers.length)
                .map((p) => [p.title.text.text, p.inner_height]);
              const level = maps.every(([, h]) =>
                h === maps[0][1] && (height === null || Math.abs(h - height) <= 4));
              return maps.length === 4 && maps[0][0].startsWith(first) && level && maps; }""",
            arg=[first, height],
        )
        return found.json_value()

    page.set_viewport_size({"width": 800, "height": 500})
    low = written("one\nhomogeneity 0.771\ncost 2.78")
    assert {text.count("\n") for text, _ in low} == {2}
    page.set_viewport_size({"width": 1400, "height": 500})
    wide = written("one\nhomogeneity 0.771, cost 2.78", low[0][1])
    assert wide[1][0] == "t-SNE, α = 1\nhomogeneity 0.771, cost 2.78"
    page.set_viewport_size({"width": 480, "height": 500})
    written("one\nhomogeneity\n0.771\n")
    assert page.asked == []
