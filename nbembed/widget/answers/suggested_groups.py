"""Answers which groups the data suggest; a search of neighbors for them can be given up."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.drawing import palette
from nbembed.kernels.threads import Interrupted, interruptible
from nbembed.session import Session
from nbembed.widget.answers.query_source import Answer

#: Groups that an answer tells of; a person names the largest.
MOST_GROUPS = 100
#: Points of each kind, and groups, that it lists for one.
LISTED, NEAREST = 3, 5


class SuggestedGroupSource:
    """Finds groups for pages. Thread-safe."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._canceled = threading.Event()

    @property
    def answers(self) -> dict[str, Answer]:
        """The functions that answer queries of pages, by name."""
        return {"suggest_groups": self._suggest}

    def cancel(self) -> None:
        """Give up groups that are being found; nothing else is stopped by it."""
        self._canceled.set()

    def _suggest(
        self, resolution: float, points: NDArray[np.intp]
    ) -> tuple[Mapping[str, Any], Sequence[bytes]]:
        self._canceled.clear()
        try:
            with interruptible(self._canceled.is_set):
                found = self._session.suggest_groups(
                    resolution, points=points if points.size else None
                )
        except Interrupted:
            raise ValueError("canceled") from None
        listed = range(min(len(found), MOST_GROUPS))
        fields = {
            "colors": palette.category_colors(len(listed), ordered=False),
            "typical": [found.typical(k, LISTED).tolist() for k in listed],
            "border": [found.border(k, LISTED).tolist() for k in listed],
            "nearest": [found.nearest(k)[:NEAREST].tolist() for k in listed],
            "left_out": len(found) - len(listed),
        }
        codes = np.where(found.codes < len(listed), found.codes, -1)
        return fields, [codes.astype("<i4").tobytes()]
