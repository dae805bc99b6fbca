"""Print a session's log as a Python script that does the same steering again.

The script uses the public face alone. Playing and pausing become the number of iterations they
came to, so the script ends at the same bits on the same machine and versions.

A log may come from somebody else's file, so nothing of it is printed as it stands. Commands are
those of the table, keywords are names of parameters, and :meth:`ScriptWriter.value` prints every
value: a literal of Python's plain types, or a call of a class of this package or of scikit-learn
with such literals. A function is printed as the name to import it by; one without is refused.
"""

from __future__ import annotations

import dataclasses
import inspect
import keyword
import math
import re
import sys
from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np

from nbembed.methods.registry import estimator_of
from nbembed.session.core.arguments import POINTS
from nbembed.session.core.commands import COMMANDS, MOTION, has_flag
from nbembed.session.core.estimators import fitted_attributes, is_estimator, path_of
from nbembed.session.core.events import Event
from nbembed.session.core.history import Step
from nbembed.session.core.serialization import encode, is_opaque, is_optimizer, same
from nbembed.session.file import checkpoint
from nbembed.supervision import Supervision

#: How a script imports this package.
PACKAGE = "import nbembed as nb"
#: What a version is written with.
_VERSION = re.compile(r"[0-9A-Za-z.+!_-]{1,64}")


def script(X: Any, log: list[Event], iteration: int, methods: Mapping[str, type[Any]]) -> str:
    """Return the script.

    ``X`` is used for its shape alone; ``iteration`` is that of the session now, and ``methods``
    are the session's by name. Raises ValueError if a value cannot be written as source, such as a
    lambda.
    """
    try:
        return _script(X, log, iteration, ScriptWriter(methods))
    except ValueError as error:
        raise ValueError(f"the script cannot be written: {error}") from error


def _script(X: Any, log: list[Event], iteration: int, writer: ScriptWriter) -> str:
    start = log[0].arguments
    body = [writer.start(start)]
    if any(has_flag(e.command, "learns") for e in log) or _may_learn(log, writer):
        body.append("session.auto_learn = False  # but at the very iterations below")
    done = 0
    for event in log[1:]:
        if event.iteration > done:
            body.append(f"session.step({event.iteration - done})")
            done = event.iteration
        body += writer.lines(event)
        if has_flag(event.command, "restarts"):
            done = 0
    if iteration > done:
        body.append(f"session.step({iteration - done})")
    stepped = any(line.startswith("session.step(") for line in body)
    # A step that a pause dropped is not in the log, but the pause is.
    if not stepped and any(event.command in MOTION for event in log):
        # It rests at its start, which an idle session does not prepare.
        body += ["session.step()", "session.reset()"]
    body += ["session.wait()", "session.check()", "embedding = session.embedding"]
    shape = " × ".join(map(str, X.shape))
    by = start["nbembed"] if _VERSION.fullmatch(start["nbembed"]) else "of an unknown version"
    doc = (
        f'"""Steer an embedding again (written by nbembed {by}).\n\n'
        f"Needs the data as X, {shape}, as they are embedded; ends with the layout as embedding.\n"
        '"""'
    )
    return "\n".join([doc, "", *writer.imports(), "", *body, ""])


def script_of_step(step: Step, methods: Mapping[str, type[Any]]) -> str:
    """Return the lines that do a step of the history again, with the imports that they need.

    Raises ValueError if a value cannot be written as source.
    """
    assert step.command is not None  # every step of a session is a command's
    writer = ScriptWriter(methods)
    lines = writer.lines(Event(0, *step.command))
    source = "\n".join(lines)
    imports = [line for line in writer.imports() if line and (line != PACKAGE or "nb." in source)]
    return "\n".join([*imports, source])


def _may_learn(log: list[Event], writer: ScriptWriter) -> bool:
    """Return whether a method that the log uses learns from labels, or was set so that it does."""
    used = [
        writer.recipe(e.arguments["method"], e.arguments["parameters"])
        for e in log
        if {"method", "parameters"} <= e.arguments.keys()
    ]
    changes = [e.arguments for e in log if e.command in COMMANDS and COMMANDS[e.command].keywords]
    objects = [c for c in changes if not all(isinstance(v, Real) for v in c.values())]
    return any(recipe.learns_from_labels for recipe in used) or any(
        recipe.replace(**given).learns_from_labels
        for given in objects  # no number makes a method learn
        for recipe in used
        if given.keys() <= recipe.parameters.keys()
    )


