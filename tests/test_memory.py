"""Memory: how much there is, and the refusal of what would take more."""

from __future__ import annotations

import re

import pytest

from nbembed import memory
from nbembed.memory import check_memory, in_bytes, memory_limit


def test_there_is_some_and_no_more_than_a_container_allows(tmp_path, monkeypatch):
    whole = memory_limit()
    assert whole is not None
    assert 2**28 < whole < 2**50
    limit = tmp_path / "memory.max"
    monkeypatch.setattr(memory, "LIMITS", (tmp_path / "nothing", limit))
    limit.write_text("max\n")
    assert memory_limit() >= whole
    limit.write_text("123456\n")
    assert memory_limit() == 123456


def test_what_is_larger_is_refused_with_its_bytes(monkeypatch):
    monkeypatch.setattr(memory, "memory_limit", lambda: 24 * 10**9)
    check_memory(24e9, "it", "less=True")
    message = "pairs would take 196 GB of memory, of which this machine has 24 GB; less is needed"
    with pytest.raises(ValueError, match=re.escape(message) + " with less=True"):
        check_memory(196e9, "pairs", "less=True")
    monkeypatch.setattr(memory, "memory_limit", lambda: None)
    check_memory(1e30, "it", "less=True")


@pytest.mark.parametrize(
    ("number", "words"),
    [(0, "0 bytes"), (999, "999 bytes"), (1000, "1 kB"), (19.6e9, "19.6 GB"), (1e21, "1e+03 EB")],
)
def test_bytes_in_words(number, words):
    assert in_bytes(number) == words
