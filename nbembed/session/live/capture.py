"""Records of a session: what a file stores, now or as of the worker's last turn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbembed.session.core.commands import MOTION
from nbembed.session.live.records import LastTurn, SessionRecord
from nbembed.session.live.withdrawal import is_withdrawn

if TYPE_CHECKING:
    from nbembed.session.core.events import Event
    from nbembed.session.live.mailbox import Mailbox


def recorded_now(mailbox: Mailbox) -> SessionRecord:
    """Return a session's record; no turn may be under way."""
    with mailbox.lock:
        return _record(mailbox, mailbox.turned(), [], 0)


def recorded_after_last_turn(mailbox: Mailbox, *, makes_affinities: bool) -> SessionRecord:
    """Return a session's record as of the worker's last turn.

    ``makes_affinities`` says whether commands are known to wait for affinities.
    """
    with mailbox.lock:
        seen, due = mailbox.last_turn, 0
        begun = [e for e in mailbox.events[seen.n_events :] if e.command not in MOTION]
        if not mailbox.machine.steps_left and not makes_affinities:
            cold = seen.run_state.cold
            # Whether there are affinities for it nobody has looked at yet.
            stops = (q.steps or (is_withdrawn(q) and not cold) for q in mailbox.queue)
            due = next((i for i, stop in enumerate(stops) if stop), len(mailbox.queue))
        return _record(mailbox, seen, begun, len(begun) + due)


def _record(mailbox: Mailbox, seen: LastTurn, begun: list[Event], n_due: int) -> SessionRecord:
    """Return the record after a turn; the queue follows the commands begun since."""
    return SessionRecord(
        seen.session_state,
        mailbox.machine.shown,
        [*begun, *(queued.as_event(seen.run_state.iteration) for queued in mailbox.queue)],
        seen.run_state,
        seen.trace[: seen.n_records],
        seen.path,
        seen.snapshots,
        mailbox.events[: seen.n_events],
        seen.cost,
        seen.quality,
        n_due,
    )
