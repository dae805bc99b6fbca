"""Queries for pictures: small images of points, and a figure of the user's own."""

from __future__ import annotations

from nbembed.widget.wire.query_types import QueryType
from nbembed.widget.wire.wire_types import FLAG, INDEX, Enum, Field, Record, array, list_of

#: Images that one answer holds, so that other questions need not wait for long.
MOST_IMAGES = 16

#: The named types of arguments and answers.
TYPES: tuple[Enum | Record, ...] = ()

QUERIES: tuple[QueryType, ...] = (
    QueryType(
        "images",
        "Small images of some points.",
        points=("points",),
        fields=(
            Field("points", list_of(INDEX), "Those that have an image."),
            Field("lengths", list_of(INDEX), "Bytes of the image of each."),
        ),
        buffers=(Field("pngs", array("|u1"), "One after the other."),),
    ),
    QueryType(
        "own_figure",
        "The figure that the user has given.",
        fields=(Field("svg", FLAG, "Whether it is an SVG, else a PNG."),),
        buffers=(Field("picture", array("|u1")),),
    ),
)
