"""History: undo and redo of settings as a value.

Undo covers the method, its parameters and the supervision; where the points have moved meanwhile
they stay. Changing one parameter again and again (dragging its slider) is one step: consecutive
changes of the same parameters merge until some other change comes between. Playing, pausing and
stepping are no changes, and no clock is asked, so that a replayed log has the same steps.

Between two steps lies a *place*, numbered by the changes that led to it since the session began:
0 is the beginning. The present place is followed by those that undo has left.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from nbembed.session.core.provenance import Provenance
from nbembed.session.core.settings import Settings
from nbembed.session.core.snapshot_names import Names, Naming

#: The name of a command, and its arguments as the log keeps them.
Given = tuple[str, Mapping[str, Any]]

#: Steps kept; older ones are forgotten first.
LIMIT = 200


@dataclass(frozen=True)
class Step:
    """One thing to undo.

    * text, detail: as lists of the history show it.
    * settings: on its other side.
    * provenance: ``None`` if it is not known.
    * naming: its effect on the name of a snapshot, if it renames or deletes one.
    * command: the one that made it, of moves of a slider the last one.
    """

    text: str
    settings: Settings
    detail: str = ""
    provenance: Provenance | None = None
    naming: Naming | None = None
    command: Given | None = field(default=None, compare=False)

    def crossed(self, now: Settings, names: Names) -> tuple[Step, Names]:
        """Return the step as seen from its other side, and the names of the snapshots there."""
        if self.naming is None:
            return replace(self, settings=now), names
        there, back = self.naming.crossed(names)
        return replace(self, settings=now, naming=back), there


@dataclass(frozen=True)
class Change:
    """A step of the history as it is listed.

    * number: of the place that it led to; :meth:`nbembed.Session.go_to` goes there.
    * text, detail: such as "label 120 points as six" and "confidence 0.9".
    * provenance: who made it, how and when; ``None`` if it is not known.
    """

    number: int
    text: str
    detail: str
    provenance: Provenance | None
    undone: bool

    def __str__(self) -> str:
        how = self.provenance.how if self.provenance is not None else ""
        return ", ".join(part for part in (self.text, self.detail, how and f"by {how}") if part)


@dataclass(frozen=True)
class History:
    """The steps that led here, and those that were undone.

    * past, future: the latest last.
    * gesture: what a further change must be called to merge with the last step; "" when nothing
      may.
    * forgotten: how many steps before ``past`` are no longer kept.
    """

    past: tuple[Step, ...] = ()
    future: tuple[Step, ...] = ()
    gesture: str = ""
    forgotten: int = 0

    def changed(
        self, old: Settings, new: Settings, text: str, gesture: str = "", detail: str = ""
    ) -> History:
        """Return the history after ``old`` became ``new``."""
        past = self.past
        if gesture and gesture == self.gesture and past:
            origin = past[-1].settings
            if origin.same_as(new):
                # Dragged there and back again: nothing is left to undo.
                return History(past[:-1], forgotten=self.forgotten)
            return replace(self, past=(*past[:-1], Step(text, origin, detail)), future=())
        return self.followed_by(Step(text, old, detail), gesture)

    def followed_by(self, step: Step, gesture: str = "") -> History:
        """Return the history after a step; what was undone is forgotten."""
        past = (*self.past, step)
        forgotten = self.forgotten + max(0, len(past) - LIMIT)
        return History(past[-LIMIT:], (), gesture, forgotten)

    @property
    def place(self) -> int:
        """The number of the present place."""
        return self.forgotten + len(self.past)

    def gone_to(self, place: int, now: Settings, names: Names) -> tuple[Settings, Names, History]:
        """Return settings and names of snapshots at a place, and the history as undo leaves it.

        Raises ValueError if there is no such place, or it is no longer kept.
        """
        last = self.place + len(self.future)
        if not self.forgotten <= place <= last:
            raise ValueError(
                f"number must be a step of the history, in [{self.forgotten}, {last}], got {place}"
            )
        history = self
        while history.place != place:
            now, names, history = history._crossed(now, names, back=place < history.place)
        return now, names, history

    def _crossed(
        self, now: Settings, names: Names, *, back: bool
    ) -> tuple[Settings, Names, History]:
        """Return settings and names of snapshots beyond the next step, and the history there."""
        past, future = self.past, self.future
        step = past[-1] if back else future[-1]
        seen_from_there, there = step.crossed(now, names)
        if back:
            past, future = past[:-1], (*future, seen_from_there)
        else:
            past, future = (*past, seen_from_there), future[:-1]
        return step.settings, there, replace(self, past=past, future=future, gesture="")

    def changes(self) -> tuple[Change, ...]:
        """Return all steps as a list shows them, the oldest first, undone ones last."""
        return tuple(
            Change(number, step.text, step.detail, step.provenance, number > self.place)
            for number, step in enumerate(self._steps, start=self.forgotten + 1)
        )

    @property
    def _steps(self) -> tuple[Step, ...]:
        return (*self.past, *reversed(self.future))

    def step(self, number: int) -> Step:
        """Return the step that led to a place; raise ValueError if none that is kept did."""
        first, steps = self.forgotten + 1, self._steps
        if not first <= number < first + len(steps):
            raise ValueError(
                f"number must be one of the {len(steps)} steps of the history, from {first} on, "
                f"got {number}"
            )
        return steps[number - first]

    def told_by(self, provenance: Provenance | None, command: Given | None) -> History:
        """Return the history with the command that made its last step, and who gave it."""
        last = replace(self.past[-1], provenance=provenance, command=command)
        return replace(self, past=(*self.past[:-1], last))
