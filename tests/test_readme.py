"""The README keeps its promises: its commands exist, its Python runs, names and links are real."""

from __future__ import annotations

import re
import shlex
import tomllib
from pathlib import Path

import pytest

import nbembed
from nbembed import cli, experiments

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def command(mark: str) -> str:
    """Return the one-line command in the block after ``<!-- mark -->``, as ``.ci/run`` reads it."""
    (found,) = re.findall(rf"<!-- {mark} -->\n```bash\n(.*)\n```", README)
    return str(found)


@pytest.mark.parametrize("mark", ["lab command", "test command"])
def test_commands_install_what_exists(mark):
    install, separator, run = command(mark).partition(" && ")
    assert separator
    words = shlex.split(install)
    assert words[:4] == ["python", "-m", "pip", "install"]
    (extra,) = re.findall(r"^\.\[(\w+)\]$", words[-1])
    assert extra in PROJECT["optional-dependencies"]
    assert run in ("nbembed lab", "python -m pytest -n logical")
    assert PROJECT["scripts"]["nbembed"] == "nbembed.cli:main"


@pytest.mark.slow
def test_python_blocks_run():
    blocks = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    assert blocks
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "README.md", "exec"), names)


def test_names_are_real():
    names = re.findall(r"`nb\.([\w.]+)", README)
    assert names
    for name in names:
        value: object = nbembed
        for part in name.strip(".").split("."):
            value = getattr(value, part)


def test_command_lines_are_real(capsys):
    """Every ``nbembed`` command that the README shows is one that the program knows."""
    shown = re.findall(r"^nbembed (.+?)(?: +#.*)?$", README, flags=re.MULTILINE)
    assert shown
    for line in shown:
        words = shlex.split(line)
        options = [word for word in words if word.startswith("--")]
        if words[0] == "reproduce":
            assert {*words[1:]} - {*options} <= experiments.NAMES.keys()
        with pytest.raises(SystemExit) as stopped:
            cli.main([words[0], "--help"])
        assert stopped.value.code == 0
        known = capsys.readouterr().out
        assert [option for option in options if option not in known] == []


def test_links_and_pictures_exist():
    targets = re.findall(r"\]\(([^)#]+)", README)
    local = [target for target in targets if not target.startswith("http")]
    assert any(target.endswith(".webp") for target in local)
    assert [target for target in local if not (ROOT / target).exists()] == []


def test_citation_and_changes_are_of_this_version():
    assert f"\nversion: {nbembed.__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"\n## {nbembed.__version__} " in (ROOT / "CHANGELOG.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("shown", "work", "unit"),
    [
        ("79 × scikit-learn", "t-SNE float32, dense P, one iteration, n = 2000", "× scikit-learn"),
        ("9 × openTSNE's B", "t-SNE float32, dense P, one iteration, n = 2000", "× openTSNE BH"),
        ("48 × scikit-learn", "t-SNE, complete fit of digits", "× scikit-learn"),
        (
            "15 × openTSNE at a",
            "t-SNE by default beside openTSNE, whole fit, n = 20000, 2 threads",
            "× openTSNE",
        ),
        ("8 × openTSNE's F", "t-SNE on the grid, one iteration, n = 1000000", "× openTSNE FFT"),
        ("41 ms", "slider to changed picture, n = 2000", "ms"),
        ("67 ms", "slider to changed picture, n = 2000, 95th percentile", "ms"),
    ],
)
def test_speeds_are_those_of_the_page_of_figures(shown, work, unit):
    """The first table that has the work: those on another machine follow."""
    page = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
    found = re.search(
        rf"^\| {re.escape(work)} \| \*\*([\d.]+)\*\* {unit}", page, flags=re.MULTILINE
    )
    assert found
    assert shown in README
    assert shown.startswith(f"{float(found[1]):.0f} ")


def test_no_other_speeds_are_shown():
    speed = README.partition("## Speed")[2].partition("\n## ")[0]
    assert len(re.findall(r"\d [×%]|\d m?s\b", speed)) == 7
