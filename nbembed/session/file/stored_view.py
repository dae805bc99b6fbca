"""The Explorer's view in a session file: kept with the session, unread by it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from nbembed.session.file.archive import Archive

#: JSON data, and arrays by name; both empty where nothing was shown.
View = tuple[Mapping[str, Any], Mapping[str, "NDArray[Any]"]]
#: Names of arrays in a file begin with it.
FOLDER = "view/"
#: The arrays that a file may have there.
ARRAYS = ("color",)
NOTHING: View = ({}, {})


def stored_view(archive: Archive, document: Mapping[str, Any]) -> View:
    """Return the view in a file, unchecked; nothing where nothing can be read."""
    try:
        stored = document.get("view")
        if not isinstance(stored, Mapping):
            return NOTHING
        there = [name for name in ARRAYS if FOLDER + name in archive]
        return stored, {name: archive.array(FOLDER + name) for name in there}
    except Exception:  # whatever is wrong with it, the labels are there
        return NOTHING
