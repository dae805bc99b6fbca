"""Values that a session returns and that no later iteration changes."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from nbembed.methods.recipe import Geometry
from nbembed.methods.recipe import PathStep as PathStep
from nbembed.session.core.settings import Settings
from nbembed.session.core.state_machine import State as State
from nbembed.session.map.run_state import RunState
from nbembed.supervision import Supervision


@dataclass(frozen=True)
class Frame:
    """The map at one moment; all parts belong together.

    Attributes
    ----------
    version : int
        Grows with every published layout; 0 until a cold start was prepared.
    iteration : int
        Since the last cold start.
    cost : float
        The true cost in nats where it was last evaluated (at most some iterations ago while
        running, exact at rest); ``nan`` before.
    quality : float
        Share of the points whose nearest neighbor in the map is their nearest in the data (of
        the map where it was last measured); ``nan`` before.
    embedding : ndarray of shape (n_samples, n_components), float32
        All zero while version is 0.
    state : {"idle", "running", "paused", "converged", "failed"}
    centers : ndarray of shape (n_centers, n_components), float32
        Centers that the method places along with the points (Parametric Embedding's classes), or
        those of class regions (Mbed).
    center_names : tuple of str
        One a center.
    directions : ndarray of shape (n_classes, n_components) or None
        Class directions, of methods that have them.
    center_classes : ndarray of int, shape (n_centers,), or None
        The class of each center where classes have regions around their centers (Mbed); a point
        is of the class of its nearest one.
    """

    version: int
    iteration: int
    cost: float
    quality: float
    embedding: NDArray[Any]
    state: State
    centers: NDArray[Any] = field(default_factory=lambda: np.zeros((0, 2), dtype=np.float32))
    center_names: tuple[str, ...] = ()
    directions: NDArray[Any] | None = None
    center_classes: NDArray[Any] | None = None
    _membership: Callable[[], NDArray[Any] | None] = field(
        default=lambda: None, repr=False, compare=False
    )

    @property
    def membership(self) -> NDArray[Any] | None:
        """Class probabilities, shape (n_samples, n_classes), of methods that have them.

        Computed at every reading, from the layout of this frame.
        """
        return self._membership()

    def __reduce__(self) -> Any:
        # What computes the probabilities refers to the run.
        parts = {part.name: getattr(self, part.name) for part in fields(self)}
        return _frame, ({**parts, "_membership": self.membership},)


def _frame(parts: dict[str, Any]) -> Frame:
    """Return a frame of its parts, with the class probabilities themselves."""
    membership = parts["_membership"]
    return Frame(**{**parts, "_membership": lambda: membership})


@dataclass(frozen=True)
class Snapshot:
    """A layout that was kept by name, with what it was made with.

    Attributes
    ----------
    name : str
    iteration : int
    embedding : ndarray of shape (n_rows, n_components) or None
        The points, and after them the method's centers if it has any; ``None`` if the map had not
        moved yet.
    settings : Settings
        Method, parameters and supervision.
    geometry : Geometry or None
    values : mapping of str to float
        Parameters of the objective that the schedule had set.
    learned_from : Supervision or None
        What its affinities were learned from, where the method learns from labels.
    cost, quality : float
        As the session told them at that moment; ``nan`` if they were not known, or the snapshot is
        of a file that an earlier version wrote.
    """

    name: str
    iteration: int
    embedding: NDArray[Any] | None = field(repr=False)
    settings: Settings = field(repr=False)
    geometry: Geometry | None = field(repr=False)
    values: Mapping[str, float] = field(default_factory=dict, repr=False)
    learned_from: Supervision | None = field(default=None, repr=False)
    cost: float = math.nan
    quality: float = math.nan

    @classmethod
    def of(cls, name: str, settings: Settings, state: RunState) -> Self:
        """Return a snapshot of a captured state, which has no layout before the map has moved.

        Nor is there one of settings that the map could not be taken over into.
        """
        layout, geometry = (state.layout, state.geometry) if state.adopted else (None, None)
        return cls(
            name, state.iteration, layout, settings, geometry, state.values, state.learned_from
        )

    def called(self, name: str) -> Snapshot:
        """Return the snapshot with a name, itself if it has that."""
        return self if name == self.name else replace(self, name=name)

    @property
    def supervision(self) -> Supervision:
        """The labels and links at that moment."""
        return self.settings.supervision

    @property
    def parameters(self) -> dict[str, Any]:
        """The method's parameters at that moment."""
        return self.settings.recipe.parameters

    @property
    def method(self) -> str:
        """Name of the method at that moment."""
        return self.settings.name

    @property
    def points(self) -> NDArray[Any] | None:
        """The layout, shape (n_samples, n_components); ``None`` if the map had not moved yet."""
        layout = self.embedding
        return None if layout is None else layout[: self.supervision.n_samples]
