"""Damaged files: opening one raises ValueError, or gives a session that works.

The files are opened in a process of its own: a crash, or more memory than a small file can need,
is then seen as such. The case of each line on its stdout is the number from which, with the epoch's
seed, its damage is drawn.
"""

from __future__ import annotations

import ast
import contextlib
import json
import sys
import tempfile
from pathlib import Path

import numpy as np

from nbembed.session import Session, load_session
from nbembed.session.core.serialization import description
from tests.reliability.child import start_child
from tests.reliability.drawing import Rng
from tests.reliability.mutations import mutate
from tests.reliability.outcome import Outcome
from tests.reliability.resources import GUARD
from tests.reliability.steering import REFUSALS, give, new_session

#: Damaged files of an epoch.
FILES = 40
#: Address space, in bytes, that opening small files may take in addition.
ALLOWANCE = 2 * 2**30
#: Growth of the largest resident memory, in MiB, that opening one small file may cause.
GROWTH = 48


def damage(rng: Rng, folder: Path, files: int = FILES) -> Outcome:
    """Open damaged copies of a session's file in a process of its own."""
    outcome = Outcome()
    path = folder / "to damage"
    with new_session(rng) as session:
        give(session, int(rng.integers(2**32)), 20, Outcome())
        session.pause()
        with contextlib.suppress(RuntimeError):  # of a map that failed
            session.step(5)
        session.wait(timeout=GUARD)
        session.save(path)
    seed = int(rng.integers(2**32))
    first = 0
    while first < files:
        first = _one_process(path, seed, first, files, outcome)
    return outcome


def _one_process(path: Path, seed: int, first: int, files: int, outcome: Outcome) -> int:
    """Open the damaged files from ``first`` on; return the case after the last one begun."""
    child = start_child(__name__, str(path), str(seed), str(first), str(files))
    assert child.stdout is not None
    case, what = first - 1, "started"
    for line in child.stdout:
        news = json.loads(line)
        if "begun" in news:
            case, what = news["begun"], news["what"]
            outcome.counts["damaged files"] += 1
            continue
        outcome.counts[f"damaged files {news['outcome']}"] += 1
        outcome.expect(not news["failure"], f"file {case} ({what}): {news['failure']}")
    status = child.wait()
    if case < first:
        outcome.failures.append(f"the undamaged file did not open; exit status {status}")
        return files
    if status:
        outcome.failures.append(f"file {case} ({what}): the process ended with status {status}")
        return case + 1
    return files


# -- in the process of its own ------------------------------------------------------------------


def open_damaged(original: bytes, seed: int, first: int, last: int) -> None:
    """Open damaged files; print what was done and what came of it, a line of JSON each."""
    with tempfile.TemporaryDirectory() as folder:
        for case in range(first, last):
            what, raw = mutate(np.random.default_rng([seed, case]), original)
            print(json.dumps({"begun": case, "what": what}), flush=True)
            path = Path(folder) / "damaged"
            path.write_bytes(raw)
            before = _peak_memory()
            outcome, failure = _opened(path)
            grown = _peak_memory() - before
            if grown > GROWTH + 4 * (len(raw) >> 20):
                failure = failure or f"memory grew by {grown} MiB for {len(raw) >> 10} KiB"
            print(json.dumps({"outcome": outcome, "failure": failure}), flush=True)


def _opened(path: Path) -> tuple[str, str]:
    """Return "refused" or "opened", and what was not as promised."""
    try:
        session = load_session(path)
    except ValueError:
        return "refused", ""
    except BaseException as error:
        return "refused", f"load_session raised {error!r}"
    try:
        with session:
            return "opened", _used(session, path.with_name("saved again"))
    except Exception as error:
        return "opened", f"the session raised {error!r}"


def _used(session: Session, path: Path) -> str:
    """Use a session that came from a damaged file; return what was not as promised."""
    while session.can_undo:
        session.undo()
    while session.can_redo:
        session.redo()
    for name in session.snapshots:
        with contextlib.suppress(*REFUSALS):
            session.restore(name)
    with contextlib.suppress(*REFUSALS):
        session.step(2)
    session.label([0], "after the damage")
    if not session.wait(timeout=GUARD):
        return f"{session!r} does not come to rest"
    if not np.isfinite(session.embedding).all():
        return "the map has coordinates that are not finite"
    _ = (session.frame(), session.membership, session.path, session.trace, session.parameters)
    if fault := _script_fault(session):
        return fault
    session.save(path)
    load_session(path).close()
    return ""


def _script_fault(session: Session) -> str:
    """Return what is wrong with a session's script, "" if nothing.

    It is refused if, and only if, the log describes a value without having it, as it does a user's
    function: a file may say so of any parameter.
    """
    described = any(description(dict(event.arguments)) for event in session.log)
    try:
        foreign = _foreign_code(session.to_script())
    except ValueError as error:
        return "" if described else f"the script is refused: {error}"
    if described:
        return "the script is written without a value that the log only describes"
    return f"the script runs {foreign}" if foreign else ""


def _foreign_code(script: str) -> str:
    """Return a name in a script that only the text of a file can have brought there."""
    names = (node.id for node in ast.walk(ast.parse(script)) if isinstance(node, ast.Name))
    return next((name for name in names if name.startswith("__")), "")


def _peak_memory() -> int:
    """Return the largest resident memory so far in MiB; 0 where it cannot be read."""
    try:
        import resource
    except ImportError:
        return 0
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak >> 20 if sys.platform == "darwin" else peak >> 10


def _limit_memory() -> None:
    """Let allocations fail that are out of all proportion, rather than the machine."""
    status = Path("/proc/self/status")
    if not status.exists():
        return
    import resource

    lines = (line.split() for line in status.read_text(encoding="ascii").splitlines())
    now = next(int(words[1]) * 1024 for words in lines if words[:1] == ["VmSize:"])
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (now + ALLOWANCE, hard))


def main(path: str, seed: str, first: str, last: str) -> None:
    """Open damaged copies of a file, within a limit of memory."""
    load_session(path).close()  # what loading needs once is loaded before memory counts
    _limit_memory()
    open_damaged(Path(path).read_bytes(), int(seed), int(first), int(last))
