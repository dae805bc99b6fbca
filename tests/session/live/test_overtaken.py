"""A command does not wait for the iteration that it makes worthless."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris

from nbembed.kernels.threads import run_chunks
from nbembed.methods.recipe import Geometry
from nbembed.objectives.base import Evaluation
from nbembed.session import Session
from tests.session.fake import Fake, Quadratic, rest
from tests.waiting import GUARD

X = load_iris().data[::4]
CHUNKS = 50


class Gate:
    """Holds the fourth chunk of an evaluation when closed, and counts chunks and evaluations."""

    def __init__(self) -> None:
        self.closed = False
        self.reached, self.opened = threading.Event(), threading.Event()
        self.chunks = self.evaluations = 0

    def pass_through(self, chunk: int) -> None:
        self.chunks += 1
        if self.closed and chunk == 3:
            self.reached.set()
            assert self.opened.wait(GUARD)

    def hold(self) -> None:
        """Wait until an evaluation is held."""
        self.closed = True
        assert self.reached.wait(GUARD)

    def release(self) -> None:
        self.closed = False
        self.opened.set()


gate = Gate()


class Chunked(Quadratic):
    """An objective that is evaluated in many chunks."""

    def with_parameters(self, **parameters: Any) -> Chunked:
        return Chunked(self.targets, **{**self._parameters, **parameters})

    def evaluate(self, Y: np.ndarray, *, cost: bool = True) -> Evaluation:
        run_chunks(gate.pass_through, CHUNKS, 1)
        gate.evaluations += 1
        return super().evaluate(Y, cost=cost)


@dataclass(frozen=True, eq=False)
class Long(Fake):
    def make_objective(self, affinities: Any, supervision: Any, geometry: Geometry) -> Chunked:
        made = super().make_objective(affinities, supervision, geometry)
        return Chunked(made.targets, **made.parameters)


@pytest.fixture
def session() -> Iterator[Session]:
    global gate
    gate = Gate()
    with Session(X, Long(heat=0.0, tol=0.0, random_state=0)) as session:
        session.pace = None
        yield session
        gate.release()


def test_a_command_ends_the_iteration_between_two_chunks(session: Session) -> None:
    session.play()
    session.wait("running", timeout=GUARD)
    gate.hold()
    before = gate.evaluations
    session.set(weight=2.0)
    session.pause()
    chunks = gate.chunks
    gate.release()
    rest(session)
    assert gate.chunks - chunks <= CHUNKS, "at most the cost at rest, not the iteration besides"
    assert gate.evaluations <= before + 1
    at = {event.command: event.iteration for event in session.log}
    assert at["set"] == at["pause"] == session.iteration
    assert session.replayed().embedding.tobytes() == session.embedding.tobytes()


def test_an_iteration_that_is_given_up_leaves_no_trace(session: Session) -> None:
    """The map is the same as that of a session whose commands came between two iterations."""
    session.play()
    session.wait("running", timeout=GUARD)
    for weight in (2.0, 3.0, 4.0):
        gate.hold()
        session.set(weight=weight)
        gate.reached.clear()
        gate.release()
        gate.opened.clear()
    session.pause()
    rest(session)
    assert session.parameters["weight"] == 4.0
    assert len(session.trace) == session.iteration
    assert session.replayed().embedding.tobytes() == session.embedding.tobytes()


def test_a_map_moves_however_quickly_commands_follow(session: Session) -> None:
    """Two iterations in a row are never given up."""
    step = 0

    def again(chunk: int) -> None:
        nonlocal step
        if chunk == 1:
            step += 1
            session.set(weight=1.0 + step % 7)

    gate.pass_through = again  # type: ignore[method-assign]
    session.play()
    deadline = threading.Event()
    while session.iteration < 20 and step < 10_000:
        deadline.wait(0.001)
    session.pause()
    gate.pass_through = lambda chunk: None  # type: ignore[method-assign]
    rest(session)
    assert session.iteration >= 20
    assert session.replayed().embedding.tobytes() == session.embedding.tobytes()


def test_steps_that_were_asked_for_are_done(session: Session) -> None:
    gate.closed = True
    session.step(5)
    assert gate.reached.wait(GUARD)
    session.set(weight=2.0)
    gate.release()
    rest(session)
    assert session.iteration == 5
    assert [(e.command, e.iteration) for e in session.log if e.command == "set"] == [("set", 5)]
