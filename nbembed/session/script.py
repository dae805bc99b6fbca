"""Print a session's log as a Python script that does the same steering again.

The script uses the public face alone. Playing and pausing become the number of iterations they
came to, so the script ends at the same bits on the same machine and versions.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from nbembed.methods.registry import estimator_of
from nbembed.session.arguments import POINTS
from nbembed.session.commands import COMMANDS
from nbembed.session.events import Event
from nbembed.session.serialization import (
    encode,
    fitted_attributes,
    is_estimator,
    path_of,
    same,
)
from nbembed.supervision import Supervision


def script(X: Any, log: list[Event], iteration: int, methods: Mapping[str, type[Any]]) -> str:
    """Return the script.

    Parameters
    ----------
    X : array of shape (n_samples, n_features)
        For its shape alone.
    log : list of Event
    iteration : int
        How far the session has come since the last event.
    methods : mapping of str to type
        The session's methods by name.
    """
    writer = ScriptWriter(methods)
    start = log[0].arguments
    body = [writer.start(start)]
    used = [
        writer.recipe(e.arguments["method"], e.arguments["parameters"])
        for e in log
        if e.command in ("start", "switch")
    ]
    learned = any(e.command == "learn" for e in log)  # the method may have begun to learn later
    if learned or any(recipe.learns_from_labels for recipe in used):
        body.append("session.auto_learn = False  # but at the very iterations below")
    done = 0
    for event in log[1:]:
        if event.iteration > done:
            body.append(f"session.step({event.iteration - done})")
            done = event.iteration
        body += writer.lines(event)
        if event.command == "reset":
            done = 0
    if iteration > done:
        body.append(f"session.step({iteration - done})")
    stepped = any(line.startswith("session.step(") for line in body)
    if not stepped and any(event.command in ("play", "step") for event in log):
        # It rests at its start, which an idle session does not prepare.
        body += ["session.step()", "session.reset()"]
    body += ["session.wait()", "session.check()", "embedding = session.embedding"]
    shape = " × ".join(map(str, X.shape))
    doc = (
        f'"""Steer an embedding again (written by nbembed {start["nbembed"]}).\n\n'
        f'Needs the data as X, {shape}; ends with the layout as embedding.\n"""'
    )
    return "\n".join([doc, "", *writer.imports(), "", *body, ""])


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
        return [*lines, "import nbembed as nb", *own]

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
        kind = self._methods[name]
        return kind(**kind.upgraded(parameters))

    def method(self, name: str, parameters: Mapping[str, Any]) -> str:
        """Return the source of a method with these parameters."""
        recipe = self.recipe(name, parameters)
        kind = estimator_of(type(recipe)) or type(recipe)
        return self._call(kind, recipe.parameters)

    def lines(self, event: Event) -> list[str]:
        """Return the lines that do again what an event says."""
        command, a = event.command, event.arguments
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
            said = [f"{name}={self.value(value)}" for name, value in a.items()]
            return [f"session.{command}({', '.join(said)})"]
        said = []
        for argument in entry.arguments:
            value = a[argument.name]
            if not argument.required and same(value, argument.default):
                continue
            source = _points(value) if argument.kind is POINTS else self.value(value)
            said.append(source if argument.required else f"{argument.name}={source}")
        return [f"session.{command}({', '.join(said)})"]

    def value(self, value: Any) -> str:
        """Return the source of a value."""
        if isinstance(value, Supervision):
            return f"nb.Supervision.from_dict({value.to_dict()!r})"
        if isinstance(value, np.ndarray):
            self._numpy = True
            return f"np.array({value.tolist()!r}, dtype={value.dtype.str!r})"
        if isinstance(value, float) and not np.isfinite(value):
            return f"float({str(value)!r})"
        if isinstance(value, list):
            return f"[{', '.join(map(self.value, value))}]"
        if isinstance(value, dict):
            return f"{{{', '.join(f'{k!r}: {self.value(v)}' for k, v in value.items())}}}"
        if isinstance(value, tuple):
            return f"({''.join(f'{self.value(v)}, ' for v in value).rstrip()})" if value else "()"
        if value is None or isinstance(value, bool | int | float | str):
            return repr(value)
        if callable(value) and hasattr(value, "__qualname__"):
            return self._name(value)
        if is_estimator(value):
            return self.estimator(value)
        self._names.add((type(value).__module__, type(value).__qualname__))
        return repr(value)  # optimizers are dataclasses: their repr is their source

    def estimator(self, value: Any) -> str:
        """Return the source of an estimator among the parameters."""
        if fitted_attributes(value):
            self._names.add(("nbembed.session.serialization", "decode"))
            return f"decode({encode(value)!r})"
        return self._call(type(value), value.get_params(deep=False))

    def _call(self, kind: type[Any], parameters: Mapping[str, Any]) -> str:
        """Return the source of a constructor's call, without what are the defaults anyway."""
        usual = signature_defaults(kind)
        said = [
            f"{k}={self.value(v)}"
            for k, v in parameters.items()
            if k not in usual or not same(v, usual[k])
        ]
        return f"{self._name(kind)}({', '.join(said)})"

    def _name(self, thing: Any) -> str:
        name, module = thing.__qualname__, thing.__module__
        if module.startswith("nbembed.") and name in vars(sys.modules["nbembed"]).get(
            "__all__", ()
        ):
            return f"nb.{name}"
        if module.startswith("sklearn."):
            module = path_of(thing).rpartition(".")[0]
        self._names.add((module, name))
        return str(name)


def _points(points: list[int]) -> str:
    """Return a list of points as source, a run of neighbors as its range."""
    if len(points) > 3 and points == list(range(points[0], points[-1] + 1)):
        return f"range({points[0]}, {points[-1] + 1})"
    return repr(points)


def signature_defaults(kind: type[Any]) -> dict[str, Any]:
    """Return the defaults written in the constructor's signature."""
    parameters = inspect.signature(kind).parameters.values()
    return {p.name: p.default for p in parameters if p.default is not p.empty}
