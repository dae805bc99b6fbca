"""States of the map at places of the history: the newest ones, as far as there is room.

A place is known by its settings, which are one object wherever the history has them. What is kept
depends on the commands alone and not on time, so that a replay keeps the same. A file does not hold
it: the log of a loaded session has a ``reset_optimizer``, at which all is forgotten.
"""

from __future__ import annotations

from nbembed.session.core.settings import Settings
from nbembed.session.map.run_state import RunState

#: Bytes of layouts that are kept.
MOST_BYTES = 64 * 2**20


class Places:
    """Layouts by settings."""

    def __init__(self) -> None:
        self._kept: dict[int, tuple[Settings, RunState]] = {}

    def keep(self, settings: Settings, state: RunState) -> None:
        """Keep where the map is at a place that is being left."""
        if state.layout is None:
            return
        self._kept.pop(id(settings), None)  # the newest is the last
        self._kept[id(settings)] = settings, state
        layouts = (kept.layout for _, kept in self._kept.values())
        size = sum(layout.nbytes for layout in layouts if layout is not None)
        while size > MOST_BYTES and len(self._kept) > 1:
            _, dropped = self._kept.pop(next(iter(self._kept)))
            size -= 0 if dropped.layout is None else dropped.layout.nbytes

    def at(self, settings: Settings) -> RunState | None:
        """Return the state of the map at a place, ``None`` if that is not kept."""
        found = self._kept.get(id(settings))
        return found[1] if found is not None and found[0] is settings else None

    def clear(self) -> None:
        """Forget all."""
        self._kept.clear()
