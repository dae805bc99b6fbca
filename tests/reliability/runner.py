"""Runs fuzzed calls in a child process, which may crash or hang, and reports what went wrong.

    python -m tests.reliability.runner "nb.SNE.fit" --seed 3 --calls 40

makes the calls of one entry (or of all that match the pattern) again: the same seed and number give
the same calls. With ``--shrink`` it looks for the shortest call of a fault. ``NBEMBED_FUZZ_LOG``
names a file that faults are written to as they are found.

Before each call the child writes it to a journal; if the child dies, or writes nothing for
:data:`PATIENCE` seconds, the journal names the call that did it. Patience counts from the journal's
first byte, which is written once everything is imported.
"""

from __future__ import annotations

import argparse
import fnmatch
import importlib
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
#: Seconds without a new call after which the child is taken to hang: far longer than any call
#: takes, compilation on a loaded machine included.
PATIENCE = 300
#: Seconds in which the child must have imported everything, whatever the patience with calls.
START = 600
#: Calls planned for each one wanted: some callables have fewer different calls than their share.
SPARE = 1.05
#: Bytes of the journal.
JOURNAL = 4096
#: Bytes that the child may allocate, so that a call that asks for more fails alone.
MEMORY = 12 << 30


@dataclass(frozen=True)
class Batch:
    """So many calls of one entry."""

    entry: str
    calls: int
    seed: int
    shrink: bool = False

    def command(self) -> str:
        where = f"{self.entry!r} --seed {self.seed} --calls {self.calls}"
        return f"python -m tests.reliability.runner {where} --shrink"


@dataclass(frozen=True)
class Failure:
    """A fault and the shortest call found that shows it."""

    batch: Batch
    kind: str
    place: str
    call: str
    text: str

    def __str__(self) -> str:
        head = f"{self.kind} in {self.place or '?'}\n  {self.call}"
        return f"{head}\n{self.text}\n  again: {self.batch.command()}"


# -- the child --------------------------------------------------------------------------------


class Journal:
    """A file that says which call is being made."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT)
        self.calls = 0

    def begin(self) -> None:
        """Let the parent's patience count from now."""
        os.pwrite(self._file, b" " * JOURNAL, 0)

    def write(self, batch: Batch, call: str) -> None:
        self.calls += 1
        text = f"{self.calls}\t{batch.entry}\t{call}".encode("utf-8", "backslashreplace")
        os.pwrite(self._file, text[:JOURNAL].ljust(JOURNAL), 0)


def entries() -> dict[str, Any]:
    """Return the entries of the table that the environment names."""
    name = os.environ.get("NBEMBED_FUZZ_TABLE", "tests.reliability.calls")
    table: dict[str, Any] = importlib.import_module(name).table()
    return table


def attempt(call: Any, allowed: tuple[type[Exception], ...]) -> None:
    """Make a call; raise ``Fault`` if it did what it must not."""
    from tests.reliability import promises

    values = call.values
    before = promises.fingerprint(values)
    try:
        result = call.act(**values)
    except promises.Fault:
        raise
    except Exception as error:
        promises.check_refusal(error, allowed, call.about)
    else:
        call.check(result, values)
    if promises.fingerprint(values) != before:
        raise promises.Fault("an argument was changed")


def run_batch(batch: Batch, journal: Journal) -> list[Failure]:
    """Make the calls of a batch; return the faults, each with the shortest call that shows it."""
    import hypothesis
    from hypothesis import HealthCheck, Phase

    from tests.reliability import promises

    entry = entries()[batch.entry]
    found: dict[tuple[str, str], Failure] = {}

    @hypothesis.seed(batch.seed)
    @hypothesis.settings(
        max_examples=batch.calls,
        derandomize=False,
        database=None,
        deadline=None,
        print_blob=False,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, *([Phase.shrink] if batch.shrink else [])),
        verbosity=hypothesis.Verbosity.quiet,
    )
    @hypothesis.given(entry.calls)
    def test(call: Any) -> None:
        words = repr(call)
        journal.write(batch, words)
        try:
            attempt(call, entry.allowed)
        except Exception as error:
            kind, place = str(error).partition(":")[0][:80], promises.place_of(error)
            text = "\n".join(promises.lines_of(error))
            known = found.get((kind, place))
            if known is None or len(words) < len(known.call):
                found[kind, place] = Failure(batch, kind, place, words, text)
            if batch.shrink:
                raise

    try:
        test()
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt | SystemExit):
            raise
        if not found:  # the fuzzer itself is at fault
            text = "\n".join(promises.lines_of(error))
            found["fuzzer", ""] = Failure(batch, "the fuzzer failed", "", "", text)
    return list(found.values())


