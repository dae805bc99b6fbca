"""History: undo and redo of settings as a value.

Undo covers the method, its parameters and the supervision; where the points have moved meanwhile
they stay. Changing one parameter again and again (dragging its slider) is one step: consecutive
changes of the same parameters merge until some other change comes between. Playing, pausing and
stepping are no changes, and no clock is asked, so that a replayed log has the same steps.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from nbembed.session.settings import Settings

#: Steps kept; older ones are forgotten first.
LIMIT = 200


@dataclass(frozen=True)
class Step:
    """One thing to undo: what it was, and the settings on its other side."""

    text: str
    settings: Settings


@dataclass(frozen=True)
class History:
    """The steps that led here, and those that were undone.

    Attributes
    ----------
    past, future : tuple of Step
        The latest last.
    gesture : str
        What a further change must be called to merge with the last step; "" when nothing may.
    """

    past: tuple[Step, ...] = ()
    future: tuple[Step, ...] = ()
    gesture: str = ""

    def changed(self, old: Settings, new: Settings, text: str, gesture: str = "") -> History:
        """Return the history after ``old`` became ``new``."""
        if gesture and gesture == self.gesture and self.past:
            origin = self.past[-1].settings
            if origin.same_as(new):
                # Dragged there and back again: nothing is left to undo.
                return History(self.past[:-1])
            return History((*self.past[:-1], Step(text, origin)), (), gesture)
        return History((*self.past, Step(text, old))[-LIMIT:], (), gesture)

    def undone(self, now: Settings) -> tuple[Settings, History]:
        """Return the settings before the last step and the history without it.

        Raises
        ------
        ValueError
            If there is nothing to undo.
        """
        if not self.past:
            raise ValueError("there is nothing to undo")
        step = self.past[-1]
        return step.settings, History(self.past[:-1], (*self.future, Step(step.text, now)))

    def redone(self, now: Settings) -> tuple[Settings, History]:
        """Return the settings after the last undone step and the history with it.

        Raises
        ------
        ValueError
            If there is nothing to redo.
        """
        if not self.future:
            raise ValueError("there is nothing to redo")
        step = self.future[-1]
        return step.settings, History((*self.past, Step(step.text, now)), self.future[:-1])

    def sealed(self) -> History:
        """Return the same history with the gesture ended."""
        return replace(self, gesture="")

    def same_as(self, other: History) -> bool:
        """Return whether both lead to the same settings; the words of a step may differ."""
        if self.gesture != other.gesture:
            return False
        return _same_steps(self.past, other.past) and _same_steps(self.future, other.future)


def _same_steps(ours: tuple[Step, ...], theirs: tuple[Step, ...]) -> bool:
    return len(ours) == len(theirs) and all(
        a.settings.same_as(b.settings) for a, b in zip(ours, theirs, strict=True)
    )
