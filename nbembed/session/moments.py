"""Moments of a live session as values: what readers see, what a file stores, what waits."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from nbembed.session.cascade import stale_parts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nbembed.methods.base import Geometry
    from nbembed.objectives.base import Objective
    from nbembed.run import Record
    from nbembed.session.commands import Desk
    from nbembed.session.events import Event
    from nbembed.session.place import Place
    from nbembed.session.settings import Settings
    from nbembed.session.values import PathStep, Snapshot, State


@dataclass(frozen=True)
class Published:
    """What readers in other threads see: all of one moment."""

    version: int
    iteration: int
    cost: float
    quality: float
    layout: NDArray[Any] | None
    objective: Objective | None
    geometry: Geometry | None
    reached: Mapping[str, float]
    settings: Settings
    path: tuple[PathStep, ...]
    #: Of the landmarks, which follow the points in the layout.
    center_names: tuple[str, ...] = ()


@dataclass(frozen=True)
class Moment:
    """A session between two iterations: what a file stores."""

    desk: Desk
    state: State
    pending: list[tuple[str, Mapping[str, Any]]]
    place: Place
    trace: list[Record]
    path: tuple[PathStep, ...]
    snapshots: list[Snapshot]
    log: list[Event]
    cost: float
    quality: float


@dataclass
class Waiting:
    """A command in the queue."""

    command: str
    arguments: Mapping[str, Any]
    old: Desk
    new: Desk
    wakes: bool = False
    steps: int = 0


def heard(waiting: Waiting) -> list[str]:
    """Return what subscribers should hear of a command that took effect."""
    events = []
    old, new = waiting.old.settings, waiting.new.settings
    if old.kind is not new.kind:
        events.append("method")
    if not old.same_as(replace(new, supervision=old.supervision)):
        events.append("parameters")
    if old.supervision != new.supervision:
        events.append("supervision")
    return [*events, "state"]


def clears_path(waiting: Waiting) -> bool:
    """Return whether the kept layouts of the path may be gone when a command takes effect."""
    old, new = waiting.old.settings, waiting.new.settings
    return (
        waiting.command in ("reset", "restore")
        or old.n_classes != new.n_classes
        or "layout" in stale_parts(old, new)
    )
