"""From what an Explorer shows to a still picture of it: colors, names and a legend."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.drawing.contrast import on_ground
from nbembed.drawing.palette import SCALES, SYMBOLS
from nbembed.drawing.picture import Caption, Picture

NEUTRAL = (150, 155, 162)
#: Background and ink.
LIGHT, DARK = ((255, 255, 255), (45, 48, 52)), ((27, 29, 32), (225, 227, 230))
#: What measures of each point are called.
MEASURES = {
    "trustworthiness": "trustworthiness",
    "continuity": "continuity",
    "kept": "neighbors kept",
    "stress": "stress",
    "pull": "pull of labels",
}
#: Share of the values of a measure at either end that the scale leaves out.
EXTREME = 0.01
#: Seconds.
DAY, HOUR, MINUTE = 86_400, 3600, 60
#: Points of a class without which it has no name on the map.
FEWEST_NAMED = 3
#: Classes of which each has its name on the map.
MOST_NAMED = 40


def picture_of(
    positions: NDArray[Any],
    *,
    color_by: str,
    column: Mapping[str, Any],
    values: NDArray[Any],
    classes: Sequence[Mapping[str, Any]],
    labels: NDArray[Any],
    membership_colors: NDArray[Any] | None = None,
    borders: Sequence[Sequence[float]] = (),
    names_shown: bool = True,
    note: str = "",
    dark: bool = False,
) -> Picture:
    """Return the picture of a map, as the Explorer shows it.

    * Shapes: positions (n_samples, 2).
    * color_by: as the Explorer's trait says.
    * column: ``kind``, ``names`` and ``colors`` of the column to color by.
    * values (n_samples,): its codes or numbers; of a measure, which ``color_by`` then names, the
      measure of each point. Measures color labeled points, too.
    * classes: ``name`` and ``color`` of each class, its ``symbol``, and whether it is ``hidden``.
    * labels (n_samples,) int: −1 for unlabeled points.
    * membership_colors (n_samples, 4): colors by class probability.
    """
    n = len(positions)
    background, ink = DARK if dark else LIGHT
    colors = np.tile(np.array(NEUTRAL, dtype=np.uint8), (n, 1))
    legend: list[tuple[str, str, int]] = []
    groups, names = labels, [c["name"] for c in classes]
    looks = [_hex(on_ground(c["color"], background)) for c in classes]
    shapes = [SYMBOLS.index(c.get("symbol", SYMBOLS[0])) for c in classes]
    by_column = color_by == "column" and column["kind"] != "none" and len(values) == n
    by_measure = color_by in MEASURES and len(values) == n
    if color_by == "probability" and membership_colors is not None:
        share = membership_colors[:, 3:].astype(np.float64) / 255
        adapted = _on_ground(membership_colors[:, :3], background)
        mixed = share * adapted + (1 - share) * np.array(NEUTRAL)
        colors = mixed.round().astype(np.uint8)
    elif by_column and column["kind"] == "category":
        codes = np.where(np.isnan(values), -1, values).astype(int)
        known = codes >= 0
        shown = [_hex(on_ground(c, background)) for c in column["colors"]]
        if known.any():
            colors[known] = _rgb(shown)[codes[known]]
        groups, names = codes, list(column["names"])
        own = {c["name"]: shape for c, shape in zip(classes, shapes)}
        legend = [(name, c, own.get(name, 0)) for name, c in zip(names, shown)]
    elif by_column or by_measure:
        known = np.isfinite(values)
        if known.any():
            low, high = _ends(values[known]) if by_measure else _span(values[known])
            place = np.clip((values[known] - low) / (high - low or 1.0), 0, 1)
            stops = SCALES["dark" if dark else "light"]
            colors[known] = _ramp(place, stops)
            text = _time if by_column and column["kind"] == "time" else _number
            ends = (high, stops[-1]), (low, stops[0])
            legend = [(text(v, high - low), c, 0) for v, c in ends]
            if by_measure:
                legend[0] = (f"{MEASURES[color_by]} {legend[0][0]}", *legend[0][1:])
    marked = (labels >= 0) & (labels < len(classes))
    # A class's color would be read as a number; the shape says the class.
    by_number = by_measure or (by_column and column["kind"] != "category")
    if marked.any() and not by_number:
        colors[marked] = _rgb(looks)[labels[marked]]
    own_shapes = np.zeros(n, dtype=np.intp)
    own_shapes[marked] = np.array([*shapes, 0])[labels[marked]]
    there = {name for name, _, _ in legend}
    if by_column and not known.all():
        legend.append(("missing", _hex(NEUTRAL), 0))
    legend += [
        (c["name"], _hex(NEUTRAL) if by_number else look, shape)
        for c, look, shape in zip(classes, looks, shapes)
        if c["name"] not in there and not c.get("hidden")
    ]
    seen = np.ones(n, dtype=bool)
    seen[marked] = np.array([not c.get("hidden") for c in classes], dtype=bool)[labels[marked]]
    positions, colors, marked = positions[seen], colors[seen], marked[seen]
    captions = _captions(groups[:n][seen], names) if names_shown else []
    return Picture(
        positions, colors, marked, captions, borders, legend, note, background, ink,
        own_shapes[seen],
    )  # fmt: skip


def _on_ground(colors: NDArray[Any], ground: tuple[int, int, int]) -> NDArray[Any]:
    """Return colors (n, 3) as they are shown; those that agree in six bits share one."""
    _, first, alike = np.unique(colors >> 2, axis=0, return_index=True, return_inverse=True)
    looks = _rgb([_hex(on_ground(_hex(tuple(colors[i])), ground)) for i in first])
    found: NDArray[np.uint8] = looks[alike.ravel()]
    return found


def _span(values: NDArray[Any]) -> tuple[float, float]:
    return float(values.min()), float(values.max())


def _ends(values: NDArray[Any]) -> tuple[float, float]:
    """Return the range of all but the most extreme at either end, as the page has it."""
    ordered = np.sort(values)
    last = len(ordered) - 1
    low, high = ordered[math.floor(EXTREME * last)], ordered[math.ceil((1 - EXTREME) * last)]
    return (float(low), float(high)) if high > low else _span(ordered)


def _captions(groups: NDArray[Any], names: Sequence[str]) -> list[Caption]:
    """Return the name of each group, with its points."""
    members = [np.flatnonzero(groups == k) for k in range(min(len(names), MOST_NAMED))]
    return [
        Caption(name, points) for name, points in zip(names, members) if len(points) >= FEWEST_NAMED
    ]


def _time(seconds: float, span: float) -> str:
    """Return a time in seconds since 1970, as exactly as tells the ends of a span apart."""
    unit = "D" if span >= 3 * DAY else "m" if span >= HOUR else "s" if span >= MINUTE else "ms"
    when = np.datetime64(round(seconds * 1000), "ms").astype(f"datetime64[{unit}]")
    return str(when).replace("T", " ")


def _number(value: float, span: float) -> str:
    """Return a number in four digits, or as many as tell the ends of a span apart."""
    more = math.log10(abs(value) / span) if 0 < span < abs(value) else 0
    return f"{value:.{min(4 + int(more), 15)}g}"


def _hex(color: tuple[int, int, int]) -> str:
    return "#{:02X}{:02X}{:02X}".format(*color)


def _rgb(colors: Sequence[str]) -> NDArray[np.uint8]:
    """Return "#RRGGBB" as rows of numbers."""
    return np.array([list(bytes.fromhex(c[1:7])) for c in colors], dtype=np.uint8).reshape(-1, 3)


def _ramp(place: NDArray[Any], colors: Sequence[str]) -> NDArray[np.uint8]:
    """Return colors of places in [0, 1] along some colors."""
    stops = _rgb(colors).astype(np.float64)
    at = np.linspace(0, 1, len(stops))
    mixed = np.stack([np.interp(place, at, stops[:, c]) for c in range(3)], axis=-1)
    return mixed.round().astype(np.uint8)
