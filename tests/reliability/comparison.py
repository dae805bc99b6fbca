"""Whether two sessions are the same: layouts to the bit, everything else by value."""

from __future__ import annotations

from nbembed.session import Session

#: What a session and its replay have in common beside parameters and layout.
SAME = ("method_name", "iteration", "supervision", "undo_text", "redo_text", "snapshots")


def differences(one: Session, other: Session, *, opened: bool = False) -> str:
    """Return what differs between two sessions at rest, "" if nothing.

    Parameters
    ----------
    one, other : Session
    opened : bool
        Whether ``other`` was opened from the file of ``one`` and has not moved since. A start that
        has not moved is not stored, and what words such as "scale" come to is not; both are known
        again with the first step.
    """
    found = [
        f"{name} ({getattr(one, name)!r}, {getattr(other, name)!r})"[:200]
        for name in SAME
        if getattr(one, name) != getattr(other, name)
    ]
    ours, theirs = one.parameters, other.parameters
    found += [
        f"{name} ({ours.get(name)!r}, {theirs.get(name)!r})"
        for name in sorted(ours.keys() | theirs.keys())
        if ours.get(name) != theirs.get(name)
        and not (opened and isinstance(one.recipe.parameters.get(name), str))
    ]
    saved = [{k: v.tolist() for k, v in s.selections.items()} for s in (one, other)]
    if saved[0] != saved[1]:
        found.append(f"saved selections {saved}"[:200])
    cold = opened and one.iteration == 0
    if not cold and one.embedding.tobytes() != other.embedding.tobytes():
        found.append("embedding")
    return ", ".join(found)
