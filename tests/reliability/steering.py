"""Random steering from several threads: the log and the script replay to the bits of the map."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from nbembed.session import Session, load_session
from tests.reliability import drawing
from tests.reliability.comparison import differences
from tests.reliability.drawing import Rng, Situation
from tests.reliability.outcome import Outcome
from tests.reliability.resources import GUARD
from tests.session.redone import run_script

THREADS = 4
#: Commands that each thread gives.
COMMANDS = 30
#: What a refused command raises.
REFUSALS = (ValueError, TypeError, RuntimeError)


def steer(rng: Rng, folder: Path, commands: int = COMMANDS) -> Outcome:
    """Steer a session from several threads, then replay, script, save and open it.

    Parameters
    ----------
    rng : Generator
    folder : Path
        For the session's file.
    commands : int
        Of each thread.
    """
    outcome = Outcome()
    session = new_session(rng)
    session.pace = drawing.pick(rng, (None, 250.0))
    with session:
        seeds = rng.integers(2**32, size=THREADS + 1).tolist()
        threads = [
            threading.Thread(target=_guarded, args=(give, outcome, session, seed, commands))
            for seed in seeds[:THREADS]
        ]
        threads.append(
            threading.Thread(
                target=_guarded, args=(read, outcome, session, seeds[-1], folder / "live")
            )
        )
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(GUARD)
        stuck = sum(thread.is_alive() for thread in threads)
        if not outcome.expect(not stuck, f"{stuck} threads do not come back from the session"):
            return outcome
        if comes_to_rest(session, outcome):
            check_replays(session, outcome)
            check_reopened(session, folder / "session", outcome)
    return outcome


def new_session(rng: Rng) -> Session:
    """Return a session of random data, method and supervision."""
    while True:
        X = drawing.data(rng)
        methods = Session(X).methods
        name = drawing.pick(rng, tuple(methods))
        situation = Situation(X.shape[0], methods[name](), methods)
        try:
            return Session(X, situation.recipe, supervision=drawing.supervision(rng, situation))
        except ValueError:
            continue  # not every method takes all data


def _guarded(steps: Callable[..., None], outcome: Outcome, *arguments: Any) -> None:
    """Call ``steps`` in a thread; what it raises is a failure, not a line on stderr."""
    with outcome.guarded(steps.__name__):
        steps(*arguments, outcome)


def give(session: Session, seed: int, commands: int, outcome: Outcome) -> None:
    """Give random commands; each has a seed of its own, whatever was refused before it."""
    for i in range(commands):
        rng = np.random.default_rng([seed, i])
        name, arguments = drawing.command(rng, Situation.of(session))
        outcome.counts["commands"] += 1
        try:
            session.give(name, arguments)
        except REFUSALS:
            outcome.counts["refused"] += 1
        except Exception as error:
            outcome.failures.append(f"{name}({arguments!r}) raised {error!r}")


def read(session: Session, seed: int, path: Path, outcome: Outcome) -> None:
    """Read everything and save, as a view and an impatient user do."""
    rng = np.random.default_rng(seed)
    heard: list[str] = []
    unsubscribe = session.subscribe(heard.append)
    for _ in range(12):
        with outcome.guarded("reading"):
            frame = session.frame()
            outcome.expect(
                bool(np.isfinite(frame.embedding).all()),
                "a frame has coordinates that are not finite",
            )
            _ = (session.suggestions, session.suggesting, session.suggestion_check)
            _ = (session.membership, session.directions, session.path, session.trace, session.log)
            _ = (
                session.parameters,
                session.request,
                session.learning,
                session.method,
                repr(session),
            )
        with outcome.guarded("saving while others steer"):
            if rng.random() < 0.3:
                session.save(path)
                with load_session(path) as loaded:
                    outcome.counts["reopened"] += 1
                    loaded.label([0], "opened")
                    _goes_on(loaded, outcome)
    unsubscribe()


def comes_to_rest(session: Session, outcome: Outcome) -> bool:
    """Pause the session; return whether it rests."""
    session.pause()
    rests = session.wait(timeout=GUARD)
    outcome.expect(rests, f"{session!r} does not come to rest within {GUARD:g} s")
    if rests and session.state == "failed":
        outcome.counts["failed maps"] += 1
    elif rests:
        finite = bool(np.isfinite(session.embedding).all())
        outcome.expect(finite, "the map has coordinates that are not finite")
    return rests


def check_replays(session: Session, outcome: Outcome) -> None:
    """Replay the log, the log as JSON, and the script where the map never failed."""
    with outcome.guarded("replayed()"), session.replayed() as again:
        _same(session, again, "the log", outcome)
    with outcome.guarded("Session.replay of the log as JSON"):
        log = json.loads(json.dumps([event.to_dict() for event in session.log]))
        until = session.iteration
        with Session.replay(session.X, log, until=until) as again:
            _same(session, again, "the log as JSON", outcome)
    if not any(event.arguments.get("state") == "failed" for event in session.log):
        with outcome.guarded("the script"):
            text = session.to_script()
            found = run_script(text, session.X)
            outcome.counts["scripts"] += 1
            same = found.tobytes() == session.embedding.tobytes()
            outcome.counts["scripts identical"] += same
            shown = f"{session!r}:\n{text}\n{describe(session)}"
            outcome.expect(same, f"the script does not lead to the bits of {shown}")


def _same(session: Session, again: Session, what: str, outcome: Outcome) -> None:
    outcome.counts["replays"] += 1
    differ = differences(session, again)
    if outcome.expect(not differ, f"{what} replays with other {differ}:\n{describe(session)}"):
        outcome.counts["replays identical"] += 1


def describe(session: Session) -> str:
    """Return the log of a session, an event a line."""
    return "\n".join(
        f"  {event.iteration:5} {event.command} {dict(event.arguments)!r}"[:300]
        for event in session.log
    )


def check_reopened(session: Session, path: Path, outcome: Outcome) -> None:
    """Save and open the session; the open one goes on and replays to the same bits."""
    with outcome.guarded("saving and opening"):
        session.save(path)
        with load_session(path) as loaded:
            differ = differences(session, loaded, opened=True)
            outcome.expect(not differ, f"the file opens with other {differ}")
            outcome.counts["reopened"] += 1
            loaded.step(3)
            _goes_on(loaded, outcome)


def _goes_on(loaded: Session, outcome: Outcome) -> None:
    """Let an opened session that took a command come to rest; its log replays to the same bits."""
    if comes_to_rest(loaded, outcome) and loaded.state != "failed":
        with loaded.replayed() as again:
            _same(loaded, again, "the log of an opened session", outcome)
