"""The one schema of the wire between an Explorer and the pages that show it.

Synced *traits* hold what survives a reload of the page; Python alone writes them, except
``revision``, which only tells a host that something has changed. Custom *messages*
carry the rest: layouts in motion and replies to the page, acknowledgments and commands from it.
Every message from a page names its ``client``, a word that the page makes up when it loads, because
several pages may show one widget. No message has a key ``id``: ipykernel keeps such messages until
it has seen a reply.

From these tables come the widget's traits (``explorer``), the checks of incoming messages
(``protocol``) and the page's types and signals (``typescript``, which writes
``frontend/src/wire/wire.generated.ts``). What the page may ask for is in ``page_commands``; what it
may ask to know is in ``queries``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nbembed.session.readings.point_measures import MEASURES
from nbembed.widget.wire import card_types, class_types, control_types, queries
from nbembed.widget.wire.card_types import CardClass, CardNeighbor, CardRow
from nbembed.widget.wire.class_types import ClassInfo
from nbembed.widget.wire.comparison_types import Compared, SnapshotInfo
from nbembed.widget.wire.control_types import ClassCount, Control, MethodGroup, Prepared
from nbembed.widget.wire.traits import points_trait
from nbembed.widget.wire.wire_types import (
    CHOICE,
    COUNT,
    FLAG,
    INDEX,
    NUMBER,
    POINT,
    TEXT,
    Enum,
    Field,
    Record,
    Type,
    array,
    enum,
    list_of,
    mapping_of,
    nullable,
    record,
)

FLOATS, CODES, POINTS, BYTES = array("<f4"), array("<i4"), array("<u4"), array("|u1")
CLASSES = array("<u2")
PLACES = list_of(list_of(NUMBER, 2))
LINES = list_of(list_of(NUMBER, 4))
NAMES = list_of(TEXT)
GROUP = list_of(INDEX)
#: Traits that are sets of points in Python, too.
POINT_SETS = ("selection", "cards")

# -- named types ------------------------------------------------------------------------------

RunState = enum("RunState", "idle", "running", "paused", "converged", "failed")
ColorMode = enum("ColorMode", "column", "class", "probability", "suggestion", *MEASURES)
Background = enum(
    "Background", "making", "learning", "suggestions", "groups", "unsupervised", "stability"
)
ColumnKind = enum("ColumnKind", "none", "category", "number", "time")
SecondMap = record(
    "SecondMap",
    "A second live map of the same data on the same labels.",
    Field("method", TEXT),
    Field("controls", list_of(Control)),
    Field("parameters", mapping_of(nullable(NUMBER)), "Values of the live parameters."),
    Field("state", RunState),
    Field("making", TEXT, "What is being made before it can go on, and how far."),
    Field("problem", TEXT, "What stopped it, or why it does not have the newest labels."),
)
PathStep = record(
    "PathStep",
    "A layout kept by the schedule.",
    Field("value", NUMBER, "Of the parameter that the path follows."),
    Field("criterion", nullable(NUMBER), "Layouts compete by it; null does not compete."),
)
ColorColumn = record(
    "ColorColumn",
    "The column to color by; its values are in `color_values`.",
    Field("kind", ColumnKind),
    Field("title", TEXT),
    Field("names", NAMES, "Of the categories."),
    Field("colors", NAMES, "Of the categories."),
    Field(
        "origin",
        NUMBER,
        "What is to be added to numbers and times that lie far from zero, by default nothing.",
        optional=True,
    ),
)
SuggestionState = enum("SuggestionState", "none", "making", "ready", "failed")
SuggestionCheck = record(
    "SuggestionCheck",
    "A random sample of points that a person is asked for.",
    Field("points", GROUP, "In the order in which they are asked."),
    Field("answers", list_of(CHOICE), "The class given to each, −1 for none."),
    Field("answered", INDEX, "How many have an answer."),
    Field("accuracy", nullable(NUMBER), "Share of the answers that agree with what was suggested."),
    Field("low", NUMBER, "Lower end of the accuracy's 95 % interval."),
    Field("high", NUMBER),
    Field("confidence", NUMBER, "How sure the suggestions at least are that it is of."),
)
ChildMap = record(
    "ChildMap",
    "A map of some points that a page has opened, of all and new rows, or of other features.",
    Field("widget", TEXT, "Its Explorer, as the host of widgets knows it."),
    Field("name", TEXT),
    Field("new", INDEX, "How many new rows it has."),
    Field("prepared", FLAG, "Whether its rows are the same, prepared otherwise."),
    Field("place", INDEX, "Its own among them; a map that replaces it takes it over."),
)
SavedSelection = record(
    "SavedSelection",
    "Points that were saved by name.",
    Field("name", TEXT),
    Field("count", COUNT, "How many they are."),
)
TYPES: tuple[Enum | Record, ...] = (
    RunState, ColorMode, Background, ColumnKind, *class_types.TYPES,
    *control_types.TYPES, PathStep, ColorColumn, ChildMap, SavedSelection, SecondMap,
    SuggestionState, SuggestionCheck, *card_types.TYPES,
    *queries.TYPES,
)  # fmt: skip

# -- synced traits ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Trait:
    """A synced trait: its name on both sides, type, default value and meaning.

    * from_page: whether a page may write it. What a person changes is a command instead, which the
      kernel checks, and which can be refused.
    """

    name: str
    type: Type
    default: Any
    doc: str = ""
    from_page: bool = False

    def make(self) -> Any:
        """Return a new traitlet for the widget's class."""
        if self.type is POINTS and self.name in POINT_SETS:
            return points_trait()
        return self.type.trait(self.default).tag(sync=True)


