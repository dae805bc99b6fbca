"""The query for small images of points, in the gallery of a group and on the map."""

from __future__ import annotations

from nbembed.widget.wire.query_types import QueryType
from nbembed.widget.wire.wire_types import INDEX, Enum, Field, Record, array, list_of

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
)
