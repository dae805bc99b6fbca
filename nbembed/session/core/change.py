"""Change: a session's state before and after a command, and what that invalidates in the map."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from nbembed.session.core.command_entry import Arguments, Command
from nbembed.session.core.invalidation import Invalidation, invalidated
from nbembed.session.core.session_state import SessionState


@dataclass(frozen=True)
class Change:
    """The effect of one command; everything derived from it is computed once.

    ``arguments`` are as the log keeps them.
    """

    entry: Command
    arguments: Arguments
    old: SessionState
    new: SessionState

    @cached_property
    def invalidation(self) -> Invalidation:
        """The parts that must be redone."""
        if self.new.settings is self.old.settings:
            return Invalidation()
        return invalidated(self.old.settings, self.new.settings)

    @property
    def needs_affinities(self) -> bool:
        """True where the map may need other affinities, or another layout."""
        return bool(self.invalidation.parts & {"affinities", "layout"})

    @property
    def moves(self) -> bool:
        """True where points move: by other settings, or back to where they were."""
        elsewhere = self.new.settings is not self.old.settings
        return self.invalidation.moves or (elsewhere and "moves points back" in self.entry.flags)

    @property
    def clears_path(self) -> bool:
        """True where the kept layouts of the path may be gone afterwards."""
        return (
            "clears path" in self.entry.flags
            or self.old.settings.n_classes != self.new.settings.n_classes
            or "layout" in self.invalidation.parts
        )

    @property
    def leaves_place(self) -> bool:
        """True where the settings before are a place of the history that one can return to."""
        settings, history = self.old.settings, self.new.history
        steps = (*history.past, *history.future)
        return settings is not self.new.settings and any(s.settings is settings for s in steps)

    @property
    def snapshot(self) -> int:
        """The number of the snapshot that the command names, 0 if it names none."""
        name = self.arguments.get("name")
        kept = self.new.snapshots.get(name) if isinstance(name, str) else None
        return 0 if kept is None else kept.number

    def events(self) -> list[str]:
        """Return the events that subscribers are notified of when the command has taken effect."""
        events = []
        old, new = self.old.settings, self.new.settings
        if not old.same_method(new):
            events.append("method")
        if not old.same_recipe(new):
            events.append("parameters")
        if old.supervision != new.supervision:
            events.append("supervision")
        return [*events, "state"]
