"""Figures as wide as the cell that shows them, and one scale on both axes of a map.

A map of fixed size is square, so its ranges are squares, too. The shape of a frame that follows the
page's width is known in the page alone: there a callback widens the range of the axis that has
room. It runs again when the width changes, and keeps what the reader has zoomed to.
"""

from __future__ import annotations

from typing import Any

from bokeh.models import CustomJS
from numpy.typing import NDArray

from nbembed.validation import check_count

_FIT = """
const w = plot.inner_width, h = plot.inner_height
if (!(w > 0 && h > 0)) return
const unit = Math.max(sides[0] / w, sides[1] / h)
const x = plot.x_range, y = plot.y_range
const axes = [[x, middle[0], unit * w / 2], [y, middle[1], unit * h / 2]]
const untouched = axes.every(([r]) => r.start === r.reset_start && r.end === r.reset_end)
const first = !plot.tags.includes("fitted")
for (const [r, at, by] of axes) r.setv({reset_start: at - by, reset_end: at + by})
if (first) plot.tags = [...plot.tags, "fitted"]
if (first || untouched) {
  for (const [r, at, by] of axes) r.setv({start: at - by, end: at + by})
} else {  // zoomed or panned by hand
  const at = (x.start + x.end) / 2, by = (y.end - y.start) * w / h / 2
  x.setv({start: at - by, end: at + by})
}
"""


def extent(width: Any, height: Any) -> dict[str, Any]:
    """Return the options of a figure of a checked size in pixels; without a width it stretches."""
    height = check_count("height", height, low=100)
    if width is None:
        return {"height": height, "sizing_mode": "stretch_width"}
    return {"width": check_count("width", width, low=100), "height": height}


def keep_scale(made: Any, middle: NDArray[Any], sides: NDArray[Any]) -> None:
    """Show a box of these sides around ``middle``, with one scale, in a frame of any shape."""
    fit = CustomJS(
        args={"plot": made, "middle": middle.tolist(), "sides": sides.tolist()}, code=_FIT
    )
    made.js_on_change("inner_width", fit)
    made.js_on_change("inner_height", fit)
