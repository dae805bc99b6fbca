"""What the first label needs is compiled while somebody looks at the map."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

import nbembed as nb
from nbembed.kernels.threads import run_chunks
from nbembed.session.live import threads
from nbembed.session.live import warm_up as room
from nbembed.session.live.warm_up import warm_up
from tests.session.fake import Fake, calls
from tests.waiting import GUARD


@pytest.fixture(autouse=True)
def _cold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_warm", {})


def wait(thread: threading.Thread | None) -> None:
    assert thread is not None
    thread.join(GUARD)
    assert not thread.is_alive()


def test_a_small_map_is_steered_once(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    evaluate = room.Engine.advance

    def advance(engine: room.Engine) -> object:
        settings = engine.settings
        seen.append((settings.recipe.parameters["alpha"], settings.supervision.labeled.size))
        return evaluate(engine)

    monkeypatch.setattr(room.Engine, "advance", advance)
    wait(warm_up(nb.HSSNE(random_state=0).recipe, 300))
    assert seen[0] == (1.0, 0)
    for labeled in (0, 10):
        values = {alpha for alpha, number in seen if number == labeled}
        assert values > {1.0}, "other kernels than those of the present α"
    assert warm_up(nb.HSSNE(alpha=2.0).recipe, 400) is None


def test_many_points_are_warmed_up_by_sums_of_their_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    monkeypatch.setattr(room, "_steer_a_small_map", lambda recipe, n, stages: seen.append(n))
    recipe = nb.HSSNE().recipe
    for n in (50, 4999, 5000, 100_000):
        warm_up(recipe, n)
    warm_up(nb.HSSNE(algorithm="exact").recipe, 100_000)
    assert seen == [room.POINTS, 5000, room.MANY]
    assert recipe.algorithm_for(room.MANY) == "grid"


#: Run in a process of its own, whose kernels nobody has used before.
STEER = """
import gc
import sys
import numpy as np
from numba.core.dispatcher import Dispatcher
import nbembed as nb
from nbembed.kernels.grid.links import groups_by_grid
from nbembed.kernels.grid.radial import Radial
from nbembed.session.live.warm_up import warm_up

def kernels():
    found = set()
    for thing in gc.get_objects():
        if isinstance(thing, Dispatcher) and thing.py_func.__module__.startswith("nbembed"):
            found |= {(thing.py_func.__qualname__, str(s)) for s in thing.signatures}
    return found

n = int(sys.argv[1])
X = np.random.default_rng(0).normal(size=(n, 3))
session = nb.Session(X, nb.HSSNE(random_state=0, tol=0.0))
session.step(2)
session.wait(timeout=300)
warm_up(session.recipe, n).join(300)
before = kernels()
assert before
for change in (
    lambda: session.label(range(150), "a"),
    lambda: session.set(alpha=1.3),
    lambda: session.label(range(200, 230), "b", confidence=0.7),
    lambda: session.must_link(range(300, 310)),
    lambda: session.set(rho=0.3),
    lambda: session.cannot_link([0], [400]),
    lambda: session.pin([7]),
    lambda: session.label(range(n // 2, n), "c"),
):
    change()
    session.step(2)
    session.wait(timeout=300)
# To where the optimizer follows another rule.
session.step(120)
session.wait(timeout=300)
session.close()
if n >= 5000:  # a class of so many points in a map as wide as theirs are
    many = 40_000
    Yt = (1000 * np.random.default_rng(0).random((2, many))).astype(np.float32)
    group = np.array([0, many]), np.arange(many), np.ones(many)
    groups_by_grid(Yt, group, np.full(many, 1e-4), Radial(1.3), 1, False)
for name, signature in sorted(kernels() - before):
    print(name, signature)
"""


@pytest.mark.slow
@pytest.mark.parametrize("n", [1000, 5000])
def test_afterwards_no_label_or_slider_waits_for_a_compiler(n: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", STEER, str(n)], capture_output=True, text=True, timeout=GUARD * 20
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""


def test_the_method_of_somebody_else_is_not_called() -> None:
    assert warm_up(Fake(), 300) is None
    assert not calls


def test_a_metric_of_the_user_is_not_called() -> None:
    def metric(a: object, b: object) -> float:
        raise AssertionError("it was called")

    assert warm_up(nb.HSSNE(metric=metric).recipe, 300) is None


def test_it_ends_with_the_interpreter(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As far as the compiler lets it: between two chunks."""
    steps: list[int] = []
    leaving, begun = threading.Event(), threading.Event()

    def advance(engine: room.Engine) -> None:
        begun.set()
        assert leaving.wait(GUARD)
        run_chunks(steps.append, 1, 1)

    monkeypatch.setattr(room.Engine, "advance", advance)
    monkeypatch.setattr(room, "_leaving", leaving)
    thread = warm_up(nb.HSSNE().recipe, 300)
    assert thread is not None
    assert begun.wait(GUARD)
    stop = threads._stops[thread]()
    assert stop is not None
    stop()
    wait(thread)
    assert steps == []
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("method", [nb.HSSNE(metric="precomputed"), nb.HSSNE(perplexity=1000)])
def test_what_cannot_be_warmed_up_harms_nothing(
    method: nb.HSSNE, capsys: pytest.CaptureFixture[str]
) -> None:
    wait(warm_up(method.recipe, 300))
    assert capsys.readouterr() == ("", "")