TRAITS: Mapping[str, Trait] = {
    trait.name: trait
    for trait in (
        Trait("n_samples", INDEX, 0),
        Trait("height", INDEX, 640, "Of tools, map and panel together, in CSS pixels."),
        Trait("coordinates", FLOATS, b"", "Layout at rest: x, y for each point."),
        Trait("membership_colors", BYTES, b"", "RGBA for each point, or empty."),
        Trait("directions", PLACES, [], "Class directions on the plane of the map."),
        Trait("direction_colors", NAMES, [], "Also of classes without a name."),
        Trait("centers", PLACES, [], "Places of class centers, if the method has them."),
        Trait("center_names", NAMES, []),
        Trait("center_colors", NAMES, []),
        Trait("borders", LINES, [], "Lines x, y, x', y' between the regions of classes."),
        Trait("label_codes", CODES, b"", "Index of each point's class, −1 for unlabeled points."),
        Trait("label_confidence", FLOATS, b"", "Of each point's label, 0 for unlabeled points."),
        Trait("classes", list_of(ClassInfo), []),
        Trait("links", list_of(GROUP), [], "Groups of must-linked points."),
        Trait("cannot_links", list_of(list_of(GROUP)), [], "Pairs of groups of points."),
        Trait("pinned", POINTS, b"", "Indices of pinned points."),
        Trait(
            "color_column",
            ColorColumn,
            {"kind": "none", "title": "", "names": [], "colors": []},
        ),
        Trait(
            "color_values",
            FLOATS,
            b"",
            "Category index of each point (−1: missing) or number (NaN: missing).",
        ),
        Trait(
            "color_columns",
            NAMES,
            [],
            "Titles of the columns that can color the points; empty where these are too many.",
        ),
        Trait("color_column_count", INDEX, 0, "How many can; `find_columns` finds them."),
        Trait("color_by", ColorMode, "class", "What colors the unlabeled points."),
        Trait("selection", POINTS, b"", "Indices of selected points."),
        Trait("selections", list_of(SavedSelection), [], "Selections that were saved by name."),
        Trait("new_rows", POINTS, b"", "Indices of the rows that were added last."),
        Trait("cards", POINTS, b"", "Indices of points whose cards are kept open."),
        Trait("explained", POINT, -1, "The point at which the tab Why opens, −1 for none."),
        Trait(
            "unsupervised_shown", FLAG, False, "Whether the tab Why shows the map without labels."
        ),
        Trait(
            "data_note", TEXT, "", "The note on the data that are embedded and their preparation."
        ),
        Trait("named", FLAG, False, "Whether points have names that the map can show."),
        Trait("names_shown", FLAG, True, "Whether the map shows names where there is room."),
        Trait("imaged", FLAG, False, "Whether points have images."),
        Trait("own_figure", INDEX, 0, "The number of the user's own figure, 0 without one."),
        Trait("thumbnails_shown", FLAG, True, "Whether the map shows images where there is room."),
        Trait("sidebar_width", INDEX, 0, "In CSS pixels, as far as there is room; 0: as usual."),
        Trait("method", TEXT, ""),
        Trait("quality_metric", TEXT, "", "In which cards and quality have neighbors in the data."),
        Trait("methods", NAMES, []),
        Trait("method_groups", list_of(MethodGroup), []),
        Trait("controls", list_of(Control), []),
        Trait("prepared", list_of(Prepared), []),
        Trait("parameters", mapping_of(nullable(NUMBER)), {}, "Values of the live parameters."),
        Trait("class_count", nullable(ClassCount), None),
        Trait("state", RunState, "idle"),
        Trait("iteration", INDEX, 0),
        Trait("cost", nullable(NUMBER), None, "In nats."),
        Trait("quality", nullable(NUMBER), None, "Share of points that keep their 1-NN."),
        Trait("error", TEXT, "", "What stopped the worker."),
        Trait("compiling", FLAG, False, "Whether kernels are compiled: once for an installation."),
        Trait("learning", TEXT, "", "What is being learned from labels in the background."),
        Trait("making", TEXT, "", "What is being made before the map can go on, and how far."),
        Trait("making_share", nullable(NUMBER), None, "Share that is done; null if not counted."),
        Trait("meanwhile", TEXT, "", "What the map does until it is made."),
        Trait("remark", TEXT, "", "What was noticed while affinities were made."),
        Trait("learning_error", TEXT, "", "Why the newest labels cannot be learned from."),
        Trait("request", TEXT, "", "What the method needs from the person."),
        Trait("worse_optimum", TEXT, "", "That a new start would reach a lower cost."),
        Trait("polled", FLAG, False, "Whether the page must ask for news."),
        Trait("reactive", FLAG, False, "Whether the host runs cells when the page writes a trait."),
        Trait(
            "revision",
            INDEX,
            0,
            "Counts changes of selection and supervision, for such a host.",
            from_page=True,
        ),
        Trait("saved_to", TEXT, "", "The file to which the session is saved by itself."),
        Trait("save_error", TEXT, "", "Why it could not be saved the last time."),
        Trait("undo", TEXT, "", "What undo takes back."),
        Trait("redo", TEXT, "", "What redo does again."),
        Trait("history", FLOATS, b"", "Cost curve: iteration, cost for each point of the curve."),
        Trait("path", list_of(PathStep), []),
        Trait("path_symbol", TEXT, "", "Of the parameter that the path follows."),
        Trait("chosen_step", CHOICE, -1, "Step of the path that the map shows, −1 for none."),
        Trait("snapshots", list_of(SnapshotInfo), [], "Oldest first."),
        Trait("compared", nullable(Compared), None, "What the map is compared with."),
        Trait("second", nullable(SecondMap), None, "The second live map."),
        Trait("child_maps", list_of(ChildMap), [], "Maps of some points, oldest first."),
    )
}

