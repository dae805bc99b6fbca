"""Fuzzed calls of every public callable: no crash, no hang, no NaN, no foreign exception.

The calls are the same in every run; ``NBEMBED_FUZZ=100000`` makes so many others, from a seed that
is printed.
"""

from __future__ import annotations

import os
import random
from types import SimpleNamespace

import pytest

from tests.reliability import calls, live, runner
from tests.reliability.runner import Batch

#: Calls of one run.
CALLS = 4_000
SEED = 20070603


@pytest.mark.slow
def test_no_call_crashes_hangs_or_returns_what_is_not_finite():
    explored = os.environ.get("NBEMBED_FUZZ")
    seed = random.SystemRandom().randrange(10**6) if explored else SEED
    wanted = int(explored) if explored else CALLS
    report = runner.execute(runner.plan(wanted, seed))
    assert not report.failures, "\n\n".join(map(str, report.failures))
    assert report.calls >= wanted


def test_every_public_callable_is_in_the_table():
    assert not calls.missing(), "give these arguments strategies, in tests/reliability/arguments.py"
    table = calls.table()
    for name, thing in calls.public_callables():
        covered = calls.matches(name, calls.LIVE) or calls.matches(name, calls.INTERNAL)
        assert covered or name in table, name
        assert not (name in table and calls.matches(name, calls.INTERNAL)), name
        assert callable(thing)
    for name in calls.LIVE:
        assert any(entry.startswith(name.rstrip("*").rstrip(".")) for entry in table), name


def test_no_line_of_the_tables_is_left_over():
    names = [name for name, _ in calls.public_callables()]
    for table in (calls.INTERNAL, calls.EXCEPTIONS, calls.WEIGHTS, calls.NOT_FINITE):
        for pattern in table:
            assert any(calls.matches(name, [pattern]) for name in names), pattern


def test_every_method_of_a_session_can_be_drawn():
    for member in live.members():
        assert isinstance(live.given_to(member), dict)


# -- the machinery itself: what it is there to see, it sees -----------------------------------


@pytest.fixture
def broken(monkeypatch):
    """Let the child take its table from :mod:`tests.reliability.broken`."""
    monkeypatch.setenv("NBEMBED_FUZZ_TABLE", "tests.reliability.broken")


#: The fault of each entry of the broken table, and the shortest call that has it.
BROKEN = {
    "crash": ("the process crashed: SIGSEGV", "crash(x=7)"),
    "exit": ("the process ended with status 3", "exit(x=7)"),
    "foreign": ("IndexError is not among the errors allowed", "foreign(x=7)"),
    "unnamed": ("the message names no argument", "unnamed(x=7)"),
    "nan": ("the result is nan", "nan(x=7)"),
    "changes": ("an argument was changed", "changes(x=array([7"),
}


def test_the_fuzzer_names_the_calls(broken):
    report = runner.execute([*(Batch(entry, 60, 0) for entry in BROKEN), Batch("fine", 5, 0)])
    assert [failure.batch.entry for failure in report.failures] == list(BROKEN)
    for failure, (kind, call) in zip(report.failures, BROKEN.values(), strict=True):
        assert failure.kind == kind
        assert failure.call.startswith(call)
        assert failure.batch.entry in failure.batch.command()
    assert report.seconds.keys() == {*BROKEN, "fine"} - {"crash", "exit"}, "those after it are run"


@pytest.mark.slow
def test_the_fuzzer_sees_a_call_that_does_not_end(broken, monkeypatch):
    monkeypatch.setattr(runner, "PATIENCE", 5)
    (failure,) = runner.execute([Batch("hang", 60, 0)]).failures
    assert failure.kind == "no end within 5 s"
    assert failure.call.startswith("hang(x=7)")


@pytest.mark.parametrize(
    ("imports", "calls", "ending"),
    [
        (runner.PATIENCE + 100, 10, ""),
        (10, runner.PATIENCE + 100, f"no end within {runner.PATIENCE} s"),
        (runner.START + 100, 10, f"no first call within {runner.START} s"),
    ],
)
def test_patience_counts_from_the_first_call(tmp_path, monkeypatch, imports, calls, ending):
    now = [0.0]

    class Child:
        """Imports, makes its calls, and ends well, each after so many seconds."""

        returncode = 0

        def __init__(self, *_, **__):
            pass

        def poll(self):
            journal = tmp_path / "journal"
            if now[0] >= imports and not journal.read_bytes():
                runner.Journal(journal).begin()
            return 0 if now[0] >= imports + calls else None

        def kill(self):
            pass

        def wait(self):
            pass

    def sleep(seconds):
        now[0] += 5.0

    monkeypatch.setattr(runner.subprocess, "Popen", Child)
    clock = SimpleNamespace(monotonic=lambda: now[0], sleep=sleep)
    monkeypatch.setattr(runner, "time", clock)
    assert runner._one_child(tmp_path, [Batch("fine", 5, 0)]) == ending
