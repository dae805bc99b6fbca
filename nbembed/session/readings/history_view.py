"""History of a session as read: snapshots, selections, undo and redo, provenance of labels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from nbembed.session.core.history import Change
from nbembed.session.core.label_origins import provenance_of_labels
from nbembed.session.core.provenance import Provenance
from nbembed.session.core.snapshot_names import require_snapshot
from nbembed.session.map.snapshots import Snapshot
from nbembed.session.readings.map_view import MapView
from nbembed.validation import shown


class HistoryView(MapView):
    """Readings of the history of a session with a controller. Nothing here waits."""

    @property
    def snapshots(self) -> tuple[str, ...]:
        """Names of the snapshots, oldest first."""
        return tuple(self._given.snapshots)

    @property
    def selections(self) -> dict[str, NDArray[np.intp]]:
        """The saved selections: points by the name that :meth:`save_selection` was given."""
        return dict(self._given.selections)

    @property
    def taken_snapshots(self) -> tuple[Snapshot, ...]:
        """The snapshots themselves, as far as they have been taken."""
        taken, names = self._controller.engine.snapshots, self._given.snapshots
        return tuple(
            taken[kept.number].called(name) for name, kept in names.items() if kept.number in taken
        )

    def get_snapshot(self, name: str) -> Snapshot:
        """Return a snapshot: its layout, parameters, labels, cost and quality.

        Raises
        ------
        ValueError
            If there is none of that name.
        RuntimeError
            If it is not taken yet, because commands before it are still to take effect.
        """
        controller = self._controller
        number = require_snapshot(self._given.snapshots, name).number
        if number not in controller.engine.snapshots:
            controller.capture()  # once the commands given before have taken effect
        found = controller.engine.snapshots.get(number)
        if found is None:
            text = f"the snapshot {shown(name)} is not taken yet: commands before it wait"
            raise RuntimeError(text)
        return found.called(name)

    @property
    def can_undo(self) -> bool:
        """True if there is something to undo."""
        return bool(self._given.history.past)

    @property
    def can_redo(self) -> bool:
        """True if there is something to redo."""
        return bool(self._given.history.future)

    @property
    def undo_text(self) -> str:
        """The change that :meth:`undo` would undo, "" if there is none."""
        past = self._given.history.past
        return past[-1].text if past else ""

    @property
    def redo_text(self) -> str:
        """The change that :meth:`redo` would do again, "" if there is none."""
        future = self._given.history.future
        return future[-1].text if future else ""

    @property
    def changes(self) -> tuple[Change, ...]:
        """The steps of the history with who made them: the oldest first, undone ones last."""
        return self._given.history.changes()

    @property
    def place(self) -> int:
        """The number of the present place of the history, where :meth:`go_to` leads to others."""
        return self._given.history.place

    @property
    def first_place(self) -> int:
        """The number of the oldest place that is kept: 0 is the beginning of the session."""
        return self._given.history.forgotten

    @property
    def label_provenance(self) -> dict[int, Provenance | None]:
        """Who gave the label of each labeled point, how and when; ``None`` if it is not known."""
        settings = self._given.settings
        return provenance_of_labels(settings.origins, settings.supervision)
