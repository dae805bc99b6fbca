"""Kills in the midst of saving: the file on disk is always one of the states that were saved.

State k of the child's session has the classes "state 0" to "state k". The child prints k once the
save of state k has returned, so the file must hold the last state printed or the one after it.
"""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import numpy as np

from nbembed.session import Session, load_session
from tests.reliability.child import start_child
from tests.reliability.comparison import differences
from tests.reliability.drawing import Rng
from tests.reliability.outcome import Outcome

#: Large enough that most of a save is writing.
N_SAMPLES, N_FEATURES = 200, 400


def kill(rng: Rng, folder: Path) -> Outcome:
    """Kill a process that saves in a loop, and open what it left."""
    outcome = Outcome()
    path = folder / "saved while killed"
    child = start_child(__name__, str(path), str(rng.integers(2**32)))
    last = _kill_in_the_midst(child, saves=int(rng.integers(2, 12)), delay=rng.uniform(0, 0.02))
    if not outcome.expect(last >= 0, "the process that saves ended before its first save"):
        return outcome
    outcome.counts["kills"] += 1
    with outcome.guarded("opening what a killed process left"), load_session(path) as loaded:
        state = len(loaded.supervision.classes) - 1
        names = tuple(f"state {k}" for k in range(state + 1))
        outcome.expect(
            state in (last, last + 1) and tuple(loaded.supervision.classes) == names,
            f"after the save of state {last} the file holds {loaded.supervision.classes}",
        )
        with loaded.replayed() as again:
            differ = differences(again, loaded, opened=True)
            outcome.expect(not differ, f"the file left by a kill replays with other {differ}")
        loaded.save(path)
        left = sorted(each.name for each in folder.iterdir())
        outcome.expect(left == [path.name], f"after the next save there are still {left}")
    return outcome


def _kill_in_the_midst(child: subprocess.Popen[str], saves: int, delay: float) -> int:
    """Kill the child during a save; return the last state that it said to have saved, or −1."""
    assert child.stdout is not None
    lines = [line for _ in range(saves) if (line := child.stdout.readline())]
    time.sleep(delay)
    child.kill()
    rest, _ = child.communicate()
    return _last_saved("".join([*lines, rest]))


def _last_saved(printed: str) -> int:
    """Return the number on the last complete line, or −1; a kill may cut a line."""
    complete = printed.split("\n")[:-1]
    return int(complete[-1]) if complete else -1


def main(path: str, seed: str) -> None:
    """Steer and save a session until killed."""
    X = np.random.default_rng(int(seed)).normal(size=(N_SAMPLES, N_FEATURES))
    session = Session(X)
    session.play()
    k = 0
    while True:
        session.label([k % N_SAMPLES], f"state {k}")
        session.save(path)
        print(k, flush=True)
        k += 1
