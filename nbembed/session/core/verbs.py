"""The session's methods that give commands, made from the table of commands.

``verbs.pyi`` tells editors and type checkers the same; it is written by
``python -m nbembed.session.core.verbs`` and a test says when it is stale.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nbembed.session.core.arguments import PARAMETERS
from nbembed.session.core.command_entry import Command
from nbembed.session.core.commands import COMMANDS


class Verbs:
    """A method for each command; what gives them is the subclass's part."""

    def give(self, command: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """Give a command by name; return its arguments as the log keeps them."""
        raise NotImplementedError

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for entry in COMMANDS.values():
            if not hasattr(cls, entry.name):
                setattr(cls, entry.name, method_of(entry))


def method_of(entry: Command) -> Any:
    """Return the method that gives a command, with its signature and docstring."""
    signature = signature_of(entry)

    def method(self: Verbs, *given: Any, **named: Any) -> Any:
        try:
            bound = signature.bind(self, *given, **named)
        except TypeError as error:
            raise TypeError(f"{entry.name}(): {error}") from None
        bound.apply_defaults()
        arguments = dict(bound.arguments)
        del arguments["self"]
        if entry.keywords:
            arguments = arguments["parameters"]
        logged = self.give(entry.name, arguments)
        return logged["name"] if "returns name" in entry.flags else None

    method.__name__ = entry.name
    method.__qualname__ = f"Session.{entry.name}"
    method.__doc__ = docstring_of(entry)
    method.__signature__ = signature  # type: ignore[attr-defined]
    return method


def signature_of(entry: Command) -> inspect.Signature:
    """Return the signature of a command's method."""
    parameters = [inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)]
    for argument in entry.arguments:
        free = argument.kind is PARAMETERS
        kind = inspect.Parameter.VAR_KEYWORD if free else inspect.Parameter.POSITIONAL_OR_KEYWORD
        default = argument.default if not argument.required else inspect.Parameter.empty
        parameters.append(inspect.Parameter(argument.name, kind, default=default))
    return inspect.Signature(parameters)


def docstring_of(entry: Command) -> str:
    """Return the docstring of a command's method, in numpydoc's form."""
    lines = [entry.summary, ""]
    if entry.arguments:
        lines += ["Parameters", "----------"]
        for argument in entry.arguments:
            stars = "**" if argument.kind is PARAMETERS else ""
            doc, default = argument.kind.doc, argument.default
            if not argument.required:
                doc += ", optional" if default is None else f", default={default}"
            lines.append(f"{stars}{argument.name} : {doc}")
            if argument.doc:
                lines.append(f"    {argument.doc}")
        lines.append("")
    lines += ["Raises", "------", "ValueError, TypeError", "    If it is not legal; nothing has "]
    lines[-1] += "changed then."
    return "\n".join(lines)


def stub() -> str:
    """Return the text of ``verbs.pyi``."""
    lines = [
        "# Written by `python -m nbembed.session.core.verbs`; do not edit.",
        "from collections.abc import Iterable, Mapping",
        "from typing import Any",
        "",
        "from numpy.typing import ArrayLike",
        "",
        "from nbembed.methods.estimator import Estimator",
        "from nbembed.methods.recipe import Recipe",
        "from nbembed.supervision import Supervision",
        "",
        "class Verbs:",
        "    def give(self, command: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]: ...",
    ]
    for entry in COMMANDS.values():
        parts = ["self"]
        for argument in entry.arguments:
            if argument.kind is PARAMETERS:
                parts.append(f"**{argument.name}: Any")
                continue
            default = "" if argument.required else f" = {argument.default!r}"
            parts.append(f"{argument.name}: {argument.kind.annotation}{default}")
        answer = "str" if "returns name" in entry.flags else "None"
        lines.append(f"    def {entry.name}({', '.join(parts)}) -> {answer}: ...")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    Path(__file__).with_suffix(".pyi").write_text(stub(), encoding="utf-8")
