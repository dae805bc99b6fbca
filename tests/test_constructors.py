"""Constructors of estimators follow their recipes, and parameters that methods share have one text.

A parameter, its type and its default are typed once, as a field of the recipe; the text of one that
methods share is typed once, in the docstring of SNE. After a change of either,
``python -m tests.test_constructors`` writes constructors and docstrings anew. It keeps the order of
the parameters that are there; a new one comes last and can be moved.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import nbembed.spectral.custom  # noqa: F401  # others are loaded with their packages
from nbembed.methods import SNE
from nbembed.methods.estimator import Estimator
from nbembed.spectral.estimator import SpectralEstimator

#: Parameters that are no fields of the recipe, since they only report: type, default.
REPORTS = {
    "verbose": ("int", 0),
    "callbacks": ("Callable[[Run], Any] | list[Callable[[Run], Any]] | None", None),
}
#: Parameters that SNE has, too, and of which a method says something else.
OWN_TEXTS = {
    "HSSNE": "rho link_form init optimizer max_iter tol n_jobs",
    "NeRV": "propagate_labels algorithm optimizer max_iter",
    "SNeRV": "rho link_form perplexity metric algorithm optimizer max_iter random_state verbose",
    "Mbed": "n_components init rho link_form perplexity algorithm optimizer max_iter tol n_jobs "
    "callbacks",
    "ParametricEmbedding": "init optimizer max_iter tol n_jobs callbacks",
}
WIDTH = 100


def with_constructors(kind: type[Estimator] = Estimator) -> Iterator[type[Estimator]]:
    """Yield the estimators of the package that have a constructor of their own."""
    for derived in kind.__subclasses__():
        if "__init__" in vars(derived) and derived.__module__.startswith("nbembed."):
            yield derived
        yield from with_constructors(derived)


def is_linear(estimator: type[Estimator]) -> bool:
    return issubclass(estimator, SpectralEstimator)


def parameters(estimator: type[Estimator]) -> dict[str, tuple[str, object]]:
    """Return type and default of each parameter, in the order of the present signature."""
    fields = dataclasses.fields(estimator.recipe_type)
    found = {field.name: (field.type.replace("'", '"'), field.default) for field in fields}
    found |= {} if is_linear(estimator) else REPORTS
    present = [name for name in inspect.signature(estimator).parameters if name in found]
    return {name: found[name] for name in (*present, *found)}


def literal(value: object) -> str:
    """Return a default as it is written: "auto", 0.1, 1e-5."""
    if isinstance(value, float) and 0 < value < 0.01:
        return np.format_float_scientific(value, trim="-", exp_digits=1)
    return f'"{value}"' if isinstance(value, str) else repr(value)


def constructor(estimator: type[Estimator]) -> list[str]:
    """Return the lines of the constructor, which only stores its parameters."""
    typed = parameters(estimator)
    given = [f"{name}: {kind} = {literal(default)}" for name, (kind, default) in typed.items()]
    given[1:1] = ["*"] if given[1:] else []
    lines = [f"    def __init__(self, {', '.join(given)}) -> None:"]
    if len(lines[0]) > WIDTH:
        lines = ["    def __init__(", *(f"        {one}," for one in ("self", *given))]
        lines.append("    ) -> None:")
    return lines + [f"        self.{name} = {name}" for name in typed]


def described(lines: list[str]) -> dict[str, slice]:
    """Return where the docstring of a class describes each of its parameters."""
    if "    Parameters" not in lines:
        return {}
    first = lines.index("    Parameters")
    last = next(at for at in range(first, len(lines)) if not lines[at].startswith("    "))
    starts = [at for at in range(first, last) if re.match(r"    \w+ : ", lines[at])]
    return {lines[at].split()[0]: slice(at, end) for at, end in zip(starts, [*starts[1:], last])}


def written(estimator: type[Estimator]) -> str:
    """Return the source of an estimator with its constructor and docstring as they should be."""
    lines = inspect.getsource(estimator).splitlines()
    body = ast.parse("\n".join(lines)).body[0].body
    init = next(node for node in body if getattr(node, "name", "") == "__init__")
    lines[init.lineno - 1 : init.end_lineno] = constructor(estimator)
    model = inspect.getsource(SNE).splitlines()
    texts = {} if is_linear(estimator) else described(model)
    own = OWN_TEXTS.get(estimator.__name__, "").split()
    for name, place in reversed(described(lines).items()):
        text = model[texts[name]] if name in texts and name not in own else lines[place]
        default = f"default={literal(parameters(estimator)[name][1])}"
        lines[place] = [re.sub("default=.*", default, text[0]), *text[1:]]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("estimator", [*with_constructors()])
def test_an_estimator_is_written_as_its_recipe_says(estimator):
    source = inspect.getsource(estimator)
    assert source == written(estimator), "after a change: python -m tests.test_constructors"


if __name__ == "__main__":
    # All of them first: lines move when a file is written.
    anew = [(inspect.getfile(k), inspect.getsource(k), written(k)) for k in with_constructors()]
    for path, old, new in anew:
        text = Path(path).read_text(encoding="utf-8")
        Path(path).write_text(text.replace(old, new), encoding="utf-8")
