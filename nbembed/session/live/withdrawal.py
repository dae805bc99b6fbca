"""Take back changes that wait for affinities, as if they had never been given.

What has not taken effect is in no log, so it can be taken out of the queue. The commands that were
given after it are decided again without it: no label is lost.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from nbembed.session.core.command_entry import Context
from nbembed.session.core.commands import decide
from nbembed.session.core.session_state import SessionState
from nbembed.session.live.records import QueuedCommand


def is_withdrawn(queued: QueuedCommand) -> bool:
    """Return whether a command changes the method or its parameters so as to need affinities."""
    change = queued.change
    same = change.old.settings.same_recipe(change.new.settings)
    return not same and change.needs_affinities


def without_waiting(
    queue: Iterable[QueuedCommand], context: Context
) -> tuple[list[QueuedCommand], SessionState]:
    """Return a queue without the changes that need affinities, and the state after it.

    Commands that are not possible without them go, too. The queue must not be empty.
    """
    commands = list(queue)
    state = commands[0].change.old
    kept: list[QueuedCommand] = []
    steps: list[object] = []  # of the history, which only the withdrawn changes have made
    for queued in commands:
        change, entry = queued.change, queued.entry
        past, now = change.old.history.past, change.new.history.past
        one_back = "travels" in entry.flags and len(now) == len(past) - 1
        undoes = one_back and any(past[-1] is step for step in steps)
        if is_withdrawn(queued) or undoes:
            steps += (step for step in now[-1:] if not any(step is other for other in past))
            continue
        if entry.is_motion:
            after = state
        else:
            try:
                after = decide(state, entry.name, change.arguments, context, queued.provenance)
            except (ValueError, TypeError):
                continue
        kept.append(replace(queued, change=replace(change, old=state, new=after)))
        state = after
    return kept, state
