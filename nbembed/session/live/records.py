"""Moments of a live session as values: what readers see, what a file stores, what is queued."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from numpy.typing import NDArray

from nbembed.methods.recipe import Geometry, PathStep
from nbembed.objectives.base import Objective
from nbembed.run import Record
from nbembed.session.core.change import Change
from nbembed.session.core.command_entry import Command
from nbembed.session.core.events import Event
from nbembed.session.core.provenance import Provenance
from nbembed.session.core.session_state import SessionState
from nbembed.session.core.settings import Settings
from nbembed.session.core.state_machine import State
from nbembed.session.map.run_state import RunState
from nbembed.session.map.snapshots import Snapshot


@dataclass(frozen=True)
class PublishedFrame:
    """Values for readers in other threads, all of one moment."""

    version: int
    iteration: int
    cost: float
    quality: float
    layout: NDArray[Any] | None
    objective: Objective | None
    geometry: Geometry | None
    live_values: Mapping[str, float]
    settings: Settings
    path: tuple[PathStep, ...]
    #: Of the centers, which follow the points in the layout.
    center_names: tuple[str, ...] = ()
    #: Of a session that has ended and has dropped its objective.
    known_memberships: NDArray[Any] | None = None
    known_centers: tuple[NDArray[Any], NDArray[Any]] | None = None

    def memberships(self, n_samples: int) -> NDArray[Any] | None:
        """Return the class probabilities of the points, where the method has any."""
        if self.layout is None or self.objective is None:
            return self.known_memberships
        found = self.settings.recipe.memberships(self.layout, self.objective)
        return None if found is None else found[:n_samples]

    def region_centers(self) -> tuple[NDArray[Any], NDArray[Any]] | None:
        """Return the centers of class regions and the class of each, where the method has any."""
        if self.layout is None or self.objective is None:
            return self.known_centers
        return self.settings.recipe.region_centers(self.layout, self.objective)


class SessionRecord(NamedTuple):
    """A session between two iterations: what a file stores, by references to what no turn changes.

    ``trace`` and ``log`` grow; ``n_records`` and ``n_events`` of them count. ``snapshots`` are by
    number. Of the pending commands, ``n_due`` wait for nothing but the iteration that the worker is
    at: no steps, and no affinities.
    """

    session_state: SessionState
    run_state: RunState
    trace: list[Record]
    n_records: int
    path: tuple[PathStep, ...]
    snapshots: Mapping[int, Snapshot]
    log: list[Event]
    n_events: int
    cost: float
    quality: float
    state: State = "idle"
    pending: Sequence[Event] = ()
    n_due: int = 0


@dataclass(frozen=True)
class QueuedCommand:
    """A command in the queue, with its effect and its provenance.

    * woken: whether it set the map in motion when it was given.
    * steps: iterations that a ``step`` still asks for.
    """

    change: Change
    woken: bool = False
    steps: int = 0
    provenance: Provenance | None = None

    @property
    def entry(self) -> Command:
        """The command in the table."""
        return self.change.entry

    def without_steps(self) -> QueuedCommand:
        """Return the command with its steps canceled."""
        return replace(self, steps=0) if self.steps else self

    def as_event(self, iteration: int) -> Event:
        """Return the event that the log has once the command takes effect at an iteration."""
        return Event(iteration, self.entry.name, self.change.arguments, self.provenance)
