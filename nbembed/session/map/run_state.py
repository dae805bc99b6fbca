"""RunState: how far a map has come, as a value that a file can store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.methods.recipe import Geometry
from nbembed.schedule import Schedule
from nbembed.supervision import Supervision


@dataclass(frozen=True)
class PinnedPositions:
    """Points (n_pinned,) and the positions Y (n_pinned, n_components) where they are held."""

    points: NDArray[np.intp]
    Y: NDArray[Any]

    def restored_in(self, Y: NDArray[Any], pinned: NDArray[np.intp]) -> NDArray[Any]:
        """Return the layout ``Y`` with those points at their positions that are still pinned."""
        held = np.isin(self.points, pinned)
        Y = np.array(Y)
        d = min(Y.shape[1], self.Y.shape[1])
        Y[self.points[held], :d] = self.Y[held, :d]
        return Y


@dataclass(frozen=True)
class RunState:
    """The state of a map: all that an engine needs to go on, and all that a file stores of it.

    * layout (n_rows, n_components) or None: the points, and after them the recipe's centers if it
      has any. ``None`` before a cold start is prepared. Never written to.
    * iteration: iterations since the last cold start.
    * cold: whether none was done since then, so that settings still shape the start.
    * schedule: the stages of the cold start and how many of their steps are done.
    * values: parameters of the objective that the schedule has set, in the objective's units. They
      stay in force after the schedule, wherever the settings say a word such as "anneal" and no
      number.
    * learned_from: what the affinities were learned from; ``None`` where the recipe does not learn
      from labels. It may be older than the labels given last
      (:mod:`nbembed.session.live.background`).
    * pinned_positions: where pinned points stood at the last reset; they are restored at the next
      cold start.
    * adopted: whether the layout is one of the present settings: not where taking it over has
      failed.
    """

    layout: NDArray[Any] | None = None
    geometry: Geometry | None = None
    iteration: int = 0
    cold: bool = True
    schedule: Schedule = field(default_factory=Schedule)
    values: Mapping[str, float] = field(default_factory=dict)
    learned_from: Supervision | None = None
    pinned_positions: PinnedPositions | None = None
    adopted: bool = True
