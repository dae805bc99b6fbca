"""Types of the parts of a card: columns, neighbors, and classes around its point."""

from __future__ import annotations

from nbembed.widget.wire.wire_types import INDEX, NUMBER, TEXT, Enum, Field, Record, record

CardRow = record(
    "CardRow",
    "A column of a card.",
    Field("title", TEXT),
    Field("text", TEXT, "Empty where the value is missing."),
)
CardNeighbor = record(
    "CardNeighbor",
    "A neighbor in the data of the point of a card.",
    Field("point", INDEX),
    Field("name", TEXT, "Empty where points have no names."),
    Field("distance", NUMBER),
)
CardClass = record(
    "CardClass",
    "How many of the labeled points that are nearest to the point of a card have a class.",
    Field("name", TEXT),
    Field("count", INDEX),
)
TYPES: tuple[Enum | Record, ...] = (CardRow, CardNeighbor, CardClass)
