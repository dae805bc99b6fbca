"""Lines of one's own."""

from __future__ import annotations

import numpy as np
import pytest
from bokeh.models import Legend

from nbembed import plots


def test_lines_are_drawn_as_given_and_told_apart():
    x = np.arange(1, 5)
    figure = plots.lines({"a": (x, x**2), "<b>": (x, [1, np.nan, 3, 4])}, log="x", legend="right")
    first, second = figure.renderers
    assert np.array_equal(first.data_source.data["y"], x**2)
    assert np.isnan(second.data_source.data["y"][1])
    assert first.glyph.line_color != second.glyph.line_color
    assert first.glyph.line_dash != second.glyph.line_dash
    assert [item.label.value for item in figure.select_one(Legend).items] == ["a", "<b>"]
    assert figure.xaxis[0].ticker.ticks == [1, 2]  # 5 lies beyond 4


def test_wide_logarithmic_axes_keep_powers_of_ten():
    figure = plots.lines({"a": ([1, 1e6], [1, 2])}, log="x")
    assert not hasattr(figure.xaxis[0].ticker, "ticks")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"curves": [1, 2]}, TypeError, "curves must be a mapping"),
        ({"curves": {}}, ValueError, "at least one curve"),
        ({"curves": {"a": 3}}, TypeError, r"curves\['a'\] must be a pair"),
        ({"curves": {"a": (["x"], [1])}}, TypeError, "must be numbers"),
        ({"curves": {"a": ([1, 2], [1])}}, ValueError, "equally many x and y"),
        ({"curves": {"a": ([1, np.nan], [1, 2])}}, ValueError, "must be finite"),
        ({"curves": {"a": ([0, 1], [1, 2])}, "log": "x"}, ValueError, "x above 0"),
        ({"log": "z"}, ValueError, "log must be"),
        ({"legend": "outside"}, ValueError, "legend must be one of"),
        ({"height": 1}, ValueError, "height must be at least 100"),
    ],
)
def test_bad_input_is_named(arguments, error, message):
    with pytest.raises(error, match=message):
        plots.lines(**{"curves": {"a": ([1, 2], [1, 2])}, **arguments})


@pytest.mark.parametrize("name", ["title", "x_label", "y_label"])
def test_words_are_words(name):
    for wrong in (None, 3, ["a"]):
        with pytest.raises(TypeError, match=f"{name} must be text"):
            plots.lines({"a": ([1, 2], [3, 4])}, **{name: wrong})
