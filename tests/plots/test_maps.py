"""Maps: one source, equal scales, the Explorer's colors, and errors that name the argument."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pytest
from bokeh.embed import file_html
from bokeh.models import Arrow, ColorBar, HoverTool, Label, Legend, PlainText, Scatter, Segment
from bokeh.resources import CDN

from nbembed import plots
from nbembed.methods import PathStep
from nbembed.points.columns import as_column
from nbembed.widget.stream.serializers import color_column
from tests.reliability.strategies import HOSTILE_TEXT

SPECIES = np.array(["setosa", "virginica", "versicolor"])


@pytest.fixture
def Y(rng):
    return rng.normal(size=(30, 2)) * [5, 1]


@pytest.fixture
def classes(rng):
    return SPECIES[np.arange(30) % 3]


def points(figure):
    """Return the renderer of a map's points."""
    return next(r for r in figure.renderers if isinstance(r.glyph, Scatter))


def figures(grid):
    return [child[0] for child in grid.children]


def test_a_map_has_equal_scales_and_shows_every_point(Y, classes):
    figure = plots.scatter(Y, classes, size=300)
    x, y = figure.x_range, figure.y_range
    assert figure.frame_width == figure.frame_height == 300
    assert figure.select_one(Legend) is not None
    assert plots.scatter(Y, classes, legend=False).select_one(Legend) is None
    assert x.end - x.start == pytest.approx(y.end - y.start)
    assert x.start < Y[:, 0].min() < Y[:, 0].max() < x.end
    assert y.start < Y[:, 1].min() < Y[:, 1].max() < y.end


def test_colors_are_those_of_the_explorer(Y, classes):
    source = points(plots.scatter(Y, classes)).data_source
    traits = color_column(as_column(classes, 30))["color_column"]
    expected = dict(zip(traits["names"], traits["colors"]))
    assert source.data["paint"] == [expected[name] for name in classes]
    assert source.data["name"] == classes.tolist()


def test_past_the_fixed_colors_shapes_differ_as_well(rng):
    many = np.arange(40)
    source = points(plots.scatter(rng.normal(size=(40, 2)), many.astype(str))).data_source
    looks = set(zip(source.data["paint"], source.data["marker"]))
    assert len(looks) == 40
    assert len(set(source.data["marker"])) > 3


def test_numbers_get_a_scale_and_missing_ones_are_gray(Y):
    values = np.linspace(0, 3, 30)
    values[4] = np.nan
    figure = plots.scatter(Y, values)
    bar = figure.select_one(ColorBar)
    assert (bar.color_mapper.low, bar.color_mapper.high) == (0, 3)
    assert figure.select_one(Legend) is None
    # One value only is a scale too.
    flat = plots.scatter(Y, np.full(30, 2.5)).select_one(ColorBar).color_mapper
    assert flat.high > flat.low == 2.5


def test_names_are_plain_text_everywhere(Y):
    names = np.array(["<b>x</b>", "$$\\alpha$$", "@name{safe}"])[np.arange(30) % 3]
    figure = plots.scatter(
        Y,
        names,
        title="$$t$$",
        centers=Y[:3],
        center_names=names[:3],
        directions=np.eye(2),
        direction_names=["$$u$$", "<i>v</i>"],
        hover={"note": names},
    )
    written = [figure.title.text, *(label.text for label in figure.select(Label))]
    assert len(written) == 6
    assert all(isinstance(text, PlainText) for text in written)
    (hover,) = figure.select(HoverTool)
    assert "safe" not in str(hover.tooltips)
    items = figure.select_one(Legend).items
    assert [item.label.value for item in items] == sorted(set(names))


def test_centers_and_directions_take_the_color_of_their_class(Y, classes):
    figure = plots.scatter(
        Y,
        classes,
        centers=Y[:2],
        center_names=["versicolor", "somewhere"],
        directions=[[1, 0], [0, 2], [0, 0]],
        direction_names=["virginica", "setosa", "free"],
    )
    source = points(figure).data_source
    color = dict(zip(source.data["name"], source.data["paint"]))
    stars = [r.glyph.fill_color for r in figure.renderers if r.glyph.marker == "star"]
    assert stars[0] == color["versicolor"]
    assert stars[1] not in color.values()
    arrows = [thing for thing in figure.center if isinstance(thing, Arrow)]
    assert [a.line_color for a in arrows][:2] == [color["virginica"], color["setosa"]]
    # Lengths keep their proportions, and all tips are in view.
    length = [np.hypot(a.x_end, a.y_end) for a in arrows]
    assert length[1] == pytest.approx(2 * length[0])
    assert length[2] == 0
    assert all(figure.x_range.start <= a.x_end <= figure.x_range.end for a in arrows)
    assert all(figure.y_range.start <= a.y_end <= figure.y_range.end for a in arrows)


