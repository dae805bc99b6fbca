"""A finished annealing run: the layouts along its path, and which of them is best."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from nbembed.methods.recipe import Geometry, PathStep
from nbembed.run import Run


@dataclass(frozen=True)
class Finish:
    """A finished run with its path."""

    run: Run
    geometry: Geometry
    path: list[PathStep]

    @property
    def n_classes(self) -> int:
        """K, the number of classes."""
        objective: Any = self.run.objective
        return int(objective.n_classes)

    @property
    def best_step(self) -> PathStep:
        """The layout with the largest criterion; the last one if none competes."""
        competing = [step for step in self.path if not math.isnan(step.criterion)]
        return max(competing, key=lambda step: step.criterion) if competing else self.path[-1]

    @property
    def criterion(self) -> float:
        """The criterion of :attr:`best_step`; −∞ if no layout competes."""
        return -math.inf if math.isnan(self.best_step.criterion) else self.best_step.criterion


class StopFlag:
    """Several callbacks as one; :attr:`stopped` is set once any of them asks to stop."""

    def __init__(self, callbacks: Iterable[Callable[[Run], Any]]) -> None:
        self._callbacks = tuple(callbacks)
        self.stopped = False

    def __call__(self, run: Run) -> bool:
        """Call all of them and return whether any returned True."""
        answers = [callback(run) for callback in self._callbacks]
        self.stopped = self.stopped or any(answer is True for answer in answers)
        return self.stopped
