"""Queries about what a group is, and about its rows."""

from __future__ import annotations

from nbembed.points.groups.description import SORTS
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

PLACES = (
    Field("column", nullable(INDEX), "Of those that `find_columns` lists to find by."),
    Field("color", nullable(CHOICE), "Of those that it lists to color by, −1 for the labels."),
)
P = Field(
    "p_value", nullable(NUMBER), "Adjusted for how many are compared; null where there is none."
)

GroupFeature = record(
    "GroupFeature",
    "How a feature differs between a group and others.",
    Field("title", TEXT),
    Field("effect", nullable(NUMBER), "Cohen's d; null where neither group varies."),
    Field("larger", FLAG, "Whether the mean of the group is the larger one."),
    Field("above", NUMBER, "Share of pairs in which the point of the group has the larger value."),
    P,
    Field("mean", TEXT),
    Field("other_mean", TEXT),
    Field("middle", NUMBER, "Halfway between the means."),
    Field("middle_text", TEXT),
    Field("low", TEXT, "Where the bars begin."),
    Field("high", TEXT),
    Field("bars", list_of(INDEX), "Points of the group in each bar of the histogram."),
    Field("other_bars", list_of(INDEX)),
    *PLACES,
)
GroupShare = record(
    "GroupShare",
    "How often a category occurs in a group and in others.",
    Field("name", TEXT),
    Field("count", INDEX),
    Field("other_count", INDEX),
    Field("share", NUMBER),
    Field("other_share", NUMBER),
    Field("lift", NUMBER, "The share in the group over that in both together."),
    Field("code", nullable(CHOICE), "By which its points are found, −1 for a missing value."),
)
GroupColumn = record(
    "GroupColumn",
    "How a column of categories differs between a group and others.",
    Field("title", TEXT),
    Field("association", NUMBER, "Cramér's V, from 0 to 1."),
    P,
    Field("values", list_of(GroupShare)),
    Field("more", INDEX, "Categories that are not listed."),
    *PLACES,
)
GroupWord = record(
    "GroupWord",
    "What is counted more often in a group.",
    Field("name", TEXT),
    Field("share", NUMBER, "Of all that is counted in the group."),
    Field("other_share", NUMBER),
    Field("lift", NUMBER),
    Field("z", NUMBER, "The log odds ratio in standard errors."),
    P,
    *PLACES,
)
GroupSort = enum("GroupSort", *SORTS)
SORT = Field("sort", GroupSort, "The order of features and words.")
RowTable = enum("RowTable", "data", "labels")
RowColumnKind = enum("RowColumnKind", "point", "name", "label", "number", "text", "source", "time")
TABLE = Field("table", RowTable, "All points and their data, or the labeled ones and their labels.")
RowColumn = record(
    "RowColumn",
    "A column of the table of points.",
    Field("title", TEXT),
    Field("kind", RowColumnKind),
)

DESCRIBE = QueryType(
    "describe",
    "What distinguishes points from others; without others, from the rest.",
    arguments=(
        SORT,
        Field("features", COUNT, "How many are listed at most."),
        Field("words", COUNT),
        Field("values", COUNT, "Of each column of categories."),
    ),
    points=("points", "against"),
    fields=(
        Field("size", INDEX),
        Field("others", INDEX),
        Field("features", list_of(GroupFeature)),
        Field("left_out", INDEX, "Features that differ, too, and are not listed."),
        Field("categories", list_of(GroupColumn)),
        Field("words", list_of(GroupWord)),
        Field("words_left_out", INDEX),
        Field("averaged", INDEX, "Images of the group in the mean."),
    ),
    buffers=(
        Field("mean_image", array("|u1"), "A PNG."),
        Field("other_image", array("|u1"), "A PNG."),
        Field("difference", array("|u1"), "A PNG: a color for each sign."),
    ),
)
DESCRIBE_CSV = QueryType(
    "describe_csv",
    "The features and words that `describe` tells of, all of them, as a file.",
    arguments=(SORT,),
    points=("points", "against"),
    fields=(Field("text", TEXT),),
)
ORDER = QueryType(
    "order",
    "The columns of a table of points, and points in the order of one; of none, all points.",
    arguments=(TABLE, Field("column", INDEX), Field("descending", FLAG)),
    points=("points",),
    fields=(
        Field("columns", list_of(RowColumn)),
        Field("left_out", INDEX, "Columns that are not shown."),
        Field("column", INDEX),
        Field("descending", FLAG),
    ),
    buffers=(Field("order", array("<u4")),),
)
ROWS = QueryType(
    "rows",
    "The cells of points; those of number and label are empty.",
    arguments=(TABLE,),
    points=("points",),
    fields=(
        Field("points", list_of(INDEX), "Sorted."),
        Field("cells", list_of(list_of(TEXT)), "Of each point, in the order of the columns."),
    ),
)

SUGGEST_GROUPS = QueryType(
    "suggest_groups",
    "Groups of points that the data suggest, the largest first; of no points, groups of all.",
    arguments=(Field("resolution", NUMBER, "More makes more and smaller groups."),),
    points=("points",),
    fields=(
        Field("colors", list_of(TEXT), "Of each group; as many as there are groups here."),
        Field("typical", list_of(list_of(INDEX)), "Points of each group inside it."),
        Field("border", list_of(list_of(INDEX)), "Points of each that have neighbors in others."),
        Field("nearest", list_of(list_of(INDEX)), "Of each, the groups it has most edges to."),
        Field("left_out", INDEX, "Groups that are not here, which are smaller."),
    ),
    buffers=(Field("codes", array("<i4"), "The group of each point, −1 for none."),),
)

#: The named types of arguments and answers.
TYPES: tuple[Enum | Record, ...] = (
    GroupSort,
    GroupFeature,
    GroupShare,
    GroupColumn,
    GroupWord,
    RowTable,
    RowColumnKind,
    RowColumn,
)

QUERIES: tuple[QueryType, ...] = (
    DESCRIBE,
    DESCRIBE_CSV,
    ORDER,
    ROWS,
    SUGGEST_GROUPS,
)
