"""A script is made of literals: of a log, whoever wrote it, nothing is printed as it stands."""

from __future__ import annotations

import ast
import json
import re
import zipfile
from pathlib import Path

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import nbembed as nb
from nbembed.session import Session, load_session
from tests.session.fake import Fake, Other, rest
from tests.session.file.test_storage import edited, tampered
from tests.session.redone import run_script

KINDS = (Fake, Other)
CODE = "__import__('os').system('true')"
#: What a script may call beside the session's commands and the classes of this package.
CALLS = {"nb.Session", "nb.Supervision.from_dict", "np.array", "range", "float", "decode"}


def check_literals(script: str, classes: tuple[str, ...] = ("Fake", "Other")) -> None:
    """Check that a script has imports, calls of the session, and literals, and nothing else."""
    tree = ast.parse(script)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            of_session = re.fullmatch(r"session\.[a-z_]+", name)
            assert of_session or name in CALLS or name.removeprefix("nb.") in classes, name
        elif isinstance(node, ast.Attribute | ast.Name):
            text = ast.unparse(node)
            known = CALLS | {"session", "nb", "np", "X", "embedding", "nb.Supervision"}
            assert (
                re.fullmatch(r"session\.[a-z_]+", text)
                or text in known
                or (text.removeprefix("nb.") in classes)
            ), text
        else:
            allowed = (
                ast.Module, ast.Expr, ast.Import, ast.ImportFrom, ast.alias, ast.Assign,
                ast.Constant, ast.keyword, ast.List, ast.Tuple, ast.Dict, ast.UnaryOp, ast.USub,
                ast.expr_context,
            )  # fmt: skip
            assert isinstance(node, allowed), ast.dump(node)
    modules = [n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)]
    assert all(m.startswith(("nbembed.", "sklearn.", "tests.session")) for m in modules)


@pytest.fixture
def saved(start, register, tmp_path):
    """Return the path of a file whose log has a command of every kind."""
    register(Other)
    session = start()
    session.step(7)
    session.label([1, 2], "a")
    session.set(weight=2.0)
    session.snapshot("kept")
    session.step(20)
    rest(session)
    session.show_path_step(1)
    session.switch("Other")
    session.restore("kept")
    session.must_link([3, 4, 5, 6])
    session.undo()
    rest(session)
    session.save(tmp_path / "x")
    return tmp_path / "x"


def log_of(path: Path) -> list[dict]:
    with zipfile.ZipFile(path) as file:
        return json.loads(file.read("session.json"))["log"]


def places(value, path=()):
    """Yield the path of every entry below a JSON value, keys included."""
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    for key, below in entries:
        yield (*path, key)
        if isinstance(below, dict | list):
            yield from places(below, (*path, key))


def changed(log: list[dict], place: tuple, hostile) -> list[dict]:
    """Return the log with one entry replaced; a key where ``hostile`` is a function."""
    log = json.loads(json.dumps(log))
    here = log
    for key in place[:-1]:
        here = here[key]
    if callable(hostile):
        here[hostile(place[-1])] = here.pop(place[-1])
    else:
        here[place[-1]] = hostile
    return log


def test_a_log_with_code_in_any_place_is_refused_or_printed_as_a_literal(saved, tmp_path):
    log, opened = log_of(saved), 0
    check_literals(load_session(saved, methods=KINDS).to_script())
    for place in places(log):
        hostile = [CODE, [CODE], {CODE: CODE}, {"__opaque__": CODE}]
        if isinstance(place[-1], str):
            hostile.append(lambda key: f"{key}=1, x={CODE}")
        for value in hostile:
            path = tmp_path / "hostile"
            path.write_bytes(saved.read_bytes())
            tampered(path, edited(log=changed(log, place, value)))
            try:
                script = load_session(path, methods=KINDS).to_script()
            except ValueError:
                continue
            opened += 1
            check_literals(script)
            # What got through is text where text belongs: a class, a snapshot, a version.
            strings = [n.value for n in ast.walk(ast.parse(script)) if isinstance(n, ast.Constant)]
            assert script.count("__import__") == sum(
                s.count("__import__") for s in strings if isinstance(s, str)
            )
    assert opened > 3


