"""The engine: when stale parts are redone decides no bit."""

from __future__ import annotations

import random
from typing import get_args

import numpy as np
import pytest
from sklearn.datasets import load_iris

import nbembed as nb
from nbembed.session.core.change import Change
from nbembed.session.core.command_entry import Context, MapMethod
from nbembed.session.core.commands import COMMANDS, decide
from nbembed.session.core.methods import known_methods
from nbembed.session.core.session_state import SessionState
from nbembed.session.core.settings import Settings
from nbembed.session.map.engine import Engine
from nbembed.session.map.running import TRACE_LIMIT
from nbembed.supervision import Supervision
from tests.session.fake import Anchored, Fake, Glide, Learning, Other

METHODS = known_methods(Fake, Other, Learning, Anchored)
X = load_iris().data[::5]


def random_event(rng: random.Random, state: SessionState, names: list[str]) -> tuple[str, dict]:
    points = sorted(rng.sample(range(30), rng.randint(2, 4)))
    label = {"points": points, "class_": rng.choice("abc"), "confidence": rng.choice([1.0, 0.7])}
    name = rng.choice(names)
    own = {
        "Fake": "heat",
        "Other": "weight",
        "HSSNE": "alpha",
        "SNE": "rho",
        "NeRV": "tradeoff",
        "Mbed": "lam",
        "LFDA": "gamma",
        "ParametricEmbedding": "eta_objects",
    }
    now = state.settings.name
    kind = METHODS[name]
    switched = {"method": name, "parameters": state.settings.recipe_for(kind, X).parameters}
    return rng.choice(
        [
            ("set", {own.get(now, "weight"): rng.choice([0.5, 1.0])}),
            ("set", {"tol": rng.choice([1e-4, 1e-5])} if now != "LFDA" else {"power": 2.0}),
            ("label", label),
            ("label", label),
            ("must_link", {"points": points}),
            ("forget", {"points": points}),
            ("pin", {"points": points}),
            ("unpin", {"points": points}),
            ("learn", {"supervision": state.settings.supervision}),
            ("learn", {"supervision": state.settings.supervision.label(points, "c")}),
            ("undo", {}),
            ("redo", {}),
            ("snapshot", {"name": "x"}),
            ("restore", {"name": "x"}),
            ("reset_optimizer", {}),
            ("reset", {}),
            ("show_path_step", {"index": 0, "value": 2.0}),
            ("switch", switched),
            ("switch", switched),
        ]
    )


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(
    "names",
    [
        ["Fake", "Other"],
        ["Learning", "Anchored", "Fake"],
        ["HSSNE", "SNE", "Mbed"],
        ["NeRV", "LFDA", "ParametricEmbedding"],
    ],
)
def test_refreshing_early_or_late_gives_the_same_bits(seed, names):
    rng = random.Random(seed)
    first = METHODS[names[0]](random_state=seed)
    if names[0] == "HSSNE":
        first = first.replace(max_iter=24)
    state = SessionState(Settings.of(first, Supervision(30, ["a"])))
    context = Context(X, METHODS)
    early, late = Engine(X, state.settings), Engine(X, state.settings)
    for _ in range(40):
        if rng.random() < 0.5:
            for _ in range(rng.randint(1, 4)):
                early.advance()
                late.advance()
        command, arguments = random_event(rng, state, names)
        before = state
        try:
            state = decide(state, command, arguments, context)
        except ValueError:
            continue  # nothing to undo, no such snapshot
        change = Change(COMMANDS[command], arguments, before, state)
        early.apply(change)
        early.refresh()
        early.cost()
        late.apply(change)
    early.advance()
    late.advance()
    assert early.layout.tobytes() == late.layout.tobytes()
    assert early.objective.parameters == late.objective.parameters
    assert early.capture().schedule == late.capture().schedule


def test_a_failed_step_leaves_the_layout(X, monkeypatch):
    engine = Engine(X, Settings.of(Fake(random_state=0), Supervision(30)))
    engine.advance()
    before = engine.layout
    with monkeypatch.context() as patch:
        patch.setattr(Glide, "step", lambda *a, **k: 1 / 0)
        patch.setattr(nb.optimizers.ConjugateGradient, "step", lambda *a, **k: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            engine.advance()
    assert engine.layout is before
    assert engine.iteration == 1
    assert engine.advance().iteration == 2


def test_the_trace_is_thinned_and_keeps_its_ends(X, monkeypatch):
    monkeypatch.setattr("nbembed.session.map.running.TRACE_LIMIT", 100)
    assert TRACE_LIMIT == 20_000
    engine = Engine(X, Settings.of(Fake(random_state=0), Supervision(30)))
    for _ in range(350):
        engine.advance()
    iterations = [record.iteration for record in engine.trace]
    assert len(iterations) <= 100
    assert iterations == sorted(set(iterations))
    assert iterations[0] == 1
    assert iterations[-1] == 350


def test_the_first_layout_is_the_seed_s(X):
    for seed in (0, 1):
        engines = [
            Engine(X, Settings.of(Fake(random_state=seed), Supervision(30))) for _ in range(2)
        ]
        for engine in engines:
            engine.refresh()
        assert np.array_equal(engines[0].layout, engines[1].layout)


def test_every_effect_of_a_command_is_a_method_of_the_map():
    names = set(get_args(MapMethod))
    assert {entry.effect for entry in COMMANDS.values()} == names
    assert all(callable(getattr(Engine, name, None)) for name in names)
