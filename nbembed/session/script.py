"""Print a session's log as a Python script that does the same steering again.

The script uses the public face alone. Playing and pausing become the number of iterations they
came to, so the script ends at the same bits on the same machine and versions.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from nbembed.session.estimators import is_estimator, learned_by, path_of
from nbembed.session.events import Event
from nbembed.session.plain import encode, same
from nbembed.session.settings import signature_defaults
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
    writer = _Writer(methods)
    start = log[0].arguments
    body = [writer.start(start)]
    used = [
        methods[e.arguments["method"]](**e.arguments["parameters"])
        for e in log
        if e.command in ("start", "switch")
    ]
    learned = any(e.command == "learned" for e in log)  # its metric may have been set later
    if learned or any(method.learns_from_labels for method in used):
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
    body += ["session.wait()", "session.check()", "embedding = session.embedding"]
    shape = " × ".join(map(str, X.shape))
    doc = (
        f'"""Steer an embedding again (written by nbembed {start["nbembed"]}).\n\n'
        f'Needs the data as X, {shape}; ends with the layout as embedding.\n"""'
    )
    return "\n".join([doc, "", *writer.imports(), "", *body, ""])


class _Writer:
    """Writes values and commands as source, and remembers what has to be imported."""

    def __init__(self, methods: Mapping[str, type[Any]]) -> None:
        self._methods = methods
        self._names: set[tuple[str, str]] = set()
        self._numpy = False

    def imports(self) -> list[str]:
        lines = ["import numpy as np", ""] if self._numpy else []
        own = [f"from {module} import {name}" for module, name in sorted(self._names)]
        return [*lines, "import nbembed as nb", *own]

    def start(self, arguments: Mapping[str, Any]) -> str:
        method = self.method(arguments["method"], arguments["parameters"])
        supervision: Supervision = arguments["supervision"]
        if supervision == Supervision(supervision.n_samples):
            return f"session = nb.Session(X, {method})"
        known = self.value(supervision)
        return f"session = nb.Session(X, {method}, supervision={known})"

    def method(self, name: str, parameters: Mapping[str, Any]) -> str:
        kind = self._methods[name]
        usual = signature_defaults(kind)
        said = [
            f"{k}={self.value(v)}"
            for k, v in parameters.items()
            if k not in usual or not same(v, usual[k])
        ]
        return f"{self._name(kind)}({', '.join(said)})"

    def lines(self, event: Event) -> list[str]:
        command, a = event.command, dict(event.arguments)
        if command in ("play", "pause", "step"):
            return []
        if command == "rest":
            # After an error the optimizer went on with an empty memory.
            return ["session.restart()"] if a["state"] == "failed" else []
        if command == "switch":
            return [f"session.switch({self.method(a['method'], a['parameters'])})"]
        if command == "move_to_path":
            return ["session.wait()", f"session.move_to_path({a['index']})"]
        if command == "label":
            said = "" if a["confidence"] == 1.0 else f", confidence={a['confidence']!r}"
            return [f"session.label({_points(a['points'])}, {a['class_']!r}{said})"]
        if command == "learned":
            return [f"session.learn({self.value(a['supervision'])})"]
        if command == "set":
            said = ", ".join(f"{k}={self.value(v)}" for k, v in a.items())
            return [f"session.set({said})"]
        if command in ("must_link", "cannot_link", "pin", "unpin", "forget"):
            return [f"session.{command}({', '.join(map(_points, a.values()))})"]
        return [f"session.{command}({', '.join(self.value(v) for v in a.values())})"]

    def value(self, value: Any) -> str:
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
        if learned_by(value):
            self._names.add(("nbembed.session.plain", "decode"))
            return f"decode({encode(value)!r})"
        usual = signature_defaults(type(value))
        said = [
            f"{k}={self.value(v)}"
            for k, v in value.get_params(deep=False).items()
            if k not in usual or not same(v, usual[k])
        ]
        return f"{self._name(type(value))}({', '.join(said)})"

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