@pytest.mark.parametrize(
    "change",
    [
        {"command": "step(1)\nimport os\nsession.undo", "arguments": {}},
        {"command": "close", "arguments": {}},
        {"command": "set", "arguments": {"weight=1)\nimport os\nsession.set(weight": 1.0}},
        {"command": "set", "arguments": {"depth": 1.0}},
        {"command": "set", "arguments": {"weight": 1.0, "__opaque__": "1"}},
        {"command": "set", "arguments": {}},
        {"command": "show_path_step", "arguments": {"index": "0)\nimport os\n(", "value": 1.0}},
        {"command": "move_to_path", "arguments": {"index": "0)\nimport os\n(", "lam": 1.0}},
        {"command": "label", "arguments": {"points": ["import os"], "class_": "a"}},
        {"command": "label", "arguments": {"points": [99], "class_": "a"}},
        {"command": "label", "arguments": {"points": [1], "class_": "a", "confidence": 7.0}},
        {"command": "undo", "arguments": {"x": 1}},
        {"command": "rest", "arguments": {"state": "import os"}},
        {"command": "switch", "arguments": {"method": "os", "parameters": {}}},
        {"command": "restore", "arguments": {"name": "never taken"}},
        {"command": "rename_class", "arguments": {"old": "no such", "new": "b"}},
    ],
    ids=lambda change: f"{change['command'][:8]}-{str(change['arguments'])[:24]}",
)
def test_an_event_that_no_session_logs_is_refused(saved, change):
    log = log_of(saved)
    log.append({"iteration": log[-1]["iteration"], **change})
    tampered(saved, edited(log=log))
    with pytest.raises(ValueError, match="cannot be loaded"):
        load_session(saved, methods=KINDS)


def test_a_log_does_not_go_back_or_beyond_its_map(saved):
    log = log_of(saved)
    last = log[-1]["iteration"]
    for iteration, match in ((last - 1, "go back"), (last + 1, "its map is at")):
        event = {"iteration": iteration, "command": "reset_optimizer", "arguments": {}}
        tampered(saved, edited(log=[*log, event]))
        with pytest.raises(ValueError, match=match):
            load_session(saved, methods=KINDS)


def test_a_version_that_is_code_is_not_printed(saved):
    log = log_of(saved)
    log[0]["arguments"]["nbembed"] = '1.0"""\nimport os\n"""'
    tampered(saved, edited(log=log))
    script = load_session(saved, methods=KINDS).to_script()
    check_literals(script)
    assert "of an unknown version" in script


def test_a_replayed_log_is_checked_alike(start):
    session = start()
    session.step(3)
    rest(session)
    log = [event.to_dict() for event in session.log]
    for command, arguments in (
        ("set", {"weight=1)\nimport os\n(x": 1}),
        ("label", {"points": [1], "class_": "a", "more": 1}),
        ("show_path_step", {"index": "import os", "value": 1.0}),
    ):
        event = {"iteration": 3, "command": command, "arguments": arguments}
        with pytest.raises(ValueError):
            Session.replay(session.X, [*log, event], methods=KINDS)


def test_a_log_of_another_number_of_points_is_refused_before_they_are_made(start):
    session = start()
    rest(session)
    log = [event.to_dict() for event in session.log]
    log[0]["arguments"]["supervision"]["__supervision__"]["n_samples"] = 10**12
    for X in (session.X, session.X.tolist()):
        with pytest.raises(ValueError, match="30 points but labels for 1000000000000"):
            Session.replay(X, log, methods=KINDS)


def test_numpy_scalars_are_printed_as_plain_numbers(X):
    prior = [np.float64(0.25), np.float32(0.75)]
    with nb.Session(
        X, nb.Mbed(n_classes=2, class_prior=prior, random_state=np.int64(0))
    ) as session:
        session.step(np.int32(2))
        session.label(np.array([1, 2]), "a", np.float64(0.5))
        session.set(lam=np.float64(1.5), rho=np.float32(0.5))
        session.step(2, wait=True)
        script = session.to_script()
        check_literals(script, ("Mbed",))
        assert "confidence=0.5" in script
        assert "class_prior=[0.25, 0.75]" in script
        assert run_script(script, X).tobytes() == session.embedding.tobytes()


def test_numbers_that_are_not_finite_are_printed(start):
    table = np.array([[np.nan, 1.0], [-np.inf, 2.0]])
    session = start(Fake(tol={"a": np.inf, "b": table, "c": np.zeros((0, 3))}, random_state=1))
    space = {"X": session.X}
    exec(compile(session.to_script(), "script", "exec"), space)
    found = space["session"].recipe.tol
    assert found["a"] == np.inf
    assert np.array_equal(found["b"], table, equal_nan=True)
    assert found["c"].shape == (0, 3)
    space["session"].close()


