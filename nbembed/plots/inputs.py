"""Traces and annealing paths of whatever has them: estimators, runs, sessions, Explorers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nbembed.run import Record


def trace_of(source: Any, name: str) -> list[Record]:
    """Return the records of a trace, an estimator, a run, a session or an Explorer."""
    holder = getattr(source, "session", source)
    found = getattr(holder, "trace_", getattr(holder, "trace", holder))
    if not isinstance(found, Sequence) or not all(isinstance(r, Record) for r in found):
        raise TypeError(
            f"{name} must be a trace (a list of records), a fitted estimator, a Run, a Session or "
            f"an Explorer, got {_describe(source)}"
        )
    if not found:
        raise ValueError(
            f"{name} must have a trace with at least one record, got none; run it first"
        )
    return list(found)


def traces_of(source: Any) -> dict[str, list[Record]]:
    """Return traces by name; a single trace has the name ""."""
    if not isinstance(source, Mapping):
        return {"": trace_of(source, "source")}
    if not source:
        raise ValueError("source must have at least one trace, got none")
    return {str(name): trace_of(one, f"source[{name!r}]") for name, one in source.items()}


def path_of(source: Any) -> list[Any]:
    """Return the steps of a fitted Mbed, a session, an Explorer, or a list of steps."""
    holder = getattr(source, "session", source)
    found = getattr(holder, "path_", getattr(holder, "path", holder))
    needed = ("value", "embedding", "criterion")
    if not isinstance(found, Sequence) or not all(
        hasattr(step, name) for step in found for name in needed
    ):
        raise TypeError(
            "path must be a fitted Mbed, a Session or Explorer with Mbed, or a list of steps with "
            f"value, embedding and criterion, got {_describe(source)}"
        )
    if not found:
        raise ValueError("path must have at least one layout, got none; run an annealing first")
    return list(found)


def _describe(thing: Any) -> str:
    return f"{type(thing).__name__}"
