"""Pictures of the papers' figures: drawn once for the same sources, and in place of no other."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image

from nbembed.drawing.palette import COLORS
from nbembed.drawing.panels import HEIGHT, LEFT, RIGHT, TITLE, WIDTH, CurvePanel, MapPanel, picture
from nbembed.experiments.papers import drawings, page
from nbembed.experiments.papers.catalog import NAMES
from nbembed.experiments.papers.drawings import DRAWINGS, Drawing
from nbembed.experiments.papers.published import HSSNE, ROWS

Y = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
CLASSES = np.array([0, 1, 1, 2])


def colors_of(image):
    """Return the colors of the first classes that are in an image."""
    found = {f"#{r:02X}{g:02X}{b:02X}" for _, (r, g, b) in image.convert("RGB").getcolors(10**6)}
    return [k for k, color in enumerate(COLORS[:4]) if color in found]


@pytest.fixture
def drawing(monkeypatch, tmp_path):
    """Return a drawing of a map and the number of times that it was drawn, as a list."""
    drawn = []

    def make(data):
        drawn.append(data)
        yield MapPanel("a map", Y, CLASSES)

    monkeypatch.setattr(drawings, "FOLDER", tmp_path / "pictures")
    one = Drawing(HSSNE, "Figure 3, maps", "a map", "hssne-vehicle", 1, make)
    monkeypatch.setattr(drawings, "DRAWINGS", (one,))
    return one, drawn


def test_panels_stand_side_by_side_in_rows():
    three = [MapPanel("all classes", Y, CLASSES), MapPanel("one", Y, CLASSES * 0)]
    three.append(CurvePanel("curves", {"a": ([1, 10], [5, 1]), "b": ([1, 10], [4, 2])}, True))
    image = picture(three, 2)
    assert image.size == (2 * WIDTH, 2 * (HEIGHT + TITLE))
    box = (0, TITLE, WIDTH, TITLE + HEIGHT)
    assert colors_of(image.crop(box)) == [0, 1, 2]
    assert colors_of(image.crop((WIDTH, TITLE, 2 * WIDTH, TITLE + HEIGHT))) == [0]
    assert colors_of(image.crop((0, HEIGHT + 2 * TITLE, WIDTH, image.size[1]))) == [0, 1]


def test_a_curve_falls_from_the_upper_left_to_the_lower_right():
    """Along a power law, which is straight where both axes are logarithmic."""
    x = np.array([1.0, 10.0, 100.0])
    panel = CurvePanel("", {"a": (x, 1 / x)}, logarithmic=True)
    center = HEIGHT // 2, (LEFT + WIDTH - RIGHT) // 2
    middle = np.asarray(panel.image())[center]
    assert middle[0] < 128 < middle[2]  # blue, but for smooth edges
    straight = CurvePanel("", {"a": (x, 1 / x)})
    assert (np.asarray(straight.image())[center] == 255).all()


def test_values_that_are_not_known_are_left_out_of_a_curve():
    known = CurvePanel("", {"a": ([1, 3], [5, 1])}).image()
    gap = CurvePanel("", {"a": ([1, 2, 3], [5, np.nan, 1])}).image()
    assert gap.tobytes() == known.tobytes()


def test_three_classes_are_seen_in_the_plane_of_their_directions():
    Y = np.repeat(np.eye(3), 10, axis=0)
    fake = SimpleNamespace(directions_=np.eye(3) - 1 / 3, embedding_=Y)
    shown = drawings.in_class_plane(fake)
    gaps = np.linalg.norm(shown[[0, 10, 20]] - shown[[10, 20, 0]], axis=1)
    np.testing.assert_allclose(gaps, np.sqrt(2))


def test_axes_go_through_the_middle_and_have_names():
    bare = np.asarray(MapPanel("", Y, CLASSES).image(), dtype=int)
    axis = MapPanel("", Y, CLASSES, axes={"found": np.array([3.0, 0.0])}).image()
    changed = np.abs(np.asarray(axis, dtype=int) - bare).sum(axis=2) > 0
    rows, columns = np.nonzero(changed)
    assert changed[HEIGHT // 2].sum() > 0.5 * WIDTH
    assert abs(rows - HEIGHT / 2).max() < 12  # a level line, and its name upon it
    assert columns.min() > 0


def test_a_stretched_map_fills_its_panel_along_both_axes():
    def filled(image):
        rows, columns = np.nonzero((np.asarray(image.convert("RGB")) < 250).any(axis=2))
        return np.ptp(rows) / HEIGHT, np.ptp(columns) / WIDTH

    thin = MapPanel("", Y * (1e-3, 1.0), CLASSES)
    assert filled(thin.image())[1] < 0.1
    assert min(filled(replace(thin, stretched=True).image())) > 0.8
    along = replace(thin, Y=Y * (0.0, 1.0), stretched=True)  # an axis without extent stays so
    assert filled(along.image())[1] < 0.1


def test_the_axes_of_a_stretched_map_are_stretched_with_it():
    """A direction from corner to corner of the map is one of the panel."""
    thin = MapPanel("", Y * (1e-3, 1.0), CLASSES, axes={"d": np.array([1e-3, 1.0])}, stretched=True)
    bare = np.asarray(replace(thin, axes={}).image().convert("RGB"), dtype=int)
    drawn = np.asarray(thin.image().convert("RGB"), dtype=int)
    _, columns = np.nonzero(np.abs(drawn - bare).sum(axis=2) > 0)
    assert np.ptp(columns) > 0.5 * WIDTH


def test_a_picture_is_drawn_again_only_with_other_sources(drawing, monkeypatch):
    one, drawn = drawing
    assert not one.up_to_date
    assert drawings.draw_all(None) == 0
    assert one.file.name == "hssne-figure-3-maps.png"
    assert colors_of(Image.open(one.file)) == [0, 1, 2]
    assert drawings.draw_all(None) == 0
    assert len(drawn) == 1
    monkeypatch.setattr(drawings, "digest_of", lambda files: "of other sources")
    assert drawings.draw_all(None) == 0
    assert len(drawn) == 2
    assert one.up_to_date


def test_a_file_that_is_no_picture_is_replaced(drawing):
    one, _ = drawing
    one.file.parent.mkdir()
    one.file.write_bytes(b"damaged")
    assert not one.up_to_date
    drawings.draw_all(None)
    assert one.up_to_date


def test_where_data_are_missing_a_sentence_says_so_and_the_others_are_drawn(
    drawing, monkeypatch, tmp_path, capsys
):
    one, _ = drawing
    needy = replace(one, number="Figure 2", experiment="mbed-g50c")
    monkeypatch.setattr(drawings, "DRAWINGS", (needy, one))
    assert drawings.main(["--data", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert "needs the data set g50c" in said
    assert "--data" in said
    assert not needy.file.exists()
    assert one.file.exists()


def test_drawings_are_of_rows_and_have_files_of_their_own():
    named = {(row.paper, row.number): row.experiments for row in ROWS}
    for drawing in DRAWINGS:
        assert drawing.experiment in NAMES
        assert (drawing.paper, drawing.number) in named
    assert len({drawing.file for drawing in DRAWINGS}) == len(DRAWINGS)


def test_the_page_shows_the_pictures_that_are_there():
    text = page.pages()[page.TABLES]
    for drawing in DRAWINGS:
        shown = f"(images/reproduction/{drawing.file.name})" in text
        assert shown == drawing.file.is_file()


def test_the_toys_are_drawn_with_the_axes_of_all_learners():
    (drawing,) = (d for d in DRAWINGS if d.experiment == "framework-toys")
    maps = list(drawing.panels(None))
    assert [len(panel.axes) for panel in maps] == [5, 6, 3]
    assert all(0 < panel.marked.sum() <= len(panel.Y) for panel in maps)
