"""What an Explorer shows beside its session, kept in a file that it saves by itself."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from nbembed.session.archive import Archive
from nbembed.validation import check_points
from nbembed.widget import schema
from nbembed.widget.class_styles import checked_styles

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: Characters of a name of a category that is read from a file.
LONGEST = 1000


@dataclass(frozen=True)
class ViewState:
    """What was shown: nothing that the session depends on.

    Attributes
    ----------
    color : ndarray or None
        The values to color by: names, or numbers.
    title : str
        Of these.
    traits : mapping of str to Any
        Values of traits: ``color_by``, ``names_shown``, ``selection``.
    class_styles : mapping
        What was chosen for the looks of classes; empty where nothing is known.
    """

    color: NDArray[Any] | None = None
    title: str = ""
    traits: Mapping[str, Any] = field(default_factory=dict)
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


def view_of(widget: Any) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return what a widget shows, as a session file stores it."""
    column = widget.color_column
    document = {
        "color": {name: column[name] for name in ("kind", "title", "names")},
        "color_by": widget.color_by,
        "names_shown": widget.names_shown,
        "selection": [int(i) for i in widget.selection],
        "class_styles": widget.class_styles.stored(),
    }
    if column["kind"] == "none":
        return document, {}
    return document, {"color": np.frombuffer(widget.color_values, dtype="<f4")}


def read_view(path: str | os.PathLike[str], n_samples: int) -> ViewState:
    """Return what a file says of the view; nothing where it says nothing that can be read.

    The session of the file has been read before, with all checks.
    """
    try:
        with open(path, "rb") as file:
            archive = Archive(file)
            stored = archive.document().get("view")
            if not isinstance(stored, Mapping):
                return ViewState()
            color = archive.array("view/color") if "view/color" in archive else None
        return replace(_checked(stored, color, n_samples), class_styles=_styles(stored))
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
    if isinstance(stored.get("names_shown"), bool):
        traits["names_shown"] = stored["names_shown"]
    selection = stored.get("selection")
    if isinstance(selection, list) and selection:
        traits["selection"] = check_points(selection, n, "selection")
    column = stored.get("color")
    if codes is None or codes.shape != (n,) or not isinstance(column, Mapping):
        return ViewState(traits=traits)
    title, names = str(column.get("title", ""))[:LONGEST], column.get("names")
    if column.get("kind") == "time":
        seconds = np.where(np.isnan(codes), 0, codes).astype("datetime64[s]")
        seconds[np.isnan(codes)] = np.datetime64("NaT")
        return ViewState(seconds, title, traits)
    if column.get("kind") == "number":
        return ViewState(codes.astype(np.float64), title, traits)
    if column.get("kind") != "category" or not isinstance(names, list):
        return ViewState(traits=traits)
    known = [str(name)[:LONGEST] for name in names]
    values = np.empty(n, dtype=object)
    for i, code in enumerate(codes.tolist()):
        values[i] = known[int(code)] if 0 <= code < len(known) else None
    return ViewState(values, title, traits)
