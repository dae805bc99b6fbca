"""Epochs one after the other, a line each, and the verdict."""

from __future__ import annotations

import faulthandler
import logging
import secrets
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType

import numpy as np

from nbembed import __version__
from nbembed.soak.damage import damage
from nbembed.soak.drawing import Rng
from nbembed.soak.kills import kill
from nbembed.soak.messages import send_messages
from nbembed.soak.outcome import Outcome
from nbembed.soak.resources import (
    live_sessions,
    resident_memory,
    sessions_after,
    threads_after,
)
from nbembed.soak.steering import steer
from nbembed.validation import check_real

#: What an epoch does, by name.
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


def run(
    minutes: float = 1.0,
    epochs: int | None = None,
    seed: int | None = None,
    subjects: Sequence[str] = tuple(SUBJECTS),
    tell: Callable[[str], None] = print,
) -> int:
    """Run epochs and tell of each; return 0 if no promise was broken, else 1.

    Parameters
    ----------
    minutes : float
        No epoch begins later than this.
    epochs : int, optional
        Run so many, however long they take.
    seed : int, optional
        Of the first epoch; the others count on from it. By default it is drawn.
    subjects : sequence of str
        Keys of :data:`SUBJECTS`.
    tell : callable
        Takes the lines of the report.
    """
    check_real("minutes", minutes, low=0)
    faulthandler.enable()
    first = secrets.randbelow(10**9) if seed is None else seed
    tell(f"nbembed {__version__}, soak from seed {first}; to repeat an epoch: --seed S --epochs 1")
    total = Outcome()
    memory: list[int | None] = [resident_memory()]
    threads = [threading.active_count()]
    end = time.monotonic() + 60 * minutes
    number = 0
    while number < epochs if epochs is not None else time.monotonic() < end:
        with warnings.catch_warnings(), _without_log():
            warnings.simplefilter("ignore")  # random data and labels give cause for many
            outcome = run_epoch(first + number, subjects)
        memory.append(resident_memory())
        threads.append(threading.active_count())
        total.add(outcome)
        tell(_line(first + number, outcome, memory[-1], threads[-1]))
        for failure in outcome.failures:
            tell(f"  FAILED (seed {first + number}) {failure}")
        number += 1
    flat = grown(memory)
    total.expect(flat <= SLACK, f"memory grew by {flat} MiB from one half of the run to the other")
    for line in verdict(total, memory, threads):
        tell(line)
    return 1 if total.failures else 0


@contextmanager
def _without_log() -> Iterator[None]:
    """Log no warnings: hundreds of commands and messages are refused on purpose."""
    before = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        yield
    finally:
        logging.disable(before)


def grown(memory: Sequence[int | None]) -> int:
    """Return the growth, in MiB, of the highest memory from one half of the epochs to the other.

    The first epochs load and compile what later ones use again, so the first half is compared and
    not the first epoch. Runs of fewer than twenty epochs are too short to tell.
    """
    known = [each for each in memory[1:] if each is not None]
    if len(known) < 20:
        return 0
    middle = len(known) // 2
    return max(known[middle:]) - max(known[:middle])


def _line(seed: int, outcome: Outcome, memory: int | None, threads: int) -> str:
    c = outcome.counts
    return (
        f"seed {seed}: {c['commands']} commands ({c['refused']} refused), "
        f"{c['replays identical']}/{c['replays']} replays, "
        f"{c['scripts identical']}/{c['scripts']} scripts, {c['reopened']} reopened, "
        f"{c['kills']} kills, {c['damaged files']} damaged files, {c['messages']} messages; "
        f"{_mib(memory)}, {threads} threads{'' if not outcome.failures else '; FAILED'}"
    )


def verdict(total: Outcome, memory: Sequence[int | None], threads: Sequence[int]) -> list[str]:
    """Return the lines that sum up a run."""
    c = total.counts
    rows = [
        ("epochs", f"{c['epochs']}"),
        ("commands", f"{c['commands']}, {c['refused']} refused"),
        ("maps that failed", f"{c['failed maps']}"),
        ("replays identical", f"{c['replays identical']} of {c['replays']}"),
        ("scripts identical", f"{c['scripts identical']} of {c['scripts']}"),
        ("files reopened", f"{c['reopened']}"),
        ("kills", f"{c['kills']}"),
        (
            "damaged files",
            f"{c['damaged files']}, {c['damaged files refused']} refused, "
            f"{c['damaged files opened']} opened",
        ),
        ("messages", f"{c['messages']}, {c['messages refused']} refused"),
        ("memory", f"{_mib(memory[0])} at the start, {_mib(memory[-1])} at the end"),
        ("threads", f"{threads[0]} at the start, {threads[-1]} at the end"),
        ("failures", f"{len(total.failures)}"),
    ]
    return [f"{name:18} {value}" for name, value in rows]


def _mib(memory: int | None) -> str:
    return "memory unknown" if memory is None else f"{memory} MiB"
