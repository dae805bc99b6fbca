"""Queries about what was done, and for files of labels and maps."""

from __future__ import annotations

from nbembed.widget.wire.query_types import QueryType
from nbembed.widget.wire.wire_types import (
    COUNT,
    INDEX,
    NUMBER,
    TEXT,
    Enum,
    Field,
    Record,
    list_of,
    nullable,
    record,
)

PastChange = record(
    "PastChange",
    "A step of the history.",
    Field("number", COUNT, "Of the place that it led to."),
    Field("text", TEXT),
    Field("source", TEXT, "'hand', 'suggestion' or 'code'; empty if it is not known."),
    Field("time", nullable(NUMBER), "In seconds since 1970."),
    Field("iteration", nullable(INDEX), "Of the map when it was made."),
)

#: The named types of arguments and answers.
TYPES: tuple[Enum | Record, ...] = (PastChange,)

QUERIES: tuple[QueryType, ...] = (
    QueryType(
        "changes",
        "The steps of the history, the oldest first, undone ones last.",
        fields=(
            Field("place", INDEX, "The number of the present place."),
            Field("first", INDEX, "Of the oldest place that is kept; 0 is the beginning."),
            Field("changes", list_of(PastChange)),
        ),
    ),
    QueryType(
        "change_code",
        "The lines of Python that do a step of the history again.",
        (Field("number", COUNT, "Of the place that it led to."),),
        fields=(Field("text", TEXT),),
    ),
    QueryType("labels_csv", "All points with their labels as CSV.", fields=(Field("text", TEXT),)),
    QueryType(
        "web_page", "A page with the map that needs no kernel.", fields=(Field("text", TEXT),)
    ),
)
