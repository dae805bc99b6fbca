"""Docstrings name the thing in their first line."""

from __future__ import annotations

import ast
import re
from pathlib import Path

PACKAGE = Path(__file__).resolve().parents[1] / "nbembed"
#: Openings of a clause that goes around the noun.
AROUND = re.compile(r"(What|That|Whether|How far|Where)\b")
DOCUMENTED = ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef


def test_no_first_line_goes_around_the_noun() -> None:
    found, seen = [], 0
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            text = ast.get_docstring(node) if isinstance(node, DOCUMENTED) else None
            seen += text is not None
            if text and AROUND.match(text):
                found.append(f"{path.relative_to(PACKAGE)}: {text.splitlines()[0]}")
    assert seen > 1000
    assert found == []
