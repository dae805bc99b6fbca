"""Random use with fixed seeds: every subject is clean, and leaves nothing behind.

``NBEMBED_SOAK=500`` runs so many epochs of each, from a seed that a failure names; memory must then
stay flat, too.
"""

from __future__ import annotations

import os
import random

import pytest

from tests.reliability.damage import FILES
from tests.reliability.epochs import run
from tests.reliability.messages import MESSAGES
from tests.reliability.outcome import Outcome


def clean(subject: str, epochs: int) -> Outcome:
    """Run epochs of one subject; return what was counted, by epoch."""
    more = int(os.environ.get("NBEMBED_SOAK", "0"))
    first = random.SystemRandom().randrange(10**6) if more else 0
    total = run(range(first, first + (more or epochs)), (subject,))
    assert total.failures == [], "\n".join(total.failures)
    assert total.counts["epochs"] == (more or epochs)
    return total


@pytest.mark.slow
def test_steering_from_several_threads_replays_to_the_same_bits():
    counts = clean("steering", 6).counts
    assert counts["commands"] == counts["epochs"] * 120
    assert counts["replays identical"] == counts["replays"] >= counts["epochs"] * 2
    assert counts["scripts identical"] == counts["scripts"]
    assert 0 < counts["refused"] < counts["commands"]


@pytest.mark.slow
def test_a_kill_in_the_midst_of_a_save_leaves_a_state_that_was_saved():
    counts = clean("kills", 2).counts
    assert counts["kills"] == counts["epochs"]


@pytest.mark.slow
def test_damaged_files_are_refused_or_open():
    counts = clean("damage", 4).counts
    assert counts["damaged files"] == counts["epochs"] * FILES
    assert counts["damaged files refused"] > 0
    assert counts["damaged files opened"] > 0


@pytest.mark.slow
def test_every_message_of_a_page_is_answered():
    counts = clean("messages", 6).counts
    assert counts["messages"] == counts["epochs"] * MESSAGES
    assert 0 < counts["messages refused"] < counts["messages"]
