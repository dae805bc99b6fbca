"""SessionState: what a command changes at once, as one value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from nbembed.session.core.history import Given, History, Step
from nbembed.session.core.label_origins import after_labeling
from nbembed.session.core.provenance import Provenance
from nbembed.session.core.settings import Settings, check_takes_as
from nbembed.session.core.snapshot_names import (
    KeptSettings,
    Names,
    Naming,
    by_number,
    require_snapshot,
)
from nbembed.validation import shown, shown_names


@dataclass(frozen=True)
class SessionState:
    """Settings, history, snapshots and saved selections, as of the last command given.

    ``snapshots`` holds the settings of each snapshot by name, oldest first; ``selections`` sets of
    points by name, sorted and read only.
    """

    settings: Settings
    history: History = field(default_factory=History)
    snapshots: Names = field(default_factory=lambda: MappingProxyType({}))
    selections: Mapping[str, NDArray[np.intp]] = field(default_factory=lambda: MappingProxyType({}))

    def changed(
        self, settings: Settings, text: str, gesture: str = "", detail: str = ""
    ) -> SessionState:
        """Return the state with other settings, or itself if they are the same.

        Undo and lists of the history show ``text`` and ``detail``. Consecutive changes of one
        ``gesture`` (moves of a slider) are one step of the history.
        """
        if settings.same_as(self.settings):
            return self
        what = f"{settings.name} with these parameters"
        check_takes_as(self.settings.recipe, settings.recipe, what)
        settings.check()
        history = self.history.changed(self.settings, settings, text, gesture, detail)
        return replace(self, settings=settings, history=history)

    def undone(self) -> SessionState:
        """Return the state before the last step of the history."""
        if not self.history.past:
            raise ValueError("there is nothing to undo")
        return self.gone_to(self.history.place - 1)

    def redone(self) -> SessionState:
        """Return the state after the step that was undone last."""
        if not self.history.future:
            raise ValueError("there is nothing to redo")
        return self.gone_to(self.history.place + 1)

    def gone_to(self, place: int) -> SessionState:
        """Return the state at a place of the history, itself if it is there."""
        settings, names, history = self.history.gone_to(place, self.settings, self.snapshots)
        if place == self.history.place:
            return self
        return replace(self, settings=settings, snapshots=names, history=history)

    def told_by(
        self,
        provenance: Provenance | None,
        before: SessionState,
        labels: bool,
        command: Given | None = None,
    ) -> SessionState:
        """Return the state with the command that led to it, and its provenance.

        ``labels`` says whether the command gives labels.
        """
        settings = self.settings
        if labels:
            origins = after_labeling(
                before.settings.origins,
                before.settings.supervision,
                settings.supervision,
                provenance,
            )
            settings = replace(settings, origins=origins)
        history, last = self.history, self.history.past[-1:]
        # Where a step only went, the one before it is not the command's.
        if last and not any(last[0] is step for step in before.history.past):
            history = history.told_by(provenance, command)
        return replace(self, settings=settings, history=history)

    def sealed(self) -> SessionState:
        """Return the state with the present gesture ended."""
        return replace(self, history=replace(self.history, gesture=""))

    def with_snapshot(self, name: str) -> SessionState:
        """Return the state with the present settings kept as a snapshot."""
        number = 1 + max(self.kept_snapshots(), default=0)
        kept = {**self.snapshots, name: KeptSettings(number, self.settings)}
        return replace(self.sealed(), snapshots=by_number(kept))

    def with_snapshot_renamed(self, old: str, new: str) -> SessionState:
        """Return the state with another name of a snapshot, as a step of the history."""
        kept = require_snapshot(self.snapshots, old, "old")
        if new == old:
            return self
        if new in self.snapshots:
            raise ValueError(f"new must be a new name, got the existing snapshot {shown(new)}")
        return self._crossing(Naming(kept, new), f"rename the snapshot {old} to {new}")

    def without_snapshot(self, name: str) -> SessionState:
        """Return the state without a snapshot, as a step of the history."""
        kept = require_snapshot(self.snapshots, name)
        return self._crossing(Naming(kept, None), f"delete the snapshot {name}")

    def _crossing(self, naming: Naming, text: str) -> SessionState:
        names, back = naming.crossed(self.snapshots)
        history = self.history.followed_by(Step(text, self.settings, naming=back))
        return replace(self, snapshots=names, history=history)

    def kept_snapshots(self) -> dict[int, KeptSettings]:
        """Return the snapshots by number, with those that can come back."""
        steps = (*self.history.past, *self.history.future)
        kept = [*(step.naming.kept for step in steps if step.naming), *self.snapshots.values()]
        return {each.number: each for each in kept}

    def with_selection(self, name: str, points: Sequence[int]) -> SessionState:
        """Return the state with points saved under a name, in place of any that had it."""
        saved = np.array(points, dtype=np.intp)
        saved.flags.writeable = False
        return replace(self, selections=MappingProxyType({**self.selections, name: saved}))

    def without_selection(self, name: str) -> SessionState:
        """Return the state without a saved selection."""
        if name not in self.selections:
            saved = shown_names(self.selections) or "none is saved"
            raise ValueError(f"name must be an existing selection ({saved}), got {shown(name)}")
        left = {known: points for known, points in self.selections.items() if known != name}
        return replace(self, selections=MappingProxyType(left))
