"""No map depends on how far the worker has got when a command comes."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from sklearn.datasets import load_iris

import nbembed as nb
from nbembed.session import Session
from tests.session.fake import Fake, Learning, Other, rest
from tests.session.parts import workers_held

X = load_iris().data[::4]
Steps = Sequence[Callable[[Session], None]]


def steered(method: object, steps: Steps, rests: Sequence[bool]) -> np.ndarray:
    """Return the map after ``steps``, and check that it replays.

    After a step that is marked the session rests, and the worker has then prepared all that it
    can. After another one the next command is given before the worker has begun anything.
    """
    with Session(X, method) as session, contextlib.ExitStack() as held:
        session.pace = None
        session.auto_learn = False
        for step, rested in zip(steps, rests):
            held.enter_context(workers_held())
            step(session)
            if rested:
                held.close()
                rest(session)
        held.close()
        rest(session)
        session.check()
        embedding = session.embedding
        assert session.replayed().embedding.tobytes() == embedding.tobytes()
        return embedding


def orders(count: int) -> list[list[bool]]:
    """Return all at once, all at rest, and each alone not at rest."""
    alone = [[i != k for i in range(count)] for k in range(count)]
    return [[False] * count, *alone]


SEQUENCES: dict[str, tuple[object, Steps]] = {
    "pins of a cold map": (
        Fake(random_state=3, heat=0.0),
        [
            lambda s: s.step(5),
            lambda s: s.reset(),
            lambda s: s.pin([3, 8]),
            lambda s: s.reset(),
            lambda s: s.set(random_state=7),
            lambda s: s.step(4),
        ],
    ),
    "pins of a cold map, with a method": (
        nb.SNE(random_state=0),
        [
            lambda s: s.step(5),
            lambda s: s.reset(),
            lambda s: s.pin([3, 8]),
            lambda s: s.reset(),
            lambda s: s.set(init="random"),
            lambda s: s.step(4),
        ],
    ),
    "a metric that decides the optimizer": (
        nb.HSSNE(random_state=0),
        [
            lambda s: s.step(4),
            lambda s: s.label([0, 5, 6], "a"),
            lambda s: s.switch("NeRV"),
            lambda s: s.set(metric=nb.LearningMetric(random_state=0)),
            lambda s: s.label([25], "c", 0.5),
            lambda s: s.step(4),
        ],
    ),
    "learned and switched": (
        Learning(random_state=1),
        [
            lambda s: s.step(3),
            lambda s: s.label([1], "a"),
            lambda s: s.label([2], "b"),
            lambda s: s.learn(),
            lambda s: s.snapshot("x"),
            lambda s: s.switch(Other()),
            lambda s: s.set(width=2.0),
            lambda s: s.restore("x"),
            lambda s: s.set(n_components=3),
            lambda s: s.step(3),
        ],
    ),
    "a path": (
        Fake(random_state=3),
        [
            lambda s: s.step(17),
            lambda s: s.set(heat=0.25),
            lambda s: s.undo(),
            lambda s: s.reset_optimizer(),
            lambda s: s.step(6),
        ],
    ),
}


@pytest.mark.parametrize("name", SEQUENCES)
def test_a_map_is_the_same_whether_or_not_the_worker_has_rested(name):
    method, steps = SEQUENCES[name]
    expected = steered(method, steps, [True] * len(steps))
    for rests in orders(len(steps)):
        assert steered(method, steps, rests).tobytes() == expected.tobytes(), rests


def test_a_switch_by_name_from_a_method_without_seed_replays():
    steps: Steps = [
        lambda s: s.switch("Mbed"),
        lambda s: s.set(lam=2.0),
        lambda s: s.step(5),
    ]
    for rests in itertools.product((False, True), repeat=2):
        steered(nb.spectral.LFDA(), steps, (*rests, True))
