"""What a session looks like on the wire: each function reads one part of it into plain values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nbembed.display import palette
from nbembed.widget.protocol import finite, floats, int16s

if TYPE_CHECKING:
    from nbembed.display.columns import Column
    from nbembed.methods.base import EmbeddingMethod, LiveParameter
    from nbembed.session import Session
    from nbembed.supervision import Supervision

#: Points of the cost curve at most.
HISTORY_LIMIT = 400
#: Groups of methods.
NEIGHBORS = "Neighbor embeddings"
LABELS = "Learned from labels"
SPECTRAL = "Spectral"
OTHERS = "Others"
#: A slider without a grain of its own gets so many steps.
SLIDER_STEPS = 100


def color_column(column: Column) -> dict[str, Any]:
    """Return the trait that tells the column to color by."""
    return {
        "kind": column.kind,
        "title": column.title,
        "values": floats(column.codes),
        "names": list(column.names),
        "colors": [palette.color(k) for k in range(len(column.names))],
    }


def labels(supervision: Supervision) -> dict[str, Any]:
    """Return the traits that tell labels, links and pins."""
    confidence = np.nan_to_num(np.asarray(supervision.confidence, dtype=np.float64), nan=0.0)
    return {
        "label_codes": int16s(supervision.top_class),
        "label_confidence": floats(confidence),
        "links": [[int(i) for i in group] for group in supervision.links],
        "cannot_links": [
            [[int(i) for i in side] for side in sides] for sides in supervision.cannot_links
        ],
        "pinned": np.ascontiguousarray(supervision.pinned, dtype="<u4").tobytes(),
    }


def controls(live: Sequence[LiveParameter], supervision: Supervision) -> list[dict[str, Any]]:
    """Return the sliders that a method declares, ready to be drawn."""
    return [_control(parameter, supervision) for parameter in live]


def _control(parameter: LiveParameter, supervision: Supervision) -> dict[str, Any]:
    linked = bool(supervision.links or supervision.cannot_links)
    there = {"": True, "links": supervision.has_links, "must-links": linked}
    missing = {"links": "labels or must-links", "must-links": "must-links"}
    enabled = there[parameter.needs]
    description = parameter.description
    if not enabled:
        description = f"{description} Needs {missing[parameter.needs]}.".strip()
    step = parameter.step
    if step is None:
        step = (parameter.high - parameter.low) / SLIDER_STEPS
    return {
        "name": parameter.name,
        "symbol": parameter.symbol,
        "low": float(parameter.low),
        "high": float(parameter.high),
        "scale": parameter.scale,
        "step": float(step),
        "enabled": enabled,
        "description": description,
    }


def parameters(session: Session) -> dict[str, float | None]:
    """Return the live parameters, and the number of classes where a method looks for some."""
    known = session.parameters
    values = {p.name: finite(known.get(p.name)) for p in session.live_parameters}
    if "n_classes" in known:
        directions = session.directions
        found = None if directions is None else len(directions)
        values["n_classes"] = found if known["n_classes"] is None else known["n_classes"]
    return values


def history(session: Session) -> bytes:
    """Return the cost curve as pairs (iteration, cost), thinned evenly to a few hundred.

    It begins where the present method took over, or last learned from labels: costs before and
    after are not on one scale.
    """
    first = 0
    for event in session.log:
        if event.command in ("switch", "learned"):
            first = event.iteration
        elif event.command == "reset":
            first = 0
    known = [(r.iteration, r.cost) for r in session.trace]
    known = [(i, c) for i, c in known if i > first and math.isfinite(c)]
    if len(known) > HISTORY_LIMIT:
        keep = np.unique(np.linspace(0, len(known) - 1, HISTORY_LIMIT).round().astype(int))
        known = [known[i] for i in keep]
    return floats(np.array(known, dtype=np.float64).reshape(-1, 2))


def path(session: Session) -> list[dict[str, Any]]:
    """Return the kept steps of an annealing path."""
    return [{"lam": float(s.lam), "criterion": finite(s.criterion)} for s in session.path]


def chosen_step(session: Session) -> int:
    """Return the step of the path that the map shows, −1 where it shows none."""
    for event in reversed(session.log):
        if event.command == "move_to_path":
            return int(event.arguments["index"])
        if event.command not in ("pause", "snapshot"):
            return -1
    return -1


def groups(methods: Mapping[str, type[EmbeddingMethod]]) -> list[dict[str, Any]]:
    """Return the methods' names in groups, as the chooser shows them."""
    titles: dict[str, list[str]] = {title: [] for title in (NEIGHBORS, LABELS, SPECTRAL, OTHERS)}
    for name, kind in methods.items():
        titles[_group(kind)].append(name)
    return [{"title": title, "names": names} for title, names in titles.items() if names]


def _group(kind: type[EmbeddingMethod]) -> str:
    room = kind.__module__
    if room.startswith("nbembed.spectral."):
        return SPECTRAL
    if not room.startswith("nbembed."):
        return OTHERS
    # Where it depends on parameters, a property: only of a method made for labels is it its own.
    own = vars(kind).get("learns_from_labels", kind.learns_from_labels)
    return LABELS if own is True or kind.learns_what != "metric" else NEIGHBORS


def wanted(session: Session) -> str:
    """Return what a person should do for the method to learn anything, "" if nothing is amiss."""
    method, supervision = session.method, session.supervision
    if not getattr(method, "learns_from_labels", False):
        return ""
    if np.unique(supervision.top_class[supervision.labelled]).size >= 2:
        return ""
    return f"Label points of two classes: the {method.learns_what} is learned from them"


def unlearned(session: Session) -> str:
    """Return why the labels said last have no effect on what the method learns, "" if they have."""
    failure = session.learning_error
    return "" if failure is None else str(failure)


def error(session: Session) -> str:
    """Return what stopped the worker, "" if nothing did."""
    failure = session.error
    return "" if failure is None else f"{type(failure).__name__}: {failure}"