def child(folder: Path) -> None:
    """Go through the plan in ``folder``; write a line of results for each batch."""
    import faulthandler
    import gc
    import resource
    import warnings

    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    warnings.simplefilter("ignore")
    warnings.filterwarnings("error", category=RuntimeWarning, module="nbembed")
    plan = [Batch(**each) for each in json.loads((folder / "plan.json").read_text())]
    entries()
    # To end an Explorer, Python goes through all objects for those that refer to it: not these.
    gc.freeze()
    journal = Journal(folder / "journal")
    journal.begin()
    # Calls may write files; a path such as "../../x" must not leave the folder.
    scratch = folder / "a" / "b" / "c"
    scratch.mkdir(parents=True, exist_ok=True)
    os.chdir(scratch)
    with open(folder / "results", "a", encoding="utf-8") as results:
        for batch in plan:
            before, began = journal.calls, time.perf_counter()
            failures = run_batch(batch, journal)
            line = {
                "calls": journal.calls - before,
                "seconds": time.perf_counter() - began,
                "failures": [asdict(failure) | {"batch": asdict(batch)} for failure in failures],
            }
            results.write(json.dumps(line) + "\n")
            results.flush()
            if "NBEMBED_FUZZ_LOG" in os.environ:
                with open(os.environ["NBEMBED_FUZZ_LOG"], "a") as log:
                    print(*failures, sep="\n\n", end="\n\n", file=log)
                    print(f"{line['seconds']:8.1f} s {line['calls']} {batch.entry}", file=log)


# -- the parent -------------------------------------------------------------------------------


@dataclass
class Report:
    """What a plan came to."""

    calls: int
    failures: list[Failure]
    seconds: dict[str, float]

    def add(self, failure: Failure) -> None:
        self.failures.append(failure)

    def __str__(self) -> str:
        return f"{self.calls} calls, {len(self.failures)} faults\n\n" + "\n\n".join(
            map(str, self.failures)
        )


def plan(n_calls: int, seed: int, chosen: Callable[[str], bool] = lambda name: True) -> list[Batch]:
    """Return batches for at least ``n_calls`` calls, by the weights of the table."""
    from tests.reliability import calls

    entries = [entry for entry in calls.table().values() if chosen(entry.name)]
    whole = sum(entry.weight for entry in entries)
    share = SPARE * n_calls / whole
    return [Batch(entry.name, math.ceil(share * entry.weight), seed) for entry in entries]


def execute(batches: Iterable[Batch]) -> Report:
    """Run batches in child processes; one that crashes or hangs costs its batch alone."""
    left = list(batches)
    report = Report(0, [], {})
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        while left:
            ending = _one_child(folder, left)
            lines = (folder / "results").read_text().splitlines()
            for batch, line in zip(left, map(json.loads, lines)):
                report.calls += line["calls"]
                report.seconds[batch.entry] = line["seconds"]
                for each in line["failures"]:
                    report.add(Failure(**(each | {"batch": batch})))
            left = left[len(lines) :]
            if ending and left:
                journal = (folder / "journal").read_bytes().decode("utf-8", "replace").strip()
                call = journal.split("\t", 2)[-1]
                report.add(Failure(left[0], ending, "", call, _tail(folder)))
                report.calls += int(journal.split("\t", 1)[0] or 0) if journal else 0
                left = left[1:]
    return report


def _one_child(folder: Path, left: list[Batch]) -> str:
    """Run a child until it ends; return how, "" if well."""
    for each in ("results", "journal"):
        (folder / each).write_bytes(b"")
    (folder / "plan.json").write_text(json.dumps([asdict(batch) for batch in left]))
    command = [sys.executable, "-m", "tests.reliability.runner", "--child", str(folder)]
    with open(folder / "errors", "wb") as errors:
        process = subprocess.Popen(
            command, cwd=ROOT, stderr=errors, stdout=errors, start_new_session=True,
            env={**os.environ, "TMPDIR": str(folder), "PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        seen, since = b"", time.monotonic()
        try:
            while process.poll() is None:
                time.sleep(0.2)
                now = (folder / "journal").read_bytes()[:200] + (folder / "results").read_bytes()[
                    -99:
                ]
                if now != seen:
                    seen, since = now, time.monotonic()
                patience, what = (PATIENCE, "end") if seen else (START, "first call")
                if time.monotonic() - since > patience:
                    return f"no {what} within {patience} s"
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
    if process.returncode == 0:
        return ""
    if process.returncode < 0:
        return f"the process crashed: {signal.Signals(-process.returncode).name}"
    return f"the process ended with status {process.returncode}"


def _tail(folder: Path) -> str:
    return "\n".join((folder / "errors").read_text(errors="replace").splitlines()[-30:])


def main() -> None:
    parser = argparse.ArgumentParser(description="Make fuzzed calls of public callables.")
    parser.add_argument("entries", nargs="?", default="*", help="name or pattern, as nb.SNE.fit")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--calls", type=int, default=100, help="of each entry")
    parser.add_argument("--total", type=int, help="of all entries, by their weights, instead")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--shrink", action="store_true", help="look for the shortest call")
    told = parser.parse_args()
    if told.child:
        child(Path(told.child))
        return
    batches = plan(told.total or 0, told.seed, lambda name: fnmatch.fnmatchcase(name, told.entries))
    if told.total is None:
        batches = [Batch(b.entry, told.calls, told.seed, told.shrink) for b in batches]
    report = execute(batches)
    print(report)
    for entry, seconds in sorted(report.seconds.items(), key=lambda item: -item[1])[:10]:
        print(f"{seconds:8.1f} s  {entry}")
    sys.exit(bool(report.failures))


if __name__ == "__main__":
    main()
