"""The end of an annealed run: the layouts along its path and the one that wins."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from nbembed.methods.base import Geometry
    from nbembed.run import Run


@dataclass(frozen=True)
class PathStep:
    """One layout of the annealing path.

    Attributes
    ----------
    lam : float
        λ in units of the radius r.
    embedding : ndarray of shape (n_samples, n_components)
        The layout at the end of the stage.
    criterion : float
        Hotelling–Lawley trace J of the predicted classes; NaN where a class is empty.
    """

    lam: float
    embedding: NDArray[np.float32]
    criterion: float


@dataclass(frozen=True)
class Finish:
    """A finished run with its path."""

    run: Run
    geometry: Geometry
    path: list[PathStep]

    @property
    def n_classes(self) -> int:
        """K, the number of class directions."""
        assert self.geometry.directions is not None
        return int(self.geometry.directions.shape[0])

    @property
    def winner(self) -> PathStep:
        """The layout with the largest criterion; the last one if none competes."""
        competing = [step for step in self.path if not math.isnan(step.criterion)]
        return max(competing, key=lambda step: step.criterion) if competing else self.path[-1]

    @property
    def criterion(self) -> float:
        """The winner's criterion; below all numbers if no layout competes."""
        return -math.inf if math.isnan(self.winner.criterion) else self.winner.criterion


class Stopper:
    """Callbacks as one, which remembers that one of them asked to stop."""

    def __init__(self, callbacks: Iterable[Callable[[Run], Any]]) -> None:
        self._callbacks = tuple(callbacks)
        self.stopped = False

    def __call__(self, run: Run) -> bool:
        """Call all of them and return whether any returned True."""
        answers = [callback(run) for callback in self._callbacks]
        self.stopped = self.stopped or any(answer is True for answer in answers)
        return self.stopped
