"""Queries that find points."""

from __future__ import annotations

from nbembed.widget.wire.query_types import QueryType
from nbembed.widget.wire.wire_types import (
    CHOICE,
    COUNT,
    FLAG,
    INDEX,
    NUMBER,
    TEXT,
    Enum,
    Field,
    Record,
    array,
    enum,
    list_of,
    nullable,
    record,
)

FOUND = Field("found", array("<u4"), "Sorted indices of points.")


FindKind = enum("FindKind", "number", "time", "category", "text")
FindSpace = enum("FindSpace", "data", "map")
ColumnUse = enum("ColumnUse", "find", "color")
FindStep = enum("FindStep", "neighbors", "grow", "shrink")
FindFilter = record(
    "FindFilter",
    "What a column must be; null and empty text set no limit.",
    Field("column", INDEX, "Of those that `find_columns` lists."),
    Field("low", nullable(NUMBER)),
    Field("high", nullable(NUMBER)),
    Field("categories", nullable(list_of(CHOICE)), "Their codes, −1 for a missing value."),
    Field("text", TEXT),
)
FindChart = record(
    "FindChart",
    "A histogram of a column.",
    Field("column", INDEX),
    Field("title", TEXT),
    Field("kind", FindKind),
    Field("low", NUMBER, "Of numbers and times (seconds since 1970)."),
    Field("high", NUMBER),
    Field(
        "step", NUMBER, "Whole numbers in a bar, from `low` on; 0 for equal shares of the range."
    ),
    Field("totals", list_of(INDEX), "All points in each bar."),
    Field("counts", list_of(INDEX), "Those that pass the text and all other filters."),
    Field("codes", list_of(CHOICE), "The category of each bar, −1 for missing values."),
    Field("names", list_of(TEXT), "Of the categories."),
    Field("left_out", INDEX, "Categories without a bar."),
    Field("missing", INDEX, "Points without a value."),
)
FindHit = record(
    "FindHit",
    "A point with the text that was found in it.",
    Field("point", INDEX),
    Field("name", TEXT, "Empty where points have no names."),
    Field("title", TEXT, "Of the column where it was found, empty if in the name."),
    Field("text", TEXT, "What is around it there."),
)
FIND_COLUMNS = QueryType(
    "find_columns",
    "The columns whose titles have all words of a text, the best first; some of them if many.",
    (
        Field("use", ColumnUse, "What they are for: each use numbers them by itself."),
        Field("text", TEXT),
    ),
    fields=(
        Field("columns", list_of(INDEX), "Their numbers."),
        Field("titles", list_of(TEXT)),
        Field(
            "colors",
            list_of(nullable(CHOICE)),
            "Of those to find by, the numbers of the same to color by, −1 for the labels.",
        ),
        Field("numbers", list_of(FLAG), "Of those to find by, whether they have numbers."),
        Field("matching", INDEX, "How many have the text."),
        Field("count", INDEX, "How many there are."),
    ),
)
FIND = QueryType(
    "find",
    "The points that have a text and pass all filters.",
    (
        Field("text", TEXT),
        Field("column", CHOICE, "Where the text is searched, −1 for names and columns of text."),
        Field("filters", list_of(FindFilter)),
    ),
    ("among",),
    (Field("charts", list_of(FindChart)), Field("hits", list_of(FindHit))),
    (FOUND,),
)
FIND_NEAR = QueryType(
    "find_near",
    "The neighbors of points, or the points grown or shrunk by them.",
    (Field("k", COUNT), Field("space", FindSpace), Field("step", FindStep)),
    ("points",),
    (),
    (FOUND,),
)
SAVED_SELECTION = QueryType(
    "saved_selection", "The points of a saved selection.", (Field("name", TEXT),), (), (), (FOUND,)
)

#: The named types of arguments and answers.
TYPES: tuple[Enum | Record, ...] = (
    ColumnUse,
    FindKind,
    FindSpace,
    FindStep,
    FindFilter,
    FindChart,
    FindHit,
)

QUERIES: tuple[QueryType, ...] = (
    FIND_COLUMNS,
    FIND,
    FIND_NEAR,
    SAVED_SELECTION,
)
