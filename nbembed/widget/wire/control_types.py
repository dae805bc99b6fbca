"""Types of what a page shows of a method: its name, its sliders and its other parameters."""

from __future__ import annotations

from nbembed.widget.wire.wire_types import (
    COUNT,
    FLAG,
    NUMBER,
    TEXT,
    Enum,
    Field,
    Record,
    enum,
    list_of,
    record,
)

SliderScale = enum("SliderScale", "linear", "log")
Control = record(
    "Control",
    "A slider for a live parameter.",
    Field("name", TEXT, "The parameter, as the command `set` names it."),
    Field("symbol", TEXT),
    Field("low", NUMBER),
    Field("high", NUMBER),
    Field("scale", SliderScale),
    Field("step", NUMBER),
    Field("usual", NUMBER, "Where a double click brings it back."),
    Field("enabled", FLAG),
    Field("description", TEXT),
    Field("needs", TEXT, "What it has no effect without; empty while it has one."),
)
Prepared = record(
    "Prepared",
    "A parameter that the map is prepared with, which has no slider.",
    Field("name", TEXT, "The parameter, as the command `set` names it."),
    Field("title", TEXT),
    Field("value", TEXT),
    Field("words", list_of(TEXT), "What it may be, if it is no number."),
    Field("description", TEXT),
    Field("cost", TEXT, "What a change costs, to be said before it."),
)
ClassCount = record(
    "ClassCount",
    "The number of classes, where it is a parameter of the method.",
    Field("name", TEXT, "The parameter, as the command `set` names it."),
    Field("value", COUNT),
    Field("low", COUNT),
)
MethodGroup = record(
    "MethodGroup",
    "Methods that the chooser lists under one title.",
    Field("title", TEXT),
    Field("names", list_of(TEXT)),
    Field("sentences", list_of(TEXT), "What each of them does, or empty."),
)
TYPES: tuple[Enum | Record, ...] = (SliderScale, Control, Prepared, ClassCount, MethodGroup)