class ScriptWriter:
    """Writes values and commands as source, and remembers what has to be imported."""

    def __init__(self, methods: Mapping[str, type[Any]]) -> None:
        self._methods = methods
        self._names: set[tuple[str, str]] = set()
        self._numpy = False

    def imports(self) -> list[str]:
        """Return the import lines that the sources written so far need."""
        lines = ["import numpy as np", ""] if self._numpy else []
        own = [f"from {module} import {name}" for module, name in sorted(self._names)]
        return [*lines, PACKAGE, *own]

    def start(self, arguments: Mapping[str, Any]) -> str:
        """Return the line that makes the session."""
        method = self.method(arguments["method"], arguments["parameters"])
        supervision: Supervision = arguments["supervision"]
        if supervision == Supervision(supervision.n_samples):
            return f"session = nb.Session(X, {method})"
        known = self.value(supervision)
        return f"session = nb.Session(X, {method}, supervision={known})"

    def recipe(self, name: str, parameters: Mapping[str, Any]) -> Any:
        """Return a method with these parameters."""
        return self._methods[name](**parameters)

    def method(self, name: str, parameters: Mapping[str, Any]) -> str:
        """Return the source of a method with these parameters."""
        recipe = self.recipe(name, parameters)
        kind = estimator_of(type(recipe)) or type(recipe)
        return self._call(kind, recipe.parameters)

    def lines(self, event: Event) -> list[str]:
        """Return the lines that do again what an event says."""
        command, a = event.command, event.arguments
        if command == checkpoint.COMMAND:
            return []  # only says outright where the log has led
        if command == "rest":
            if a["state"] != "failed":
                return []
            # After an error the optimizer went on with an empty memory. An error drops the steps
            # that were given before it was known: the script waits, so that it drops none.
            return ["session.wait()", "session.reset_optimizer()"]
        entry = COMMANDS[command]
        if entry.script is not None:
            return entry.script(self, a)
        if entry.keywords:
            said = [f"{_keyword(name)}={self.value(value)}" for name, value in a.items()]
            return [f"session.{command}({', '.join(said)})"]
        said = []
        for argument in entry.arguments:
            value = a[argument.name]
            if not argument.required and same(value, argument.default):
                continue
            source = self._points(value) if argument.kind is POINTS else self.value(value)
            said.append(source if argument.required else f"{argument.name}={source}")
        return [f"session.{command}({', '.join(said)})"]

    def value(self, value: Any) -> str:
        """Return the source of a value; raise ValueError if it has none."""
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or isinstance(value, bool):
            return repr(value)
        # A subclass may print itself as it likes.
        if isinstance(value, int):
            return int.__repr__(value)
        if isinstance(value, float):
            return float.__repr__(value) if math.isfinite(value) else f"float('{float(value)!r}')"
        if isinstance(value, str):
            return str.__repr__(value)
        if is_opaque(value):
            raise ValueError(f"it has {value['__opaque__']}, of which the log stores only the name")
        if isinstance(value, Supervision):
            return f"nb.Supervision.from_dict({self.value(value.to_dict())})"
        if isinstance(value, np.ndarray):
            return self._array(value)
        if isinstance(value, list):
            return f"[{', '.join(map(self.value, value))}]"
        if isinstance(value, Mapping):
            said = (f"{self.value(k)}: {self.value(v)}" for k, v in value.items())
            return f"{{{', '.join(said)}}}"
        if isinstance(value, tuple):
            return f"({''.join(f'{self.value(v)}, ' for v in value).rstrip()})" if value else "()"
        if is_estimator(value):
            return self.estimator(value)
        if is_optimizer(type(value)):
            fields = [f.name for f in dataclasses.fields(value) if f.init]
            said = (f"{name}={self.value(getattr(value, name))}" for name in fields)
            return f"{self._name(type(value))}({', '.join(said)})"
        if callable(value) and hasattr(value, "__qualname__"):
            return self._name(value)
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            fields = [f.name for f in dataclasses.fields(value) if f.init]
            return self._call(type(value), {name: getattr(value, name) for name in fields})
        raise ValueError(f"a {type(value).__name__} cannot be written as source")

    def estimator(self, value: Any) -> str:
        """Return the source of an estimator among the parameters."""
        if fitted_attributes(value):
            self._names.add(("nbembed.session.core.serialization", "decode"))
            try:
                return f"decode({self.value(encode(value))})"
            except TypeError as error:
                raise ValueError(str(error)) from error
        return self._call(type(value), value.get_params(deep=False))

    def _array(self, array: np.ndarray[Any, Any]) -> str:
        if array.dtype.kind not in "biufU":
            raise ValueError(f"an array of {array.dtype} cannot be written as source")
        self._numpy = True
        made = f"np.array({self.value(array.tolist())}, dtype={array.dtype.str!r})"
        return made if array.size else f"{made}.reshape({self.value(array.shape)})"

    def _points(self, points: list[int]) -> str:
        """Return a list of points as source, a run of neighbors as its range."""
        if len(points) > 3 and points == list(range(points[0], points[-1] + 1)):
            return f"range({self.value(points[0])}, {self.value(points[-1] + 1)})"
        return self.value(points)

    def _call(self, kind: type[Any], parameters: Mapping[str, Any]) -> str:
        """Return the source of a constructor's call, without what are the defaults anyway."""
        usual = signature_defaults(kind)
        said = [
            f"{_keyword(k)}={self.value(v)}"
            for k, v in parameters.items()
            if k not in usual or not same(v, usual[k])
        ]
        return f"{self._name(kind)}({', '.join(said)})"

    def _name(self, thing: Any) -> str:
        """Return the name of a class or function, and note where it is imported from."""
        name, module = thing.__qualname__, getattr(thing, "__module__", None)
        if not (isinstance(module, str) and _importable(thing, module, name)):
            raise ValueError(
                f"{name} cannot be imported by name; define it at the top of a module, outside "
                f"other functions"
            )
        if module.startswith("nbembed.") and name in vars(sys.modules["nbembed"]).get(
            "__all__", ()
        ):
            return f"nb.{name}"
        if module.startswith("sklearn."):
            module = path_of(thing).rpartition(".")[0]
        self._names.add((module, name))
        return str(name)


def _importable(thing: Any, module: str, name: str) -> bool:
    """Return whether ``from module import name`` gives the thing; a notebook's names count."""
    if not name.isidentifier() or not all(part.isidentifier() for part in module.split(".")):
        return False
    return module == "__main__" or vars(sys.modules.get(module, sys)).get(name) is thing


def _keyword(name: str) -> str:
    """Return the name of a parameter, or raise if it is no name."""
    if not name.isidentifier() or keyword.iskeyword(name):
        raise ValueError(f"{name!r} is not the name of a parameter")
    return name


def signature_defaults(kind: type[Any]) -> dict[str, Any]:
    """Return the defaults written in the constructor's signature."""
    parameters = inspect.signature(kind).parameters.values()
    return {p.name: p.default for p in parameters if p.default is not p.empty}
