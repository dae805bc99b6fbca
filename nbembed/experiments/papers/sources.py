"""Digests of the sources and settings of experiments: whether kept figures are of this version.

That of the sources covers the package's numerical sources and those of an experiment's protocol, as
they are carried out: comments, docstrings and empty lines do not count. The data are not covered.
Nearly every change of the package changes it; it tells what a full run may keep.

That of the settings covers the values that an experiment is declared by, such as folds, grids and
published numbers, and no code: kept figures of other settings are of another protocol.
"""

from __future__ import annotations

import ast
import hashlib
import io
import sys
import tokenize
from collections.abc import Iterator, Mapping, Set
from dataclasses import fields, is_dataclass
from functools import cache, partial
from inspect import signature
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from nbembed.experiments.papers.catalog import NAMES

PACKAGE = Path(__file__).resolve().parents[2]
#: Parts of the package on which no figure depends.
APART = {
    "__main__.py", "cli.py", "drawing", "experiments", "plots", "points", "session",
    "widget",
}  # fmt: skip
#: Where the experiments of this package are, and where all are.
PAPERS = f"{__package__}."
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


# -- settings ------------------------------------------------------------------------------------


def settings_digest(name: str) -> str:
    """Return a digest of the settings that the figures of an experiment depend on."""
    lines = [name, *(f"{key} = {value}" for key, value in settings(NAMES[name].figures))]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def settings(figures: Any) -> list[tuple[str, str]]:
    """Return the values that an experiment's functions are bound to or read, by name, sorted.

    These are constants of the modules of experiments, arguments that a function was made with, and
    defaults other than None; of an object from elsewhere its type and its parameters, if any.
    """
    reader = _SettingsReader()
    form = reader.text(figures)
    return sorted({*reader.found, ("figures", form)})


class _SettingsReader:
    """A walk through functions of experiments and all that they call there."""

    def __init__(self) -> None:
        self.found: set[tuple[str, str]] = set()
        self._entered: set[Any] = set()

    def text(self, value: Any) -> str:
        """Return a value as text, the same in each process; functions in it are entered."""
        if isinstance(value, FunctionType | type):
            self._enter(value)
            return value.__name__
        if isinstance(value, partial):
            return self.text([value.func, value.args, value.keywords])
        if isinstance(value, np.ndarray | np.generic):
            return self.text(value.tolist())
        if isinstance(value, Mapping):
            parts = (f"{self.text(key)}: {self.text(of)}" for key, of in value.items())
            return f"{{{', '.join(sorted(parts))}}}"
        if isinstance(value, Set):
            return f"{{{', '.join(sorted(map(self.text, value)))}}}"
        if isinstance(value, list | tuple):
            return f"({', '.join(map(self.text, value))})"
        if is_dataclass(value):
            return self._object(value, {f.name: getattr(value, f.name) for f in fields(value)})
        if hasattr(value, "get_params"):
            return self._object(value, value.get_params(deep=False))
        if value is None or isinstance(value, str | bytes | bool | int | float | range):
            return repr(value)
        return type(value).__name__

    def _object(self, value: Any, parts: Mapping[str, Any]) -> str:
        return self.text(type(value)) + self.text(parts)

    def _enter(self, value: Any) -> None:
        """Read the settings of a function, or of the methods of a class, of an experiment."""
        if value in self._entered or not value.__module__.startswith(PAPERS):
            return
        self._entered.add(value)
        if isinstance(value, type):
            for name, part in vars(value).items():
                if not name.startswith("__"):
                    self.text(part)
            return
        names = {name for code in _codes(value.__code__) for name in code.co_names}
        self._read(value.__globals__, names)
        cells = (cell.cell_contents for cell in value.__closure__ or ())
        bound = dict(zip(value.__code__.co_freevars, cells))
        for parameter in signature(value).parameters.values():
            if parameter.default is not None and parameter.default is not parameter.empty:
                bound[parameter.name] = parameter.default
        for name, of in bound.items():
            self.found.add((name, self.text(of)))

    def _read(self, namespace: Mapping[str, Any], names: Set[str]) -> None:
        for name in names & namespace.keys():
            of = namespace[name]
            if isinstance(of, FunctionType | type):
                self._enter(of)
            elif isinstance(of, ModuleType):
                if of.__name__.startswith(PAPERS):
                    self._read(vars(of), names)
            elif name.isupper():
                self.found.add((name, self.text(of)))


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Yield a function's code and that of the functions within it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)
