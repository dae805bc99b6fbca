"""Place: how far a map has come, as a value that a file can store."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from nbembed.schedule import Schedule
from nbembed.session.values import Held

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nbembed.methods.base import Geometry
    from nbembed.supervision import Supervision


@dataclass(frozen=True)
class Stakes:
    """Points and where they are held.

    Attributes
    ----------
    points : ndarray of int, shape (n_stakes,)
    Y : ndarray of shape (n_stakes, n_components)
    """

    points: NDArray[np.intp]
    Y: NDArray[Any]


@dataclass
class Place:
    """How far a map has come: all that an engine needs to go on, and all that a file stores of it.

    Attributes
    ----------
    layout : ndarray of shape (n_rows, n_components) or None
        The points, and after them the method's landmarks if it has any. ``None`` before a cold
        start is prepared. Never written to.
    geometry : Geometry or None
    iteration : int
        Iterations since the last cold start.
    cold : bool
        Whether none was done since then, so that settings still shape the start.
    schedule : Schedule
        What was left of the cold start's stages when the present run began.
    steps : int
        Iterations of the present run.
    held : Held
        What the schedule last set. It stays in force after the schedule, and after a parameter
        was released from it, where the settings say a word such as "anneal".
    taught : Supervision or None
        What the affinities were learned from; ``None`` where the method does not learn from labels.
        It may be older than the labels said last (see :mod:`nbembed.session.learner`).
    stakes : Stakes or None
        Where pinned points stood when the cold start was asked for, and are to stand in it.
    """

    layout: NDArray[Any] | None = None
    geometry: Geometry | None = None
    iteration: int = 0
    cold: bool = True
    schedule: Schedule = field(default_factory=Schedule)
    steps: int = 0
    held: Held = field(default_factory=Held)
    taught: Supervision | None = None
    stakes: Stakes | None = None


def staked(Y: NDArray[Any], stakes: Stakes, pinned: NDArray[np.intp]) -> NDArray[Any]:
    """Return a start with those points at their stakes that are still pinned."""
    held = np.isin(stakes.points, pinned)
    Y = np.array(Y)
    d = min(Y.shape[1], stakes.Y.shape[1])
    Y[stakes.points[held], :d] = stakes.Y[held, :d]
    return Y
