"""Queries that compare maps."""

from __future__ import annotations

from nbembed.widget.wire import comparison_types
from nbembed.widget.wire.query_types import QueryType
from nbembed.widget.wire.wire_types import (
    COUNT,
    FLAG,
    INDEX,
    NUMBER,
    TEXT,
    Enum,
    Field,
    Record,
    array,
    list_of,
    nullable,
)

#: The named types of arguments and answers.
TYPES: tuple[Enum | Record, ...] = comparison_types.TYPES

_SNAPSHOT = Field("snapshot", TEXT, 'A snapshot\'s name, "" for the second live map.')
_ONTO = Field(
    "onto", TEXT, 'The snapshot that it is compared with, "" for the present map.', optional=True
)

QUERIES: tuple[QueryType, ...] = (
    QueryType(
        "thumbnails",
        "Small pictures of snapshots: the places of some points, brought onto the present map.",
        fields=(Field("names", list_of(TEXT), "Of the snapshots, in the order of the places."),),
        buffers=(
            Field("points", array("<u4"), "The points that are drawn, the same for all."),
            Field("places", array("<u2"), "x, y of each of them, one snapshot after another."),
        ),
    ),
    QueryType(
        "map_beside",
        "A map that the present one or a snapshot is compared with, brought onto it.",
        (_SNAPSHOT, _ONTO),
        fields=(
            Field("version", INDEX, "Of a live map's layout; 0 while it has none."),
            Field("iteration", INDEX),
            Field("cost", nullable(NUMBER)),
            Field("quality", nullable(NUMBER)),
            Field("disparity", nullable(NUMBER), "Of the two maps (Procrustes), in [0, 1]."),
            Field("turn", nullable(NUMBER), "Degrees by which it was turned."),
            Field("mirrored", FLAG),
            Field("scale", nullable(NUMBER), "Factor that brought it to the size of the first."),
            Field("range", list_of(NUMBER), "Of 16-bit positions, else empty."),
        ),
        buffers=(Field("positions", array("|u1"), "Bytes of what a frame has as positions."),),
    ),
    QueryType(
        "map_change",
        "How far the neighborhood of each point differs between two maps.",
        (_SNAPSHOT, _ONTO, Field("k", COUNT, "Size of a neighborhood.")),
        fields=(
            Field("k", COUNT, "As far as there are so many points."),
            Field("mean", NUMBER, "Of the points, in [0, 1]."),
        ),
        buffers=(Field("change", array("|u1"), "Share of other neighbors, in 255ths."),),
    ),
)
