"""The engine: when stale parts are redone decides no bit."""

from __future__ import annotations

import random

import numpy as np
import pytest
from sklearn.datasets import load_iris

import nbembed as nb
from nbembed.schedule import Schedule, Stage
from nbembed.session.commands import Desk, decide
from nbembed.session.engine import TRACE_LIMIT, Engine
from nbembed.session.settings import known_methods, start_settings
from nbembed.session.stages import after, begun
from nbembed.supervision import Supervision
from tests.session.fake import Anchored, Fake, Glide, Other, Pupil

METHODS = known_methods(Fake, Other, Pupil, Anchored)
X = load_iris().data[::5]


def random_event(rng: random.Random, desk: Desk, names: list[str]) -> tuple[str, dict]:
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
    now = desk.settings.name
    kind = METHODS[name]
    switched = {"method": name, "parameters": desk.settings.parameters_for(kind, X)}
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
            ("learned", {"supervision": desk.settings.supervision}),
            ("learned", {"supervision": desk.settings.supervision.label(points, "c")}),
            ("undo", {}),
            ("redo", {}),
            ("snapshot", {"name": "x"}),
            ("restore", {"name": "x"}),
            ("restart", {}),
            ("reset", {}),
            ("move_to_path", {"index": 0, "lam": 2.0}),
            ("switch", switched),
            ("switch", switched),
        ]
    )


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize(
    "names",
    [
        ["Fake", "Other"],
        ["Pupil", "Anchored", "Fake"],
        ["HSSNE", "SNE", "Mbed"],
        ["NeRV", "LFDA", "ParametricEmbedding"],
    ],
)
def test_refreshing_early_or_late_gives_the_same_bits(seed, names):
    rng = random.Random(seed)
    first = METHODS[names[0]](random_state=seed)
    if names[0] == "HSSNE":
        first.set_params(max_iter=24)
    desk = Desk(start_settings(first, Supervision(30, ["a"])))
    early, late = Engine(X, desk.settings), Engine(X, desk.settings)
    for _ in range(40):
        if rng.random() < 0.5:
            for _ in range(rng.randint(1, 4)):
                early.advance()
                late.advance()
        command, arguments = random_event(rng, desk, names)
        try:
            desk = decide(desk, command, arguments, METHODS)
        except ValueError:
            continue  # nothing to undo, no such snapshot
        early.apply(command, arguments, desk.settings)
        early.refresh()
        early.cost()
        late.apply(command, arguments, desk.settings)
    early.advance()
    late.advance()
    assert early.place.layout.tobytes() == late.place.layout.tobytes()
    assert early.objective.parameters == late.objective.parameters
    assert early.place.schedule == late.place.schedule


def test_a_failed_step_leaves_the_layout(X, monkeypatch):
    engine = Engine(X, start_settings(Fake(random_state=0), Supervision(30)))
    engine.advance()
    before = engine.place.layout
    with monkeypatch.context() as patch:
        patch.setattr(Glide, "step", lambda *a, **k: 1 / 0)
        patch.setattr(nb.optimizers.ConjugateGradient, "step", lambda *a, **k: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            engine.advance()
    assert engine.place.layout is before
    assert engine.iteration == 1
    assert engine.advance().iteration == 2


def test_the_trace_is_thinned_and_keeps_its_ends(X, monkeypatch):
    monkeypatch.setattr("nbembed.session.engine.TRACE_LIMIT", 100)
    assert TRACE_LIMIT == 20_000
    engine = Engine(X, start_settings(Fake(random_state=0), Supervision(30)))
    for _ in range(350):
        engine.advance()
    iterations = [record.iteration for record in engine.trace]
    assert len(iterations) <= 100
    assert iterations == sorted(set(iterations))
    assert iterations[0] == 1
    assert iterations[-1] == 350


def test_what_is_left_of_a_schedule():
    a, b, c = (Stage(steps, Glide(), {"heat": float(steps)}) for steps in (2, 3, 4))
    schedule = Schedule((a, b, c))
    assert after(schedule, 0) == schedule
    assert after(schedule, 2) == Schedule((b, c))
    assert after(schedule, 3) == Schedule((Stage(2, Glide(), {"heat": 3.0}), c))
    assert after(schedule, 9) == after(schedule, 90) == Schedule()
    assert begun(schedule, 0) == ()
    assert begun(schedule, 2) == (a,)
    assert begun(schedule, 3) == (a, b)
    assert begun(schedule, 90) == (a, b, c)


def test_the_first_layout_is_the_seed_s(X):
    for seed in (0, 1):
        engines = [
            Engine(X, start_settings(Fake(random_state=seed), Supervision(30))) for _ in range(2)
        ]
        for engine in engines:
            engine.refresh()
        assert np.array_equal(engines[0].place.layout, engines[1].place.layout)
