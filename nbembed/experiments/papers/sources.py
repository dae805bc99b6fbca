"""Digests of the sources that published figures depend on: whether kept ones are of this version.

A digest covers the package's numerical sources and those of an experiment's protocol, as they are
carried out: comments, docstrings and empty lines do not count. The data are not covered.
"""

from __future__ import annotations

import ast
import hashlib
import io
import sys
import tokenize
from functools import cache, partial
from pathlib import Path
from types import FunctionType

from nbembed.experiments.papers.catalog import NAMES

PACKAGE = Path(__file__).resolve().parents[2]
#: Parts of the package on which no figure depends.
APART = {
    "__main__.py", "cli.py", "drawing", "experiments", "plots", "points", "session",
    "widget",
}  # fmt: skip
#: Where the protocols of experiments are.
PROTOCOLS = f"{__package__.rpartition('.')[0]}."


def source_digest(name: str) -> str:
    """Return a digest of the sources that the figures of an experiment depend on."""
    return digest_of(protocol_files(name))


def protocol_files(name: str) -> tuple[Path, ...]:
    """Return the files of an experiment's protocol, sorted: its own, and those it is made of.

    These are the modules of experiments whose functions stand in its namespace, and in theirs.
    """
    figures = NAMES[name].figures
    function = figures.func if isinstance(figures, partial) else figures
    found: dict[str, Path] = {}
    waiting = [function.__module__]
    while waiting:
        module = waiting.pop()
        if module in found:
            continue
        file = sys.modules[module].__file__
        assert file is not None
        found[module] = Path(file)
        waiting += [
            value.__module__
            for value in vars(sys.modules[module]).values()
            if isinstance(value, FunctionType) and value.__module__.startswith(PROTOCOLS)
        ]
    return tuple(sorted(found.values()))


@cache
def digest_of(protocol: tuple[Path, ...]) -> str:
    """Return a digest of the package's numerical sources and of these files."""
    sources = [
        path
        for path in sorted(PACKAGE.rglob("*.py"))
        if path.relative_to(PACKAGE).parts[0] not in APART
    ]
    digest = hashlib.sha256()
    for path in [*sources, *protocol]:
        digest.update(f"{path.name}\n{_statements(path)}".encode())
    return digest.hexdigest()[:16]


@cache
def _statements(path: Path) -> str:
    return statements(path.read_text(encoding="utf-8"))


def statements(source: str) -> str:
    """Return Python source without its comments, docstrings and empty lines."""
    lines: list[str | None] = [*source.splitlines()]
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = token.line[:column].rstrip() or None
    texts: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            for row in _rows(node):  # a docstring
                lines[row] = None
        elif isinstance(node, ast.Constant | ast.JoinedStr):
            texts.update(_rows(node))
    return "\n".join(
        line for row, line in enumerate(lines) if line is not None and (line or row in texts)
    )


def _rows(node: ast.expr | ast.stmt) -> range:
    return range(node.lineno - 1, node.end_lineno or node.lineno)
