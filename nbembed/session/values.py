"""What a session hands out: values that no later iteration changes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nbembed.methods.base import Geometry
    from nbembed.session.settings import Settings
    from nbembed.supervision import Supervision

State = Literal["idle", "running", "paused", "converged", "failed"]


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
        Landmarks that the method places along with the points (Parametric Embedding's classes).
    center_names : tuple of str
        One a landmark.
    """

    version: int
    iteration: int
    cost: float
    quality: float
    embedding: NDArray[Any]
    state: State
    centers: NDArray[Any] = field(default_factory=lambda: np.zeros((0, 2), dtype=np.float32))
    center_names: tuple[str, ...] = ()


@dataclass(frozen=True)
class PathStep:
    """A layout kept on the way through a schedule (Mbed's annealing path).

    Attributes
    ----------
    lam : float
        λ in units of the map's radius.
    embedding : ndarray of shape (n_samples, n_components)
        Read only.
    criterion : float
        By which the layouts of a path compete; the largest is best, ``nan`` does not compete.
    """

    lam: float
    embedding: NDArray[Any] = field(repr=False)
    criterion: float


@dataclass(frozen=True)
class Held:
    """Values that a schedule has set: what a word such as "anneal" means once it has.

    Attributes
    ----------
    values : mapping of str to float
        In the objective's own units, so that setting them again gives the same bits.
    sliders : mapping of str to float
        Of live parameters, in the units of their sliders, which outlast a change of geometry.
    """

    values: Mapping[str, float] = field(default_factory=dict)
    sliders: Mapping[str, float] = field(default_factory=dict)

    def only_sliders(self, names: Collection[str]) -> Held:
        """Return what outlasts a change of geometry, of parameters still known."""
        return Held({}, {k: v for k, v in self.sliders.items() if k in names})

    def only_live(self, names: Collection[str]) -> Held:
        """Return what is shown by a slider; the rest was a matter of the start."""
        live = {k: v for k, v in self.values.items() if k in names}
        return replace(self.only_sliders(names), values=live)


@dataclass(frozen=True)
class Snapshot:
    """A layout that was kept by name, with what it was made with.

    Attributes
    ----------
    name : str
    iteration : int
    embedding : ndarray of shape (n_samples, n_components) or None
        ``None`` if the map had not moved yet.
    settings, geometry, held
        Method, parameters and supervision; class directions; values that a schedule had set.
    taught : Supervision or None
        What its affinities were learned from, where the method learns from labels.
    """

    name: str
    iteration: int
    embedding: NDArray[Any] | None = field(repr=False)
    settings: Settings = field(repr=False)
    geometry: Geometry | None = field(repr=False)
    held: Held = field(repr=False)
    taught: Supervision | None = field(default=None, repr=False)

    @property
    def supervision(self) -> Supervision:
        """The labels and links at that moment."""
        return self.settings.supervision

    @property
    def parameters(self) -> dict[str, Any]:
        """The method's keywords at that moment."""
        return dict(self.settings.parameters)
