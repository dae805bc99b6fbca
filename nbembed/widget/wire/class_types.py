"""Types of what a page knows of a class, and of what it may change of its look."""

from __future__ import annotations

from nbembed.drawing.palette import COLORS, SYMBOLS
from nbembed.widget.wire.wire_types import FLAG, INDEX, TEXT, Enum, Field, Record, enum, record

MarkerSymbol = enum("MarkerSymbol", *SYMBOLS, list_name="MARKER_SYMBOLS")
ClassColor = enum("ClassColor", *COLORS, list_name="CLASS_COLORS")
ClassInfo = record(
    "ClassInfo",
    "A class, and how its points are drawn.",
    Field("name", TEXT),
    Field("color", TEXT, '"#RRGGBB".'),
    Field("symbol", MarkerSymbol),
    Field("hidden", FLAG, "Whether its points are not drawn."),
    Field("place", INDEX, "In lists of the classes, and by which keys choose it."),
)
TYPES: tuple[Enum | Record, ...] = (MarkerSymbol, ClassColor, ClassInfo)
#: The parts of a class's look that a page may change.
CHANGES = (
    Field("name", TEXT),
    Field("color", TEXT, '"#RRGGBB".', optional=True),
    Field("symbol", MarkerSymbol, optional=True),
    Field("hidden", FLAG, optional=True),
    Field("place", INDEX, optional=True),
)
