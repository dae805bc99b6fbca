"""SessionState: what a command changes at once — settings, history, snapshots — as one value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from nbembed.session.history import History
from nbembed.session.settings import Settings


@dataclass(frozen=True)
class SessionState:
    """Settings, history and snapshots of a session, as of the last command given.

    Attributes
    ----------
    settings : Settings
    history : History
    snapshots : mapping of str to Settings
        The settings of each snapshot, by name.
    """

    settings: Settings
    history: History = field(default_factory=History)
    snapshots: Mapping[str, Settings] = field(default_factory=lambda: MappingProxyType({}))

    def changed(self, settings: Settings, text: str, gesture: str = "") -> SessionState:
        """Return the state with other settings, or itself if they are the same.

        Parameters
        ----------
        settings : Settings
        text : str
            What undo calls the change.
        gesture : str
            Consecutive changes of one gesture (moves of a slider) are one step of the history.

        Raises
        ------
        ValueError
            If the settings are not legal.
        """
        if settings.same_as(self.settings):
            return self
        if settings.recipe.takes_distances != self.settings.recipe.takes_distances:
            wanted, there = "features", "dissimilarities"
            if settings.recipe.takes_distances:
                wanted, there = there, wanted
            raise ValueError(
                f"the data of this session are {there} of the points, but {settings.name} as it "
                f"is set takes {wanted}"
            )
        settings.check()
        history = self.history.changed(self.settings, settings, text, gesture)
        return replace(self, settings=settings, history=history)

    def undone(self) -> SessionState:
        """Return the state before the last step of the history."""
        settings, history = self.history.undone(self.settings)
        return replace(self, settings=settings, history=history)

    def redone(self) -> SessionState:
        """Return the state after the step that was undone last."""
        settings, history = self.history.redone(self.settings)
        return replace(self, settings=settings, history=history)

    def sealed(self) -> SessionState:
        """Return the state with the present gesture ended."""
        return replace(self, history=self.history.sealed())

    def with_snapshot(self, name: str) -> SessionState:
        """Return the state with the present settings kept as a snapshot."""
        kept = MappingProxyType({**self.snapshots, name: self.settings})
        return replace(self.sealed(), snapshots=kept)

    def difference(self, other: SessionState) -> str:
        """Return which part of another state would answer later commands differently, "" if none.

        Parameters
        ----------
        other : SessionState

        Returns
        -------
        part : str
            Such as "history".
        """
        ours, theirs = self.snapshots, other.snapshots
        if not self.settings.same_as(other.settings):
            return "settings"
        if not self.history.same_as(other.history):
            return "history"
        if ours.keys() != theirs.keys() or not all(
            ours[name].same_as(theirs[name]) for name in ours
        ):
            return "snapshots"
        return ""
