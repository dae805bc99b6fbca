"""Finding a browser: what counts as one, what is tried, and what a person is told."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.browser import chromium as finder


@pytest.fixture
def bare_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Return the only directory of the PATH of a machine without any browser."""
    monkeypatch.delenv(finder.VARIABLE, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(finder, "playwrights_own", lambda: None)
    return tmp_path


def program(path: Path, says: str, status: int = 0) -> Path:
    """Write a program that prints one line, whatever it is asked."""
    path.write_text(f"#!{sys.executable}\nprint({says!r})\nraise SystemExit({status})\n")
    path.chmod(0o755)
    return path


def test_a_browser_is_what_tells_its_version(tmp_path):
    assert finder.starts(program(tmp_path / "a", "Chromium 150.0 built on Debian"))
    assert finder.starts(program(tmp_path / "b", "Google Chrome 150.0"))
    assert not finder.starts(program(tmp_path / "c", "Chromium is not here; install the snap", 1))
    assert not finder.starts(program(tmp_path / "d", "something else"))
    assert not finder.starts(tmp_path / "absent")


def test_the_variable_comes_first(bare_machine, monkeypatch):
    program(bare_machine / "chromium", "Chromium 1")
    mine = program(bare_machine / "mine", "Chromium 2")
    monkeypatch.setenv(finder.VARIABLE, str(mine))
    assert finder.chromium() == mine


def test_a_wrong_variable_is_no_reason_to_look_elsewhere(bare_machine, monkeypatch):
    program(bare_machine / "chromium", "Chromium 1")
    monkeypatch.setenv(finder.VARIABLE, str(bare_machine / "absent"))
    with pytest.raises(finder.NoChromium, match="absent does not start"):
        finder.chromium()


def test_the_path_is_searched_and_stubs_are_passed_over(bare_machine):
    program(bare_machine / "chromium", "install the snap", 1)
    real = program(bare_machine / "google-chrome", "Google Chrome 150")
    assert finder.chromium() == real


def test_a_missing_browser_is_installed(bare_machine, monkeypatch):
    asked: list[list[str]] = []

    def run(command: list[str]) -> str:
        asked.append(command)
        if len(asked) == 2:  # the first installer brings nothing
            program(bare_machine / "chromium", "Chromium 150")
        return "done"

    monkeypatch.setattr(finder, "installers", lambda: iter([["one"], ["two"], ["three"]]))
    monkeypatch.setattr(finder, "run", run)
    assert finder.chromium() == bare_machine / "chromium"
    assert asked == [["one"], ["two"]]


def test_without_any_the_message_says_what_to_do(bare_machine, monkeypatch):
    broken = program(bare_machine / "installer", "no network", 3)
    monkeypatch.setattr(finder, "installers", lambda: iter([[str(broken)], ["no-such-program"]]))
    with pytest.raises(finder.NoChromium) as stopped:
        finder.chromium()
    message = str(stopped.value)
    for words in (finder.VARIABLE, "playwright install", '-m "not browser"', "exit status 3"):
        assert words in message
    assert "no network" in message
    assert "no-such-program" in message


def test_only_root_may_use_the_package_manager(monkeypatch):
    monkeypatch.setattr(finder.shutil, "which", lambda name: f"/usr/bin/{name}")
    monkeypatch.setattr(finder.os, "geteuid", lambda: 1000, raising=False)
    assert ["apt-get", "update"] not in list(finder.installers())
    monkeypatch.setattr(finder.os, "geteuid", lambda: 0, raising=False)
    assert ["apt-get", "update"] in list(finder.installers())
