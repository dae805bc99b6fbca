"""The command line."""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import sys
import time
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

import nbembed
from nbembed import cli, experiments
from nbembed.widget.server import OPTION


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Record the commands that would be started, and start none."""
    commands: list[list[str]] = []
    monkeypatch.setattr(cli.subprocess, "call", lambda command: commands.append(command) or 0)
    monkeypatch.setattr(cli, "compiling_ahead", nullcontext)
    return commands


def test_lab_opens_the_quickstart_of_a_checkout_in_place(started, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ours = tmp_path / "notebooks" / "quickstart.ipynb"
    ours.parent.mkdir()
    ours.write_text("{}")
    assert cli.main(["lab"]) == 0
    assert started[0][1:3] == ["-m", "jupyterlab"]
    assert str(ours) in started[0]
    assert not (tmp_path / "quickstart.ipynb").exists()


def test_lab_copies_the_quickstart_elsewhere_and_never_overwrites_it(
    started, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    cli.main(["lab"])
    copy = tmp_path / "quickstart.ipynb"
    assert "nbembed" in copy.read_text(encoding="utf-8")
    copy.write_text("mine", encoding="utf-8")
    cli.main(["lab"])
    assert copy.read_text(encoding="utf-8") == "mine"
    assert all(str(copy) in command for command in started)


def test_lab_hands_its_options_to_jupyterlab(started, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    cli.main(["lab", "--no-browser", "--port", "8901"])
    assert started[0][3:7] == [OPTION, "--no-browser", "--port", "8901"]


def test_lab_opens_a_named_notebook_and_refuses_a_missing_one(
    started, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.ipynb").write_text("{}")
    assert cli.main(["lab", "mine.ipynb"]) == 0
    assert "mine.ipynb" in started[0]
    assert not (tmp_path / "quickstart.ipynb").exists()
    assert cli.main(["lab", "other.ipynb"]) == 2
    assert "other.ipynb" in capsys.readouterr().err
    assert len(started) == 1


@pytest.mark.parametrize(("user", "allowed"), [(0, True), (1000, False)])
def test_lab_allows_root_only_to_root(started, tmp_path, monkeypatch, user, allowed):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(cli.os, "geteuid", lambda: user, raising=False)
    cli.main(["lab"])
    assert ("--allow-root" in started[0]) is allowed


@pytest.mark.slow
def test_the_default_method_is_compiled_beside_jupyterlab(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "compiled"))
    beside: list[subprocess.Popen[bytes]] = []
    start, compiled = subprocess.Popen, (tmp_path / "compiled").rglob

    def jupyterlab(command: list[str]) -> int:
        assert command[2] == "jupyterlab"
        # A process of low priority has no time limit: it compiles, or it has ended without.
        while beside[0].poll() is None and not any(compiled("heavy_tailed.student-*.nbc")):
            time.sleep(0.1)
        assert any(compiled("heavy_tailed.student-*.nbc"))
        return 7

    monkeypatch.setattr(
        cli.subprocess,
        "Popen",
        lambda *a, **options: beside.append(start(*a, **options)) or beside[-1],
    )
    monkeypatch.setattr(cli.subprocess, "call", jupyterlab)
    assert cli.main(["lab"]) == 7
    assert beside[0].returncode is not None, "it is given up when JupyterLab ends"


def test_lab_opens_where_nothing_can_be_compiled_beside_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def refused(command: list[str], **options: object) -> None:
        raise OSError("no more processes")

    monkeypatch.setattr(cli.subprocess, "call", lambda command: 0)
    monkeypatch.setattr(cli.subprocess, "Popen", refused)
    assert cli.main(["lab"]) == 0


def test_lab_says_what_to_install(started, monkeypatch, capsys):
    monkeypatch.setattr(cli.importlib.util, "find_spec", lambda name: None)
    assert cli.main(["lab"]) == 2
    assert 'pip install "nbembed[lab]"' in capsys.readouterr().err
    assert started == []


def test_reproduce_lists_runs_and_returns_the_worst_status(monkeypatch, capsys, tmp_path):
    asked: list[tuple[str, Path | None]] = []
    jobs: list[int | None] = []

    def run(name: str, data: Path | None, n_jobs: int | None) -> int:
        asked.append((name, data))
        jobs.append(n_jobs)
        return 1 if name == "bad" else 0

    names = {
        name: SimpleNamespace(summary=f"about {name}", short=name != "last")
        for name in ("good", "bad", "last")
    }
    monkeypatch.setattr(experiments, "NAMES", names)
    monkeypatch.setattr(experiments, "run", run)
    assert cli.main(["reproduce"]) == 0
    assert "about bad" in capsys.readouterr().out
    assert cli.main(["reproduce", "good", "bad", "last", "--data", str(tmp_path)]) == 1
    assert asked == [("good", tmp_path), ("bad", tmp_path), ("last", tmp_path)]
    assert cli.main(["reproduce", "good"]) == 0
    assert set(jobs) == {None}
    assert cli.main(["reproduce", "good", "--jobs", "-1"]) == 0
    assert jobs[-1] == -1
    assert cli.main(["reproduce", "good", "--jobs", "0"]) == 2
    assert "--jobs must not be 0" in capsys.readouterr().err
    asked.clear()
    assert cli.main(["reproduce", "--short"]) == 1
    assert asked == [("good", None), ("bad", None)]
    assert cli.main(["reproduce", "no-such"]) == 2
    assert "no-such" in capsys.readouterr().err
    assert cli.main(["reproduce", "good", "--data", str(tmp_path / "absent")]) == 2


def test_info_tells_versions_cores_and_the_bundle(capsys):
    assert cli.main(["info"]) == 0
    out = capsys.readouterr().out
    for word in (nbembed.__version__, "numba", "cores", "compiled code", "front end"):
        assert word in out


def test_info_names_the_cache_that_is_used(tmp_path):
    done = subprocess.run(
        [sys.executable, "-m", "nbembed", "info"],
        env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)},
        cwd=Path(nbembed.__file__).parents[1],
        capture_output=True,
        text=True,
        check=True,
    )
    expected = rf"^compiled code +{re.escape(str(tmp_path))}.* \(0 functions\)$"
    assert re.search(expected, done.stdout, re.MULTILINE)


def test_info_where_numba_may_write_nowhere(capsys, monkeypatch):
    monkeypatch.setattr("nbembed.kernels.codegen.numba_adapter.cache_folder", lambda _: None)
    assert cli.main(["info"]) == 0
    assert "not cached: Numba found no writable folder" in capsys.readouterr().out


def test_unknown_options_are_refused_outside_lab(capsys):
    with pytest.raises(SystemExit) as stopped:
        cli.main(["info", "--no-browser"])
    assert stopped.value.code == 2
    assert "--no-browser" in capsys.readouterr().err


def test_the_command_is_installed():
    """The entry point named in pyproject.toml answers."""
    command = shutil.which("nbembed", path=str(Path(sys.executable).parent))
    assert command is not None, 'install the package first: pip install -e ".[test]"'
    done = subprocess.run([command, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"nbembed {nbembed.__version__}"


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
def test_any_encoding_can_be_written(encoding, monkeypatch):
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding=encoding))
    monkeypatch.setattr(cli, "list_papers", lambda: print("α ≤ 1 — 漢") or 0)
    assert cli.main(["reproduce", "--list"]) == 0
    assert b"1" in written.getvalue()


def test_a_reader_that_goes_ends_a_command_quietly():
    run = """
import sys
from nbembed import cli
cli.list_papers = lambda: [print("x" * 1000) for _ in range(1000)] and 0
sys.exit(cli.main(["reproduce", "--list"]))
"""
    process = subprocess.Popen(
        [sys.executable, "-c", run], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == cli.PIPE_CLOSED
