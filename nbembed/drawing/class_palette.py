"""The look of each class: color, shape, place in lists, and whether its points are shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nbembed.drawing.palette import COLORS, color, symbol

#: Slots from here on are those of categories of columns that were shown later.
ADOPTED = 1_000_000


class ClassPalette:
    """Colors and symbols of classes, each kept for as long as the class exists.

    A class with the name of a category of the shown column takes the color of that category, so
    that a label and the same value of the column look alike. Other classes take the first free
    color. What somebody has chosen for a class stays with its name, also when the class is renamed,
    and comes back with it.

    * categories: the categories of the shown column.
    * colors: theirs; by default category k has color k.
    """

    def __init__(self, categories: Sequence[str] = (), colors: Sequence[str] | None = None) -> None:
        self._categories = {name: k for k, name in enumerate(categories)}
        self._category_colors = dict(enumerate(colors or ()))
        self._names: list[str] = []
        self._slots: list[int] = []
        self._order: list[str] = []
        self._chosen: dict[str, dict[str, Any]] = {}

    def styles(self, classes: Sequence[str]) -> list[dict[str, Any]]:
        """Return name, color, symbol, visibility and place of each class.

        A renamed class keeps its style.
        """
        self._follow(list(classes))
        places = {name: place for place, name in enumerate(self._order)}
        return [
            {
                "name": name,
                "color": self._color(slot),
                "symbol": symbol(slot),
                "hidden": False,
                **self._chosen.get(name, {}),
                "place": places[name],
            }
            for name, slot in zip(self._names, self._slots)
        ]

    def choose(self, name: str, look: dict[str, Any], place: int | None = None) -> None:
        """Give a class of the last :meth:`styles` another look or place.

        * look: entries of its style, among "color", "symbol" and "hidden".
        """
        self._chosen[name] = {**self._chosen.get(name, {}), **look}
        if place is not None:
            self._order.remove(name)
            self._order.insert(place, name)

    @property
    def chosen(self) -> tuple[dict[str, dict[str, Any]], list[str]]:
        """The looks chosen for classes, by name, and the present classes in the order of lists."""
        return {name: dict(look) for name, look in self._chosen.items() if look}, list(self._order)

    def restore(
        self, classes: Sequence[str], looks: Mapping[str, dict[str, Any]], order: Sequence[str]
    ) -> None:
        """Take over what :attr:`chosen` has told; classes that it does not know come last."""
        self._follow(list(classes))
        self._chosen = {name: dict(look) for name, look in looks.items()}
        places = {name: place for place, name in enumerate(order)}
        self._order.sort(key=lambda name: places.get(name, len(places)))

    def colors(self, count: int) -> list[str]:
        """Return the colors of the first ``count`` classes, including classes not yet named.

        An unnamed class has the color that it will get with a name that is no category.
        """
        named = [style["color"] for style in self.styles(self._names)[:count]]
        more = self._assigned([""] * (count - len(named)), self._slots[:count])
        return named + [self._color(slot) for slot in more]

    def adopt(
        self, categories: Sequence[str], colors: Sequence[str], *, ordered: bool
    ) -> list[str]:
        """Return the colors of another column's categories, and keep them for classes to come.

        Categories with the name of a class, or of a category of before, have its color; the others
        have one that none of these has. Ordered categories keep their ``colors``.
        """
        known = {style["name"]: style["color"] for style in self.styles(self._names)}
        for name, slot in self._categories.items():
            known.setdefault(name, self._color(slot))
        adopted = list(colors)
        if not ordered:
            taken = {style["color"] for style in self.styles(self._names)}
            taken |= {known[name] for name in categories if name in known}
            free = (c for c in map(color, range(len(taken) + len(adopted))) if c not in taken)
            adopted = [known[name] if name in known else next(free) for name in categories]
        for name, own in zip(categories, adopted):
            if name not in self._categories:
                slot = ADOPTED + len(self._categories)
                self._categories[name] = slot
                self._category_colors[slot] = own
        return adopted

    def _color(self, slot: int) -> str:
        return self._category_colors.get(slot) or color(slot)

    def _follow(self, classes: list[str]) -> None:
        """Take over the present classes: those of before keep their slots, others get free ones."""
        if classes == self._names:
            return
        slots = dict(zip(self._names, self._slots))
        kept = set(classes)
        if len(classes) == len(self._names):
            for old, new in zip(self._names, classes):
                if old not in kept and new not in slots:
                    slots[new] = slots.pop(old)
                    self._order[self._order.index(old)] = new
                    if old in self._chosen:
                        self._chosen[new] = self._chosen.pop(old)
        fresh = [name for name in classes if name not in slots]
        held = [slots[name] for name in classes if name in slots]
        slots.update(zip(fresh, self._assigned(fresh, held)))
        added = set(fresh)
        stayed = [name for name in self._order if name in kept and name not in added]
        self._order = stayed + fresh
        self._names, self._slots = classes, [slots[name] for name in classes]

    def _assigned(self, names: Sequence[str], before: Sequence[int]) -> list[int]:
        """Return a slot for each name, none of them among those assigned ``before``."""
        taken, reserved = set(before), set(self._categories.values())
        slots: list[int] = []
        adopted = {c for slot, c in self._category_colors.items() if slot >= ADOPTED}
        lowest = 0  # all below it are taken, so that many classes cost no more than their number
        for name in names:
            slot = self._categories.get(name, -1)
            if slot < 0 or slot in taken:
                # With hundreds of categories, a reserved color is easier to tell than a generated
                # one.
                few = range(2 * len(COLORS))
                free = (
                    s
                    for s in few
                    if s not in taken and s not in reserved and color(s) not in adopted
                )
                while lowest in taken:
                    lowest += 1
                slot = next(free, lowest)
            taken.add(slot)
            slots.append(slot)
        return slots