def test_what_cannot_be_written_is_refused_with_a_sentence(start):
    def local(a, b):
        return 0.0

    class Odd(float):
        def __repr__(self) -> str:
            return "import os"

    for value, match in (
        (lambda a, b: 0.0, "<lambda> cannot be imported by name"),
        (local, "local cannot be imported by name"),
        (object(), "a object cannot be written as source"),
        ({"a": [np.zeros(2).sum]}, "cannot be"),
    ):
        session = start(Fake(tol=value, random_state=1))
        with pytest.raises(ValueError, match=f"the script cannot be written: .*{match}"):
            session.to_script()
    assert "tol=0.5" in start(Fake(tol=Odd(0.5), random_state=1)).to_script()


def test_functions_and_classifiers_are_printed_by_their_names(start):
    session = start(Fake(metric=np.linalg.norm, random_state=1))
    assert "from numpy.linalg import norm" in session.to_script()
    classifier = make_pipeline(StandardScaler(), GaussianNB())
    script = start(Fake(tol=classifier, random_state=1)).to_script()
    check_literals(script, ("Fake", "Pipeline", "StandardScaler", "GaussianNB"))


def test_a_described_function_opens_but_is_not_printed(start, tmp_path):
    session = start()
    session.set(metric=np.subtract)
    session.undo()
    session.set(weight=2.0)  # the function is nowhere but in the log now
    session.step(3)
    rest(session)
    session.save(tmp_path / "x")
    loaded = load_session(tmp_path / "x", methods=KINDS)
    assert loaded.parameters["weight"] == 2.0
    with pytest.raises(ValueError, match="it has subtract"):
        loaded.to_script()
    with pytest.raises(ValueError, match="metric was set to subtract, which a log cannot store"):
        loaded.replayed()


def test_entries_of_the_log_cannot_be_changed(start):
    session = start(Fake(tol=GaussianNB(), random_state=1))
    points = [1, 2]
    given = session.give("label", {"points": points, "class_": "a"})
    given["points"].append(3)
    points.append(4)
    rest(session)
    before = [event.to_dict() for event in session.log]
    assert before[-1]["arguments"]["points"] == [1, 2]
    for event in session.log:
        for value in event.arguments.values():
            if isinstance(value, list):
                value.append(3)
        with pytest.raises(TypeError):
            event.arguments["points"] = [3]
    session.log[0].arguments["parameters"]["tol"].set_params(var_smoothing=1.0)
    session.log.clear()
    assert [event.to_dict() for event in session.log] == before
    assert session.replayed().supervision == session.supervision


def test_what_another_version_allowed_does_not_cost_the_file(X, tmp_path):
    path = tmp_path / "x"
    with nb.Session(X, nb.HSSNE(random_state=0)) as session:
        session.label([1], "a")
        session.step(2, wait=True)
        session.save(path)
    log = log_of(path)
    at = log[-1]["iteration"]
    log.append({"iteration": at, "command": "set", "arguments": {"theta": 0.5}})
    log.append({"iteration": at, "command": "undo", "arguments": {}})
    tampered(path, edited(log=log, nbembed="0.0.1"))
    with pytest.warns(
        UserWarning, match="written by another version and cannot be read completely"
    ):
        loaded = load_session(path)
    assert loaded.supervision.labeled.size
    assert "theta" not in loaded.to_script()


def test_a_step_as_code_does_it_again(start, register):
    register(Other)
    session, again = start(), start()
    session.label(range(12), "six", confidence=0.9)
    session.set(weight=2.0)
    session.set(weight=3.0)  # the same slider
    session.must_link([3, 5])
    session.switch("Other")
    session.set(weight=1.5)
    session.undo()
    said = [session.to_script(change.number) for change in session.changes]
    assert said[:3] == [
        "session.label(range(0, 12), 'six', confidence=0.9)",
        "session.set(weight=3.0)",
        "session.must_link([3, 5])",
    ]
    assert len(said) == 5, "with the one that was undone"
    for lines in said:
        check_literals(lines)
        exec(lines, {"session": again})
    again.undo()
    assert again.supervision == session.supervision
    assert again.parameters == session.parameters
    assert again.method_name == "Other"
    assert [str(c) for c in again.changes] == [str(c) for c in session.changes]
    for number in (0, 6):
        with pytest.raises(ValueError, match="number must be"):
            session.to_script(number)


def test_a_step_as_code_imports_what_it_needs_and_survives_in_a_file(start, tmp_path):
    session = start()
    session.supervise(nb.Supervision(30).label([1, 2], "a"))
    lines = session.to_script(1)
    assert lines.startswith("import nbembed as nb\nsession.supervise(nb.Supervision.from_dict(")
    rest(session)
    session.save(tmp_path / "x")
    with load_session(tmp_path / "x", methods=KINDS) as loaded:
        assert loaded.to_script(1) == lines
