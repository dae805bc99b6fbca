"""Maps of some points, of more, or of other features, that a page opens over a map.

They are Explorers that their parent holds.

A child ends as any Explorer does: when no page shows it and nothing refers to it. Its parent refers
to it until either is closed or a page closes the child.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from nbembed.points.preparation.wording import counted
from nbembed.widget.host.lifetime import WATCH, try_again
from nbembed.widget.stream.trait_writer import TraitWriter

#: How anywidget's front end names a widget by its model.
REFERENCE = "anywidget:{}"


class ChildMaps:
    """The children of one Explorer, oldest first; ``make`` returns a new one of these points."""

    def __init__(self, make: Callable[[NDArray[Any]], Any], writer: TraitWriter) -> None:
        self._make, self._writer = make, writer
        self.open: tuple[Any, ...] = ()
        self._places = 0  # that children had
        self.commands: dict[str, Callable[..., None]] = {
            "map_of": self._add,
            "close_map": self._close,
        }

    def _add(self, points: NDArray[Any]) -> None:
        self.add(self._make(points))

    def add(self, child: Any, instead_of: Any = None) -> None:
        """Hold a child, and show pages the way to it.

        It takes the place of another one, or of what has that place by now.
        """
        child.observe(self._closed, "comm")
        place = None if instead_of is None else instead_of._place
        if place not in [known._place for known in self.open]:
            child._place, self._places = self._places, self._places + 1
            self._set((*self.open, child))
        else:
            child._place = place
            self._set(tuple(child if known._place == place else known for known in self.open))

    def _close(self, widget: str) -> None:
        """Let go of a child."""
        self._set(tuple(child for child in self.open if _reference(child) != widget))

    def _closed(self, change: Any) -> None:
        self._set(tuple(child for child in self.open if child is not change.owner))

    def _set(self, children: tuple[Any, ...]) -> None:
        self.let_go(children)
        self._writer.update({"child_maps": [_described(c) for c in self.open]})

    def let_go(self, kept: tuple[Any, ...] = ()) -> None:
        """Hold these children alone; the others end if nobody else needs them."""
        for child in self.open:
            if child not in kept:
                child.unobserve(self._closed, "comm")
                if not WATCH.has_shell:  # nobody looks after the next message or cell
                    try_again(child._end_if_unneeded)
        self.open = kept
        WATCH.look_soon()


def _reference(child: Any) -> str:
    return REFERENCE.format(child.model_id)


def _described(child: Any) -> dict[str, Any]:
    new, name = child._new, counted(child.n_samples, "point")
    if child._prepared_how:
        name = child._prepared_how
    elif new:
        name = f"with {counted(new, 'new row')}"
    return {
        "widget": _reference(child),
        "name": name,
        "new": new,
        "prepared": bool(child._prepared_how),
        "place": child._place,
    }
