"""Random walks of the sliders and labels, at a session's own pace, on an engine."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.datasets import load_iris

from nbembed.session.core.change import Change
from nbembed.session.core.command_entry import Context
from nbembed.session.core.commands import COMMANDS, decide
from nbembed.session.core.methods import known_methods
from nbembed.session.core.session_state import SessionState
from nbembed.session.core.settings import Settings
from nbembed.session.map.engine import Engine
from nbembed.session.map.optimum import OptimumCheck
from nbembed.supervision import Supervision

X, CLASSES = load_iris(return_X_y=True)
METHODS = known_methods()
CONTEXT = Context(X, METHODS)

#: The slider of each method and where it may go.
SLIDERS = {
    "HSSNE": ("alpha", (0.0, 3.0)),
    "SNE": ("rho", (0.0, 1.0)),
    "NeRV": ("tradeoff", (0.0, 1.0)),
    "Mbed": ("lam", (0.05, 1.0)),
}

#: What a method cannot do without.
NEEDED = {"Mbed": {"n_classes": 3}}

#: A map that has not come to rest after so many iterations has failed to.
AT_MOST = 6000


@dataclass
class Walk:
    """A walk that a seed draws, and where it led.

    Attributes
    ----------
    engine : Engine
        Its map rests where ``rests`` says so.
    cost, cold : float
        Of the map at rest, and of a cold start with the same settings.
    said : str
        What the session says of the map.
    """

    method: str
    seed: int
    moves: list[str] = field(default_factory=list)
    rests: bool = False
    cost: float = np.nan
    cold: float = np.nan
    said: str = ""
    engine: Engine | None = None

    @property
    def excess(self) -> float:
        """How much higher the cost is than the cold start's, as a share of it."""
        return (self.cost - self.cold) / abs(self.cold)


def walked(method: str, seed: int) -> Walk:
    """Walk: six moves with 5 to 250 iterations (up to a second) after each, then rest."""
    rng = random.Random(f"{method} {seed}")
    walk = Walk(method, seed)
    recipe = METHODS[method](random_state=0, n_jobs=1, **NEEDED.get(method, {}))
    state = SessionState(Settings(recipe, Supervision(len(X))))
    engine = walk.engine = Engine(X, state.settings)
    # From the first move on the slider is a number, whose cost that of a cold start is.
    first = ("set", {SLIDERS[method][0]: 0.5})
    advance(engine, rng.choice([60, 300, 600]))
    for command, arguments in (first, *(random_move(rng, method) for _ in range(6))):
        if command == "undo" and len(state.history.past) < 2:
            continue
        before, state = state, decide(state, command, arguments, CONTEXT)
        walk.moves.append(f"{command} {arguments}")
        if state is not before:
            engine.apply(Change(COMMANDS[command], arguments, before, state))
        advance(engine, rng.choice([5, 25, 100, 250]))
    walk.rests = comes_to_rest(engine)
    walk.cost = engine.cost()
    cold = engine.cold_copy()
    comes_to_rest(cold)
    walk.cold = cold.cost()
    check = OptimumCheck(engine)
    while check.advance():
        pass
    walk.said = check.text
    return walk


def random_move(rng: random.Random, method: str) -> tuple[str, dict[str, Any]]:
    """Return a move of a slider, a label given or taken back, or an undo."""
    name, (low, high) = SLIDERS[method]
    points = sorted(rng.sample(range(len(X)), rng.choice([3, 10, 30])))
    of_class = [point for point in points if CLASSES[point] == CLASSES[points[0]]]
    return rng.choice(
        [
            ("set", {name: round(rng.uniform(low, high), 2)}),
            ("set", {name: rng.choice([low, high])}),
            ("set", {name: 0.5}),
            ("set", {"rho": round(rng.uniform(0, 1), 2)}),
            ("label", {"points": of_class, "class_": "abc"[CLASSES[points[0]]], "confidence": 1.0}),
            ("label", {"points": of_class, "class_": "abc"[CLASSES[points[0]]], "confidence": 1.0}),
            ("must_link", {"points": points[:3]}),
            ("forget", {"points": list(range(len(X)))}),
            ("undo", {}),
        ]
    )


def advance(engine: Engine, iterations: int) -> None:
    for _ in range(iterations):
        engine.advance()


def comes_to_rest(engine: Engine) -> bool:
    """Advance to rest; return whether it came."""
    for _ in range(AT_MOST):
        engine.advance()
        if engine.converged:
            return True
    return False
