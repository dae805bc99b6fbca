"""A page with a map that needs no kernel and no network: the front end, and what it is told.

The page is the Explorer's own front end (``frontend/src/still.ts``) with a stand-in for the kernel:
the values of the traits, and the cards of points. All data are JSON in an element of their own, in
which no character can end it; the front end shows text as text.
"""

from __future__ import annotations

import base64
import html
import json
import pathlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nbembed.points.point_data import PointData
from nbembed.points.text import name_of
from nbembed.session.map.snapshots import Frame
from nbembed.system.work import stage
from nbembed.widget.stream.drawing import Drawing
from nbembed.widget.wire import schema
from nbembed.widget.wire.protocol import encode, finite

_STATIC = pathlib.Path(__file__).parents[1] / "static"

#: Bytes of the cards that a page has, and points whose cards are looked at for it.
MOST_BYTES, MOST_CARDS = 6_000_000, 50_000
#: Points whose cards are read together.
BLOCK = 200
#: Traits that are of use without a kernel; the others keep their defaults.
SHOWN = (
    "n_samples", "height", "label_codes", "label_confidence", "classes", "links", "cannot_links",
    "pinned", "color_column", "color_values", "color_by", "selection", "new_rows", "cards",
    "data_note", "named", "names_shown", "imaged", "thumbnails_shown", "method", "quality_metric",
    "iteration", "cost", "quality", "parameters", "controls",
)  # fmt: skip

#: What can color the points without a kernel, beside the measure that colored them last.
COLORINGS = frozenset({"column", "class", "probability"})

#: What the page may load: nothing from anywhere.
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
)

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{title}</title>
<style>{css}</style>
<style>body {{ box-sizing: border-box; display: flex; flex-direction: column; \
min-height: 100vh; margin: 0; padding: 12px }} \
main, #nbembed, .nbe {{ display: flex; flex: 1 0 auto; flex-direction: column }} \
.nbe {{ max-width: none }} .nbe-sized {{ flex: 1 0 auto }} \
h1 {{ margin: 0 0 8px; font: 600 16px/1.4 system-ui, sans-serif; overflow-wrap: anywhere }} \
@media (prefers-color-scheme: dark) \
{{ body {{ background: #1b1d20; color: #e1e3e6 }} }}</style>
</head>
<body>
<main>
<h1>{title}</h1>
<div id="nbembed"></div>
</main>
<script type="application/json" id="nbembed-state">{state}</script>
<script>{script}</script>
<script>nbembedStill.mount(document.getElementById("nbembed"), \
JSON.parse(document.getElementById("nbembed-state").textContent))</script>
</body>
</html>
"""


def still_page(
    widget: Any,
    frame: Frame,
    drawing: Drawing,
    points: PointData,
    title: str,
    measured: NDArray[np.float64],
) -> str:
    """Return the page's text.

    ``drawing`` is that of the frame; ``measured`` holds the measure of each point that colors the
    map, and is empty if none does.
    """
    traits = {name: trait.default for name, trait in schema.TRAITS.items()}
    traits.update({name: getattr(widget, name) for name in SHOWN})
    for name in schema.POINT_SETS:
        traits[name] = np.asarray(traits[name]).astype("<u4").tobytes()
    traits.update(drawing.annotations)
    traits["iteration"] = frame.iteration
    traits["cost"], traits["quality"] = finite(frame.cost), finite(frame.quality)
    # Before there is a map, all points are at the origin; the page then says that it was not there.
    traits["coordinates"] = encode("coordinates", drawing.positions) if frame.version else b""
    colors = drawing.colors
    measure = None
    if measured.size:
        mean = finite(float(measured.mean()))
        values = _plain(measured.astype("<f4").tobytes())
        measure = {"name": traits["color_by"], "mean": mean, "values": values}
    elif traits["color_by"] not in COLORINGS:
        traits["color_by"] = "class" if traits["color_column"]["kind"] == "none" else "column"
    traits["membership_colors"] = b"" if colors is None else encode("membership_colors", colors)
    state = {
        "traits": {name: _plain(value) for name, value in traits.items()},
        "cards": _cards(points, int(widget.n_samples)),
        "left_out": points.left_out,
        "measure": measure,
    }
    # No "<" is left that could end the element or begin a comment.
    text = json.dumps(state, ensure_ascii=True, allow_nan=False).replace("<", "\\u003c")
    return _PAGE.format(
        policy=POLICY,
        title=html.escape(name_of(title)),
        css=_asset("explorer.css").replace("</", "<\\/"),
        script=_asset("still.js").replace("</script", "<\\/script").replace("<!--", "<\\!--"),
        state=text,
    )


def _asset(name: str) -> str:
    return (_STATIC / name).read_text(encoding="utf-8")


def _plain(value: Any) -> Any:
    """Return a trait as JSON data; bytes as base64 under the key ``b64``."""
    if isinstance(value, bytes):
        return {"b64": base64.b64encode(value).decode("ascii")}
    return value


def _cards(points: PointData, n_samples: int) -> list[list[Any]]:
    """Return name, rows and image of each point, as long as there is room."""
    total = min(n_samples, MOST_CARDS)
    reading = stage("reading the cards", total)
    cards: list[list[Any]] = []
    left, counted = MOST_BYTES, 0
    for first in range(0, total, BLOCK):
        here = slice(first, min(first + BLOCK, total))
        for point, rows in enumerate(points.row_block(here), first):
            name, image = points.name(point), _image(points, point)
            left -= len(name) + sum(len(a) + len(b) for a, b in rows) + len(image or "")
            if left < 0:
                reading.advance(total)
                return cards
            cards.append([name, rows, image])
        # It ends with the points or with the room, whichever comes first.
        done = max(here.stop, round(total * (1 - left / MOST_BYTES)))
        reading.advance(done - counted)
        counted = done
    return cards


def _image(points: PointData, point: int) -> str | None:
    """Return the image of a point in base64, ``None`` if it has none that can be shown."""
    try:
        image = points.image(point)
    except Exception:  # whatever the user's own sequence raises
        return None
    return None if image is None else base64.b64encode(image).decode("ascii")
