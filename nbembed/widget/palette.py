"""Colors and symbols of classes and categories, told apart with any kind of color vision.

The first colors are those of Okabe and Ito (*Color Universal Design*, 2008), reordered so that the
strongest come first. Classes differ in shape as well as in color, so that no two of the first sixty
look alike.
"""

from __future__ import annotations

import colorsys
from collections.abc import Sequence

#: Okabe and Ito's without black and yellow, then six that were chosen so that the first ten differ
#: as much as can be for full, protanopic and deuteranopic vision, on light and on dark ground.
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

#: As the front end names its shapes.
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

    Past the fixed colors hues go round by the golden angle, in three lightnesses.
    """
    if index < len(COLORS):
        return COLORS[index]
    turn = index - len(COLORS)
    r, g, b = colorsys.hls_to_rgb((turn * 0.381966) % 1.0, (0.45, 0.6, 0.35)[turn % 3], 0.6)
    return f"#{round(255 * r):02X}{round(255 * g):02X}{round(255 * b):02X}"


def symbol(index: int) -> str:
    """Return the marker shape of class ``index``."""
    return SYMBOLS[index % len(SYMBOLS)]


class ClassPalette:
    """Which color and symbol each class has, for as long as it exists.

    A class that is named like a category of the column in view takes that category's color, so
    that a label and the truth that it states look alike. Others take the first free color.

    Parameters
    ----------
    categories : sequence of str
        The categories in view; category k has color k.
    """

    def __init__(self, categories: Sequence[str] = ()) -> None:
        self._categories = {name: k for k, name in enumerate(categories)}
        self._slots: list[int] = []

    def styles(self, classes: Sequence[str]) -> list[dict[str, str]]:
        """Return name, color and symbol of each class; a renamed class keeps what it had."""
        del self._slots[len(classes) :]
        for name in classes[len(self._slots) :]:
            self._slots.append(self._slot(name))
        return [
            {"name": name, "color": color(slot), "symbol": symbol(slot)}
            for name, slot in zip(classes, self._slots)
        ]

    def colors(self, count: int) -> list[str]:
        """Return the colors of the first ``count`` classes, also of those not named yet.

        A class without a name shows the color that it would get with an ordinary one.
        """
        slots = self._slots[:count]
        while len(slots) < count:
            slots.append(self._slot("", slots))
        return [color(slot) for slot in slots]

    def _slot(self, name: str, slots: Sequence[int] | None = None) -> int:
        taken = set(self._slots if slots is None else slots)
        wanted = self._categories.get(name)
        if wanted is not None and wanted not in taken:
            return wanted
        reserved = taken | set(self._categories.values())
        # With hundreds of categories a reserved color is better than an ever stranger one.
        for slot in range(2 * len(COLORS)):
            if slot not in reserved:
                return slot
        return next(slot for slot in range(len(taken) + 1) if slot not in taken)
