"""One table of commands: methods, replay, scripts and the wire follow from an entry."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

import nbembed
import nbembed.session.core.verbs as verbs
from nbembed.session import Session
from nbembed.session.core import command_effects, commands
from nbembed.session.core.arguments import POINTS, Argument
from nbembed.session.core.command_entry import Command
from nbembed.session.core.commands import COMMANDS
from tests.session.fake import Fake, rest

PACKAGE = Path(nbembed.__file__).parent


def test_every_command_is_a_method_with_its_signature_and_docs():
    for name, entry in COMMANDS.items():
        method = getattr(Session, name)
        names = [argument.name for argument in entry.arguments]
        if name == "step":
            names.append("wait")  # concerns the caller alone
        assert list(inspect.signature(method).parameters) == ["self", *names]
        assert method.__doc__.startswith(entry.summary.split(".")[0].split(";")[0][:20])
        for argument in entry.arguments:
            assert f"{argument.name} : {argument.kind.doc}" in method.__doc__


def test_the_stub_is_up_to_date():
    written = Path(verbs.__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    assert written == verbs.stub(), "run python -m nbembed.session.core.verbs"


@pytest.fixture
def scatter(monkeypatch) -> Command:
    """A new verb: one entry, and nothing else."""
    entry = Command(
        "unlabel_and_pin",
        "Take back all that was said about points and pin them.",
        (Argument("points", POINTS),),
        settings=command_effects.supervised(lambda s, a: s.forget(a["points"]).pin(a["points"])),
        undo_text=lambda now, a: f"unlabel and pin {len(a['points'])} points",
    )
    monkeypatch.setattr(commands, "COMMANDS", table := {**COMMANDS, entry.name: entry})
    for module in ("live.controller", "live.executor", "file.script", "core.verbs"):
        monkeypatch.setattr(f"nbembed.session.{module}.COMMANDS", table)
    return entry


def test_a_new_verb_is_one_entry(X, scatter):
    class Extended(Session):
        """A session made when the table has the new entry."""

    with Extended(X, Fake(random_state=0)) as session:
        session.label([0, 1, 2], "a")
        session.step(4)
        session.unlabel_and_pin([0, 1])
        session.step(4)
        rest(session)
        assert session.supervision.pinned.tolist() == [0, 1]
        assert session.undo_text == "unlabel and pin 2 points"
        assert session.log[-3].command == "unlabel_and_pin"
        assert "session.unlabel_and_pin([0, 1])" in session.to_script()
        again = session.replayed()
        assert again.embedding.tobytes() == session.embedding.tobytes()
        again.close()
        session.undo()
        assert session.supervision.pinned.size == 0
        with pytest.raises(ValueError, match="points must"):
            session.unlabel_and_pin([99])
        with pytest.raises(TypeError, match="unlabel_and_pin\\(\\)"):
            session.unlabel_and_pin()


def test_unknown_commands_are_refused(start):
    with pytest.raises(ValueError, match="command must be one of"):
        start().give("sing", {})


def names_compared(source: str) -> list[str]:
    """Return comparisons of a command's name with a word of the table."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Compare):
            continue
        sides = [node.left, *node.comparators]
        # A role is a word of its own, though some are also names of commands.
        asked = {ast.unparse(side).rpartition(".")[2] for side in sides}
        words = {n.value for side in sides for n in ast.walk(side) if isinstance(n, ast.Constant)}
        if words & COMMANDS.keys() and asked & {"command", "name", "event", "verb"}:
            found.append(ast.unparse(node))
    return found


def test_no_name_of_a_command_is_compared_outside_the_table():
    found = {}
    for room in ("session", "widget"):
        for path in sorted((PACKAGE / room).rglob("*.py")):
            compared = names_compared(path.read_text(encoding="utf-8"))
            if compared:
                found[path.relative_to(PACKAGE).as_posix()] = compared
    assert found == {}
    assert names_compared('event.command in ("undo", "redo")'), "such a comparison is seen"
