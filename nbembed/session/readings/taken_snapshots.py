"""The snapshots that a session has taken, by their present names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nbembed.session.core.snapshot_names import require_snapshot
from nbembed.validation import shown

if TYPE_CHECKING:
    from nbembed.session.live.controller import Controller
    from nbembed.session.map.snapshots import Snapshot


def find_snapshot(controller: Controller, name: str) -> Snapshot:
    """Return a snapshot of a session; see :meth:`Session.get_snapshot`."""
    number = require_snapshot(controller.mailbox.session_state.snapshots, name).number
    found = controller.engine.snapshots.get(number)
    if found is None:
        controller.capture()  # once the commands given before have taken effect
        found = controller.engine.snapshots.get(number)
    if found is None:
        raise RuntimeError(f"the snapshot {shown(name)} is not taken yet: commands before it wait")
    return found.called(name)


def taken_snapshots(controller: Controller) -> tuple[Snapshot, ...]:
    """Return the snapshots that have been taken and not been deleted, by their present names."""
    taken = controller.engine.snapshots
    names = controller.mailbox.session_state.snapshots.items()
    return tuple(taken[kept.number].called(name) for name, kept in names if kept.number in taken)