def test_names_of_centers_stand_on_the_side_away_from_the_points(Y):
    figure = plots.scatter(Y, centers=[[-9, 0], [9, 0]], center_names=["left", "right"])
    labels = [thing for thing in figure.center if isinstance(thing, Label)]
    assert [label.text_align for label in labels] == ["right", "left"]
    assert labels[0].x_offset < 0 < labels[1].x_offset


def test_borders_lie_halfway_between_centers_of_different_classes(Y, classes):
    centers = [[-1.0, 0.0], [1.0, 0.0], [1.0, 0.5]]
    figure = plots.scatter(Y, classes, centers=centers, center_classes=["a", "b", "b"])
    (borders,) = (r for r in figure.renderers if isinstance(r.glyph, Segment))
    data = borders.data_source.data
    ends = np.array([[data["x0"], data["y0"]], [data["x1"], data["y1"]]]).transpose(2, 0, 1)
    assert len(ends)
    for end in ends.reshape(-1, 2):
        away = np.linalg.norm(np.array(centers) - end, axis=1)
        assert away[0] == pytest.approx(away[1:].min()), "not between the two centers of b"
    texts = [thing.text.text for thing in figure.center if isinstance(thing, Label)]
    assert texts == ["a", "b", "b"]
    assert figure.renderers.index(borders) == 0, "points lie over them"
    plain = plots.scatter(Y, classes, centers=centers)
    assert figure.y_range.end == plain.y_range.end < np.abs(ends).max(), "cut off at the frame"


def test_names_of_directions_in_one_place_are_written_as_one(Y):
    figure = plots.scatter(
        Y, directions=[[1, 0], [0, 1], [0.999, 0.02]], direction_names=["LFDA", "PCA", "SS-LFDA"]
    )
    texts = [thing.text.text for thing in figure.center if isinstance(thing, Label)]
    assert texts == ["LFDA, SS-LFDA", "PCA"]


def test_a_name_at_the_edge_is_moved_into_the_frame(Y):
    figure = plots.scatter(
        Y, directions=[[1, 0]], direction_names=["a name of some length"], size=420
    )
    (label,) = (thing for thing in figure.center if isinstance(thing, Label))
    start, end = figure.x_range.start, figure.x_range.end
    left = (label.x - start) / (end - start) * figure.frame_width + label.x_offset
    assert label.text_align == "left"
    assert left + 7 * len(label.text.text) < figure.frame_width
    assert label.y_offset > 0


def test_more_dimensions_are_drawn_on_the_plane_of_the_directions(rng):
    Y = rng.normal(size=(50, 4)) * [1, 1, 30, 40]
    directions = np.array([[1, 0, 0, 0], [-0.5, 0.8, 0, 0], [-0.5, -0.8, 0, 0]])
    source = points(plots.scatter(Y, directions=directions)).data_source
    seen = np.column_stack([source.data["x"], source.data["y"]])
    # The plane of the first two axes, turned: its distances and none of the wide axes.
    assert np.linalg.norm(seen, axis=1) == pytest.approx(np.linalg.norm(Y[:, :2], axis=1))
    line = points(plots.scatter(Y[:, :1])).data_source
    assert np.array_equal(line.data["x"], Y[:, 0])
    assert not np.any(line.data["y"])


def test_marked_points_are_larger_and_have_a_rim(Y):
    data = points(plots.scatter(Y, marked=[3, 4])).data_source.data
    others = np.setdiff1d(np.arange(30), [3, 4])
    assert data["size"][[3, 4]].min() > data["size"][others].max()
    assert np.flatnonzero(data["rim_opacity"]).tolist() == [3, 4]
    mask = np.isin(np.arange(30), [3, 4])
    assert np.array_equal(points(plots.scatter(Y, marked=mask)).data_source.data["size"],
                          data["size"])  # fmt: skip


def test_marked_points_lie_over_the_others(Y):
    clouds = [r for r in plots.scatter(Y, marked=[3, 4]).renderers if isinstance(r.glyph, Scatter)]
    assert len(clouds) == 2
    assert clouds[1].view.filter.indices == [3, 4]
    assert clouds[0].data_source is clouds[1].data_source
    alone = [r for r in plots.scatter(Y).renderers if isinstance(r.glyph, Scatter)]
    assert len(alone) == 1


