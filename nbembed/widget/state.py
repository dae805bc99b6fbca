"""The synced traits of an Explorer: what survives a reload of the page.

All are small and plain, and only the Python side writes them: the page asks by command. Layouts in
motion are not among them (they go as messages); ``coordinates`` and its companions are written when
the session rests.
"""

from __future__ import annotations

import pathlib
from typing import Any

import anywidget
import traitlets

from nbembed.widget.traits import Points, points_from_wire, points_to_wire

_STATIC = pathlib.Path(__file__).parent / "static"

if not (_STATIC / "explorer.js").exists():
    raise ImportError(
        f"the Explorer's front end is missing ({_STATIC / 'explorer.js'}): install nbembed with "
        "pip, or run `npm ci && npm run build` in nbembed/widget/frontend"
    )


class SyncedState(anywidget.AnyWidget):
    """The traits, named as the front end's ``wire.ts`` names them."""

    _esm = _STATIC / "explorer.js"
    _css = _STATIC / "explorer.css"

    n_samples = traitlets.Int(0).tag(sync=True)
    height = traitlets.Int(460).tag(sync=True)
    coordinates = traitlets.Bytes(b"").tag(sync=True)
    probability_colors = traitlets.Bytes(b"").tag(sync=True)
    directions: Any = traitlets.List([]).tag(sync=True)
    direction_colors: Any = traitlets.List([]).tag(sync=True)
    centers: Any = traitlets.List([]).tag(sync=True)
    center_names: Any = traitlets.List([]).tag(sync=True)
    center_colors: Any = traitlets.List([]).tag(sync=True)
    label_codes = traitlets.Bytes(b"").tag(sync=True)
    label_confidence = traitlets.Bytes(b"").tag(sync=True)
    classes: Any = traitlets.List([]).tag(sync=True)
    links: Any = traitlets.List([]).tag(sync=True)
    cannot_links: Any = traitlets.List([]).tag(sync=True)
    pinned = traitlets.Bytes(b"").tag(sync=True)
    color_column = traitlets.Dict({}).tag(sync=True)
    color_by = traitlets.Enum(["column", "class", "probability"], "class").tag(sync=True)
    selection = Points().tag(sync=True, to_json=points_to_wire, from_json=points_from_wire)
    method = traitlets.Unicode("").tag(sync=True)
    methods: Any = traitlets.List([]).tag(sync=True)
    method_groups: Any = traitlets.List([]).tag(sync=True)
    controls: Any = traitlets.List([]).tag(sync=True)
    parameters = traitlets.Dict({}).tag(sync=True)
    state = traitlets.Unicode("idle").tag(sync=True)
    iteration = traitlets.Int(0).tag(sync=True)
    cost = traitlets.Float(None, allow_none=True).tag(sync=True)
    quality = traitlets.Float(None, allow_none=True).tag(sync=True)
    error = traitlets.Unicode("").tag(sync=True)
    learning = traitlets.Unicode("").tag(sync=True)
    unlearned = traitlets.Unicode("").tag(sync=True)
    wanted = traitlets.Unicode("").tag(sync=True)
    undo = traitlets.Unicode("").tag(sync=True)
    redo = traitlets.Unicode("").tag(sync=True)
    history = traitlets.Bytes(b"").tag(sync=True)
    path: Any = traitlets.List([]).tag(sync=True)
    chosen_path = traitlets.Int(-1).tag(sync=True)
