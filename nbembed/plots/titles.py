"""Titles of the maps of a grid: a name, and its metrics in lines that the map's width has room for.

A grid that is as wide as the page knows its widths in the page alone. Titles are broken for a
narrow page, and a callback puts their words together again where there is room. The maps keep
their height.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

from bokeh.models import CustomJS, PlainText

#: Approximate width of a letter in pixels.
LETTER = 7.5

_CHOOSE = """
const w = plot.inner_width
if (!(w > 0)) return
const at = needs.findIndex((need) => need <= w)
const text = texts[at < 0 ? texts.length - 1 : at]
if (plot.title.text.text === text.text) return
plot.title.text = text
// Bokeh makes the new title in a moment, and measures it with the next layout.
setTimeout(() => { plot.height = heights[at < 0 ? heights.length - 1 : at] })
"""


def metric_parts(given: Any) -> list[str]:
    """Return the texts of a map's metrics, from text or a mapping of names to numbers."""
    if isinstance(given, str):
        return [given] if given else []
    if not isinstance(given, Mapping) or not all(isinstance(v, Real) for v in given.values()):
        raise TypeError(f"metrics must be a mapping of names to text or numbers, got {given!r}")
    return [f"{name} {float(value):.3g}" for name, value in given.items()]


def titles(metrics: Mapping[str, list[str]], room: int) -> list[str]:
    """Return names with their metrics, in lines of about ``room`` letters; no word is broken.

    All have the same number of lines, so that the maps are aligned.
    """
    found = []
    for name, parts in metrics.items():
        line = ", ".join(parts)
        below = [line] if len(line) <= room else parts
        lines = [
            textwrap.wrap(line, max(room, 1), break_long_words=False, break_on_hyphens=False)
            for line in [name, *below]
        ]
        found.append([part for parts in lines for part in parts or [" "]])
    most = max(map(len, found))
    return ["\n".join([*lines, *[" "] * (most - len(lines))]) for lines in found]


def title_height(title: str) -> int:
    """Return the pixels that a title takes above the frame of a figure."""
    return 14 + 16 * (title.count("\n") + 1 if title else 0)


def fit_titles(figures: Sequence[Any], metrics: Mapping[str, list[str]], narrow: int) -> None:
    """Give the figures the titles that their width in the page has room for.

    There is a figure, with a title for ``narrow`` letters, for each name in ``metrics``.
    """
    whole = [len(line) for name, parts in metrics.items() for line in [name, ", ".join(parts)]]
    apart = [len(line) for name, parts in metrics.items() for line in [name, *parts]]
    rooms = [room for room in sorted({max(whole), max(apart)}, reverse=True) if room > narrow]
    choices = [titles(metrics, room) for room in [*rooms, narrow]]
    needs = [LETTER * room for room in rooms]
    spare = [title_height(choices[-1][0]) - title_height(found[0]) for found in choices]
    for k, made in enumerate(figures):
        texts = [PlainText(text=found[k]) for found in choices]
        heights = [made.height - less for less in spare]
        args = {"plot": made, "texts": texts, "needs": needs, "heights": heights}
        choose = CustomJS(args=args, code=_CHOOSE)
        made.js_on_change("inner_width", choose)
