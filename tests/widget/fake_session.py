"""A session without mathematics: it records commands, and moves when the test says so."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from nbembed.methods.live_parameters import LiveParameter
from nbembed.methods.recipe import PathStep, Recipe
from nbembed.propagation import Suggestions
from nbembed.session import SuggestionCheck
from nbembed.session.core.events import Event
from nbembed.session.live.progress import Progress
from nbembed.session.map.snapshots import Frame
from nbembed.supervision import Supervision, as_supervision
from nbembed.supervision.class_changes import merged, removed

ALPHA = LiveParameter("alpha", "α", 0.0, 3.0, 1.0, "Tails.", step=0.01, minimum=0.0)
RHO = LiveParameter("rho", "ρ", 0.0, 1.0, 0.5, "Links.", needs="links")
SOFTNESS = LiveParameter("softness", "λ", 0.2, 20.0, 1.0, "Softness.", scale="log")


@dataclass(frozen=True, eq=False)
class FakeRecipe(Recipe[Any]):
    """A recipe by its declarations only; nothing can be made with it."""

    alpha: float = 1.0
    rho: float = 0.5
    max_iter: int = 1000

    name = "HSSNE"
    group = "Begin with"
    summary = "tails"
    live_parameters = (ALPHA, RHO)

    def _nothing(self, *_: Any) -> Any:
        raise NotImplementedError

    check = make_affinities = make_start = adopt = make_objective = make_optimizer = _nothing


@dataclass(frozen=True, eq=False)
class FakeMargin(FakeRecipe):
    """A recipe with a number of classes, a path, and a form for the plane."""

    classes: int | None = None
    plane: bool | None = None
    softness: float = 1.0

    name = "Mbed"
    group = "Others"
    live_parameters = (SOFTNESS, RHO)
    path_parameter = "softness"
    class_count_parameter = "classes"

    def n_classes_for(self, supervision: Supervision) -> int | None:
        return self.classes

    def in_plane(self) -> FakeMargin:
        return self if self.plane is not None else self.replace(plane=True)


class FakeSession:
    """What an Explorer asks of a session."""

    #: What tests do with it and no real session has.
    CONTROLS = frozenset({"given", "refuse", "rng", "tell", "move", "rest"})

    def __init__(self, n_samples: int = 6, d: int = 2) -> None:
        self.n_samples = n_samples
        self.rng = np.random.default_rng(0)
        self.X = np.arange(3.0 * n_samples).reshape(n_samples, 3) ** 2
        self.methods: dict[str, type[Recipe[Any]]] = {"HSSNE": FakeRecipe, "Mbed": FakeMargin}
        self.recipe: Recipe[Any] = FakeRecipe()
        self.supervision = Supervision(n_samples)
        self.state = "idle"
        self.error: Exception | None = None
        self.undo_text = self.redo_text = ""
        self.learning = ""
        self.progress: Progress | None = None
        self.remark = ""
        self.learning_error: Exception | None = None
        self.worse_optimum = ""
        self.request = ""
        self.directions: Any = None
        self.membership: Any = None
        self.suggestions: Suggestions | None = None
        self.suggesting = False
        self.suggestions_progress: Progress | None = None
        self.suggestions_error: Exception | None = None
        self.suggestion_check: SuggestionCheck | None = None
        self.path: list[PathStep] = []
        self.trace: list[Any] = []
        self.selections: dict[str, Any] = {}
        self.log: list[Event] = []
        self.taken_snapshots: tuple[Any, ...] = ()
        self.given: list[tuple[str, dict[str, Any]]] = []
        self.refuse: Exception | None = None
        self._frame = Frame(0, 0, math.nan, math.nan, np.zeros((n_samples, d), np.float32), "idle")
        self._subscribers: list[Callable[[str], None]] = []
        self._lock = threading.Lock()

    # readings
    @property
    def method_name(self) -> str:
        return self.recipe.name

    @property
    def live_parameters(self) -> tuple[LiveParameter, ...]:
        return self.recipe.live_parameters

    @property
    def parameters(self) -> dict[str, Any]:
        return self.recipe.parameters

    @property
    def n_classes(self) -> int | None:
        return self.recipe.n_classes_for(self.supervision)

    def frame(self) -> Frame:
        with self._lock:
            membership = self.membership
            return replace(
                self._frame,
                state=self.state,
                directions=self.directions,
                _membership=lambda: membership,
            )

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

    def step(self, k: int = 1, *, wait: bool = False) -> None:
        self._give("step", k=k)
        self.move()
        self.rest("paused")

    def reset(self) -> None:
        self._give("reset")

    def undo(self) -> None:
        self._give("undo")

    def redo(self) -> None:
        self._give("redo")

    def go_to(self, number: int) -> None:
        self._give("go_to", number=number)

    def set(self, **parameters: Any) -> None:
        self._give("set", **parameters)
        self.recipe = self.recipe.replace(**parameters)
        self.tell("parameters", "state")

    def switch(self, method: Any) -> None:
        self._give("switch", method=method)
        self.recipe = self.methods[method]()
        self.tell("method", "parameters", "state")

    def snapshot(self, name: str | None = None) -> str | None:
        self._give("snapshot", name=name)
        return name

    def restore(self, name: str) -> None:
        self._give("restore", name=name)

    def show_path_step(self, index: int) -> None:
        self._give("show_path_step", index=index)
        self.tell("parameters", "state")

    def label(self, points: Any, class_: str, confidence: float = 1.0) -> None:
        points = [int(i) for i in points]
        self._give("label", points=points, class_=class_, confidence=confidence)
        labeled = self.supervision.label(points, class_, confidence)
        self._supervise(labeled, f"label {len(points)} points as {class_}")

    def accept(self, confidence: float | None = None) -> None:
        self._give("accept", confidence=confidence)
        assert self.suggestions is not None
        points = self.suggestions.above(confidence).tolist()
        codes = self.suggestions.top_class
        labels = [(i, self.suggestions.classes[codes[i]], confidence) for i in points]
        self._supervise(self.supervision.label_each(labels), f"accept {len(points)} suggestions")

    def check_suggestions(
        self, size: int = 20, random_state: Any = None, *, confidence: float = 0.0
    ) -> SuggestionCheck:
        self._give("check_suggestions", size=size, confidence=confidence)
        points, nobody = np.arange(size), np.full(size, -1)
        classes = self.supervision.classes
        self.suggestion_check = SuggestionCheck(
            points, points % 2, nobody, classes, confidence=confidence
        )
        self.tell("suggestions")
        return self.suggestion_check

    def end_check(self) -> None:
        self._give("end_check")
        self.suggestion_check = None
        self.tell("suggestions")

    def cancel(self, what: str | None = None) -> bool:
        self._give("cancel", what=what)
        if what == "suggestions":
            given_up, self.suggesting, self.suggestions_progress = self.suggesting, False, None
            self.tell("suggestions")
            return given_up
        self.progress = None
        self.tell("progress", "state")
        return True

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

    def rename_snapshot(self, old: str, new: str) -> None:
        self._give("rename_snapshot", old=old, new=new)

    def delete_snapshot(self, name: str) -> None:
        self._give("delete_snapshot", name=name)

    def save_selection(self, name: str, points: Any) -> None:
        self._give("save_selection", name=name, points=[int(i) for i in points])
        self.selections = {**self.selections, name: np.asarray(points)}
        self.tell("state")

    def delete_selection(self, name: str) -> None:
        self._give("delete_selection", name=name)
        self.selections = {k: v for k, v in self.selections.items() if k != name}
        self.tell("state")

    def merge_classes(self, old: str, into: str) -> None:
        self._give("merge_classes", old=old, into=into)
        self._supervise(merged(self.supervision, old, into), f"merge {old} into {into}")

    def remove_class(self, name: str) -> None:
        self._give("remove_class", name=name)
        self._supervise(removed(self.supervision, name), f"remove the class {name}")

    def supervise(self, supervision: Any) -> None:
        self._give("supervise")
        self._supervise(as_supervision(supervision, self.n_samples), "set all labels and links")
