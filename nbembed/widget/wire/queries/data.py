"""The query about the columns that a map is made of."""

from __future__ import annotations

from nbembed.widget.wire.query_types import QueryType
from nbembed.widget.wire.wire_types import (
    FLAG,
    INDEX,
    NUMBER,
    TEXT,
    Enum,
    Field,
    Record,
    list_of,
    record,
)

DataColumn = record(
    "DataColumn",
    "A column of the table, and its use.",
    Field("column", INDEX, "Its number."),
    Field("title", TEXT),
    Field("use", TEXT, "What it is embedded as, or why it is not."),
    Field("embedded", FLAG, "Whether it is chosen, be it with weight 0."),
    Field("possible", FLAG, "Whether it can be embedded."),
    Field("weight", NUMBER),
    Field("log", FLAG),
    Field("positive", FLAG, "Whether it has numbers, and no negative one."),
)

#: The named types of arguments and answers.
TYPES: tuple[Enum | Record, ...] = (DataColumn,)

QUERIES: tuple[QueryType, ...] = (
    QueryType(
        "data_columns",
        "The columns of the table whose titles have all words of a text; some of them if many.",
        (Field("text", TEXT),),
        fields=(
            Field("refusal", TEXT, "Why there is nothing to choose, else empty."),
            Field("columns", list_of(DataColumn)),
            Field("standardized", FLAG),
            Field("embedded", INDEX, "How many columns are chosen."),
            Field("matching", INDEX, "How many have the text."),
            Field("count", INDEX, "How many there are."),
        ),
    ),
)
