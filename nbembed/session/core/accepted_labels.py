"""Distinction of labels that a person gave from suggestions that were accepted.

Suggestions are made from what a person said alone: an accepted one teaches nothing new, and would
shift the class prior. Supervision does not say where a label comes from. An accepted label is known
by its confidence, which has six digits, is never 1, and is in the log; so it is still known after
undo and redo, under another name of its class, and in a file.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.session.core.commands import has_flag
from nbembed.session.core.events import Event
from nbembed.supervision import Supervision
from nbembed.supervision.conversion import without_labels


class AcceptedLabels:
    """The confidence with which a suggestion for each point was last accepted."""

    def __init__(self, n_samples: int, log: Iterable[Event]) -> None:
        self._confidence = np.full(n_samples, np.nan)
        for event in log:
            if has_flag(event.command, "accepts suggestions"):
                self.note(event.arguments["labels"])

    def note(self, labels: Iterable[Sequence[Any]]) -> None:
        """Note that suggestions are accepted: (point, class, confidence) each."""
        for point, _, confidence in labels:
            self._confidence[point] = confidence

    def by_hand(self, supervision: Supervision) -> NDArray[np.bool_]:
        """Return a mask of the points that a person has labeled."""
        labeled = supervision.top_class >= 0
        found: NDArray[np.bool_] = labeled & (supervision.confidence != self._confidence)
        return found

    def left_out(self, supervision: Supervision) -> Supervision:
        """Return the supervision without accepted labels."""
        accepted = (supervision.top_class >= 0) & ~self.by_hand(supervision)
        return without_labels(supervision, np.flatnonzero(accepted))