def test_a_map_is_as_wide_as_the_page_unless_it_has_a_size(Y, classes):
    figure = plots.scatter(Y, classes)
    assert figure.sizing_mode == "stretch_width"
    assert figure.frame_width is None
    assert plots.scatter(Y, size=300).sizing_mode is None
    grid = plots.comparison_grid({"a": Y, "b": -Y}, classes)
    assert [f.sizing_mode for f in figures(grid)] == ["stretch_width", "stretch_width", "fixed"]


def test_a_grid_has_one_source_so_that_selection_is_linked(Y, classes):
    grid = plots.comparison_grid({"a": Y, "b": -Y, "c": np.hstack([Y, Y])}, classes, columns=2)
    made = figures(grid)
    assert len(made) == 4, "three maps and the legend"
    assert len({points(figure).data_source.id for figure in made}) == 1
    source = points(made[0]).data_source
    assert np.array_equal(source.data["x0"], Y[:, 0])
    assert np.array_equal(source.data["x1"], -Y[:, 0])
    legends = [figure.select_one(Legend) is not None for figure in made]
    assert legends == [False, False, True, False], "beside the first row"
    square = plots.comparison_grid({"a": Y, "b": -Y, "c": Y}, classes, columns=2, size=200)
    assert [f.select_one(Legend) is not None for f in figures(square)] == [False, True, False]


def test_titles_carry_measures_and_stand_level(Y):
    grid = plots.comparison_grid(
        {"a": Y, "b": Y, "c": Y}, metrics={"a": {"trust": 0.91234, "cost": 2}, "b": "as it is"}
    )
    titles = [figure.title.text.text for figure in figures(grid)]
    assert titles == ["a\ntrust 0.912, cost 2", "b\nas it is", "c\n "]


def test_titles_are_broken_where_a_narrow_page_would_cut_them(Y):
    names = ("one", "a name of many words", "three", "four")
    metrics = {name: {"homogeneity": 0.771, "cost": 2.78} for name in names}
    grid = plots.comparison_grid(dict.fromkeys(names, Y), metrics=metrics, columns=4)
    titles = [figure.title.text.text.split("\n") for figure in figures(grid)]
    assert titles[0] == ["one", "homogeneity", "0.771", "cost 2.78", " "]
    assert titles[1] == ["a name of many", "words", "homogeneity", "0.771", "cost 2.78"]
    (wide, _) = figures(
        plots.comparison_grid({"one": Y, "two": Y}, metrics={"one": metrics["one"]})
    )
    assert wide.title.text.text == "one\nhomogeneity 0.771, cost 2.78", "there is room"
    heights = {figure.height for figure in figures(grid)}
    assert len(heights) == 1
    assert heights.pop() > wide.height, "no line takes room from the map"


def test_a_screen_reader_is_told_what_there_is(Y, classes):
    figure = plots.scatter(Y, classes, title="Three species")
    if "html_attributes" in figure.properties():  # Bokeh 3.7 and later
        said = figure.html_attributes["aria-label"]
        assert "30 points" in said
        assert "Three species" in said
        assert "virginica" in said


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"Y": np.zeros(3)}, "Y must have shape"),
        ({"Y": [[np.nan, 0.0]]}, "Y must be finite"),
        ({"color": [1, 2]}, "color must have one value"),
        ({"marked": [30]}, "marked must be indices"),
        ({"hover": {"note": ["a"]}}, r"hover\['note'\] must have one value"),
        ({"centers": [[0.0, 0, 0]]}, "centers must have 2 columns"),
        ({"centers": [[0.0, 0]], "center_names": ["a", "b"]}, "center_names must name each"),
        ({"center_names": ["a"]}, "center_names must be given together with centers"),
        ({"center_classes": ["a"]}, "center_classes must be given together with centers"),
        ({"centers": np.eye(2), "center_classes": ["a"]}, "center_classes must name the class"),
        ({"directions": [[np.inf, 0.0]]}, "directions must be finite"),
        ({"size": 10}, "size must be at least 100"),
    ],
)
def test_bad_input_is_named(Y, arguments, message):
    with pytest.raises(ValueError, match=message):
        plots.scatter(**{"Y": Y, **arguments})


