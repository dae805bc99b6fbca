"""From a session to the values of traits: each function reads one part."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.data.distances import name_of
from nbembed.drawing import palette
from nbembed.methods.live_parameters import LiveParameter
from nbembed.methods.recipe import Recipe
from nbembed.points.columns import Column
from nbembed.session import Session
from nbembed.session.core.commands import COMMANDS, has_flag
from nbembed.supervision import Supervision
from nbembed.validation import error_text, readable, shown, shown_names
from nbembed.widget.wire.protocol import encode, finite

#: Largest number that the page can hold.
LARGEST = float(np.finfo(np.float32).max)
#: Numbers that are so many times as large as their range have an origin of their own.
FAR = 16
#: The cost curve has at most this many points.
HISTORY_LIMIT = 400
#: Steps of a linear slider whose parameter declares no step.
SLIDER_STEPS = 100
#: The saved selection of the rows that were added last.
NEW_ROWS = "new rows"
#: A map cannot have classes without at least two of them.
FEWEST_CLASSES = 2


def color_column(column: Column) -> dict[str, Any]:
    """Return the traits of the column to color by.

    Raises ValueError if a number is beyond the range of the page's float32.
    """
    values, origin = column.codes, _origin(column)
    if origin:
        values = values - origin
    largest = float(np.nanmax(np.abs(values), initial=0.0, where=~np.isnan(values)))
    if largest > LARGEST:
        raise ValueError(
            f"color must be at most {LARGEST:.3g} in magnitude, got {largest:.3g}; rescale color"
        )
    return {
        "color_column": {
            "kind": column.kind,
            "title": column.title,
            "names": list(column.names),
            "colors": palette.category_colors(len(column.names), ordered=column.ordered),
            **({"origin": origin} if origin else {}),
        },
        "color_values": encode("color_values", values),
    }


def _origin(column: Column) -> float:
    """Return the origin of the page's float32 values: rounding must not make them equal.

    It is zero unless they lie far from it, as times and large coordinates do.
    """
    there = column.codes[np.isfinite(column.codes)]
    if column.kind not in ("number", "time") or not there.size:
        return 0.0
    low, high = float(there.min()), float(there.max())
    return low if FAR * (high - low) < max(-low, high) <= LARGEST else 0.0


def color_values(widget: Any) -> NDArray[np.float64]:
    """Return the values of the column to color by, from the traits of a widget."""
    sent = np.frombuffer(widget.color_values, dtype="<f4").astype(np.float64)
    origin: float = widget.color_column.get("origin", 0.0)
    return sent + origin


def supervision_traits(supervision: Supervision) -> dict[str, Any]:
    """Return the traits of labels, links and pins."""
    confidence = np.nan_to_num(np.asarray(supervision.confidence, dtype=np.float64), nan=0.0)
    return {
        "label_codes": encode("label_codes", supervision.top_class),
        "label_confidence": encode("label_confidence", confidence),
        "links": [[int(i) for i in group] for group in supervision.links],
        "cannot_links": [
            [[int(i) for i in side] for side in sides] for sides in supervision.cannot_links
        ],
        "pinned": encode("pinned", supervision.pinned),
    }


def saved_selections(session: Session) -> list[dict[str, Any]]:
    """Return the names of the saved selections, and how many points each has."""
    return [{"name": name, "count": len(points)} for name, points in session.selections.items()]


def new_rows(session: Session) -> bytes:
    """Return the points that are saved as the new rows, which the map marks."""
    points = session.selections.get(NEW_ROWS, np.empty(0, dtype=np.intp))
    return encode("new_rows", points)


def controls(session: Session) -> list[dict[str, Any]]:
    """Return the sliders of the present method; one that would change nothing is disabled."""
    supervision = session.supervision
    waits_for = session.recipe.waits_for(supervision)
    return [control(live, supervision, waits_for) for live in session.live_parameters]


def control(
    parameter: LiveParameter, supervision: Supervision, waits_for: str = ""
) -> dict[str, Any]:
    """Return a slider, disabled where what it needs was not said, or the map waits for it."""
    linked = bool(supervision.links or supervision.cannot_links)
    available = {"": True, "links": supervision.has_links, "must-links": linked}
    # A label pulls its point to others of its class, and one alone has none.
    missing = {"links": "two points share a label or a link", "must-links": "points are linked"}
    lacking = waits_for if available[parameter.needs] else missing[parameter.needs]
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
        "usual": float(parameter.default),
        "enabled": not lacking,
        "description": parameter.description,
        "needs": f"Active once {lacking}." if lacking else "",
    }


def parameters(session: Session) -> dict[str, float | None]:
    """Return the values of the live parameters."""
    present = session.parameters
    return {p.name: finite(present.get(p.name)) for p in session.live_parameters}


def prepared(session: Session) -> list[dict[str, Any]]:
    """Return the parameters that the map is prepared with, and what a change of each costs."""
    recipe = session.recipe
    present = recipe.parameters
    found = []
    for parameter in recipe.prepared_parameters:
        value = present.get(parameter.name)
        if value is None or (parameter.of_features and recipe.takes_distances):
            continue
        parts = recipe.parts_entered(parameter.name)
        cost = "Takes effect at once."
        if "affinities" in parts:
            cost = (
                f"Recomputes neighbors ({session.n_samples:,} points) while the map keeps moving."
            )
        elif not parts:
            cost = "Takes effect at the next reset."
        found.append(
            {
                "name": parameter.name,
                "title": parameter.title,
                "value": name_of(parameter.word_of(value))
                if parameter.words
                else readable(f"{value}"),
                "words": list(parameter.words),
                "description": parameter.description,
                "cost": cost,
            }
        )
    return found


def check_offered(session: Session, names: Iterable[str]) -> None:
    """Raise ValueError unless a page may set the parameters: those that it shows, and no others."""
    recipe = session.recipe
    offered = [p.name for p in session.live_parameters]
    offered += [p.name for p in recipe.prepared_parameters]
    offered += filter(None, [recipe.class_count_parameter])
    for name in names:
        if name not in offered:
            raise ValueError(
                f"parameter must be one that the page shows ({shown_names(offered)}), got "
                f"{shown(name)}"
            )


def class_count(session: Session) -> dict[str, Any] | None:
    """Return the number of classes where it is a parameter of the method, else ``None``."""
    name, value = session.recipe.class_count_parameter, session.n_classes
    if not name or not value:
        return None
    low = max(FEWEST_CLASSES, len(session.supervision.classes))
    return {"name": name, "value": int(value), "low": low}


def history(session: Session) -> bytes:
    """Return the cost curve as pairs (iteration, cost), thinned evenly.

    It begins where the present method took over or last learned from labels: costs before and after
    that are on different scales.
    """
    first = 0
    for event in session.log:
        if has_flag(event.command, "new cost"):
            first = event.iteration
        elif has_flag(event.command, "restarts"):
            first = 0
    curve = [(r.iteration, r.cost) for r in session.trace]
    curve = [(i, c) for i, c in curve if i > first and math.isfinite(c)]
    if len(curve) > HISTORY_LIMIT:
        keep = np.unique(np.linspace(0, len(curve) - 1, HISTORY_LIMIT).round().astype(int))
        curve = [curve[i] for i in keep]
    return encode("history", np.array(curve, dtype=np.float64).reshape(-1, 2))


def path(session: Session) -> list[dict[str, Any]]:
    """Return the kept steps of the path."""
    return [{"value": float(s.value), "criterion": finite(s.criterion)} for s in session.path]


def path_symbol(session: Session) -> str:
    """Return the symbol of the parameter that the path follows, "" without one."""
    name = session.recipe.path_parameter
    return next((p.symbol for p in session.live_parameters if p.name == name), name)


def chosen_step(session: Session) -> int:
    """Return the step of the path that the map shows, −1 if it shows none."""
    for event in reversed(session.log):
        if has_flag(event.command, "shows path step"):
            return int(event.arguments["index"])
        entry = COMMANDS.get(event.command)
        if entry is None or entry.role not in ("pause", "record"):
            return -1
    return -1


def method_groups(methods: Mapping[str, type[Recipe[Any]]]) -> list[dict[str, Any]]:
    """Return the methods' names and sentences by group, groups as they first appear."""
    groups: dict[str, list[str]] = {}
    for name, recipe in methods.items():
        groups.setdefault(recipe.group, []).append(name)
    return [
        {"title": title, "names": names, "sentences": [methods[name].summary for name in names]}
        for title, names in groups.items()
    ]


def progress(session: Session) -> dict[str, Any]:
    """Return the traits of what is being made in the background."""
    now = session.progress
    return {
        "making": "" if now is None else str(now),
        "making_share": None if now is None else now.share,
        "meanwhile": "" if now is None else now.meanwhile,
        "remark": readable(session.remark),
    }


def learning_error(session: Session) -> str:
    """Return why the newest labels cannot be learned from, "" if nothing is wrong."""
    failure = session.learning_error
    return "" if failure is None else error_text(failure)


def error(session: Session) -> str:
    """Return the error that stopped the worker, "" if none did."""
    failure = session.error
    return "" if failure is None else readable(f"{type(failure).__name__}: {failure}")
