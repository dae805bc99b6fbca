"""Epochs of random use: an epoch is a seed, from which everything random in it is drawn.

So an epoch can be repeated alone. The operating system's decisions (which thread comes first, where
in a save a kill falls) differ from run to run; the promises hold whatever it decides. After every
epoch all sessions are freed and all threads have ended.
"""

from __future__ import annotations

import tempfile
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import numpy as np

from tests.reliability.damage import damage
from tests.reliability.drawing import Rng
from tests.reliability.kills import kill
from tests.reliability.messages import send_messages
from tests.reliability.outcome import Outcome
from tests.reliability.resources import (
    live_sessions,
    resident_memory,
    sessions_after,
    threads_after,
)
from tests.reliability.steering import steer

#: The subjects of an epoch, by name.
SUBJECTS: Mapping[str, Callable[[Rng, Path], Outcome]] = MappingProxyType(
    {"steering": steer, "kills": kill, "damage": damage, "messages": send_messages}
)
#: MiB by which the memory of the second half of a run may exceed that of the first half.
SLACK = 64


def run_epoch(seed: int, subjects: Sequence[str] = tuple(SUBJECTS)) -> Outcome:
    """Run one epoch.

    Parameters
    ----------
    seed : int
        From which everything random is drawn.
    subjects : sequence of str
        Keys of :data:`SUBJECTS`.
    """
    outcome = Outcome()
    threads, sessions = set(threading.enumerate()), live_sessions()
    for number, (name, subject) in enumerate(SUBJECTS.items()):
        if name not in subjects:
            continue
        found = Outcome()
        with tempfile.TemporaryDirectory() as folder, found.guarded(name):
            found.add(subject(np.random.default_rng([seed, number]), Path(folder)))
        found.failures = [f"{name}: {failure}" for failure in found.failures]
        outcome.add(found)
    left = threads_after(threads)
    outcome.expect(not left, f"threads that do not end: {', '.join(left)}")
    held = sessions_after(sessions)
    outcome.expect(not held, f"{held} closed sessions are still held")
    outcome.counts["epochs"] += 1
    return outcome


def run(seeds: Sequence[int], subjects: Sequence[str] = tuple(SUBJECTS)) -> Outcome:
    """Run epochs; each failure names its seed, and in a long run memory must stay flat."""
    total = Outcome()
    memory: list[int | None] = []
    for seed in seeds:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # random data and labels give cause for many
            outcome = run_epoch(seed, subjects)
        memory.append(resident_memory())
        outcome.failures = [f"seed {seed}, {failure}" for failure in outcome.failures]
        total.add(outcome)
    flat = grown(memory)
    total.expect(flat <= SLACK, f"memory grew by {flat} MiB from one half of the run to the other")
    return total


def grown(memory: Sequence[int | None]) -> int:
    """Return the growth, in MiB, of the highest memory from one half of the epochs to the other.

    The first epochs load and compile what later ones use again, so the first half is compared and
    not the first epoch. Runs of fewer than twenty epochs are too short to tell.
    """
    known = [each for each in memory if each is not None]
    if len(known) < 20:
        return 0
    middle = len(known) // 2
    return max(known[middle:]) - max(known[:middle])
