"""Whether two sessions are the same: layouts to the bit, everything else by value."""

from __future__ import annotations

from nbembed.session import Session

#: What a session and its replay have in common.
REPLAYED = (
    "method_name",
    "iteration",
    "supervision",
    "parameters",
    "undo_text",
    "redo_text",
    "snapshots",
)


def differences(one: Session, other: Session, layout: bool = True) -> str:
    """Return what differs between two sessions at rest, "" if nothing; the layout on request."""
    found = [name for name in REPLAYED if getattr(one, name) != getattr(other, name)]
    if layout and one.embedding.tobytes() != other.embedding.tobytes():
        found.append("embedding")
    return ", ".join(found)
