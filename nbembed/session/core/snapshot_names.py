"""The names of a session's snapshots as a value; renaming and deleting as steps of the history.

A snapshot has a number that never changes; its layout is kept by that number. A step of the history
that renames or deletes one says which name it has on the step's other side. To cross the step is to
give it that name, so undo and redo are the same operation, and they never fail: where another
snapshot has taken the name meanwhile, a number is added to it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from nbembed.session.core.settings import Settings
from nbembed.validation import shown, shown_names


@dataclass(frozen=True)
class KeptSettings:
    """The settings of a snapshot; later snapshots have larger numbers."""

    number: int
    settings: Settings


#: Snapshots by name, oldest first.
Names = Mapping[str, KeptSettings]


@dataclass(frozen=True)
class Naming:
    """The effect of a step of the history on the name of one snapshot.

    ``name`` is the one on the other side of the step; ``None`` where the snapshot is deleted
    there.
    """

    kept: KeptSettings
    name: str | None

    def crossed(self, names: Names) -> tuple[Names, Naming]:
        """Return the names on the other side of the step, and the way back."""
        own = [name for name, kept in names.items() if kept.number == self.kept.number]
        there = {name: kept for name, kept in names.items() if name not in own}
        if self.name is not None:
            there[free_name(self.name, there)] = self.kept
        return by_number(there), replace(self, name=own[0] if own else None)


def free_name(wanted: str, names: Names) -> str:
    """Return a name, with a number if it is taken."""
    name, count = wanted, 1
    while name in names:
        count += 1
        name = f"{wanted} ({count})"
    return name


def by_number(names: Names) -> Names:
    """Return names in the order in which the snapshots were taken."""
    ordered = sorted(names.items(), key=lambda item: item[1].number)
    return MappingProxyType(dict(ordered))


def require_snapshot(names: Names, name: object, argument: str = "name") -> KeptSettings:
    """Return the settings of the snapshot of a name."""
    if not isinstance(name, str) or name not in names:
        known = shown_names(names) or "there is none"
        raise ValueError(f"{argument} must be an existing snapshot ({known}), got {shown(name)}")
    return names[name]
