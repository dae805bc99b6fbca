"""Colors and symbols of classes and categories, distinguishable with any kind of color vision.

The first colors are those of Okabe and Ito (*Color Universal Design*, 2008), the strongest
first. Classes differ in shape as well as in color: no two of the first sixty look alike.
"""

from __future__ import annotations

import colorsys

#: Okabe and Ito's colors without black and yellow, then six more; the first ten were chosen to
#: maximize the smallest difference under trichromatic, protanopic and deuteranopic vision, on light
#: and dark backgrounds.
COLORS = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#D55E00",
    "#56B4E9",
    "#8A1538",
    "#5A4BEB",
    "#DCCB55",
    "#77E08F",
    "#6B4A2F",
    "#B79CF5",
)

#: Colors of ordered categories: viridis without its palest end, which no light ground would show.
ORDERED = (
    "#440154",
    "#482475",
    "#414487",
    "#355F8D",
    "#2A788E",
    "#21918C",
    "#22A884",
    "#44BF70",
    "#7AD151",
)

#: The color scales of numbers, safe for color vision deficiency: the lowest are nearly the ground,
#: so that what stands out is high. On a light ground ColorBrewer's YlGnBu from a light gray on, on
#: a dark one viridis from a dark gray on.
SCALES = {
    "light": (
        "#d5dbe2", "#b5dfc4", "#7fcdbb", "#41b6c4", "#1d91c0", "#225ea8", "#253494", "#081d58",
    ),
    "dark": (
        "#343a4c", "#355f8d", "#2a788e", "#21918c", "#22a884", "#44bf70", "#7ad151", "#bddf26",
        "#fde725",
    ),
}  # fmt: skip

#: Marker shapes, in the order in which classes get them.
SYMBOLS = (
    "circle",
    "square",
    "triangle",
    "diamond",
    "star",
    "cross",
    "wedge",
    "pentagon",
    "saltire",
    "hexagon",
)


def color(index: int) -> str:
    """Return the color of class or category ``index`` as ``"#RRGGBB"``.

    Colors after the fixed ones step through the hues by the golden angle, in three lightnesses.
    """
    if index < len(COLORS):
        return COLORS[index]
    turn = index - len(COLORS)
    r, g, b = colorsys.hls_to_rgb((turn * 0.381966) % 1.0, (0.45, 0.6, 0.35)[turn % 3], 0.6)
    return f"#{round(255 * r):02X}{round(255 * g):02X}{round(255 * b):02X}"


def symbol(index: int) -> str:
    return SYMBOLS[index % len(SYMBOLS)]


def ordered_color(index: int, count: int) -> str:
    """Return the color of category ``index`` of ``count`` in their order, from dark to light."""
    place = index / max(count - 1, 1) * (len(ORDERED) - 1)
    k = min(int(place), len(ORDERED) - 2)
    mixed = [
        round(int(a, 16) + (place - k) * (int(b, 16) - int(a, 16)))
        for a, b in ((ORDERED[k][c : c + 2], ORDERED[k + 1][c : c + 2]) for c in (1, 3, 5))
    ]
    return "#" + "".join(f"{value:02X}" for value in mixed)


def category_colors(count: int, *, ordered: bool) -> list[str]:
    return [ordered_color(k, count) if ordered else color(k) for k in range(count)]
