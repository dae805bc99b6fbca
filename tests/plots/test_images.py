"""Images side by side: the right way up, in common colors, and errors that name the argument."""

from __future__ import annotations

import numpy as np
import pytest
from bokeh.models import ColorBar, HoverTool, Image

from nbembed import plots


@pytest.fixture
def digits():
    return np.arange(24.0).reshape(4, 2, 3)


def glyph(figure):
    return next(r for r in figure.renderers if isinstance(r.glyph, Image))


def test_rows_are_drawn_from_the_top(digits):
    data = glyph(plots.images(digits, columns=3)).data_source.data
    # Bokeh draws the first row at the bottom.
    assert np.array_equal(data["image"][1], digits[1][::-1])
    assert len(set(data["x"][:3])) == 3
    assert data["x"][3] == data["x"][0]
    assert np.ptp(data["y"][:3]) == 0
    assert data["y"][3] + data["dh"][3] < data["y"][0], "below it, not over it"


def test_pixels_are_square_and_all_of_them_in_view(digits):
    figure = plots.images(digits, list("abcd"), columns=2)
    data = glyph(figure).data_source.data
    assert data["dw"] / data["dh"] == pytest.approx([1.5] * 4)
    assert data["x"].min() >= figure.x_range.start
    assert (data["x"] + data["dw"]).max() <= figure.x_range.end
    assert data["y"].min() >= figure.y_range.start
    assert (data["y"] + data["dh"]).max() <= figure.y_range.end


def test_all_have_the_same_colors(digits):
    mapper = glyph(plots.images(digits)).glyph.color_mapper
    assert (mapper.low, mapper.high) == (0, 23), "no ink is white, even where no pixel has none"
    assert mapper.palette[0] == "#FFFFFF"
    assert mapper.palette[-1] == "#000000"
    flat = glyph(plots.images(np.zeros((1, 2, 2)))).glyph.color_mapper
    assert flat.low < flat.high


def test_signed_values_have_white_in_the_middle(digits):
    figure = plots.images(digits - 4, signed=True)
    mapper = glyph(figure).glyph.color_mapper
    assert (mapper.low, mapper.high) == (-19, 19)
    middle = mapper.palette[len(mapper.palette) // 2]
    assert min(int(middle[k : k + 2], 16) for k in (1, 3, 5)) > 240
    assert figure.select_one(ColorBar) is not None
    assert plots.images(digits).select_one(ColorBar) is None


def test_images_may_differ_in_size_and_lie_in_a_list():
    data = glyph(plots.images([np.ones((2, 2)), np.ones((4, 2)).tolist()])).data_source.data
    assert data["dh"].tolist() == [0.5, 1.0]
    assert data["dw"].tolist() == [0.5, 0.5]


def test_hovering_reads_title_and_value(digits):
    (hover,) = plots.images(digits, list("abcd")).select(HoverTool)
    assert hover.tooltips == [("image", "@title"), ("value", "@image")]
    (plain,) = plots.images(digits).select(HoverTool)
    assert plain.tooltips == [("value", "@image")]


@pytest.mark.parametrize(
    ("pictures", "options", "error", "message"),
    [
        (3, {}, TypeError, "pictures must be a sequence"),
        ([], {}, ValueError, "pictures must be 1 to"),
        (np.ones((2, 2)), {}, ValueError, r"pictures\[0\] must have a height and a width"),
        ([[["a"]]], {}, TypeError, r"pictures\[0\] must be real numbers"),
        ([np.eye(2), [[np.nan]]], {}, ValueError, r"pictures\[1\] must be finite"),
        (np.ones((2, 2, 2)), {"titles": ["a"]}, ValueError, "titles must name each of 2"),
        (np.ones((2, 2, 2)), {"titles": "ab"}, TypeError, "titles must be a list"),
        (np.ones((2, 2, 2)), {"columns": 0}, ValueError, "columns"),
        (np.ones((2, 2, 2)), {"size": 3}, ValueError, "size"),
        (np.ones((2, 2, 2)), {"signed": 1}, TypeError, "signed"),
    ],
)
def test_errors_name_the_argument(pictures, options, error, message):
    with pytest.raises(error, match=message):
        plots.images(pictures, **options)