#: Traits that a page may write; all others, those of the base classes too, only Python writes.
WRITABLE_BY_PAGE = frozenset(trait.name for trait in TRAITS.values() if trait.from_page)

# -- messages ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class MessageType:
    """A custom message: its fields beside ``type``, and its buffers in order."""

    type: str
    doc: str
    fields: tuple[Field, ...]
    buffers: tuple[Field, ...] = ()

    def check(self, content: Mapping[str, Any]) -> None:
        """Raise ValueError, naming the field, unless ``content`` has all fields in their types."""
        for f in self.fields:
            if f.name in content:
                f.check(content[f.name])
            elif not f.optional:
                raise ValueError(f"{f.name} is missing")


def _of_trait(name: str, *, optional: bool = False) -> Field:
    return Field(name, TRAITS[name].type, TRAITS[name].doc, optional)


#: Two float32 or two 16-bit numbers a point; the frame's ``range`` says which.
FRAME_POSITIONS = array("<u2")
CLIENT = Field("client", TEXT, "The page.")
REQUEST = Field("request", COUNT, "The command's number; each page counts its own.")

FRAME = MessageType(
    "frame",
    "A layout. Fields with the name of a trait stand for its newest value.",
    (
        Field("seq", COUNT, "The frame's number, which the page acknowledges."),
        Field("version", COUNT, "Grows with every layout of the session."),
        Field("applied", mapping_of(INDEX), "For each page, its newest request in this layout."),
        _of_trait("state"),
        _of_trait("iteration"),
        _of_trait("cost"),
        _of_trait("quality", optional=True),
        _of_trait("parameters", optional=True),
        _of_trait("directions"),
        _of_trait("direction_colors"),
        _of_trait("centers"),
        _of_trait("center_names"),
        _of_trait("center_colors"),
        _of_trait("borders"),
        Field(
            "range",
            list_of(NUMBER, 4),
            "Left, bottom, right, top. With it, positions are 16-bit steps of it, else float32.",
            optional=True,
        ),
    ),
    (
        Field("positions", FRAME_POSITIONS),
        Field("membership_colors", BYTES, optional=True),
    ),
)
REPLY = MessageType(
    "reply",
    "The answer to a command, or to a message that could not be read.",
    (
        CLIENT,
        Field("request", INDEX, "The command's number, 0 for what was no command."),
        Field("ok", FLAG),
        Field("error", nullable(TEXT)),
    ),
)
#: Steps of a confidence in [0, 1] on the wire; a threshold on one of them is compared exactly.
SURENESS_STEPS = 200
SUGGESTIONS = MessageType(
    "suggestions",
    "What is suggested from the labels so far. Without arrays the page has none.",
    (
        Field("state", SuggestionState),
        Field("error", TEXT, "Why there are none."),
        Field("making", TEXT, "What takes long and how much of it is done; empty if nothing."),
        Field("share", nullable(NUMBER), "Share that is done; null if not counted."),
        Field("check", nullable(SuggestionCheck)),
    ),
    (
        Field("suggested", CLASSES, "Index of the class that is suggested for each point.", True),
        Field(
            "sureness",
            BYTES,
            f"1 + the confidence in steps of 1/{SURENESS_STEPS}; 0 where no class is suggested.",
            True,
        ),
        Field("doubtful", POINTS, "Unlabeled points, the most doubtful first.", True),
        Field("second", CLASSES, "The second likeliest class of each of these.", True),
        Field("suspicious", POINTS, "Labeled points, the most suspicious label first.", True),
        Field(
            "instead", CLASSES, "The class that the other labels suggest for each of these.", True
        ),
        Field("foretold", BYTES, "As `sureness`, of labels that the others foretell.", True),
        Field("rightly", BYTES, "Whether they foretell each of these rightly.", True),
    ),
)
CARD = MessageType(
    "card",
    "What is known of a point. It may come a second time, with neighbors.",
    (
        CLIENT,
        Field("point", INDEX),
        Field("name", TEXT, "Empty where points have no names."),
        Field("rows", list_of(CardRow)),
        Field("left_out", INDEX, "The number of columns without a row."),
        Field("neighbors", nullable(list_of(CardNeighbor)), "null while they are searched."),
        Field("high", NAMES, "Features in which it is unusually high, as its neighbors are."),
        Field("low", NAMES),
        Field("labeled", list_of(CardClass), "The classes of the nearest labeled points."),
        Field("problem", TEXT, "Why its image cannot be shown."),
    ),
    (Field("image", BYTES, "A PNG.", True),),
)
POINT_NAMES = MessageType(
    "names",
    "Names of points.",
    (CLIENT, Field("points", GROUP), Field("names", NAMES)),
)
NAMED_VALUES = Type("object", lambda v: isinstance(v, Mapping), "an object")
ANSWER = MessageType(
    "answer",
    "The answer to a query; the query's type says which fields and buffers it has.",
    (
        CLIENT,
        REQUEST,
        Field("name", TEXT),
        Field("error", nullable(TEXT), "Why there is no answer; fields and buffers are empty."),
        Field("fields", NAMED_VALUES),
    ),
)
TO_PAGE: Mapping[str, MessageType] = {
    message.type: message for message in (FRAME, REPLY, SUGGESTIONS, CARD, POINT_NAMES, ANSWER)
}

