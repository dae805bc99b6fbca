"""The theme of all figures: light or dark background and text, and names for screen readers."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from bokeh.models import (
    FixedTicker,
    InlineStyleSheet,
    Legend,
    LegendItem,
    NumeralTickFormatter,
    PlainText,
    Title,
)
from bokeh.plotting import figure

from nbembed.validation import check_text

#: Visible on light and dark backgrounds: missing categories, shading, outlines.
NEUTRAL = "#8A919E"
#: Text that cannot follow the theme: a contrast of at least 4 on light and dark backgrounds.
MIDDLE = "#767D8A"

# Bokeh reads --bk-* when it paints. JupyterLab's variables decide where they are set, the system's
# preference elsewhere; versions of Bokeh that ignore them show the light colors below.
_STYLE = """
:host {
  --nbe-ground: var(--jp-layout-color0, #fdfdfc);
  --nbe-text: var(--jp-ui-font-color1, #1d2129);
  --nbe-soft: var(--jp-ui-font-color2, #566070);
  --nbe-line: var(--jp-border-color2, #dcdfe5);
}
@media (prefers-color-scheme: dark) {
  :host {
    --nbe-ground: var(--jp-layout-color0, #121317);
    --nbe-text: var(--jp-ui-font-color1, #e6e8ec);
    --nbe-soft: var(--jp-ui-font-color2, #9aa2b0);
    --nbe-line: var(--jp-border-color2, #32363f);
  }
}
:host {
  --bk-background-fill-color: var(--nbe-ground);
  --bk-border-fill-color: var(--nbe-ground);
  --bk-outline-line-color: var(--nbe-line);
  --bk-text-color: var(--nbe-text);
  --bk-axis-label-text-color: var(--nbe-text);
  --bk-major-label-text-color: var(--nbe-soft);
  --bk-axis-line-color: var(--nbe-soft);
  --bk-major-tick-line-color: var(--nbe-soft);
  --bk-minor-tick-line-color: var(--nbe-line);
  --bk-grid-line-color: var(--nbe-line);
  --bk-label-text-color: var(--nbe-text);
  --bk-title-text-color: var(--nbe-text);
}
"""
# Legends are page elements, so their text follows by CSS.
_LEGEND_STYLE = ":host { color: var(--nbe-text) } .bk-label { color: var(--nbe-text) !important }"
# A legend over the curves must cover them to be legible.
_VEIL = ":host { background-color: color-mix(in srgb, var(--nbe-ground) 85%, transparent) }"
_GROUND, _TEXT, _SOFT, _LINE = "#FDFDFC", "#1D2129", "#566070", "#DCDFE5"


def new_figure(title: str, description: str, **options: Any) -> Any:
    """Return an empty figure in the common theme; ``options`` are Bokeh's.

    The title, "" for none, is never interpreted as TeX; the description is for screen readers.
    """
    check_text("title", title)
    made = figure(stylesheets=[InlineStyleSheet(css=_STYLE)], **options)
    made.background_fill_color = made.border_fill_color = _GROUND
    made.outline_line_color = _LINE
    made.title = Title(
        text=PlainText(text=title), text_color=_TEXT, text_font_size="13px", visible=bool(title)
    )
    for axis in made.axis:
        axis.axis_label_text_color = _TEXT
        axis.major_label_text_color = _SOFT
        axis.axis_line_color = axis.major_tick_line_color = _SOFT
        axis.minor_tick_line_color = None
        axis.axis_label_text_font_style = "normal"
    for grid in made.grid:
        grid.grid_line_color = _LINE
    made.toolbar.logo = None
    made.toolbar.autohide = True
    # Older versions of Bokeh do not have the property.
    if "html_attributes" in made.properties():
        made.html_attributes = {"role": "figure", "aria-label": description}
    return made


def add_legend(
    made: Any, entries: Sequence[tuple[str, Any, int | None]], *, title: str = "", place: str
) -> Legend:
    """Add a legend of ``(text, renderer, index of an example point)`` and return it."""
    items = [
        LegendItem(label={"value": text}, renderers=[renderer], index=index)
        for text, renderer, index in entries
    ]
    outside = place in ("left", "right", "above", "below")
    legend = Legend(
        items=items,
        title=title or None,
        border_line_color=None,
        background_fill_color=None,
        label_text_color=_TEXT,
        title_text_color=_TEXT,
        title_text_font_style="normal",
        label_text_font_size="12px",
        ncols=1 + (len(items) - 1) // 20,
        spacing=1,
        padding=6,
        stylesheets=[InlineStyleSheet(css=_LEGEND_STYLE + ("" if outside else _VEIL))],
    )
    if outside:
        made.add_layout(legend, place)
    else:
        legend.location = place
        made.add_layout(legend)
    return legend


def count_by_ones_twos_fives(axis: Any, low: float, high: float) -> None:
    """Put the ticks of a logarithmic axis at 1, 2 and 5 times powers of ten, in plain notation."""
    tens = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [step * 10.0**ten for ten in tens for step in (1, 2, 5)]
    axis.ticker = FixedTicker(ticks=[tick for tick in ticks if low * 0.99 <= tick <= high * 1.01])
    axis.formatter = NumeralTickFormatter(format="0.[000]")


def text_color() -> str:
    """Return the text color for Bokeh; the style sheet may override it."""
    return _TEXT


def ground_color() -> str:
    """Return the background color for Bokeh; the style sheet may override it."""
    return _GROUND