def test_numbers_may_be_of_any_integer_type(Y):
    grid = plots.comparison_grid({"a": Y, "b": -Y}, columns=np.int8(1), size=np.uint8(120))
    assert len(figures(grid)) == 2
    assert plots.scatter(Y, size=np.int16(300)).renderers


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"layouts": np.zeros((3, 2))}, TypeError, "layouts must be a mapping"),
        ({"layouts": {}}, ValueError, "at least one layout"),
        ({"layouts": {"a": np.eye(3), "b": np.eye(2)}}, ValueError, "of the same points"),
        ({"layouts": {"a": [["x"]]}}, ValueError, r"layouts\['a'\] must be"),
        ({"metrics": {"z": "text"}}, ValueError, "metrics must have keys among the layouts"),
        ({"metrics": {"a": 3}}, TypeError, "metrics must be a mapping of names to text or numbers"),
        ({"columns": 0}, ValueError, "columns must be at least 1"),
    ],
)
def test_bad_grids_are_named(Y, arguments, error, message):
    with pytest.raises(error, match=message):
        plots.comparison_grid(**{"layouts": {"a": Y}, **arguments})


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"hover": "ab"}, "hover must be a mapping"),
        ({"hover": 3}, "hover must be a mapping"),
        ({"title": None}, "title must be text"),
        ({"legend": "left"}, "legend must be True or False"),
        ({"title": ["a"]}, "title must be text"),
        ({"centers": np.eye(2), "center_names": 3}, "center_names must be a list of names"),
        ({"centers": np.eye(2), "center_names": "ab"}, "center_names must be a list of names"),
    ],
)
def test_words_are_words(keywords, message):
    with pytest.raises(TypeError, match=message):
        plots.scatter(np.eye(2), **keywords)


@pytest.mark.parametrize("metrics", ["ab", 3, [("one", "x")]])
def test_metrics_are_a_mapping(metrics):
    with pytest.raises(TypeError, match="metrics must be a mapping"):
        plots.comparison_grid({"one": np.eye(2)}, metrics=metrics)


@pytest.mark.parametrize("size", [1e200, 1e300, np.finfo(float).max])
def test_layouts_too_large_to_draw(Y, size):
    huge = np.sign(np.hstack([Y, Y[:, :1]])) * size
    flat = np.hstack([Y, Y[:, :1]])
    with pytest.raises(ValueError, match="Y must be at most 1e\\+140 in magnitude"):
        plots.scatter(huge)
    with pytest.raises(ValueError, match=r"layouts\['b'\] must be at most 1e\+140"):
        plots.comparison_grid({"a": flat, "b": huge})
    with pytest.raises(ValueError, match="directions must be at most"):
        plots.scatter(flat, directions=huge[:2])
    with pytest.raises(ValueError, match="centers must be at most"):
        plots.scatter(flat, centers=huge[:2])


def test_degenerate_layouts_are_drawn(Y):
    flat = np.hstack([Y, Y[:, :1]])
    degenerate = {
        "zero": 0 * flat,
        "one place": 0 * flat + 1e100,
        "line": flat[:, :1],
        "1e-300": flat * 1e-300,
    }
    assert len(figures(plots.comparison_grid(degenerate))) == 4


def test_names_of_layouts_and_classes_along_a_path_are_named_in_errors(Y):
    with pytest.raises(ValueError, match="names of layouts must be text that UTF-8 can encode"):
        plots.comparison_grid({"a": Y, "\ud800": Y})
    with pytest.raises(ValueError, match="y must have one value for each of the 30 points"):
        plots.annealing_path([PathStep(1.0, Y, 1.0)], np.ones((30, 2)))


class Tags(HTMLParser):
    """The tags of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.found.append(tag)


def test_no_text_adds_a_tag_to_the_page_of_a_figure():
    hostile = (*HOSTILE_TEXT, "@x", "$index", "{{", "}", "{% raw %}", "]]>", "<!--")
    texts = [text for text in hostile if text and not re.search("[\ud800-\udfff]", text)]
    Y = np.random.default_rng(0).normal(size=(len(texts), 2))

    def page(names):
        figure = plots.scatter(
            Y, names, hover=dict.fromkeys(names, names), title=" ".join(names), centers=Y,
            center_names=names,
        )  # fmt: skip
        (tool,) = (tool for tool in figure.toolbar.tools if isinstance(tool, HoverTool))
        fields = {f"@hover{k}" for k in range(len(names))}
        assert fields <= {field for _, field in tool.tooltips}, "by number, whatever the name"
        return file_html(figure, CDN, "figure")

    plain = Tags(page([f"name {k}" for k in range(len(texts))])).found
    assert Tags(page(texts)).found == plain
