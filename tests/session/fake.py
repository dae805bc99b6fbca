"""A method without mathematics: points are drawn to targets, and every part counts its calls.

The cost is ½ Σ ‖y_i − w t_i‖², t_i the first coordinates of the data, moved for labeled points to
their class's place; one step goes a tenth of the way. Quick, and it converges.
"""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from nbembed.methods.live_parameters import LiveParameter
from nbembed.methods.recipe import Geometry, Recipe, Start
from nbembed.objectives.base import Evaluation, Objective
from nbembed.optimizers import ConjugateGradient, Optimizer, State
from nbembed.schedule import Schedule, Stage
from nbembed.session import Session
from tests.waiting import GUARD

#: Calls of the recipe's parts, by name; tests clear it.
calls: Counter[str] = Counter()
#: Set to an exception to let the next evaluations raise it.
trouble: list[Exception] = []
#: Cleared, it holds every step until it is set again.
gate = threading.Event()
gate.set()


class Quadratic(Objective):
    """½ Σ ‖y_i − t_i‖², times a weight."""

    def __init__(self, targets: np.ndarray, **parameters: float) -> None:
        self.targets = targets
        self._parameters = {"weight": 1.0, "heat": 0.0, **parameters}

    @property
    def n_samples(self) -> int:
        return len(self.targets)

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(np.float32)

    @property
    def parameters(self) -> dict[str, float]:
        return dict(self._parameters)

    def with_parameters(self, **parameters: Any) -> Quadratic:
        return Quadratic(self.targets, **{**self._parameters, **parameters})

    def evaluate(self, Y: np.ndarray, *, cost: bool = True) -> Evaluation:
        gate.wait(GUARD)
        if trouble:
            raise trouble[0]
        p = self._parameters
        away = Y - self.targets * np.float32(p["weight"] + p["heat"])
        return Evaluation(0.5 * float(np.sum(np.square(away, dtype=np.float64))), away)


@dataclass(frozen=True)
class Velocity(State):
    velocity: Any = None


@dataclass(frozen=True)
class Glide(Optimizer):
    """Gradient steps with momentum, so that a lost memory would show in the bits."""

    rate: float = 0.1
    momentum: float = 0.3

    def start(self, Y: np.ndarray) -> Velocity:
        return Velocity(Y, velocity=np.zeros_like(Y))

    def step(self, objective: Objective, state: State, *, cost: bool = False) -> Velocity:
        assert isinstance(state, Velocity)
        seen = objective.evaluate(state.Y)
        velocity = (
            np.float32(self.momentum) * state.velocity - np.float32(self.rate) * seen.gradient
        )
        return Velocity(state.Y + velocity, velocity=velocity)


@dataclass(frozen=True, eq=False)
class Fake(Recipe[Any]):
    """Targets from the data's first columns; ``width`` enters the affinities."""

    live_parameters: ClassVar[tuple[LiveParameter, ...]] = (
        LiveParameter("weight", "w", 0.0, 10.0, 1.0, "How far.", minimum=0.0),
        LiveParameter("heat", "h", 0.0, 10.0, 0.5, "More.", minimum=0.0),
        LiveParameter("width", "σ", 0.1, 9.0, 1.0, "x", minimum=0.1, invalidates="affinities"),
        LiveParameter("tint", "t", 0.0, 1.0, 0.0, "x", invalidates="display"),
    )

    n_components: int = 2
    weight: float = 1.0
    heat: float | str = "cool"
    width: float = 1.0
    tint: float = 0.0
    tol: float = 1e-4
    metric: Any = "euclidean"
    random_state: Any = None

    def check(self, n_samples: int, supervision: Any) -> None:
        for live in self.live_parameters:
            value = getattr(self, live.name)
            if live.name == "heat" and value == "cool":
                continue
            if not live.minimum <= value <= live.maximum:
                raise ValueError(f"{live.name} must be at least {live.minimum}, got {value!r}")

    def make_affinities(self, X: Any, supervision: Any = None) -> Any:
        calls["affinities"] += 1
        return np.asarray(X, dtype=np.float32) * np.float32(self.width)

    def make_start(self, X: Any, affinities: Any, supervision: Any, rng: Any) -> Start:
        calls["start"] += 1
        Y = rng.standard_normal((len(X), self.n_components)) * 0.1
        Y[supervision.labeled] += 0.5  # so that the start sees the labels
        return Start(Y.astype(np.float32), Geometry(1.0 + len(supervision.labeled)))

    def adopt(self, Y: Any, affinities: Any, supervision: Any, rng: Any) -> Start:
        calls["adopt"] += 1
        wide = np.zeros((len(Y), self.n_components), dtype=np.float32)
        d = min(Y.shape[1], self.n_components)
        wide[:, :d] = Y[:, :d] * np.float32(0.9)
        return Start(wide + rng.standard_normal(wide.shape) * 0.01, Geometry())  # float64

    def make_objective(self, affinities: Any, supervision: Any, geometry: Geometry) -> Quadratic:
        calls["objective"] += 1
        targets = affinities[:, : self.n_components].copy()
        k = supervision.top_class
        targets[k >= 0] += np.float32(geometry.scale) * (k[k >= 0, None] + 1)
        heat = {} if isinstance(self.heat, str) else {"heat": self.heat}
        return Quadratic(targets, weight=self.weight, **heat)

    def make_optimizer(self) -> Optimizer:
        calls["optimizer"] += 1
        return Glide()

    def make_schedule(self, affinities: Any, geometry: Geometry) -> Schedule:
        if not isinstance(self.heat, str):
            return Schedule()
        early = ConjugateGradient()
        return Schedule(
            tuple(Stage(5, early, {"heat": h}, True, f"h={h}") for h in (2.0, 1.0, 0.5))
        )

    def align(self, geometry: Geometry, Y: Any, supervision: Any) -> Geometry:
        calls["align"] += 1
        # Depends on what was before, so that a forgotten or doubled call would show in the bits.
        return Geometry(0.5 * geometry.scale + 0.25 * len(supervision.labeled))


