"""Queries about why points lie where they lie."""

from __future__ import annotations

from nbembed.objectives.cost_terms import ROLES
from nbembed.session.readings.point_measures import MEASURES
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
    enum,
    list_of,
    nullable,
    record,
)

POINTS, FLOATS = array("<u4"), array("<f4")
PLACE = list_of(NUMBER, 2)


Measure = enum("Measure", *MEASURES, list_name="MEASURES")
Role = enum("Role", *ROLES)
ForceTerm = record(
    "ForceTerm",
    "A term of the cost, and what it does to a point.",
    Field("name", TEXT),
    Field("formula", TEXT),
    Field("role", Role),
    Field("cost", nullable(NUMBER), "The value of the whole term."),
    Field("force", PLACE, "On the plane of the map."),
    Field("length", NUMBER, "Of the force, in all dimensions."),
)
QualityChange = record(
    "QualityChange",
    "The mean of a measure, of this map and of the one without labels.",
    Field("name", Measure),
    Field("here", nullable(NUMBER)),
    Field("unsupervised", nullable(NUMBER)),
)
#: Of the layout that an answer is of, as frames have it.
VERSION = Field("version", INDEX)
#: Other maps that stability is of.
OTHER_MAPS = Field("made", INDEX, "Other maps that there are."), Field("of", INDEX)

WHY = (
    QueryType(
        "neighborhood",
        "A point's neighbors in the data and on the map.",
        (Field("point", INDEX), Field("k", COUNT)),
        fields=(
            Field("point", INDEX),
            Field("k", COUNT),
            VERSION,
            Field("trustworthiness", nullable(NUMBER)),
            Field("continuity", nullable(NUMBER)),
        ),
        buffers=(
            Field("kept", POINTS, "Nearest in the data first."),
            Field("missing", POINTS, "Nearest in the data first."),
            Field("false", POINTS, "Nearest on the map first."),
            Field("missing_ranks", POINTS, "On the map."),
            Field("false_ranks", POINTS, "In the data."),
        ),
    ),
    QueryType(
        "forces",
        "The terms of the cost, and the force of each on a point.",
        (Field("point", INDEX),),
        fields=(
            Field("point", INDEX),
            VERSION,
            Field("equation", TEXT, "Lines; empty where the method does not say."),
            Field("cost", nullable(NUMBER), "The sum of the terms."),
            Field("terms", list_of(ForceTerm)),
            Field("total", PLACE),
            Field("total_length", NUMBER),
            Field("pinned", FLAG),
        ),
    ),
    QueryType(
        "measure",
        "A measure of each point. It may be of an older layout, and empty, until it is ready.",
        (Field("measure", Measure), Field("k", COUNT)),
        fields=(
            Field("name", Measure),
            Field("k", COUNT),
            VERSION,
            Field("ready", FLAG),
            Field("mean", nullable(NUMBER)),
            *OTHER_MAPS,
        ),
        buffers=(Field("values", FLOATS),),
    ),
    QueryType(
        "recurrence",
        "In how many other maps, which are made if need be, a group is together.",
        points=("points",),
        fields=(Field("together", INDEX), Field("ready", FLAG), *OTHER_MAPS),
    ),
    QueryType(
        "unsupervised",
        "The map without labels, which is made if need be.",
        (Field("k", COUNT),),
        fields=(
            Field("ready", FLAG),
            Field("iteration", INDEX, "Of the map, so far."),
            Field("qualities", list_of(QualityChange), "Empty until they are measured."),
        ),
        buffers=(Field("positions", FLOATS, "Laid on the present map: x, y for each point."),),
    ),
)

#: The named types of arguments and answers.
TYPES: tuple[Enum | Record, ...] = (
    Measure,
    Role,
    ForceTerm,
    QualityChange,
)

QUERIES: tuple[QueryType, ...] = (*WHY,)
