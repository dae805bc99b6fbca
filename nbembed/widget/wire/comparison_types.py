"""The named types of what crosses the wire when maps are compared."""

from __future__ import annotations

from nbembed.widget.wire.wire_types import (
    FLAG,
    INDEX,
    NUMBER,
    TEXT,
    Enum,
    Field,
    Record,
    enum,
    nullable,
    record,
)

CompareView = enum("CompareView", "side", "blend")
SnapshotInfo = record(
    "SnapshotInfo",
    "A layout that was kept.",
    Field("name", TEXT),
    Field("method", TEXT),
    Field("parameters", TEXT, "The live ones, in words."),
    Field("iteration", INDEX),
    Field("labeled", INDEX, "Number of labeled points."),
    Field("cost", nullable(NUMBER), "In nats; null if unknown."),
    Field("quality", nullable(NUMBER), "Share of points that keep their 1-NN; null if unknown."),
    Field("drawn", FLAG, "Whether it has a layout: the map may not have moved yet."),
)
Compared = record(
    "Compared",
    "What is compared.",
    Field("snapshot", TEXT, 'Name of the other map, "" for a second live map.'),
    Field("onto", TEXT, 'The snapshot that it is compared with, "" for the present map.'),
    Field("view", CompareView, "Beside the map, or blended with it."),
    Field("by_change", FLAG, "Whether points are colored by how far their neighborhoods differ."),
)
TYPES: tuple[Enum | Record, ...] = (CompareView, SnapshotInfo, Compared)
