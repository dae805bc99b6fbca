"""The public face changes only on purpose: all signatures, in a file that is compared.

After a change on purpose: ``python -m tests.test_public_signatures`` writes the file anew.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import nbembed

GOLDEN = Path(__file__).parent / "recorded" / "public_signatures.txt"


def signature(thing: object) -> str:
    """Return a signature without annotations, which are checked by mypy."""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return ""
    bare = [p.replace(annotation=p.empty) for p in found.parameters.values()]
    return str(found.replace(parameters=bare, return_annotation=found.empty))


def lines_of(name: str, thing: object) -> Iterator[str]:
    """Yield a line for a public thing, and one for each public member of a class."""
    if not inspect.isclass(thing):
        yield f"{name}{signature(thing) if callable(thing) else ''}"
        return
    yield f"{name}{signature(thing)}"
    for member in sorted(dir(thing)):
        value = inspect.getattr_static(thing, member)
        home = getattr(value, "__module__", None) or getattr(
            getattr(value, "fget", None), "__module__", ""
        )
        own = str(home).startswith("nbembed") or isinstance(value, staticmethod | classmethod)
        if member.startswith("_") or not own:
            continue
        if isinstance(value, property):
            yield f"{name}.{member}"
        elif callable(member_of := getattr(thing, member)) and str(
            getattr(member_of, "__module__", "")
        ).startswith("nbembed"):
            yield f"{name}.{member}{signature(member_of)}"


def public_lines() -> list[str]:
    """Return all lines, sorted by where they are found."""
    lines: list[str] = []
    for name in sorted(nbembed.__all__):
        thing = getattr(nbembed, name)
        if isinstance(thing, ModuleType):
            for inner in sorted(thing.__all__):
                lines += lines_of(f"nb.{name}.{inner}", getattr(thing, inner))
        elif not isinstance(thing, str):
            lines += lines_of(f"nb.{name}", thing)
    return lines


def test_the_public_signatures_are_the_recorded_ones():
    recorded = GOLDEN.read_text(encoding="utf-8").splitlines()
    assert public_lines() == recorded, "if on purpose: python -m tests.test_public_signatures"


def test_everything_after_the_first_parameter_of_an_estimator_is_keyword_only():
    from sklearn.base import BaseEstimator

    found = 0
    for home in (nbembed, *(getattr(nbembed, name) for name in nbembed._MODULES)):
        for name in home.__all__:
            kind = getattr(home, name)
            if not (inspect.isclass(kind) and issubclass(kind, BaseEstimator)):
                continue
            parameters = list(inspect.signature(kind).parameters.values())
            assert all(p.kind is p.KEYWORD_ONLY for p in parameters[1:]), kind
            if "n_components" in inspect.signature(kind).parameters:
                assert parameters[0].name == "n_components", kind
            found += 1
    assert found > 20


if __name__ == "__main__":
    GOLDEN.parent.mkdir(exist_ok=True)
    GOLDEN.write_text("\n".join(public_lines()) + "\n", encoding="utf-8")