@dataclass(frozen=True, eq=False)
class Other(Fake):
    """Another method to switch to."""


#: Cleared, it holds every fit until it is set again.
fit_gate = threading.Event()
fit_gate.set()
#: The labels of each fit begun, and how many are being learned at a time at most.
fits: list[dict[int, int]] = []
running: list[int] = []


@dataclass(frozen=True, eq=False)
class Learning(Fake):
    """Its affinities are the data moved by what it learns of the labels."""

    @property
    def learns_from_labels(self) -> bool:
        return True

    def make_affinities(self, X: Any, supervision: Any = None) -> Any:
        found = {int(i): int(supervision.top_class[i]) for i in supervision.labeled}
        running.append(1)
        try:
            if found:
                fits.append(found)
                assert fit_gate.wait(GUARD)
            if len(set(found.values())) == 1:
                raise ValueError("labels must be of at least two classes, got one")
        finally:
            running.pop()
        seen = super().make_affinities(X, supervision)
        return seen + np.float32(0.01 * sum((i + 1) * (k + 1) for i, k in found.items()))


@dataclass(frozen=True, eq=False)
class Anchored(Learning):
    """A learning method whose layout ends with a center for each class that it learned of."""

    def make_affinities(self, X: Any, supervision: Any = None) -> Any:
        seen = super().make_affinities(X, supervision)
        means = [
            seen[supervision.top_class == k].mean(axis=0)
            if (supervision.top_class == k).any()
            else np.zeros(seen.shape[1], dtype=np.float32)
            for k in range(len(supervision.classes))
        ]
        return np.vstack([seen, *means]).astype(np.float32)

    def center_names(self, supervision: Any) -> tuple[str, ...]:
        return tuple(supervision.classes)

    def make_start(self, X: Any, affinities: Any, supervision: Any, rng: Any) -> Start:
        start = super().make_start(X, affinities, supervision, rng)
        return Start(self._with_centers(start.Y, affinities), start.geometry)

    def adopt(self, Y: Any, affinities: Any, supervision: Any, rng: Any) -> Start:
        start = super().adopt(Y[: supervision.n_samples], affinities, supervision, rng)
        return Start(self._with_centers(start.Y, affinities), start.geometry)

    def _with_centers(self, Y: Any, affinities: Any) -> Any:
        m = len(affinities) - len(Y)
        return np.vstack([Y, np.full((m, Y.shape[1]), 0.25)]).astype(np.float32)

    def make_objective(self, affinities: Any, supervision: Any, geometry: Geometry) -> Quadratic:
        calls["objective"] += 1
        return Quadratic(affinities[:, : self.n_components].copy(), weight=self.weight)


def rest(session: Session) -> None:
    """Wait until a session rests."""
    assert session.wait(timeout=GUARD)
