"""A session without mathematics: it records commands, and moves when the test says so."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from nbembed.methods.base import LiveParameter
from nbembed.session.events import Event
from nbembed.session.values import Frame, PathStep
from nbembed.supervision import Supervision, as_supervision

ALPHA = LiveParameter("alpha", "α", 0.0, 3.0, 1.0, "Tails.", step=0.01, minimum=0.0)
RHO = LiveParameter("rho", "ρ", 0.0, 1.0, 0.5, "Links.", needs="links")
LAM = LiveParameter("lam", "λ", 0.2, 20.0, 1.0, "Softness.", scale="log")


class FakeMethod:
    """An estimator by its keywords only."""

    learns_from_labels = False
    learns_what = "metric"

    def __init__(self, alpha: float = 1.0, rho: float = 0.5) -> None:
        self.keywords = {"alpha": alpha, "rho": rho}

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return dict(self.keywords)

    def set_params(self, **changes: Any) -> FakeMethod:
        self.keywords.update(changes)
        return self


class FakeMargin(FakeMethod):
    """A method with class directions."""

    def __init__(
        self,
        n_classes: int | None = None,
        n_components: int | None = None,
        directions: Any = None,
        rho: float = 0.5,
    ) -> None:
        self.keywords = {
            "n_classes": n_classes,
            "n_components": n_components,
            "directions": directions,
            "rho": rho,
        }


class FakeSession:
    """What an Explorer asks of a session."""

    def __init__(self, n_samples: int = 6, d: int = 2) -> None:
        self.n_samples = n_samples
        self.rng = np.random.default_rng(0)
        self.methods = {"HSSNE": FakeMethod, "Mbed": FakeMargin}
        self.method: Any = FakeMethod()
        self.method_name = "HSSNE"
        self.live_parameters = (ALPHA, RHO)
        self.parameters: dict[str, Any] = {"alpha": 1.0, "rho": 0.5, "max_iter": 1000}
        self.supervision = Supervision(n_samples)
        self.state = "idle"
        self.error: Exception | None = None
        self.undo_text = self.redo_text = ""
        self.learning = ""
        self.learning_error: Exception | None = None
        self.directions: Any = None
        self.membership: Any = None
        self.path: list[PathStep] = []
        self.trace: list[Any] = []
        self.log: list[Event] = []
        self.given: list[tuple[str, dict[str, Any]]] = []
        self.refuse: Exception | None = None
        self._frame = Frame(0, 0, math.nan, math.nan, np.zeros((n_samples, d), np.float32), "idle")
        self._subscribers: list[Callable[[str], None]] = []
        self._lock = threading.Lock()

    # readings
    def frame(self) -> Frame:
        with self._lock:
            return replace(self._frame, state=self.state)

    @property
    def embedding(self) -> Any:
        return self.frame().embedding.copy()

    def subscribe(self, callback: Callable[[str], None]) -> Callable[[], None]:
        self._subscribers.append(callback)
        return lambda: self._subscribers.remove(callback)

    # what a worker does
    def tell(self, *events: str) -> None:
        for event in events:
            for callback in list(self._subscribers):
                callback(event)

    def move(self) -> Frame:
        """Publish another layout."""
        with self._lock:
            old = self._frame
            Y = self.rng.normal(size=old.embedding.shape).astype(np.float32)
            iteration = old.iteration + 1
            cost = 1.0 / iteration
            self._frame = Frame(old.version + 1, iteration, cost, 0.5, Y, "running")
            self.trace.append(SimpleNamespace(iteration=iteration, cost=cost))
        self.tell("frame")
        return self._frame

    def rest(self, state: str = "converged") -> None:
        self.state = state
        self.tell("state")

    # commands
    def _give(self, name: str, /, **arguments: Any) -> None:
        if self.refuse is not None:
            raise self.refuse
        self.given.append((name, arguments))
        self.log.append(Event(self._frame.iteration, name, arguments))

    def _supervise(self, supervision: Supervision, text: str) -> None:
        self.supervision, self.undo_text = supervision, text
        self.tell("supervision", "state")

    def play(self) -> None:
        self._give("play")
        self.state = "running"
        self.tell("state")

    def pause(self) -> None:
        self._give("pause")
        self.rest("paused")

    def step(self, k: int = 1) -> None:
        self._give("step", k=k)
        self.move()
        self.rest("paused")

    def reset(self) -> None:
        self._give("reset")

    def undo(self) -> None:
        self._give("undo")

    def redo(self) -> None:
        self._give("redo")

    def set(self, **parameters: Any) -> None:
        self._give("set", **parameters)
        self.parameters = {**self.parameters, **parameters}
        self.tell("parameters", "state")

    def switch(self, method: Any) -> None:
        self._give("switch", method=method)
        self.tell("method", "parameters", "state")

    def move_to_path(self, index: int) -> None:
        self._give("move_to_path", index=index)
        self.tell("parameters", "state")

    def label(self, points: Any, class_: str, confidence: float = 1.0) -> None:
        points = [int(i) for i in points]
        self._give("label", points=points, class_=class_, confidence=confidence)
        labeled = self.supervision.label(points, class_, confidence)
        self._supervise(labeled, f"label {len(points)} points as {class_}")

    def must_link(self, points: Any) -> None:
        self._give("must_link", points=[int(i) for i in points])
        self._supervise(self.supervision.must_link(points), "link")

    def cannot_link(self, a: Any, b: Any) -> None:
        sides = [[int(i) for i in side] for side in (a, b)]
        self._give("cannot_link", a=sides[0], b=sides[1])
        self._supervise(self.supervision.cannot_link(*sides), "keep apart")

    def pin(self, points: Any) -> None:
        self._give("pin", points=[int(i) for i in points])
        self._supervise(self.supervision.pin(points), "pin")

    def unpin(self, points: Any) -> None:
        self._give("unpin", points=[int(i) for i in points])
        self._supervise(self.supervision.unpin(points), "unpin")

    def forget(self, points: Any) -> None:
        self._give("forget", points=[int(i) for i in points])
        self._supervise(self.supervision.forget(points), "forget")

    def add_class(self, name: str) -> None:
        self._give("add_class", name=name)
        self._supervise(self.supervision.add_class(name), f"add the class {name}")

    def rename_class(self, old: str, new: str) -> None:
        self._give("rename_class", old=old, new=new)
        self._supervise(self.supervision.rename_class(old, new), f"rename {old}")

    def supervise(self, supervision: Any) -> None:
        self._give("supervise")
        self._supervise(as_supervision(supervision, self.n_samples), "set all labels and links")