FROM_PAGE: Mapping[str, MessageType] = {
    message.type: message
    for message in (
        MessageType("hello", "The page has loaded the widget.", (CLIENT,)),
        MessageType("poll", "What could not be sent by itself may be sent now.", (CLIENT,)),
        MessageType("bye", "The page has dropped the widget.", (CLIENT,)),
        MessageType("visible", "Whether a view is on screen.", (CLIENT, Field("visible", FLAG))),
        MessageType(
            "views", "How many views of the widget the page has.", (CLIENT, Field("count", INDEX))
        ),
        MessageType(
            "suggesting",
            "Whether the page shows suggestions; they are sent to no other.",
            (CLIENT, Field("shown", FLAG)),
        ),
        MessageType(
            "precision",
            "Whether the page needs coordinates in full precision, being zoomed in far.",
            (CLIENT, Field("full", FLAG)),
        ),
        MessageType(
            "inspect", "The card of a point is asked for.", (CLIENT, Field("point", INDEX))
        ),
        MessageType("naming", "Names are asked for.", (CLIENT, Field("points", GROUP))),
        MessageType("ack", "All frames up to one were drawn.", (CLIENT, Field("seq", INDEX))),
        MessageType(
            "command",
            "Something that the person did; its sets of points are the buffers.",
            (
                CLIENT,
                REQUEST,
                Field("name", TEXT),
                Field("arguments", NAMED_VALUES, optional=True),
            ),
        ),
        MessageType(
            "query",
            "Something that the page wants to know; its sets of points are the buffers.",
            (
                CLIENT,
                REQUEST,
                Field("asker", INDEX, "Its query overtakes older ones of the same asker."),
                Field("name", TEXT),
                Field("arguments", NAMED_VALUES, optional=True),
            ),
        ),
    )
}
