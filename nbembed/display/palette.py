"""Colors and symbols of classes and categories, distinguishable with any kind of color vision.

The first colors are those of Okabe and Ito (*Color Universal Design*, 2008), the strongest
first. Classes differ in shape as well as in color: no two of the first sixty look alike.
"""

from __future__ import annotations

import colorsys
from collections.abc import Sequence

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
    """Return the marker shape of class ``index``."""
    return SYMBOLS[index % len(SYMBOLS)]


class ClassPalette:
    """Assigns a color and a symbol to each class for as long as the class exists.

    A class with the name of a category of the shown column takes the color of that category, so
    that a label and the same value of the column look alike. Other classes take the first free
    color.

    Parameters
    ----------
    categories : sequence of str
        The categories of the shown column; category k has color k.
    """

    def __init__(self, categories: Sequence[str] = ()) -> None:
        self._categories = {name: k for k, name in enumerate(categories)}
        self._slots: list[int] = []

    def styles(self, classes: Sequence[str]) -> list[dict[str, str]]:
        """Return name, color and symbol of each class; a renamed class keeps its style."""
        del self._slots[len(classes) :]
        self._slots += self._assigned(classes[len(self._slots) :], self._slots)
        return [
            {"name": name, "color": color(slot), "symbol": symbol(slot)}
            for name, slot in zip(classes, self._slots)
        ]

    def colors(self, count: int) -> list[str]:
        """Return the colors of the first ``count`` classes, including classes not yet named.

        An unnamed class has the color that it will get with a name that is no category.
        """
        slots = self._slots[:count]
        slots += self._assigned([""] * (count - len(slots)), slots)
        return [color(slot) for slot in slots]

    def _assigned(self, names: Sequence[str], before: Sequence[int]) -> list[int]:
        """Return a slot for each name, none of them among those assigned ``before``."""
        taken, reserved = set(before), set(self._categories.values())
        slots: list[int] = []
        lowest = 0  # all below it are taken, so that many classes cost no more than their number
        for name in names:
            slot = self._categories.get(name, -1)
            if slot < 0 or slot in taken:
                # With hundreds of categories, a reserved color is easier to tell than a generated
                # one.
                few = range(2 * len(COLORS))
                free = (s for s in few if s not in taken and s not in reserved)
                while lowest in taken:
                    lowest += 1
                slot = next(free, lowest)
            taken.add(slot)
            slots.append(slot)
        return slots
