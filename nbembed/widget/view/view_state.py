"""The view of an Explorer beside its session, kept in a file that it saves by itself."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.session.file.stored_view import View
from nbembed.validation import check_points
from nbembed.widget.stream.serializers import color_values
from nbembed.widget.view.class_styles import checked_styles
from nbembed.widget.wire import schema

#: Characters of a name of a category that is read from a file.
LONGEST = 1000
#: Pixels of a panel that is read from a file.
WIDEST = 10_000
#: Traits of the view that a file that is saved by itself follows.
VIEWED = [
    "selection", "color_by", "color_column", "names_shown", "thumbnails_shown", "sidebar_width",
]  # fmt: skip


@dataclass(frozen=True)
class ChosenColumn:
    """A column that somebody has chosen to color by.

    ``name`` is that of a column of the table or a variable; ``None`` for values that somebody
    gave.
    """

    name: str | None


@dataclass(frozen=True)
class ViewState:
    """The view that was shown; the session depends on none of it.

    * color, title: the values to color by, names or numbers, and their title.
    * traits: values of ``color_by``, ``names_shown``, ``thumbnails_shown``, ``sidebar_width``,
      ``selection``.
    * chosen: the chosen column, ``None`` if these are the values that were given.
    * given: the title of the column that was given to color by, ``None`` if there was none.
    * class_styles: the chosen looks of classes; empty where none is known.
    """

    color: NDArray[Any] | None = None
    title: str = ""
    traits: Mapping[str, Any] = field(default_factory=dict)
    chosen: ChosenColumn | None = None
    given: str | None = None
    class_styles: Mapping[str, Any] = field(default_factory=dict)

    @property
    def color_series(self) -> Any:
        """The values to color by with their title, where pandas can hold one; `None` without."""
        if self.color is None:
            return None
        try:
            import pandas as pd
        except ImportError:
            return self.color
        return pd.Series(self.color, name=self.title or None)

    def traits_for(self, kind: str) -> dict[str, Any]:
        """Return the traits that suit a column to color by of some kind."""
        traits = dict(self.traits)
        if kind == "none" and traits.get("color_by") == "column":
            del traits["color_by"]
        return traits


def view_of(widget: Any) -> View:
    """Return the view of a widget, as a session file stores it."""
    column, chosen = widget.color_column, widget._column_choice.chosen
    document = {
        "color": {
            **{name: column[name] for name in ("kind", "title", "names")},
            "given": widget._given_color,
            **({} if chosen is None else {"chosen": {"name": chosen.name}}),
        },
        "color_by": widget.color_by,
        "names_shown": widget.names_shown,
        "thumbnails_shown": widget.thumbnails_shown,
        "sidebar_width": widget.sidebar_width,
        "selection": [int(i) for i in widget.selection],
        "class_styles": widget.class_styles.stored(),
    }
    if column["kind"] == "none":
        return document, {}
    return document, {"color": color_values(widget)}


def present_view(widget: Any) -> Callable[[], View | None]:
    """Return a function that tells what a widget shows, ``None`` once the widget is gone.

    It does not keep the widget alive, nor the session by it.
    """
    known = weakref.ref(widget)

    def tell() -> View | None:
        there = known()
        return None if there is None else view_of(there)

    return tell


def view_state(view: View, n_samples: int) -> ViewState:
    """Return the view in a session's file."""
    try:
        stored, arrays = view
        state = _checked(stored, arrays.get("color"), n_samples)
        return replace(state, class_styles=_styles(stored))
    except Exception:  # whatever is wrong with it, the labels are there
        return ViewState()


def _styles(stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return the looks of classes, none where they cannot be read; earlier files have none."""
    try:
        return checked_styles(stored["class_styles"])
    except (KeyError, ValueError, TypeError, AttributeError):
        return {}


def _checked(stored: Mapping[str, Any], codes: Any, n: int) -> ViewState:
    traits: dict[str, Any] = {}
    if stored.get("color_by") in schema.ColorMode.words:
        traits["color_by"] = stored["color_by"]
    for flag in ("names_shown", "thumbnails_shown"):
        if isinstance(stored.get(flag), bool):
            traits[flag] = stored[flag]
    width = stored.get("sidebar_width")
    if isinstance(width, int) and width > 0:
        traits["sidebar_width"] = min(int(width), WIDEST)
    selection = stored.get("selection")
    if isinstance(selection, list) and selection:
        traits["selection"] = check_points(selection, n, "selection")
    column = stored.get("color")
    if codes is None or codes.shape != (n,) or not isinstance(column, Mapping):
        return ViewState(traits=traits)
    values = _values(column, codes)
    if values is None:
        return ViewState(traits=traits)
    chosen, given = column.get("chosen"), column.get("given")
    known = None
    if isinstance(chosen, Mapping):
        name = chosen.get("name")
        known = ChosenColumn(name[:LONGEST] if isinstance(name, str) else None)
    return ViewState(
        values,
        str(column.get("title", ""))[:LONGEST],
        traits,
        chosen=known,
        given=given[:LONGEST] if isinstance(given, str) else None,
    )


def _values(column: Mapping[str, Any], codes: NDArray[Any]) -> NDArray[Any] | None:
    """Return the values that codes stand for, ``None`` if the file does not say it."""
    names = column.get("names")
    if column.get("kind") == "time":
        since = np.where(np.isnan(codes), 0, codes).astype(np.float64)
        times = np.round(since * 1e6).astype("datetime64[us]")
        times[np.isnan(codes)] = np.datetime64("NaT", "us")
        return times
    if column.get("kind") == "number":
        return codes.astype(np.float64)
    if column.get("kind") != "category" or not isinstance(names, list):
        return None
    known = [str(name)[:LONGEST] for name in names]
    values = np.empty(codes.size, dtype=object)
    for i, code in enumerate(codes.tolist()):
        values[i] = known[int(code)] if 0 <= code < len(known) else None
    return values
