"""Short soaks with fixed seeds: every subject is clean, and leaves nothing behind."""

from __future__ import annotations

import pytest

from nbembed import soak


def clean(subject: str, seeds: range) -> soak.Outcome:
    """Run epochs of one subject; return their counts."""
    total = soak.Outcome()
    for seed in seeds:
        total.add(soak.run_epoch(seed, (subject,)))
    assert total.failures == [], "\n".join(total.failures)
    return total


@pytest.mark.slow
def test_steering_from_several_threads_replays_to_the_same_bits():
    counts = clean("steering", range(6)).counts
    assert counts["commands"] == 6 * 120
    assert counts["replays identical"] == counts["replays"] >= 6 * 2
    assert counts["scripts identical"] == counts["scripts"]
    assert 0 < counts["refused"] < counts["commands"]


@pytest.mark.slow
def test_a_kill_in_the_midst_of_a_save_leaves_a_state_that_was_saved():
    assert clean("kills", range(2)).counts["kills"] == 2


@pytest.mark.slow
def test_damaged_files_are_refused_or_open():
    counts = clean("damage", range(2)).counts
    assert counts["damaged files"] == 2 * 40
    assert counts["damaged files refused"] > 0
    assert counts["damaged files opened"] > 0


@pytest.mark.slow
def test_every_message_of_a_page_is_answered():
    counts = clean("messages", range(3)).counts
    assert counts["messages"] == 3 * 200
    assert 0 < counts["messages refused"] < counts["messages"]
