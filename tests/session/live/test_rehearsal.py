"""A command whose kernels are not compiled yet does not stop a map that somebody watches."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import nbembed as nb
from nbembed.session import Session
from nbembed.session.live import rehearsal, warm_up
from tests.session import fake
from tests.session.fake import Fake
from tests.session.parts import with_controller
from tests.waiting import GUARD, eventually


class Compiler:
    """Stands for the small map: says what is asked of it, and that all of it is lacking."""

    def __init__(self) -> None:
        self.asked: list[bool] = []
        self.lacking = True

    def lacks(self, recipe: object, n_samples: int, *, labels: bool) -> bool:
        self.asked.append(labels)
        return self.lacking


@pytest.fixture
def compiler(monkeypatch: pytest.MonkeyPatch) -> Compiler:
    made = Compiler()
    monkeypatch.setattr(rehearsal, "lacks", made.lacks)
    return made


@pytest.fixture
def watched(X: np.ndarray, compiler: Compiler) -> Iterator[Session]:
    """A map that never rests and that somebody watches."""
    session, controller = with_controller(X, Fake(random_state=3, tol=0.0))
    controller.keep_moving()
    with session:
        session.play()
        yield session
        fake.gate.set()


def changes(session: Session) -> list[str]:
    return [event.command for event in session.log if event.command in ("set", "label", "undo")]


def goes_on(session: Session) -> None:
    before = session.iteration
    eventually(lambda: session.iteration > before + 5)


def test_the_map_goes_on_until_the_kernels_are_there(watched: Session, compiler: Compiler) -> None:
    watched.set(weight=2.0)
    watched.label([0, 1], "a")
    goes_on(watched)
    assert changes(watched) == []
    assert watched.supervision.labeled.tolist() == [0, 1], "what was said is known at once"
    assert compiler.asked
    assert not any(compiler.asked), "only what the first command needs is asked for"
    compiler.lacking = False
    eventually(lambda: changes(watched) == ["set", "label"])
    watched.check()


def test_subscribers_hear_what_was_said_at_once(watched: Session) -> None:
    goes_on(watched)
    heard: list[str] = []
    watched.subscribe(heard.append)
    watched.label([0], "a")
    eventually(lambda: "waiting" in heard)
    assert changes(watched) == []


def test_a_pause_waits_for_nothing(watched: Session) -> None:
    watched.label([0, 1], "a")
    goes_on(watched)
    watched.pause()
    assert watched.wait("paused", timeout=GUARD)
    assert changes(watched) == ["label"]


def test_a_map_at_rest_takes_commands_at_once(watched: Session, compiler: Compiler) -> None:
    watched.pause()
    watched.wait("paused", timeout=GUARD)
    watched.label([0, 1], "a")
    watched.wait("paused", timeout=GUARD)
    assert changes(watched) == ["label"]
    assert compiler.asked == []


def test_without_anybody_who_looks_nothing_waits(start, compiler: Compiler) -> None:
    session = start(Fake(random_state=3, tol=0.0))
    session.play()
    session.label([0, 1], "a")
    eventually(lambda: changes(session) == ["label"])
    assert compiler.asked == []


def test_steps_wait_for_what_was_said_before_them(watched: Session, compiler: Compiler) -> None:
    goes_on(watched)
    watched.set(weight=2.0)
    watched.step(3)
    goes_on(watched)
    compiler.lacking = False
    assert watched.wait("paused", timeout=GUARD)
    (command,) = [event for event in watched.log if event.command == "set"]
    assert watched.iteration == command.iteration + 3


def test_what_waits_is_in_a_file_and_a_closed_session_has_it(
    watched: Session, tmp_path, compiler: Compiler
) -> None:
    watched.label([0, 1], "a")
    goes_on(watched)
    watched.save(tmp_path / "one.nbembed")
    loaded = nb.load_session(tmp_path / "one.nbembed", methods=[Fake])
    assert loaded.supervision.labeled.tolist() == [0, 1]
    loaded.close()
    watched.close()
    assert changes(watched) == ["label"]


# ---- the small map -------------------------------------------------------------------------------


@pytest.fixture
def cold(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Nothing is warm; what a test begins ends with it."""
    begun: dict[Any, warm_up.WarmUp] = {}
    monkeypatch.setattr(warm_up, "_warm", begun)
    yield
    for one in begun.values():
        one.thread.join(5 * GUARD)
        assert not one.thread.is_alive()


@pytest.fixture
def done(cold: None, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Methods and stages of small maps, which pass through them while the gate is open."""
    found: list[tuple[str, str]] = []

    def steer(recipe: object, n: int, stages: Iterator[str]) -> None:
        for stage in stages:
            fake.gate.wait(GUARD)
            found.append((type(recipe).__name__, stage))

    monkeypatch.setattr(warm_up, "_steer_a_small_map", steer)
    return found


def test_what_a_command_waits_for_is_compiled_first(done: list[tuple[str, str]]) -> None:
    recipe = nb.HSSNE().recipe
    fake.gate.clear()
    try:
        thread = warm_up.warm_up(recipe, 300)
        assert thread is not None
        assert warm_up.lacks(recipe.replace(alpha=1.5), 300, labels=False)
    finally:
        fake.gate.set()
    thread.join(GUARD)
    stages = [stage for _, stage in done]
    assert stages[:2] == ["alone", "parameters"]
    assert sorted(stages) == sorted(warm_up.STAGES)
    for labels in (False, True):
        assert not warm_up.lacks(recipe, 300, labels=labels)


def test_the_kernels_of_a_command_come_before_those_of_another_method(
    done: list[tuple[str, str]],
) -> None:
    fake.gate.clear()
    try:
        first = warm_up.warm_up(nb.HSSNE().recipe, 300)
        assert warm_up.lacks(nb.Mbed().recipe, 300, labels=True)
    finally:
        fake.gate.set()
    second = next(one.thread for (kind, _), one in warm_up._warm.items() if "Mbed" in str(kind))
    for thread in (first, second):
        assert thread is not None
        thread.join(GUARD)
    wanted = done.index(("MbedRecipe", "labels"))
    assert sum(name == "HSSNERecipe" for name, _ in done[:wanted]) <= 1, "the one under way"
    assert len(done) == 2 * len(warm_up.STAGES)


def test_nothing_is_lacking_where_the_small_map_fails(
    cold: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def advance(engine: object) -> None:
        raise RuntimeError("not of this kind")

    monkeypatch.setattr(warm_up.Engine, "advance", advance)
    recipe = nb.HSSNE().recipe
    eventually(lambda: not warm_up.lacks(recipe, 300, labels=True))


def test_the_kernels_of_a_live_map_come_first(cold: None) -> None:
    """With the real small map: commands given at once take effect after the map has moved."""
    X = np.random.default_rng(0).normal(size=(60, 4))
    recipe = nb.HSSNE(perplexity=5, random_state=0, tol=0.0).recipe
    session, controller = with_controller(X, recipe)
    try:
        controller.keep_moving()
        session.play()
        session.set(alpha=1.5)
        session.label([0, 1, 2], "a")
        eventually(lambda: changes(session) == ["set", "label"], timeout=5 * GUARD)
        (first,) = [event for event in session.log if event.command == "set"]
        assert first.iteration >= rehearsal.BEGUN
        session.check()
    finally:
        session.close()
