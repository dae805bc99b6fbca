"""The session and the widget know no method: recipes declare what is special about them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import get_args

from nbembed.methods.recipe import Geometry, Part
from nbembed.session.core.methods import known_methods

PACKAGE = Path(__file__).resolve().parents[1] / "nbembed"
ROOMS = ("session", "widget")
PYTHON = sorted(path for room in ROOMS for path in (PACKAGE / room).rglob("*.py"))
TYPESCRIPT = sorted((PACKAGE / "widget" / "frontend" / "src").rglob("*.ts*"))

#: Parts of the data flow and of a geometry, which any recipe has; parameters may share their names.
INTERFACE = {*get_args(Part), *(field.name for field in fields(Geometry))}


def names() -> set[str]:
    """Return the names of all registered recipes, their parameters and symbols."""
    recipes = known_methods().values()
    found = {recipe.name for recipe in recipes}
    for recipe in recipes:
        found |= {field.name for field in fields(recipe)}
        found |= {parameter.symbol for parameter in recipe.live_parameters}
    return found - INTERFACE


def strings(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and value of the string literals of a Python file, docstrings aside."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    statements = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in statements:
            yield node.lineno, str(node.value)


def test_no_python_string_names_a_method_or_a_parameter() -> None:
    forbidden = names()
    assert [
        f"{path.relative_to(PACKAGE)}:{line}: {text!r}"
        for path in PYTHON
        for line, text in strings(path)
        if text in forbidden
    ] == []


def test_no_typescript_string_names_a_method_or_a_parameter() -> None:
    forbidden, found = names(), {}
    for path in TYPESCRIPT:
        text = re.sub(r"/\*.*?\*/|//[^\n]*", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        words = {word for pair in re.findall(r'"([^"\n]*)"|`([^`\n]*)`', text) for word in pair}
        keys = {word for word in words if len(word) == 1}  # of the keyboard
        found[str(path)] = (words - keys) & forbidden
    assert {name: words for name, words in found.items() if words} == {}
