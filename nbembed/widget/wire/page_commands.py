"""The commands that a page may send: those of the session's table, and those of the view.

A command has a ``request`` number, and its reply repeats it; an error is a reply too. From this
table come the checks of incoming commands (``protocol``), the command calls (``dispatcher``) and
the page's types (``typescript``). Traits and messages are in ``schema``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from nbembed.session.core.command_entry import Command
from nbembed.session.core.commands import COMMANDS as SESSION_COMMANDS
from nbembed.widget.wire import class_types
from nbembed.widget.wire.comparison_types import CompareView
from nbembed.widget.wire.schema import Background, ColorMode
from nbembed.widget.wire.wire_types import COUNT, FLAG, INDEX, NUMBER, TEXT, Field, Type


@dataclass(frozen=True)
class CommandType:
    """A command and the arguments that it carries.

    * name: also of the method that carries it out.
    * arguments: those that travel as JSON, named as on the wire.
    * points: the sets of points, each a buffer of its own.
    * parameters: whether it takes, instead of ``arguments``, any number of named finite numbers.
    * keywords: from names on the wire to keywords of the method, where they differ.
    """

    name: str
    doc: str
    arguments: tuple[Field, ...] = ()
    points: tuple[str, ...] = ()
    parameters: bool = False
    keywords: Mapping[str, str] = field(default_factory=dict)


#: Types of the arguments of session commands, by their kind; others are no business of a page.
ARGUMENT_TYPES: Mapping[str, Type] = {
    "text": TEXT,
    "method": TEXT,
    "number": NUMBER,
    "count": COUNT,
    "index": INDEX,
}


def command_type(command: Command) -> CommandType:
    """Return the type on the wire of a session's command."""
    plain = [a for a in command.arguments if a.kind.name not in ("points", "parameters")]
    return CommandType(
        command.name,
        command.summary,
        tuple(
            Field(a.wire_name, ARGUMENT_TYPES[a.kind.name], a.doc, not a.required) for a in plain
        ),
        tuple(a.wire_name for a in command.arguments if a.kind.name == "points"),
        any(a.kind.name == "parameters" for a in command.arguments),
        {a.wire_name: a.name for a in command.arguments if a.wire_name != a.name},
    )


#: Commands that concern the view and not the session.
VIEW_COMMANDS: Mapping[str, CommandType] = {
    command.name: command
    for command in (
        CommandType(
            "select",
            "Select points.",
            (Field("by", TEXT, "What they were chosen with, such as 'lasso'.", optional=True),),
            points=("points",),
        ),
        CommandType(
            "color_by", "Choose what colors the unlabeled points.", (Field("mode", ColorMode),)
        ),
        CommandType(
            "color_by_column",
            "Choose the column that colors the points.",
            (Field("column", INDEX, "Of those that `color_columns` or `find_columns` lists."),),
        ),
        CommandType(
            "check_suggestions",
            "Draw points at random to ask for.",
            (
                Field("size", COUNT),
                Field("confidence", NUMBER, "Of the suggestions that are checked, at least."),
            ),
        ),
        CommandType("show_cards", "Keep the cards of these points open.", points=("points",)),
        CommandType("show_names", "Show or hide names on the map.", (Field("shown", FLAG),)),
        CommandType("show_thumbnails", "Show or hide images on the map.", (Field("shown", FLAG),)),
        CommandType("size_panel", "Give the panel a width.", (Field("width", INDEX),)),
        CommandType(
            "show_unsupervised", "Show or hide the map without labels.", (Field("shown", FLAG),)
        ),
        CommandType(
            "set_word", "Change a parameter to a word.", (Field("name", TEXT), Field("word", TEXT))
        ),
        CommandType("style_class", "Give a class another look or place.", class_types.CHANGES),
        CommandType("end_check", "Forget the points that were drawn; their labels stay."),
        CommandType(
            "compare",
            "Compare the map, or a snapshot, with a snapshot.",
            (
                Field("snapshot", TEXT),
                Field("onto", TEXT, "The first one; by default the present map.", optional=True),
            ),
        ),
        CommandType(
            "compare_live",
            "Compare the map with a second live map of a method.",
            (Field("method", TEXT, "A second map there is goes on with it."),),
        ),
        CommandType(
            "show_comparison",
            "Choose how two maps are compared.",
            (Field("view", CompareView), Field("by_change", FLAG)),
        ),
        CommandType("end_comparison", "Show one map again; a second live map ends."),
        CommandType("set_second", "Change parameters of the second map.", parameters=True),
        CommandType("reset_second", "Start the second map again."),
        CommandType("take_over_second", "Give the map the second one's method and parameters."),
        CommandType("map_of", "Make a map of some points alone.", points=("points",)),
        CommandType(
            "close_map",
            "Close a map of some points; its labels stay.",
            (Field("widget", TEXT, "Of those in `child_maps`."),),
        ),
        CommandType(
            "prepare_column",
            "Make a map in which a column of the table is used like this.",
            (
                Field("column", INDEX, "Of those that `data_columns` lists."),
                Field("embedded", FLAG),
                Field("weight", NUMBER),
                Field("log", FLAG),
            ),
        ),
        CommandType(
            "standardize", "Make a map whose numbers are scaled, or not.", (Field("on", FLAG),)
        ),
        CommandType(
            "cancel", "Give up what is done in the background.", (Field("what", Background),)
        ),
    )
}
#: All that a page may ask for.
COMMANDS: Mapping[str, CommandType] = {
    **{name: command_type(c) for name, c in SESSION_COMMANDS.items() if c.from_page},
    **VIEW_COMMANDS,
}
