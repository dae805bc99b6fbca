"""What is expected of a damaged file that opens."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nbembed as nb
from tests.reliability import damage


def damaged(path: Path, alpha: Any) -> Path:
    """Write the file of a session whose log has another value of α; return its path."""
    session = nb.Session(np.random.default_rng(0).normal(size=(30, 3)), nb.HSSNE(random_state=0))
    session.set(alpha=1.25)
    session.step(2)
    session.wait()
    session.save(path)
    session.close()
    with zipfile.ZipFile(path) as file:
        members = {name: file.read(name) for name in file.namelist()}
    content = json.loads(members["session.json"])
    (event,) = (event for event in content["log"] if event["command"] == "set")
    event["arguments"]["alpha"] = alpha
    members["session.json"] = json.dumps(content).encode()
    with zipfile.ZipFile(path, "w") as file:
        for name, data in members.items():
            file.writestr(name, data)
    return path


def described(path: Path) -> Path:
    """Write the file of a session whose similarity was a function; return its path."""
    X = np.random.default_rng(0).normal(size=(30, 3))
    with nb.Session(X, nb.HSSNE(metric=manhattan, random_state=0)) as session:
        session.set(metric="euclidean")
        session.step(2, wait=True)
        session.save(path)
    return path


def manhattan(a: Any, b: Any) -> float:
    return float(np.abs(a - b).sum())


def test_a_parameter_that_is_only_described_keeps_the_script_from_being_written(tmp_path: Path):
    path = described(tmp_path / "file")
    assert damage._opened(path) == ("opened", "")
    session = nb.load_session(path)
    with session, pytest.raises(ValueError, match="manhattan"):
        session.to_script()


def test_a_script_that_is_refused_without_a_reason_is_a_fault(tmp_path: Path, monkeypatch):
    def refused(session: nb.Session) -> str:
        raise ValueError("no")

    path = damaged(tmp_path / "file", 1.25)
    assert damage._opened(path) == ("opened", "")
    monkeypatch.setattr(nb.Session, "to_script", refused)
    assert damage._opened(path) == ("opened", "the script is refused: no")


def test_a_script_that_leaves_out_what_is_only_described_is_a_fault(tmp_path: Path, monkeypatch):
    path = described(tmp_path / "file")
    monkeypatch.setattr(nb.Session, "to_script", lambda session: "")
    assert "only describes" in damage._opened(path)[1]
