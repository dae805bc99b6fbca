"""Whether two sessions are the same: layouts to the bit, everything else by value."""

from __future__ import annotations

from nbembed.session import Session

#: What a session and its replay have in common beside parameters and layout.
SAME = ("method_name", "iteration", "supervision", "undo_text", "redo_text", "snapshots")


def differences(one: Session, other: Session, *, moved: bool = True) -> str:
    """Return what differs between two sessions at rest, "" if nothing.

    Parameters
    ----------
    one, other : Session
    moved : bool
        Whether the layout, and the live values that come with it, are compared too.
    """
    found = [
        f"{name} ({getattr(one, name)!r}, {getattr(other, name)!r})"[:200]
        for name in SAME
        if getattr(one, name) != getattr(other, name)
    ]
    if not moved:
        return ", ".join(found)
    ours, theirs = one.parameters, other.parameters
    found += [
        f"{name} ({ours.get(name)!r}, {theirs.get(name)!r})"
        for name in sorted(ours.keys() | theirs.keys())
        if ours.get(name) != theirs.get(name)
    ]
    if one.embedding.tobytes() != other.embedding.tobytes():
        found.append("embedding")
    return ", ".join(found)
