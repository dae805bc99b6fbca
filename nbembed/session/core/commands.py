"""The table of commands: everything that a session can do, one entry each.

An entry says what a command is called and takes, what it does to the settings and under which
words that can be undone, how it bears on the motion and which method of the map carries it out,
whether a page may send it, and how it prints in a script. The session's methods
(:mod:`nbembed.session.core.verbs`), the messages of the page, replay and scripts are derived from
this table: a new command is an entry here, and a method of the map
(:data:`~nbembed.session.core.command_entry.MapMethod`) if it does to it what no other command does.
No other file compares the names of commands.

:func:`decide` is a pure function of state and command: a session calls it when a command is given
and a replay calls it again, so both come to the same state.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from nbembed.session.core.arguments import (
    CLASS_NAME,
    COUNT,
    INDEX,
    LABELS,
    MEASURED,
    METHOD,
    NAME,
    NEW_NAME,
    NUMBER,
    PARAMETER_MAP,
    PARAMETERS,
    POINTS,
    SUPERVISION,
    TEXT,
    Argument,
)
from nbembed.session.core.change import Change
from nbembed.session.core.command_effects import (
    at_path_step,
    chosen_method,
    chosen_step,
    counted,
    labels_to_learn,
    no_lines,
    path_text,
    replaced,
    restored,
    seeded_parameters,
    set_text,
    short,
    snapshot_name,
    suggested_labels,
    supervised,
    switched,
    with_parameters,
)
from nbembed.session.core.command_entry import Arguments, Command, Context, Flag
from nbembed.session.core.provenance import Provenance
from nbembed.session.core.session_state import SessionState
from nbembed.session.core.settings import Settings
from nbembed.supervision.class_changes import merged, removed
from nbembed.validation import shown


def command_named(name: str) -> Command:
    """Return the entry of the table.

    Raises ValueError if there is none of that name.
    """
    entry = COMMANDS.get(name)
    if entry is None:
        raise ValueError(f"unknown command {shown(name)}; allowed: {', '.join(sorted(COMMANDS))}")
    return entry


def decide(
    state: SessionState,
    command: str,
    arguments: Arguments,
    context: Context,
    provenance: Provenance | None = None,
) -> SessionState:
    """Return the state after a command; the very same object if it changes nothing.

    * arguments: as the log keeps them.
    * provenance: who gave it, how and when. It decides nothing.

    Raises ValueError if the command is not legal; it names the argument.
    """
    entry = command_named(command)
    after = _after(state, entry, arguments, context)
    if after is state or "travels" in entry.flags:
        return after
    given = entry.name, arguments
    return after.told_by(provenance, state, "gives labels" in entry.flags, given)


def _after(
    state: SessionState, entry: Command, arguments: Arguments, context: Context
) -> SessionState:
    if entry.state is not None:
        return entry.state(state, arguments)
    if entry.settings is None:
        return state
    settings = entry.settings(state.settings, arguments, context)
    text = entry.undo_text(settings, arguments) if entry.undo_text is not None else entry.name
    gesture = entry.gesture(arguments) if entry.gesture is not None else ""
    detail = entry.detail(arguments) if entry.detail is not None else ""
    return state.changed(settings, text, gesture, detail)


_TABLE = (
    Command("play", "Run until convergence.", role="play", script=no_lines),
    Command(
        "pause",
        "Stop after the present iteration; steps not yet done are dropped.",
        role="pause",
        script=no_lines,
    ),
    Command(
        "step",
        "Do ``k`` iterations and pause. Returns at once; later commands wait for the steps.",
        (Argument("k", COUNT, "Number of iterations.", default=1),),
        role="step",
        script=no_lines,
    ),
    Command(
        "reset",
        "Start cold with the present parameters and supervision; recovers from an error.",
        role="reset",
        state=lambda state, a: state.sealed(),
        effect="restart",
        flags=frozenset({"restarts", "clears path"}),
    ),
    Command(
        "reset_optimizer",
        "Clear the optimizer's memory (velocity, search directions) and go on from here.",
        role="memory",
        from_page=False,
        effect="clear_memory",
    ),
    Command(
        "set",
        "Change parameters of the method; only what they invalidate is redone.",
        (
            Argument(
                "parameters",
                PARAMETERS,
                "A number given to a live parameter ends that parameter's schedule. Words such as "
                '"anneal", and parameters that shape only a start, count from the next reset.',
            ),
        ),
        settings=with_parameters,
        undo_text=set_text,
        gesture=lambda a: "set " + " ".join(sorted(a)),
        complete=seeded_parameters,
    ),
    Command(
        "switch",
        "Go on with another method from the present layout; labels and links stay.",
        (
            Argument(
                "method",
                METHOD,
                "A name takes the parameters that this session last had for that method, else its "
                "defaults, and what describes the data from the present one.",
            ),
        ),
        settings=switched,
        undo_text=lambda now, a: f"switch to {a['method']}",
        complete=chosen_method,
        logged=(Argument("method", NAME), Argument("parameters", PARAMETER_MAP)),
        script=lambda writer, a: [f"session.switch({writer.method(a['method'], a['parameters'])})"],
        flags=frozenset({"new cost"}),
    ),
    Command(
        "show_path_step",
        "Show a kept layout of the path and take over its parameter value.",
        (Argument("index", INDEX, "Of the session's ``path``."),),
        role="show",
        settings=at_path_step,
        undo_text=path_text,
        complete=chosen_step,
        logged=(Argument("index", INDEX), Argument("value", MEASURED)),
        script=lambda writer, a: [
            "session.wait()",
            f"session.show_path_step({writer.value(a['index'])})",
        ],
        effect="show_path_step",
        flags=frozenset({"steers", "shows path step"}),
    ),
    Command(
        "label",
        "Label points with a class; a new name is a new class.",
        (
            Argument("points", POINTS),
            Argument("class_", CLASS_NAME, "The class's name.", wire="class"),
            Argument("confidence", NUMBER, "In (0, 1].", default=1.0),
        ),
        settings=supervised(lambda s, a: s.label(a["points"], a["class_"], a["confidence"])),
        undo_text=lambda now, a: f"label {counted(a['points'])} as {a['class_']}",
        detail=lambda a: "" if a["confidence"] == 1 else f"confidence {short(a['confidence'])}",
        flags=frozenset({"gives labels"}),
    ),
    Command(
        "label_each",
        "Label points with a class and a confidence each.",
        (Argument("labels", LABELS, "Of several labels of a point the last counts."),),
        settings=supervised(lambda s, a: s.label_each(a["labels"])),
        undo_text=lambda now, a: f"label {counted(a['labels'])}",
        from_page=False,
        flags=frozenset({"gives labels"}),
    ),
    Command(
        "accept",
        "Label all unlabeled points whose suggestion is at least so sure, as one undoable step.",
        (Argument("confidence", NUMBER, "In (0, 1]: the least to accept.", default=0.9),),
        settings=supervised(lambda s, a: s.label_each(a["labels"])),
        undo_text=lambda now, a: f"accept {counted(a['labels'], 'suggestion')}",
        complete=suggested_labels,
        logged=(Argument("labels", LABELS),),
        script=lambda writer, a: [f"session.label_each({writer.value(a['labels'])})"],
        flags=frozenset({"gives labels", "accepts suggestions"}),
    ),
    Command(
        "must_link",
        "Say that points belong together.",
        (Argument("points", POINTS),),
        settings=supervised(lambda s, a: s.must_link(a["points"])),
        undo_text=lambda now, a: f"link {counted(a['points'])}",
    ),
    Command(
        "cannot_link",
        "Say that the points ``a`` do not belong with the points ``b``.",
        (Argument("a", POINTS), Argument("b", POINTS)),
        settings=supervised(lambda s, a: s.cannot_link(a["a"], a["b"])),
        undo_text=lambda now, a: f"keep {counted(a['a'])} apart from {counted(a['b'])}",
    ),
    Command(
        "pin",
        "Hold points where they are: they attract and repel the others, and do not move.",
        (Argument("points", POINTS),),
        settings=supervised(lambda s, a: s.pin(a["points"])),
        undo_text=lambda now, a: f"pin {counted(a['points'])}",
    ),
    Command(
        "unpin",
        "Let points move again; those that were free stay free.",
        (Argument("points", POINTS),),
        settings=supervised(lambda s, a: s.unpin(a["points"])),
        undo_text=lambda now, a: f"unpin {counted(a['points'])}",
    ),
    Command(
        "forget",
        "Take back all labels, links and pins of points.",
        (Argument("points", POINTS),),
        settings=supervised(lambda s, a: s.forget(a["points"])),
        undo_text=lambda now, a: f"forget {counted(a['points'])}",
    ),
    Command(
        "add_class",
        "Add a class without points.",
        (Argument("name", CLASS_NAME),),
        settings=supervised(lambda s, a: s.add_class(a["name"])),
        undo_text=lambda now, a: f"add the class {a['name']}",
    ),
    Command(
        "rename_class",
        "Give a class another name.",
        (Argument("old", CLASS_NAME), Argument("new", CLASS_NAME)),
        settings=supervised(lambda s, a: s.rename_class(a["old"], a["new"])),
        undo_text=lambda now, a: f"rename {a['old']} to {a['new']}",
    ),
    Command(
        "merge_classes",
        "Make the points of a class points of another; the class is gone.",
        (
            Argument("old", CLASS_NAME, "The class that goes."),
            Argument("into", CLASS_NAME, "The class that stays."),
        ),
        settings=supervised(lambda s, a: merged(s, a["old"], a["into"])),
        undo_text=lambda now, a: f"merge {a['old']} into {a['into']}",
    ),
    Command(
        "remove_class",
        "Remove a class and take back the labels of its points; links and pins stay.",
        (Argument("name", CLASS_NAME),),
        settings=supervised(lambda s, a: removed(s, a["name"])),
        undo_text=lambda now, a: f"remove the class {a['name']}",
    ),
    Command(
        "supervise",
        "Replace all labels, links and pins; ``None`` takes everything back.",
        (Argument("supervision", SUPERVISION),),
        settings=supervised(replaced),
        undo_text=lambda now, a: "set all labels and links",
        from_page=False,
        flags=frozenset({"gives labels"}),
    ),
    Command(
        "learn",
        "Learn from labels now rather than in the background; the map waits.",
        (
            Argument(
                "supervision",
                SUPERVISION,
                "Labels to learn from; by default those of the session.",
                default=None,
            ),
        ),
        role="memory",
        complete=labels_to_learn,
        logged=(Argument("supervision", SUPERVISION),),
        from_page=False,
        effect="learn",
        flags=frozenset({"steers", "learns", "new cost"}),
    ),
    Command(
        "undo",
        "Take back the last change of parameters, supervision or method; the points stay.",
        role="undo",
        state=lambda state, a: state.undone(),
        flags=frozenset({"travels"}),
    ),
    Command(
        "redo",
        "Do again what was undone last.",
        state=lambda state, a: state.redone(),
        flags=frozenset({"travels"}),
    ),
    Command(
        "go_to",
        "Go to a place of the history; the points go back, too, where that is still known.",
        (Argument("number", INDEX, "Of the place, as ``changes`` counts them; 0 is the start."),),
        role="undo",
        state=lambda state, a: state.gone_to(a["number"]),
        effect="go_back",
        flags=frozenset({"travels", "moves points back"}),
    ),
    Command(
        "snapshot",
        "Keep layout, parameters and supervision under a name; return the name.",
        (Argument("name", TEXT, "By default the next number.", default=None),),
        role="record",
        state=lambda state, a: state.with_snapshot(a["name"]),
        complete=snapshot_name,
        logged=(Argument("name", NAME),),
        effect="keep",
        flags=frozenset({"returns name"}),
    ),
    Command(
        "restore",
        "Go back to a snapshot. A converged map is paused there; undo keeps the layout.",
        (Argument("name", TEXT),),
        role="show",
        state=restored,
        effect="restore",
        flags=frozenset({"steers", "clears path"}),
    ),
    Command(
        "rename_snapshot",
        "Give a snapshot another name.",
        (Argument("old", NAME), Argument("new", NEW_NAME)),
        role="record",
        state=lambda state, a: state.with_snapshot_renamed(a["old"], a["new"]),
    ),
    Command(
        "delete_snapshot",
        "Delete a snapshot; undo brings it back.",
        (Argument("name", NAME),),
        role="record",
        state=lambda state, a: state.without_snapshot(a["name"]),
    ),
    Command(
        "save_selection",
        "Save points under a name, in place of those that were saved under it.",
        (Argument("name", NEW_NAME), Argument("points", POINTS)),
        role="record",
        state=lambda state, a: state.with_selection(a["name"], a["points"]),
    ),
    Command(
        "delete_selection",
        "Delete a saved selection; its points and their labels stay as they are.",
        (Argument("name", NEW_NAME),),
        role="record",
        state=lambda state, a: state.without_selection(a["name"]),
    ),
)

#: The commands by name.
COMMANDS: Mapping[str, Command] = MappingProxyType({entry.name: entry for entry in _TABLE})

#: Events that only start and stop the motion; they never change what is computed.
MOTION = frozenset({"rest", *(name for name, entry in COMMANDS.items() if entry.is_motion)})


def has_flag(event: str, flag: Flag) -> bool:
    """Return whether an event of a log is a command with this flag."""
    return event in COMMANDS and flag in COMMANDS[event].flags


def change_to(command: str, arguments: Arguments, old: Settings, new: Settings) -> Change:
    """Return the effect of a command where there is no session, and so no history."""
    return Change(command_named(command), arguments, SessionState(old), SessionState(new))
